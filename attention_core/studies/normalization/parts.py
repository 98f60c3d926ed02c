"""What the questions share: inputs, norms as the settings ask for them, how exact they are."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.inputs import draw as draw_numbers
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.modules.normalization import BatchNorm, Norm
from attention_core.studies.normalization.settings import NormalizationConfig


def draw(config: NormalizationConfig, what: str, *shape: int) -> Tensor:
    """Numbers ~ N(0, 1) in float64 on the CPU; ``what`` names the stream."""
    return draw_numbers(shape, config.seed, "normalization", what)


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


def jacobian(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """∂y_ij/∂x_kl at [i, j, k, l], of one sentence: as many backward passes as there are outputs."""
    x = x.detach().clone().requires_grad_()
    with torch.enable_grad():
        y = function(x)
        rows = [torch.autograd.grad(one, x, retain_graph=True)[0] for one in y.flatten()]
    return on_cpu(torch.cat(rows).unflatten(0, x.shape[1:]))


def of_this_batch(config: NormalizationConfig) -> Theory:
    """What needs BatchNorm to take the statistics of the batch that it normalises."""
    past = _("in evaluation BatchNorm uses a past batch's statistics")
    return Fails(past) if config.evaluation else Holds()
