"""A design as this package's own attention."""

import torch
from torch import Tensor

from attention_core.identify.choices import BY_KEY
from attention_core.identify.compute import Norm, Sizes, factor
from attention_core.identify.design import Design
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, Rotary, Sinusoidal

SAME = ("layout", "stored", "values", "scores", "q_bias", "k_bias", "v_bias", "o_bias", "mask")
KEPT = {"rotary", "scale", "added", "distance", "qk_norm", "softmax", "cut", "merge", "output"}
SOFTMAX, NORMS = ("keys", "plus_one"), ("none", "rms")


def as_module(design: Design, sizes: Sizes, parts: dict[str, Tensor], norms: dict[str, Norm]) -> MultiHeadAttention:
    """The module that computes a design; a causal mask is given with its calls.

    Raises:
        ValueError: If the package has no counterpart.
    """
    defaults = Design()
    for key, value in design.values_of_choices():
        if key not in SAME and key not in KEPT and value != getattr(defaults, key):
            raise _without(key, value)
    if design.mask not in ("none", "causal"):
        raise _without("mask", design.mask)
    if design.softmax not in SOFTMAX:
        raise _without("softmax", design.softmax)
    if design.qk_norm not in NORMS or (design.qk_norm == "rms" and norms.get("q_norm", Norm(False, 0)).centred):
        raise _without("qk_norm", design.qk_norm)
    if design.scale == "tokens":
        raise _without("scale", "tokens")
    if "view" in (design.cut, design.merge):
        raise _without("cut", "view")
    matrices = (
        {role: parts[role] for role in "qkv"} if "q" in parts else dict.fromkeys("qkv", torch.eye(sizes.d_model))
    )
    roles = {"q": design.scores[0], "k": design.scores[1], "v": design.values}
    position = _position(design, parts)
    biases = {
        f"{to}_bias": parts.get(f"{role}_bias") if getattr(design, f"{role}_bias") == "added" else None
        for to, role in roles.items()
    }
    has_output = "o" in parts and design.output == "projected"
    o_bias = parts.get("o_bias") if has_output and design.o_bias == "added" else None
    norm = RMSNorm(norms.get("q_norm", Norm(centred=False, eps=1e-6)).eps)
    made = MultiHeadAttention(
        sizes.d_model, sizes.num_heads, num_kv_heads=sizes.num_kv_heads, d_head=sizes.d_head,
        scale=factor(design.scale, sizes, 1), position=position, qk_norm=norm if design.qk_norm == "rms" else False,
        zero_sink=design.softmax == "plus_one", output_projection=has_output, o_bias=o_bias is not None,
        q_bias=biases["q_bias"] is not None, k_bias=biases["k_bias"] is not None, v_bias=biases["v_bias"] is not None,
        dtype=torch.float64,
    )  # fmt: skip
    order = {
        role: _order(design.cut, sizes.num_heads if role == "q" else sizes.num_kv_heads, sizes.d_head)
        for role in "qkv"
    }
    state = made.state_dict()
    state["in_weight"] = torch.cat([matrices[roles[to]].double()[order[to]] for to in "qkv"])
    state |= {name: bias[order[name[0]]] for name, bias in biases.items() if bias is not None}
    if has_output:
        state["o_weight"] = parts["o"][:, _order(design.merge, sizes.num_heads, sizes.d_head)]
        state |= {"o_bias": o_bias} if o_bias is not None else {}
    elif design.merge == "every_hth":
        raise _without("merge", design.merge)
    if design.qk_norm == "rms":
        state |= {f"{side}_norm.weight": parts[f"{side}_norm"] for side in "qk" if f"{side}_norm" in parts}
    if isinstance(position, Learned):
        state["added_position.table"] = parts["positions"]
    made.load_state_dict(state)
    return made


def _order(cut: str, heads: int, d_head: int) -> Tensor:
    """Where each coordinate of heads side by side is found."""
    places = torch.arange(heads * d_head)
    return places.view(d_head, heads).t().reshape(-1) if cut == "every_hth" else places


def _position(design: Design, parts: dict[str, Tensor]) -> Position:
    chosen = [key for key in ("rotary", "added", "distance") if getattr(design, key) != "none"]
    if not chosen:
        return NoPosition()
    kind, _, number = getattr(design, chosen[0]).partition(":")
    made: dict[str, Position] = {
        "neighbours": Rotary(float(number or 1)),
        "halves": Rotary(float(number or 1), halves=True),
        "sinusoidal": Sinusoidal(),
        "learned": Learned(len(parts.get("positions", ())) or 1),
        "alibi": Alibi(),
    }
    if len(chosen) > 1 or kind not in made:
        raise _without(chosen[-1], getattr(design, chosen[-1]))
    return made[kind]


def _without(key: str, value: str) -> ValueError:
    return ValueError(f"{BY_KEY[key].title}: {BY_KEY[key].says(value)}: this package has no such attention.")
