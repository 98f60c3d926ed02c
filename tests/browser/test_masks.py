"""Masks in a real browser: the picture follows the stack, its side and its view."""

import json
from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_of

pytestmark = pytest.mark.slow


def test_every_view_is_another_picture_and_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("masks")
    seen = set()
    for view in ("masks", "weights", "pad test", "−10000 or −∞", "a row without keys"):
        page.get_by_role("radio", name=view, exact=True).click()
        settled(page)
        seen.add(json.dumps(pictures_of(page)))
        verdicts = page.locator(".st-key-finding").bounding_box()
        assert verdicts["y"] + verdicts["height"] <= 900, view
    assert len(seen) == 5


def test_cells_of_sentences_of_any_length_are_of_one_size(visit: Callable) -> None:
    page = visit("masks", "?masks_sentences=extraordinarily+long+words+here+|+a+b")
    plots = page.locator(".st-key-figure .plot")
    sizes = plots.evaluate_all("all => all.map((one) => one.dataset.cell)")
    assert len(sizes) == 2
    assert len(set(sizes)) == 1
