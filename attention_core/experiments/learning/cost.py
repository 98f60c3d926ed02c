"""About how long a training step takes on one core, so that a run can be refused before it starts.

The budget is one of work, which a link may ask of a server, so it is the same on every device: seconds of one core.
How long an accelerator takes is not known before it has run.
"""

from dataclasses import dataclass
from typing import Final

MAX_SECONDS: Final = 20.0
# Seconds, fitted to 70 settings on one core of a server; nine in ten lie within 40 % of what it took.
_STEP, _LAYER, _ROTARY_LAYER = 6e-4, 3e-4, 3e-4  # calls, whatever the sizes
_FLOP, _NUMBER, _WEIGHT, _ROTATED, _PARAMETER = 8.2e-12, 2.8e-9, 4.8e-9, 1.6e-8, 4.6e-9  # each, in float32


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCost:
    """The sizes that a step's time depends on.

    Attributes:
        batch: Sequences.
        tokens: Length of each.
        kinds: Scores for each token.
        layers: Blocks.
        heads: Heads of each.
        head_size: Size of a head.
        d_model: Size of a token's vector.
        feed_forward: Whether each block has a feed-forward network.
        positions: How order comes in.
        double: Whether numbers are float64.
    """

    batch: int
    tokens: int
    kinds: int
    layers: int
    heads: int
    head_size: int
    d_model: int
    feed_forward: bool
    positions: str
    double: bool

    @property
    def flops(self) -> int:
        """Of all matrix products forwards; backwards they are twice as many."""
        d, width = self.d_model, self.heads * self.head_size
        layer = 8 * d * width + 4 * self.tokens * width + 16 * d**2 * self.feed_forward
        return self.batch * self.tokens * (self.layers * layer + 2 * d * self.kinds)

    @property
    def parameters(self) -> int:
        """About how many parameters there are."""
        d, width = self.d_model, self.heads * self.head_size
        return self.layers * (4 * d * width + 8 * d**2 * self.feed_forward) + 2 * d * self.kinds

    @property
    def seconds(self) -> float:
        """About how long a step takes."""
        rotary, width = self.positions == "rotary", self.heads * self.head_size
        tokens = self.batch * self.tokens * self.layers
        numbers = tokens * (self.d_model * (9 if self.feed_forward else 3) + 4 * width)
        weights = tokens * self.heads * self.tokens * (3 if self.positions == "alibi" else 1)
        sizes = 3 * self.flops * _FLOP + numbers * _NUMBER + weights * _WEIGHT + self.parameters * _PARAMETER
        sizes += tokens * width * _ROTATED * rotary
        calls = _STEP + self.layers * (_LAYER + _ROTARY_LAYER * rotary)
        return calls + sizes * (2 if self.double else 1)
