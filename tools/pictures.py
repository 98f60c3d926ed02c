"""The pictures of README.md and docs/, made anew: ``python -m tools.pictures``.

Each is a page of the app in a real browser, as it is drawn at that moment. One of them moves: a word is dragged, and
the rows follow. One is of a class that is opened for it: its wall, and a student's phone. These two have few colours
and are small, so that a page of words stays quick to load.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.classes import PANEL
from tests.browser.screens import PHONE, PROJECTOR
from tests.class_rooms.client import Api, Class
from tests.processes import ROOT, serving

DOCS: Final = ROOT / "docs"
WINDOW: Final = {"width": 1280, "height": 800}
STILL: Final = {"scaling": "?scaling_answer=skipped&scaling_d_head=1024", "trained": "?trained_answer=skipped"}
MOVING, WIDE, COLOURS = "permutation", 800, 128
FRAME_MS, STEPS, REST = 80, 16, 14  # of a drag, and frames after it in which the rows move to their places
LESSON: Final = Course(
    title="Why scores are scaled",
    steps=(Step(page="scaling", lesson=Lesson(questions="This page's question")), Step(page="masks")),
)
FIRST, SECOND = (9, 5, 3, 6), (2, 1, 1, 19)  # of the other students how many give each answer, in the two votes
GAP = 24  # between wall and phone
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


def of_class(browser: Any, app: str) -> Image.Image:
    """The wall of a class while the counts of a question stand, and a phone of one who changed the answer."""
    wall, phone = (browser.new_page(**screen, color_scheme="light") for screen in (PROJECTOR, PHONE))
    wall.goto(f"{app}/scaling?course={LESSON.encode()}&present=true")
    wall.get_by_role("button", name="Start a class").click()
    wall.locator(f"{PANEL} .wall .letters").wait_for()
    key = wall.locator(f"{PANEL} .wall .letters").inner_text()
    room = Class(Api(app), key, "")
    phone.goto(f"{app}/?class={key}")
    phone.locator(f"{PANEL} .line").get_by_text(key).wait_for()
    for next_step in ("Go on", "Ask", "Close the vote", "Ask again", "Close the vote", "Show the counts"):
        wall.locator(f"{PANEL} .next:enabled:visible").get_by_text(next_step, exact=True).click()
        if next_step.startswith("Ask"):
            vote(room, phone, SECOND if next_step == "Ask again" else FIRST)
    for page in (wall, phone):
        page.locator(f"{PANEL} table:visible").wait_for()
    shots = [Image.open(BytesIO(page.screenshot())).convert("RGB") for page in (wall, phone)]
    return beside(*shots)


def vote(room: Class, phone: Any, answers: Sequence[int]) -> None:
    """Have the phone vote, for the first answer and then for the last one, and all others who are here."""
    phone.locator(f"{PANEL} .answer").nth(0 if answers is FIRST else -1).click()
    phone.locator(f"{PANEL} .answer[aria-pressed=true]").wait_for()
    state = room.state()
    given = [answer for answer, count in enumerate(answers) for _ in range(count)]
    for place, answer in enumerate(given):
        voter = f"student-{place:08}"
        room.state(voter)  # who asks is here
        room.voted(voter, answer, state["question"]["name"], state["round"])


def beside(wall: Image.Image, phone: Image.Image) -> Image.Image:
    """A wall and a phone of its height beside it, in few colours."""
    phone = phone.resize((round(phone.width * wall.height / phone.height), wall.height), Image.Resampling.LANCZOS)
    both = Image.new("RGB", (wall.width + GAP + phone.width, wall.height), "white")
    both.paste(wall, (0, 0))
    both.paste(phone, (wall.width + GAP, 0))
    return both.quantize(COLOURS)


def main() -> None:
    """Make them all."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        with serving(ROOT / "app.py", Path(folder) / "log") as app:
            for name, query in STILL.items():
                picture(opened(browser, f"{app.url}/{name}{query}")).save(DOCS / f"{name}.png", optimize=True)
            of_class(browser, app.url).save(DOCS / "class.png", optimize=True)
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
