"""What a design computes, in float64: one function for all of them, which keeps what designs share."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention_core.identify.design import Design
from attention_core.identify.masks import HUGE, visible
from attention_core.identify.rotations import turned
from attention_core.modules.positions import alibi_slopes, sinusoidal_encoding

KEPT = 8000  # tensors of each probe
# What queries and keys depend on beside where they come from, what scores do, and what weights do.
SIDE = ("layout", "stored", "added", "cut", "groups", "qk_norm", "rotary", "around", "attended")
RAW = (*SIDE, "scores", "q_bias", "k_bias", "v_bias")
WEIGHTS = (*RAW, "values", "scale", "distance", "mask", "softmax")


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of an attention."""

    d_model: int
    num_heads: int
    num_kv_heads: int
    d_head: int

    @property
    def width(self) -> int:
        """Coordinates of all heads together."""
        return self.num_heads * self.d_head


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm that was found beside the matrices.

    Attributes:
        centred: Whether it takes the mean away, as LayerNorm does and RMSNorm does not.
        eps: What it adds to the variance; None for the least of the precision, as ``nn.RMSNorm`` has it.
    """

    centred: bool
    eps: float | None


@dataclass(slots=True)
class Reference:
    """All designs on one input: what two of them share is computed once.

    Attributes:
        x: The tokens.
        sizes: The sizes.
        weights: For each layout and orientation the numbers of each part (:class:`.weights.Weights`).
        norms: The norms, by the parts they belong to.
        allowed: A mask that was given with the tokens, True where a key may be seen; None without.
    """

    x: Float[Tensor, "batch tokens d_model"]
    sizes: Sizes
    weights: dict[tuple[str, str], dict[str, Tensor]]
    norms: dict[str, Norm] = field(default_factory=dict)
    allowed: Tensor | None = None
    _kept: dict[Any, Tensor] = field(default_factory=dict)

    def output(self, design: Design) -> Float[Tensor, "batch tokens d_output"]:
        """What the design gives."""
        flipped = design.attended == "batch"
        out = self._projected(design)
        parts = self._parts(design)
        x = self.x.transpose(0, 1) if flipped else self.x
        if design.around in ("residual", "pre_residual", "post_residual"):
            out = out + x
        if design.around in ("post", "post_residual"):
            out = _normed(out, parts, "norm", self.norms)
        return out.transpose(0, 1) if flipped else out

    def weights_of(self, design: Design) -> Float[Tensor, "batch heads q_len kv_len"]:
        """The attention weights of the design."""
        return self._keep(design, WEIGHTS, self._weights)

    def raw(self, design: Design) -> Float[Tensor, "batch heads q_len kv_len"]:
        """Queries times keys, before their scale."""
        return self._keep(design, RAW, self._raw)

    def _parts(self, design: Design) -> dict[str, Tensor]:
        return self.weights[design.layout, design.stored]

    def _keep(self, design: Design, fields: tuple[str, ...], make: Callable[[Design], Tensor]) -> Tensor:
        key = (make.__name__, *[getattr(design, name) for name in fields])
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) > KEPT:
                self._kept.clear()
            found = self._kept[key] = make(design)
        return found

    def _tokens(self, design: Design) -> Tensor:
        """The tokens with their positions, normalised where that comes first."""
        x = self.x.transpose(0, 1) if design.attended == "batch" else self.x
        parts, tokens = self._parts(design), x.shape[1]
        if design.around in ("pre", "pre_residual"):
            x = _normed(x, parts, "norm", self.norms)
        if design.added == "learned":
            return x + parts["positions"][:tokens]
        if design.added != "none":
            start = int(design.added == "sinusoidal_from_1")
            table = sinusoidal_encoding(torch.arange(start, start + tokens), x.shape[-1], dtype=x.dtype)
            if design.added == "sines_then_cosines":
                table = torch.cat((table[:, 0::2], table[:, 1::2]), dim=-1)
            x = x + table
        return x

    def _flat(self, design: Design, matrix: str, bias: str) -> Tensor:
        """Tokens times a matrix, plus its bias."""
        parts = self._parts(design)
        x = self._keep(design, ("layout", "stored", "added", "around", "attended"), self._tokens)
        return F.linear(x, parts[matrix], parts.get(bias)) if matrix in parts else x

    def _side(self, design: Design, side: int) -> Tensor:
        """Queries (0) or keys (1), cut into heads, normalised and turned, one for each head of queries."""
        role = design.scores[side]
        used = getattr(design, f"{role}_bias") == "added"
        key = ("side", side, role, used, *[getattr(design, name) for name in SIDE])
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._made_side(design, side, role, used)
        return found

    def _made_side(self, design: Design, side: int, role: str, used: bool) -> Tensor:
        name, sizes = "qk"[side], self.sizes
        flat = self._flat(design, role, f"{role}_bias" if used else "")
        rotary, _, number = design.rotary.partition(":")
        alone = rotary.startswith("queries_")
        rotary = "none" if alone and side else rotary.removeprefix("queries_")
        if design.qk_norm.endswith("of_all"):
            flat = _normed(flat, self._parts(design), f"{name}_norm", self.norms)
        if rotary.startswith("uncut_"):
            flat = turned(flat, rotary.removeprefix("uncut_"), number)
        heads = _cut(flat, design.cut, flat.shape[-1] // sizes.d_head)
        if design.qk_norm in ("rms", "layer", "rms_plus_one"):
            more = float(design.qk_norm == "rms_plus_one")
            heads = _normed(heads, self._parts(design), f"{name}_norm", self.norms, more)
        if design.qk_norm == "unit":
            heads = F.normalize(heads, dim=-1)
        if rotary != "none" and not rotary.startswith("uncut_"):
            heads = turned(heads, rotary, number)
        if design.qk_norm == "rms_after":
            heads = _normed(heads, self._parts(design), f"{name}_norm", self.norms)
        return self._for_each(heads, design.groups)

    def _values(self, design: Design) -> Tensor:
        used = getattr(design, f"{design.values}_bias") == "added"
        flat = self._flat(design, design.values, f"{design.values}_bias" if used else "")
        parts = self._parts(design)
        if design.output == "before":
            flat = F.linear(flat, parts["o"], parts.get("o_bias") if design.o_bias == "added" else None)
        heads = _cut(flat, design.cut, flat.shape[-1] // self.sizes.d_head)
        if design.turned_values != "no":
            kind, _, number = design.turned_values.partition(":")
            heads = turned(heads, kind, number)
        return self._for_each(heads, design.groups)

    def _for_each(self, heads: Tensor, groups: str) -> Tensor:
        each = self.sizes.num_heads // heads.shape[1]
        if each == 1:
            return heads
        return heads.repeat(1, each, 1, 1) if groups == "tiled" else heads.repeat_interleave(each, dim=1)

    def _raw(self, design: Design) -> Tensor:
        return self._side(design, 0) @ self._side(design, 1).transpose(-1, -2)

    def _weights(self, design: Design) -> Tensor:
        scores = self.raw(design)
        scores = scores * factor(design.scale, self.sizes, scores.shape[-1])
        q_len, kv_len = scores.shape[-2:]
        if design.distance != "none":
            apart = torch.arange(q_len)[:, None] - torch.arange(kv_len)
            apart = apart if design.distance == "signed" else apart.abs()
            apart = -apart if design.distance == "wrong_sign" else apart
            slopes = torch.tensor(alibi_slopes(self.sizes.num_heads), dtype=scores.dtype)
            scores = scores - slopes[:, None, None] * apart
        kind, _, number = design.mask.partition(":")
        seen = visible(kind, number, q_len, kv_len) if self.allowed is None or kind == "none" else self.allowed
        if seen is None:
            return self._softmax(scores, design)
        if kind == "added_ones":
            return self._softmax(scores + seen.to(scores.dtype), design)
        if kind == "after":
            return self._softmax(scores, design) * seen
        fill = float(number) if kind == "filled" else -math.inf if kind.endswith(("_nan", "_zero")) else HUGE
        weights = self._softmax(scores.masked_fill(~seen, fill), design)
        return weights.nan_to_num(0.0) if kind.endswith("_zero") else weights

    def _softmax(self, scores: Tensor, design: Design) -> Tensor:
        match design.softmax:
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
            case "plus_one":
                return F.pad(scores, (0, 1)).softmax(-1)[..., :-1]
            case "sink":
                sink = self._parts(design)["sink"].view(-1, 1, 1).expand(*scores.shape[:-1], 1)
                return torch.cat((scores, sink), dim=-1).softmax(-1)[..., :-1]
            case "sigmoid":
                return scores.sigmoid()
            case "nothing":
                return scores.nan_to_num(neginf=0.0).masked_fill(scores <= HUGE, 0.0)
            case "scaled_after":
                return scores.softmax(-1) / math.sqrt(self.sizes.d_head)
            case _:
                return scores.softmax(-1)

    def _heads(self, design: Design) -> Tensor:
        """Weights times values, of each head."""
        fields = ("layout", "stored", "values", "q_bias", "k_bias", "v_bias", "o_bias", "output", "added", "cut",
                  "turned_values", "groups", "around", "attended")  # fmt: skip
        weights = self.weights_of(design)
        weights = weights.transpose(-1, -2) if design.direction == "columns" else weights
        return weights @ self._keep(design, fields, self._values)

    def _context(self, design: Design) -> Tensor:
        """Weights times values, merged."""
        fields = (*WEIGHTS, "v_bias", "o_bias", "output", "turned_values", "direction")
        context = self._keep(design, fields, self._heads)
        batch, heads, tokens, d_head = context.shape
        if design.merge == "view":
            return context.reshape(batch, tokens, heads * d_head)
        order = (0, 2, 3, 1) if design.merge == "every_hth" else (0, 2, 1, 3)
        return context.permute(order).reshape(batch, tokens, heads * d_head)

    def _projected(self, design: Design) -> Tensor:
        merged, parts = self._context(design), self._parts(design)
        if "o" not in parts or design.output != "projected":
            return merged
        return F.linear(merged, parts["o"], parts.get("o_bias") if design.o_bias == "added" else None)


def factor(scale: str, sizes: Sizes, tokens: int) -> float:
    """What scores are multiplied by."""
    name, _, number = scale.partition(":")
    if name == "own":
        return float(number)
    return {
        "d_head": sizes.d_head**-0.5,
        "d_model": sizes.d_model**-0.5,
        "twice": 1 / sizes.d_head,
        "none": 1.0,
        "times": sizes.d_head**0.5,
        "one_side": sizes.d_head**-0.25,
        "tokens": tokens**-0.5,
        "heads": sizes.num_heads**-0.5,
    }[name]


def _cut(flat: Tensor, how: str, heads: int) -> Tensor:
    """Cut each token's vector into heads: (batch, heads, tokens, d_head)."""
    batch, tokens, width = flat.shape
    d_head = width // heads
    if how == "view":
        return flat.reshape(batch, heads, tokens, d_head)
    if how == "every_hth":
        return flat.view(batch, tokens, d_head, heads).permute(0, 3, 1, 2)
    return flat.view(batch, tokens, heads, d_head).transpose(1, 2)


def _normed(x: Tensor, parts: dict[str, Tensor], name: str, norms: dict[str, Norm], more: float = 0.0) -> Tensor:
    norm = norms.get(name, Norm(centred=False, eps=1e-6))
    x = x - x.mean(-1, keepdim=True) if norm.centred else x
    eps = torch.finfo(x.dtype).eps if norm.eps is None else norm.eps
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    if name in parts:
        x = x * (parts[name] + more)
    return x + parts[f"{name}_bias"] if f"{name}_bias" in parts else x
