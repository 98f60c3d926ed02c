"""What was trained where half of the time there is nothing to look at: weight on the first word, kind by kind."""

from typing import Any

from attention_core.figures.matrix import Axis, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.figures.said import said
from attention_core.figures.theme import Role, Tone
from attention_core.language import gettext as _
from attention_core.measuring.number_format import percent
from attention_core.studies.worth import NAMES, GateResult
from attention_core.studies.worth.gate import answers_best

STYLES: tuple[tuple[Role | Tone, bool], ...] = (("accent", False), ("ink", False), ("ink", True), ("muted", False))


def gate_view(result: GateResult) -> MatrixView:
    """Weight on the first word of those that ask for nothing, in each kind and run, and how it came there.

    Args:
        result: What was trained.
    """
    names = tuple(str(name) for name in NAMES.values())
    shared: dict[str, Any] = {
        "rows": Axis(title=_("trained with"), labels=names),
        "columns": Axis(title=_("run"), labels=tuple(str(at + 1) for at in range(result.config.runs))),
        "scale": "sequential", "limits": (0.0, 1.0),
    }  # fmt: skip
    first = MatrixPanel(
        title=_("Nothing to look at: weight on the first word"), values=result.first, quantity=_("weight"),
        cells="weight", **shared,
    )  # fmt: skip
    right = MatrixPanel(
        title=_("Answers that are right"), values=result.right, quantity=_("share"), cells="percent", **shared,
    )  # fmt: skip
    keys = MatrixPanel(
        title=_("Weight on all words together"), values=result.keys, quantity=_("weight"), cells="weight",
        note=_("What is left of 1 a sink has."), **shared,
    )  # fmt: skip
    opened = MatrixPanel(
        title=_("How far the gate is open"), values=result.opened, quantity=_("mean of σ(W_G x)"), cells="weight",
        note=_("1 where there is none."), **shared,
    )  # fmt: skip
    curves = LinesPanel(
        title=_("While it trains, mean over runs"), x=result.moments, x_title=_("steps"), y_title=_("weight"),
        series=tuple(
            Series(name=name, values=values, role=role, dashed=dashed)
            for name, values, (role, dashed) in zip(names, result.curves.mean(1), STYLES, strict=True)
        ),
        limits=(0.0, 1.0),
    )  # fmt: skip
    told = {"least": f"{result.first[0].min():.2f}", "right": percent(float(result.right[0].min()))}
    best = f"{result.first[0][answers_best(result.right)].min():.2f}"
    summary = said(
        result,
        "sink-gate",
        holds=_(
            "With nothing to look at softmax gives the first word {least} at least in the runs that answer best. "
            "With a sink or a gate it need not: see run by run.",
            least=best,
        ),
        fails=_(
            "Here every word says something. Softmax gives the first one as little as {least}, and in the worst run "
            "{right} of its answers are right.",
            **told,
        ),
        undecided=_(
            "With nothing to look at softmax gives the first word {least} at least in the runs that answer best.",
            least=best,
        ),
    )
    return MatrixView(panels=(first, right, curves, keys, opened), summary=summary, front=3, second=2)
