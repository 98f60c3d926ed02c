"""Convolutions beside the transformer: a small network that reads the same pictures, and how far its layers see."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.inputs import draw
from attention_core.shipped.shapes import SHAPES, SIZE
from attention_core.studies.images.settings import ImagesConfig

CHANNELS: Final = 8
FARTHEST: Final = SIZE - 1  # pixels from a corner to the one across, by columns or by rows


class Convolutions(NamedTuple):
    """Two layers of 3 × 3 with ReLU, the mean over all pixels, and a score for each class."""

    first: Tensor
    second: Tensor
    head: Tensor

    def __call__(self, pictures: Tensor) -> Tensor:
        """The scores (batch, classes) of pictures (batch, 16, 16)."""
        wide = F.conv2d(pictures[:, None], self.first, padding=1).relu()
        wide = F.conv2d(wide, self.second, padding=1).relu()
        return F.linear(wide.mean((2, 3)), self.head)

    def tolerance(self, pictures: Tensor) -> float:
        """Largest difference of two scores that rounding explains: sums of 9, 72, 256 and 8 terms on each other."""
        exact = Convolutions(*(on_cpu(each).abs() for each in self))
        scale = float(exact(on_cpu(pictures).abs()).max())
        terms = 9 * (1 + CHANNELS) + SIZE**2 + CHANNELS
        return sum_tolerance(
            pictures.dtype, scale=scale, terms=terms, rounded=4.0
        )  # half an eps each way, each layer


def convolutions(config: ImagesConfig) -> Convolutions:
    """The network with random weights, in the settings' precision."""
    shapes = {"first": (CHANNELS, 1, 3, 3), "second": (CHANNELS, CHANNELS, 3, 3), "head": (len(SHAPES), CHANNELS)}
    fans = {"first": 9, "second": 9 * CHANNELS, "head": CHANNELS}
    drawn = {
        name: draw(shape, config.seed, "convolution", name) / fans[name] ** 0.5 for name, shape in shapes.items()
    }
    return Convolutions(**{name: each.to(config.torch_device, config.torch_dtype) for name, each in drawn.items()})


@cache
def pixels_seen(device: torch.device, dtype: torch.dtype) -> np.ndarray:
    """How many pixels a corner of the picture depends on after 1, 2, … layers of 3 × 3, by autograd (layers,).

    What a layer sends back is counted and not multiplied on, so that no product gets too small for the precision.
    """
    kernel = torch.ones((1, 1, 3, 3), device=device, dtype=dtype)
    reached = torch.zeros((1, 1, SIZE, SIZE), device=device, dtype=dtype)
    reached[..., 0, 0] = 1.0
    counts = []
    for _ in range(FARTHEST):
        below = torch.zeros_like(reached, requires_grad=True)
        reached = (pull_back(F.conv2d(below, kernel, padding=1), below, reached)[0] != 0).to(dtype)
        counts.append(int(reached.sum()))
    return np.array(counts)
