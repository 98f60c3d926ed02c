"""Attention weights of other libraries, as options and parameters of this package's module."""

from collections.abc import Mapping
from typing import Any

import torch
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
    return options | _biases(state), state


def read_bert(
    state_dict: Mapping[str, Tensor], prefix: str, *, num_heads: int
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Options and state for one attention of a BERT checkpoint in Hugging Face's layout.

    Args:
        state_dict: The checkpoint.
        prefix: What the names of this attention begin with: ``encoder.layer.0.attention.`` for attention with its
            output projection (``self.query.weight``, ``output.dense.weight``, …), ``encoder.layer.0.attention.self.``
            for bare self-attention (``query.weight``, …), which has none.
        num_heads: Number of heads, which the weights do not tell.

    Raises:
        ValueError: If the checkpoint has no such weights.
    """
    inner = prefix + "self." if prefix + "self.query.weight" in state_dict else prefix
    names = {
        f"{role[0]}_{kind}": f"{inner}{role}.{kind}"
        for role in ("query", "key", "value")
        for kind in ("weight", "bias")
    }
    has_output = inner != prefix
    if has_output:
        names |= {"o_weight": f"{prefix}output.dense.weight", "o_bias": f"{prefix}output.dense.bias"}
    missing = [name for name in names.values() if name not in state_dict]
    if missing:
        raise ValueError(f"state_dict has no {missing[0]!r}; prefix = {prefix!r} must lead to a BERT attention.")
    found = {ours: state_dict[theirs].detach() for ours, theirs in names.items()}
    state = {"in_weight": torch.cat([found.pop(name) for name in ("q_weight", "k_weight", "v_weight")])} | found
    weight = state["in_weight"]
    options = {
        "d_model": weight.shape[1],
        "num_heads": num_heads,
        "output_projection": has_output,
        "device": weight.device,
        "dtype": weight.dtype,
    }
    return options | _biases(state), state


def _biases(state: Mapping[str, Tensor]) -> dict[str, bool]:
    return {name: name in state for name in ("q_bias", "k_bias", "v_bias", "o_bias")}
