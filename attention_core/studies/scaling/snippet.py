"""The scaling experiment at one d_head as a few lines of plain torch."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.scaling.result import ScalingResult
from attention_core.studies.scaling.settings import D_HEADS, MODEL_WIDTH, ScalingConfig, check_d_head

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

_FACTORS: Final = {
    "none": "", "root": " / d_head**0.5", "head": " / d_head", "log": " * math.log(num_keys) / d_head**0.5",
}  # fmt: skip
# Mean 0, variance 1.
_DRAWS: Final = {
    "uniform": "3**0.5 * (2 * torch.rand(*shape, generator=stream) - 1)",
    "signs": "1 - 2 * torch.rand(*shape, generator=stream).round()",
}
_MODULE: Final = f"""\
q, k = q.to(DEVICE, DTYPE), k.to(DEVICE, DTYPE)
stream = generator(SEED, "scaling", "projection")
w = 2 * torch.rand(2, {D_HEADS[-1]}, {MODEL_WIDTH}, generator=stream, dtype=torch.float64) - 1
w = (w / {MODEL_WIDTH}**0.5)[:, :d_head].to(DEVICE, DTYPE)  # W_Q and W_K, as nn.Linear draws them
q, k = q @ w[0].mT, k @ w[1].mT"""


def scaling_snippet(config: ScalingConfig, d_head: int = 64) -> str:
    """Plain torch that draws the same queries and keys and prints what they give at ``d_head`` with the chosen scale.

    It prints three numbers, which equal the result's ``chosen.max_weight``, ``chosen.gradient_median`` and
    ``chosen.gradient_mean`` to three significant digits (about two in half precision).

    Raises:
        ConfigError: If ``d_head`` is not a power of two from 1 to 4096.
    """
    check_d_head(d_head)
    factor = _FACTORS.get(config.scale, f" * d_head**-{config.alpha!r}")
    rho, sizes = config.correlation, f"{config.num_queries}, {config.num_keys}"
    unit = _DRAWS.get(config.inputs, "torch.randn(*shape, generator=stream)")
    width = MODEL_WIDTH if config.through_module else D_HEADS[-1]
    return assemble(
        f"SEED, d_head, num_queries, num_keys = {config.seed}, {d_head}, {sizes}",
        f"DTYPE, DEVICE = torch.{config.dtype}, {str(config.torch_device)!r}",
        "",
        "def drawn(kind, *shape):",
        '    stream = generator(SEED, "scaling", kind)',
        f"    return {unit}",
        "",
        f'q, k = drawn("query", num_queries, {width}), drawn("key", num_keys, {width})',
        f"q = {rho!r} * k[torch.arange(num_queries) % num_keys] + (1 - {rho!r}**2) ** 0.5 * q" if rho else None,
        f"q, k = {config.mean!r} + q, {config.mean!r} + k" if config.mean else None,
        f"q, k = {config.std!r} * q, {config.std!r} * k" if config.std != 1 else None,
        _MODULE
        if config.through_module
        else "q, k = q[:, :d_head].to(DEVICE, DTYPE), k[:, :d_head].to(DEVICE, DTYPE)",
        "q, k = (F.rms_norm(x, (d_head,), eps=1e-30) for x in (q, k))" if config.qk_norm else None,
        'g = torch.randn(num_queries, num_keys, generator=generator(SEED, "scaling", "upstream"))',
        "q.requires_grad_()",
        f"scores = product(q, k.mT){factor}{'' if config.temperature == 1 else f' / {config.temperature!r}'}",
        "weights = scores.softmax(-1).to(DTYPE)",
        "(gradient,) = torch.autograd.grad(weights, q, g.to(DEVICE, DTYPE))  # g: the gradient of the weights",
        "norms = gradient.cpu().double().norm(dim=-1)",
        'print(f"largest weight of a query, mean: {weights.detach().cpu().double().amax(-1).mean():.6g}")',
        'print(f"gradient that reaches a query, median: {norms.quantile(0.5):.6g}")',
        'print(f"and its mean: {norms.mean():.6g}")',
    )


def headline(result: ScalingResult) -> list[float]:
    """What the snippet prints, as it was measured, at ``d_head`` 64."""
    return [result.at(of, 64) for of in ("max_weight", "gradient_median", "gradient_mean")]
