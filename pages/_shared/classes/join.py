"""The ways into a class: Share opens one, Home takes a key; a classroom's Home shows the link for students."""

import threading
from typing import Final

import streamlit as st

from pages._shared.components.link_card import draw_qr_code
from pages._shared.components.loader import component
from pages._shared.core import network
from pages._shared.core.pages import HOME
from pages._shared.core.qr_code import qr_code
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import KEY_TYPED, START, class_state
from pages._shared.session import address, membership
from pages._shared.session.settings import presenting
from pages._shared.session.widget_keys import key_to_show, renew, widget_key
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy

PRIVATE: Final = gettext_lazy(
    "No names and no addresses are kept, only what was answered, and nothing on a disk. All is gone when the class "
    "ends, after 12 hours at most."
)

_JOIN: Final = "class_join"

_start = component("live_class/start.js")


def draw_start() -> None:
    """Draw the button that opens a class, and below it what a class is, but on a slide; nothing in a class."""
    if membership.room():
        return
    data = {"label": _("Start a class")}
    _start(data=data, key=START, height="content", width="content", on_opened_change=_opened)
    if presenting():
        return
    if warning := network.for_students(address.url({}, HOME.name))[1]:
        st.warning(warning)
    st.caption(
        _(
            "Students come in by a QR code or a key of five letters. You ask, they vote on their phones, talk, "
            "and vote again; then the answer is measured. You can bring them to the page and settings "
            "that you see. {private}",
            private=PRIVATE,
        )
    )


def _opened() -> None:
    link = getattr(st.session_state.get(START), "opened", None)  # told again, it may come from a button that has gone
    if not isinstance(link, str):
        return
    if not membership.join(link):
        class_state().teaches = True
    st.rerun()  # the class stands outside of what answers


def draw_join() -> None:
    """Draw the box for a class's key, and why the last one was refused; nothing in a class or on a slide."""
    if membership.room() or presenting():
        return
    state = class_state()
    refused, state.refused = state.refused, ""
    if refused:
        renew(_JOIN)  # it was drawn anew, and closed
    key = key_to_show(_JOIN, True) if refused else widget_key(_JOIN)
    box = st.container(width="content", key="join_box")
    with box.popover(_("Join a class"), icon=":material/groups:", type="tertiary", key=key, on_change="rerun"):
        st.text_input(
            _("Key of your class"), key=KEY_TYPED, on_change=_join, autocomplete="off", placeholder=_("Five letters")
        )
        st.button(_("Join"), key="_class_join", on_click=_join)
        if refused:
            st.error(refused)


def refuse(sentence: str) -> None:
    """Show below the box why there is no such class."""
    class_state().refused = escape_markdown(sentence, 200)


def _join() -> None:
    if (typed := st.session_state.get(KEY_TYPED, "")) and (refused := membership.join(typed)):
        class_state().refused = refused


def way_for_students() -> tuple[str, str, str]:
    """The link into the session's class, a warning about it, and its QR code.

    The code is empty where it would lead nobody but this machine, and where the link is too long for one.
    """
    link = f"{address.url({}, HOME.name)}?{address.CLASS_PARAMETER}={membership.class_link()}"
    url, warning = network.for_students(link)
    return url, warning, "" if network.is_for_nobody_else(url) else qr_code(url) or ""


_is_classroom = threading.Event()


def open_is_classroom() -> None:
    """Have Home show the link for students; called by the classroom's launcher."""
    _is_classroom.set()


def draw_way_in() -> None:
    """Draw the link and the QR code for students, in a classroom."""
    if not _is_classroom.is_set():
        return
    url, warning = network.for_students(address.url({}, HOME.name))
    with st.container(border=True, key="way_in"):
        if network.is_for_nobody_else(url):
            st.markdown(warning)
            return
        left, right = st.columns([4, 1], gap="large", vertical_alignment="center")
        with left:
            st.markdown(_("**Students come in here:**"))
            st.subheader(f"[{url}]({url})", anchor=False)
        with right:
            draw_qr_code(_("the app for the class"), url)
