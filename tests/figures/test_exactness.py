"""Same or not? as it is drawn: what is asked is not given away, and what each call wrote is told once."""

import numpy as np
import pytest

from attention_core.figures.matrix import BarsPanel, LinesPanel, MatrixPanel
from attention_core.figures.svg import panel_svg
from attention_core.studies.exactness import BEGUN, Batch, ExactnessConfig, Speculation, run_exactness
from attention_core.studies.exactness.draw import exactness_view
from attention_core.studies.exactness.draw.parts import difference_panel


@pytest.mark.parametrize("seen", [False, True])
def test_where_a_word_changes_is_neither_drawn_nor_said_while_it_is_asked(seen: bool) -> None:
    config = ExactnessConfig(form="batch", seen=seen)
    result = run_exactness(config)
    view = exactness_view(config, result, awaited=True)
    ahead, changed, apart = view.panels
    assert isinstance(ahead, BarsPanel)
    assert (ahead.overlay, ahead.note) == (None, "")
    assert isinstance(changed, LinesPanel)
    assert (changed.awaits, changed.series) == ("your guess?", ())
    assert "your guess?" in panel_svg(changed)
    assert view.summary.endswith("?")
    answered = exactness_view(config, result)
    assert answered.summary != view.summary
    assert [panel.title for panel in answered.panels] == [panel.title for panel in view.panels]
    drawn = answered.panels[2]
    assert isinstance(apart, BarsPanel)
    assert isinstance(drawn, BarsPanel)
    assert (apart.values == drawn.values).all()


def test_a_word_that_changes_is_marked_under_the_line_in_the_precision_that_is_looked_at() -> None:
    config = ExactnessConfig(form="batch")
    result = run_exactness(config)
    part = result.part
    assert isinstance(part, Batch)
    ahead, changed, _apart = exactness_view(config, result).panels
    assert isinstance(ahead, BarsPanel)
    assert isinstance(changed, MatrixPanel)
    assert ahead.overlay is not None
    assert changed.values.sum() == part.changed.sum() > 0
    line = ahead.overlay[1][:, :1]
    assert (ahead.values < line)[changed.values.any(axis=1)].all()


@pytest.mark.parametrize("greedy", [False, True])
def test_each_word_is_of_one_call_and_each_distribution_is_whole(greedy: bool) -> None:
    config = ExactnessConfig(form="speculation", greedy=greedy)
    result = run_exactness(config)
    part = result.part
    assert isinstance(part, Speculation)
    written, likely, speed = exactness_view(config, result).panels
    assert isinstance(written, MatrixPanel)
    assert written.columns.labels == part.words[BEGUN:]
    assert (np.count_nonzero(written.values, axis=0) == 1).all()
    assert ((written.values == 0.5).sum(axis=1) == 1).all(), "each call ends with a word of its own"
    assert isinstance(likely, MatrixPanel)
    p, q, both, drawn = np.moveaxis(likely.values, 1, 0)
    assert np.allclose([each.sum(-1) for each in (p, q, drawn)], 1.0, atol=1e-6)
    assert np.allclose(both.sum(-1)[:, None], part.shares[:, None], atol=1e-6)
    assert np.allclose(drawn, p, atol=1e-6) != greedy
    assert isinstance(speed, LinesPanel)


@pytest.mark.parametrize(("moved", "is_said"), [([1e-16, 2e-16], False), ([1e-16, 0.0], True), ([0.0, 0.0], True)])
def test_where_a_difference_is_0_its_bar_is_said_to_be_missing(moved: list[float], is_said: bool) -> None:
    panel = difference_panel(np.array(moved), 1e-14, ("a", "b"))
    assert bool(panel.note) == is_said
