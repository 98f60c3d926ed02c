"""Pictures as tokens: a patch of pixels becomes a vector, and its place two sinusoids."""

from dataclasses import dataclass
from math import sqrt

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.masks import require_positive
from attention_core.modules.positions import sinusoidal_encoding


@dataclass(frozen=True, slots=True)
class SinusoidalGrid:
    """Fixed sines and cosines of the row in one half of a token, of the column in the other: :func:`grid_encoding`.

    Chen et al. (2021), "An Empirical Study of Training Self-Supervised Vision Transformers", section 4.

    Attributes:
        base: The longest wavelength is ``2π · base`` patches.
    """

    base: float = 10000.0


def grid_encoding(
    rows: int, columns: int, d_model: int, *, base: float = 10000.0, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "patches d_model"]:
    """The encoding of each place of a grid, row by row: that of its row, and behind it that of its column.

    Args:
        rows: Rows of the grid.
        columns: Columns of the grid.
        d_model: Length of the encoding; the column has the smaller half of an odd one.
        base: As in :func:`sinusoidal_encoding`.
        dtype: Precision of the result.

    Raises:
        ValueError: If a size is not positive, or ``d_model`` below 2.
    """
    require_positive(rows=rows, columns=columns)
    if d_model < 2:
        raise ValueError(f"d_model = {d_model} is not possible: rows and columns need a number each, so 2 or more.")
    of_column = d_model // 2
    down = sinusoidal_encoding(torch.arange(rows), d_model - of_column, base=base, dtype=dtype)
    across = sinusoidal_encoding(torch.arange(columns), of_column, base=base, dtype=dtype)
    return torch.cat((down.repeat_interleave(columns, 0), across.repeat(rows, 1)), dim=-1)


def to_patches(pictures: Float[Tensor, "batch height width"], side: int) -> Float[Tensor, "batch patches pixels"]:
    """Squares of ``side × side`` pixels, row by row, the pixels of each row by row as well.

    Args:
        pictures: Grey pictures.
        side: Pixels along a side of a patch.

    Raises:
        ValueError: If ``side`` is not positive, or does not divide both sides of the pictures.
    """
    require_positive(side=side)
    _, height, width = pictures.shape
    if height % side or width % side:
        raise ValueError(f"pictures of {height} × {width} pixels cannot be cut into patches of {side} × {side}.")
    return pictures.unflatten(2, (-1, side)).unflatten(1, (-1, side)).transpose(2, 3).flatten(3).flatten(1, 2)


class PatchEmbedding(nn.Module):
    """One linear map of the pixels of each patch: ``W · pixels + b``.

    It is a convolution whose kernel is as large as its stride. Dosovitskiy et al. (2021), "An Image is Worth 16x16
    Words", section 3.1.

    Args:
        side: Pixels along a side of a patch.
        d_model: Size of a token's vector.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        ValueError: If a size is not positive.
    """

    def __init__(
        self,
        side: int,
        d_model: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(side=side, d_model=d_model)
        self.side = side
        self.weight = nn.Parameter(torch.empty(d_model, side**2, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(d_model, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights from N(0, 1/pixels), and have no bias."""
        if not self.weight.is_meta:
            nn.init.normal_(self.weight, std=1 / sqrt(self.weight.shape[1]))
            nn.init.zeros_(self.bias)

    def forward(self, pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch patches d_model"]:
        """A vector for each patch, row by row."""
        return F.linear(to_patches(pictures, self.side), self.weight, self.bias)

    @property
    def kernel(self) -> Float[Tensor, "d_model 1 side side"]:
        """The same weights as the kernel of a convolution."""
        return self.weight.view(-1, 1, self.side, self.side)
