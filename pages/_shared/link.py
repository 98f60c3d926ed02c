"""What the link holds: the lesson, the state of components, and what of it could not be used.

Widgets keep themselves in the link (``bind="query-params"``). This module keeps the rest: values that no widget holds
(an order made by hand, a step scrubbed in a component) and the lesson. Such parameters vanish from the address when
the page is switched, so they live in the session and ``arrive`` writes them again before the page runs.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages._shared import log
from pages._shared.words import literal

LONG_LINK = 1_500
MAX_NOTE = 280
LESSON_PARTS = ("predict", "presets", "controls", "break", "why", "code", "data", "pin")
_MAX_LESSON_BYTES = 8_192
_LESSON = "lesson"
_ARRIVED = "_arrived"
_UNUSED = "_unused"
_KEPT = "_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a teacher hands out: which parts show, which controls are fixed or hidden, and a note.

    Attributes:
        parts: The parts of a page that show, of ``LESSON_PARTS``.
        fixed: Value of each control that is drawn as its value, by its key in the link.
        hidden: Keys, of ``fixed``, that are not drawn at all.
        predict_first: Whether the picture waits for a prediction.
        note: A short note to the class.
    """

    parts: tuple[str, ...] = LESSON_PARTS
    fixed: dict[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    predict_first: bool = False
    note: str = ""

    def encode(self) -> str:
        """The lesson as text that an address can hold."""
        content = {
            "parts": [LESSON_PARTS.index(part) for part in self.parts],
            "fixed": self.fixed,
            "hidden": self.hidden,
            "first": int(self.predict_first),
            "note": self.note,
        }
        packed = zlib.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(), 9)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @staticmethod
    def decode(text: str) -> "Lesson":
        """The lesson that ``text`` holds.

        Raises:
            ValueError: If it holds none: not made by ``encode``, or larger than a lesson may be.
        """
        try:
            packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(packed, _MAX_LESSON_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError("too large")
            content = json.loads(plain)
            parts = tuple(LESSON_PARTS[int(i)] for i in content["parts"] if 0 <= int(i) < len(LESSON_PARTS))
            fixed = {str(key): _plain(value) for key, value in dict(content["fixed"]).items()}
            hidden = tuple(str(key) for key in content["hidden"] if str(key) in fixed)
            note = str(content["note"])[:MAX_NOTE]
            return Lesson(parts=parts, fixed=fixed, hidden=hidden, predict_first=bool(content["first"]), note=note)
        except (binascii.Error, zlib.error, KeyError, TypeError, AttributeError, RecursionError, ValueError) as error:
            raise ValueError("This link's lesson cannot be read, so the page opens without it.") from error


def _plain(value: object) -> Any:
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} is no value of a control")


def arrive(page: str) -> None:
    """Take in the link before any widget is drawn: what it holds, once a session; what no widget holds, each run.

    Args:
        page: Name of the page that is about to run.
    """
    state = st.session_state
    text = st.query_params.get(_LESSON)
    if text is not None and text != state.get("_lesson_text"):
        try:
            state[_LESSON] = Lesson.decode(text)
            state["_lesson_text"] = text
        except ValueError as error:
            state[_UNUSED] = [str(error)]
            log.refused(page, "a lesson that cannot be read")
            del st.query_params[_LESSON]
    elif text is None and "_lesson_text" in state:
        st.query_params[_LESSON] = state["_lesson_text"]
    if _ARRIVED not in state:
        log.started(page)
        state[_ARRIVED] = {key: value for key, value in st.query_params.to_dict().items() if key != _LESSON}
    for key, (raw, _) in state.get(_KEPT, {}).items():
        if raw is not None and key.startswith(f"{page}_") and key not in st.query_params:
            st.query_params[key] = raw


def lesson() -> Lesson | None:
    """The lesson this session is in, if any."""
    return st.session_state.get(_LESSON)


def unfix(key: str, label: str) -> Lesson:
    """Free a control that the lesson fixes at a value it cannot have, and say so at the end of the run.

    Args:
        key: The control's name in the link.
        label: What the control is called.

    Returns:
        The lesson without it.
    """
    here: Lesson = st.session_state[_LESSON]
    fixed = {name: value for name, value in here.fixed.items() if name != key}
    st.session_state[_LESSON] = replace(here, fixed=fixed, hidden=tuple(name for name in here.hidden if name != key))
    log.refused(key, "a lesson's value")
    st.session_state.setdefault(_UNUSED, []).append(
        f"The lesson fixes {label} at “{literal(str(here.fixed[key]))}”, which is not possible; you may choose it."
    )
    return st.session_state[_LESSON]


def leave_lesson() -> None:
    """End the lesson: all controls are free again."""
    for key in (_LESSON, "_lesson_text"):
        st.session_state.pop(key, None)
    if _LESSON in st.query_params:
        del st.query_params[_LESSON]


def shows(part: str) -> bool:
    """Whether ``part`` of a page shows: always, but in a lesson without it."""
    here = lesson()
    return here is None or part in here.parts


def kept(key: str, default: Any, decode: Callable[[str], Any]) -> Any:
    """The value of a component, from the session, else from the link, else ``default``.

    Args:
        key: Its name in the link.
        default: Used where there is none, or none that ``decode`` accepts.
        decode: Reads the link's text; raises ValueError for text it does not accept.
    """
    store = st.session_state.setdefault(_KEPT, {})
    raw = st.query_params.get(key)
    if raw is None and key in store:
        raw = store[key][0]
    if raw is None:
        return default
    try:
        # Anew on every run: what is accepted may depend on other settings, an order on the number of tokens.
        store[key] = (raw, decode(raw))
    except ValueError:
        if key in st.query_params:
            del st.query_params[key]
        store[key] = (None, default)
    return store[key][1]


def keep(key: str, value: Any, default: Any, encode: Callable[[Any], str]) -> None:
    """Remember a component's value and put it into the link; for callbacks only.

    Args:
        key: Its name in the link.
        value: The new value, already checked.
        default: The value that the link does not spell out.
        encode: Writes the value as the link's text.
    """
    raw = None if value == default else encode(value)
    st.session_state.setdefault(_KEPT, {})[key] = (raw, value)
    if raw is not None:
        st.query_params[key] = raw
    elif key in st.query_params:
        del st.query_params[key]


def note_unused(taken: dict[str, Callable[[str], tuple[bool, str, str]]], page: str) -> list[str]:
    """Sentences on what the link held that could not be used; each is named in one run of the session only.

    Args:
        taken: For each control of this run, by its key: from the link's text to whether the control took it, the
            control's label, and the value it has instead.
        page: Name of the page that ran.
    """
    sentences = st.session_state.pop(_UNUSED, [])
    for key, raw in st.session_state.get(_ARRIVED, {}).items():
        if key in taken:
            took, label, instead = taken[key](raw)
            if not took:
                log.refused(page, f"{key} in the link")
                sentences.append(
                    f"The link asks for {label} = “{literal(raw)}”, which is not possible; {instead} is used."
                )
        elif key.startswith(f"{page}_") or "_" not in key:
            log.refused(page, "an unknown setting in the link")
            sentences.append(f"The link holds “{literal(key)}”, which this page does not know; it is left out.")
    st.session_state[_ARRIVED] = {}
    return sentences


def forget(page: str) -> None:
    """Take out of the link and the session what they hold for a page; for callbacks only.

    Args:
        page: Name of the page.
    """
    for store in (st.session_state.get(_KEPT, {}), st.session_state.get(_ARRIVED, {})):
        for key in [key for key in store if key.startswith(f"{page}_")]:
            del store[key]
    for key in [key for key in st.query_params if key.startswith(f"{page}_")]:
        # A widget that is on the screen owns its parameter, and takes it out itself.
        with suppress(StreamlitAPIException):
            del st.query_params[key]


def address(page: str, extra: dict[str, str] | None = None) -> str:
    """The address of this page with its settings, as the visitor's browser knows it; without the open tab.

    Args:
        page: Name of the page.
        extra: Parameters to add or replace.
    """
    base = (st.context.url or "").split("?")[0]
    parameters = st.query_params.to_dict() | (extra or {})
    parameters.pop(f"{page}_tab", None)
    return base + ("?" + urlencode(parameters) if parameters else "")
