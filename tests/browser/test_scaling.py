"""The Scaling page in a real browser: d_head moved by hand, and the curves below."""

import json
from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_of

# The sizes that each canvas of the picture has had, asked after each task that changed anything.
SIZES = """() => {
  window.sizes = new Map();
  const look = () => {
    for (const one of probe.canvases()) {
      if (!sizes.has(one)) sizes.set(one, new Set());
      sizes.get(one).add(`${one.width} ${one.height}`);
    }
  };
  look();
  probe.onChange(look);
}"""


def test_the_picture_keeps_its_size_while_the_answers_are_computed(visit: Callable, settled: Callable) -> None:
    page = visit("scaling", "?scaling_num_keys=128&scaling_through_module=true&seed=4711")
    page.evaluate(SIZES)
    before = pictures_of(page)
    page.locator(".st-key-scaling_std [role=slider], .st-key-scaling_std input").first.press("ArrowRight")
    settled(page)
    assert pictures_of(page) != before
    shown = page.locator(".st-key-figure canvas").count()
    assert shown > 0
    assert page.evaluate("[...sizes.values()].map((one) => one.size)") == [1] * shown, "none twice, none drawn anew"


def test_letting_d_head_go_moves_every_picture_and_the_link_by_one_message(
    visit: Callable, settled: Callable
) -> None:
    page = visit("scaling")
    before = pictures_of(page)
    slider = page.locator(".st-key-figure input[type=range]").first
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_url("**scaling_d_head=4096**")
    settled(page)
    after = pictures_of(page)
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
        page.wait_for_selector(".st-key-scaling_curves canvas")
        settled(page)
        seen.add(json.dumps(pictures_of(page)[-1]))
    assert len(seen) == len(names)
