"""What has to be true of a page wherever it is looked at."""

from itertools import pairwise
from typing import Any

from tests.browser.conftest import barriers, wait_until_settled
from tests.browser.locators import MAIN

# Streamlit's own arrow on a row of tabs that is wider than its room.
OWN = ("Scroll tabs right on", "svg on")
BACKGROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"


def check_words(page: Any, least: float) -> None:
    """Every word of the picture is at least so large, whole, inside its canvas, and lies on no other."""
    found = page.evaluate("probe.written()")
    drawn = [word for canvas in found["drawn"] for word in canvas]
    assert found["said"]
    assert drawn
    assert [(one["size"], one["text"]) for one in found["said"] + drawn if one["size"] < least - 0.01] == []
    assert [one["text"] for one in drawn if one["text"].endswith("…")] == []
    assert [one["text"] for one in drawn if _beyond(one)] == []
    assert [pair for canvas in found["drawn"] for pair in _overlaps(canvas)] == []
    assert [height for height in page.evaluate("probe.charts()") if height < 120] == []


def overlapping(page: Any) -> list[str]:
    """What can be seen to lie on something else, and what is cut."""
    found = page.evaluate("[...probe.overlaps(), ...probe.clipped().map((one) => `${one} is cut`)]")
    return [one for one in found if not one.startswith(OWN)]


def check_overlaps(page: Any, height: int) -> None:
    """Nothing lies on anything in a window of this height, while the page scrolls; in the end it is at its top."""

    def scroll(top: int) -> None:
        page.locator(MAIN).evaluate("(one, top) => one.scrollTo({ top, behavior: 'instant' })", top)
        wait_until_settled(page)

    whole, problems = page.locator(MAIN).evaluate("(one) => one.scrollHeight"), []
    for top in range(0, max(1, whole - height // 2), int(0.6 * height)):
        scroll(top)
        problems += [f"{top} down: {one}" for one in overlapping(page)]
    scroll(0)
    assert problems == []


def check_dark(page: Any) -> None:
    """What axe finds depends on the colours in its rule of contrast alone."""
    light = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(light) => {BACKGROUND} !== light", arg=light)
    wait_until_settled(page)
    found = barriers(page, "color-contrast")
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"(light) => {BACKGROUND} === light", arg=light)
    wait_until_settled(page)
    assert found == []


def _beyond(word: dict[str, Any]) -> bool:
    """Whether the canvas ends before the word does."""
    return any(not (-1 <= x <= word["width"] + 1 and -1 <= y <= word["height"] + 1) for x, y in word["corners"])


def _overlaps(words: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Words of one canvas that lie on each other."""
    return [
        (one["text"], other["text"])
        for i, one in enumerate(words)
        for other in words[i + 1 :]
        if not (_apart(one["corners"], other["corners"]) or _apart(other["corners"], one["corners"]))
    ]


def _apart(one: list[list[float]], other: list[list[float]]) -> bool:
    """Whether a side of one rectangle, turned as it may be, parts it from the other."""
    for (ax, ay), (bx, by) in pairwise(one):
        (ux, uy) = (bx - ax, by - ay)
        mine, theirs = ([x * ux + y * uy for x, y in corners] for corners in (one, other))
        if max(mine) <= min(theirs) or max(theirs) <= min(mine):
            return True
    return False
