"""The normalization experiment's settings, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_int,
)
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.normalization import BatchNorm, LayerNorm, Norm, RMSNorm

TOPICS: Final[tuple[str, ...]] = ("dependence", "length of the output", "what is left of a bias", "a whole block")
TOKENS: Final = (3, 8)
D_MODELS: Final = (3, 16)
EPS: Final = (0.0, 1e-5, 1e-2, 1.0)
STDS: Final = (0.001, 0.01, 0.1, 1.0, 10.0)
LIMIT: Final = 3.0
NORMS: Final[dict[str, Norm]] = {"LayerNorm": LayerNorm(), "RMSNorm": RMSNorm(eps=1e-5), "BatchNorm": BatchNorm()}
PLACEMENTS: Final[dict[str, Placement]] = {
    "pre-norm": PreNorm(),
    "post-norm": PostNorm(),
    "residual post-norm": ResidualPostNorm(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizationConfig(RunConfig):
    """One question about norms, what it is asked on, and what may break the answer.

    Attributes:
        topic: The question, of ``TOPICS``.
        num_tokens: Tokens.
        d_model: Features of a token.
        gamma: Gain γ of the LayerNorm whose output's length is measured.
        beta: Bias β of it.
        eps: ε under its root.
        input_std: Standard deviation of its input.
        norm: The norm in the block: a name in ``NORMS``.
        evaluation: Whether BatchNorm uses the statistics of a past batch instead of this one's.
        constant: Whether all features of a token are equal where the output's length is measured.
        positions: Whether the block's tokens get positions that stay with their slot.
        causal: Whether its attention looks back only.
        slot_weights: Whether its norms have a gain for each slot.
    """

    topic: str = TOPICS[0]
    num_tokens: int = 5
    d_model: int = 6
    gamma: float = 1.0
    beta: float = 0.0
    eps: float = 0.0
    input_std: float = 1.0
    norm: str = "LayerNorm"
    evaluation: bool = False
    constant: bool = False
    positions: bool = False
    causal: bool = False
    slot_weights: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("topic", self.topic, TOPICS)
        check_int("num_tokens", self.num_tokens, *TOKENS)
        check_int("d_model", self.d_model, *D_MODELS)
        check_float("gamma", self.gamma, -LIMIT, LIMIT)
        check_float("beta", self.beta, -LIMIT, LIMIT)
        check_choice("eps", self.eps, EPS)
        check_choice("input_std", self.input_std, STDS)
        check_choice("norm", self.norm, tuple(NORMS))
        for name in ("evaluation", "constant", "positions", "causal", "slot_weights"):
            check_bool(name, getattr(self, name))

    def about(self, topic: str) -> str:
        """Why the claims of ``topic`` fail under these settings, in words; empty where they hold."""
        match TOPICS.index(topic):
            case 0 | 2:
                return "in evaluation BatchNorm uses a past batch's statistics" if self.evaluation else ""
            case 1:
                return "a constant token has no spread to divide by" if self.constant else ""
            case _:
                return self._block_breaks()

    def _block_breaks(self) -> str:
        if self.slot_weights:
            return "the norm has a weight for each slot"
        if self.positions:
            return "positions stay with the slot"
        return "the causal mask stays in place" if self.causal else ""


def read_cell(raw: str) -> tuple[int, int]:
    """The output cell, ``row.column`` counted from 0, that a link asks for.

    Raises:
        ValueError: If it is none; ``ConfigError`` where a number is out of range.
    """
    parts = raw.split(".")
    if len(parts) != 2:
        raise ConfigError("cell", raw, "a row and a column, such as 0.2, are allowed")
    row, column = int(parts[0]), int(parts[1])
    check_int("row", row, 0, TOKENS[1] - 1)
    check_int("column", column, 0, D_MODELS[1] - 1)
    return row, column
