"""What the questions share: the words' vectors, the module under study, and how far rounding may move its output."""

import math
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.experiments.inputs import draw_parameters, generator, token_embeddings
from attention_core.experiments.judge import on_cpu
from attention_core.experiments.projections.config import BIAS_STD, POSITIONS, ProjectionsConfig
from attention_core.experiments.verdict import tolerance
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.masks import causal_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Full, Projections

FULL = Full()


def words(config: ProjectionsConfig, d_head: int | None = None) -> Float[Tensor, "1 tokens d_model"]:
    """The words' vectors: random directions with norms as the settings say, √d_head in each head or √d_model in all.

    Args:
        config: The settings.
        d_head: Another size of a head than the config's.
    """
    d_head = d_head or config.d_head
    parts = token_embeddings(config.tokens, config.num_heads * d_head, config.seed)
    parts = parts.unflatten(-1, (config.num_heads, d_head))  # (tokens, heads, d_head)
    over = (1, 2) if config.whole_norms else (2,)
    size = math.sqrt(d_head * config.num_heads if config.whole_norms else d_head)
    parts = parts / parts.square().sum(over, keepdim=True).sqrt() * size
    draws = {
        word: torch.randn((), generator=generator(config.seed, "norm", word), dtype=torch.float64)
        for word in set(config.tokens)
    }
    factors = torch.stack([(config.spread * draws[word]).exp() for word in config.tokens])
    return (parts * factors[:, None, None]).flatten(1)[None].to(config.torch_device, config.torch_dtype)


def attention(
    config: ProjectionsConfig, projections: Projections = FULL, *, layer: int = 0, d_head: int | None = None,
    **options: Any,
) -> MultiHeadAttention:  # fmt: skip
    """The module of the settings with parameters from their seed, in the settings' precision, on their device.

    Args:
        config: The settings.
        projections: Which matrices there are.
        layer: Each layer has parameters of its own.
        d_head: Another size of a head than the config's.
        options: Further arguments of the module.
    """
    d_head = d_head or config.d_head
    biases: dict[str, Any] = dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), config.biases != "none")
    module = MultiHeadAttention(
        config.num_heads * d_head,
        config.num_heads,
        projections=projections,
        position=POSITIONS[config.positions],
        qk_norm=config.qk_norm,
        dtype=torch.float64,
        **biases | options,
    )
    seed = config.seed if layer == 0 else config.seed + 1_000_000 * layer
    return draw_parameters(module, seed, bias_std=BIAS_STD).to(config.torch_device, config.torch_dtype).eval()


def mask(config: ProjectionsConfig) -> Tensor | None:
    """The causal mask, where it is on."""
    return causal_mask(len(config.tokens), device=config.torch_device) if config.causal else None


def moved_tolerance(module: MultiHeadAttention, trace: AttentionTrace) -> float:
    """Largest difference of a module's output from the exact one that rounding explains, twice over.

    The rounding errors of a sum have random signs, so it is off by about eps times the root of its length times its
    root sum of squares (Higham & Mary 2020, "Sharper Probabilistic Backward Error Analysis for Basic Linear Algebra
    Kernels with Random Data"). A score is off by δ_ij, that of q_i·k_j·scale and of the sums in q and k; its weight
    by a_ij δ_ij, which moves the context by a_ij δ_ij (v_j − context_i); the sums in v and over the keys add that of
    a_ij v_j; W_O carries it all to the output and adds its own. In half precision sums accumulate in float32: what is
    rounded there are input, matrix, q, k, score and factor; v and weight; context and output.
    """
    dtype, width = trace.output.dtype, module.num_heads * module.d_head
    q, k, v, weights, context = (on_cpu(x) for x in (trace.q, trace.k, trace.v, trace.weights, trace.context))
    full = dtype in (torch.float64, torch.float32)
    lengths = (2 * module.d_model + module.d_head, module.d_model + 2 * k.shape[-2], width) if full else (6, 2, 2)
    moved = weights.square() * (q.square() @ k.square().mT) * module.scale**2  # (a δ)²
    # Σ_j m_ij (v_j − c_i)² = Σ m v² − 2 c Σ m v + c² Σ m
    spread = moved @ v.square() - 2 * context * (moved @ v) + context.square() * moved.sum(-1, keepdim=True)
    squares = lengths[0] * spread.clamp(min=0) + lengths[1] * (weights.square() @ v.square())
    squares = (squares + lengths[2] * context.square()).transpose(-3, -2).flatten(-2)
    bias = 0.0
    if module.o_weight is not None:
        squares = squares @ on_cpu(module.o_weight).square().mT
        bias = 0.0 if module.o_bias is None else float(module.o_bias.abs().max())
    return tolerance(dtype, scale=float(squares.sqrt().max()) + bias, terms=1)


def score_tolerance(trace: AttentionTrace, scale: float) -> Float[Tensor, "heads q_len kv_len"]:
    """Largest error of each score that rounding explains, given the stored q and k: Σ|q k|·scale, rounded as it adds.

    In half precision the sum accumulates in float32; rounded are the sum, its product with the factor, and the sum
    with a penalty, by half an eps each.

    Args:
        trace: What the module computed.
        scale: The factor of the scores.
    """
    q, k, masked = (on_cpu(x)[0] for x in (trace.q, trace.k, trace.masked_scores))
    seen = torch.maximum(masked.masked_fill(masked.isinf(), 0.0).abs(), on_cpu(trace.scores)[0].abs())
    dtype = trace.output.dtype
    if dtype not in (torch.float64, torch.float32):
        return 1.5 * torch.finfo(dtype).eps * seen
    sizes = torch.maximum(q.abs() @ k.abs().mT * abs(scale), seen)
    return tolerance(dtype, scale=1.0, terms=q.shape[-1] + 2) * sizes
