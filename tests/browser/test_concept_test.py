"""The concept test in a real browser: answered by fingers, on a slide, in the dark; it leads to a page and back."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import DRAWN, barriers, sideways
from tests.browser.looks import check_dark, overlapping
from tests.browser.screens import LAPTOP, PHONE, PROJECTOR
from tests.sweeps import some_by_day

CHOICES = ".st-key-test_choices button"


def answer(page: Any, place: int) -> None:
    page.locator(CHOICES).nth(place).click()
    page.locator(".st-key-_concept_test_next button").wait_for()


@pytest.mark.parametrize("screen", some_by_day([PHONE, LAPTOP]), ids=["phone", "laptop"])
def test_a_question_fits_is_answered_and_is_accessible(
    screen: dict[str, Any], visit: Callable, settled: Callable
) -> None:
    page = visit("concept_test", "?concept_test_form=2", **screen)
    assert page.locator(CHOICES).count() == 4
    assert all(page.locator(CHOICES).nth(place).bounding_box()["height"] >= 44 for place in range(4))
    answer(page, 1)
    settled(page)
    assert page.locator(CHOICES).count() == 0
    assert sideways(page) == 0
    assert overlapping(page) == []
    assert barriers(page) == []
    check_dark(page)
    way_on = page.locator(".st-key-_concept_test_next button").bounding_box()
    assert way_on["y"] + way_on["height"] <= screen["viewport"]["height"], "in sight without scrolling"


def test_it_leads_to_the_picture_that_shows_why_and_back(visit: Callable, settled: Callable) -> None:
    page = visit("concept_test", **LAPTOP)
    answer(page, 0)
    page.get_by_role("link", name="See why: Images").click()
    page.wait_for_url("**/images?*images_answer=skipped*")
    page.wait_for_selector(DRAWN)
    settled(page)
    page.go_back()
    page.locator(".st-key-_concept_test_next button").wait_for()
    assert page.locator(CHOICES).count() == 0, "the answer is still there"


def test_all_of_a_slide_can_be_read_from_afar(visit: Callable, settled: Callable) -> None:
    page = visit("concept_test", "?concept_test_form=4&present=true", **PROJECTOR)
    answer(page, 1)
    settled(page)
    sizes = page.locator(".st-key-test_card").evaluate(
        "(card) => [...card.querySelectorAll('p, h3, small, [class*=small]')]"
        ".filter((one) => one.innerText.trim() && !one.closest('button, a'))"
        ".map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 18
    way_on = page.locator(".st-key-_concept_test_next button").bounding_box()
    assert way_on["y"] + way_on["height"] <= 720
