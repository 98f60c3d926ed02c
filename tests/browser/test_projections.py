"""Projections in a real browser: heads and layers under the hand, every question with a picture of its own."""

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_at_rest, pictures_of

pytestmark = pytest.mark.slow


def test_another_head_changes_every_matrix_and_the_link(visit: Callable, settled: Callable) -> None:
    page = visit("projections")
    before = pictures_at_rest(page)
    page.locator(".st-key-figure input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    after = pictures_at_rest(page)
    assert len(after) == len(before) == 3
    assert all(old != new for old, new in zip(before[:2], after[:2], strict=True))
    assert "projections_head=1" in page.url
    page.reload()
    page.wait_for_selector(".st-key-figure canvas")
    settled(page)
    assert page.locator(".st-key-figure input[type=range]").input_value() == "1"


def test_every_question_has_a_picture_of_its_own_and_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("projections")
    seen = set()
    for topic in ("tied matrices", "gauge freedom", "low rank", "rank collapse"):
        page.get_by_role("combobox", name="Question").click()
        page.get_by_role("option", name=topic, exact=True).click()
        settled(page)
        verdicts = page.locator(".st-key-finding").bounding_box()
        assert verdicts["y"] + verdicts["height"] <= 900, topic
        assert page.locator(".st-key-below canvas").count() == (0 if topic == "gauge freedom" else 1)
        seen.add(str(pictures_of(page)))
    assert len(seen) == 4


def test_walking_the_layers_collapses_the_words(visit: Callable, settled: Callable) -> None:
    page = visit("projections", "?projections_topic=rank+collapse")
    before = pictures_at_rest(page)
    page.locator(".st-key-figure input[type=range]").focus()
    page.keyboard.press("End")
    settled(page)
    alone, with_residual = pictures_at_rest(page)
    assert alone != with_residual
    assert alone not in before
    assert "projections_layer=12" in page.url
    assert re.search(r"Layer\s+12", page.locator(".st-key-figure .view").inner_text())
