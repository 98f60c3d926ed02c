"""The course that a visitor is making: kept in the session, and in the browser until it is cleared."""

from dataclasses import replace

import streamlit as st

from pages._shared.components.loader import component
from pages._shared.core.visitor_state import DRAFT_STORE, EDITOR, draft_state
from pages._shared.lessons.course import MAX_STEPS, Course, from_json
from pages._shared.session.widget_keys import renew

_keeper = component("small/draft.js")


def draft() -> Course:
    """The draft."""
    return draft_state().course or Course()


def put(course: Course) -> None:
    """Set the draft."""
    draft_state().course = course


def replace_draft(course: Course) -> None:
    """Replace the draft by another course, and close the editor; the removed step was not of this one."""
    state = draft_state()
    state.course, state.open_step, state.removed = course, None, None
    renew(EDITOR)


def keep_draft() -> None:
    """Keep the draft in the browser; nothing is drawn."""
    known = draft_state().known
    data = {"known": known, "text": draft().to_json() if known else ""}
    _keeper(key=DRAFT_STORE, data=data, height="content", on_stored_change=_stored)


def _stored() -> None:
    """Take the draft from the browser: as the session begins, or because another tab has changed it."""
    match (st.session_state.get(DRAFT_STORE) or {}).get("stored"):
        case [_, str(text)]:
            stored = _read(text)
        case _:
            return
    if not draft_state().known:
        current = draft()
        stored = replace(
            stored, title=current.title or stored.title, steps=(*stored.steps, *current.steps)[:MAX_STEPS]
        )
    draft_state().known = True
    replace_draft(stored)


def _read(text: str) -> Course:
    try:
        return from_json(text)[0]
    except ValueError:
        return Course()
