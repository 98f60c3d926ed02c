"""A class is led through a course's questions with nothing but a presenter's remote."""

import random
from collections.abc import Callable
from string import ascii_letters
from typing import Any

import pytest

from pages._shared.classes.panel import LONGEST
from pages._shared.lessons.course import MAX_ANSWER, Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.questions import Prepared
from tests.browser.classes import PANEL, STEPS, says, start, vote
from tests.browser.conftest import APP
from tests.browser.locators import ALERT, CANVAS, MAIN, STRIP
from tests.browser.screens import PHONE, PROJECTOR

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("live class")]
MINE = Prepared("Does <b>it</b> grow?", ("No", "Yes, $q$"), 1)
ASKED = ((Prepared(), MINE), (), (Prepared(),))
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
    press(teacher, "Ask")
    teacher.locator(f"{PANEL} .steps").wait_for(state="hidden")
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "The same.*✓ measured")
    picture, panel = teacher.locator(CANVAS).first, teacher.locator(PANEL)
    picture.wait_for()
    bottom = picture.bounding_box()["y"] + picture.bounding_box()["height"]
    assert bottom <= panel.bounding_box()["y"], "picture and counts are seen at once"
    assert teacher.locator(ALERT).count() == 0


ABOVE_THE_BAR = """() => {
  const host = [...document.querySelectorAll(".st-key-_class_panel *")].find((one) => one.shadowRoot);
  const bar = host.shadowRoot.querySelector(".panel").getBoundingClientRect().top;
  const answers = [...document.querySelectorAll("[class*=_predict_strip] button")];
  return answers.length > 3 && answers[3].getBoundingClientRect().bottom <= bar;
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 600), (1024, 768)])
def test_a_slides_answers_stand_above_the_bar_which_says_how_many_voted(
    width: int, height: int, serve: Callable, open_page: Callable, visit: Callable, settled: Callable
) -> None:
    lesson = Lesson(questions=(Prepared(),), predict_first=True)
    course = Course(steps=(Step(page="scaling", lesson=lesson), Step(page="masks")))
    teacher = open_page(viewport={"width": width, "height": height})
    teacher.goto(f"{serve(APP)}/scaling?course={course.encode()}&present=true")
    teacher.get_by_role("heading", name="Without scaling").wait_for()
    key, _ = start(teacher)
    phone = visit("", f"?class={key}", **PHONE)
    says(teacher, ".here", "^1 here$")
    press(teacher, "Ask")
    says(teacher, ".status", "^Vote: 0 of 1$")
    teacher.wait_for_function(ABOVE_THE_BAR)
    vote(phone, 1)
    press(teacher, "Close the vote")
    says(teacher, ".status", "^Vote closed: 1 voted$")
    # Who goes on without the answer is not asked the question again.
    teacher.locator(STRIP).get_by_role("button", name="Next step").click()
    teacher.wait_for_url("**/masks**")
    says(phone, ".line", f"^You are in class {key}")
    assert phone.locator(f"{PANEL} :is(.answer, .sent:visible)").count() == 0
    settled(teacher)
    assert not teacher.locator(f"{PANEL} button:enabled").get_by_text("Ask again").count()


def test_a_remote_asks_what_was_prepared_one_press_each(visit: Callable, settled: Callable) -> None:
    teacher = visit("scaling", f"?course={COURSE.encode()}", **PROJECTOR)
    teacher.get_by_role("tab", name="Share").click()
    key, _ = start(teacher)
    phone = visit("", f"?class={key}", **PHONE)
    says(phone, ".line", f"class {key}")

    press(teacher, "Ask")
    says(phone, ".line", "^Vote. Without scaling")
    vote(phone, 3)
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "It vanishes for most.*✓ measured")

    press(teacher, "Ask")
    says(phone, ".line", r"^Vote. Does <b>it</b> grow\?$")
    vote(phone, 1)
    # On a presenter's slide, too, nobody sees a count before the teacher shows it.
    teacher.goto(f"{teacher.url}&present=true")
    press(teacher, *STEPS[1:4])
    says(teacher, ".votes", "Nobody sees the counts until you show them")
    assert teacher.locator(f"{PANEL} table").count() == 0
    press(teacher, *STEPS[4:])
    says(teacher, ".measured", r"Yes, \$q\$.*✓ right")
    says(phone, ".measured", r"Yes, \$q\$")

    press(teacher, "Next step")
    teacher.wait_for_url("**/masks**")
    settled(teacher)
    press(teacher, "Ask")
    teacher.wait_for_url("**/biases**")
    says(phone, ".line", "^Vote.")
    teacher.locator(STRIP).get_by_text("Step 3 of 3").wait_for()
    settled(teacher)
    # The course is longer than what a class may be sent: students follow to the page with its settings.
    assert len(COURSE.encode()) > LONGEST
    teacher.get_by_role("button", name="Bring them here").click()
    phone.wait_for_url("**/biases**")
    assert "course" not in phone.url
    press(teacher, *STEPS[1:])
    says(teacher, ".measured", "✓ measured")

    # The strip and the panel have one word for the end.
    assert teacher.get_by_role("button", name="Next step").count() == 0
    teacher.get_by_role("button", name="Finish").and_(teacher.locator(f"{PANEL} .next")).click()
    teacher.get_by_role("heading", name="What you predicted").wait_for()
    settled(teacher)  # the panel, too, knows that this is the end
    teacher.keyboard.press("PageUp")
    teacher.locator(STRIP).get_by_text("Step 3 of 3").wait_for()
