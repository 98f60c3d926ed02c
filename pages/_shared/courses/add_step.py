"""Adds a page with its settings to the draft of a course, from beside the picture."""

from dataclasses import replace
from typing import Any, Final

import streamlit as st

from pages._shared.core.pages import COURSE, target
from pages._shared.lessons.course import MAX_MINUTES, MAX_STEPS, Step
from pages._shared.lessons.lesson import MAX_NOTE, Lesson
from pages._shared.page.page import Page
from pages._shared.page.prediction import gives_away
from pages._shared.session import course_position, membership
from pages._shared.session.address import embedded
from pages._shared.session.draft import draft, keep_draft, put
from pages._shared.session.links import link_to
from pages._shared.session.settings import presenting
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.language import ngettext

MINUTES: Final = 3


def draw_add(page: Page) -> None:
    """Draw the button beside the presets, for who prepares a course; opened, it asks what the step is to be."""
    if presenting() or embedded() or course_position.current() is not None or membership.room():
        return
    with st.container(key="add_step"):
        opened = st.popover(
            _("Add to the course"), icon=":material/playlist_add:", key=page.session_key("course_open"),
            on_change="rerun", type="tertiary",
        )  # fmt: skip
    if _is_open(opened):
        with opened:
            _draw_form(page)


def _is_open(popover: Any) -> bool:
    return bool(popover.open)


def _draw_form(page: Page) -> None:
    keep_draft()
    note, minutes, first = (page.session_key(f"course_{name}") for name in ("note", "minutes", "first"))

    def put_step() -> None:
        asked: Any = st.session_state.get(minutes, MINUTES)
        valid = asked if isinstance(asked, int) and 0 <= asked <= MAX_MINUTES else MINUTES
        task = st.session_state.get(widget_key(note))
        task = " ".join(task.split())[:MAX_NOTE] if isinstance(task, str) else ""
        add(page, Lesson(note=task, predict_first=st.session_state.get(first) is True), valid)
        renew(note)

    st.text_area(_("Task"), max_chars=MAX_NOTE, height=80, key=widget_key(note))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(_("Minutes"), 0, MAX_MINUTES, MINUTES, key=minutes, width=130)
        comes_first = st.toggle(_("The prediction comes before the picture"), key=first)
    warn(_step(page, Lesson(predict_first=comes_first)))
    count = len(draft().steps)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Add"), icon=":material/playlist_add:", key=page.session_key("course_add"), on_click=put_step,
                  disabled=count >= MAX_STEPS, type="primary")  # fmt: skip
        draw_way_to_draft()
    if count >= MAX_STEPS:
        st.caption(_("A course has at most {most} steps.", most=MAX_STEPS))


def draw_way_to_draft() -> None:
    """Draw the way to the draft, and how long it is; nothing as long as it has no step."""
    if count := len(draft().steps):
        label = ngettext(
            "Your course: {count} step, {minutes} min", "Your course: {count} steps, {minutes} min",
            count, minutes=draft().minutes,
        )  # fmt: skip
        st.page_link(target(COURSE.name), label=label, icon=COURSE.icon, query_params=link_to(COURSE.name))


def _step(page: Page, lesson: Lesson, minutes: int = MINUTES) -> Step:
    return Step(page=page.spec.name, settings=page.link_for_others(), lesson=lesson, minutes=minutes)


def add(page: Page, lesson: Lesson, minutes: int = MINUTES) -> None:
    """Add the page as it is set to the draft, as far as that has room."""
    put(replace(draft(), steps=(*draft().steps, _step(page, lesson, minutes))[:MAX_STEPS]))


def warn(step: Step) -> None:
    """Warn where a step shows the answer of its page's question."""
    if gives_away(step):
        st.warning(
            _(
                "This view shows the answer to the page's own question. Let the prediction come before the picture, "
                "or add the view as it is before the question's move."
            )
        )
