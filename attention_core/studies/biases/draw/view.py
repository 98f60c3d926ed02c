"""How the bias experiments are drawn on the canvas: four terms, with − without, growing ‖b_K‖, gradients."""

from typing import Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView, Sweep
from attention_core.figures.panels import AVERAGE, data_limits, of_head
from attention_core.figures.said import outcome, said
from attention_core.figures.theme import Role
from attention_core.language import AND, COMMA, gettext_lazy, joined, listed
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.biases import NAMES, BiasesResult, BiasSizesResult, KeySweepResult
from attention_core.studies.biases.draw.words import curve_summary

GRADIENTS: Final = gettext_lazy("Gradients of the biases")
ROLE_OF: Final[dict[str, Role]] = {"q": "query", "k": "key", "v": "value", "o": "output"}
RIGHT: Final = 1e-3  # a difference of weights below what their numbers show
VISIBLE: Final = 0.05  # one that an eye sees in a colour
TERMS: Final = ("W_Q xᵢ · W_K xⱼ", "W_Q xᵢ · b_K", "b_Q · W_K xⱼ", "b_Q · b_K")


def terms_view(
    result: BiasSizesResult, found: BiasesResult, head: str = AVERAGE, *, awaited: bool = False
) -> MatrixView:
    """The four terms of the scores, their sum and the weights that softmax makes of it, at every size of the biases.

    Args:
        result: The module at every size.
        found: The claims at the size that is looked at.
        head: Number of the head that is drawn, from ``1``; or their average.
        awaited: Whether what softmax makes of a term is yet to be guessed.
    """
    terms = of_head(result.terms, head)  # (steps, 4, tokens, tokens)
    scores, weights = of_head(result.scores, head), of_head(result.weights, head)
    limits = data_limits(np.concatenate([terms.ravel(), scores.ravel()]), "diverging")
    rows, columns = _token_axes(result.tokens, terms.shape[-1])
    keys = _token_axes(result.tokens, weights.shape[-1])[1]
    return MatrixView(
        panels=(
            *(
                MatrixPanel(
                    title=title,
                    values=terms[:, i],
                    rows=rows,
                    columns=columns,
                    quantity=_in_head(_("score"), head),
                    scale="diverging",
                    limits=limits,
                    note=_term_note(result, found, i, awaited=awaited),
                )
                for i, title in enumerate(TERMS)
            ),
            MatrixPanel(
                title=_("Scores"),
                values=scores,
                rows=rows,
                columns=keys,
                quantity=_in_head(_("score"), head),
                scale="diverging",
                limits=limits,
            ),
            MatrixPanel(
                title=_("Weights"),
                values=weights,
                rows=rows,
                columns=keys,
                quantity=_in_head(_("weight"), head),
                scale="sequential",
                cells="weight",
            ),
        ),
        summary=_terms_summary(result, found, awaited=awaited),
        sweep=_size_sweep(result),
        front=2,
        signs=("+", "+", "+", "=", "→"),
    )


def _terms_summary(result: BiasSizesResult, found: BiasesResult, *, awaited: bool) -> str:
    """What softmax sees of the four terms."""
    if result.weights.shape[-1] == 1:
        return _("Scores are the sum of four such terms; the only key has weight 1, whatever its score.")
    if found.effect("k") is None:
        return _("Scores are the sum of four such terms; without a key bias two of them are 0.")
    if all(result.constant) and result.weights.shape[-1] == len(result.tokens):
        return _("Scores are the sum of four such terms; here all keys are equal, and so are their weights.")
    if awaited:
        return _("Scores are the sum of four such terms, and softmax makes the weights of them.")
    summary = said(
        found,
        "bias-terms.cancel",
        holds=_(
            "Scores are the sum of four such terms, and softmax cancels whatever is the same along a row: "
            "the two terms of the key bias."
        ),
        fails=_(
            "Scores are the sum of four such terms, and softmax cancels whatever is the same along a row; "
            "here the key's terms are not, and the key bias is felt."
        ),
        undecided=_(
            "Scores are the sum of four such terms; whether softmax cancels the two of the key bias cannot be told "
            "here."
        ),
    )
    if outcome(found, "bias-terms.cancel") == "holds" and outcome(found, "bias-k") == "fails":
        return _("{summary} It is felt all the same, as part of the queries.", summary=summary)
    return summary


def _term_note(result: BiasSizesResult, found: BiasesResult, term: int, *, awaited: bool) -> str:
    """What softmax sees of one of the four terms: the second and the fourth are the key bias's."""
    if not result.terms[:, term].any():
        return _("All 0: without that bias there is no such term.")
    if result.weights.shape[-1] == 1:
        return _("One key: softmax sees nothing.")
    if awaited:
        return _("The same along each row.") if result.constant[term] else _("Differs along each row.")
    if not result.constant[term]:
        return _("Differs along each row: softmax sees it.")
    if result.weights.shape[-1] > len(result.tokens):
        return _("The same for every word of a row, but not for the sink: softmax sees it.")
    return said(
        found,
        "bias-terms.cancel",
        holds=_("The same along each row: softmax cancels it."),
        fails=_("The same along each row; yet softmax sees it."),
        undecided=_("The same along each row."),
    )


def difference_view(result: BiasSizesResult, size: float, head: str = AVERAGE) -> MatrixView:
    """Scores, weights and output with − without the biases that are on, at every size.

    Args:
        result: The module at every size.
        size: The size that is looked at.
        head: Number of the head that is drawn, from ``1``; or their average.
    """
    rows, keys = _token_axes(result.tokens, result.scores_change.shape[-1])
    features = Axis(
        title=_("feature"), labels=tuple(str(i + 1) for i in range(result.output_change.shape[-1])), role="output"
    )
    parts = (
        (
            "scores",
            _("Scores: with − without"),
            _in_head(_("change of the scores"), head),
            of_head(result.scores_change, head),
            keys,
            0.0,
        ),
        (
            "weights",
            _("Weights: with − without"),
            _in_head(_("change of the weights"), head),
            of_head(result.weights_change, head),
            keys,
            max(result.weight_bounds),
        ),
        (
            "output",
            _("Output: with − without"),
            _("change of the output"),
            result.output_change,
            features,
            max(result.output_bounds),
        ),
    )
    still = [name for name, *_words, values, _axis, bound in parts if np.abs(values).max() <= bound]
    return MatrixView(
        panels=tuple(
            MatrixPanel(
                title=title,
                values=values,
                rows=rows,
                columns=columns,
                quantity=quantity,
                scale="diverging",
                limits=(-bound, bound) if 0 < np.abs(values).max() <= bound else None,
                note=_("Zero up to rounding.") if name in still else "",
            )
            for name, title, quantity, values, columns, bound in parts
        ),
        summary=_moved_summary(result, result.sizes.index(size)),
        sweep=_size_sweep(result),
    )


def _moved_summary(result: BiasSizesResult, at: int) -> str:
    """What the biases that are on change, of scores, weights and output, at one step."""
    parts = (
        (_("scores"), result.scores_change, 0.0),
        (_("weights"), result.weights_change, result.weight_bounds[at]),
        (_("output"), result.output_change, result.output_bounds[at]),
    )
    largest = [(name, float(np.abs(values[at]).max()), bound) for name, values, bound in parts]
    moved, still = ([name for name, most, bound in largest if (not most <= bound) == on] for on in (True, False))
    places = {"moved": listed(moved), "still": listed(still)}
    if not moved:
        return _("With the biases or without them, scores, weights and output are the same but for rounding.")
    if not still:
        return _("With the biases the scores, weights and output change.")
    if moved == [_("output")]:
        return _("With the biases the {moved} changes; the {still} do not, but for rounding.", **places)
    if still == [_("output")]:
        return _("With the biases the {moved} change; the {still} does not, but for rounding.", **places)
    return _("With the biases the {moved} change; the {still} do not, but for rounding.", **places)


def size_view(result: KeySweepResult, head: str = AVERAGE) -> MatrixView:
    """Weights with a growing key bias in each precision.

    Args:
        result: The sweep over ‖b_K‖.
        head: Number of the head whose weights are drawn, from ``1``; or their average.
    """
    weights = of_head(result.weights, head)  # (dtypes, steps, tokens, keys)
    rows, columns = _token_axes(result.tokens, weights.shape[-1])
    panels = [
        MatrixPanel(
            title=dtype,
            values=weights[i],
            rows=rows,
            columns=columns,
            quantity=_in_head(_("weight"), head),
            scale="sequential",
            cells="weight",
            limits=(0.0, float(np.nanmax(weights))),
            note=_ends(result, dtype),
        )
        for i, dtype in enumerate(result.dtypes)
    ]
    return MatrixView(
        panels=tuple(panels),
        summary=_size_summary(result),
        sweep=Sweep(
            name="key_size",
            label=_("Size of the key bias, ‖b_K‖"),
            values=tuple(format_number(size) for size in result.sizes),
        ),
        front=min(2, len(panels)),  # a phone shows the others below
    )


def gradient_view(result: BiasesResult) -> MatrixView:
    """‖∂L/∂b‖ of each bias on a log axis, with what rounding explains of b_K's; exact zeros are named below.

    Args:
        result: The module with the biases that are on.
    """
    effects, bound = result.effects, result.gradient_bound
    explained = result.effect("k") is not None and bound > 0
    zero = [NAMES[one.role] for one in effects if one.gradient == 0]
    roles: tuple[Role, ...] = tuple(ROLE_OF[one.role] for one in effects)
    bars = BarsPanel(
        title=str(GRADIENTS),
        values=np.array([one.gradient for one in effects]),
        labels=Axis(title=_("bias"), labels=tuple(NAMES[one.role] for one in effects), formulas=True),
        quantity="‖∂L/∂b‖",
        log_y=True,
        overlay=(np.array([-0.5, len(effects) - 0.5]), np.array([bound, bound])) if explained else None,
        overlay_name=_("rounding explains b_K's up to here") if explained else "",
        role=roles,
        note=_("Exactly 0: {names}.", names=joined(COMMA, zero)) if zero else "",
    )
    return MatrixView(panels=(bars,), summary=curve_summary(result))


def _in_head(quantity: str, head: str) -> str:
    if head == AVERAGE:
        return _("{quantity}, average", quantity=quantity)
    return _("{quantity}, head {head}", quantity=quantity, head=head)


def _token_axes(tokens: tuple[str, ...], columns: int) -> tuple[Axis, Axis]:
    keys = (*tokens, _("(sink)")) if columns > len(tokens) else tokens
    return Axis(title=_("query"), labels=tokens, role="query"), Axis(title=_("key"), labels=keys, role="key")


def _size_sweep(result: BiasSizesResult) -> Sweep:
    return Sweep(
        name="size", label=_("Size of each bias, ‖b‖"), values=tuple(format_number(size) for size in result.sizes)
    )


def _ends(result: KeySweepResult, dtype: str) -> str:
    size, off = result.first_nan(dtype), float(result.residuals[result.dtypes.index(dtype), -1])
    if size is not None:
        return _("NaN from ‖b_K‖ = {size}: the keys overflow.", size=format_number(size))
    if off < RIGHT:
        return ""
    return _("At the largest size a head’s weights move by up to {off}.", off=format_number(off))


def _size_summary(result: KeySweepResult) -> str:
    """Which precisions still forget the largest key bias, where on paper all do."""
    ends = dict(zip(result.dtypes, result.residuals[:, -1].tolist(), strict=True))
    best = result.dtypes[0]
    if outcome(result, f"bias-k.{best}") == "fails":
        return _(
            "Here a key bias is felt: at the largest size it moves the weights by up to {most} in {dtype}.",
            most=format_number(ends[best]),
            dtype=best,
        )
    right = [name for name, off in ends.items() if off < RIGHT]
    near = [name for name, off in ends.items() if RIGHT <= off < VISIBLE]
    wrong = [name for name, off in ends.items() if off >= VISIBLE]
    broken = [name for name, off in ends.items() if np.isnan(off)]
    told = [
        _("right in {precisions}", precisions=joined(AND, right)) if right else "",
        _("slightly off in {precisions}", precisions=joined(AND, near)) if near else "",
        _("wrong in {precisions}", precisions=joined(AND, wrong)) if wrong else "",
        _("NaN in {precisions}", precisions=joined(AND, broken)) if broken else "",
    ]
    weights = _("At the largest size the weights are {told}.", told=joined(COMMA, told))
    if outcome(result, f"bias-k.{best}") == "holds":
        return _("On paper a key bias never matters. {weights}", weights=weights)
    return weights
