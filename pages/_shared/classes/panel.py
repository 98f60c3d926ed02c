"""What stands at the lower edge of every page while a class is on: the teacher's panel, or a student's strip."""

from typing import Any, Final
from urllib.parse import parse_qsl

import streamlit as st

from pages._shared.classes.classroom import public_url
from pages._shared.classes.join import PRIVATE, TEACHES, TYPED, refuse
from pages._shared.classes.prepared import place, prepared
from pages._shared.components.loader import component
from pages._shared.compute.process import process
from pages._shared.core import log
from pages._shared.core.pages import HOME, LEDGER, PAGES
from pages._shared.core.qr_code import qr_code
from pages._shared.page.declaration import Predict
from pages._shared.session import address, course_position
from pages._shared.session.settings import restore, shared, snapshot

PLACES: Final = [page.name for page in (HOME, *PAGES, LEDGER)]
LONGEST: Final = 1_500  # characters of settings, as the room takes them
_DOCK: Final = "_class_dock"
# In the session: where a student was before following; the last call that was followed, and of which class; what is
# to be measured, and was.
_OWN, _FOLLOWED, _MEASURE, _MEASURED = "_class_own", "_class_followed", "_class_measure", "_class_measured"

_dock = component("live_class/dock.js")


def draw_dock(page: str) -> None:
    """Draw the class this session is in, if any.

    Args:
        page: Name of the page that is about to run.
    """
    key, state = address.room(), st.session_state
    if not key:
        return
    teaches = state.get(TEACHES, False)
    question = process().questions.get(page) if teaches else None
    url = _students_address(key) if teaches else ""
    _dock(
        key=_DOCK,
        height="content",
        data={
            "room": key,
            "typed": bool(state.get(TYPED)),
            "page": page,
            "teaches": teaches,
            "question": question and {"text": question.text, "answers": list(question.answers)},
            "prepared": prepared() if teaches else [],
            **place(),
            "measured": state.get(_MEASURED),
            "followed": _followed(key),
            "own": _OWN in state,
            "address": url,
            "qr": (teaches and qr_code(url)) or "",
            "kept": PRIVATE,
        },
        on_said_change=_said,
    )


def _followed(key: str) -> int | None:
    room, call = st.session_state.get(_FOLLOWED, ("", None))
    return call if room == key else None


def _students_address(key: str) -> str:
    base = public_url(st.context.url or "", st.get_option("browser.serverAddress")) or address.address({})
    return f"{base}?class={key}"


def _said() -> None:
    """What the browser cannot do by itself; what no browser of ours says is ignored."""
    state = st.session_state
    match state[_DOCK].said:
        case {"do": "teach"}:
            state[TEACHES] = True
        case {"do": "leave", **more}:
            for name in (TEACHES, _OWN, _FOLLOWED, _MEASURE, _MEASURED):
                state.pop(name, None)
            address.leave_class()
            if isinstance(why := more.get("why"), str):
                refuse(why)
        case {"do": "step", "at": int(at)}:
            course_position.go(at)
        case {"do": "measure", "page": str(page), "question": str(question)} if page in process().questions:
            state[_MEASURE] = (page, question)
            if page != state.get(log.PAGE):
                address.visit(page, shared().parameters())
        case {"do": "move", "own": own, "call": int(call), **to} if _is_place(to) and call != _followed(
            address.room()
        ):
            if own:  # what a session does not know, because another had it, the browser does
                state[_OWN] = (state.get(log.PAGE, HOME.name), st.query_params.to_dict(), snapshot())
            state[_FOLLOWED] = (address.room(), call)
            address.leave_lesson()
            _go(**to)
        case {"do": "back", **to} if _is_place(to):
            # A session that another replica had is lost; then the browser knows at least the place.
            address.leave_lesson()
            if _OWN in state:
                here, parameters, values = state.pop(_OWN)
                restore(values)
                address.visit(here, parameters)
            else:
                _go(**to)


def _is_place(to: dict[str, Any]) -> bool:
    page, settings = to.get("page"), to.get("settings")
    return len(to) == 2 and page in PLACES and isinstance(settings, str) and len(settings) <= LONGEST


def _go(page: str, settings: str) -> None:
    """Go to a page with settings; whether this is a presenter's view stays this session's own."""
    own = {name: text for name, text in shared().parameters().items() if name == "present"}
    address.visit(page, {name: text for name, text in parse_qsl(settings) if name not in ("present", "class")} | own)


def is_to_measure(page: str) -> bool:
    """Whether the class waits for the answer to a page's question, and so for the move it is about.

    Args:
        page: Name of the page.
    """
    return st.session_state.get(_MEASURE, ("", ""))[0] == page


def measure(page: str, predict: Predict, result: Any) -> None:
    """Tell the class what the tensor says, once the move has been made; nothing where it does not wait for that.

    Args:
        page: Name of the page.
        predict: Its question.
        result: The result with the settings that the question is about.
    """
    if not is_to_measure(page):
        return
    _, question = st.session_state.pop(_MEASURE)
    truth = predict.grade(result)
    answer = None if truth is None else predict.options.index(truth)
    st.session_state[_MEASURED] = {"question": question, "answer": answer}
    st.rerun()  # the class stands outside of what answers
