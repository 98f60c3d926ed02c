"""Distributions on one axis: what they must be, what a step of them is, and how they are written down."""

from typing import Any

import numpy as np
import pytest

from attention_core.figures.areas import Area, AreasPanel
from attention_core.figures.matrix import Axis, MatrixView, Sweep


def area(**more: Any) -> Area:
    """Two steps of two heights."""
    given: dict[str, Any] = {
        "name": "grey", "values": [[1, 2], [4, 0]], "edges": [[0, 1, 2], [0, 2, 4]], "role": "muted",
        "said": ("one", "two"), "bracket": [[0.5, 1.5], [1, 3]],
    }  # fmt: skip
    return Area(**given | more)


def panel(**more: Any) -> AreasPanel:
    violet = area(name="violet", role="accent", said=("three",), bracket=None)
    given = {"title": "Two", "areas": (area(), violet), "labels": Axis(title="score", labels=()), "span": (0.0, 4.0)}
    return AreasPanel(**given | {"quantity": "count"} | more)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"edges": [0, 1]}, "do not enclose"),
        ({"values": [[[1.0]]]}, "do not enclose"),
        ({"bracket": [1, 2, 3]}, "must have two ends"),
        ({"said": ("a", "b", "c")}, "says 3 texts; one, or one for each step"),
    ],
)
def test_an_area_that_does_not_fit_together_is_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        area(**wrong)


@pytest.mark.parametrize("wrong", [{"areas": ()}, {"span": (4.0, 0.0)}, {"areas": (area(), area().at(0))}])
def test_a_panel_needs_areas_of_the_same_steps_and_an_axis(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Two"):
        panel(**wrong)


def test_a_step_has_its_own_heights_edges_and_words_on_the_sweep_s_axes() -> None:
    whole = panel()
    view = MatrixView(panels=(whole,), summary="Two.", sweep=Sweep(name="d", label="d", values=("1", "2")))
    (still,) = view.at(1).panels
    assert isinstance(still, AreasPanel)
    assert (whole.steps, still.steps) == (2, None)
    assert still.height_limits == whole.height_limits == (0.0, 4.0)
    grey, violet = still.areas
    assert (grey.values.tolist(), grey.edges.tolist(), grey.bracket.tolist()) == ([4, 0], [0, 2, 4], [1, 3])
    assert (grey.said, violet.said) == (("two",), ("three",))
    assert still.place(0) == (3, 1), "at the end of its bracket, a quarter up"
    assert still.place(1) == (2, 4), "beside its top"


def test_heights_that_are_no_numbers_are_told() -> None:
    assert "1 is NaN" in panel(areas=(area(values=[[1, np.nan], [4, 0]]),)).warning
