"""The Scaling page in a real browser: d_head moved by hand, and the curves below."""

import json
from collections.abc import Callable

import pytest

from tests.browser.conftest import LOADED, PICTURES


def test_letting_d_head_go_moves_every_picture_and_the_link_by_one_message(
    visit: Callable, settled: Callable
) -> None:
    page = visit("scaling")
    before = page.evaluate(PICTURES)
    slider = page.locator(".st-key-figure input[type=range]").first
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_url("**scaling_d_head=4096**", timeout=LOADED)
    settled(page)
    after = page.evaluate(PICTURES)
    assert len(after) == len(before) == 9, "four pictures of each factor, and the curves"
    assert all(one != other for one, other in zip(after, before, strict=True)), "of the curves below, the mark"
    assert len(page.sent) == 1
    assert len(page.sent[0]) <= 2048


@pytest.mark.slow
def test_each_curve_is_another_picture(visit: Callable, settled: Callable) -> None:
    page = visit("scaling")
    names = ("variance", "max_weight", "gradient")
    seen = set()
    for name in names:
        page.goto(f"{page.url.split('?')[0]}?scaling_curve={name}")
        page.wait_for_selector(".st-key-scaling_curves canvas", timeout=LOADED)
        settled(page, LOADED)
        seen.add(json.dumps(page.evaluate(PICTURES)[-1]))
    assert len(seen) == len(names)
