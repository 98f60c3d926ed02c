"""Code that probes A of the line-up again in plain torch; and some lines that ask ``identify``, to run at home."""

from typing import Final

from attention_core.identify.design import Design
from attention_core.measuring.snippets import assemble
from attention_core.studies.bug_hunt.lineup import line_up
from attention_core.studies.bug_hunt.measure import LARGER, PADDING
from attention_core.studies.bug_hunt.result import BugHuntResult
from attention_core.studies.bug_hunt.settings import D_HEAD, D_MODEL, NUM_HEADS, BugHuntConfig

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d_model, d_head = 6, 16, 8
q, k = torch.randn(2, n, d_head, dtype=torch.float64)

def weights(q, k, size):
    return (q @ k.T / size**0.5).softmax(-1)

larger_q, larger_k = (torch.cat([z] * 4, dim=-1) for z in (q / 2, k))  # heads four times as large: q·k is doubled
for name, sizes in (("head", (d_head, 4 * d_head)), ("model", (d_model, d_model))):
    moved = (weights(larger_q, larger_k, sizes[1]) - weights(q, k, sizes[0])).abs().max()
    print(f"divided by the root of the {name}'s size, weights move by {moved:.0e}")
"""
AT_HOME: Final = """\
# In this app's own folder, where attention_core lies, or wherever it was installed from there by "pip install .".
import torch
from torch import nn
from attention_core import identify

class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q, self.k, self.v, self.out = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        weights = (q @ k.mT / x.shape[-1] ** 0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))

print(identify(Attention(64, 4), d_model=64, num_heads=4))
"""
_SCALES: Final = {
    "d_head": "d ** -0.5", "d_model": "M ** -0.5", "twice": "1 / d", "none": "1.0", "times": "d ** 0.5",
}  # fmt: skip
_SOFTMAX: Final = {
    "keys": "s.softmax(-1)",
    "queries": "s.softmax(-2)",
    "heads": "s.softmax(0)",
    "batch": "s[None].softmax(0)[0]",
    "all": "s.flatten(1).softmax(-1).view_as(s)",
    "double": "s.softmax(-1).softmax(-1)",
    "nothing": "s.where(s > -5e8, 0.0)",
    "scaled_after": "s.softmax(-1) / d**0.5",
    "plus_one": "s.exp() / (1 + s.exp().sum(-1, keepdim=True))",
    "sigmoid": "s.sigmoid()",
}


def bug_hunt_snippet(config: BugHuntConfig) -> str:
    """Plain torch that prints how far each probe moves what A is to keep, and its rows' sums from 1.

    The second sentence is left out: what has no batch cannot mix it.
    """
    design = line_up(config)[0].design
    out = "z" if design.output == "left_out" else "F.linear(z, O, b_O)"
    merged = "z.reshape(len(x), M)" if design.merge == "view" else "z.transpose(0, 1).reshape(len(x), M)"
    across = ".mT" if design.direction == "columns" else ""
    return assemble(
        f"SEED, H, D, M, WORDS = {config.seed}, {NUM_HEADS}, {D_HEAD}, {D_MODEL}, {config.tokens!r}",
        "x, n = embed(WORDS, M, SEED), len(WORDS)",
        'W = dict(zip("qkv", parameter("in_weight", 3 * M, M, seed=SEED).chunk(3)))',
        'b = {role: parameter(f"{role}_bias", M, seed=SEED) for role in "qkv"}',
        'O, b_O = parameter("o_weight", M, M, seed=SEED), parameter("o_bias", M, seed=SEED)',
        "",
        "def project(x, role, times):  # every number of a head several times; queries smaller for that",
        "    def larger(z):",
        "        z = torch.cat([z.unflatten(0, (H, D))] * times, dim=1).flatten(0, 1)",
        '        return z / times**0.5 if role == "q" else z',
        "",
        f"    z = F.linear(x, larger(W[role]), {_bias(design)})",
        "    return z.reshape(H, len(x), -1)"
        if design.cut == "view"
        else "    return z.unflatten(-1, (H, -1)).transpose(0, 1)",
        "",
        *_turned(design),
        "def weights(x, times=1):",
        f'    q, k = (project(x, role, times) for role in "{design.scores}")',
        "    d, i = q.shape[-1], torch.arange(len(x))",
        *_positions(design),
        f"    s = q @ k.mT * {_SCALES[design.scale]}{_distance(design)}",
        *_masked(design),
        "",
        "def f(x):",
        f'    z = weights(x){across} @ project(x, "{design.values}", 1)',
        f"    z = {merged}",
        f"    return {out}",
        "",
        "order = [n - 2, *range(n - 2), n - 1]",
        'later = torch.cat((x[:-1], draw((1, 1, M), SEED, "another last word")[0]))',
        f'padded = torch.cat((x, draw((M,), SEED, "padding").expand({PADDING}, M)))',
        "moved = {",
        '    "words shuffled": f(x[order])[-1] - f(x)[-1],',
        '    "another last word": (f(later) - f(x))[:-1],',
        '    "padding behind": f(padded)[:n] - f(x),',
        f'    "larger heads": weights(x, {LARGER}) - weights(x),',
        '    "sums of rows, from one": weights(x).sum(-1) - 1,',
        "}",
        "for name, by in moved.items():",
        '    print(f"{name}: {by.abs().max().item():.3g}")',
    )


def _bias(design: Design) -> str:
    """The bias of a role, unless it is left out."""
    left_out = [role for role in "qkv" if getattr(design, f"{role}_bias") == "left_out"]
    return f'None if role == "{left_out[0]}" else larger(b[role])' if left_out else "larger(b[role])"


def _turned(design: Design) -> list[str]:
    """Rotary positions, as the design has them."""
    kind = design.rotary.partition(":")[0].removeprefix("queries_")
    if kind == "none":
        return []
    if kind == "neighbours":
        return ["def turned(z):", "    return rotate(z, torch.arange(z.shape[-2]))", ""]
    doubled = "a.repeat_interleave(2, dim=-1)" if kind == "mixed_halves" else "torch.cat((a, a), dim=-1)"
    return [
        "def turned(z):",
        "    d = z.shape[-1]",
        "    pairs = 10000.0 ** -(torch.arange(0, d, 2, dtype=z.dtype) / d)",
        "    a = torch.arange(z.shape[-2])[:, None] * pairs",
        f"    a = {doubled}",
        "    one, other = z.chunk(2, dim=-1)",
        "    return z * a.cos() + torch.cat((-other, one), dim=-1) * a.sin()",
        "",
    ]


def _positions(design: Design) -> list[str]:
    lines = []
    if design.rotary != "none":
        lines.append(
            "    q = turned(q)" if design.rotary.startswith("queries_") else "    q, k = turned(q), turned(k)"
        )
    if design.qk_norm == "unit":
        lines.append("    q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)")
    return lines


def _distance(design: Design) -> str:
    return {"none": "", "alibi": " + alibi(H, i, i)"}.get(design.distance, " - alibi(H, i, i)")


def _masked(design: Design) -> list[str]:
    """The mask and softmax, in the design's order."""
    name, _, number = design.mask.partition(":")
    seen, softmax = "i <= i[:, None]", _SOFTMAX[design.softmax]
    match name:
        case "after":
            return [f"    return {softmax} * ({seen})"]
        case "added_ones":
            return [f"    s = s + ({seen})", f"    return {softmax}"]
        case "future":
            seen = "i >= i[:, None]"
        case "window":
            seen = f"({seen}) & (i > i[:, None] - {number})"
    return [f"    s = s.where({seen}, {number if name == 'filled' else '-1e9'})", f"    return {softmax}"]


def headline(result: BugHuntResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    return [float(result.probe(name).change[1]) for name in ("shuffle", "later", "padding", "size", "sums")]
