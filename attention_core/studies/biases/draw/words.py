"""What there is to see in the bias curves, in a sentence; and the proof, step by step, beside its numbers."""

from collections.abc import Iterable
from functools import singledispatch
from typing import Final

import numpy as np

from attention_core.figures.proof import ProofStep
from attention_core.figures.said import said, undone
from attention_core.language import AND, COMMA, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.measuring.verdict import Result
from attention_core.studies.biases import (
    NAMES,
    SHIFT,
    AfterNormResult,
    AppendixResult,
    BiasesResult,
    BiasSizesResult,
    KeySweepResult,
    MeanResult,
    ShiftResult,
    TrainingResult,
)

_COLOURED: Final = {"q": ":blue[b_Q]", "k": ":orange[b_K]", "v": ":green[b_V]", "o": ":violet[b_O]"}


@singledispatch
def curve_summary(result: object) -> str:
    """What the curve of ``result`` shows, in a sentence.

    Args:
        result: What a curve is drawn from.

    Raises:
        TypeError: If no curve is drawn from it.
    """
    raise TypeError(f"no curve is drawn from {type(result).__name__}")


@curve_summary.register
def _of_gradients(result: BiasesResult) -> str:
    if not result.effects:
        return _("There is no bias, and so no gradient of one.")
    top, key = max(result.effects, key=lambda one: one.gradient), result.effect("k")
    most = {"bias": NAMES[top.role], "gradient": format_number(top.gradient)}
    if key:
        return _(
            "The largest gradient is that of {bias}, {gradient}; that of the key bias is {key}.",
            **most,
            key=format_number(key.gradient),
        )
    return _("The largest gradient is that of {bias}, {gradient}.", **most)


@curve_summary.register
def _of_key_sizes(result: KeySweepResult) -> str:
    ends = _first_and_last(result.dtypes, result.residuals)
    return _("With a key bias of a million, weights move by {ends}.", ends=ends)


@curve_summary.register
def _of_shifts(result: ShiftResult) -> str:
    return shift_summary(result)


def shift_summary(result: ShiftResult, *, naive: bool = False) -> str:
    """What the curve of a shift shows, of softmax as it is computed or as it is written.

    Args:
        result: The shifts.
        naive: Whether softmax is as it is written.
    """
    ends = _first_and_last(result.dtypes, result.naive if naive else result.residuals)
    return _("Where all scores are a million larger, weights change by {ends}.", ends=ends)


def _first_and_last(dtypes: tuple[str, ...], values: np.ndarray) -> str:
    """The last of each row's values, in the most precise format and in the least."""
    first, last = (_("{number} in {dtype}", number=format_number(values[i][-1]), dtype=dtypes[i]) for i in (0, -1))
    return first if first == last else _("{first} and by {last}", first=first, last=last)


@curve_summary.register
def _of_norms(result: AfterNormResult) -> str:
    least = min(result.survivals, key=lambda one: max(one.mean_part, one.bound))  # what is less is rounding
    return _(
        "{norm} leaves {mean} of the output bias's mean part, and {rest} of the rest.",
        norm=least.norm,
        mean=format_number(least.mean_part),
        rest=format_number(least.rest),
    )


@curve_summary.register
def _of_means(result: MeanResult) -> str:
    ends = {"first": format_number(float(result.errors[0])), "last": format_number(float(result.errors[-1]))}
    return said(
        result,
        "bias-mean",
        holds=_(
            "The more samples, the nearer the mean of the queries comes to b_Q: first {first} off, at last {last}.",
            **ends,
        ),
        fails=_(
            "However many the samples, the mean of the queries stays away from b_Q: first {first} off, at last "
            "{last}.",
            **ends,
        ),
        undecided=_("The mean of the queries is first {first} off b_Q, at last {last}.", **ends),
    )


@curve_summary.register
def _of_training(result: TrainingResult) -> str:
    ends = [
        _("{number} by {optimizer}", number=format_number(result.key_bias(name)), optimizer=name)
        for name in result.optimizers
    ]
    return _("Trained from zero, the key bias comes to {ends}.", ends=joined(AND, ends))


@curve_summary.register
def _of_appendix(result: AppendixResult) -> str:
    row = max(result.rows, key=lambda one: one.published)
    sizes = {"published": format_number(row.published), "precise": format_number(row.float64)}
    exact = ("bias-appendix.exact-output", "bias-appendix.exact-weights")
    apart = _("The largest difference, {published} as published, is {precise} in float64.", **sizes)
    return said(
        result,
        *exact,
        holds=_(
            "With more bits the difference shrinks: the largest, {published} as published, is {precise} in float64.",
            **sizes,
        ),
        fails=apart,
        undecided=apart,
    )


def proof(
    result: BiasesResult, sizes: BiasSizesResult, size: float, shift: ShiftResult, told: Iterable[Result] = ()
) -> tuple[ProofStep, ...]:  # fmt: skip
    """The steps of the proof, each beside what was measured for it under these settings.

    Args:
        result: The claims at the size that is looked at.
        sizes: The module at every size.
        size: The size that is looked at.
        shift: Softmax of shifted scores.
        told: All that is told beside the claims; where a growing key bias is among it, what undoes them there.
    """
    measured = {one.key: f"`{format_number(one.measured)}`" for one in result.verdicts}

    def each(field: str, roles: str) -> str:
        found = [(role, result.effect(role)) for role in roles]
        said = [f"{_COLOURED[role]} `{format_number(getattr(one, field))}`" for role, one in found if one]
        return str(joined(COMMA, said)) if said else _("none, they are off")

    widest = sizes.spreads[sizes.sizes.index(size)].max(axis=-1)
    spreads = joined(COMMA, [f"`{format_number(float(spread))}`" for spread in widest])
    numbers = [format_number(row[-1]) for row in shift.residuals]
    left = joined(COMMA, [f"`{number}`" for number in numbers])
    return (
        ProofStep(
            _(
                "A score is a product of sums, (W_Q xᵢ + :blue[b_Q]) · (W_K xⱼ + :orange[b_K]), so it has four "
                "terms. In W_Q xᵢ · :orange[b_K] and :blue[b_Q] · :orange[b_K] there is no j: they are the same for "
                "every :orange[key] of a row."
            ),
            _(
                "Along a row the four terms vary by: {spreads}. Their sum misses the scores by {missed}.",
                spreads=spreads,
                missed=measured["bias-terms.sum"],
            ),
            undone(result, "bias-terms"),
        ),
        ProofStep(
            _(
                "Softmax does not see what a row has in common: e^(s + δ) / Σ e^(s + δ) = e^s / Σ e^s, for e^δ "
                "cancels. So weights and :violet[output] do not know the :orange[key] bias."
            ),
            _(
                "Scores raised by {shift:,.0f} move the weights by {moved}; the biases move them by: {biases}.",
                shift=SHIFT,
                moved=measured["softmax-shift"],
                biases=each("weights", "qk"),
            ),
            undone(result, "softmax-shift", "bias-k"),
        ),
        ProofStep(
            _(
                "The :green[value] bias is averaged with weights that sum to 1, Σⱼ aⱼ (vⱼ + :green[b_V]) = Σⱼ aⱼ vⱼ "
                "+ :green[b_V]: it passes through, and every :violet[output] gets the same vector W_O :green[b_V]."
            ),
            _(
                "It moves the output by: {moved}. All of that is W_O b_V, but for {rest}.",
                moved=each("output", "v"),
                rest=measured["bias-v"],
            )
            if result.effect("v")
            else _("The value bias is off."),
            undone(result, "bias-v"),
        ),
        ProofStep(
            _(
                "The :blue[query] bias asks the same extra question of every :orange[key]: :blue[b_Q] · W_K xⱼ "
                "differs from key to key, so it stays. The *Notes on attention bias* (2025), whose appendix is a "
                "preset here, prove just this. Two of their sentences say otherwise: the conclusion, that query and "
                "key bias matter, where it must be query and value bias; and a paragraph before the proof, that "
                "softmax removes the query bias too, and LayerNorm the key bias."
            ),
            _("The output moves by: {moved}.", moved=each("output", "qk")),
            undone(result, "bias-q"),
        ),
        ProofStep(
            _(
                "Where nothing can be felt, nothing can be learnt: the rows of ∂L/∂s sum to 0, and ∂L/∂:orange[b_K] "
                "is made of these sums. It gets no signal. That is not to say that it never moves: Adam divides by "
                "the size of the gradient and can turn rounding into steps, as the curve *Training* shows."
            ),
            _("‖∂L/∂b‖: {gradients}.", gradients=each("gradient", "qkvo")),
            undone(result, "bias-k-grad"),
        ),
        ProofStep(
            _(
                "All of this is exact on paper. A computer rounds each score to the digits that its size leaves: the "
                "larger what cancels, the fewer digits are left for what does not."
            ),
            _(
                "Scores raised by 10⁶ move the weights, from the most precise format to the least, by: {left} "
                "(NaN: 10⁶ lies beyond float16's largest number).",
                left=left,
            )
            if "NaN" in numbers
            else _(
                "Scores raised by 10⁶ move the weights, from the most precise format to the least, by: {left}.",
                left=left,
            ),
            str(sentences(undone(one, "bias-k") for one in told if isinstance(one, KeySweepResult))),
        ),
    )


def training_step(single: TrainingResult, precise: TrainingResult) -> ProofStep:
    """What training does to a bias without a signal.

    Args:
        single: Training in single precision.
        precise: The same in the most precise format.
    """

    def ends(result: TrainingResult) -> str:
        each = [f"{name} `{format_number(result.key_bias(name))}`" for name in result.optimizers]
        return _("{dtype}: {sizes}", dtype=result.provenance.dtype, sizes=joined(COMMA, each))

    return ProofStep(
        _(
            "Training shows it: b_K starts at 0, and its gradient is rounding. Gradient descent leaves it there. "
            "Adam divides each gradient by its own recent size, so rounding becomes steps as large as any, unless it "
            "is so small that Adam's ε = 10⁻⁸ hides it, as in the most precise format."
        ),
        _("‖b_K‖ at the end. {single}; {precise}.", single=ends(single), precise=ends(precise)),
        undone(single, "bias-k-grad"),
    )
