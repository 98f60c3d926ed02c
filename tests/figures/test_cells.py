"""What stands in a cell and beside an axis: one table of cases, which the browser's side is held to as well."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_core.figures.cells import Cells, decimals, format_cell
from attention_core.measuring.number_format import format_number, format_tick

CASES = json.loads(Path(__file__).with_name("numbers.json").read_text("utf-8"))


@pytest.mark.parametrize(("value", "text"), CASES["numbers"])
def test_a_number_has_three_digits_and_real_powers(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(("value", "text"), CASES["ticks"])
def test_a_tick_has_no_digit_too_many(value: float, text: str) -> None:
    assert format_tick(value) == text


@pytest.mark.parametrize(("value", "cells", "places", "text"), CASES["cells"])
def test_a_cell_is_a_glance(value: float, cells: Cells, places: int | None, text: str) -> None:
    assert format_cell(value, cells, places) == text


@pytest.mark.parametrize("cells", ["weight", "percent", "score", "count", "allowed"])
def test_what_is_no_number_is_named_in_every_cell(cells: Cells) -> None:
    assert [format_cell(value, cells, 1) for value in (np.nan, np.inf, -np.inf)] == ["NaN", "∞", "−∞"]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([0.0], 1), ([4.6, -0.1], 1), ([0.5], 1), ([-0.5, 0.1], 1), ([0.31, 0.28], 2), ([0.031, -0.002], 3),
        ([0.0042], 4), ([0.0009], None), ([3e-17], None), ([999.4], 1), ([-1000.0], 0), ([np.nan, np.inf, 2.0], 1),
        ([np.nan], 1),
    ],
)  # fmt: skip
def test_scores_have_as_many_decimals_as_tell_them_apart(values: list[float], wanted: int | None) -> None:
    assert decimals(np.array(values)) == wanted
