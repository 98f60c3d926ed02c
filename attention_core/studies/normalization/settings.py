"""The normalization experiment's settings."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import ConfigError, check_int
from attention_core.measuring.choices import PLACEMENTS as PLACEMENTS
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Real, Switch, Whole, setting
from attention_core.modules.feed_forward import GELU, Activation, ReLU
from attention_core.modules.normalization import BatchNorm, LayerNorm, Norm, RMSNorm

TOPICS: Final = {
    "dependence": _("dependence"),
    "length": _("length of the output"),
    "bias": _("what is left of a bias"),
    "block": _("a whole block"),
    "feed-forward": _("feed-forward network"),
}
MAX_TOKENS, MAX_D_MODEL = 8, 16
EPS: Final = (0.0, 1e-5, 1e-2, 1.0)
STDS: Final = (0.001, 0.01, 0.1, 1.0, 10.0)
NORMS: Final[dict[str, Norm]] = {"LayerNorm": LayerNorm(), "RMSNorm": RMSNorm(eps=1e-5), "BatchNorm": BatchNorm()}
PLACEMENT_NAMES: Final = {
    "pre-norm": _("pre-norm"),
    "post-norm": _("post-norm"),
    "residual post-norm": _("residual post-norm"),
}
ACTIVATIONS: Final[dict[str, Activation]] = {"gelu": GELU(), "relu": ReLU()}


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalizationConfig(RunConfig):
    """One question about norms, what it is asked on, and what may break the answer.

    Attributes:
        topic: The question, of ``TOPICS``.
        num_tokens: Tokens.
        d_model: Features of a token.
        gamma: Gain γ of the LayerNorm whose output's length is measured.
        beta: Bias β of it.
        eps: ε under its root, 0 to 1.
        input_std: Standard deviation of its input, 0.001 to 10.
        norm: The norm in the block: a name in ``NORMS``.
        activation: What its feed-forward network bends: a name in ``ACTIVATIONS``.
        evaluation: Whether BatchNorm uses the statistics of a past batch instead of this one's.
        constant: Whether all features of a token are equal where the output's length is measured.
        own_gammas: Whether there each feature has a gain of its own, around γ.
        positions: Whether the block's tokens get positions that stay with their slot.
        causal: Whether its attention looks back only.
        slot_weights: Whether its norms have a gain for each slot.
        attention_instead: Whether attention stands in the place of the feed-forward network that is asked about.
    """

    topic: str = setting("dependence", Choice(TOPICS, label=_("Question")))
    num_tokens: int = setting(
        5,
        Whole(
            3,
            MAX_TOKENS,
            label=pgettext_lazy("how many", "Tokens"),
            hint=_("Lengths are measured of 200 vectors, whatever this is."),
        ),
    )
    d_model: int = setting(6, Whole(3, MAX_D_MODEL, label=_("Features, d")))
    gamma: float = setting(1.0, Real(-3.0, 3.0, 0.1, label=_("Gain γ")))
    beta: float = setting(0.0, Real(-3.0, 3.0, 0.1, label=_("Bias β")))
    eps: float = setting(
        0.0, OneOf(EPS, between=True, label="ε", shown="{:g}".format, hint=_("Under LayerNorm's root."))
    )
    input_std: float = setting(
        1.0, OneOf(STDS, between=True, label=_("Spread of the tokens"), shown="{:g}".format, link="std")
    )
    norm: str = setting("LayerNorm", Choice({name: name for name in NORMS}, label=_("Norm in the block")))
    activation: str = setting(
        "gelu", Choice({"gelu": "GELU", "relu": "ReLU"}, label=_("Activation in the block"), listed=False)
    )
    evaluation: bool = setting(
        False, Switch(label=_("Evaluation mode"), hint=_("BatchNorm uses a past batch's statistics."))
    )
    constant: bool = setting(
        False, Switch(label=_("Constant tokens"), hint=_("All features equal: nothing to divide by."))
    )
    own_gammas: bool = setting(
        False,
        Switch(label=_("A gain for each feature"), hint=_("γ is a vector then, as it is in a trained LayerNorm.")),
    )
    positions: bool = setting(
        False, Switch(label=_("Positions"), hint=_("Added to the block's tokens, slot by slot."))
    )
    causal: bool = setting(False, Switch(label=_("Causal mask"), hint=_("In the block's attention.")))
    slot_weights: bool = setting(False, Switch(label=_("A gain for each slot"), hint=_("In the block's norms.")))
    attention_instead: bool = setting(
        False, Switch(label=_("Attention in its place"), hint=_("In that of the feed-forward network."))
    )


def read_cell(raw: str) -> tuple[int, int]:
    """The output cell, ``row.column`` counted from 0, that a link asks for.

    Raises:
        ValueError: If it is none; ``ConfigError`` where a number is out of range.
    """
    parts = raw.split(".")
    if len(parts) != 2:
        raise ConfigError("cell", raw, _("a row and a column, such as 0.2, are allowed"))
    row, column = int(parts[0]), int(parts[1])
    check_int("row", row, 0, MAX_TOKENS - 1)
    check_int("column", column, 0, MAX_D_MODEL - 1)
    return row, column


def write_cell(cell: tuple[int, int]) -> str:
    """The cell as a link holds it."""
    return f"{cell[0]}.{cell[1]}"
