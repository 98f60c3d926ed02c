"""Code that cuts the edge with the largest weight of the same weights, with torch and safetensors alone."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.worth.measure import run_worth
from attention_core.studies.worth.result import WorthResult
from attention_core.studies.worth.settings import WorthConfig

FILE: Final = "model.safetensors"

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 5, 16
q, k, v = torch.randn(3, n, d)
W_O = torch.randn(d, d) / d**0.5
v[0] *= 0.01  # a value of almost nothing
scores = q @ k.T / d**0.5
scores[:, 0] += 3  # that every query looks at
a = scores.softmax(-1)
for key in a[-1].topk(2).indices:
    cut = a[-1].clone()
    cut[key] = 0  # this edge alone
    lost = ((a[-1] - cut) @ v @ W_O.T).norm()
    print(f"weight {a[-1, key]:.2f}: without it the output loses {lost:.3f}")
"""


def worth_snippet(config: WorthConfig) -> str:
    """Plain torch that prints a lead, and what it falls by when the edge of the largest weight is cut, or another."""
    return _lengths(config) if config.brought else _shipped(config)


def headline(result: WorthResult) -> list[float]:
    """The largest weight, the lead, and by how much it falls when that edge is cut, and one drawn at random."""
    cell = result.largest(result.weights)
    falls = (float(result.effects[each]) for each in (cell, result.random))
    return [float(result.weights[cell]), result.lead, *falls]


def _shipped(config: WorthConfig) -> str:
    ids, tokens = config.spelled()
    result = run_worth(config)
    layer, head = result.head
    if config.kinds:
        first, second = config.kinds
        right, wrong = (
            (first, second) if result.leads in {config.source.words[at] for at in first} else (second, first)
        )
        kinds = (f"RIGHT, WRONG = {list(right)}, {list(wrong)}",
                 "def lead(z):", "    return (z[RIGHT].max() - z[WRONG].max()).item()")  # fmt: skip
    else:
        best = config.source.words.index(result.leads)
        kinds = ("def lead(z):", f"    others = [at for at in range(len(z)) if at != {best}]",
                 f"    return (z[{best}] - z[others].max()).item()")  # fmt: skip
    rest = {
        "left": "",
        "renormalised": "            row = row / row.sum() if row.sum() > 0 else row",
        "mean": "            row[:query + 1] += lost / (query + 1)",
    }[config.rest]
    if config.plus_one and config.rest == "mean":
        rest = "            row[:query + 1] += lost / (query + 2)  # the sink's share is nothing"
    if config.plus_one and config.rest == "renormalised":
        rest = "            row = row / (row.sum() + rest[query])  # the sink grows, too"
    one = "scores = torch.cat((torch.zeros_like(scores[..., :1]), scores), -1)"
    return assemble(
        f'FILE = "{FILE}"  # see Data for this model\'s',
        f"IDS = {list(ids)}  # {' '.join(tokens)}",
        f"HEADS, DTYPE, LAYER, HEAD = 4, torch.{config.dtype}, {layer}, {head}",
        f"LARGEST, RANDOM = {result.largest(result.weights)}, {result.random}  # query and key of two edges",
        "W = {name: w.to(DTYPE) for name, w in load_file(FILE).items()}",
        *kinds,
        "def linear(x, name):",
        '    return F.linear(x, W[f"{name}weight"], W[f"{name}bias"])',
        "def norm(x, name):",
        '    return F.layer_norm(x, x.shape[-1:], W[f"{name}weight"], W[f"{name}bias"])',
        "past = torch.ones(len(IDS), len(IDS)).triu(1).bool()",
        "",
        "def logits(cut=None):",
        '    x = W["embedding.weight"][IDS] + W["stack.added_position.table"][:len(IDS)]',
        "    for layer in range(2):",
        '        at = f"stack.layers.{layer}."',
        '        y, here = norm(x, at + "self_attention_norm."), at + "self_attention."',
        '        b = torch.cat([W[here + f"{z}_bias"] for z in "qkv"])',
        '        q, k, v = (split(z, HEADS) for z in F.linear(y, W[here + "in_weight"], b).chunk(3, -1))',
        "        scores = (product(q, k.mT) * q.shape[-1] ** -0.5).masked_fill(past, -torch.inf)",
        *(("        if layer == LAYER:  # softmax plus one", f"            {one}") if config.plus_one else ()),
        "        a = scores.softmax(-1).to(DTYPE)",
        "        rest = a[HEAD, :, 0]" if config.plus_one else None,
        "        a = a[..., -len(IDS):]" if config.plus_one else None,
        "        if layer == LAYER:",
        '            kept["weight"] = a[HEAD, *LARGEST].item()',
        "        if layer == LAYER and cut:",
        "            query, key = cut",
        "            row, lost = a[HEAD, query].clone(), a[HEAD, query, key].item()",
        "            row[key] = 0",
        rest or None,
        "            a[HEAD, query] = row",
        '        x = x + linear(merge(a @ v), here + "o_")',
        *(
            (
                '        y = norm(x, at + "feed_forward_norm.")',
                '        wide = F.gelu(linear(y, at + "feed_forward.widen."))',
                '        x = x + linear(wide, at + "feed_forward.narrow.")',
            )
            if config.source.has_feed_forward
            else ()
        ),
        '    return F.linear(norm(x, "stack.final_norm."), W["embedding.weight"])[-1]',
        "",
        "kept = {}",
        "whole = lead(logits())",
        "print(f\"the largest weight of the head is: {kept['weight']:.4g}\")",
        'print(f"what comes next leads by: {whole:.4g}")',
        'print(f"the effect of cutting that edge is: {whole - lead(logits(LARGEST)):.4g}")',
        'print(f"the effect of cutting one at random is: {whole - lead(logits(RANDOM)):.4g}")',
    )


def _lengths(config: WorthConfig) -> str:
    """Of a file whose matrices are found by what families call them: how long W_O can make a value, per head."""
    first = config.source.attentions[0]
    return assemble(
        f'FILE = "{FILE}"  # yours',
        f"HEADS, D = {first.num_heads}, {first.d_head}",
        "W = load_file(FILE)",
        'O = ("attention.output.dense.", "out_lin.", "o_proj.", "attn.c_proj.", "self_attention.o_")',
        'kept = [n for n in W if n.endswith("weight") and any(one in n for one in O)]',
        "digits = {n: [int(part) for part in n.split('.') if part.isdigit()] for n in kept}",
        "for layer, name in enumerate(sorted(kept, key=digits.get), 1):",
        '    o = W[name].double().T if "c_proj" in name else W[name].double()  # stored the other way round',
        "    longest = [torch.linalg.matrix_norm(part, 2).item() for part in o.split(D, dim=1)[:HEADS]]",
        '    print(f"layer {layer} makes a value of length 1 at most so long:", *(f"{one:.3g}" for one in longest))',
    )
