"""The modules of the variants experiment, on one set of weights, and the sentence they read."""

import torch
from torch import Tensor

from attention_core.measuring.choices import POSITIONS
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants.settings import D_HEAD, D_MODEL, HEADS, VariantsConfig

BIAS_STD = 0.5


def sentence(config: VariantsConfig) -> Tensor:
    """The words' vectors (1, tokens, d_model)."""
    x = embed(config.tokens, D_MODEL, config.seed)[None]
    return x.to(config.torch_device, config.torch_dtype)


def attention(config: VariantsConfig, num_kv_heads: int = HEADS) -> MultiHeadAttention:
    """Full attention, or what averaging its heads of keys and values makes of it."""
    module = MultiHeadAttention(D_MODEL, HEADS, position=POSITIONS[config.positions], dtype=torch.float64)
    module = draw_parameters(module, config.seed, bias_std=BIAS_STD).with_kv_heads(num_kv_heads)
    return module.to(config.torch_device, config.torch_dtype).requires_grad_(False)


def repeated(config: VariantsConfig, grouped: MultiHeadAttention) -> MultiHeadAttention:
    """Full attention whose keys and values are the shared ones, repeated; in turn where the settings say so."""
    module = grouped.with_kv_heads(HEADS)
    if config.tiled:
        order = torch.arange(HEADS).view(grouped.num_kv_heads, -1).mT.flatten()  # 0 2 4 … of those that stand beside
        for each in (module.k_weight, module.k_bias, module.v_weight, module.v_bias):
            assert each is not None
            each.copy_(each.unflatten(0, (HEADS, D_HEAD))[order.to(each.device)].flatten(0, 1))
    return module


def linear(config: VariantsConfig) -> LinearAttention:
    """Linear attention with full attention's weights."""
    module = LinearAttention(D_MODEL, HEADS, device=config.torch_device, dtype=config.torch_dtype)
    module.load_state_dict(attention(config).state_dict())
    return module.requires_grad_(False)
