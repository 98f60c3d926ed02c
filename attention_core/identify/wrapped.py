"""A callable of queries, keys and values alone, with projections before it, so that it can be asked as a module
is.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.identify.draws import tokens


class _Projected(nn.Module):
    def __init__(self, function: Callable[..., Any], d_model: int, num_heads: int, *, cut: bool) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_model, bias=False, dtype=torch.float64) for _ in range(3))
        self.function, self.num_heads, self.cut = function, num_heads, cut

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.q(x), self.k(x), self.v(x)
        if self.cut:
            q, k, v = (each.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for each in (q, k, v))
        out = self.function(q, k, v)
        out = out[0] if isinstance(out, tuple) else out
        return out.transpose(1, 2).flatten(2) if self.cut else out


def wrapped(function: Callable[..., Any], d_model: int, num_heads: int) -> nn.Module | None:
    """The callable with projections: of heads (batch, heads, tokens, d_head) if it takes them, else of tokens.

    Returns:
        None where it takes no queries, keys and values.
    """
    x = tokens(2, 3, d_model, 0)
    for cut in (True, False):
        made = _Projected(function, d_model, num_heads, cut=cut)
        try:
            fits = made(x).shape == x.shape
        except Exception:  # noqa: BLE001 - it takes something else
            continue
        if fits:
            return made
    return None
