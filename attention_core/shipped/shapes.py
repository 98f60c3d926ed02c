"""Grey pictures of 16 × 16 pixels with a shape, drawn by a seed: what the models of pictures are trained on."""

import math
from collections.abc import Mapping
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy

SIZE: Final = 16  # pixels along a side
GREYS: Final = 16  # kinds of grey: 0 is paper, 15 ink
SHAPES: Final[Mapping[str, str]] = {
    "disc": _("disc"),
    "ring": _("ring"),
    "square": pgettext_lazy("shape", "square"),
    "cross": _("cross"),
    "triangle": _("triangle"),
    "stripes": _("stripes"),
}
_RADIUS: Final = (3.6, 6.0)  # pixels from the middle of a shape to its border
_STROKE: Final = 0.34  # of the radius: half of what a line of a cross or a ring is broad
_PERIOD: Final = (3.0, 5.0)  # pixels from a stripe to the next
_INK: Final = (0.65, 1.0)
MOST_NOISE: Final = 0.3  # standard deviation of what training adds to a pixel


def shapes(kinds: Int[Tensor, " batch"], draw: Generator) -> Float[Tensor, "batch 16 16"]:
    """A picture of each kind, from 0 for paper to 1, without noise: its place, size and ink are drawn.

    Borders are as smooth as pixels allow: a pixel has the share of the ink that lies in it, about.

    Args:
        kinds: Which of ``SHAPES`` each shows, by its place there.
        draw: What decides all else.
    """
    places = torch.rand((5, len(kinds), 1, 1), generator=draw, dtype=torch.float64)
    radius = _between(_RADIUS, places[0])
    inside = SIZE - 1 - 2 * radius  # so that all of it is in the picture
    across, down = radius + inside * places[1], radius + inside * places[2]
    at = torch.arange(SIZE, dtype=torch.float64)
    x, y = at[None, None, :] - across, at[None, :, None] - down
    far = torch.hypot(x, y)
    broad = torch.clamp(_STROKE * radius, min=1.0)
    box = torch.maximum(x.abs(), y.abs())
    bars = torch.maximum(broad - torch.minimum(x.abs(), y.abs()), -radius.expand_as(box))
    slanted = 0.5 * (radius + y) - math.sqrt(0.75) * x.abs()  # the two sides of a triangle that meet above
    angle, period = math.pi * places[3], _between(_PERIOD, places[1])
    waves = torch.sin(2 * math.pi * ((x * angle.cos() + y * angle.sin()) / period + places[2])) * period / 3
    depths = torch.stack(
        (
            radius - far,
            broad - (far - radius + broad).abs(),
            0.85 * radius - box,
            torch.minimum(bars, radius - box),
            torch.minimum(slanted, 0.5 * radius - y),
            waves.expand_as(box),
        )
    )
    depth = depths[kinds, torch.arange(len(kinds))]  # pixels from the border, inwards
    return (depth + 0.5).clamp(0, 1) * _between(_INK, places[4])


def noisy(pictures: Float[Tensor, "batch 16 16"], noise: Tensor | float, draw: Generator) -> Tensor:
    """The pictures with noise of this standard deviation, cut off at paper and ink, in ``GREYS`` kinds of grey."""
    added = torch.randn(pictures.shape, generator=draw, dtype=torch.float64) * noise
    return ((pictures + added).clamp(0, 1) * (GREYS - 1)).round() / (GREYS - 1)


def batch(count: int, draw: Generator) -> tuple[Float[Tensor, "batch 16 16"], Int[Tensor, " batch"]]:
    """So many pictures of all kinds, with noise of 0 to ``MOST_NOISE``, and of which kind each is."""
    kinds = torch.randint(len(SHAPES), (count,), generator=draw)
    noise = MOST_NOISE * torch.rand((count, 1, 1), generator=draw, dtype=torch.float64)
    return noisy(shapes(kinds, draw), noise, draw), kinds


def _between(ends: tuple[float, float], at: Tensor) -> Tensor:
    return ends[0] + (ends[1] - ends[0]) * at
