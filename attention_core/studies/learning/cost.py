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
class Work:
    """The sizes of a model and of its sequences that say how much work it is.

    Attributes:
        tokens: Tokens of a sequence.
        kinds: How many different tokens there are.
        d_model: Numbers of a token.
        heads: Heads of each layer.
        width: Numbers of all heads of a layer together.
        layers: Layers.
        feed_forward: Whether each has a feed-forward network.
        positions: How it is told where a token stands.
        is_double: Whether it computes in float64.
    """

    tokens: int
    kinds: int
    d_model: int
    heads: int
    width: int
    layers: int
    feed_forward: bool
    positions: str
    is_double: bool

    def step_seconds(self, batch: int) -> float:
        """About how long a step with so many sequences takes on one core.

        Backwards the matrix products take twice as many operations as forwards.
        """
        d, width, feeds, rotary = self.d_model, self.width, self.feed_forward, self.positions == "rotary"
        tokens = batch * self.tokens * self.layers
        flops = tokens * (8 * d * width + 4 * self.tokens * width + 16 * d**2 * feeds)
        flops += batch * self.tokens * 2 * d * self.kinds
        numbers = tokens * (d * (9 if feeds else 3) + 4 * width)
        weights = tokens * self.heads * self.tokens * (3 if self.positions == "alibi" else 1)
        sizes = 3 * flops * _FLOP + numbers * _NUMBER + weights * _WEIGHT + self._parameters * _PARAMETER
        sizes += tokens * width * _ROTATED * rotary
        calls = _STEP + self.layers * (_LAYER + _ROTARY_LAYER * rotary)
        return calls + sizes * (2 if self.is_double else 1)

    def run_bytes(self, batch: int, held_out: int) -> int:
        """About how many bytes a run holds at once.

        That is what a step keeps for its way back, or one layer's numbers for all held-out sequences, whichever is
        more; and each parameter with its gradient and two moments.
        """
        numbers = self.tokens * (self.d_model * (11 + 4 * self.feed_forward) + 4 * self.width)
        numbers += 3 * self.heads * self.tokens**2
        size = 8 if self.is_double else 4
        return size * (numbers * max(batch * self.layers, held_out) + 4 * self._parameters)

    @property
    def _parameters(self) -> int:
        d = self.d_model
        return self.layers * (4 * d * self.width + 8 * d**2 * self.feed_forward) + 2 * d * self.kinds
