"""Attention as students and repositories write it, each with a fault that was reported in public; in fifteen
styles."""

import math
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ViewForTranspose(nn.Module):
    """One fused matrix; heads are cut by a view alone."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = (part.reshape(b, self.h, t, d // self.h) for part in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.proj(y.transpose(1, 2).reshape(b, t, d))


class WrongAxis(nn.Module):
    """einsum with tokens before heads: softmax(dim=1) then runs over queries."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        size = d_model // num_heads
        self.wq, self.wk, self.wv = (nn.Parameter(torch.randn(d_model, num_heads, size)) for _ in range(3))
        self.wo = nn.Parameter(torch.randn(num_heads, size, d_model))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (torch.einsum("btd,dhe->bthe", x, w) for w in (self.wq, self.wk, self.wv))
        w = torch.einsum("bihe,bjhe->bijh", q, k).div(math.sqrt(q.shape[-1])).softmax(dim=1)
        return torch.einsum("bijh,bjhe,hed->bid", w, v, self.wo)


class ImplicitAxis(nn.Module):
    """Loops over heads, each a module; the axis is that of the batch."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()

        class Head(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.key, self.query, self.value = (
                    nn.Linear(d_model, d_model // num_heads, bias=False) for _ in range(3)
                )

            def forward(self, x: Tensor) -> Tensor:
                k, q = self.key(x), self.query(x)
                return F.softmax(q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5, dim=0) @ self.value(x)

        self.heads = nn.ModuleList(Head() for _ in range(num_heads))
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(torch.cat([head(x) for head in self.heads], dim=-1))


class WholeWidth(nn.Module):
    """Four clones in a list; scaled by the width of all heads, causal."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.d_model, self.h = d_model, num_heads
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.register_buffer("mask", torch.tril(torch.ones(64, 64)))

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        n = query.size(0)
        query, key, value = (
            lin(x).view(n, -1, self.h, self.d_model // self.h).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value), strict=False)
        )
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_model)
        t = scores.size(-1)
        p = scores.masked_fill(self.mask[:t, :t] == 0, -1e9).softmax(dim=-1)
        x = torch.matmul(p, value).transpose(1, 2).contiguous().view(n, -1, self.d_model)
        return self.linears[-1](x), p


class LateMask(nn.Module):
    """Hidden weights are set to 0 after softmax."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.n_head = num_heads
        self.c_attn, self.c_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.size()
        q, k, v = self.c_attn(x).split(c, dim=2)
        k, q, v = (one.view(b, t, self.n_head, c // self.n_head).transpose(1, 2) for one in (k, q, v))
        att = F.softmax((q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1))), dim=-1)
        att = att * torch.tril(torch.ones(t, t, dtype=torch.bool))
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(b, t, c))


class SmallNumber(nn.Module):
    """1e-9 where -1e9 was meant."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.h = num_heads
        self.to_q, self.to_kv = nn.Linear(d_model, d_model, bias=False), nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_out = nn.Sequential(nn.Linear(d_model, d_model), nn.Dropout(0.1))

    def forward(self, x: Tensor) -> Tensor:
        q, (k, v) = self.to_q(x), self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (torch.stack(one.chunk(self.h, dim=-1), dim=1) for one in (q, k, v))
        sim = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        i, j = torch.triu_indices(x.shape[1], x.shape[1], 1)
        sim[..., i, j] = 1e-9
        out = torch.einsum("bhij,bhjd->bhid", sim.softmax(-1), v)
        return self.to_out(torch.cat(out.unbind(1), dim=-1))


class Inverted(nn.Module):
    """True and False of the causal mask are taken for each other."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.dense = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h = num_heads

    def forward(self, hidden_states: Tensor) -> dict[str, Tensor]:
        b, t, d = hidden_states.shape
        shape = (b, t, self.h, d // self.h)
        q, k, v = (
            layer(hidden_states).view(shape).permute(0, 2, 1, 3) for layer in (self.query, self.key, self.value)
        )
        hidden = torch.ones(t, t).tril(-1) == 1
        context = F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden)
        return {"last_hidden_state": self.dense(context.permute(0, 2, 1, 3).flatten(2))}


class MergedByView(nn.Module):
    """No transpose before the heads are merged; entries of the batch in a loop."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Parameter(torch.rand(d_model, d_model)) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        outs = []
        for one in x:
            t = len(one)
            q, k, v = (
                (one @ w).view(t, self.num_heads, self.d_k).transpose(0, 1) for w in (self.W_q, self.W_k, self.W_v)
            )
            a = torch.softmax(torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_k), dim=2)
            outs.append(torch.bmm(a, v).reshape(t, self.num_heads * self.d_k) @ self.W_o)
        return torch.stack(outs)


class KeyForValue(nn.Module):
    """A line copied: values are projected by the keys' layer."""

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.q_lin, self.k_lin, self.v_lin, self.out_lin = (nn.Linear(embed_dim, embed_dim) for _ in range(4))
        self.n_heads = num_heads

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor]:
        def shape(x: Tensor) -> Tensor:
            return x.view(x.shape[0], -1, self.n_heads, x.shape[-1] // self.n_heads).transpose(1, 2)

        q, k, v = shape(self.q_lin(query)), shape(self.k_lin(key)), shape(self.k_lin(value))
        scores = q / math.sqrt(q.shape[-1]) @ k.transpose(2, 3)
        if mask is not None:
            scores = scores.masked_fill((mask == 0).view(mask.shape[0], 1, 1, -1), -torch.inf)
        weights = torch.softmax(scores, dim=-1)
        return (self.out_lin((weights @ v).transpose(1, 2).reshape(query.shape)),)


class NeverUsed(nn.Module):
    """The output's layer is made and not used."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.proj = nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in ("query", "key", "value", "out")})
        self.h = num_heads

    def forward(self, x: Tensor) -> Tensor:
        heads = []
        q, k, v = (self.proj[name](x) for name in ("query", "key", "value"))
        d = q.shape[-1] // self.h
        for n in range(self.h):
            part = slice(n * d, (n + 1) * d)
            s = torch.baddbmm(torch.zeros(1, 1, 1), q[..., part], k[..., part].mT, beta=0, alpha=d**-0.5)
            heads.append(s.softmax(-1) @ v[..., part])
        return torch.cat(heads, -1)


class TwoConventions(nn.Module):
    """Rotary positions: angles laid out for neighbours, pairs for halves."""

    def __init__(self, dim: int, n_heads: int) -> None:
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.n, self.d = n_heads, dim // n_heads

    def rotate(self, x: Tensor) -> Tensor:
        freq = 1.0 / 10000 ** (torch.arange(0, self.d, 2).double() / self.d)
        theta = torch.outer(torch.arange(x.shape[2]).double(), freq).repeat_interleave(2, dim=-1)
        a, b = x.chunk(2, -1)
        return x * theta.cos() + torch.cat((-b, a), -1) * theta.sin()

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (w(x).unflatten(-1, (self.n, self.d)).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        y = F.scaled_dot_product_attention(self.rotate(q), self.rotate(k), v, is_causal=True)
        return self.wo(y.transpose(1, 2).flatten(-2))


class ValuesTurned(nn.Module):
    """Rotary positions as complex numbers, on values as well."""

    def __init__(self, dim: int, n_heads: int) -> None:
        super().__init__()
        self.wqkv, self.wo = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.n, self.d = n_heads, dim // n_heads

    def forward(self, x: Tensor) -> Tensor:
        b, t, dim = x.shape
        qkv = self.wqkv(x).view(b, t, 3, self.n, self.d).permute(2, 0, 3, 1, 4)
        angle = torch.arange(t)[:, None] * 10000.0 ** (-torch.arange(0, self.d, 2) / self.d)
        turn = torch.polar(torch.ones_like(angle), angle)
        pairs = torch.view_as_complex(qkv.unflatten(-1, (-1, 2)).contiguous()) * turn
        q, k, v = torch.view_as_real(pairs).flatten(-2)
        y = (q @ k.mT / math.sqrt(self.d)).softmax(-1) @ v
        return self.wo(y.permute(0, 2, 1, 3).reshape(b, t, dim))


class Tiled(nn.Module):
    """Grouped keys: repeat where repeat_interleave belongs."""

    def __init__(self, dim: int, n_heads: int) -> None:
        super().__init__()
        self.n, self.d = n_heads, dim // n_heads
        self.q_proj, self.o_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.k_proj, self.v_proj = nn.Linear(dim, dim // 2), nn.Linear(dim, dim // 2)

    def forward(self, x: Tensor) -> Any:
        q, k, v = (
            layer(x).unflatten(-1, (-1, self.d)).transpose(1, 2) for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        k, v = (one.repeat(1, 2, 1, 1) for one in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return SimpleNamespace(output=self.o_proj(y.transpose(1, 2).flatten(-2)))


class ScaledTwice(nn.Module):
    """Queries are scaled, and torch's kernel scales once more; layers called a to d."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h = num_heads

    def forward(self, x: Tensor) -> Tensor:
        split = lambda y: y.unflatten(2, (self.h, -1)).movedim(2, 1)  # noqa: E731 - as it is written in public
        q, k, v = map(split, (self.a(x), self.b(x), self.c(x)))
        out = F.scaled_dot_product_attention(q * q.shape[-1] ** -0.5, k, v)
        return self.d(out.movedim(1, 2).flatten(2))


class BatchForTokens(nn.Module):
    """torch's own module without batch_first, given (batch, tokens, d_model)."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(d_model, num_heads)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x)[0]


class DropoutOn(nn.Module):
    """F.dropout without the switch that says whether it trains."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.h = num_heads

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (layer(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for layer in (self.q, self.k, self.v))
        w = F.dropout((q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1), 0.1)
        return self.o((w @ v).transpose(1, 2).flatten(-2))


REPORTED = {
    ViewForTranspose: {("cut", "view")},
    WrongAxis: {("softmax", "queries")},
    ImplicitAxis: {("softmax", "batch")},
    WholeWidth: {("scale", "d_model")},
    LateMask: {("mask", "after")},
    SmallNumber: {("mask", "filled:1e-09")},
    Inverted: {("mask", "future")},
    MergedByView: {("merge", "view")},
    KeyForValue: {("values", "k")},
    NeverUsed: {("output", "left_out")},
    TwoConventions: {("rotary", "mixed_halves")},
    ValuesTurned: {("turned_values", "neighbours:10000")},
    Tiled: {("groups", "tiled")},
    ScaledTwice: {("scale", "twice")},
    BatchForTokens: {("attended", "batch")},
    DropoutOn: {("", "")},
}  # fmt: skip
