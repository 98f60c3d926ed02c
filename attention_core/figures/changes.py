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
from attention_core.language import SEMICOLON, joined, ngettext
from attention_core.language import gettext as _

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
        return _("Other tokens, and so other numbers.")
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
        by = _("weights by up to {weights}, outputs by up to {outputs}", weights=_said(weight), outputs=_said(number))
        if rows or columns:
            return _("{moved}, and numbers changed: {by}.", moved=moved, by=by)
        return _("No token moved, but numbers changed: {by}.", by=by)
    told = _("{moved}; no number changed, but for rounding.", moved=moved)
    if columns and not rows and _largest(was.output_after, now.output_after) <= bound:
        return _("{told} The output's rows stand where they stood.", told=told)
    return told


def _turned(old: tuple[int, ...], new: tuple[int, ...]) -> str:
    """Whether tokens moved from one order to another, or back into their own; empty where they did neither."""
    begun, ended = (order == tuple(range(len(order))) for order in (old, new))  # as is one that is empty
    if old == new or (begun and ended):
        return ""
    return "back" if ended else "moved"


def _moved(rows: str, columns: str, *, output: bool) -> str:
    """What the eye can follow of queries and keys that moved or went back."""
    both = {
        ("", ""): _("No token moved"),
        ("moved", "moved"): _("The rows and columns moved with their tokens"),
        ("back", "back"): _("The rows and columns stand in their order again"),
        ("moved", ""): _("The rows moved with their queries"),
        ("back", ""): _("The rows stand in their order again"),
        ("", "moved"): _("The columns moved with their keys"),
        ("", "back"): _("The columns stand in their order again"),
        ("moved", "back"): _("The rows moved with their queries and the columns stand in their order again"),
        ("back", "moved"): _("The rows stand in their order again and the columns moved with their keys"),
    }
    of_output = {
        ("moved", "moved"): _("The rows moved with their tokens"),
        ("back", "back"): _("The rows stand in their order again"),
        ("", "moved"): _("The keys moved"),
        ("", "back"): _("The keys stand in their order again"),
        ("moved", "back"): _("The rows moved with their queries and the keys stand in their order again"),
        ("back", "moved"): _("The rows stand in their order again and the keys moved"),
    }
    return (both | of_output if output else both)[rows, columns]


def biases_changed(before: tuple[BiasesConfig, BiasSizesResult], after: tuple[BiasesConfig, BiasSizesResult]) -> str:
    """Whether the move was felt in the weights and, where nothing but the biases moved, in the output.

    Args:
        before: The settings, and the module at every size of its biases.
        after: The same after the move.
    """
    (old, was), (new, now) = before, after
    at, to = was.sizes.index(old.size), now.sizes.index(new.size)
    if was.weights.shape[1:] != now.weights.shape[1:] or was.tokens != now.tokens:
        return _("Other tokens or another number of keys, and so other numbers.")
    weights = _largest(was.weights[at], now.weights[to])
    output = _largest(was.output_change[at], now.output_change[to])
    felt_in_weights = not weights <= was.weight_bounds[at] + now.weight_bounds[to]
    felt_in_output = not output <= was.output_bounds[at] + now.output_bounds[to]
    by_weights = _("weights by up to {size}", size=_said(weights))
    by_outputs = _("outputs by up to {size}", size=_said(output))
    if replace(old, **{name: getattr(new, name) for name in _BIASES}) != new:
        told = (
            _("The move changed {what}.", what=by_weights)
            if felt_in_weights
            else _("No weight changed by more than rounding.")
        )
    elif felt_in_weights and felt_in_output:
        told = _("The move changed {weights} and {outputs}.", weights=by_weights, outputs=by_outputs)
    elif felt_in_weights:
        told = _("The move changed {what}; no output changed by more than rounding.", what=by_weights)
    elif felt_in_output:
        told = _("The move changed {what}; no weight changed by more than rounding.", what=by_outputs)
    else:
        told = _("No weight and no output changed by more than rounding.")
    return told


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
            went = _said(then.largest_weight(at))
            stayed = _("{factor} still {now}", factor=label(one.name), now=came)
            moved = _("{factor} from {before} to {now}", factor=label(one.name), before=went, now=came)
            told.append(stayed if went == came else moved)
        else:  # 1/√d_head is always one of the two, so there is never this alone
            new.append(_("{factor} it is now {now}", factor=label(one.name), now=came))
    factors = str(joined(SEMICOLON, told + new))
    if sizes[0] == sizes[1]:
        return _("The largest weight of this query: {factors}.", factors=factors)
    return _(
        "From d_head = {before} to {after} the largest weight of this query: {factors}. A single query may go either "
        "way, by chance: the curves over d_head are of many.",
        before=sizes[0], after=sizes[1], factors=factors,
    )  # fmt: skip


def reach_changed(before: AttendedKeys, after: AttendedKeys) -> str:
    """How many inputs the last token sees from the top layer, before the move and after it.

    Args:
        before: Where the heads looked.
        after: Where they look.
    """
    if before.config.soft or after.config.soft:  # the largest weights are not all that soft heads see
        return ""
    (was, of), (now, all_) = ((int(one.reach_graph[-1, -1]), one.config.tokens) for one in (before, after))
    layers = after.config.layers
    if (was, of) == (now, all_):
        return ngettext(
            "{count} layer up the last token sees {now} of {inputs} inputs, as many as before.",
            "{count} layers up the last token sees {now} of {inputs} inputs, as many as before.",
            layers, now=now, inputs=all_,
        )  # fmt: skip
    return ngettext(
        "{count} layer up the last token now sees {now} of {inputs} inputs; before it saw {was} of {of}.",
        "{count} layers up the last token now sees {now} of {inputs} inputs; before it saw {was} of {of}.",
        layers, now=now, inputs=all_, was=was, of=of,
    )  # fmt: skip


def masks_changed(before: MaskingResult, after: MaskingResult) -> str:
    """How far real outputs move when the padding is replaced, before the move and after it.

    Args:
        before: The stack and its masks.
        after: The same after the move.
    """
    was, now = before.pad_moved, after.pad_moved
    if was == now == 0:
        return _("Other words in the padding's place still move none of the real outputs.")
    if _said(was) == _said(now):
        return _("Other words in the padding's place still move real outputs by {size}.", size=_said(now))
    if now == 0:
        return _(
            "Other words in the padding's place now move no real output any more; before {size}.", size=_said(was)
        )
    if was == 0:
        return _("Other words in the padding's place now move real outputs by {size}; before none.", size=_said(now))
    return _(
        "Other words in the padding's place now move real outputs by {size}; before {before}.",
        size=_said(now), before=_said(was),
    )  # fmt: skip


def _largest(one: Array, other: Array) -> float:
    return float(np.abs(np.subtract(one, other, dtype=np.float64)).max(initial=0.0))


def _said(value: float) -> str:
    return f"**{format_number(value)}**"
