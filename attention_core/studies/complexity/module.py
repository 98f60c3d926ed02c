"""The layer whose cost is measured: the real module, with or without numbers in it."""

import torch
from torch import Tensor

from attention_core.measuring.config import RunConfig
from attention_core.measuring.inputs import draw, draw_parameters
from attention_core.modules.allocate import allocate
from attention_core.modules.multi_head import MultiHeadAttention


def shapes_only(
    d_model: int, num_heads: int, d_head: int, *, output_projection: bool = True, dtype: torch.dtype = torch.float32
) -> MultiHeadAttention:
    """The module on torch's meta device: it computes shapes, and no numbers."""
    return MultiHeadAttention(
        d_model, num_heads, d_head=d_head, output_projection=output_projection, device="meta", dtype=dtype,
        q_bias=False, k_bias=False, v_bias=False, o_bias=False,
    )  # fmt: skip


def filled(module: MultiHeadAttention, run: RunConfig) -> MultiHeadAttention:
    """The module with parameters drawn from the run's seed, without a draw from the process's own random numbers."""
    module = draw_parameters(allocate(module, dtype=torch.float64), run.seed)
    return module.to(device=run.torch_device, dtype=run.torch_dtype).requires_grad_(False)


def tokens(name: str, count: int, d_model: int, run: RunConfig) -> Tensor:
    """A text of ``count`` vectors ~ N(0, I): (1, count, d_model), one stream of numbers for each ``name``."""
    return draw((1, count, d_model), run.seed, "complexity", name).to(run.torch_device, run.torch_dtype)


def blank(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Numbers that nobody computes: a shape on torch's meta device."""
    return torch.empty(shape, device="meta", dtype=dtype)
