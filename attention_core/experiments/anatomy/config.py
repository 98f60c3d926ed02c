"""The anatomy experiment's settings, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_int,
    check_tokens,
)
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey

D_MODEL: Final = 16
MAX_HEADS: Final = 8
MAX_D_HEAD: Final = 16
MAX_DROPOUT: Final = 0.9
WEIGHTS: Final = ("built", "random")
POSITIONS: Final[dict[str, Position]] = {
    "sinusoidal": Sinusoidal(),
    "none": NoPosition(),
    "learned": Learned(max_len=64),
    "rotary": Rotary(),
    "ALiBi": Alibi(),
}
PROJECTIONS: Final[dict[str, Projections]] = {
    "three of their own": Full(),
    "tied key = value": TiedKeyValue(),
    "tied query = key": TiedQueryKey(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnatomyConfig(RunConfig):
    """One sentence, and the self-attention it goes through.

    Attributes:
        tokens: The sentence.
        weights: ``built`` by hand (odd heads look one slot back, even heads at the same word) or ``random``.
        heads: Number of heads.
        d_head: Numbers of a head; 0 stands for ``d_model ÷ heads``.
        positions: How positions enter: a name in ``POSITIONS``.
        causal: Whether a query sees only its own slot and those before it.
        biases: Whether the four projections have biases.
        projections: Which projections are one: a name in ``PROJECTIONS``.
        dropout: Probability of dropping a weight; above 0 the pass is one of training.
        miscut: Whether the rows are cut into heads by ``view`` alone, without the transposition.
        fused: Whether operations are counted on ``forward``, which runs on the fused kernel, and not on ``trace``.
    """

    tokens: tuple[str, ...] = ("the", "cat", "sat", "on", "the", "mat")
    weights: str = "built"
    heads: int = 2
    d_head: int = 0
    positions: str = "sinusoidal"
    causal: bool = False
    biases: bool = True
    projections: str = "three of their own"
    dropout: float = 0.0
    miscut: bool = False
    fused: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_tokens("tokens", self.tokens)
        check_choice("weights", self.weights, WEIGHTS)
        check_int("heads", self.heads, 1, MAX_HEADS)
        check_int("d_head", self.d_head, 0, MAX_D_HEAD)
        check_choice("positions", self.positions, tuple(POSITIONS))
        check_choice("projections", self.projections, tuple(PROJECTIONS))
        check_float("dropout", self.dropout, 0.0, MAX_DROPOUT)
        for name in ("causal", "biases", "miscut", "fused"):
            check_bool(name, getattr(self, name))
        if not self.d_head and D_MODEL % self.heads:
            raise ConfigError(
                "heads", self.heads, f"a divisor of d_model = {D_MODEL} is allowed, or any with a d_head of its own"
            )
        if self.positions == "rotary" and self.head_size % 2:
            raise ConfigError("d_head", self.head_size, "rotary positions turn numbers in pairs, so it must be even")

    @property
    def head_size(self) -> int:
        """Numbers of a head: ``d_head``, or ``d_model ÷ heads``."""
        return self.d_head or D_MODEL // self.heads

    @property
    def width(self) -> int:
        """All heads side by side: ``heads · head_size``."""
        return self.heads * self.head_size


def breaks(config: AnatomyConfig, claim: str) -> str:
    """What makes ``claim`` fail under these settings, in words; empty where it holds.

    Args:
        config: The settings.
        claim: ``mha-reshape``, ``mha-divisible``, ``drop-rows``, ``convex-hull`` or ``cplx-core``.
    """
    match claim:
        case "mha-reshape" if config.miscut and not _cuts_agree(config):
            return "the rows are cut by view alone, so heads mix the numbers of several words"
        case "mha-divisible" if config.d_head:
            return "d_head is given, so no number of heads is refused"
        case "drop-rows" if config.dropout:
            return f"dropout with p = {config.dropout:g} is on, and keeps rows at 1 only on average"
        case "convex-hull" if config.dropout:
            return f"dropout with p = {config.dropout:g} leaves rows that do not add up to 1"
        case "cplx-core" if config.fused and config.torch_device.type == "cpu":
            return "torch's counter does not see into the fused kernel"
        case _:
            return ""


def _cuts_agree(config: AnatomyConfig) -> bool:
    """Whether a wrong cut changes nothing: one head, one word, or the same value everywhere it could take from."""
    added = config.positions in ("sinusoidal", "learned")
    all_values_equal = (
        config.weights == "built"
        and len(set(config.tokens)) == 1
        and not added
        and config.projections != "tied key = value"
    )
    return config.heads == 1 or len(config.tokens) == 1 or all_values_equal
