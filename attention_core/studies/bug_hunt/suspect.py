"""An attention of each design, as somebody would write it: nothing of the package's own computes here."""

import math
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.identify.design import Design
from attention_core.studies.bug_hunt.settings import D_MODEL, NUM_HEADS

HIDDEN: Final = -1e9  # no score is near it, so softmax makes 0 of it


class Suspect(nn.Module):
    """Causal attention of some design.

    Args:
        design: What it does otherwise than the paper: one choice, and what its line has in common.
        d_head: Size of a head.
    """

    def __init__(self, design: Design, d_head: int) -> None:
        super().__init__()
        self.design, self.d_head = design, d_head
        self.q, self.k, self.v = (nn.Linear(D_MODEL, NUM_HEADS * d_head, dtype=torch.float64) for _ in range(3))
        self.o = nn.Linear(NUM_HEADS * d_head, D_MODEL, dtype=torch.float64)

    def forward(self, x: Float[Tensor, "batch tokens d_model"]) -> Float[Tensor, "batch tokens d_output"]:
        """The output of each token."""
        design, weights = self.design, self.weights(x)
        context = (weights.mT if design.direction == "columns" else weights) @ self._cut(self._flat(design.values, x))
        batch, heads, tokens, d_head = context.shape
        if design.merge != "view":
            context = context.transpose(1, 2)
        merged = context.reshape(batch, tokens, heads * d_head)
        return merged if design.output == "left_out" else self.o(merged)

    def weights(self, x: Float[Tensor, "batch tokens d_model"]) -> Float[Tensor, "batch heads q_len kv_len"]:
        """How much each token looks at each other one."""
        scores = self.scores(x)
        tokens = scores.shape[-1]
        queries, keys = torch.arange(tokens)[:, None], torch.arange(tokens)
        name, _, number = self.design.mask.partition(":")
        seen = keys >= queries if name == "future" else keys <= queries
        match name:
            case "after":
                return self._softmax(scores) * seen
            case "added_ones":
                return self._softmax(scores + seen)
            case "filled":
                return self._softmax(scores.where(seen, float(number)))
            case "window":
                seen = seen & (keys > queries - int(number))
        return self._softmax(scores.where(seen, HIDDEN))

    def scores(self, x: Float[Tensor, "batch tokens d_model"]) -> Float[Tensor, "batch heads q_len kv_len"]:
        """Queries times keys, scaled, before the mask."""
        design = self.design
        q, k = (self._cut(self._flat(role, x)) for role in design.scores)
        kind = design.rotary.partition(":")[0]
        if kind != "none":
            q = turned(q, kind.removeprefix("queries_"))
            k = k if kind.startswith("queries_") else turned(k, kind)
        if design.qk_norm == "unit":
            q, k = (one / one.norm(dim=-1, keepdim=True) for one in (q, k))
        scales = {
            "d_head": self.d_head**-0.5, "d_model": D_MODEL**-0.5, "twice": 1 / self.d_head, "none": 1.0,
            "times": self.d_head**0.5,
        }  # fmt: skip
        scores = q @ k.mT * scales[design.scale]
        if design.distance == "none":
            return scores
        at = torch.arange(x.shape[1])
        slopes = 2.0 ** (-8 * torch.arange(1, NUM_HEADS + 1, dtype=x.dtype) / NUM_HEADS)
        away = slopes[:, None, None] * (at[:, None] - at).abs()
        return scores + away if design.distance == "wrong_sign" else scores - away

    def _flat(self, role: str, x: Tensor) -> Tensor:
        """Tokens times the matrix of a role, and its bias unless that is left out."""
        layer = getattr(self, role)
        return x @ layer.weight.T if getattr(self.design, f"{role}_bias") == "left_out" else layer(x)

    def _cut(self, z: Tensor) -> Tensor:
        """Cut into heads: (batch, heads, tokens, d_head)."""
        batch, tokens, _ = z.shape
        if self.design.cut == "view":
            return z.reshape(batch, NUM_HEADS, tokens, self.d_head)
        return z.view(batch, tokens, NUM_HEADS, self.d_head).transpose(1, 2)

    def _softmax(self, scores: Tensor) -> Tensor:
        match self.design.softmax:
            case "queries":
                return scores.softmax(-2)
            case "heads":
                return scores.softmax(1)
            case "batch":
                return scores.softmax(0)
            case "all":
                return scores.flatten(-2).softmax(-1).view_as(scores)
            case "double":
                return scores.softmax(-1).softmax(-1)
            case "nothing":
                return scores.where(scores > HIDDEN / 2, 0.0)
            case "scaled_after":
                return scores.softmax(-1) / math.sqrt(self.d_head)
            case "plus_one":
                return scores.exp() / (1 + scores.exp().sum(-1, keepdim=True))
            case "sigmoid":
                return scores.sigmoid()
        return scores.softmax(-1)


def turned(z: Tensor, kind: str) -> Tensor:
    """Rotary positions: ``halves`` pairs a number with the one half a head further, ``neighbours`` with the next."""
    d_head = z.shape[-1]
    angles = torch.arange(z.shape[-2])[:, None] * 10000.0 ** -(torch.arange(0, d_head, 2, dtype=z.dtype) / d_head)
    if kind == "neighbours":
        even, odd = z[..., 0::2], z[..., 1::2]
        pairs = even * angles.cos() - odd * angles.sin(), odd * angles.cos() + even * angles.sin()
        return torch.stack(pairs, dim=-1).flatten(-2)
    doubled = angles.repeat_interleave(2, dim=-1) if kind == "mixed_halves" else torch.cat((angles, angles), dim=-1)
    first, second = z.chunk(2, dim=-1)
    return z * doubled.cos() + torch.cat((-second, first), dim=-1) * doubled.sin()
