"""Which values of each choice a module can have, by what was found of its weights; and walks through them."""

from collections.abc import Iterator, Sequence

import torch

from attention_core.identify.choices import BY_KEY, FAULT
from attention_core.identify.weights import Weights

BIASES = ("q_bias", "k_bias", "v_bias", "o_bias")


def possible(weights: Weights, layout: str, stored: str) -> dict[str, tuple[str, ...]]:
    """For each choice the values that can be."""
    parts, sizes = weights.layouts[layout, stored], weights.sizes
    found = {
        key: tuple(value for option in choice.options for value in option.values) for key, choice in BY_KEY.items()
    }
    found["layout"], found["stored"] = (layout,), (stored,)
    found["values"], found["scores"] = _sources(weights, layout, stored)
    for bias in BIASES:
        found[bias] = ("added", "left_out") if bias in parts else ("added",)
    if "positions" not in parts:
        found["added"] = tuple(value for value in found["added"] if value != "learned")
    if sizes.num_kv_heads == sizes.num_heads:
        found["groups"] = ("repeated",)
    found["qk_norm"] = _norms(weights, layout, stored)
    if sizes.d_head % 2:
        found["rotary"], found["turned_values"] = ("none",), ("no",)
    else:
        found["rotary"] = tuple(value for value in found["rotary"] if _turns(value, sizes.d_head))
    found["scale"] = tuple(value for value in found["scale"] if not value.startswith("own"))
    if "sink" not in parts:
        found["softmax"] = tuple(value for value in found["softmax"] if value != "sink")
    if "o" not in parts:
        found["output"] = ("projected",)
    elif sizes.num_kv_heads * sizes.d_head != sizes.d_model or sizes.width != sizes.d_model:
        found["output"] = ("projected", "left_out")
    if "norm" not in parts or parts["norm"].numel() != sizes.d_model:
        found["around"] = ("none", "residual")
    if (len(parts["o"]) if "o" in parts else sizes.width) != sizes.d_model:
        found["around"] = tuple(value for value in found["around"] if value in ("none", "pre"))
    if sizes.num_heads == 1:
        found["cut"] = found["merge"] = ("transpose",)
        found["softmax"] = tuple(value for value in found["softmax"] if value != "heads")
    return found


def _turns(value: str, d_head: int) -> bool:
    name, _, number = value.partition(":")
    return not name.startswith("part_") or int(float(number) * d_head) % 2 == 0 < int(float(number) * d_head)


def _sources(weights: Weights, layout: str, stored: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which matrices values, and queries and keys, can come from: those of fitting shape, each once."""
    parts = weights.layouts[layout, stored]
    if "q" not in parts:
        return ("v",), ("qk",)

    def same(one: str, other: str) -> bool:
        places = [
            parts[one],
            parts[other],
            *[parts[f"{role}_bias"] for role in (one, other) if f"{role}_bias" in parts],
        ]
        biases = places[2:]
        return torch.equal(places[0], places[1]) and (not biases or (len(biases) == 2 and torch.equal(*biases)))

    def first(role: str) -> str:
        return next(one for one in "qkv" if one == role or same(one, role))

    values = tuple(one for one in "vkq" if len(parts[one]) == len(parts["v"]) and (one == "v" or not same(one, "v")))
    pairs, seen = [], set()
    for option in BY_KEY["scores"].options:
        query, key = option.key
        kind = (first(query), first(key))
        if len(parts[query]) == len(parts["q"]) and len(parts[key]) == len(parts["k"]) and kind not in seen:
            seen.add(kind)
            pairs.append(option.key)
    return values, tuple(pairs)


def _norms(weights: Weights, layout: str, stored: str) -> tuple[str, ...]:
    parts, sizes = weights.layouts[layout, stored], weights.sizes
    if "q_norm" not in parts or "k_norm" not in parts:
        return ("none", "unit", "rms")
    centred = weights.norms["q_norm"].centred
    if parts["q_norm"].numel() == sizes.d_head:
        return ("none", "layer") if centred else ("none", "rms", "rms_after", "rms_plus_one")
    return ("none", "layer_of_all" if centred else "rms_of_all")


def is_fault(key: str, value: str) -> bool:
    """Whether a value of a choice is a fault."""
    return BY_KEY[key].option(value).kind == FAULT


def with_faults(keys: Sequence[str], values: dict[str, tuple[str, ...]], faults: int) -> Iterator[dict[str, str]]:
    """All ways to make the choices with so many faults, the usual ones first."""
    if not keys:
        if not faults:
            yield {}
        return
    key, *others = keys
    for value in values[key]:
        wrong = int(is_fault(key, value))
        if wrong <= faults:
            for rest in with_faults(others, values, faults - wrong):
                yield {key: value, **rest}
