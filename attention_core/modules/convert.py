"""The weights of torch's attention, as options and parameters of this package's module."""

from typing import Any

from torch import Tensor, nn


def read_torch(module: nn.MultiheadAttention) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Options and state of the module that computes what torch's does; ``batch_first`` leaves no trace in weights.

    Args:
        module: torch's module. ``add_zero_attn`` becomes ``zero_sink``.

    Raises:
        ValueError: If it has ``add_bias_kv=True`` (a learned extra key and value), or ``kdim`` or ``vdim`` other than
            ``embed_dim``: neither has a counterpart here.
    """
    if module.bias_k is not None or module.bias_v is not None:
        raise ValueError(
            "add_bias_kv=True has no counterpart: convert a module without learned extra keys and values."
        )
    weight, bias = module.in_proj_weight, module.in_proj_bias
    if weight is None:
        raise ValueError(
            f"kdim = {module.kdim} and vdim = {module.vdim} have no counterpart: they must be embed_dim = "
            f"{module.embed_dim}."
        )
    state = {"in_weight": weight.detach(), "o_weight": module.out_proj.weight.detach()}
    if bias is not None:
        q_bias, k_bias, v_bias = bias.detach().chunk(3)
        state |= {"q_bias": q_bias, "k_bias": k_bias, "v_bias": v_bias, "o_bias": module.out_proj.bias.detach()}
    options = {
        "d_model": module.embed_dim,
        "num_heads": module.num_heads,
        "zero_sink": module.add_zero_attn,
        "dropout": module.dropout,
        "device": weight.device,
        "dtype": weight.dtype,
    }
    return options | {name: name in state for name in ("q_bias", "k_bias", "v_bias", "o_bias")}, state
