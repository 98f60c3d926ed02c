"""Settings of the complexity experiment: the sizes whose cost is counted, and what is timed."""

from dataclasses import dataclass
from typing import Final

from attention_core.experiments.config import ConfigError, RunConfig, check_bool, check_choice, check_int

TOKENS: Final = tuple(2**i for i in range(4, 13))  # 16 … 4096: the columns of the map
WIDTHS: Final = tuple(2**i for i in range(4, 11))  # 16 … 1024: its rows
HEADS: Final = (1, 2, 4, 8, 16, 32)
SWEEPS: Final = ("n", "d_model", "shares")

# The fused kernel is counted while it runs on the device itself: below a second on one slow core.
MAX_FUSED_FLOPS: Final = 2**33
# Scores and weights that a timed trace keeps at once; longer texts are timed on the fused kernel alone.
MAX_TRACE_BYTES: Final = 2**28


def check_sizes(d_model: object, num_heads: object) -> None:
    """Raise ``ConfigError`` unless a model of this width can be cut into this many heads."""
    check_int("d_model", d_model, 1, WIDTHS[-1])
    check_int("num_heads", num_heads, 1, HEADS[-1])
    if d_model % num_heads:  # type: ignore[operator]
        raise ConfigError("num_heads", num_heads, f"a divisor of d_model = {d_model} is allowed")


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
        output_projection: Whether there is W_O.
        mixed: Cut into heads by reshaping alone, without swapping heads and tokens: a common mistake.

    Raises:
        ConfigError: If a setting, or what they cost together, is not possible.
    """

    num_queries: int = 256
    num_keys: int = 256
    d_model: int = 128
    num_heads: int = 8
    fused: bool = False
    large_heads: bool = False
    output_projection: bool = True
    mixed: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("num_queries", self.num_queries, 1, TOKENS[-1])
        check_int("num_keys", self.num_keys, 1, TOKENS[-1])
        check_sizes(self.d_model, self.num_heads)
        for name in ("fused", "large_heads", "output_projection", "mixed"):
            check_bool(name, getattr(self, name))
        if self.fused and self.flops > MAX_FUSED_FLOPS:
            allowed = f"the fused kernel is counted as it runs, with up to {MAX_FUSED_FLOPS:,} FLOPs"
            raise ConfigError("fused", f"{self.flops:,} FLOPs", allowed)

    @property
    def d_head(self) -> int:
        """Size of a head."""
        return self.d_model // self.num_heads * (2 if self.large_heads else 1)

    @property
    def width(self) -> int:
        """Size of all heads together; ``d_model`` unless they are large."""
        return self.num_heads * self.d_head

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
    """What is timed: self-attention of one text, over its length, over the width of the model, or part by part.

    Attributes:
        sweep: ``n``: lengths 16 … 4096 at ``d_model``; ``d_model``: widths up to 1024 at ``num_tokens``; ``shares``:
            projections and core apart, over both.
        num_tokens: Length of the text where the sweep leaves it, 1 … 4096.
        d_model: Width where the sweep leaves it, 1 … 1024.
        num_heads: Heads, 1 … 32; a divisor of ``d_model``. In a sweep over widths, those it divides are timed.
        seconds: All the time there is, 2 … 20: sizes that would not fit into it are left out.

    Raises:
        ConfigError: If a setting is not possible.
    """

    sweep: str = "n"
    num_tokens: int = 256
    d_model: int = 128
    num_heads: int = 8
    seconds: int = 4

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_choice("sweep", self.sweep, SWEEPS)
        check_int("num_tokens", self.num_tokens, 1, TOKENS[-1])
        check_sizes(self.d_model, self.num_heads)
        check_int("seconds", self.seconds, 2, 20)
