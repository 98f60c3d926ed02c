"""The scaling experiment at one d_head as a few lines of plain torch."""

from typing import Final

from attention_core.experiments.scaling.config import D_HEADS, MODEL_WIDTH, ScalingConfig, check_d_head

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
for d_head in (4, 64, 1024, 4096):
    q, k = torch.randn(256, d_head), torch.randn(64, d_head)
    for name, factor in (("unscaled", 1), ("divided by √d_head", d_head**-0.5)):
        scores = q @ k.T * factor
        largest = scores.softmax(-1).amax(-1).mean()
        print(f"d_head = {d_head}, {name}: variance {scores.var():.3g}, mean largest weight {largest:.3f}")
"""

_DRAWS = {
    "uniform": "(2 * torch.rand(*shape, generator=generator) - 1) * 3**0.5",
    "signs": "1 - 2 * torch.rand(*shape, generator=generator).round()",
}
_FACTORS = {
    "none": "",
    "root": " / d_head**0.5",
    "head": " / d_head",
}


def scaling_snippet(config: ScalingConfig, d_head: int = 64) -> str:
    """Plain torch that draws the same queries and keys and prints what they give at ``d_head`` with the chosen scale.

    It prints three numbers, which equal the result's ``chosen.max_weight``, ``chosen.gradient_median`` and
    ``chosen.gradient_mean`` to three significant digits (about two in half precision).

    Raises:
        ConfigError: If ``d_head`` is not a power of two from 1 to 4096.
    """
    check_d_head(d_head)
    factor = _FACTORS.get(config.scale, f" * d_head**-{config.alpha!r}")
    factor += "" if config.temperature == 1 else f" / {config.temperature!r}"
    width = MODEL_WIDTH if config.through_module else D_HEADS[-1]
    lines = [
        "import hashlib",
        "import torch",
        "",
        f"seed, d_head, num_queries, num_keys = {config.seed}, {d_head}, {config.num_queries}, {config.num_keys}",
        f"dtype, device = torch.{config.dtype}, {str(config.torch_device)!r}",
        "",
        "def draw(kind, make, *shape):  # a stream of random numbers for each kind, in float32",
        '    digest = hashlib.blake2b(repr((seed, "scaling", kind)).encode(), digest_size=8).digest()',
        "    stream = torch.Generator().manual_seed(int.from_bytes(digest, 'little') >> 1)",
        "    return make(*shape, generator=stream)",
        "",
        *_inputs(config, width),
        "g = draw('upstream', torch.randn, num_queries, num_keys).to(device, dtype)  # the gradient of the weights",
    ]
    if config.qk_norm:
        lines.append("q, k = (torch.nn.functional.rms_norm(x, (d_head,), eps=1e-30) for x in (q, k))")
    precise = ", dtype=torch.float32" if config.dtype in ("float16", "bfloat16") else ""
    lines += [
        "q.requires_grad_()",
        f"scores = q @ k.mT{factor}",
        f"weights = scores.softmax(-1{precise}).to(dtype)",
        "(gradient,) = torch.autograd.grad(weights, q, g)",
        "norms = gradient.cpu().double().norm(dim=-1)",
        "print(f'largest weight of a query, mean: {weights.detach().cpu().double().amax(-1).mean():.6g}')",
        "print(f'gradient that reaches a query, median: {norms.quantile(0.5):.6g}')",
        "print(f'and its mean: {norms.mean():.6g}')",
    ]
    return "\n".join(lines) + "\n"


def _inputs(config: ScalingConfig, width: int) -> list[str]:
    """Lines that make q and k."""
    unit, lines = "torch.randn", []
    if config.inputs in _DRAWS:
        unit = config.inputs
        lines += [
            f"def {unit}(*shape, generator):  # mean 0, variance 1",
            f"    return {_DRAWS[unit]}",
            "",
        ]
    lines.append(f"q, k = draw('query', {unit}, num_queries, {width}), draw('key', {unit}, num_keys, {width})")
    if config.correlation:
        rho = repr(config.correlation)
        lines.append(f"q = {rho} * k[torch.arange(num_queries) % num_keys] + (1 - {rho}**2) ** 0.5 * q")
    if config.mean:
        lines.append(f"q, k = {config.mean!r} + q, {config.mean!r} + k")
    if config.std != 1:
        lines.append(f"q, k = {config.std!r} * q, {config.std!r} * k")
    if config.through_module:
        lines += [
            "q, k = q.to(device, dtype), k.to(device, dtype)",
            "# W_Q and W_K, as nn.Linear draws them",
            "rand = lambda *shape, generator: torch.rand(*shape, generator=generator, dtype=torch.float64)",
            f"w = (2 * draw('projection', rand, 2, {D_HEADS[-1]}, {width}) - 1) / {width}**0.5",
            "w = w[:, :d_head].to(device, dtype)",
            "q, k = q @ w[0].mT, k @ w[1].mT",
        ]
    else:
        lines.append("q, k = q[:, :d_head].to(device, dtype), k[:, :d_head].to(device, dtype)")
    return lines
