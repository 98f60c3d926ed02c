"""The largest weight over the number of keys: it falls, unless the scores grow with it."""

from attention_core.figures.matrix import LinesPanel, MatrixView, Series
from attention_core.figures.said import said
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.scaling import Dilution, LengthsResult


def lengths_view(result: LengthsResult) -> MatrixView:
    """Largest weights with scores that do not grow, below what bounds them, and with scores that grow as ln n.

    Args:
        result: What was measured.
    """
    steady, growing = result.steady, result.growing
    series = [
        Series(name="× ln n ÷ √d", values=growing.largest, role="ink", pointed=True),
        Series(name="÷ √d", values=steady.largest, role="accent", pointed=True),
        Series(name="eᴰ / n", values=steady.bound, role="accent", dashed=True, pointed=True),
    ]
    if result.chosen.name not in (steady.name, growing.name):
        series.append(Series(name=_("chosen"), values=result.chosen.largest, role="muted", pointed=True))
    panel = LinesPanel(
        title=_("Largest weight of a query, over the number of keys"),
        x=result.lengths,
        x_title=_("keys, n"),
        y_title=_("mean a_max"),
        series=tuple(series),
        log_x=True,
        log_y=True,
        note=_("D: how far a query’s best score is above the mean of all, at most, at any n."),
    )
    return MatrixView(panels=(panel,), summary=lengths_said(result))


def lengths_said(result: LengthsResult) -> str:
    """What becomes of the largest weight, in a sentence."""
    numbers = {"many": format_number(float(result.chosen.largest[-1])), "keys": int(result.lengths[-1])}
    return said(
        result,
        "dilute",
        holds=_(
            "Long texts dilute attention: of {keys:,} keys the best has {many} of the weight.",
            **numbers,
        ),
        fails=_(
            "With scores that grow as log n long texts do not dilute attention: of {keys:,} keys the best still has "
            "{many} of the weight.",
            **numbers,
        ),
        undecided=_("Of {keys:,} keys the best has {many} of the weight.", **numbers),
    )


def lengths_table(result: LengthsResult) -> Table:
    """The largest weight and its bound at each number of keys."""
    curves = {one.name: one for one in (result.steady, result.growing, result.chosen)}
    return Table(
        ("scores", "keys", "largest weight, mean", "bound, mean", "queries above it"),
        tuple(
            (f"q·k · {name}", int(length), *_row(one, at))
            for name, one in curves.items()
            for at, length in enumerate(result.lengths)
        ),
    )


def _row(one: Dilution, at: int) -> tuple[float, float, int]:
    return float(one.largest[at]), float(one.bound[at]), int(one.above[at])
