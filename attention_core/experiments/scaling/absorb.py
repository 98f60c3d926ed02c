"""Whether the factor 1/√d_head can be folded into W_Q: two modules that must attend alike."""

import math

import torch

from attention_core.experiments.inputs import draw_parameters, generator
from attention_core.experiments.scaling.config import ScalingConfig
from attention_core.experiments.verdict import tolerance
from attention_core.modules.multi_head import MultiHeadAttention


def absorb(config: ScalingConfig) -> tuple[float, float]:
    """How far the weights move when 1/√d_head goes into W_Q and b_Q, and what rounding explains.

    A score is ``Σ_i q_i k_i / √d_head`` with ``q_i = Σ_m W_im x_m + b_i``: rounding W/√d_head, the two sums and the
    factor moves it by at most δ = ``tolerance(scale = Σ_i (Σ_m |W_im x_m| + |b_i|) |k_i| / √d_head)`` between the two
    ways; a weight moves by ``a |δ_j − Σ a δ| ≤ 2 a (1 − a) max |δ| ≤ max |δ| / 2``, and softmax rounds it twice.
    """
    d_model = d_head = 8
    cast = {"device": config.torch_device, "dtype": config.torch_dtype}
    outside, inside = (
        _filled(MultiHeadAttention(d_model, 8, d_head=d_head, scale=scale, qk_norm=config.qk_norm, device="meta"))
        for scale in (None, 1.0)
    )
    tokens = torch.randn(1, 16, d_model, generator=generator(config.seed, "scaling", "absorb"), dtype=torch.float64)
    tokens = tokens.to(**cast)
    for module in (outside, inside):
        draw_parameters(module, config.seed).to(**cast)
    weight, bias = inside.q_weight, inside.q_bias
    assert weight is not None
    assert bias is not None
    with torch.no_grad():
        q = tokens.abs().double() @ weight.abs().double().mT + bias.abs().double()
        q = q.unflatten(-1, (inside.num_heads, d_head)).transpose(1, 2)  # (1, heads, tokens, d_head)
        weight /= math.sqrt(d_head)
        bias /= math.sqrt(d_head)
        trace = outside.trace(tokens)
        residual = (trace.weights - inside.trace(tokens).weights).abs().max()
        size = (q @ trace.k.abs().double().mT).max() / math.sqrt(d_head)
    moved = tolerance(config.torch_dtype, scale=float(size), terms=d_model + 1 + d_head + 3) / 2
    return float(residual), moved + tolerance(config.torch_dtype, scale=1.0, terms=tokens.shape[1] + 3)


def _filled(module: MultiHeadAttention) -> MultiHeadAttention:
    """The module in float64 on the CPU, made without a draw from the process's own random numbers."""
    module = module.to_empty(device="cpu").double()
    for norm in (module.q_norm, module.k_norm):
        if norm is not None:
            norm.reset_parameters()
    return module
