"""Settings of the complexity experiment: the sizes whose cost is counted, and what is timed."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.clock import SECONDS
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, OneOf, Switch, setting

TOKENS: Final = tuple(2**i for i in range(4, 13))  # 16 … 4096: the columns of the map
WIDTHS: Final = tuple(2**i for i in range(4, 11))  # 16 … 1024: its rows
HEADS: Final = (1, 2, 4, 8, 16, 32)
SWEEPS: Final = {
    "n": _("over n"),
    "d_model": _("over the width"),
    "heads": _("over heads"),
    "shares": _("each part"),
}

LONGEST: Final = 64  # tokens: the residual of the heads does not wait for the size that is counted
# The fused kernel is counted while it runs on the device itself: below a second on one slow core.
MAX_FUSED_FLOPS: Final = 2**33
# Scores and weights that a timed trace keeps at once; longer texts are timed on the fused kernel alone.
MAX_TRACE_BYTES: Final = 2**28


def check_divides(d_model: int, num_heads: int) -> None:
    """Raise ``ConfigError`` unless a model of this width can be cut into this many heads."""
    if d_model % num_heads:
        allowed = _("a divisor of the width {size} is allowed", size=d_model)
        raise ConfigError("num_heads", num_heads, allowed)


def read_cell(row: int, column: int) -> dict[str, int]:
    """The sizes that a cell of the map stands for: ``d_model``, ``num_queries`` and ``num_keys``."""
    return {"d_model": WIDTHS[row], "num_queries": TOKENS[column], "num_keys": TOKENS[column]}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComplexityConfig(RunConfig):
    """One attention layer on one text, without biases: adding them costs what no counter counts.

    The claims take ``d_head = d_model / num_heads`` and a W_O for granted, and count the explicit computation; the
    switches take that away. Counting needs shapes only, so nothing of the size of the text is allocated, but with
    ``fused``, where the kernel runs.

    Attributes:
        num_queries: n_t, 1 … 4096.
        num_keys: n_s, 1 … 4096.
        d_model: Size of a token's vector, 1 … 1024.
        num_heads: Number of heads, 1 … 32; a divisor of ``d_model``.
        fused: Count ``forward``, which runs torch's fused kernel, on the device itself, instead of ``trace``.
        large_heads: Heads of 2 · d_model / num_heads.
        no_output: Leave W_O out.
        no_transpose: Cut into heads by reshaping alone, without swapping heads and tokens: a common mistake.

    Raises:
        ConfigError: If a setting, or what they cost together, is not possible.
    """

    num_queries: int = setting(256, OneOf((1, *TOKENS), between=True, label=_("Queries")))
    num_keys: int = setting(256, OneOf((1, *TOKENS), between=True, label=pgettext_lazy("how many", "Keys")))
    d_model: int = setting(128, OneOf((1, *WIDTHS), between=True, label=_("Width")))
    num_heads: int = setting(8, OneOf(HEADS, between=True, label=_("Heads, h")))
    fused: bool = setting(
        False, Switch(label=_("Count the fused kernel"), hint=_("torch's counter sees nothing of it on a CPU."))
    )
    no_output: bool = setting(
        False, Switch(label=_("Without the output matrix"), hint=_("Three projections instead of four."))
    )
    large_heads: bool = setting(
        False, Switch(label=_("Heads twice as large"), hint=_("Then h · d_head is not d_model."), link="large")
    )
    no_transpose: bool = setting(False, Switch(label=_("Reshape, no swap"), hint=_("A mistake: heads mix tokens.")))

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_divides(self.d_model, self.num_heads)
        if self.fused and self.flops > MAX_FUSED_FLOPS:
            allowed = _("the fused kernel is counted as it runs, with up to {most:,} FLOPs", most=MAX_FUSED_FLOPS)
            raise ConfigError("fused", f"{self.flops:,} FLOPs", allowed)

    @property
    def output_projection(self) -> bool:
        """Whether there is W_O."""
        return not self.no_output

    @property
    def d_head(self) -> int:
        """Size of a head."""
        return self.d_model // self.num_heads * (2 if self.large_heads else 1)

    @property
    def width(self) -> int:
        """Size of all heads together; ``d_model`` unless they are large."""
        return self.num_heads * self.d_head

    @property
    def compared(self) -> tuple[int, int]:
        """Queries and keys on which all heads at once are compared with one at a time."""
        return min(self.num_queries, LONGEST), min(self.num_keys, LONGEST)

    @property
    def core_flops(self) -> int:
        """FLOPs of q·kᵀ and weights·v, by their formula: ``4 n_t n_s width``."""
        return 4 * self.num_queries * self.num_keys * self.width

    @property
    def projection_flops(self) -> int:
        """FLOPs of the projections, by their formula: ``2 n_t d width`` for W_Q and for W_O, ``4 n_s d width``."""
        rows = self.num_queries * (2 if self.output_projection else 1) + 2 * self.num_keys
        return 2 * rows * self.d_model * self.width

    @property
    def flops(self) -> int:
        """FLOPs of all matrix products, by their formula."""
        return self.projection_flops + self.core_flops


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesConfig(RunConfig):
    """What is timed: self-attention of one text, over its length, the model's width, the heads, or part by part.

    Attributes:
        sweep: ``n``: lengths 16 … 4096 at ``d_model``; ``d_model``: widths up to 1024 at ``num_tokens``; ``heads``:
            heads 1 … 32 that divide ``d_model``; ``shares``: projections and core apart, over n and d_model.
        num_tokens: Length of the text where the sweep leaves it, 1 … 4096.
        d_model: Width where the sweep leaves it, 1 … 1024.
        num_heads: Heads, 1 … 32; a divisor of ``d_model``. In a sweep over widths, those it divides are timed.
        seconds: All the time there is, 2 … 20: sizes that would not fit into it are left out.

    Raises:
        ConfigError: If a setting is not possible.
    """

    sweep: str = setting("n", Choice(SWEEPS, label=_("Measure the time")))
    num_tokens: int = setting(256, OneOf((1, *TOKENS), between=True, label=_("Tokens, n")))
    d_model: int = setting(128, OneOf((1, *WIDTHS), between=True, label=_("Width")))
    num_heads: int = setting(8, OneOf(HEADS, between=True, label=_("Heads, h")))
    seconds: int = setting(4, SECONDS)

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_divides(self.d_model, self.num_heads)

    @property
    def working_bytes(self) -> int:
        """The most that it may hold at once; beside nothing else that takes long, times are truer too."""
        return MAX_TRACE_BYTES
