"""Courses in a real browser: walked on a laptop and a phone, made by hand, and kept wherever they go."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pages._shared.lessons.course import from_json
from pages._shared.lessons.library import OURS, ours
from tests.browser.conftest import APP, sideways
from tests.browser.locators import PRESETS, STRIP
from tests.processes import start_app, stop
from tests.sweeps import some_by_day

LAPTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}}
NEXT = ".st-key-_course_PageDown button"
# Whether all of an element is in the window.
IN_SIGHT = """(one) => {
  const box = one.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
}"""
PAINTED = "() => probe.canvases().some((one) => one.width > 40)"


def open_link(open_page: Callable, settled: Callable, address: str, **options: Any) -> Any:
    page = open_page(reduced_motion="reduce", **options)
    page.goto(address)
    page.wait_for_selector(STRIP)
    settled(page)
    return page


@pytest.mark.parametrize(
    ("name", "screen"), some_by_day((name, LAPTOP if name == "order" else PHONE) for name in OURS)
)
def test_our_courses_are_walked_to_their_end(
    name: str, screen: dict[str, Any], serve: Callable, open_page: Callable, settled: Callable
) -> None:
    course = ours(name)
    address = f"{serve(APP)}/{course.steps[0].page}?course={name}"
    page = open_link(open_page, settled, address, **screen)
    for number, step in enumerate(course.steps, 1):
        page.get_by_text(f"Step {number} of {len(course.steps)}").wait_for()
        settled(page)
        assert step.lesson.note in page.locator(STRIP).inner_text()
        assert page.locator(NEXT).evaluate(IN_SIGHT), step
        assert sideways(page) == 0, step
        if step.lesson.predict_first:
            assert not page.evaluate(PAINTED)
            page.locator(".st-key-predict_strip [role=radio]").first.click()
            page.get_by_text("You said").wait_for()
            settled(page)
        page.wait_for_function(PAINTED)
        page.locator(NEXT).click()
    page.get_by_role("heading", name="What you predicted").wait_for()
    asked = sum(step.lesson.predict_first for step in course.steps)
    assert page.get_by_text("You said").count() == asked


@pytest.mark.nightly
def test_a_remote_walks_the_presets_of_a_step_and_then_the_steps(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    steps = [{"page": "anatomy"}, {"page": "masks", "parts": ["controls"]}, {"page": "biases"}]
    course, _ = from_json(json.dumps({"version": 1, "steps": steps}))
    page = open_link(open_page, settled, f"{serve(APP)}/anatomy?course={course.encode()}&present=true")
    presets = int(page.locator(PRESETS).inner_text().partition(" presets")[0].split()[-1])
    for preset in range(1, presets + 1):
        page.keyboard.press("PageDown")
        page.get_by_text(f"{preset} of {presets}:").wait_for()
        settled(page)
        assert "step=1" in page.url
    for step in (2, 3):
        page.keyboard.press("PageDown")
        page.get_by_text(f"Step {step} of 3").wait_for()
        settled(page)
        assert f"step={step}" in page.url
        assert "present=true" in page.url


@pytest.mark.nightly
def test_a_remote_shows_the_answer_of_a_step_without_presets_and_goes_on_to_the_next_page(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    page = open_link(open_page, settled, f"{serve(APP)}/permutation?course=order&present=true", **LAPTOP)
    page.keyboard.press("PageDown")
    page.wait_for_function(PAINTED)
    settled(page)
    assert "step=1" in page.url
    assert page.locator(".st-key-finding p").first.evaluate(IN_SIGHT)
    page.keyboard.press("PageDown")
    page.get_by_text("Step 2 of 5").wait_for()
    settled(page)
    page.locator(".st-key-_course_leave button").filter(visible=True).first.click()
    page.get_by_text("6 presets: PageDown").or_(page.get_by_text("1 of 6:")).first.wait_for()
    for _ in range(7):
        settled(page)
        page.keyboard.press("PageDown")
    page.wait_for_url("**/biases**")


def add(page: Any) -> None:
    """Add the view to the course, above its picture."""
    page.get_by_role("button", name="Add to the course").click()
    page.get_by_role("button", name="Add", exact=True).click()


def test_a_course_made_by_hand_survives_a_reload_another_browser_and_a_restart(
    visit: Callable, open_page: Callable, settled: Callable, tmp_path: Path
) -> None:
    page = visit("scaling", "?scaling_scale=root", stranger=True)
    add(page)
    page.get_by_role("link", name="Your course: 1 step").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Masks").first.click()
    page.get_by_role("heading", name="Masks").wait_for()
    settled(page)
    add(page)
    page.get_by_role("link", name="Your course: 2 steps").first.click()
    page.get_by_text("2 steps, 6 minutes").wait_for()
    page.locator(".st-key-_course_edit_0 button").filter(visible=True).click()
    page.get_by_label("Task", exact=True).fill("Look <b>here</b>")
    page.get_by_label("Task", exact=True).press("Control+Enter")
    page.locator(".st-key-course_step_0").get_by_text("Look <b>here</b>").first.wait_for()
    settled(page)

    page.reload()
    page.get_by_text("2 steps, 6 minutes").wait_for()
    assert "Look <b>here</b>" in page.locator(".st-key-course_step_0").inner_text()
    settled(page)
    link = next(text for text in page.locator("[data-testid=stCode]").all_inner_texts() if "course=" in text).strip()
    with page.expect_download() as kept:
        page.locator(".st-key-_course_keep button").click()
    file = tmp_path / "course.json"
    kept.value.save_as(file)

    student = open_link(open_page, settled, link, stranger=True)
    assert "Look <b>here</b>" in student.locator(STRIP).inner_text()
    assert "scaling_scale=root" in student.url

    server = start_app(APP, tmp_path / "server.log")
    address = server.url
    try:
        again = open_link(open_page, settled, f"{address}/{link.partition('://')[2].partition('/')[2]}")
        assert "Step 1 of 2" in again.locator(STRIP).inner_text()
        loaded = open_page(stranger=True)
        loaded.goto(f"{address}/course")
        loaded.locator("input[type=file]").set_input_files(file)
        loaded.get_by_text("2 steps, 6 minutes").wait_for()
        assert "Look <b>here</b>" in loaded.locator(".st-key-course_step_0").inner_text()
        for one in (again, loaded):  # whoever loses the server complains
            one.goto("about:blank")
    finally:
        stop(server.process)
