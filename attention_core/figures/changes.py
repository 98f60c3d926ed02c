"""What a move changed, in a sentence, measured from the results before and after it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from attention_core.experiments.biases import BiasesConfig, BiasSizesResult
from attention_core.experiments.masking import MaskingResult
from attention_core.experiments.number_format import format_number
from attention_core.experiments.permutation import ShuffleConfig, ShuffleResult
from attention_core.experiments.receptive_field import AttendedKeys
from attention_core.experiments.scaling import ScalingPicture
from attention_core.figures.panels import Array

# What is set of the biases alone: the module without them stays what it is.
_BIASES: Final = ("q_bias", "k_bias", "v_bias", "o_bias", "direction", "size")


def shuffle_changed(
    before: tuple[ShuffleConfig, ShuffleResult], after: tuple[ShuffleConfig, ShuffleResult], *, output: bool = False
) -> str:
    """What moved with its tokens, and whether any number changed once each stands where its token stood.

    Args:
        before: A shuffle and its result.
        after: The same after the move.
        output: Whether outputs are looked at, which have no column for a key, rather than weights.
    """
    (old, was), (new, now) = before, after
    if (old.tokens, old.keys) != (new.tokens, new.keys):
        return "Other tokens, and so other numbers."
    bound = was.bound + now.bound
    weight, number = (
        _largest(one, other)
        for one, other in (
            (was.weights_undone, now.weights_undone),
            (was.output_undone, now.output_undone),
        )
    )
    rows, columns = _turned(old.query_order, new.query_order), _turned(old.key_order, new.key_order)
    moved = _moved(rows, columns, output=output)
    if max(weight, number) > bound:
        joined = ", and" if rows or columns else ", but"
        by = f"weights by up to {_said(weight)}, outputs by up to {_said(number)}"
        return f"{moved}{joined} numbers changed: {by}."
    told = f"{moved}; no number changed, but for rounding."
    if columns and not rows and _largest(was.output_after, now.output_after) <= bound:
        told += " The output's rows stand where they stood."
    return told


def _turned(old: tuple[int, ...], new: tuple[int, ...]) -> str:
    """Whether tokens moved from one order to another, or back into their own; empty where they did neither."""
    begun, ended = (order == tuple(range(len(order))) for order in (old, new))  # as is one that is empty
    if old == new or (begun and ended):
        return ""
    return "back" if ended else "moved"


def _moved(rows: str, columns: str, *, output: bool) -> str:
    """What the eye can follow of queries and keys that moved or went back."""
    again = "stand in their order again"
    if rows == columns:
        sides = "rows" if output else "rows and columns"
        return {"": "No token moved", "back": f"The {sides} {again}"}.get(
            rows, f"The {sides} moved with their tokens"
        )
    named, keys = ("keys", "") if output else ("columns", " with their keys")
    told = {
        "rows": {"moved": "the rows moved with their queries", "back": f"the rows {again}"}.get(rows),
        "columns": {"moved": f"the {named} moved{keys}", "back": f"the {named} {again}"}.get(columns),
    }
    said = " and ".join(text for text in told.values() if text)
    return said[:1].upper() + said[1:]


def biases_changed(before: tuple[BiasesConfig, BiasSizesResult], after: tuple[BiasesConfig, BiasSizesResult]) -> str:
    """Whether the move was felt in the weights and, where nothing but the biases moved, in the output.

    Args:
        before: The settings, and the module at every size of its biases.
        after: The same after the move.
    """
    (old, was), (new, now) = before, after
    at, to = was.sizes.index(old.size), now.sizes.index(new.size)
    if was.weights.shape[1:] != now.weights.shape[1:] or was.tokens != now.tokens:
        return "Other tokens or another number of keys, and so other numbers."
    weights = _largest(was.weights[at], now.weights[to])
    output = _largest(was.output_change[at], now.output_change[to])
    sizes = [
        ("weight", weights, was.weight_bounds[at] + now.weight_bounds[to]),
        ("output", output, was.output_bounds[at] + now.output_bounds[to]),
    ][: 2 if replace(old, **{name: getattr(new, name) for name in _BIASES}) == new else 1]
    felt = [f"{name}s by up to {_said(size)}" for name, size, bound in sizes if not size <= bound]
    kept = " and ".join(f"no {name}" for name, size, bound in sizes if size <= bound)
    if not felt:
        return f"{kept[:1].upper()}{kept[1:]} changed by more than rounding."
    return f"The move changed {' and '.join(felt)}" + (f"; {kept} changed by more than rounding." if kept else ".")


def scaling_changed(
    before: tuple[ScalingPicture, int], after: tuple[ScalingPicture, int], sizes: tuple[str, str],
    label: Callable[[str], str],
) -> str:  # fmt: skip
    """What became of the largest weight, with the chosen factor and with what stands beside it.

    Args:
        before: The picture and the step of ``D_HEADS`` that is looked at.
        after: The same after the move.
        sizes: d_head before and after, in words.
        label: From a factor's name to what people call it.
    """
    (was, at), (now, to) = before, after
    told, new = [], []
    for one in (now.chosen, now.beside):
        came = _said(one.largest_weight(to))
        then = next((side for side in (was.chosen, was.beside) if side.name == one.name), None)
        if then:
            told.append(f"{label(one.name)} from {_said(then.largest_weight(at))} to {came}")
        else:  # 1/√d_head is always one of the two, so there is never this alone
            new.append(f"{label(one.name)} it is now {came}")
    moved = f"From d_head = {sizes[0]} to {sizes[1]} the" if sizes[0] != sizes[1] else "The"
    return f"{moved} largest weight of this query went, {'; '.join(told + new)}."


def reach_changed(before: AttendedKeys, after: AttendedKeys) -> str:
    """How many inputs the last token sees from the top layer, before the move and after it.

    Args:
        before: Where the heads looked.
        after: Where they look.
    """
    (was, of), (now, all_) = ((int(one.reach_graph[-1, -1]), one.config.tokens) for one in (before, after))
    layers = after.config.layers
    up = f"{layers} layer{'s' * (layers > 1)} up the last token"
    if (was, of) == (now, all_):
        return f"{up[:1].upper()}{up[1:]} sees {now} of {all_} inputs, as many as before."
    return f"{up[:1].upper()}{up[1:]} now sees {now} of {all_} inputs; before it saw {was} of {of}."


def masks_changed(before: MaskingResult, after: MaskingResult) -> str:
    """How far real outputs move when the padding is replaced, before the move and after it.

    Args:
        before: The stack and its masks.
        after: The same after the move.
    """
    was, now = before.pad_moved, after.pad_moved
    if was == now:
        same = "still move none of the real outputs" if now == 0 else f"still move real outputs by {_said(now)}"
        return f"Other words in the padding's place {same}."
    told = "no real output any more" if now == 0 else f"real outputs by {_said(now)}"
    return f"Other words in the padding's place now move {told}; before {_said(was) if was else 'none'}."


def _largest(one: Array, other: Array) -> float:
    return float(np.abs(np.subtract(one, other, dtype=np.float64)).max(initial=0.0))


def _said(value: float) -> str:
    return f"**{format_number(value)}**"
