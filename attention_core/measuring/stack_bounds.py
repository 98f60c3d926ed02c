"""Bounds for rounding in transformer blocks, measured by carrying rounding errors through the blocks."""

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, output_variance, variance
from attention_core.measuring.inputs import generator
from attention_core.modules.block import PostNorm, TransformerBlock
from attention_core.modules.feed_forward import FeedForward
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.patches import PatchEmbedding
from attention_core.modules.stack import Stack

COPIES: Final = 32  # the standard deviation of 32 draws is off by an eighth


def stack_tolerance(stack: nn.Module, compute: Callable[..., Tensor], *inputs: Tensor) -> float:
    """Largest difference of two outputs of blocks that rounding explains.

    The blocks run in float64 on copies of the tokens, and every part adds to its result an error as large as
    rounding makes it there, drawn anew for each copy: how far the copies end up apart is how far rounding is carried
    (Parker 1997, "Monte Carlo Arithmetic"). Norms and residuals pass it on as they do, so no worst case is
    multiplied by another.

    Args:
        stack: A block or a stack of them.
        compute: Called with such a stack on the CPU and with inputs.
        inputs: One batch of tokens each (1, tokens, d_model), or of pictures for a model that begins with their
            patches, in the precision whose rounding is meant.

    Returns:
        ``8 √2`` standard deviations of the output that is off furthest, for two passes that err independently.
    """
    exact = copy.deepcopy(stack).to("cpu", torch.float64)
    torch.func.replace_all_batch_norm_modules_(exact)  # without running statistics, which nobody reads
    rounding = _Rounding(inputs[0].dtype)
    for part in list(exact.modules()):
        if isinstance(part, TransformerBlock):
            _round_block(part, rounding)
        elif isinstance(part, PatchEmbedding):
            part.register_forward_hook(_after(rounding, terms=part.weight.shape[1] + 1))
        elif isinstance(part, Stack):
            if part.added_position is not None:
                part.added_position.register_forward_hook(_after(rounding, terms=1))
            for norm in filter(None, (part.input_norm, part.final_norm)):
                _round_norm(norm, rounding)
    with torch.inference_mode():
        outputs = compute(exact, *(on_cpu(each).expand(COPIES, -1, -1) for each in inputs))
    return LAMBDA * math.sqrt(2) * float((outputs[1:] - outputs[:1]).square().mean(0).sqrt().max())


class _Rounding:
    """Adds to numbers the errors that rounding to a precision gives them; the first copy stays exact."""

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype, self._draw = dtype, generator(0, "rounding")

    def __call__(self, values: Tensor, *, terms: int = 1, errors: Tensor | None = None) -> Tensor:
        """The values with errors of the given variance, or with those of sums of so many terms."""
        spread = (variance(values[:1], self.dtype, terms=terms) if errors is None else errors).sqrt()
        noise = torch.randn(values.shape, generator=self._draw, dtype=torch.float64)
        noise[0] = 0.0
        return values + spread * noise


def _round_block(block: TransformerBlock, rounding: _Rounding) -> None:
    def attended(part: MultiHeadAttention, given: tuple[Tensor, ...], options: dict[str, Any], out: Tensor) -> Tensor:
        trace = part.trace(*(each[:1] for each in given), **options)
        out = rounding(out, errors=output_variance(part, trace, rounding.dtype))
        return rounding(out) if is_half(rounding.dtype) else out

    def summed(given: Callable[..., Tensor], x: Tensor, *parts: Any) -> Tensor:
        return rounding(given(x, *parts))

    for name, part in block.named_children():
        if isinstance(part, MultiHeadAttention):
            part.register_forward_hook(attended, with_kwargs=True)
        elif isinstance(part, FeedForward):
            for layer in filter(None, (part.widen, part.narrow, part.gate)):
                layer.register_forward_hook(_after(rounding, terms=layer.in_features))
            part.narrow.register_forward_pre_hook(lambda _, given: rounding(given[0]))  # what the activation gave
        elif name.endswith("_norm"):
            _round_norm(part, rounding)
            if isinstance(block.placement, PostNorm):  # which is given the sum
                part.register_forward_pre_hook(lambda _, given: rounding(given[0]))
    if isinstance(block.placement, PostNorm):
        return
    residual: Any = partial(summed, block._with)  # noqa: SLF001 - where the residual is added
    block._with = residual  # noqa: SLF001


def _after(rounding: _Rounding, terms: int) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], Tensor]:
    return lambda _, __, out: rounding(out, terms=terms)


def _round_norm(part: nn.Module, rounding: _Rounding) -> None:
    """Round the output of a norm, of which each copy is a batch of its own."""
    forward = part.forward

    def apart(tokens: Tensor) -> Tensor:
        each = torch.func.vmap(lambda copy: forward(copy[None])[0])(tokens)
        return rounding(each, terms=max(tokens.shape[1:]))

    part.forward = apart
