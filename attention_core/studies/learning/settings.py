"""Settings of a training run: the task, the model and the optimizer, and what they may cost together."""

import math
from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring import choices
from attention_core.measuring.checks import ConfigError, check_choice
from attention_core.measuring.choices import PROJECTIONS as PROJECTIONS
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import AUTO, AutoSwitch, Choice, OneOf, Real, Switch, Whole, setting
from attention_core.modules.block import Placement, PostNorm, PreNorm, ResidualPostNorm
from attention_core.modules.positions import Learned, Position
from attention_core.studies.learning.cost import MAX_SECONDS, Work
from attention_core.studies.learning.tasks import ALPHABET, TASKS, Sizes, Task, periods

HELD_OUT: Final = 512
SUCCESS: Final = 0.95
MAX_MOMENTS: Final = 64
TEXT: Final = "text"
TASK_NAMES: Final = {
    "reverse": _("reverse the tokens"),
    "sort": _("sort the tokens"),
    "copy": _("copy an earlier token"),
    "induction": _("continue a repetition"),
    TEXT: _("your text"),
}
POSITIONS: Final = {
    "sinusoidal": _("sines and cosines"),
    "none": _("none"),
    "learned": _("learned"),
    "rotary": _("rotary (RoPE)"),
    "alibi": "ALiBi",
}
SCALES: Final = {"root": _("÷ √size"), "none": _("none")}
OPTIMIZERS: Final = {"adamw": "AdamW", "sgd": "SGD"}
RATES: Final = (0.0001, 0.0003, 0.001, 0.003, 0.005, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0, 100.0)
PROJECTION_NAMES: Final = {
    "full": _("three of their own"),
    "tied-kv": _("keys = values"),
    "tied-qk": _("queries = keys"),
}
PLACEMENTS: Final[dict[str, Placement]] = {"pre": PreNorm(), "post": PostNorm(), "residual": ResidualPostNorm()}
PLACEMENT_NAMES: Final = {
    "pre": _("before each part"),
    "post": _("after each sum"),
    "residual": _("after each part"),
}


def _asks_for_next(task: str) -> bool:
    """Whether what is asked for is the token that comes next."""
    return task == TEXT or TASKS[task].predicts_next


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningConfig(RunConfig):
    """What is learned, by which model, and how.

    Attributes:
        task: ``reverse`` the tokens, ``sort`` them, ``copy`` the token ``back`` slots earlier, or ``induction``:
            continue a sequence that repeats itself with an unknown period. ``text`` is for a ``TextConfig`` alone.
        tokens: Length of each input.
        kinds: How many different tokens there are, the first letters of the alphabet.
        back: How far back ``copy`` looks.
        layers: Transformer blocks on top of each other.
        heads: Attention heads of each.
        d_model: Size of a token's vector.
        d_head: Size of a head; 0 stands for ``d_model / heads``.
        positions: How order comes in: an id of ``POSITIONS``.
        causal: Whether each token sees only those up to itself. ``auto`` becomes what the task asks: a mask where the
            next token is to be predicted, which could be read without one.
        scale: Factor of the scores: ``root`` for 1/√d_head, or ``none``.
        biases: Whether the attention's four projections have biases.
        projections: Which projections are one: an id of ``PROJECTIONS``.
        placement: Where the norms stand: an id of ``PLACEMENTS``.
        feed_forward: Whether each block has a feed-forward network, ``4 · d_model`` wide.
        start: Factor on W_Q and W_K at the start; with 1 queries and keys start with components of variance 1.
        optimizer: ``adamw`` (Loshchilov & Hutter 2019, with torch's defaults) or ``sgd`` without momentum.
        learning_rate: Its learning rate, 0.0001 to 100.
        batch: Sequences in each step, all of them new.
        steps: Steps of the optimizer.
        dtype: ``float32`` or ``float64``: updates are lost to the rounding of half precision.

    Raises:
        ConfigError: If a setting is not possible, or all of them together take too long.
    """

    task: str = setting("reverse", Choice(TASK_NAMES, label=_("Task"), hint=_("What the model learns to answer.")))
    tokens: int = setting(
        12, Whole(2, 64, label=pgettext_lazy("how many", "Tokens"), hint=_("Length of each input."))
    )
    kinds: int = setting(10, Whole(2, len(ALPHABET), label=_("Kinds of tokens"), hint=_("Letters of the alphabet.")))
    back: int = setting(3, Whole(1, 63, label=_("How far back"), hint=_("Which token copying asks for.")))
    layers: int = setting(1, Whole(1, 6, label=_("Layers")))
    heads: int = setting(1, Whole(1, 8, label=pgettext_lazy("how many", "Heads")))
    d_model: int = setting(
        32,
        OneOf((2, 8, 16, 24, 32, 64, 128, 256), between=True, label=_("Width"), hint=_("Size of a token's vector.")),
    )
    d_head: int = setting(
        0,
        OneOf(
            (0, 8, 16, 32, 64, 256, 1024),
            between=True,
            shown=lambda size: f"{size:,}" if size else str(_("width ÷ heads")),
            label=_("Size of a head"),
        ),
    )
    positions: str = setting(
        "sinusoidal", Choice(POSITIONS, label=_("Positions"), hint=_("Without them only a mask tells the order."))
    )
    causal: bool = setting(
        AUTO,
        AutoSwitch(
            label=_("Causal mask"),
            hint=_("Each token sees only those up to itself: on where the next one is to be predicted."),
            decided=lambda values: _asks_for_next(values["task"]),
            auto=_("as the task asks"),
        ),
    )
    scale: str = setting("root", Choice(SCALES, label=_("Scale of the scores"), listed=False))
    biases: bool = setting(True, Switch(label=_("Biases"), hint=_("b_Q, b_K, b_V and b_O.")))
    projections: str = setting("full", Choice(PROJECTION_NAMES, label=_("Projections")))
    placement: str = setting("pre", Choice(PLACEMENT_NAMES, label=_("LayerNorm stands")))
    feed_forward: bool = setting(
        True, Switch(label=_("Feed-forward network"), hint=_("4 · d_model wide, in each block."))
    )
    start: float = setting(
        1.0,
        Real(
            0.0, 4.0, 0.25, label=_("Queries and keys start at"), hint=_("A factor; at 1 scaled scores spread by 1.")
        ),
    )
    optimizer: str = setting("adamw", Choice(OPTIMIZERS, label=_("Optimizer"), listed=False))
    learning_rate: float = setting(0.01, OneOf(RATES, between=True, shown="{:g}".format, label=_("Learning rate")))
    batch: int = setting(
        32, OneOf((1, 8, 16, 32, 64, 256), between=True, label=_("Batch"), hint=_("New sequences in each step."))
    )
    steps: int = setting(150, OneOf((1, 50, 150, 300, 600, 1500, 5000), between=True, label=_("Steps")))
    dtype: str = "float32"

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("dtype", self.dtype, ("float32", "float64"))
        self._check_task()
        if self.causal == AUTO:
            object.__setattr__(self, "causal", _asks_for_next(self.task))
        self._check_sizes()
        self._check_cost()

    def _check_task(self) -> None:
        if self.task == TEXT:
            allowed = _("on a text one model at a time is trained; several, or a map of them, on the other tasks")
            raise ConfigError("task", self.task, allowed)

    def _check_sizes(self) -> None:
        if not self.d_head and self.d_model % self.heads:
            allowed = _("a multiple of the {heads} heads is, or any with a size of a head given", heads=self.heads)
            raise ConfigError("d_model", self.d_model, allowed)
        if self.positions == "rotary" and self.head_size % 2:
            allowed = _("rotary positions turn pairs, so an even number is allowed")
            raise ConfigError("d_head", self.head_size, allowed)
        if self.task == "copy" and self.back >= self.tokens:
            allowed = _("with {tokens} tokens at most {most} is allowed", tokens=self.tokens, most=self.tokens - 1)
            raise ConfigError("back", self.back, allowed)
        if self.task == "induction":
            if self.tokens < 4:
                raise ConfigError("tokens", self.tokens, _("a sequence that repeats itself needs at least 4"))
            longest = periods(self.tokens)[-1]
            if self.kinds < longest:
                allowed = _("periods of up to {longest} different tokens need as many kinds", longest=longest)
                raise ConfigError("kinds", self.kinds, allowed)

    def _check_cost(self) -> None:
        if self.seconds <= MAX_SECONDS:
            return
        takes = _("{steps:,} steps of about {ms:.3g} ms", steps=self.steps, ms=1000 * self.step_seconds)
        if self.repeats > 1:
            takes = _("{runs} runs of {steps}", runs=self.repeats, steps=takes)
        most = int((MAX_SECONDS / self.repeats - self.held_out_seconds) / self.step_seconds)
        fewer = _("at most {most:,} steps, or smaller sizes", most=most) if most >= 1 else _("smaller sizes")
        allowed = _(
            "that is more than {seconds:g} seconds of one core; {fewer} will do", seconds=MAX_SECONDS, fewer=fewer
        )
        raise ConfigError("steps", takes, allowed)

    @property
    def head_size(self) -> int:
        """Size of a head: ``d_head``, or ``d_model / heads``."""
        return self.d_head or self.d_model // self.heads

    @property
    def score_scale(self) -> float:
        """The factor that ``scale`` names."""
        return 1.0 if self.scale == "none" else 1 / math.sqrt(self.head_size)

    @property
    def score_spread(self) -> float:
        """About how far the scores of a query spread at the start: their standard deviation.

        ``start² · √d_head · score_scale``, for queries and keys with components of variance ``start²``: scale-var.
        """
        return self.start**2 * math.sqrt(self.head_size) * self.score_scale

    @property
    def position(self) -> Position:
        """The module's choice that ``positions`` names."""
        return Learned(max_len=self.tokens) if self.positions == "learned" else choices.POSITIONS[self.positions]

    @property
    def task_rule(self) -> Task:
        """What the task asks for."""
        return TASKS[self.task]

    @property
    def sizes(self) -> Sizes:
        """What the task needs to know."""
        return Sizes(tokens=self.tokens, kinds=self.kinds, back=self.back, causal=self.causal)

    @property
    def predicts_next(self) -> bool:
        """Whether the model says of each token which one comes next, without having seen it."""
        return _asks_for_next(self.task) and self.causal

    @property
    def reads_ahead(self) -> bool:
        """Whether the next token is asked for and nothing hides it: then there is nothing to predict."""
        return _asks_for_next(self.task) and not self.causal

    @property
    def order_blind(self) -> bool:
        """Whether nothing tells the model the order of its tokens."""
        return self.positions == "none" and not self.causal

    @property
    def work(self) -> Work:
        """What says how much work it is."""
        return Work(
            tokens=self.tokens, kinds=self.kinds, d_model=self.d_model, heads=self.heads,
            width=self.heads * self.head_size, layers=self.layers, feed_forward=self.feed_forward,
            positions=self.positions, is_double=self.dtype == "float64",
        )  # fmt: skip

    @property
    def step_seconds(self) -> float:
        """About how long a step takes on one core, in seconds."""
        return self.work.step_seconds(self.batch)

    @property
    def held_out_seconds(self) -> float:
        """About how long the last measurement takes, in seconds: a forward pass, a third of a step."""
        return self.work.step_seconds(HELD_OUT) / 3

    @property
    def seconds(self) -> float:
        """About how long all of it takes on one core, in seconds."""
        return self.repeats * (self.steps * self.step_seconds + self.held_out_seconds)

    @property
    def working_bytes(self) -> int:
        """About how many bytes it holds at once while it is trained."""
        return self.work.run_bytes(self.batch, HELD_OUT)

    @property
    def repeats(self) -> int:
        """How many models are trained."""
        return 1

    @property
    def most_moments(self) -> int:
        """At how many moments of the run a note is taken, at most."""
        return MAX_MOMENTS
