"""What stands at the lower edge of every page while a class is on: the teacher's panel, or a student's strip."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import streamlit as st

from pages._shared.class_rooms.limits import Limits, sentences
from pages._shared.class_rooms.room import TICKET as TICKETS
from pages._shared.class_rooms.room import RoomError
from pages._shared.classes.join import PRIVATE, refuse, way_for_students
from pages._shared.classes.page_questions import course_index, own_question, page_question, prepared
from pages._shared.components.loader import component
from pages._shared.core.pages import HOME, LEDGER, PAGES
from pages._shared.core.session_keys import (
    FOLLOWED,
    KEY_TYPED,
    MEASURED,
    OWN_PLACE,
    PAGE,
    PANEL,
    SECRET,
    TEACHES,
    TICKET,
    TO_MEASURE,
    WRITTEN,
)
from pages._shared.lessons.questions import LONGEST as LONGEST_FIELD
from pages._shared.lessons.questions import parse
from pages._shared.session import address, course_position, membership
from pages._shared.session.links import link_to
from pages._shared.session.settings import presenting, restore, snapshot
from attention_core.language import gettext as _

PLACES: Final = [page.name for page in (HOME, *PAGES, LEDGER)]
LONGEST: Final = 1_500  # characters of settings, as the room takes them

_panel = component("live_class/panel.js")


def draw_panel(page: str) -> None:
    """Draw the class this session is in, if any."""
    key, state = membership.room(), st.session_state
    if not key:
        return
    teaches = state.get(TEACHES, False)
    _drop_request_of_another(page)
    question = own_question(page) if teaches else None
    url, warning, code = way_for_students() if teaches else ("", "", "")
    _panel(
        key=PANEL,
        height="content",
        data={
            "room": key,
            "ticket": state.get(TICKET, ""),
            "secret": state.get(SECRET, ""),
            "typed": bool(state.get(KEY_TYPED)),
            "page": page,
            "teaches": teaches,
            "question": question,
            "prepared": prepared() if teaches else [],
            "written": _written() if teaches else None,
            **course_index(),
            "measured": state.get(MEASURED),
            "followed": _followed(key),
            "own": OWN_PLACE in state,
            "slide": presenting(),
            "address": url,
            "qr": code,
            "warning": warning,
            "kept": str(PRIVATE),
        },
        on_said_change=_said,
    )


def _drop_request_of_another(page: str) -> None:
    """Say that the page that was to measure an answer was left before it did."""
    asked, question = st.session_state.get(TO_MEASURE, (page, ""))
    if asked != page:
        del st.session_state[TO_MEASURE]
        why = _("Not measured: its page was left too soon. Reveal the answer again.")
        st.session_state[MEASURED] = {"question": question, "refused": why, "why": {}}


def _written() -> dict[str, Any] | None:
    """The questions written on the panel, and what is wrong with the first that cannot be asked."""
    lines = st.session_state.get(WRITTEN)
    if lines is None:
        return None
    found, wrong = parse(lines, asks=True)
    own = [{"text": one.text, "answers": list(one.answers), "right": one.right} for one in found if one.text]
    return {"lines": lines, "questions": own, "wrong": wrong}


def _followed(key: str) -> int | None:
    room, call = st.session_state.get(FOLLOWED, ("", None))
    return call if room == key else None


def _said() -> None:
    """What the browser cannot do by itself; what no browser of ours says is ignored."""
    state = st.session_state
    match getattr(state.get(PANEL), "said", None):  # a word may come late, from a panel that has gone
        case {"do": "teach", **more}:
            state[TEACHES] = True
            state.pop(SECRET, None)  # the browser has it
            if isinstance(ticket := more.get("ticket"), str) and TICKETS.fullmatch(ticket):
                state[TICKET] = ticket
        case {"do": "leave", **more}:
            for name in (TEACHES, WRITTEN, OWN_PLACE, FOLLOWED, TO_MEASURE, MEASURED):
                state.pop(name, None)
            membership.leave_class()
            if isinstance(why := more.get("why"), str):
                refuse(why)
        case {"do": "write", "lines": str(lines)}:
            state[WRITTEN] = lines[:LONGEST_FIELD]
        case {"do": "step", "at": int(at)}:
            address.visit_step(at)
        case {"do": "measure", "page": str(page), "question": str(question)} if page_question(page):
            state[TO_MEASURE] = (page, question)
            state.pop(MEASURED, None)  # it may be why this question was not measured when it was asked for before
            if page != state.get(PAGE):
                address.visit(page, link_to(page, {}))
        case {"do": "move", "own": own, "call": int(call), **to} if _is_place(to) and call != _followed(
            membership.room()
        ):
            if own:  # what a session does not know, because another had it, the browser does
                state[OWN_PLACE] = (state.get(PAGE, HOME.name), st.query_params.to_dict(), snapshot())
            state[FOLLOWED] = (membership.room(), call)
            _go(**to)
        case {"do": "back", **to} if _is_place(to):
            # A session that another replica had is lost; then the browser knows at least the place.
            if OWN_PLACE in state:
                here, parameters, values = state.pop(OWN_PLACE)
                restore(values)
                address.visit(here, address.shareable(parameters))
            else:
                _go(**to)


def _is_place(to: dict[str, Any]) -> bool:
    page, settings, more = to.get("page"), to.get("settings"), to.keys() - {"page", "settings"}
    return not more and page in PLACES and isinstance(settings, str) and len(settings) <= LONGEST


def _go(page: str, settings: str) -> None:
    """Go to a page with settings as a link holds them; a lesson ends there, for it would hold the page to its own."""
    if course_position.is_lesson():
        course_position.leave()
    address.visit(page, address.shareable(dict(parse_qsl(settings))))


def is_to_measure(page: str) -> bool:
    """Whether the class waits for the answer to a page's question, and so for the move it is about."""
    return st.session_state.get(TO_MEASURE, ("", ""))[0] == page


def tell_answer(page: str, answer: int | None) -> None:
    """Tell the class what was measured once its question's move was made; nothing where it does not wait for that.

    Args:
        page: Name of the page.
        answer: Which of the answers to its question is true, counted from 0; None where the settings cannot tell.
    """
    _tell(page, {"answer": answer})


def tell_unmeasured(page: str, why: str, students: Mapping[str, str] | None = None) -> None:
    """Tell the class that nothing was measured; its question stays, and can be revealed again.

    Args:
        page: Name of the page.
        why: A sentence for the teacher.
        students: One for the students, by their language; without one they read that nothing was measured.
    """
    _tell(page, {"refused": why, "why": _sendable(students or {})})


def _sendable(sentences_of: Mapping[str, str]) -> dict[str, str]:
    """Sentences as a room takes them: cut, and none where one holds what it refuses."""
    most = Limits().sentence
    cut = {language: one if len(one) <= most else f"{one[: most - 1]}…" for language, one in sentences_of.items()}
    try:
        return sentences(cut, "why", most)
    except RoomError:
        return {}


def _tell(page: str, what: dict[str, Any]) -> None:
    if not is_to_measure(page):
        return
    st.session_state[MEASURED] = {"question": st.session_state.pop(TO_MEASURE)[1], **what}
    st.rerun()  # the class stands outside of what answers
