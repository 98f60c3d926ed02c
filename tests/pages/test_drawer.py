"""The drawer: what is in it is drawn while it is open, and counts all the same while it is closed."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import PAGES
from pages._shared.lessons.lesson import Lesson
from tests.pages.conftest import lesson_text, open_answered, open_page
from tests.pages.read import controls, held, page_of, said, views, widget
from tests.sweeps import some_by_day

LABELS = ("More (", "Controls")


def drawer(at: AppTest) -> Any:
    """The drawer of a page."""
    (box,) = (one for one in at.expander if one.label.startswith(LABELS))
    return box


def inside(at: AppTest) -> list[str]:
    """The keys of the controls in it."""
    return controls(drawer(at))


@pytest.mark.parametrize("name", some_by_day((page.name for page in PAGES), 3))
def test_a_closed_drawer_holds_nothing_and_the_page_says_the_same(name: str) -> None:
    closed, opened = open_answered(name, {f"_{name}_more": False}), open_answered(name)
    assert not closed.exception
    assert not drawer(closed).children
    assert inside(opened) or drawer(opened).get("button")
    assert drawer(closed).label == drawer(opened).label
    assert [view["summary"] for view in views(closed)] == [view["summary"] for view in views(opened)]
    in_drawer = {one.value for one in drawer(opened).markdown}
    assert [line.value for line in closed.markdown] == [
        one.value for one in opened.markdown if one.value not in in_drawer
    ]
    in_sight = [key for key in controls(opened) if key not in inside(opened)]
    assert controls(closed) == in_sight


@pytest.mark.parametrize("present", [False, True], ids=["page", "slide"])
def test_its_number_is_that_of_the_controls_in_it(present: bool) -> None:
    at = open_answered("masks", **({"present": "true"} if present else {}))
    assert drawer(at).label == ("Controls" if present else f"More ({len(inside(at))})")
    page = page_of("masks")
    named = {page.settings.key(name) for part in page.drawer for name in part.names}
    assert set(inside(at)) == named | ({page.settings.key(name) for name in page.in_sight} if present else set())


def test_what_moved_while_it_was_closed_is_what_it_shows_once_it_opens() -> None:
    at = open_answered("masks", {"_masks_more": False}, masks_window="2")
    assert held(at, "masks") == {"window": "2"}
    at.session_state["_masks_more"] = True
    assert widget(at.run(), "masks_window").value == 2
    widget(at, "masks_window").set_value(3).run()
    at.session_state["_masks_more"] = False
    assert held(at.run(), "masks") == {"window": "3"}
    assert "masks_window" not in str(controls(at))
    at.session_state["_masks_more"] = True
    assert widget(at.run(), "masks_window").value == 3


def test_words_that_are_not_possible_are_told_below_their_box_or_where_there_is_none_at_the_picture() -> None:
    at = open_answered("masks", masks_stack="encoder-decoder")
    widget(at, "masks_targets").set_value(" | ".join("abcdefg")).run()
    (sentence,) = (one.value for one in at.error)
    assert "1 to 6 sentences" in sentence
    assert [one.value for one in drawer(at).error] == [sentence]
    at.session_state["_masks_more"] = False
    assert [one.value for one in at.run().error] == [sentence]
    assert not drawer(at).children


def test_what_a_lesson_fixes_is_told_in_it_and_leaves_the_page_whatever_it_is() -> None:
    text = lesson_text("masks", Lesson(fixed={"masks_window": "2"}))
    opened = open_page("masks", course=text)
    closed = open_page("masks", {"_masks_more": False}, course=text)
    assert "Sliding window: **2**" in said(opened)
    assert "Sliding window" not in said(closed)
    assert views(closed) == views(opened)
