"""The lower edge of every page while a class is on: the teacher's panel, or a student's strip."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qsl

import streamlit as st

from pages._shared.class_rooms.limits import Limits, sentences
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import TICKET as TICKETS
from pages._shared.classes import testing
from pages._shared.classes.join import PRIVATE, refuse, way_for_students
from pages._shared.classes.page_questions import course_index, laid_course, own_question, page_question, prepared
from pages._shared.components.loader import component
from pages._shared.core.pages import HOME, LEDGER, PAGES, TEST
from pages._shared.core.visitor_state import CLASS, KEY_TYPED, PANEL, ClassState, class_state, visit_state
from pages._shared.lessons.questions import LONGEST as LONGEST_FIELD
from pages._shared.lessons.questions import parse
from pages._shared.session import address, course_position, membership
from pages._shared.session.links import link_to
from pages._shared.session.settings import presenting, restore, snapshot
from attention_core.concept_test import ITEMS, LENGTH
from attention_core.language import gettext as _

COURSE_NAME: Final = re.compile("[0-9a-f]{16}")
PLACES: Final = [page.name for page in (HOME, *PAGES, LEDGER, TEST)]
ITEM_IDS: Final = frozenset(item.id for item in ITEMS)
LONGEST: Final = 1_500  # characters of settings, as the room takes them

_panel = component("live_class/panel.js")


def draw_panel(page: str) -> None:
    """Draw the session's class, if it is in one."""
    key, state = membership.room(), class_state()
    if not key:
        return
    teaches = state.teaches
    laid = laid_course() if teaches else None
    if laid:
        state.course = laid["name"]
    _drop_old_request(page)
    question = own_question(page) if teaches else None
    url, warning, code = way_for_students() if teaches else ("", "", "")
    _panel(
        key=PANEL,
        height="content",
        data={
            "room": key,
            "ticket": state.ticket,
            "secret": state.secret,
            "typed": bool(st.session_state.get(KEY_TYPED)),
            "page": page,
            "teaches": teaches,
            "question": question,
            "prepared": prepared() if teaches else [],
            "written": _written_questions() if teaches else None,
            "course": state.course,
            "laid": laid,
            **course_index(),
            "measured": state.measured,
            "test": testing.for_browser(page, LENGTH),
            "followed": _followed_call(key),
            "own": state.own_place is not None,
            "slide": presenting(),
            "address": url,
            "qr": code,
            "warning": warning,
            "kept": str(PRIVATE),
        },
        on_said_change=_take_message,
    )


def _drop_old_request(page: str) -> None:
    """Drop a request to measure on another page, which was left too soon, and say so."""
    state = class_state()
    if state.to_measure and state.to_measure[0] != page:
        question, state.to_measure = state.to_measure[1], None
        why = _("Not measured: its page was left too soon. Reveal the answer again.")
        state.measured = {"question": question, "refused": why, "why": {}}


def _written_questions() -> dict[str, Any] | None:
    """The questions written on the panel, and what is wrong with the first that cannot be asked."""
    text = class_state().written
    if text is None:
        return None
    questions, error = parse(text, asks=True)
    own_questions = [question.plain() for question in questions if question.text]
    return {"lines": text, "questions": own_questions, "wrong": error}


def _followed_call(key: str) -> int | None:
    followed = class_state().followed
    return followed[1] if followed and followed[0] == key else None


def _take_message() -> None:
    """Do what the browser asks for; messages that no browser of ours sends are ignored."""
    state = class_state()
    match getattr(st.session_state.get(PANEL), "said", None):  # a word may come late, from a panel that has gone
        case {"do": "teach", **more}:
            state.teaches = True
            state.secret = ""  # the browser has it
            if isinstance(ticket := more.get("ticket"), str) and TICKETS.fullmatch(ticket):
                state.ticket = ticket
        case {"do": "leave", **more}:
            st.session_state[CLASS] = ClassState()
            if isinstance(why := more.get("why"), str):
                refuse(why)
        case {"do": "tested" | "arrived" | "answers", **_more} as message:
            testing.take_message(message, ITEM_IDS)
        case {"do": "write", "lines": str(lines)}:
            state.written = lines[:LONGEST_FIELD]
        case {"do": "step", "at": int(at)}:
            address.visit_step(at)
        case {"do": "course", "name": str(name), "course": str(text), "step": int(at)} if COURSE_NAME.fullmatch(name):
            state.course = name  # whatever comes of it: it is not sent again
            with suppress(ValueError):
                course_position.enter_in_class(text[: Limits().course], at)
                here = course_position.current_step()
                if state.teaches and here and here.page != visit_state().page:  # a student is taken there by a call
                    _go(page="", settings="", step=at)
        case {"do": "measure", "page": str(page), "question": str(question)} if page_question(page):
            state.to_measure = (page, question)
            state.measured = None  # it may be why this question was not measured when it was asked for before
            if page != visit_state().page:
                address.visit(page, link_to(page, {}))
        case {"do": "revealed", "page": str(page), "question": str(question), **more} if (
            page == visit_state().page and (more.get("led") is True or _has_predicted())
        ):
            state.to_measure = (page, question)  # the picture that measured it is seen here, too
        case {"do": "move", "step": int()} if course_position.current() is None:
            state.course = ""  # it was left: who is taken to a step is given it once more
        case {"do": "move", "own": own, "call": int(call), "step": step, **to} if _is_place(
            to, step
        ) and call != _followed_call(membership.room()):
            if own:  # what a session does not know, because another had it, the browser does
                page_left = visit_state().page or HOME.name
                state.own_place = (page_left, st.query_params.to_dict(), snapshot())
            state.followed = (membership.room(), call)
            _go(**to, step=step)
        case {"do": "go", "step": step, **to} if state.teaches and _is_place(to, step):
            _go(**to, step=step)
        case {"do": "back", **to} if _is_place(to):
            # A session that another replica had is lost; then the browser knows at least the place.
            if state.own_place:
                page_left, parameters, values = state.own_place
                state.own_place = None
                restore(values)
                address.visit(page_left, address.shareable(parameters))
            else:
                _go(**to)


def _has_predicted() -> bool:
    """Whether the prediction comes first here: as the answer comes out, the class has made it."""
    lesson = address.lesson()
    return lesson is not None and lesson.predict_first


def _is_place(place: dict[str, Any], step: object = None) -> bool:
    """Whether these are a page and settings; or no page, for a step's own."""
    page, settings, more = place.get("page"), place.get("settings"), place.keys() - {"page", "settings"}
    is_step = type(step) is int and course_position.current() is not None
    if more or not (step is None or is_step) or not isinstance(settings, str) or len(settings) > LONGEST:
        return False
    return page in PLACES or (page == "" and is_step)


def _go(page: str, settings: str, step: int | None = None) -> None:
    """Go to a page with a link's settings, at a step of the class's course.

    Another lesson than the class's ends, for it would hold the page to its own.
    """
    if step is not None and not page:
        address.visit_step(step)
        return
    if step is not None:
        course_position.move_to(step)
    elif course_position.is_lesson():
        course_position.leave()
    address.visit(page, address.shareable(dict(parse_qsl(settings))))


def has_wall() -> bool:
    """Whether this session is a class's wall: there the class shows what is asked, once it is."""
    return presenting() and class_state().teaches and bool(membership.room())


def is_to_measure(page: str) -> bool:
    """Whether the class waits for the measured answer to a page's question."""
    request = class_state().to_measure
    return request is not None and request[0] == page


def tell_answer(page: str, answer: int | None) -> None:
    """Tell the class the measured answer, if it waits for one.

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
    """Sentences as a room takes them: cut, and none if it would refuse one."""
    most = Limits().sentence
    cut = {
        language: sentence if len(sentence) <= most else f"{sentence[: most - 1]}…"
        for language, sentence in sentences_of.items()
    }
    try:
        return sentences(cut, "why", most)
    except RoomError:
        return {}


def _tell(page: str, answer: dict[str, Any]) -> None:
    state = class_state()
    if state.to_measure is None or state.to_measure[0] != page:
        return
    question, state.to_measure = state.to_measure[1], None
    if not state.teaches:
        return  # who is led sees what was measured; nobody waits for this session's word
    state.measured = {"question": question, **answer}
    st.rerun()  # the class stands outside of what answers
