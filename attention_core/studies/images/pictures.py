"""The picture that is looked at, as it is and with its patches elsewhere or covered."""

from collections.abc import Sequence
from random import Random

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from attention_core.measuring.inputs import generator
from attention_core.shipped.shapes import GREYS, SHAPES, SIZE, noisy, shapes
from attention_core.shipped.vision import GRID, PATCHES, SIDE
from attention_core.studies.images.settings import OWN, ImagesConfig


def picture_of(config: ImagesConfig) -> Float[Tensor, "16 16"]:
    """The picture before anything is changed about it, from 0 for paper to 1, in float64."""
    if config.picture == OWN:
        return torch.tensor([int(each, 16) for each in config.pixels], dtype=torch.float64).view(SIZE, SIZE) / (
            GREYS - 1
        )
    draw = generator(config.seed, "picture", config.picture)
    if config.picture == "noise":
        return noisy(torch.rand((1, SIZE, SIZE), generator=draw, dtype=torch.float64), 0.0, draw)[0]
    drawn = shapes(torch.tensor(_kinds(config, draw)), draw)
    return noisy(drawn.amax(0, keepdim=True), config.noise, draw)[0]


def _kinds(config: ImagesConfig, draw: Generator) -> list[int]:
    """Which shapes there are: of two neither has stripes, which fill the picture."""
    if config.picture == "two":
        return torch.randperm(len(SHAPES) - 1, generator=draw)[:2].tolist()
    return [list(SHAPES).index(config.picture)]


def order_of(config: ImagesConfig) -> Sequence[int]:
    """Which patch stands at each place of the shuffle: none stays where it is."""
    draw, places = Random(config.seed), range(PATCHES)
    while True:
        order = draw.sample(places, PATCHES)
        if all(at != place for at, place in zip(order, places, strict=True)):
            return order


def cut(picture: Float[Tensor, "16 16"]) -> Float[Tensor, "patches side side"]:
    """The patches, row by row."""
    return picture.view(GRID, SIDE, GRID, SIDE).transpose(1, 2).reshape(PATCHES, SIDE, SIDE)


def joined(patches: Float[Tensor, "patches side side"]) -> Float[Tensor, "16 16"]:
    """The picture of these patches."""
    return patches.view(GRID, GRID, SIDE, SIDE).transpose(1, 2).reshape(SIZE, SIZE)


def shuffled(config: ImagesConfig, picture: Tensor) -> Tensor:
    """The picture with its patches in the order of ``order_of``."""
    return joined(cut(picture)[list(order_of(config))])


def covered(picture: Tensor, patch: int) -> Tensor:
    """The picture with paper in the place of a patch, counted from 0."""
    patches = cut(picture).clone()
    patches[patch] = 0.0
    return joined(patches)


def all_covered(picture: Tensor) -> Float[Tensor, "patches 16 16"]:
    """The picture as often as it has patches, each time with another one covered."""
    return torch.stack([covered(picture, patch) for patch in range(PATCHES)])


def shown_picture(config: ImagesConfig) -> tuple[Tensor, Tensor]:
    """The picture with its patches where the settings have them, and the same with one covered, if one is."""
    picture = picture_of(config)
    placed = shuffled(config, picture) if config.shuffled else picture
    return placed, covered(placed, config.covered - 1) if config.covered else placed


def is_blank(config: ImagesConfig) -> bool:
    """Whether the picture is paper alone: then nothing can move."""
    return not bool(picture_of(config).any())


def stays(config: ImagesConfig) -> bool:
    """Whether the shuffle leaves every pixel as it is."""
    picture = picture_of(config)
    return bool((shuffled(config, picture) == picture).all())


def digits_of(picture: Tensor | np.ndarray) -> str:
    """The picture as a setting holds one's own: a digit from 0, paper, to f, ink, for each pixel."""
    greys = torch.tensor(np.asarray(picture), dtype=torch.float64).clamp(0, 1) * (GREYS - 1)
    return "".join(f"{int(grey):x}" for grey in greys.round().flatten().tolist())
