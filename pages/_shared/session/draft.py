"""The course that somebody is making: in the session while they work, and in their browser until they clear it."""

from dataclasses import replace
from typing import Any, Final

import streamlit as st

from pages._shared.components.loader import component
from pages._shared.core.pages import COURSE, target
from pages._shared.core.session_keys import DRAFT, DRAFT_KNOWN, DRAFT_STORE, EDITOR, OPEN_STEP, REMOVED_STEP
from pages._shared.lessons.course import MAX_MINUTES, MAX_STEPS, Course, Step, from_json
from pages._shared.lessons.lesson import Lesson
from pages._shared.session.links import link_to
from pages._shared.session.page_state import PageState
from pages._shared.session.widget_keys import renew
from attention_core.language import gettext as _
from attention_core.language import ngettext

MINUTES: Final = 3
_keeper = component("small/draft.js")


def draft() -> Course:
    """The course as it is now."""
    return st.session_state.get(DRAFT, Course())


def put(course: Course) -> None:
    """Go on with this course."""
    st.session_state[DRAFT] = course


def replace_draft(course: Course) -> None:
    """Go on with another course: an editor that is open, and a step that was removed, are not of this one."""
    state = st.session_state
    state[OPEN_STEP] = None
    renew(EDITOR)
    state.pop(REMOVED_STEP, None)
    put(course)


def keep_draft() -> None:
    """Draw nothing, and keep the draft in the browser."""
    known = st.session_state.get(DRAFT_KNOWN, False)
    data = {"known": known, "text": draft().to_json() if known else ""}
    _keeper(key=DRAFT_STORE, data=data, height="content", on_stored_change=_stored)


def _stored() -> None:
    """Called with what the browser kept: before this session knew it, or because another tab has changed it."""
    match (st.session_state.get(DRAFT_STORE) or {}).get("stored"):
        case [_, str(text)]:
            kept = _read(text)
        case _:
            return
    if not st.session_state.get(DRAFT_KNOWN):
        now = draft()
        kept = replace(kept, title=now.title or kept.title, steps=(*kept.steps, *now.steps)[:MAX_STEPS])
    st.session_state[DRAFT_KNOWN] = True
    replace_draft(kept)


def _read(text: str) -> Course:
    try:
        return from_json(text)[0]
    except ValueError:
        return Course()


def draw_add(page: PageState, lesson: Lesson) -> None:
    """Offer to put the page as it is now at the end of the draft."""
    keep_draft()
    count, key = len(draft().steps), page.session_key("course_minutes")

    def add() -> None:
        minutes: Any = st.session_state.get(key, MINUTES)
        settings = page.link_for_others()
        taken = minutes if isinstance(minutes, int) and 0 <= minutes <= MAX_MINUTES else MINUTES
        step = Step(page=page.spec.name, settings=settings, lesson=lesson, minutes=taken)
        put(replace(draft(), steps=(*draft().steps, step)[:MAX_STEPS]))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            _("Add this view to the course"), icon=":material/playlist_add:", key=page.session_key("course_add"),
            on_click=add, disabled=count >= MAX_STEPS,
        )  # fmt: skip
        st.number_input(_("Minutes"), 0, MAX_MINUTES, MINUTES, key=key, width=130)
        if count:
            minutes = draft().minutes
            label = ngettext(
                "Your course: {count} step, {minutes} min", "Your course: {count} steps, {minutes} min",
                count, minutes=minutes,
            )  # fmt: skip
            st.page_link(target(COURSE.name), label=label, icon=COURSE.icon, query_params=link_to(COURSE.name))
    if count >= MAX_STEPS:
        st.caption(_("A course has at most {most} steps.", most=MAX_STEPS))
