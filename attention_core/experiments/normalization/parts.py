"""What the questions share: inputs, norms as the settings ask for them, how exact they are."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from attention_core.experiments.bounds import is_half, tolerance
from attention_core.experiments.inputs import generator
from attention_core.experiments.normalization.config import NormalizationConfig
from attention_core.modules.normalization import BatchNorm, Norm


def draw(config: NormalizationConfig, what: str, *shape: int) -> Tensor:
    """Numbers ~ N(0, 1) in float64 on the CPU; ``what`` names the stream."""
    return torch.randn(shape, generator=generator(config.seed, "normalization", what), dtype=torch.float64)


def cast(config: NormalizationConfig, values: Tensor) -> Tensor:
    """The values in the settings' precision, on their device."""
    return values.to(config.torch_device, config.torch_dtype)


def norm_module(config: NormalizationConfig, norm: Norm) -> nn.Module:
    """The norm with γ = 1 and β = 0; BatchNorm in the mode the settings ask for, having seen a past batch."""
    made = {"device": config.torch_device, "dtype": config.torch_dtype}
    if not isinstance(norm, BatchNorm):
        return norm.build(config.d_model, **made)
    module = replace(norm, momentum=1.0).build(config.d_model, **made)
    with torch.no_grad():
        module(cast(config, draw(config, "past", 1, 4 * config.num_tokens, config.d_model)))
    return module.eval() if config.evaluation else module.train()


def length_tolerance(dtype: torch.dtype, *, scale: float, terms: int, longest: float) -> float:
    """How far rounding alone may move the length of a norm's output.

    In half precision a norm computes in float32 and rounds its output by half an eps of itself, once or, with a gain
    that is multiplied afterwards, twice: that moves a length by at most an eps of it.

    Args:
        dtype: The precision.
        scale: As in ``tolerance``, of the whole output.
        terms: As in ``tolerance``.
        longest: Length of the longest output.
    """
    if is_half(dtype):
        return tolerance(torch.float32, scale=scale, terms=terms) + torch.finfo(dtype).eps * longest
    return tolerance(dtype, scale=scale, terms=terms)
