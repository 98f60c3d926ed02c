"""What there is to see in the bias curves, in a sentence; and the proof, step by step, beside its numbers."""

from functools import singledispatch
from typing import Final

from attention_core.experiments.biases import (
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
from attention_core.experiments.number_format import format_number
from attention_core.figures.proof import ProofStep

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
def _(result: BiasesResult) -> str:
    if not result.effects:
        return "There is no bias, and so no gradient of one."
    top, key = max(result.effects, key=lambda one: one.gradient), result.effect("k")
    most = f"The largest gradient is that of {NAMES[top.role]}, {format_number(top.gradient)}"
    return f"{most}; that of the key bias is {format_number(key.gradient)}." if key else f"{most}."


@curve_summary.register
def _(result: KeySweepResult) -> str:
    return f"With a key bias of a million, weights are off by {_first_and_last(result)}."


@curve_summary.register
def _(result: ShiftResult) -> str:
    return f"Where all scores are a million larger, weights change by {_first_and_last(result)}."


def _first_and_last(result: KeySweepResult | ShiftResult) -> str:
    ends = [f"{format_number(result.residuals[i][-1])} in {result.dtypes[i]}" for i in (0, -1)]
    return " and by ".join(dict.fromkeys(ends))


@curve_summary.register
def _(result: AfterNormResult) -> str:
    least = min(result.survivals, key=lambda one: one.mean_part)
    return (
        f"{least.norm} leaves {format_number(least.mean_part)} of the output bias's mean part, and "
        f"{format_number(least.rest)} of the rest."
    )


@curve_summary.register
def _(result: MeanResult) -> str:
    first, last = format_number(float(result.errors[0])), format_number(float(result.errors[-1]))
    return f"The more samples, the nearer the mean of the queries comes to b_Q: first {first} off, at last {last}."


@curve_summary.register
def _(result: TrainingResult) -> str:
    ends = " and ".join(f"{format_number(result.key_bias(name))} by {name}" for name in result.optimizers)
    return f"Trained from nothing, the key bias grows to {ends}."


@curve_summary.register
def _(result: AppendixResult) -> str:
    row = max(result.rows, key=lambda one: one.published)
    return (
        f"With more bits the difference shrinks: the largest, {format_number(row.published)} as published, is "
        f"{format_number(row.float64)} in float64."
    )


def proof(result: BiasesResult, sizes: BiasSizesResult, size: float, shift: ShiftResult) -> tuple[ProofStep, ...]:
    """The steps of the proof, each beside what was measured for it under these settings.

    Args:
        result: The claims at the size that is looked at.
        sizes: The module at every size.
        size: The size that is looked at.
        shift: Softmax of shifted scores.
    """
    measured = {one.key: f"`{format_number(one.measured)}`" for one in result.verdicts}

    def each(field: str, roles: str) -> str:
        found = [(role, result.effect(role)) for role in roles]
        said = [f"{_COLOURED[role]} `{format_number(getattr(one, field))}`" for role, one in found if one]
        return ", ".join(said) if said else "none, they are off"

    widest = sizes.spreads[sizes.sizes.index(size)].max(axis=-1)
    spreads = ", ".join(f"`{format_number(float(spread))}`" for spread in widest)
    left = ", ".join(f"`{format_number(row[-1])}`" for row in shift.residuals)
    return (
        ProofStep(
            "A score is a product of sums, (W_Q xᵢ + :blue[b_Q]) · (W_K xⱼ + :orange[b_K]), so it has four terms. "
            "In W_Q xᵢ · :orange[b_K] and :blue[b_Q] · :orange[b_K] there is no j: they are the same for every "
            ":orange[key] of a row.",
            f"Along a row the four terms vary by: {spreads}. Their sum misses the scores by "
            f"{measured['bias-terms.sum']}.",
        ),
        ProofStep(
            "Softmax does not see what a row has in common: e^(s + δ) / Σ e^(s + δ) = e^s / Σ e^s, for e^δ cancels. "
            "So weights and :violet[output] do not know the :orange[key] bias.",
            f"Scores raised by {SHIFT:,.0f} move the weights by {measured['softmax-shift']}; the biases "
            f"move them by: {each('weights', 'qk')}.",
        ),
        ProofStep(
            "The :green[value] bias is averaged with weights that sum to 1, Σⱼ aⱼ (vⱼ + :green[b_V]) = Σⱼ aⱼ vⱼ + "
            ":green[b_V]: it passes through, and every :violet[output] gets the same vector W_O :green[b_V].",
            f"It moves the output by: {each('output', 'v')}. All of that is W_O b_V, but for {measured['bias-v']}."
            if result.effect("v")
            else "The value bias is off.",
        ),
        ProofStep(
            "The :blue[query] bias asks the same extra question of every :orange[key]: :blue[b_Q] · W_K xⱼ differs "
            "from key to key, so it stays. The *Notes on attention bias* whose appendix is a preset here prove just "
            "this. Only their close errs in one name, saying that query and key bias matter where it must say query "
            "and value bias, and a paragraph before the proof has softmax remove the query bias too, and LayerNorm "
            "the key bias. The proof is right, and so is the measurement.",
            f"The output moves by: {each('output', 'qk')}.",
        ),
        ProofStep(
            "Where nothing can be felt, nothing can be learnt: the rows of ∂L/∂s sum to 0, and ∂L/∂:orange[b_K] is "
            "made of these sums. It gets no signal. That is not to say that it never moves: Adam divides by the size "
            "of the gradient and can turn rounding into steps, as the curve *Training* shows.",
            f"‖∂L/∂b‖: {each('gradient', 'qkvo')}.",
        ),
        ProofStep(
            "All of this is exact on paper. A computer rounds each score to the digits that its size leaves: the "
            "larger what cancels, the fewer digits are left for what does not.",
            f"Scores raised by 1e6 move the weights, from the most precise format to the least, by: {left}"
            + (" (NaN: 1e6 lies beyond float16's largest number)." if "NaN" in left else "."),
        ),
    )


def training_step(single: TrainingResult, precise: TrainingResult) -> ProofStep:
    """What training does to a bias without a signal.

    Args:
        single: Training in single precision.
        precise: The same in the most precise format.
    """

    def ends(result: TrainingResult) -> str:
        each = (f"{name} `{format_number(result.key_bias(name))}`" for name in result.optimizers)
        return f"{result.provenance.dtype}: {', '.join(each)}"

    return ProofStep(
        "Training shows it: b_K starts at 0, and its gradient is rounding. Gradient descent leaves it there. Adam "
        "divides each gradient by its own recent size, so rounding becomes steps as large as any, unless it is so "
        "small that Adam's ε = 1e-8 hides it, as in the most precise format.",
        f"‖b_K‖ at the end. {ends(single)}; {ends(precise)}.",
    )
