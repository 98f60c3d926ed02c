"""Heads by reshape against a loop over heads: the residual that mha-reshape is held to."""

import torch
from torch import Tensor

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.bounds import output_tolerance
from attention_core.experiments.complexity.config import ComplexityConfig
from attention_core.experiments.complexity.module import filled, shapes_only, tokens
from attention_core.experiments.judge import Found, largest
from attention_core.modules.dot_product import scaled_dot_product_attention
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import MultiHeadAttention

LONGEST = 64  # tokens: the residual does not wait for the size that is counted


def reshape_sizes(config: ComplexityConfig) -> tuple[int, int]:
    """Queries and keys that the two ways are compared on: the config's, but at most 64 each."""
    return min(config.num_queries, LONGEST), min(config.num_keys, LONGEST)


def reshaped(config: ComplexityConfig) -> Found:
    """Largest difference between all heads at once and one head at a time."""
    sizes = (config.d_model, config.num_heads, config.d_head)
    module = filled(shapes_only(*sizes, output_projection=config.output_projection), config)
    n_t, n_s = reshape_sizes(config)
    x, y = tokens("x", n_t, config.d_model, config), tokens("y", n_s, config.d_model, config)
    with torch.no_grad():
        batched = _without_transposing(module, x, y) if config.mixed else module(x, y)
        residual, trace = largest(batched - loop_over_heads(module, x, y)), module.trace(x, y)
    heads = "1 head" if config.num_heads == 1 else f"{config.num_heads} heads"
    cases = f"{heads}, {n_t} queries, {n_s} keys"
    return Found(residual, output_tolerance(module, trace), cases, size=largest(on_cpu(trace.output)))


def _without_transposing(module: MultiHeadAttention, x: Tensor, y: Tensor) -> Tensor:
    """Heads cut by ``view(batch, heads, tokens, d_head)``: it mixes tokens with heads."""
    cut = [
        heads.transpose(1, 2).reshape(1, module.num_heads, heads.shape[2], module.d_head)
        for heads in module.into_heads(x, y, y)
    ]
    context = scaled_dot_product_attention(*cut, scale=module.scale)
    return module.out_of_heads(context.reshape(1, x.shape[1], module.num_heads, module.d_head).transpose(1, 2))


def breaks(config: ComplexityConfig) -> bool:
    """Whether the mistake, where it is made, shows: with one head, or one token, there is nothing to mix."""
    return config.mixed and config.num_heads > 1 and max(config.num_queries, config.num_keys) > 1
