"""The permutation experiment's settings, and what theory says of its claims under each of them."""

import random
from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import MAX_TOKENS, ConfigError, check_choice, check_permutation
from attention_core.measuring.choices import ADDED as ADDED
from attention_core.measuring.choices import MASKS as MASKS
from attention_core.measuring.choices import PLACEMENTS as PLACEMENTS
from attention_core.measuring.choices import POSITION_NAMES as POSITION_NAMES
from attention_core.measuring.choices import POSITIONS as POSITIONS
from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import generator
from attention_core.measuring.settings import Choice, Switch, Words, setting
from attention_core.measuring.vacuous import EQUAL_VALUES, EQUAL_WORDS, no_other_order, no_other_output
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm

D_MODEL: Final = 32
NUM_HEADS: Final = 4
WINDOW: Final = 1
BIAS_STD: Final = 0.5
ALIKE: Final = _("too few tokens that differ")  # what breaks a claim that another order is another output
SLOTS: Final = _("positions stay with the slot")
_ALONE: Final = _("keys move without their values")
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
        positions: How positions enter: a name in ``POSITIONS``.
        carried: Whether positions move with their token; else they stay with the slot.
        mask: One of ``MASKS``; it stays where it is when tokens move.
        keys_alone: Whether keys are permuted without their values.
        biases: Whether the four projections have biases.
    """

    tokens: tuple[str, ...] = setting(SENTENCE, Words(label=_("Sentence")), zh=SENTENCE_ZH)
    context: tuple[str, ...] = setting(
        (), Words(label=_("Keys and values of another sentence"), hint=_("Empty: the same sentence."), least=0)
    )
    positions: str = setting("none", Choice(POSITION_NAMES, label=_("Positions")))
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
    """

    query_order: tuple[int, ...] = ()
    key_order: tuple[int, ...] = ()
    model: str = setting(
        "attention",
        Choice(MODELS, label=_("What the tokens go through"), hint=_("Attention alone, or whole blocks of it.")),
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


def breaks(config: PermutationConfig, claim: str) -> str:
    """What makes ``claim`` fail for some order under these settings, in words; empty where it holds for all.

    What stays in place while tokens move breaks the claims, unless no two things it tells apart differ: a key's
    content is its token, together with an additive position that it carries.

    Args:
        config: The settings.
        claim: ``perm-kv``, ``perm-q``, ``perm-self``, ``perm-pool``, ``perm-bias`` or ``perm-block``.
    """
    q_len, kv_len = len(config.tokens), len(config.keys)
    added = config.positions in ADDED
    slots = SLOTS if config.positions != "none" and not config.carried else ""
    masked = config.mask == "causal" or (config.mask == "window" and max(q_len, kv_len) > WINDOW + 1)
    mask = _mask_stays(config) if masked else ""
    values_differ, content_differs = _values_differ(config), _content_differs(config, config.keys)
    alone = _ALONE if config.keys_alone else ""
    match claim:
        case "perm-block":  # its keys always move with their values
            return breaks(replace(config, keys_alone=False), "perm-self")
        case "perm-pool":
            return _breaks_pool(config)
        case "perm-bias":
            return next(filter(None, (breaks(config, widest) for widest in widest_claims(config))), "")
        case "perm-q":
            blind = config.mask == "window" and q_len > kv_len + WINDOW  # the last queries see no key at all
            return (slots or mask) if q_len > 1 and values_differ else mask if blind else ""
        case "perm-kv" if alone:
            return alone if values_differ and len(set(config.keys)) > 1 else ""
        case "perm-kv":
            return (slots or mask) if content_differs else ""
        case _ if q_len == 1:
            return ""
        case _:
            # One reversal of two tokens leaves every distance, so ALiBi and its symmetry survive it.
            by_slot = slots if added or (content_differs and (config.positions, q_len) != ("alibi", 2)) else ""
            return (alone if len(set(config.keys)) > 1 else "") or by_slot or (mask if content_differs else "")


def vacuous(config: PermutationConfig, claim: str) -> str:
    """Where nothing breaks ``claim``, why no order could show that it is wrong, in words; empty where one could.

    Args:
        config: The settings.
        claim: As in ``breaks``.
    """
    carries = config.carried and config.positions != "none"
    match claim:
        case "perm-bias":
            reasons = [vacuous(config, widest) for widest in widest_claims(config)]
            return reasons[0] if all(reasons) else ""
        case "perm-q" if len(config.tokens) > 1:
            if not _values_differ(config):
                return EQUAL_VALUES
            return "" if carries or len(set(config.tokens)) > 1 else EQUAL_WORDS
        case "perm-kv" if config.keys_alone and not _values_differ(config):
            return no_other_output(config.keys)
        case "perm-kv":
            return "" if _content_differs(config, config.keys) else no_other_order(config.keys)
        case _:
            return "" if _content_differs(config, config.tokens) else no_other_order(config.tokens)


def vacuous_here(config: ShuffleConfig, claim: str) -> str:
    """As ``vacuous``, for the one order of a shuffle."""
    if reason := vacuous(config, claim):
        return reason
    stays = all(
        not order or [words[at] for at in order] == list(words)
        for order, words in ((config.query_order, config.tokens), (config.key_order, config.keys))
    )
    carries = config.carried and config.positions != "none" and not _in_place(config)
    return _("in this order every word stands where an equal one stood") if stays and not carries else ""


def _in_place(config: ShuffleConfig) -> bool:
    return all(order in ((), tuple(range(len(order)))) for order in (config.query_order, config.key_order))


def _values_differ(config: PermutationConfig) -> bool:
    """Whether the values that some query sees differ: a key's content is its token, and an added position."""
    reach = {"none": len(config.keys), "causal": len(config.tokens), "window": len(config.tokens) + WINDOW}
    seen = config.keys[: reach[config.mask]]
    return len(set(seen)) > 1 or (config.positions in ADDED and len(seen) > 1)


def _content_differs(config: PermutationConfig, words: tuple[str, ...]) -> bool:
    """Whether words differ in what they bring along to another place."""
    return len(set(words)) > 1 or (config.positions in ADDED and config.carried and len(words) > 1)


def breaks_here(config: ShuffleConfig, claim: str) -> tuple[str, str]:
    """What makes ``claim`` fail for the one order of a shuffle, and what leaves that open; both in words or empty.

    What breaks a claim for some order need not break it for this one: nothing breaks where nothing moves, a reversal
    leaves all distances, and equal tokens may change places unseen. It does break wherever different tokens meet
    other positions, other values or, under a causal mask on one sentence, other tokens before them.
    """
    reason = breaks(config, claim)
    if not reason or _in_place(config):
        return "", ""
    by_slot = config.positions not in ("none", "alibi") and not config.carried
    differ = all(len(set(tokens)) == len(tokens) for tokens in (config.tokens, config.keys))
    alone = config.keys_alone and claim != "perm-q"
    sure = by_slot or alone if config.mask == "none" else config.mask == "causal" and not config.context
    if differ and sure:
        return reason, ""
    return reason, _("{reason}, which breaks it for some orders, and perhaps not for this one", reason=reason)


def widest_claims(config: PermutationConfig) -> tuple[str, ...]:
    """The claims that together move everything that can be moved."""
    return ("perm-kv", "perm-q") if config.context else ("perm-self",)


def _breaks_pool(config: PermutationConfig) -> str:
    """As ``breaks`` for the mean over the real tokens; a padding token moves among them if there is room."""
    places = min(len(config.tokens) + 1, MAX_TOKENS)
    added, padded = config.positions in ADDED, places > len(config.tokens)
    if config.keys_alone and (padded or len(set(config.tokens)) > 1):
        return _ALONE
    differs = _content_differs(config, config.tokens)
    if config.positions != "none" and not config.carried and (differs or (added and padded)):
        return SLOTS
    masked = config.mask == "causal" or (config.mask == "window" and places > WINDOW + 1)
    return _mask_stays(config) if masked and differs else ""


def _mask_stays(config: PermutationConfig) -> str:
    return _("the {mask} mask stays in place", mask=MASKS[config.mask])


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
