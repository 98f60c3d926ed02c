"""The first line below every picture: plain words, and no more numbers than one can find in the picture."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

from pages._shared.core.pages import PAGES
from attention_core.studies.anatomy.draw import STEP_NAMES
from tests.pages.read import built, link_of, page_of

NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
IDENTIFIER = re.compile(r"\w_\w|`|\w\.\w{2,}\(|\b[a-z]+-[a-z]+\.[a-z]")
VERDICT = re.compile(r"\b(holds?|fails?|theory|claim|verdict|undecided)\b")
BRIEF = {"learning": {"steps": 10}}  # its words do not depend on how long it trains


def states(name: str) -> list[Mapping[str, Any]]:
    """The opening state of a page, its question's move, its presets, and the steps of Anatomy."""
    page = page_of(name)
    steps = [{"step": step} for step in STEP_NAMES] if name == "anatomy" else []
    return [{}, page.predict.move, *(preset.settings for preset in page.presets), *steps]


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_the_first_line_is_plain(name: str) -> None:
    for settings in states(name):
        line = page_of(name).picture_of(*built(name, link_of(name, {**settings, **BRIEF.get(name, {})}))).summary
        assert line[-1] in ".?", line
        assert len(NUMBER.findall(line)) <= 2, line
        assert not IDENTIFIER.search(line), line
        assert not VERDICT.search(line), line
