"""The projections experiment's settings."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring import choices
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Real, Switch, Words, setting

TOPICS: Final = {
    "identity": _("identity or random"),
    "tied": _("tied matrices"),
    "gauge": _("another basis (gauge freedom)"),
    "rank": _("low rank"),
    "collapse": _("rank collapse"),
    "names": _("query and key exchanged"),
    "fixed": _("attention or a full layer"),
}
NUM_HEADS: Final = (1, 2, 4, 8)
D_HEADS: Final = (2, 4, 8, 16, 32, 64)
MAX_D_MODEL: Final = 256
LAYERS: Final = 12
BIAS_STD: Final = 0.5
POSITIONS: Final = {name: choices.POSITIONS[name] for name in ("none", "rotary", "alibi")}
BIASES: Final = {"both": _("on both sides"), "one": _("on one side"), "none": _("none")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionsConfig(RunConfig):
    """One question about W_Q, W_K, W_V and W_O, the tokens it is asked on, and what may break the answer.

    Attributes:
        topic: The question, of ``TOPICS``.
        tokens: The words; equal words have equal embeddings.
        num_heads: Number of heads, 1 to 8.
        d_head: Size of a head, 2 to 64; ``d_model = num_heads · d_head``.
        temperature: Divides the scores of the identity question, besides √d_head.
        spread: Standard deviation of the logarithm of the words' norms; 0 makes them equal.
        whole_norms: Whether norms are made equal for the whole word; else within each head's part of it.
        residual: Whether each layer of the stack that collapses is added to its input.
        positions: A name in ``POSITIONS``; they stay with the slot.
        causal: Whether a query sees only the keys up to its own slot.
        qk_norm: Whether queries and keys are RMS-normalised.
        biases: Where there are biases: on both of two tied matrices, on the first of them only, or nowhere.
        one_side: Whether, of two matrices that are changed together, the keys' stays as it is.
        frozen: Whether attention beside a full layer keeps the weights of the words as written.
    """

    topic: str = setting("identity", Choice(TOPICS, label=_("Question")))
    tokens: tuple[str, ...] = setting(
        ("the", "fox", "and", "a", "dog", "ran", "up", "one", "big", "hill"),
        Words(label=_("Sentence")),
        zh="狐狸 和 狗 一起 跑 上 了 那 座 大山",
    )
    num_heads: int = setting(4, OneOf(NUM_HEADS, between=True, label=pgettext_lazy("how many", "Heads")))
    d_head: int = setting(8, OneOf(D_HEADS, between=True, label=_("Size of a head")))
    temperature: float = setting(
        1.0, Real(0.25, 4.0, 0.25, label=_("Temperature"), hint=_("Divides the scores of the first question."))
    )
    spread: float = setting(
        0.0, Real(0.0, 1.0, 0.1, label=_("Spread of the norms"), hint=_("Standard deviation of the log of ‖x‖."))
    )
    whole_norms: bool = setting(
        False, Switch(label=_("Equal norms, but not in each head"), hint=_("Equal before the heads are cut."))
    )
    residual: bool = setting(False, Switch(label=_("Residual"), hint=_("Keeps the words apart.")))
    positions: str = setting(
        "none", Choice({name: choices.POSITION_NAMES[name] for name in POSITIONS}, label=_("Positions"))
    )
    causal: bool = setting(
        False, Switch(label=_("Causal mask"), hint=_("Breaks symmetry and rank; only slows the collapse."))
    )
    qk_norm: bool = setting(
        False, Switch(label="QK-norm", hint=_("Mends the first claim; breaks another basis and scale."))
    )
    biases: str = setting("both", Choice(BIASES, label=_("Biases of tied matrices")))
    one_side: bool = setting(
        False,
        Switch(label=_("Change the queries' matrix alone"), hint=_("W_K keeps its basis, or its place beside W_Q.")),
    )
    frozen: bool = setting(
        False, Switch(label=_("Freeze the weights"), hint=_("Attention beside a full layer keeps those of before."))
    )

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if self.d_model > MAX_D_MODEL:
            raise ConfigError(
                "d_head",
                self.d_head,
                _(
                    "with {heads} heads at most {most} is allowed",
                    heads=self.num_heads,
                    most=MAX_D_MODEL // self.num_heads,
                ),
            )
        if self.positions == "rotary" and self.d_head % 2:
            raise ConfigError("d_head", self.d_head, _("rotary positions turn pairs, so an even number is allowed"))

    @property
    def d_model(self) -> int:
        """Size of a token's vector."""
        return self.num_heads * self.d_head

    @property
    def differ(self) -> bool:
        """Whether there are two different words; equal ones have equal outputs whatever the weights are."""
        return len(set(self.tokens)) > 1


def compared_sizes(config: ProjectionsConfig) -> list[int]:
    """Sizes of a head that are compared under these settings, ascending: its own among those that a page offers."""
    return sorted({config.d_head, *(size for size in D_HEADS if config.num_heads * size <= MAX_D_MODEL)})
