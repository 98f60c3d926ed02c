"""What every picture promises: axes say what they are, texts stay as they were typed, what is drawn was measured."""

import csv
import io
import json
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from attention_core.figures.charts import panel_figure, view_figure
from attention_core.figures.matrix import AreasPanel, BarsPanel, GraphPanel, LinesPanel, MatrixPanel, Panel
from attention_core.figures.plot import escape
from attention_core.figures.svg import view_svgs
from attention_core.figures.table import panel_table, table_csv
from tests.figures.views import SIX, STUDIES, TRAINED, WORDS, of, view_of, views
from tests.sweeps import some_by_day

pytestmark = pytest.mark.xdist_group("views")  # one worker draws them once for all

# Of each study the tokens that are typed, and its views that show none of them.
TYPED = {
    "anatomy": (SIX, ()),
    "biases": (SIX, ("gradients", "residuals", "shift", "mean", "training")),
    "projections": (WORDS, ("identity curves", "tied curves", "rank curves", "collapse curves")),
    "permutation": (SIX, ("residuals",)),
    "variants": (SIX, ("wiring", "bytes", "operations")),
    "trained": (TRAINED.spelled()[1], ("roles", "biases", "order", "scores", "depth")),
}
POWER = re.compile(r"\de[-−+]?\d")


def axes(panel: Panel) -> list[Any]:
    match panel:
        case MatrixPanel(rows=rows, columns=columns):
            return [rows, columns]
        case BarsPanel(labels=labels) | AreasPanel(labels=labels):
            return [labels]
        case GraphPanel(layers=layers, tokens=tokens):
            return [layers, tokens]
    return []


def limits(panel: Panel) -> list[tuple[float, float]]:
    match panel:
        case MatrixPanel():
            return [panel.colour_limits]
        case BarsPanel() | AreasPanel():
            return [panel.height_limits]
        case LinesPanel():
            return [panel.y_limits]
    return []


@pytest.mark.parametrize("study", some_by_day(STUDIES, of=3))
def test_axes_say_what_they_are_and_no_number_in_sight_has_an_e(study: str) -> None:
    for name, one in views(study).items():
        shown = [one.summary, *(one.sweep.values if one.sweep else ())]
        for panel, svg in zip(one.panels, view_svgs(one), strict=True):
            assert panel.title
            assert all(axis.title for axis in axes(panel)), name
            assert (panel.x_title and panel.y_title) if isinstance(panel, LinesPanel) else panel.quantity
            assert all(np.isfinite(ends).all() and ends[0] < ends[1] for ends in limits(panel)), name
            shown += ElementTree.fromstring(svg).itertext()
            table = panel_table(panel, one.steps - 1)
            (columns, *rows) = csv.reader(io.StringIO(table_csv(table).removeprefix("\ufeff")))
            assert all(len(row) == len(columns) == len(table.columns) for row in rows)
        assert not POWER.search(" ".join(shown)), name


@pytest.mark.parametrize("study", TYPED)
def test_texts_are_shown_as_they_were_typed(study: str) -> None:
    typed, without = TYPED[study]
    for name, one in views(study).items():
        figure = json.dumps(view_figure(one, one.steps - 1).to_dict(), ensure_ascii=False, default=repr)
        assert not any(markup in figure for markup in ("<b>x</b>", "%{z}", "$x$")), name
        panel_figure(one.panels[0], one.steps - 1, mode="dark")
        showing = 0
        for panel, drawn in zip(one.panels, view_svgs(one), strict=True):
            words = {text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")}
            for axis in axes(panel):
                if axis.title in ("query", "key", "token") and len(axis.labels) >= len(typed):
                    showing += 1
                    assert sorted(axis.labels[: len(typed)]) == sorted(typed)
                    assert {text for text in typed if len(text) < 12} <= words, "some are cut"
                    assert all(json.dumps(escape(text), ensure_ascii=False)[1:-1] in figure for text in typed)
        assert bool(showing) == (name not in without), name


# What is not approved to the digit: of each view the result it draws, and by title or name what of it is drawn.


def each(attribute: str, *titles: str) -> dict[str, str]:
    """One attribute for each title, numbered where it has a #."""
    return {title: attribute.replace("#", str(at)) for at, title in enumerate(titles)}


ALL = ("float64", "float32", "bfloat16", "float16")
DRAWN: dict[str, tuple[str, dict[str, str]]] = {
    "biases sizes": ("sweep", each("weights[#, :, 2]", *ALL)),
    "biases residuals": (
        "sweep", each("residuals[#]", *ALL) | each("bounds[#]", *(f"{name}, bound" for name in ALL))
    ),
    "biases shift": ("shift", each("residuals[#]", *ALL)),
    "biases training": (
        "training",
        each("norms[0, :, #]", "b_Q (SGD)", "b_K (SGD)", "b_V (SGD)", "b_O (SGD)")
        | each("norms[1, :, #]", "b_Q (Adam)", "b_K (Adam)", "b_V (Adam)", "b_O (Adam)"),
    ),
    "learning": (
        "learning",
        each("history.attention[:, 0, #]", "Layer 1, head 1", "Layer 1, head 2")
        | each("history.attention[:, 1, #]", "Layer 2, head 1", "Layer 2, head 2")
        | {"Accuracy, this model": "history.accuracy", "best without order": "history.blind",
           "chance": "history.chance", "Loss, this model": "history.loss", "guessing": "-np.log(0.2)"},
    ),
    "learning gradients": (
        "learning",
        each("np.sqrt((result.history.gradients**2).sum(1))[:, #]",
             "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"),
    ),
    "learning answer": (
        "answer",
        each("attention[0, #]", "Layer 1, head 1", "Layer 1, head 2")
        | each("attention[1, #]", "Layer 2, head 1", "Layer 2, head 2")
        | each("probabilities", "Its answer"),
    ),
}  # fmt: skip


def numbers(view: Any) -> dict[str, np.ndarray]:
    """What is drawn, by the title of its panel or the name of its curve, led by its panel's where two have it."""
    found: dict[str, np.ndarray] = {}
    for panel in view.panels:
        if isinstance(panel, LinesPanel):
            found |= {one.name: one.values for one in panel.series}
            found |= {f"{panel.title}, {one.name}": one.values for one in panel.series}
        elif isinstance(panel, BarsPanel | MatrixPanel):
            found[panel.title] = panel.values
    return found


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_drawn_was_measured(name: str) -> None:
    source, parts = DRAWN[name]
    found, result = numbers(view_of(name)), of(source)
    for title, attribute in parts.items():
        code = attribute if attribute.startswith(("np.", "-np.")) else f"result.{attribute}"
        wanted = np.asarray(eval(code, {"result": result, "np": np}), dtype=float)
        shape = found[title].shape
        np.testing.assert_allclose(found[title], np.broadcast_to(wanted, shape), rtol=1e-5, err_msg=title)
