"""What the frame has around a picture stays where it is, whole and in reach, whatever is chosen."""

from collections.abc import Callable

import pytest

from pages._shared.registry import PAGES

NAMES = [page.name for page in PAGES]
LAPTOP = {"width": 1440, "height": 780}
# How much of each preset's button can be hit where it stands, in percent.
REACHED = """() => [...document.querySelectorAll(".st-key-presets [data-testid=stButtonGroup] button")].map((one) => {
  const { left, top, width, height } = one.getBoundingClientRect();
  const points = [0.1, 0.5, 0.9].map((at) => document.elementFromPoint(left + at * width, top + height / 2));
  return points.every((point) => one.contains(point));
})"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_a_preset_hides_no_other_and_moves_nothing(
    name: str, visit: Callable, settled: Callable
) -> None:
    page = visit(name, f"?{name}_answer=skipped", viewport=LAPTOP)
    buttons, remark = (
        page.locator(".st-key-presets [data-testid=stButtonGroup] button"),
        page.locator(".st-key-presets [data-testid=stMarkdown] p"),
    )
    tops = set()
    for preset in range(buttons.count()):
        buttons.nth(preset).click()
        settled(page)
        assert all(page.evaluate(REACHED))
        said, row = remark.bounding_box(), page.locator(".st-key-presets").bounding_box()
        assert said["x"] + said["width"] <= row["x"] + row["width"]
        tops.add(page.locator(".st-key-figure").bounding_box()["y"])
    assert len(tops) == 1
    assert buttons.count() >= 3
