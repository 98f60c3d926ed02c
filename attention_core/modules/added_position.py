"""Positions that are added to the tokens, as a module: fixed sines and cosines, or learned vectors."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.modules.masks import require_choice, require_positive
from attention_core.modules.positions import (
    Learned,
    Sinusoidal,
    require_positions,
    sinusoidal_encoding,
    sinusoidal_slots,
)


class AddedPosition(nn.Module):
    """Adds a vector for its position to each token: ``x + encoding[position]``.

    Vaswani et al. (2017), "Attention Is All You Need", section 3.5, for both kinds.

    Args:
        position: ``Sinusoidal`` or ``Learned``.
        d_model: Size of a token's vector.
        device: Where the learned vectors live.
        dtype: Their precision.

    Attributes:
        table: The learned vectors ``(max_len, d_model)``, drawn from N(0, 1) as in ``nn.Embedding``; None for
            ``Sinusoidal``.

    Raises:
        TypeError: If ``position`` is neither.
        ValueError: If ``max_len`` or ``d_model`` is not positive.
    """

    table: nn.Parameter | None

    def __init__(
        self,
        position: Sinusoidal | Learned,
        d_model: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_choice("position", position, (Sinusoidal, Learned))
        require_positive(d_model=d_model)
        self.position = position
        self.table = None
        if isinstance(position, Learned):
            require_positive(max_len=position.max_len)
            self.table = nn.Parameter(torch.empty(position.max_len, d_model, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the learned vectors anew from N(0, 1)."""
        if self.table is not None and not self.table.is_meta:  # to draw shapes alone torch would import its compiler
            nn.init.normal_(self.table)

    def extra_repr(self) -> str:
        """The kind of positions."""
        return repr(self.position)

    def forward(
        self, x: Float[Tensor, "batch tokens d_model"], positions: Int[Tensor, "..."] | None = None
    ) -> Float[Tensor, "batch tokens d_model"]:
        """``x`` with the vectors of its positions added.

        Args:
            x: Tokens.
            positions: ``(tokens,)`` or ``(batch, tokens)``; the slots 0, 1, 2, … when None.

        Raises:
            ValueError: If positions are not one for each token, or one lies outside the learned table; on an
                accelerator they are not looked at, which would wait for it, and it is torch that refuses them.
        """
        require_positions("positions", positions, *x.shape[:2])
        if isinstance(self.position, Sinusoidal):
            if positions is None:
                return x + sinusoidal_slots(x, base=self.position.base)
            return x + sinusoidal_encoding(positions, x.shape[2], base=self.position.base, dtype=x.dtype)
        assert self.table is not None
        if positions is None:
            if not torch.compiler.is_compiling() and x.shape[1] > len(self.table):
                raise ValueError(_refusal(0, x.shape[1] - 1, len(self.table)))
            return x + self.table[: x.shape[1]]
        if positions.is_floating_point():
            raise ValueError(f"positions have dtype {positions.dtype}: Learned positions are whole numbers.")
        _require_known(positions, len(self.table))
        return x + F.embedding(positions, self.table)

    def add_to_each(
        self, query: Tensor, key: Tensor, value: Tensor, query_positions: Tensor | None, key_positions: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Positions added to a module's three inputs; inputs that were one tensor are one tensor afterwards."""
        placed_query = self(query, query_positions)
        same = key is query and key_positions is query_positions
        placed_key = placed_query if same else self(key, key_positions)
        return placed_query, placed_key, placed_key if value is key else self(value, key_positions)


def _require_known(positions: Tensor, max_len: int) -> None:
    if torch.compiler.is_compiling() or not positions.is_cpu or not positions.numel():
        return
    try:
        lowest, highest = (int(end) for end in positions.aminmax())
    except RuntimeError:  # under vmap and in a fake tensor there is no number to look at
        return
    if lowest < 0 or highest >= max_len:
        raise ValueError(_refusal(lowest, highest, max_len))


def _refusal(lowest: int, highest: int, max_len: int) -> str:
    return f"positions from {lowest} to {highest} do not fit: Learned(max_len={max_len}) knows 0 to {max_len - 1}."
