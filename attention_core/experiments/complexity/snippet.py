"""The complexity experiment as a few lines of plain torch."""

from typing import Final

from attention_core.experiments.complexity.config import ComplexityConfig
from attention_core.experiments.complexity.reshape import reshape_sizes

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
    n_t, n_s = reshape_sizes(config)
    width, heads, size = config.width, config.num_heads, config.d_head
    attend = "(q @ k.mT / d_head**0.5).softmax(-1) @ v"
    where = '"meta"'
    if config.fused:
        attend, where = "F.scaled_dot_product_attention(q[None], k[None], v[None])[0]", "device"
    out, merge = (" @ w[3].mT" if config.output_projection else ""), "transpose(0, 1).flatten(1)"
    split = "x.unflatten(-1, (heads, d_head)).transpose(0, 1)"
    if config.mixed:
        split, merge = "x.reshape(heads, -1, d_head)", "reshape(len(x), -1)"
    n_all, in_shape = f"{config.num_queries}, {config.num_keys}", f"({3 * width}, d_model)"
    given = f"{config.d_model}, {heads}, {size}, torch.{config.dtype}, {str(config.torch_device)!r}"
    lines = [
        "import hashlib, torch",
        "import torch.nn.functional as F",
        "from torch.utils.flop_counter import FlopCounterMode",
        "",
        f"d_model, heads, d_head, dtype, device = {given}",
        "def draw(*purpose, shape):  # a stream of random numbers for each purpose",
        f"    digest = hashlib.blake2b(repr(({config.seed}, *purpose)).encode(), digest_size=8).digest()",
        "    stream = torch.Generator().manual_seed(int.from_bytes(digest, 'little') >> 1)",
        "    return torch.randn(shape, generator=stream, dtype=torch.float64)",
        "def heads_of(x, y, w):",
        f"    return [{split} for x in (x @ w[0].mT, y @ w[1].mT, y @ w[2].mT)]",
        "def core(q, k, v):",
        f"    return {attend}",
        "def layer(x, y, w):",
        f"    return core(*heads_of(x, y, w)).{merge}{out}",
        "def flops(function, *inputs):",
        "    with FlopCounterMode(display=False) as counter:",
        "        function(*inputs)",
        "    return counter.get_total_flops()",
        "",
        f"w = list((draw('parameter', 'in_weight', shape={in_shape}) / d_model**0.5).to(device, dtype).chunk(3))",
        f"w.append((draw('parameter', 'o_weight', shape=(d_model, {width})) / {width}**0.5).to(device, dtype))",
        f"m = [torch.empty_like(one, device={where}) for one in w]",
        f"x, y = (torch.zeros(n, d_model, device={where}, dtype=dtype) for n in ({n_all}))",
        "print('operations for scores and weighted sum:', flops(core, *heads_of(x, y, m)))",
        "print('operations with the projections:', flops(layer, x, y, m))",
        f"print('bytes of the weights:', heads * {config.num_queries} * {config.num_keys} * dtype.itemsize)",
        f"sizes = (('x', {n_t}), ('y', {n_s}))",
        "x, y = (draw('complexity', name, shape=(1, n, d_model))[0].to(device, dtype) for name, n in sizes)",
        "rows = [slice(i * d_head, (i + 1) * d_head) for i in range(heads)]",
        "loop = [F.scaled_dot_product_attention(x @ w[0][r].mT, y @ w[1][r].mT, y @ w[2][r].mT) for r in rows]",
        f"difference = layer(x, y, w) - torch.cat(loop, -1){out}",
        "print(f'heads at once and one by one differ by: {difference.abs().max():.6g}')",
    ]
    return "\n".join(lines) + "\n"
