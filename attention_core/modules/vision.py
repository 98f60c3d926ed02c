"""A vision transformer: patches of a picture and a token that collects, through an encoder, to scores of classes."""

from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.modules.masks import require_positive
from attention_core.modules.patches import PatchEmbedding, SinusoidalGrid, grid_encoding
from attention_core.modules.positions import Learned, NoPosition
from attention_core.modules.stack import Encoder
from attention_core.modules.traced import StackTrace

Collect = Literal["token", "mean"]


class VisionTransformer(nn.Module):
    """Grey pictures in, a score for each class out: Dosovitskiy et al. (2021), section 3.1.

    The token that collects stands before the patches: a learned vector, whose last state the classes are read from.
    Without positions, and without masks, patches in another order give the same scores.

    Args:
        size: Pixels along a side of a picture.
        side: Pixels along a side of a patch.
        classes: Number of classes.
        d_model: Size of a token's vector.
        num_heads: Heads of each attention.
        num_layers: Layers of the encoder.
        d_ff: Width of its feed-forward networks.
        position: ``NoPosition()``; ``Learned(size)``, one vector for each token, the collecting one among them; or
            ``SinusoidalGrid()``.
        device: Where the parameters live.
        dtype: Their precision.

    Raises:
        TypeError, ValueError: If a size is not positive, ``side`` does not divide ``size``, there are not as many
            learned positions as tokens, or as :class:`Encoder`.
    """

    def __init__(
        self,
        *,
        size: int,
        side: int,
        classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        position: NoPosition | Learned | SinusoidalGrid,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(size=size, classes=classes)
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        self.embedding = PatchEmbedding(side, d_model, **made)
        if size % side:
            raise ValueError(f"pictures of {size} × {size} pixels cannot be cut into patches of {side} × {side}.")
        self.size, self.grid = size, size // side
        if isinstance(position, Learned) and position.max_len != self.grid**2 + 1:
            raise ValueError(
                f"position = {position} does not fit: {self.grid**2} patches and the token that collects have "
                f"{self.grid**2 + 1} places."
            )
        self.position = position
        self.collecting_table = nn.Parameter(torch.empty(1, d_model, **made))
        self.stack = Encoder(
            d_model, num_heads, num_layers, final_norm=True, d_ff=d_ff,
            position=NoPosition() if isinstance(position, SinusoidalGrid) else position, **made,
        )  # fmt: skip
        self.head = nn.Linear(d_model, classes, **made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vector of the token that collects from N(0, 1)."""
        if not self.collecting_table.is_meta:
            nn.init.normal_(self.collecting_table)

    def tokens(self, pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch tokens d_model"]:
        """What the encoder is given: the token that collects, and the patches row by row.

        Args:
            pictures: Grey pictures.

        Raises:
            ValueError: If they are of another size.
        """
        if pictures.shape[1:] != (self.size, self.size):
            raise ValueError(
                f"pictures have shape {tuple(pictures.shape)}: (batch, {self.size}, {self.size}) is needed."
            )
        patches = self.embedding(pictures)
        if isinstance(self.position, SinusoidalGrid):
            exact = torch.promote_types(patches.dtype, torch.float32)
            places = grid_encoding(self.grid, self.grid, patches.shape[2], base=self.position.base, dtype=exact)
            patches = patches + places.to(patches)
        return torch.cat((self.collecting_table.expand(len(pictures), 1, -1), patches), dim=1)

    def forward(
        self,
        pictures: Float[Tensor, "batch height width"],
        *,
        attn_mask: Tensor | None = None,
        collect: Collect = "token",
    ) -> Float[Tensor, "batch classes"]:
        """The score of each class.

        Args:
            pictures: Grey pictures.
            attn_mask: Which token may look at which, as in :meth:`MultiHeadAttention.forward`.
            collect: Where the answer is read: at the ``token`` that collects, or from the ``mean`` of the patches.
        """
        return self.scores(self.stack(self.tokens(pictures), attn_mask=attn_mask), collect)

    def scores(self, states: Float[Tensor, "batch tokens d_model"], collect: Collect = "token") -> Tensor:
        """The score of each class, read from the last states of the tokens."""
        return self.head(states[:, 0] if collect == "token" else states[:, 1:].mean(1))

    def trace(self, pictures: Float[Tensor, "batch height width"], *, attn_mask: Tensor | None = None) -> StackTrace:
        """What ``forward`` computes in the encoder, with every intermediate of each layer's attention."""
        return self.stack.trace(self.tokens(pictures), attn_mask=attn_mask)
