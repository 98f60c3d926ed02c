"""A class takes the concept test on its phones, in real browsers: two students, one of them offline for a while."""

from collections.abc import Callable
from typing import Any

import pytest

from pages._shared.lessons.course import Course, Step
from tests.browser.classes import PANEL, says, start
from tests.browser.conftest import barriers, sideways
from tests.browser.locators import ALERT
from tests.browser.looks import check_dark
from tests.browser.screens import PHONE, PROJECTOR

pytestmark = pytest.mark.xdist_group("live class")
CHOICES, NEXT = ".st-key-test_choices button", ".st-key-_concept_test_next button"
ARRIVED = "10 of 10 answers have arrived."


def step(time: str, form: str) -> Step:
    return Step(page="concept_test", settings={"concept_test_time": time, "concept_test_form": form}, minutes=10)


COURSE = Course(steps=(step("before", "4"), Step(page="masks"), step("after", "5")))


def begin(phone: Any, word: str) -> None:
    """Choose a word."""
    phone.get_by_label("Your word").fill(word)
    phone.get_by_role("button", name="Begin").click()
    phone.locator(CHOICES).first.wait_for()


def answer(phone: Any, place: int, count: int = 1) -> None:
    """Answer some questions, each with the same place."""
    for _one in range(count):
        phone.locator(CHOICES).nth(place).click()
        phone.locator(NEXT).click()
        phone.locator(NEXT).wait_for(state="detached")


@pytest.mark.nightly
def test_two_phones_take_it_before_and_after(visit: Callable, settled: Callable) -> None:
    teacher = visit(
        "concept_test",
        f"?course={COURSE.encode()}&step=1&present=true&concept_test_time=before&concept_test_form=4",
        **PROJECTOR,
    )
    key, _secret = start(teacher)
    phones = [visit("concept_test", f"?class={key}", **PHONE) for _ in range(2)]  # where they are led anyway
    teacher.locator(f"{PANEL} .head").get_by_role("button", name="Go on").click()
    begin(phones[0], "moon cow")
    settled(phones[0])
    assert sideways(phones[0]) == 0
    assert barriers(phones[0]) == []
    check_dark(phones[0])
    answer(phones[0], 1, 10)
    phones[0].get_by_role("heading", name="Handed in").wait_for()
    says(phones[0], ".sent", ARRIVED)

    begin(phones[1], "salt lamp")
    answer(phones[1], 2)
    says(phones[1], ".sent", "^1 of 10")
    phones[1].route("**/class/rooms/*/test?*", lambda route: route.abort())
    answer(phones[1], 2, 9)
    phones[1].get_by_role("heading", name="All ten are answered").wait_for()
    says(phones[1], ".sent", "cannot be reached.*Your answers are kept here and sent again.$")
    says(teacher, ".head .here", "^Test before: 1 of 2 done$")
    phones[1].reload()  # and the tab has kept them
    phones[1].get_by_role("heading", name="All ten are answered").wait_for()
    phones[1].unroute("**/class/rooms/*/test?*")
    phones[1].get_by_role("heading", name="Handed in").wait_for()
    says(teacher, ".head .here", "^Test before: 2 of 2 done$")
    assert set(phones[1].errors) == {"Failed to load resource: net::ERR_FAILED"}, "what was cut here"
    phones[1].errors.clear()

    teacher.get_by_role("button", name="Next step").last.click()
    teacher.wait_for_url("**/masks**")
    phones[0].wait_for_url("**/masks**")
    settled(teacher)
    teacher.get_by_role("button", name="Next step").last.click()
    teacher.wait_for_url("**/concept_test**")
    phones[0].wait_for_url("**/concept_test**after**")
    phones[0].locator(CHOICES).first.wait_for()  # no other word is asked for
    answer(phones[0], 0, 3)
    says(phones[0], ".sent", "^3 of 10")

    teacher.get_by_role("button", name="Read the answers").click()
    teacher.get_by_text("Test before: 2 have handed in something, 2 all ten.").wait_for()
    teacher.get_by_text("Test after: 1 have handed in something, 0 all ten.").wait_for()
    teacher.get_by_text("1 answered both times.").wait_for()
    with teacher.expect_download() as saving:
        teacher.get_by_role("button", name="Answers by pseudonym (CSV)").click()
    text = saving.value.path().read_text("utf-8-sig")
    assert text.startswith("person,time,item,answer")
    assert text.count("before") == 20
    assert text.count("after") == 3
    assert len({line.split(",")[0] for line in text.splitlines()[1:]}) == 2
    assert "moon" not in text
    settled(teacher)
    assert barriers(teacher) == []
    assert not teacher.locator(ALERT).count()
