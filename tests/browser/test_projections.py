"""Projections in a real browser: heads and layers under the hand, every question with a picture of its own."""

import re
from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_at_rest

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


@pytest.mark.parametrize("topic", ["tied+matrices", "gauge+freedom", "low+rank", "rank+collapse"])
def test_every_question_ends_above_the_fold(topic: str, visit: Callable) -> None:
    page = visit("projections", f"?projections_topic={topic}")
    verdicts = page.locator(".st-key-finding").bounding_box()
    assert verdicts["y"] + verdicts["height"] <= 900
    assert page.locator(".st-key-below canvas").count() == (0 if topic == "gauge+freedom" else 1)


def test_a_lesson_may_fix_the_head(visit: Callable) -> None:
    from pages._shared.link import Lesson

    lesson = Lesson(fixed={"projections_head": 2}).encode()
    page = visit("projections", f"?lesson={lesson}")
    assert not page.locator(".st-key-figure input[type=range]").is_visible()
    assert page.get_by_text("Head: 2").count() == 1
