"""The numbers of the bias pictures and curves as tables."""

from functools import singledispatch

from attention_core.figures.table import Table
from attention_core.studies.biases import (
    NAMES,
    AfterNormResult,
    AppendixResult,
    BiasesResult,
    BiasSizesResult,
    KeySweepResult,
    MeanResult,
    ShiftResult,
    TrainingResult,
)
from attention_core.studies.biases.draw.view import TERMS


def terms_table(result: BiasSizesResult, size: float) -> Table:
    """One row for each head, query and key: the four terms at one size.

    Raises:
        ValueError: If the size is not among those of the result.
    """
    terms = result.terms[result.sizes.index(size)]  # (4, heads, tokens, tokens)
    _, heads, n, _ = terms.shape
    return Table(
        ("head", "query slot", "query", "key slot", "key", *TERMS),
        tuple(
            (h + 1, i + 1, result.tokens[i], j + 1, result.tokens[j], *(float(term) for term in terms[:, h, i, j]))
            for h in range(heads)
            for i in range(n)
            for j in range(n)
        ),
    )


@singledispatch
def curve_table(result: object) -> Table:
    """The numbers a curve is drawn from.

    Args:
        result: What the curve is drawn from.

    Raises:
        TypeError: If no table is made of it.
    """
    raise TypeError(f"no table is made of {type(result).__name__}")


@curve_table.register
def biases_table(result: BiasesResult) -> Table:
    """One row for each bias: what taking it out changes, and its gradient."""
    return Table(
        ("bias", "scores change", "spread along a row", "weights change", "output changes", "‖∂L/∂b‖"),
        tuple(
            (NAMES[one.role], one.scores, one.spread, one.weights, one.output, one.gradient) for one in result.effects
        ),
    )


@curve_table.register
def size_table(result: KeySweepResult) -> Table:
    """One row for each precision and ‖b_K‖: the residual, its bound, and the share of weights that are NaN."""
    return Table(
        ("precision", "‖b_K‖", "largest change of a weight", "bound", "share NaN"),
        tuple(
            (
                dtype,
                size,
                float(result.residuals[i, step]),
                float(result.bounds[i, step]),
                float(result.nan_shares[i, step]),
            )
            for i, dtype in enumerate(result.dtypes)
            for step, size in enumerate(result.sizes)
        ),
    )


@curve_table.register
def _(result: ShiftResult) -> Table:
    parts = (result.residuals, result.bounds, result.naive)
    return Table(
        ("precision", "δ", "largest change of a weight", "bound", "naive softmax"),
        tuple(
            (dtype, shift, *(float(part[i, step]) for part in parts))
            for i, dtype in enumerate(result.dtypes)
            for step, shift in enumerate(result.shifts)
        ),
    )


@curve_table.register
def _(result: AfterNormResult) -> Table:
    return Table(
        ("norm", "mean part of b_O", "rest of b_O", "all of b_O", "bound"),
        tuple((one.norm, one.mean_part, one.rest, one.whole, one.bound) for one in result.survivals),
    )


@curve_table.register
def _(result: MeanResult) -> Table:
    rows = zip(result.samples, result.errors, result.expected_errors, strict=True)
    return Table(
        ("samples", "error of the mean", "standard error"),
        tuple((samples, float(error), float(expected)) for samples, error, expected in rows),
    )


@curve_table.register
def _(result: TrainingResult) -> Table:
    return Table(
        ("optimizer", "step", *(f"‖{name}‖" for name in NAMES.values())),
        tuple(
            (optimizer, step, *map(float, norms))
            for i, optimizer in enumerate(result.optimizers)
            for step, norms in enumerate(result.norms[i])
        ),
    )


@curve_table.register
def _(result: AppendixResult) -> Table:
    return Table(
        ("quantity", "published, float32", "measured, float32", "measured, float64"),
        tuple((str(row.quantity), row.published, row.float32, row.float64) for row in result.rows),
    )
