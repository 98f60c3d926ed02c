"""Attention weights of other libraries, as options and parameters of this package's module."""

import re
from collections.abc import Collection, Mapping
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
        ValueError: If the checkpoint has no such weights, or some there without a counterpart here.
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
    norm = {f"{prefix}output.LayerNorm.{kind}" for kind in (*PUBLISHED, *PUBLISHED.values())}
    _require_exactly(state_dict, prefix, {*names.values()}, beside=norm if has_output else set())
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


COUNTERPARTS = {  # the parts of one of BERT's layers, beside its attention, by those of a block of this package
    "self_attention_norm": "attention.output.LayerNorm",
    "feed_forward.widen": "intermediate.dense",
    "feed_forward.narrow": "output.dense",
    "feed_forward_norm": "output.LayerNorm",
}
PUBLISHED = {"gamma": "weight", "beta": "bias"}  # what the first published checkpoints call a norm's parameters
_ATTENTION = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")


def layers_of(state_dict: Mapping[str, Tensor], prefix: str) -> list[dict[str, Tensor]]:
    """The layers of a BERT checkpoint in Hugging Face's layout, each by the names within it, the bottom one first.

    Args:
        state_dict: The checkpoint.
        prefix: What the names of its layers begin with, before their number.

    Raises:
        ValueError: If there are none, their numbers have a gap, or a layer lacks a part or has an unknown one.
    """
    found: dict[int, dict[str, Tensor]] = {}
    for name, each in state_dict.items():
        number, _, rest = name.removeprefix(prefix).partition(".")
        if not name.startswith(prefix) or not number.isdecimal():
            continue
        stem, _, kind = rest.rpartition(".")
        kind = PUBLISHED.get(kind, kind) if stem.endswith("LayerNorm") else kind
        found.setdefault(int(number), {})[f"{stem}.{kind}"] = each
    if not found:
        raise ValueError(
            f"state_dict has no layer whose name begins with prefix = {prefix!r}; {_what_is_in(state_dict)}"
        )
    if sorted(found) != list(range(len(found))):
        raise ValueError(f"state_dict has layers {sorted(found)} at prefix = {prefix!r}: 0, 1, 2, … are needed.")
    parts = [f"{part}.{kind}" for part in (*_ATTENTION, *COUNTERPARTS.values()) for kind in ("weight", "bias")]
    for number, layer in found.items():
        within = f"{prefix}{number}."
        _require_exactly({within + name: each for name, each in layer.items()}, within, {within + p for p in parts})
    return [found[number] for number in sorted(found)]


def _require_exactly(
    state_dict: Mapping[str, Any], prefix: str, needed: set[str], *, beside: Collection[str] = ()
) -> None:
    """Refuse what lacks a needed name, or has another one that begins with ``prefix``.

    Raises:
        ValueError: Naming the first such name, and what there is instead.
    """
    if missing := sorted(needed - {*state_dict}):
        raise ValueError(
            f"state_dict has no {missing[0]!r}, which BERT's weights at prefix = {prefix!r} need; "
            f"{_what_is_in(state_dict)}"
        )
    unknown = [name for name in state_dict if name.startswith(prefix) and name not in needed and name not in beside]
    if unknown:
        raise ValueError(f"state_dict has {unknown[0]!r}, which has no counterpart here.")


def _what_is_in(state_dict: Mapping[str, Any]) -> str:
    """The beginnings of the layers' names, or else the first names."""
    stems = {re.split(r"(?<=\.)\d+\.", name)[0] for name in state_dict if re.search(r"\.\d+\.", name)}
    there = sorted(stems) or sorted(state_dict)[:5]
    return f"its names begin with {', '.join(map(repr, there))}." if there else "it is empty."


def _biases(state: Mapping[str, Tensor]) -> dict[str, bool]:
    return {name: name in state for name in ("q_bias", "k_bias", "v_bias", "o_bias")}
