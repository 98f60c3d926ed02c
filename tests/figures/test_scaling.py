"""Scaling as it is drawn: both factors at one scale, axes say what they are, what lies outside is said."""

import numpy as np
import pytest

from attention_core.figures.charts import view_figure
from attention_core.figures.matrix import LinesPanel
from attention_core.figures.svg import panel_svg
from attention_core.measuring.checks import ConfigError
from attention_core.studies.scaling import D_HEADS
from attention_core.studies.scaling.draw import (
    curves_view,
    scaling_view,
)
from tests.experiments.scaling_runs import run
from tests.figures.views import of, view_of


def test_a_gradient_that_is_still_asked_about_is_neither_drawn_nor_sent() -> None:
    waiting = scaling_view(of("picture"), 64).panels[2]
    assert isinstance(waiting, LinesPanel)
    assert (waiting.awaits, waiting.series, waiting.drawn.size) == ("your guess?", (), 0)
    (curve,) = curves_view(run(), "gradient", 64, awaited=True).panels
    assert (curve.awaits, curve.series, curve.note) == ("your guess?", (), "")
    assert all("your guess?" in panel_svg(one) for one in (waiting, curve))


def test_what_an_axis_cannot_show_is_said_and_a_size_that_is_not_there_is_refused() -> None:
    (panel,) = curves_view(run(num_keys=1), "gradient").panels
    assert "are not above 0, so a log axis cannot show them" in panel.warning
    assert not panel.series[0].values.any()
    with pytest.raises(ConfigError, match="a power of two"):
        curves_view(run(), "entropy", 0)


def test_the_export_holds_every_panel_of_the_size_that_is_looked_at() -> None:
    made, at = of("picture"), D_HEADS.index(64)
    figure = view_figure(view_of("scaling"), at)
    bars = [trace.y for trace in figure.data if trace.type == "bar"]
    heatmaps = [trace.z for trace in figure.data if trace.type == "heatmap"]
    assert (len(bars), len(heatmaps)) == (4, 2)
    for one in (made.chosen, made.beside):
        assert any(np.array_equal(drawn, one.ranked[at].astype(np.float32)) for drawn in bars)
        assert any(np.array_equal(drawn, one.scores[at].astype(np.float32)) for drawn in bars)
        assert any(np.array_equal(drawn, one.jacobian[at].astype(np.float32)) for drawn in heatmaps)
    assert all(len(axis.ticktext or ()) <= 12 for axis in figure.select_xaxes()), "labels on top of one another"
