"""Attention with every fault on request, written out entry by entry, head by head: nothing of the package is in
it."""

import math

import torch
from torch import Tensor, nn


def angles_of(position: int, size: int, base: float) -> list[float]:
    return [position / base ** (2 * pair / size) for pair in range(size // 2)]


def turn(vector: Tensor, position: int, kind: str, number: str) -> Tensor:
    """One vector of one token, turned pair by pair."""
    size = len(vector)
    if kind.startswith("part_"):
        first = int(float(number) * size)
        return torch.cat((turn(vector[:first], position, kind[5:], ""), vector[first:]))
    angles = angles_of(-position if kind.startswith("back_") else position, size, float(number or 10000))
    made = vector.clone()
    for pair in range(size // 2):
        a, b = (pair, pair + size // 2) if kind.endswith("halves") else (2 * pair, 2 * pair + 1)
        if not kind.startswith("mixed_"):
            at_a = at_b = angles[pair]
        elif kind.endswith("halves"):  # angles laid out for neighbours
            at_a, at_b = angles[a // 2], angles[b // 2]
        else:  # angles laid out for halves
            at_a, at_b = angles[a % (size // 2)], angles[b % (size // 2)]
        made[a] = vector[a] * math.cos(at_a) - vector[b] * math.sin(at_a)
        made[b] = vector[b] * math.cos(at_b) + vector[a] * math.sin(at_b)
    return made


def turn_all(x: Tensor, kind: str, number: str) -> Tensor:
    """(batch, tokens, n)."""
    return torch.stack([torch.stack([turn(row, at, kind, number) for at, row in enumerate(entry)]) for entry in x])


class Plain(nn.Module):
    """Choices by the names that the package has for them; what is not given is as in the paper."""

    def __init__(
        self, d_model: int, heads: int, *, kv_heads: int | None = None, bias: bool = True, **choices: str
    ) -> None:
        super().__init__()
        self.h, self.d = heads, d_model // heads
        self.kv = kv_heads or heads
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj, self.v_proj = (nn.Linear(d_model, self.kv * self.d, bias=bias) for _ in range(2))
        self.o_proj = nn.Linear(d_model, d_model, bias=bias)
        self.c = choices
        norm = choices.get("qk_norm", "none")
        if norm in ("rms", "layer", "rms_plus_one", "rms_after", "rms_of_all", "layer_of_all"):
            kind = nn.LayerNorm if norm.startswith("layer") else nn.RMSNorm
            sizes = (d_model, self.kv * self.d) if norm.endswith("_of_all") else (self.d, self.d)
            self.q_norm, self.k_norm = (kind(size, eps=1e-6) for size in sizes)
        if choices.get("around", "none") not in ("none", "residual"):
            self.norm = nn.LayerNorm(d_model)
        if choices.get("softmax") == "sink":
            self.sinks = nn.Parameter(torch.zeros(heads))
        if choices.get("added") == "learned":
            self.pos_embedding = nn.Embedding(10, d_model)

    def get(self, name: str, default: str) -> str:
        return self.c.get(name, default).partition(":")[0]

    def number(self, name: str) -> str:
        return self.c.get(name, "").partition(":")[2]

    def linear(self, role: str, x: Tensor) -> Tensor:
        layer = getattr(self, f"{role}_proj")
        y = torch.einsum("btd,od->bto", x, layer.weight)
        used = self.get(f"{role}_bias", "added") == "added" and layer.bias is not None
        return y + layer.bias if used else y

    def heads_of(self, x: Tensor) -> Tensor:
        """(batch, heads, tokens, d)."""
        batch, tokens, width = x.shape
        heads = width // self.d
        match self.get("cut", "transpose"):
            case "view":
                return x.contiguous().view(batch, heads, tokens, self.d)
            case "every_hth":
                return torch.stack([x[..., h::heads] for h in range(heads)], dim=1)
        return torch.stack([x[..., h * self.d : (h + 1) * self.d] for h in range(heads)], dim=1)

    def shared(self, x: Tensor) -> Tensor:
        each = self.h // self.kv
        order = [h % self.kv if self.get("groups", "repeated") == "tiled" else h // each for h in range(self.h)]
        return x[:, order] if x.shape[1] != self.h else x

    def normed(self, name: str, x: Tensor, now: tuple[str, ...]) -> Tensor:
        kind = self.get("qk_norm", "none")
        if kind not in now:
            return x
        if kind == "unit":
            return x / x.norm(dim=-1, keepdim=True)
        norm = getattr(self, f"{name}_norm")
        return norm(x) + norm(x) / norm.weight if kind == "rms_plus_one" else norm(x)

    def side(self, name: str, role: str, x: Tensor) -> Tensor:
        flat = self.normed(name, self.linear(role, x), ("rms_of_all", "layer_of_all"))
        kind, number = self.get("rotary", "none"), self.number("rotary")
        if kind.startswith("queries_"):
            kind = "none" if name == "k" else kind.removeprefix("queries_")
        if kind.startswith("uncut_"):
            flat = turn_all(flat, kind.removeprefix("uncut_"), number)
        heads = self.normed(name, self.heads_of(flat), ("rms", "rms_plus_one", "layer", "unit"))
        if kind != "none" and not kind.startswith("uncut_"):
            heads = torch.stack([turn_all(heads[:, h], kind, number) for h in range(heads.shape[1])], dim=1)
        return self.shared(self.normed(name, heads, ("rms_after",)))

    def forward(self, x: Tensor) -> Tensor:
        if self.get("attended", "tokens") == "batch":
            return self.attend(x.transpose(0, 1)).transpose(0, 1)
        return self.attend(x)

    def attend(self, x: Tensor) -> Tensor:
        given, around = x, self.get("around", "none")
        batch, tokens, d_model = x.shape
        if around.startswith("pre"):
            x = self.norm(x)
        x = x + self.encoding(tokens, d_model)
        pair, source = self.get("scores", "qk"), self.get("values", "v")
        q, k, v = self.side("q", pair[0], x), self.side("k", pair[1], x), self.linear(source, x)
        output = self.get("output", "projected")
        v = self.heads_of(self.linear("o", v) if output == "before" else v)
        if self.get("turned_values", "no") != "no":
            kind, number = self.get("turned_values", ""), self.number("turned_values")
            v = torch.stack([turn_all(v[:, h], kind, number) for h in range(v.shape[1])], dim=1)
        v = self.shared(v)
        weights = self.weigh(torch.einsum("bhid,bhjd->bhij", q, k) * self.scale(d_model, tokens))
        equation = "bhji,bhjd->bhid" if self.get("direction", "rows") == "columns" else "bhij,bhjd->bhid"
        context = torch.einsum(equation, weights, v)
        match self.get("merge", "transpose"):
            case "view":
                merged = context.contiguous().view(batch, tokens, d_model)
            case "every_hth":
                merged = torch.stack([*context.unbind(1)], dim=-1).flatten(-2)
            case _:
                merged = torch.cat([*context.unbind(1)], dim=-1)
        out = self.linear("o", merged) if output == "projected" else merged
        out = out + given if around.endswith("residual") else out
        return self.norm(out) if around.startswith("post") else out

    def encoding(self, tokens: int, d_model: int) -> Tensor:
        kind = self.get("added", "none")
        if kind == "none":
            return torch.zeros(tokens, d_model)
        if kind == "learned":
            return self.pos_embedding(torch.arange(tokens))
        rows = []
        for at in range(tokens):
            angles = angles_of(at + (kind == "sinusoidal_from_1"), d_model, 10000.0)
            sines, cosines = [math.sin(angle) for angle in angles], [math.cos(angle) for angle in angles]
            mixed = [one for pair in zip(sines, cosines, strict=True) for one in pair]
            rows.append(sines + cosines if kind == "sines_then_cosines" else mixed)
        return torch.tensor(rows)

    def scale(self, d_model: int, tokens: int) -> float:
        match self.get("scale", "d_head"):
            case "own":
                return float(self.number("scale"))
            case "none":
                return 1.0
            case "times":
                return math.sqrt(self.d)
            case "one_side":
                return 1 / self.d**0.25
        sizes = {"d_head": self.d, "d_model": d_model, "twice": self.d**2, "tokens": tokens, "heads": self.h}
        return 1 / math.sqrt(sizes[self.get("scale", "d_head")])

    def weigh(self, s: Tensor) -> Tensor:
        tokens = s.shape[-1]
        rows, columns = torch.meshgrid(torch.arange(tokens), torch.arange(tokens), indexing="ij")
        distance = self.get("distance", "none")
        if distance != "none":
            apart = (rows - columns).to(s.dtype) if distance == "signed" else (rows - columns).abs().to(s.dtype)
            slopes = [2 ** (-8 * (h + 1) / self.h) for h in range(self.h)]
            sign = 1 if distance == "wrong_sign" else -1
            s = torch.stack([s[:, h] + sign * slope * apart for h, slope in enumerate(slopes)], dim=1)
        kind, number = self.get("mask", "none"), self.number("mask")
        if kind == "none":
            return self.softmax(s)
        name = kind.removesuffix("_nan").removesuffix("_zero")
        hidden = {
            "strict": columns >= rows, "future": columns < rows, "past_hidden": columns <= rows,
            "window": (columns > rows) | (columns <= rows - float(number or 0)),
        }.get(name, columns > rows)  # fmt: skip
        if kind == "after":
            w = self.softmax(s).clone()
            w[..., hidden] = 0
            return w
        if kind == "added_ones":
            return self.softmax(s + (~hidden).to(s.dtype))
        fill = float(number) if kind == "filled" else -math.inf if kind != name else -1e9
        s = s.clone()
        s[..., hidden] = fill
        w = self.softmax(s)
        return torch.where(w.isnan(), 0.0, w) if kind.endswith("_zero") else w

    def softmax(self, s: Tensor) -> Tensor:
        e = s.exp()
        match self.get("softmax", "keys"):
            case "queries":
                return e / e.sum(2, keepdim=True)
            case "heads":
                return s.softmax(1)
            case "batch":
                return s.softmax(0)
            case "all":
                return e / e.sum((2, 3), keepdim=True)
            case "double":
                return s.softmax(3).softmax(3)
            case "plus_one":
                return e / (1 + e.sum(3, keepdim=True))
            case "sink":
                return e / (self.sinks.exp()[:, None, None] + e.sum(3, keepdim=True))
            case "sigmoid":
                return 1 / (1 + (-s).exp())
            case "nothing":
                return torch.where(s < -1e8, 0.0, s)
            case "scaled_after":
                return s.softmax(3) / math.sqrt(self.d)
        return s.softmax(3)
