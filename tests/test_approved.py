"""Approved outputs agree where only rounding differs, and nowhere else."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.approved import agree, approved_names, lines, of_test
from tests.processes import ROOT

STORED = [*Path(__file__).parent.glob("**/__snapshots__/*.ambr")]


def file_of(stored: Path) -> Path:
    """The file of tests of which something was approved, as pytest lists it."""
    return (stored.parents[1] / f"{stored.stem}.py").relative_to(ROOT)


@dataclass(frozen=True)
class Part:
    title: str
    values: np.ndarray
    note: str = ""


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    front: int | None = None


@pytest.mark.parametrize(
    ("text", "approved", "same"),
    [
        ("mean 0.4312", "mean 0.4313", True),
        ("mean 0.4312", "mean 0.4412", False),
        ("mean 0.4312", "median 0.4312", False),
        ("mean 0.4312", "mean −0.4312", False),
        ("36 of 36", "35 of 36", False),
        ("1,024 bytes", "1,025 bytes", False),
        ("1.5e-05", "1.5e-04", False),
        ("rgba(160,142,30,0.5)", "rgba(160,142,31,0.5)", False),
        ("a 1", "a 1 2", False),
        ("a #", "a 1", False),
        ("a\nb", "a b", False),
        ("head 2.1: 0.5", "head 2.2: 0.5", False),
        ("off by ≈0", "off by 0", True),
        ("off by ≈0", "off by 0.1", False),
        ("none leave exactly 0", "722 leave exactly 0", True),
        ("none leave more", "722 leave more", False),
        ("differ by **nothing (≈0, rounding)**", "differ by **nothing**", True),
        ("differ by **nothing (≈0, rounding)**", "differ by **0.1**", False),
        ("comes to ≈0 by SGD and 0.00302 by Adam", "comes to 0 by SGD and 0.00339 by Adam", True),
        ("comes to 0.1 by SGD and 0.00302 by Adam", "comes to 0.2 by SGD and 0.00302 by Adam", False),
        ("divided by the published one, is **1.01**", "divided by the published one, is **0.99**", True),
        ("divided by the other one, is **1.01**", "divided by the other one, is **0.99**", False),
    ],
)
def test_texts_agree_but_for_the_last_digit(text: str, approved: str, same: bool) -> None:
    assert agree(text, approved) is same


def test_a_view_is_lines_of_what_is_not_as_it_would_be_anyway() -> None:
    view = Whole(
        (Part("<b>", np.array([[1.0, -3e-17], [0.12345678, np.nan]])), Part("c", np.array([True, False]), "n"))
    )
    assert lines(view).split("\n") == [
        "Whole",
        "  parts:",
        "    0: Part: title: <b>; values: float64 2×2: 1 ≈0 0.1235 nan",
        "    1: Part: title: c; values: bool 2: #. 1 of 2; note: n",
    ]


def test_two_numbers_of_a_large_array_do_not_change_places_unnoticed() -> None:
    values = np.linspace(1, 2, 100)
    swapped = values.copy()
    swapped[[20, 60]] = values[[60, 20]]
    assert not agree(lines(values), lines(swapped))
    assert agree(lines(values), lines(values * (1 + 1e-7)))


def test_what_rounding_left_is_not_told_apart() -> None:
    assert lines("differ by 1.33×10⁻¹⁵ (rounding)") == lines("differ by 2×10⁻¹⁶ (rounding)")
    assert lines("`max = 1.33e-15`") == lines("`max = 2e-16`") != lines("`max = 2e-6`")
    assert lines("differ by 1.33×10⁻⁵") != lines("differ by 2.33×10⁻⁵")


@pytest.mark.slow
def test_all_that_is_approved_is_of_a_test_that_is_there() -> None:
    """Of those that another marker runs, too; what a test itself has left its fixture finds."""
    files = {of: approved_names(of) for of in map(file_of, STORED)}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-m", "", *map(str, files)]
    alone = os.environ | {"PYTEST_ADDOPTS": ""}  # which may say more of each test than its name
    listed = subprocess.run(
        command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    there = {of: [line.partition("::")[2] for line in listed if line.startswith(str(of))] for of in files}
    assert all(there.values())
    left = [name for of, names in files.items() for name in names if not any(of_test(name, one) for one in there[of])]
    assert left == []


def test_nothing_approved_speaks_of_one_as_of_several() -> None:
    approved = "\n".join(path.read_text("utf-8") for path in STORED)
    counted = re.findall(r"(?:\b(?:of|after|for|in) |[(|:] ?)1(?:\*\*)? [a-z]+s\b", approved)
    assert [words for words in counted if not words.endswith((" is", " was", " has"))] == []
    assert approved.count(" tokens") > 100
