"""The anatomy experiment's settings."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.choices import POSITION_NAMES, PROJECTIONS, STRETCHED_HINT, STRETCHED_NAMES, turns
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, Real, Switch, Whole, Words, setting

D_MODEL: Final = 16
MAX_HEADS: Final = 8
WEIGHTS: Final = {"built": _("built by hand"), "random": _("random")}
_PROJECTION_LABELS: Final = dict(
    zip(PROJECTIONS, (_("three of their own"), _("tied key = value"), _("tied query = key")), strict=True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnatomyConfig(RunConfig):
    """One sentence, and the self-attention it goes through.

    Attributes:
        tokens: The sentence.
        weights: ``built`` by hand (odd heads look one slot back, even heads at the same word) or ``random``.
        heads: Number of heads.
        d_head: Numbers of a head; 0 stands for ``d_model ÷ heads``.
        positions: How positions enter: a name in ``POSITION_NAMES`` or ``STRETCHED_NAMES``.
        causal: Whether a query sees only its own slot and those before it.
        biases: Whether the four projections have biases.
        projections: Which projections are one: a name in ``PROJECTIONS``.
        dropout: Probability of dropping a weight; above 0 the pass is one of training.
        cut: Whether each head is given a slice of the embedding: W_Q, W_K and W_V are 0 in all other numbers.
        no_transpose: Whether the rows are cut into heads by ``view`` alone, without the transposition.
        fused: Whether operations are counted on ``forward``, which runs on the fused kernel, and not on ``trace``.
    """

    tokens: tuple[str, ...] = setting(
        ("the", "cat", "sat", "on", "the", "mat"), Words(label=_("Sentence")), zh="猫 坐 在 垫子 上"
    )
    weights: str = setting("built", Choice(WEIGHTS, label=_("Weight matrices"), listed=False))
    heads: int = setting(2, Whole(1, MAX_HEADS, label=pgettext_lazy("how many", "Heads")))
    d_head: int = setting(0, Whole(0, 16, label=_("Size of a head"), hint=_("0: d_model ÷ heads.")))
    positions: str = setting(
        "sinusoidal", Choice(POSITION_NAMES | STRETCHED_NAMES, label=_("Positions"), hint=STRETCHED_HINT)
    )
    causal: bool = setting(False, Switch(label=_("Look back only (causal mask)")))
    biases: bool = setting(True, Switch(label=_("Biases"), hint=_("They break none of the claims.")))
    projections: str = setting("full", Choice(_PROJECTION_LABELS, label=_("Projections")))
    dropout: float = setting(0.0, Real(0.0, 0.9, 0.1, label=_("Dropout, as in training")))
    cut: bool = setting(
        False,
        Switch(
            label=_("Cut the embedding by hand"), hint=_("Each head is given its slice of a word's numbers alone.")
        ),
    )
    no_transpose: bool = setting(
        False,
        Switch(
            label=_("Split heads without transposing (bug)"),
            hint=_("The classic mistake: heads without a transposition."),
        ),
    )
    fused: bool = setting(
        False,
        Switch(label=_("Count FLOPs in the fused kernel"), hint=_("torch's counter sees nothing of it on a CPU.")),
    )

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if not self.d_head and D_MODEL % self.heads:
            allowed = _("a divisor of the width {size} is allowed, or any with a size of a head given", size=D_MODEL)
            raise ConfigError("heads", self.heads, allowed)
        if turns(self.positions) and self.head_size % 2:
            allowed = _("rotary positions turn numbers in pairs, so it must be even")
            raise ConfigError("d_head", self.head_size, allowed)
        if self.positions == "rotary-part" and self.head_size % 4:
            allowed = _("rotary positions turn half of its numbers here, in pairs, so it must be a multiple of 4")
            raise ConfigError("d_head", self.head_size, allowed)

    @property
    def head_size(self) -> int:
        """Numbers of a head: ``d_head``, or ``d_model ÷ heads``."""
        return self.d_head or D_MODEL // self.heads

    @property
    def width(self) -> int:
        """All heads side by side: ``heads · head_size``."""
        return self.heads * self.head_size
