"""A class is led through a course's questions with nothing but a presenter's remote."""

import random
from collections.abc import Callable
from string import ascii_letters
from typing import Any

import pytest

from pages._shared.classes.panel import LONGEST
from pages._shared.lessons.course import MAX_ANSWER, Course, Step
from pages._shared.lessons.lesson import Lesson
from tests.browser.classes import PANEL, STEPS, says, start, vote
from tests.browser.conftest import APP
from tests.browser.locators import ALERT, CANVAS, MAIN, STRIP
from tests.browser.screens import PHONE, PROJECTOR

pytestmark = pytest.mark.xdist_group("live class")
OWN = "This page's question"
ASKED = (f"{OWN}\n\nDoes <b>it</b> grow?\nNo\n* Yes, $q$", "", OWN)
DRAW = random.Random(0)
COURSE = Course(
    title="Asked",
    steps=tuple(
        Step(page=page, lesson=Lesson(questions=asked), answer="".join(DRAW.choices(ascii_letters, k=MAX_ANSWER)))
        for page, asked in zip(("scaling", "masks", "biases"), ASKED, strict=True)
    ),
)


def press(teacher: Any, *names: str) -> None:
    """Send PageDown for each of these steps, once it is the one that is marked."""
    for name in names:
        teacher.locator(f"{PANEL} .main:enabled:visible").get_by_text(name, exact=True).wait_for()
        teacher.keyboard.press("PageDown")


def test_a_class_begins_on_the_slide_that_asks(serve: Callable, open_page: Callable) -> None:
    teacher = open_page(**PROJECTOR)
    teacher.goto(f"{serve(APP)}/permutation?course=order&present=true")
    teacher.get_by_role("heading", name="Reverse the keys").wait_for()
    start(teacher)
    assert teacher.locator(MAIN).evaluate("(one) => one.scrollTop") == 0
    code, bar = teacher.locator(f"{PANEL} .wall"), teacher.locator(f"{PANEL} .head")
    assert code.bounding_box()["y"] == 0, "the way in has all of the wall"
    press(teacher, "Go on", "Ask")
    says(teacher, ".wall.open h2", "^Reverse the keys")
    teacher.locator(f"{PANEL} .steps").wait_for(state="hidden")
    assert bar.bounding_box()["height"] < 80, "the bar has one line"
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "The same.*✓ measured")
    picture, panel = teacher.locator(CANVAS).first.bounding_box(), teacher.locator(PANEL).bounding_box()
    answer = teacher.locator(f"{PANEL} .beside").bounding_box()
    assert picture["y"] + picture["height"] <= panel["y"], "picture and counts are seen at once"
    assert picture["x"] + picture["width"] <= answer["x"], "beside each other"
    assert teacher.locator(ALERT).count() == 0


LONG = "\n".join(
    [f"Which of these is true, {'and why, ' * 40}do you think?", *(f"{at} {'x y ' * 25}" for at in "12345"), "* 6"]
)
FITS = """() => {
  const host = [...document.querySelectorAll(".st-key-_class_panel *")].find((one) => one.shadowRoot);
  const box = (what) => host.shadowRoot.querySelector(what).getBoundingClientRect();
  return box(".wall h2").top >= 0 && box(".wall .below").bottom <= box(".head").top;
}"""


@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 600), *(pytest.param(*one, marks=pytest.mark.nightly) for one in ((1024, 768), (1920, 1080)))],
)
def test_the_wall_has_all_of_a_question_above_its_bar_however_long(
    width: int, height: int, serve: Callable, open_page: Callable, settled: Callable
) -> None:
    lesson = Lesson(questions=LONG, predict_first=True)
    course = Course(steps=(Step(page="scaling", lesson=lesson), Step(page="masks")))
    app = serve(APP)
    teacher, phone = open_page(viewport={"width": width, "height": height}), open_page(**PHONE)
    teacher.goto(f"{app}/scaling?course={course.encode()}&present=true")
    teacher.get_by_role("heading", name="Scaling", exact=True).wait_for()
    key, _ = start(teacher)
    phone.goto(f"{app}/?class={key}")  # and on to a step that shows no picture before it is predicted
    says(teacher, ".wall .count", "^1 here$")
    press(teacher, "Go on")
    assert not teacher.get_by_text("Which of these").filter(visible=True).count(), "it is to come"
    press(teacher, "Ask")
    says(teacher, ".wall .count", "^0 of 1 have voted.$")
    teacher.wait_for_function(FITS)
    vote(phone, 1)
    press(teacher, "Close the vote")
    says(teacher, ".wall .count", "^1 of 1 have voted.$")
    # Who goes on without the answer is not asked the question again, and the phone comes along.
    teacher.locator(f"{PANEL} .fold").click()
    teacher.locator(f"{PANEL} .steps").get_by_role("button", name="Next step").click()
    teacher.wait_for_url("**/masks**")
    phone.wait_for_url("**/masks**")
    says(phone, ".line", f"^You are in class {key}")
    assert phone.locator(f"{PANEL} :is(.answer, .sent:visible)").count() == 0
    settled(teacher)
    assert not teacher.locator(f"{PANEL} button:enabled").get_by_text("Ask again").count()


@pytest.mark.nightly
def test_a_remote_asks_what_was_prepared_one_press_each(visit: Callable, settled: Callable) -> None:
    teacher = visit("scaling", f"?course={COURSE.encode()}", **PROJECTOR)
    teacher.get_by_role("tab", name="Share").click()
    key, _ = start(teacher)
    phone = visit("", f"?class={key}", **PHONE)
    says(phone, ".line", f"class {key}")

    press(teacher, "Ask")
    says(phone, ".line", "^Vote. Without scaling")
    phone.get_by_role("heading", name="Scaling", exact=True).wait_for()
    own = phone.locator(".st-key-predict_strip")
    own.wait_for(state="hidden")  # the page asks the same, and would tell the answer
    vote(phone, 3)
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "It vanishes for most.*✓ measured")
    phone.wait_for_url("**scaling_answer=skipped**")  # it is led: the picture that measured it is seen there, too
    assert own.is_hidden()

    press(teacher, "Ask")
    says(phone, ".line", r"^Vote. Does <b>it</b> grow\?$")
    vote(phone, 1)
    # On a presenter's slide, too, nobody sees a count before the teacher shows it.
    teacher.goto(f"{teacher.url}&present=true")
    press(teacher, *STEPS[1:4])
    says(teacher, ".wall.closed .count", "^0 of 1 have voted.$")
    assert teacher.locator(f"{PANEL} table").count() == 0
    press(teacher, *STEPS[4:])
    says(teacher, ".measured", r"Yes, \$q\$.*✓ right")
    says(phone, ".measured", r"Yes, \$q\$")

    onward = teacher.locator(f"{PANEL} .next:enabled:visible")
    # A page is known by what it shows: where a message of the page before came in between, the path may lag behind.
    onward.get_by_text("Next step").click()
    teacher.get_by_role("heading", name="Masks", exact=True).wait_for()
    settled(teacher)
    onward.get_by_text("Next question").click()
    teacher.get_by_role("heading", name="Biases", exact=True).wait_for()
    says(phone, ".line", "^Vote.")
    teacher.locator(STRIP).get_by_text("Step 3 of 3").wait_for()
    settled(teacher)
    # The course is longer than what a step may be: it lies in the room, and students are taken along.
    assert len(COURSE.encode()) > LONGEST
    phone.get_by_role("heading", name="Biases", exact=True).wait_for()
    phone.locator(STRIP).get_by_text("Step 3 of 3").wait_for()
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "✓ measured")

    # The strip and the panel have one word for the end.
    assert teacher.get_by_role("button", name="Next step").count() == 0
    teacher.get_by_role("button", name="Finish").and_(teacher.locator(f"{PANEL} .next")).click()
    teacher.get_by_role("heading", name="What you predicted").wait_for()
    settled(teacher)  # the panel, too, knows that this is the end
    teacher.keyboard.press("PageUp")
    teacher.locator(STRIP).get_by_text("Step 3 of 3").wait_for()
