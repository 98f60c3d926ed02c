"""About how long a training step takes on one core, so that a run can be refused before it starts.

The budget is one of work, which a link may ask of a server, so it is the same on every device: seconds of one core.
How long an accelerator takes is not known before it has run.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from attention_core.studies.learning.settings import LearningConfig

MAX_SECONDS: Final = 20.0
# Seconds, fitted to 70 settings on one core of a server; nine in ten lie within 40 % of what it took.
_STEP, _LAYER, _ROTARY_LAYER = 6e-4, 3e-4, 3e-4  # calls, whatever the sizes
_FLOP, _NUMBER, _WEIGHT, _ROTATED, _PARAMETER = 8.2e-12, 2.8e-9, 4.8e-9, 1.6e-8, 4.6e-9  # each, in float32


def step_seconds(config: "LearningConfig", batch: int) -> float:
    """About how long a step with so many sequences takes on one core.

    Backwards the matrix products take twice as many operations as forwards.
    """
    d, width, rotary = config.d_model, config.heads * config.head_size, config.positions == "rotary"
    feeds, kinds, tokens = config.feed_forward, config.kinds, batch * config.tokens * config.layers
    flops = tokens * (8 * d * width + 4 * config.tokens * width + 16 * d**2 * feeds)
    flops += batch * config.tokens * 2 * d * kinds
    parameters = config.layers * (4 * d * width + 8 * d**2 * feeds) + 2 * d * kinds
    numbers = tokens * (d * (9 if feeds else 3) + 4 * width)
    weights = tokens * config.heads * config.tokens * (3 if config.positions == "alibi" else 1)
    sizes = 3 * flops * _FLOP + numbers * _NUMBER + weights * _WEIGHT + parameters * _PARAMETER
    sizes += tokens * width * _ROTATED * rotary
    calls = _STEP + config.layers * (_LAYER + _ROTARY_LAYER * rotary)
    return calls + sizes * (2 if config.dtype == "float64" else 1)


def run_bytes(config: "LearningConfig", held_out: int) -> int:
    """About how many bytes a run holds at once.

    That is what a step keeps for its way back, or one layer's numbers for all held-out sequences, whichever is more;
    and each parameter with its gradient and two moments.
    """
    d, width = config.d_model, config.heads * config.head_size
    numbers = config.tokens * (d * (11 + 4 * config.feed_forward) + 4 * width)
    numbers += 3 * config.heads * config.tokens**2
    parameters = config.layers * (4 * d * width + 8 * d**2 * config.feed_forward) + 2 * d * config.kinds
    size = 8 if config.dtype == "float64" else 4
    return size * (numbers * max(config.batch * config.layers, held_out) + 4 * parameters)
