"""The projections experiment's settings, and what theory says of its claims under each of them."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring import choices
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Real, Switch, Words, setting
from attention_core.measuring.vacuous import no_other_output

TOPICS: Final = {
    "identity": _("identity or random"),
    "tied": _("tied matrices"),
    "gauge": _("another basis (gauge freedom)"),
    "rank": _("low rank"),
    "collapse": _("rank collapse"),
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


def breaks(config: ProjectionsConfig, claim: str) -> str:
    """What makes ``claim`` fail under these settings, in words; empty where theory says that it holds.

    Args:
        config: The settings.
        claim: ``qk-tied``, ``qkv-tied``, ``keys are values``, ``gauge``, ``scale-absorb``, ``low-rank`` or
            ``rank-collapse``.
    """
    one_side = config.biases == "one" and _("only one of the two tied sides has a bias")
    masked = config.causal and len(config.tokens) > 1
    turned = config.positions == "rotary" and len(config.tokens) > 1
    one_sided_scores = config.biases == "one" and (config.differ or turned)
    reasons: dict[str, str | bool] = {
        "qkv-tied": one_side,
        "keys are values": one_side
        or (turned and _("rotary positions turn keys, not values"))
        or (config.qk_norm and _("QK-norm rescales keys, not values")),
        "qk-tied": (masked and _("the causal mask hides one of each pair"))
        or (one_sided_scores and _("only the queries have a bias")),
        "gauge": config.differ and _gauge_breaks(config),
        "scale-absorb": config.qk_norm and config.differ and _("QK-norm takes any factor out of W_Q again"),
        "low-rank": (masked and _("the causal mask adds −∞, which no product of narrow matrices holds"))
        or (
            config.positions == "alibi"
            and len(config.tokens) > config.d_head
            and _("ALiBi adds a matrix of full rank")
        ),
        "rank-collapse": config.residual
        and config.differ
        and _("the residual carries every token past the attention"),
    }
    reason = reasons[claim]
    return reason if isinstance(reason, str) else ""


def vacuous(config: ProjectionsConfig, claim: str) -> str:
    """Where nothing breaks ``claim``, why nothing could under these settings, in words; empty where something could.

    Args:
        config: The settings.
        claim: ``qkv-none``, ``qk-tied``, ``scale-absorb`` or ``rank-collapse``.
    """
    if config.differ:
        return ""
    match claim:
        case "qk-tied" if config.positions == "rotary" and len(config.tokens) > 1:
            return ""
        case "qk-tied" if len(config.tokens) == 1:
            return _("there is one word, and no other that could look back at it")
        case "qk-tied" if config.positions == "alibi":
            return _("all words are equal, so a score tells only how far two slots are apart, the same both ways")
        case "qk-tied":
            return _("all words are equal, and so are the scores of all pairs")
        case "scale-absorb":
            return no_other_output(config.tokens)
        case _:
            return _("there are no two different words")


def _gauge_breaks(config: ProjectionsConfig) -> str:
    if config.qk_norm:
        return _("QK-norm depends on the basis of a head")
    if config.positions == "rotary":
        return _("rotary positions turn fixed pairs of coordinates")
    return _("ALiBi tells the heads apart") if config.positions == "alibi" and config.num_heads > 1 else ""
