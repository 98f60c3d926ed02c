"""How far rounding alone may move the output of transformer blocks whose tokens come in another order."""

import copy
import math
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.bounds import LAMBDA, is_half, output_variance, variance
from attention_core.experiments.inputs import generator
from attention_core.modules.block import PostNorm, PreNorm
from attention_core.modules.stack import Stack

COPIES: Final = 32  # the standard deviation of 32 draws is off by an eighth


def stack_tolerance(stack: Stack, x: Tensor, *, attn_mask: Tensor | None, positions: Tensor) -> float:
    """Largest difference of two outputs of blocks that rounding explains, for orders of the tokens ``x``.

    The blocks run in float64 on copies of the tokens, and every part adds to its result an error as large as
    rounding makes it there, drawn anew for each copy: how far the copies end up apart is how far rounding is carried
    (Parker 1997, "Monte Carlo Arithmetic"). Norms and residuals pass it on as they do, so no worst case is
    multiplied by another.

    Args:
        stack: Blocks with LayerNorm or BatchNorm.
        x: One batch of tokens (1, tokens, d_model).
        attn_mask: Mask of every attention.
        positions: Positions of the tokens (1, tokens).

    Returns:
        ``8 √2`` standard deviations of the output that is off furthest, for two passes that err independently.
    """
    dtype, is_precise = x.dtype, x.dtype == torch.float64 and x.device.type == "cpu"
    precise = stack if is_precise else copy.deepcopy(stack).to("cpu", torch.float64)
    positions, mask = positions.cpu(), None if attn_mask is None else attn_mask.cpu()
    draw = generator(0, "rounding")

    def off(values: Tensor, *, terms: int = 1, errors: Tensor | None = None) -> Tensor:
        """``values`` with the error that rounding gives each of them; the first copy stays exact."""
        spread = (variance(values[:1], dtype, terms=terms) if errors is None else errors).sqrt()
        noise = torch.randn(values.shape, generator=draw, dtype=torch.float64)
        noise[0] = 0.0
        return values + spread * noise

    def attend(part: Any, tokens: Tensor) -> Tensor:
        trace = part.trace(tokens[:1], attn_mask=mask, query_positions=positions)
        errors = output_variance(part, trace, dtype)
        output = part(tokens, attn_mask=mask, query_positions=positions.expand(COPIES, -1))
        output = off(output, errors=errors)
        return off(output) if is_half(dtype) else output

    def feed(part: Any, tokens: Tensor) -> Tensor:
        hidden = off(part.widen(tokens), terms=part.widen.in_features)
        return off(part.narrow(off(part.activation(hidden))), terms=part.narrow.in_features)

    def normed(norm: Any, tokens: Tensor) -> Tensor:
        each = torch.func.vmap(lambda one: norm(one[None])[0])(tokens)  # every copy is a batch of its own
        return off(each, terms=max(tokens.shape[1:]))

    tokens = on_cpu(x).expand(COPIES, -1, -1)
    if precise.added_position is not None:
        tokens, positions = off(precise.added_position(tokens, positions)), torch.arange(x.shape[1])[None]
    for block in precise.layers:
        for norm, run in (
            (block.self_attention_norm, lambda tokens, part=block.self_attention: attend(part, tokens)),
            (block.feed_forward_norm, lambda tokens, part=block.feed_forward: feed(part, tokens)),
        ):
            match block.placement:
                case PreNorm():
                    tokens = off(tokens + run(normed(norm, tokens)))
                case PostNorm():
                    tokens = normed(norm, off(tokens + run(tokens)))
                case _:
                    tokens = off(tokens + normed(norm, run(tokens)))
    apart = (tokens[1:] - tokens[:1]).square().mean(0).sqrt()
    return LAMBDA * math.sqrt(2) * float(apart.max())
