"""The complexity experiment as a few lines of plain torch."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.complexity.result import ComplexityResult
from attention_core.studies.complexity.settings import ComplexityConfig

SHORTEST: Final = """\
import torch
from torch.utils.flop_counter import FlopCounterMode

d = 128
for n in (64, 256, 1024):  # tokens
    x, W = torch.randn(n, d), torch.randn(d, d)
    with FlopCounterMode(display=False) as projections:
        q, k, v, o = (x @ W for _ in range(4))
    with FlopCounterMode(display=False) as scores:
        (q @ k.T / d**0.5).softmax(-1) @ v
    counts = projections.get_total_flops(), scores.get_total_flops()
    print("%d tokens: projections cost %d operations, scores and weighted sum %d" % (n, *counts))
"""


def complexity_snippet(config: ComplexityConfig) -> str:
    """Plain torch that counts the same layer and compares all heads at once with one at a time.

    It prints four numbers: three equal the result's ``core``, ``total`` and ``weights_bytes``, and the last is the
    residual of the heads: where it is rounding, it is under the same bound as the verdict's, else it equals it to
    three significant digits (about two in half precision).
    """
    n_t, n_s = config.compared
    sizes = f"{config.d_model}, {config.num_heads}, {config.d_head}"
    attend, where = "attention_weights(q, k) @ v", '"meta"'
    if config.fused:
        attend, where = "F.scaled_dot_product_attention(q[None], k[None], v[None])[0]", "DEVICE"
    out = " @ w[3].mT" if config.output_projection else ""
    cut = "z.reshape(HEADS, -1, SIZE)" if config.no_transpose else "split(z, HEADS)"
    merged = "context.reshape(len(x), -1)" if config.no_transpose else "merge(context)"
    return assemble(
        f"SEED, D, HEADS, SIZE, DTYPE = {config.seed}, {sizes}, torch.{config.dtype}",
        f"DEVICE = {str(config.torch_device)!r}",
        "",
        "def heads_of(x, y, w):",
        f"    return [{cut} for z in (x @ w[0].mT, y @ w[1].mT, y @ w[2].mT)]",
        "",
        "def core(q, k, v):",
        f"    return {attend}",
        "",
        "def layer(x, y, w):",
        "    context = core(*heads_of(x, y, w))",
        f"    return {merged}{out}",
        "",
        "def flops(function, *inputs):",
        "    with FlopCounterMode(display=False) as counter:",
        "        function(*inputs)",
        "    return counter.get_total_flops()",
        "",
        'w = list(parameter("in_weight", 3 * HEADS * SIZE, D, seed=SEED).to(DEVICE, DTYPE).chunk(3))',
        'w.append(parameter("o_weight", D, HEADS * SIZE, seed=SEED).to(DEVICE, DTYPE))',
        f"m = [torch.empty_like(one, device={where}) for one in w]  # counting needs no numbers",
        f"x, y = (torch.zeros(n, D, device={where}, dtype=DTYPE) for n in ({config.num_queries}, {config.num_keys}))",
        'print("operations for scores and weighted sum:", flops(core, *heads_of(x, y, m)))',
        'print("operations with the projections:", flops(layer, x, y, m))',
        f'print("bytes of the weights:", HEADS * {config.num_queries} * {config.num_keys} * DTYPE.itemsize)',
        "",
        f'sizes = ("x", {n_t}), ("y", {n_s})',
        'x, y = (draw((1, n, D), SEED, "complexity", name)[0].to(DEVICE, DTYPE) for name, n in sizes)',
        "rows = [slice(h * SIZE, (h + 1) * SIZE) for h in range(HEADS)]",
        "loop = [F.scaled_dot_product_attention(x @ w[0][r].mT, y @ w[1][r].mT, y @ w[2][r].mT) for r in rows]",
        f"difference = layer(x, y, w) - torch.cat(loop, -1){out}",
        'print(f"heads at once and one by one differ by: {difference.abs().max():.6g}")',
    )


def headline(result: ComplexityResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    heads = result.verdict("mha-reshape")
    return [result.core, result.total, result.weights_bytes, heads.measured]
