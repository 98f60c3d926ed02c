"""The permutation experiment's settings, and orders of tokens."""

import random
from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError, check_choice, check_permutation
from attention_core.measuring.choices import ADDED as ADDED
from attention_core.measuring.choices import MASKS as MASKS
from attention_core.measuring.choices import PLACEMENTS as PLACEMENTS
from attention_core.measuring.choices import POSITION_NAMES as POSITION_NAMES
from attention_core.measuring.choices import STRETCHED_HINT, STRETCHED_NAMES
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import generator
from attention_core.measuring.settings import Choice, Switch, Words, setting
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm

ALL_NAMES: Final = POSITION_NAMES | STRETCHED_NAMES
D_MODEL: Final = 32
NUM_HEADS: Final = 4
D_HEAD: Final = D_MODEL // NUM_HEADS
WINDOW: Final = 1
BIAS_STD: Final = 0.5
MODELS: Final = {
    "attention": _("attention alone"),
    "pre": _("pre-norm block"),
    "post": _("post-norm block"),
    "residual-post": _("residual post-norm block"),
    "two": _("two pre-norm blocks"),
}
# Where the norms of a model's blocks stand, and how many blocks there are; attention alone is none.
BLOCKS: Final[dict[str, tuple[Placement, int]]] = {
    "pre": (PreNorm(), 1),
    "post": (PostNorm(), 1),
    "residual-post": (ResidualPostNorm(), 1),
    "two": (PreNorm(), 2),
}
SENTENCE: Final = ("the", "cat", "sat", "on", "a", "mat")
SENTENCE_ZH: Final = "猫 坐 在 垫子 上"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationConfig(RunConfig):
    """The module and its tokens; the claims are measured over many orders of them.

    Attributes:
        tokens: The queries' tokens; in self-attention the keys' and values' too.
        context: The keys' and values' tokens; empty for self-attention.
        positions: How positions enter: a name in ``ALL_NAMES``.
        carried: Whether positions move with their token; else they stay with the slot.
        mask: One of ``MASKS``; it stays where it is when tokens move.
        keys_alone: Whether keys are permuted without their values.
        biases: Whether the four projections have biases.
    """

    tokens: tuple[str, ...] = setting(SENTENCE, Words(label=_("Sentence")), zh=SENTENCE_ZH)
    context: tuple[str, ...] = setting(
        (), Words(label=_("Keys and values of another sentence"), hint=_("Empty: the same sentence."), least=0)
    )
    positions: str = setting("none", Choice(ALL_NAMES, label=_("Positions"), hint=STRETCHED_HINT))
    carried: bool = setting(False, Switch(label=_("Positions travel with their words")))
    mask: str = setting("none", Choice(MASKS, label=_("Mask"), hint=_("It stays where it is when tokens move.")))
    keys_alone: bool = setting(False, Switch(label=_("Keys move without their values")))
    biases: bool = setting(True, Switch(label=_("Biases"), hint=_("On or off, they break none of the claims.")))

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if self.keys_alone and self.carried and self.positions in ADDED:
            allowed = _("a key that carries an added position carries its value along, so switch one of the two off")
            raise ConfigError("keys_alone", self.keys_alone, allowed)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys' and values' tokens."""
        return self.context or self.tokens

    @property
    def plain(self) -> "PermutationConfig":
        """The first sentence without positions and mask: what brings order in depends on nothing else."""
        return replace(self, context=(), positions="none", mask="none", carried=False, keys_alone=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleConfig(PermutationConfig):
    """One order of the queries and one of the keys and values.

    Attributes:
        query_order: Which query stands at each place; empty leaves them.
        key_order: Which key and value stand at each place; empty leaves them.
        model: What the tokens go through, of ``MODELS``.
        without_block: Whether W_K has no block for places, where they stand beside the words.
    """

    query_order: tuple[int, ...] = ()
    key_order: tuple[int, ...] = ()
    model: str = setting(
        "attention",
        Choice(MODELS, label=_("What the tokens go through"), hint=_("Attention alone, or whole blocks of it.")),
    )
    without_block: bool = setting(
        False,
        Switch(
            label=_("Leave one block out"),
            hint=_("Where places stand beside the words: W_K's block for places. See the four terms."),
        ),
    )

    def __post_init__(self) -> None:
        PermutationConfig.__post_init__(self)
        if self.query_order:
            check_permutation("query_order", self.query_order, len(self.tokens))
        if self.key_order:
            check_permutation("key_order", self.key_order, len(self.keys))
        apart = self.context or self.keys_alone or self.query_order != self.key_order
        if self.model in BLOCKS and apart:
            allowed = _("in a block the same tokens ask and answer, so shuffle all of one sentence, keys with values")
            raise ConfigError("model", self.model, allowed)

    def with_positions(self, *, on: bool) -> "ShuffleConfig":
        """The same shuffle of tokens that are told their positions, or are not; who is told keeps those it has."""
        if on == (self.positions != "none"):
            return self
        return replace(self, positions="sinusoidal" if on else "none", carried=False)

    @property
    def only_reorders(self) -> bool:
        """Whether any order of queries and of keys only reorders weights and output: nothing stays in its place."""
        positions_stay = self.positions != "none" and not self.carried
        return not (positions_stay or self.mask != "none" or self.keys_alone)

    def unshuffled(self) -> PermutationConfig:
        """The same module and tokens without the orders: what is measured once for all shuffles."""
        return PermutationConfig.like(self)


def order_of(name: str, length: int, seed: int) -> tuple[int, ...]:
    """The order that ``name`` stands for.

    Args:
        name: ``random`` (never the order things already have, if there is another), ``reversed`` or ``rotated``.
        length: How many things there are.
        seed: Seed of the random order.

    Raises:
        ConfigError: If there is no such order.
    """
    check_choice("order", name, ("random", "reversed", "rotated"))
    here = tuple(range(length))
    if name == "reversed":
        return here[::-1]
    if name == "rotated":
        return here[1:] + here[:1]
    draw = generator(seed, "order", length)
    order = here
    while order == here and length > 1:
        order = tuple(torch.randperm(length, generator=draw).tolist())
    return order


def order_for(order: tuple[int, ...], length: int, seed: int) -> tuple[int, ...]:
    """An order that was made for other tokens: of so many, those go on that it named, and further ones stay.

    Args:
        order: The order. One of as many tokens is left as it is.
        length: How many tokens there are.
        seed: Seed of a random order, where of another length nothing is left of it.
    """
    kept = (*(at for at in order if at < length), *range(len(order), length))
    is_moved = kept != tuple(range(length)) or len(order) == length
    return kept if is_moved else order_of("random", length, seed)


def another_order(order: tuple[int, ...]) -> tuple[int, ...]:
    """A random order that is neither this one nor the one as written, where there is a third; of two the other."""
    here = tuple(range(len(order)))
    if len(order) < 3:
        return order[::-1]
    made = here
    while made in (here, order):
        made = tuple(random.sample(here, len(here)))
    return made
