"""What a move of the biases changed, in a sentence, measured from the results before and after it."""

from dataclasses import replace
from typing import Final

from attention_core.figures.text import bold
from attention_core.language import gettext as _
from attention_core.measuring.arrays import largest_difference
from attention_core.studies.biases import BiasesConfig, BiasSizesResult

# What is set of the biases alone: the module without them stays what it is.
_BIASES: Final = ("q_bias", "k_bias", "v_bias", "o_bias", "direction", "size")


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
    weights = largest_difference(was.weights[at], now.weights[to])
    output = largest_difference(was.output_change[at], now.output_change[to])
    felt_in_weights = not weights <= was.weight_bounds[at] + now.weight_bounds[to]
    felt_in_output = not output <= was.output_bounds[at] + now.output_bounds[to]
    by_weights = _("weights by up to {size}", size=bold(weights))
    by_outputs = _("outputs by up to {size}", size=bold(output))
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
