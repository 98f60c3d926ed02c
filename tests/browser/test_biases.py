"""The biases page in a real browser: scrubbing repaints and sends once, switches reach every picture."""

import json
from collections.abc import Callable

import pytest

from attention_core.claims import statement
from tests.browser.conftest import pictures_of, sideways

pytestmark = pytest.mark.slow


def test_letting_the_size_go_moves_picture_link_and_verdicts(visit: Callable, settled: Callable) -> None:
    page = visit("biases")
    before, verdicts = pictures_of(page), page.locator(".st-key-finding").inner_text()
    slider = page.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    page.wait_for_url("**biases_size=0.1*")
    assert pictures_of(page) != before
    assert page.locator(".st-key-finding").inner_text() != verdicts


def test_a_switch_changes_the_picture_and_what_is_said_of_it(visit: Callable, settled: Callable) -> None:
    page = visit(
        "biases",
        "?biases_show=With+−+without+the+biases&biases_q_bias=false&biases_v_bias=false&biases_o_bias=false"
        "&biases_answer=skipped",
    )
    before = json.dumps(pictures_of(page))
    assert f"{statement('bias-k')} holds" in page.locator(".st-key-finding").inner_text()
    page.get_by_text("Rotary positions", exact=True).last.click()
    settled(page)
    page.get_by_text(f"{statement('bias-k')} does not hold").first.wait_for()
    assert json.dumps(pictures_of(page)) != before
    assert "biases_rotary=true" in page.url


@pytest.mark.parametrize("show", ["With+−+without+the+biases", "A+growing+key+bias&biases_key_size=1000000.0"])
def test_every_picture_ends_on_the_first_screen(show: str, visit: Callable) -> None:
    page = visit("biases", f"?biases_show={show}")
    box = page.locator(".st-key-finding").first.bounding_box()
    assert box["y"] + box["height"] <= 900
    assert sideways(page) == 0


MILLION = "?biases_show=growing&biases_key_size=1000000&biases_curve=key-size&biases_answer=skipped"


def test_a_million_stands_in_a_line_with_its_note_on_a_laptop(visit: Callable) -> None:
    page = visit("biases", MILLION, viewport={"width": 1440, "height": 780})
    panels = page.locator(".st-key-figure .panel")
    assert len({box["y"] for box in (panel.bounding_box() for panel in panels.all())}) == 1
    assert panels.count() == 4
    assert "At 4 of 28 steps values are NaN" in panels.nth(1).inner_text()


def test_a_million_can_be_read_on_a_phone(visit: Callable) -> None:
    page = visit("biases", MILLION, viewport={"width": 390, "height": 844}, has_touch=True)
    titles = page.locator(".st-key-figure .panel .title").all_inner_texts()
    assert titles == ["float64", "float16"]
    cells = page.locator(".st-key-figure .plot").evaluate_all("all => all.map((one) => Number(one.dataset.cell))")
    assert min(cells) >= 23
