"""The shortest code for each page stands alone, is short, and prints words and the numbers that make the point."""

import re
from importlib import import_module

import pytest

from pages._shared.core.pages import PAGES
from tests.experiments.snippets import run_snippets

EXPERIMENT = {page.name: page.name for page in PAGES} | {"masks": "masking"}  # where a page's numbers come from
SHORTEST = {
    page: import_module(f"attention_core.experiments.{experiment}").SHORTEST
    for page, experiment in EXPERIMENT.items()
}


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    return dict(zip(SHORTEST, run_snippets(list(SHORTEST.values())), strict=True))


def found(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w√])-?\d+(?:\.\d+)?(?:e[+-]\d+)?", text)]


@pytest.mark.parametrize("name", SHORTEST)
def test_it_is_short_and_says_what_it_prints(name: str, printed: dict[str, str]) -> None:
    code = SHORTEST[name]
    assert len([line for line in code.splitlines() if line]) <= 15
    assert max(map(len, code.splitlines())) <= 118
    for line in printed[name].splitlines():
        assert len(re.findall(r"[a-z]{3,}", line)) >= 2, line
        assert found(line), line


def test_the_numbers_make_the_point(printed: dict[str, str]) -> None:
    last = {name: [found(line)[-1] for line in text.splitlines()] for name, text in printed.items()}
    assert all(value < 1e-14 for value in last["permutation"])
    query, key, value = last["biases"]
    assert key < 1e-13 < 0.1 < min(query, value)
    unscaled, scaled = last["scaling"][::2], last["scaling"][1::2]
    assert unscaled == sorted(unscaled)
    assert unscaled[-1] > 0.9 > 0.2 > max(scaled)
    assert [found(line)[-2] for line in printed["receptive_field"].splitlines()] == [3, 9, 27]
    assert last["learning"][0] > 90
    counts = [found(line)[-2:] for line in printed["complexity"].splitlines()]
    assert [projections > scores for projections, scores in counts] == [True, False, False]
    assert last["masks"][0] == 0 < last["masks"][1]
    assert last["normalization"][1] < 1e-5
    assert found(printed["projections"].splitlines()[0])[0] == 6
