"""The permutation experiment's settings, and what theory says of its claims under each of them."""

import dataclasses
from dataclasses import dataclass
from typing import Final

import torch

from attention_core.experiments.config import (
    MAX_TOKENS,
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_permutation,
    check_tokens,
)
from attention_core.experiments.inputs import generator
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal

D_MODEL: Final = 32
NUM_HEADS: Final = 4
WINDOW: Final = 1
BIAS_STD: Final = 0.5
POSITIONS: Final[dict[str, Position]] = {
    "none": NoPosition(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(max_len=64),
    "rotary": Rotary(),
    "ALiBi": Alibi(),
}
COARSE: Final = "rounding alone could do as much in this precision"
ADDED: Final = ("sinusoidal", "learned")
MASKS: Final = ("none", "causal", "sliding window")
PLACEMENTS: Final[dict[str, Placement]] = {
    "pre-norm": PreNorm(),
    "post-norm": PostNorm(),
    "residual post-norm": ResidualPostNorm(),
}
ATTENTION: Final = "attention alone"
# What is drawn: attention alone, or blocks: where their norms stand, and how many there are.
MODELS: Final[dict[str, tuple[Placement, int] | None]] = (
    {ATTENTION: None}
    | {f"{name} block": (placement, 1) for name, placement in PLACEMENTS.items()}
    | {"two pre-norm blocks": (PreNorm(), 2)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PermutationConfig(RunConfig):
    """The module and its tokens; the claims are measured over many orders of them.

    Attributes:
        tokens: The queries' tokens; in self-attention the keys' and values' too.
        context: The keys' and values' tokens; empty for self-attention.
        positions: How positions enter: a name in ``POSITIONS``.
        carried: Whether positions move with their token; else they stay with the slot.
        mask: A name in ``MASKS``; it stays where it is when tokens move.
        keys_alone: Whether keys are permuted without their values.
        biases: Whether the four projections have biases.
    """

    tokens: tuple[str, ...] = ("the", "cat", "sat", "on", "a", "mat")
    context: tuple[str, ...] = ()
    positions: str = "none"
    carried: bool = False
    mask: str = "none"
    keys_alone: bool = False
    biases: bool = True

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_tokens("tokens", self.tokens)
        check_tokens("context", self.context, least=0)
        check_choice("positions", self.positions, tuple(POSITIONS))
        check_choice("mask", self.mask, MASKS)
        for name in ("carried", "keys_alone", "biases"):
            check_bool(name, getattr(self, name))
        if self.keys_alone and self.carried and self.positions in ADDED:
            allowed = "a key that carries an added position carries its value along, so switch one of the two off"
            raise ConfigError("keys_alone", self.keys_alone, allowed)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys' and values' tokens."""
        return self.context or self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleConfig(PermutationConfig):
    """One order of the queries and one of the keys and values.

    Attributes:
        query_order: Which query stands at each place; empty leaves them.
        key_order: Which key and value stand at each place; empty leaves them.
        model: A name in ``MODELS``: what the tokens go through.
    """

    query_order: tuple[int, ...] = ()
    key_order: tuple[int, ...] = ()
    model: str = ATTENTION

    def __post_init__(self) -> None:
        PermutationConfig.__post_init__(self)
        if self.query_order:
            check_permutation("query_order", self.query_order, len(self.tokens))
        if self.key_order:
            check_permutation("key_order", self.key_order, len(self.keys))
        check_choice("model", self.model, tuple(MODELS))
        apart = self.context or self.keys_alone or self.query_order != self.key_order
        if self.model != ATTENTION and apart:
            allowed = "in a block the same tokens ask and answer, so shuffle all of one sentence, keys with values"
            raise ConfigError("model", self.model, allowed)

    def setting(self) -> PermutationConfig:
        """The same module and tokens without the orders: what is measured once for all shuffles."""
        names = (name for cls in (RunConfig, PermutationConfig) for name in cls.__slots__)
        return PermutationConfig(**{name: getattr(self, name) for name in names})


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
    slots = "positions stay with the slot" if config.positions != "none" and not config.carried else ""
    masked = config.mask == "causal" or (config.mask == "sliding window" and max(q_len, kv_len) > WINDOW + 1)
    mask = f"the {config.mask} mask stays in place" if masked else ""
    reach = {"none": kv_len, "causal": q_len, "sliding window": q_len + WINDOW}[config.mask]
    seen = config.keys[:reach]
    values_differ = len(set(seen)) > 1 or (added and len(seen) > 1)
    content_differs = len(set(config.keys)) > 1 or (added and config.carried and kv_len > 1)
    alone = "keys move without their values" if config.keys_alone else ""
    match claim:
        case "perm-block":  # its keys always move with their values
            return breaks(dataclasses.replace(config, keys_alone=False), "perm-self")
        case "perm-pool":
            return _breaks_pool(config)
        case "perm-bias":
            return next(filter(None, (breaks(config, widest) for widest in widest_claims(config))), "")
        case "perm-q":
            blind = config.mask == "sliding window" and q_len > kv_len + WINDOW  # the last queries see no key at all
            return (slots or mask) if q_len > 1 and values_differ else mask if blind else ""
        case "perm-kv" if alone:
            return alone if values_differ and len(set(config.keys)) > 1 else ""
        case "perm-kv":
            return (slots or mask) if content_differs else ""
        case _ if q_len == 1:
            return ""
        case _:
            # One reversal of two tokens leaves every distance, so ALiBi and its symmetry survive it.
            by_slot = slots if added or (content_differs and (config.positions, q_len) != ("ALiBi", 2)) else ""
            return (alone if len(set(config.keys)) > 1 else "") or by_slot or (mask if content_differs else "")


def exactly(config: PermutationConfig) -> PermutationConfig | None:
    """The same in float64, where the precision has too few digits for rounding to be small beside every change."""
    half = config.dtype in ("bfloat16", "float16")
    return dataclasses.replace(config, dtype="float64", device="cpu") if half else None


def widest_claims(config: PermutationConfig) -> tuple[str, ...]:
    """The claims that together move everything that can be moved."""
    return ("perm-kv", "perm-q") if config.context else ("perm-self",)


def _breaks_pool(config: PermutationConfig) -> str:
    """As ``breaks`` for the mean over the real tokens; a padding token moves among them if there is room."""
    places = min(len(config.tokens) + 1, MAX_TOKENS)
    added, padded = config.positions in ADDED, places > len(config.tokens)
    if config.keys_alone and (padded or len(set(config.tokens)) > 1):
        return "keys move without their values"
    differs = len(set(config.tokens)) > 1 or (added and config.carried and len(config.tokens) > 1)
    if config.positions != "none" and not config.carried and (differs or (added and padded)):
        return "positions stay with the slot"
    masked = config.mask == "causal" or (config.mask == "sliding window" and places > WINDOW + 1)
    return f"the {config.mask} mask stays in place" if masked and differs else ""


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
