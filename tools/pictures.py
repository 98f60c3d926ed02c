"""The pictures of README.md and docs/, made anew: ``python -m tools.pictures``.

Each is a page of the app in a real browser, as it is drawn at that moment; one of them moves: a word is dragged, and
the rows follow. The moving one has few colours and is small, so that a page of words stays quick to load.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.processes import ROOT, serving

DOCS: Final = ROOT / "docs"
WINDOW: Final = {"width": 1280, "height": 800}
STILL: Final = {"scaling": "?scaling_answer=skipped&scaling_d_head=1024", "trained": "?trained_answer=skipped"}
MOVING, WIDE, COLOURS = "permutation", 800, 128
FRAME_MS, STEPS, REST = 80, 16, 14  # of a drag, and frames after it in which the rows move to their places
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
MAIN = "[data-testid=stMain]"


def opened(browser: Any, url: str) -> Any:
    """A page at rest, with nothing moving that nobody has touched."""
    page = browser.new_page(viewport=WINDOW, color_scheme="light")
    page.goto(url)
    page.wait_for_selector(READY)
    page.wait_for_selector("canvas")
    page.wait_for_timeout(3_000)
    return page


def picture(page: Any) -> Image.Image:
    """What the page shows beside its navigation."""
    return Image.open(BytesIO(page.locator(MAIN).screenshot())).convert("RGB")


def dragging(page: Any) -> Iterator[Image.Image]:
    """The frames of a drag: the second word is taken behind the last one, and the rows follow."""
    chips = page.locator(".chip")
    taken, last = chips.nth(1).bounding_box(), chips.last.bounding_box()
    x, y = taken["x"] + taken["width"] / 2, taken["y"] + taken["height"] / 2
    way = last["x"] + last["width"] - x
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(STEPS + 1):
        page.mouse.move(x + way * step / STEPS, y)
        yield frame(page)
    page.mouse.up()
    for _ in range(REST):
        yield frame(page)


def frame(page: Any) -> Image.Image:
    """One frame, as wide as a page of words."""
    shot = Image.open(BytesIO(page.locator(MAIN).screenshot(animations="allow"))).convert("RGB")
    return shot.resize((WIDE, round(shot.height * WIDE / shot.width)), Image.Resampling.LANCZOS)


def main() -> None:
    """Make them all."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        with serving(ROOT / "app.py", Path(folder) / "log") as app:
            for name, query in STILL.items():
                picture(opened(browser, f"{app.url}/{name}{query}")).save(DOCS / f"{name}.png", optimize=True)
            first, *frames = dragging(opened(browser, f"{app.url}/{MOVING}?{MOVING}_answer=skipped"))
            few = first.quantize(COLOURS, kmeans=1)  # or the few pixels of a role lose its colour
            few.save(
                DOCS / f"{MOVING}.gif", save_all=True, loop=0, optimize=True,
                append_images=[one.quantize(palette=few) for one in frames],
                duration=[FRAME_MS] * len(frames) + [2_500],
            )  # fmt: skip
        browser.close()
    for path in sorted(DOCS.glob("*.png")) + sorted(DOCS.glob("*.gif")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
