"""The projections experiment's settings, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_tokens,
)
from attention_core.modules.positions import Alibi, NoPosition, Position, Rotary

TOPICS: Final[tuple[str, ...]] = (
    "identity or learned",
    "tied matrices",
    "gauge freedom",
    "low rank",
    "rank collapse",
)
NUM_HEADS: Final = (1, 2, 4, 8)
D_HEADS: Final = (2, 4, 8, 16, 32, 64)
MAX_D_MODEL: Final = 256
LAYERS: Final = 12
MAX_SPREAD: Final = 1.0
TEMPERATURES: Final = (0.25, 4.0)
BIAS_STD: Final = 0.5
BIASES: Final = ("on both sides", "on one side", "none")
POSITIONS: Final[dict[str, Position]] = {"none": NoPosition(), "rotary": Rotary(), "ALiBi": Alibi()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionsConfig(RunConfig):
    """One question about W_Q, W_K, W_V and W_O, the tokens it is asked on, and what may break the answer.

    Attributes:
        topic: The question, of ``TOPICS``.
        tokens: The words; equal words have equal embeddings.
        num_heads: Number of heads.
        d_head: Size of a head; ``d_model = num_heads · d_head``.
        temperature: Divides the scores of the identity question, besides √d_head.
        spread: Standard deviation of the logarithm of the words' norms; 0 makes them equal.
        whole_norms: Whether norms are made equal for the whole word; else within each head's part of it.
        residual: Whether each layer of the stack that collapses is added to its input.
        positions: A name in ``POSITIONS``; they stay with the slot.
        causal: Whether a query sees only the keys up to its own slot.
        qk_norm: Whether queries and keys are RMS-normalised.
        biases: Where there are biases: on both of two tied matrices, on the first of them only, or nowhere.
    """

    topic: str = TOPICS[0]
    tokens: tuple[str, ...] = ("the", "fox", "and", "a", "dog", "ran", "up", "one", "big", "hill")
    num_heads: int = 4
    d_head: int = 8
    temperature: float = 1.0
    spread: float = 0.0
    whole_norms: bool = False
    residual: bool = False
    positions: str = "none"
    causal: bool = False
    qk_norm: bool = False
    biases: str = BIASES[0]

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("topic", self.topic, TOPICS)
        check_tokens("tokens", self.tokens)
        check_choice("num_heads", self.num_heads, NUM_HEADS)
        check_choice("d_head", self.d_head, D_HEADS)
        check_float("temperature", self.temperature, *TEMPERATURES)
        check_float("spread", self.spread, 0.0, MAX_SPREAD)
        check_choice("positions", self.positions, tuple(POSITIONS))
        check_choice("biases", self.biases, BIASES)
        for name in ("whole_norms", "residual", "causal", "qk_norm"):
            check_bool(name, getattr(self, name))
        if self.d_model > MAX_D_MODEL:
            raise ConfigError("num_heads · d_head", self.d_model, f"at most {MAX_D_MODEL} is allowed")

    @property
    def d_model(self) -> int:
        """Size of a token's vector."""
        return self.num_heads * self.d_head

    @property
    def differ(self) -> bool:
        """Whether there are two different words; equal ones have equal outputs whatever the weights are."""
        return len(set(self.tokens)) > 1


def breaks(config: ProjectionsConfig, claim: str) -> str:
    """What makes ``claim`` fail under these settings, in words; empty where theory says that it holds.

    Args:
        config: The settings.
        claim: ``qk-tied``, ``qkv-tied``, ``keys are values``, ``gauge``, ``scale-absorb``, ``low-rank`` or
            ``rank-collapse``.
    """
    one_side = config.biases == "on one side" and "only one of the two tied sides has a bias"
    masked = config.causal and len(config.tokens) > 1
    turned = config.positions == "rotary" and len(config.tokens) > 1
    one_sided_scores = config.biases == "on one side" and (config.differ or turned)
    reasons: dict[str, str | bool] = {
        "qkv-tied": one_side,
        "keys are values": one_side
        or (turned and "rotary positions turn keys, not values")
        or (config.qk_norm and "QK-norm rescales keys, not values"),
        "qk-tied": (masked and "the causal mask hides one of each pair")
        or (one_sided_scores and "only the queries have a bias"),
        "gauge": config.differ and _gauge_breaks(config),
        "scale-absorb": config.qk_norm and config.differ and "QK-norm takes any factor out of W_Q again",
        "low-rank": (masked and "the causal mask adds −∞, which no product of narrow matrices holds")
        or (
            config.positions == "ALiBi" and len(config.tokens) > config.d_head and "ALiBi adds a matrix of full rank"
        ),
        "rank-collapse": config.residual and config.differ and "the residual carries every token past the attention",
    }
    reason = reasons[claim]
    return reason if isinstance(reason, str) else ""


def _gauge_breaks(config: ProjectionsConfig) -> str:
    if config.qk_norm:
        return "QK-norm depends on the basis of a head"
    if config.positions == "rotary":
        return "rotary positions turn fixed pairs of coordinates"
    return "ALiBi tells the heads apart" if config.positions == "ALiBi" and config.num_heads > 1 else ""
