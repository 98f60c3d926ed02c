"""What surrounds every page: the shared settings, the presenter's type size and the banner of a lesson."""

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from pages._shared import link
from pages._shared.controls import Controls, shared_settings
from pages._shared.navigation import go_through_app
from pages._shared.reconnect import watch_connection
from pages._shared.stages import begun
from pages._shared.words import literal

_SHARED = "_shared"

# Streamlit leaves five rem free on both sides, which four matrices in a row need.
_ROOM = "@media (min-width: 1000px) { [data-testid=stMainBlockContainer] { padding: 3.75rem 2.5rem 3rem; } }"
# Everything in the app is sized in rem, so one number enlarges all of it for the back row.
_STRIP = """
.st-key-above [role=radiogroup] { flex-wrap: nowrap; overflow-x: auto; max-width: 100%; }
.st-key-above [role=radiogroup] button { padding-inline: 0.6rem; flex-shrink: 0; }
.st-key-above .stElementContainer:has(> [data-testid=stButtonGroup]) { width: 100%; }
.st-key-above [data-testid=stWidgetLabel] { display: none; }
"""  # a strip of steps is one line that scrolls where it has no room, and says itself what it is
_QUESTION = """
[class*=_predict_strip] [data-testid=stButtonGroup] {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.75rem;
}
[class*=_predict_strip] [data-testid=stWidgetLabel] { margin: 0; min-height: 0; }
"""  # a question and its answers share a line where there is room
_PROOF = """
[data-testid=stMarkdownContainer]:has(> blockquote) { display: grid; grid-template-columns: 1fr; gap: 0.75rem 3rem; }
[data-testid=stMarkdownContainer]:has(> blockquote) > * { margin: 0; min-width: 0; opacity: 1; }
@media (min-width: 641px) {
  [data-testid=stMarkdownContainer]:has(> blockquote) { grid-template-columns: 3fr 2fr; }
}
"""  # one text for the whole proof: an element for each of its parts was an eighth of a page's messages
_CLAIM = """
[class*=st-key-claim_] > :first-child { flex: 1 1 18rem; min-width: 0; }
.st-key-claims_glance .stMarkdownColoredText { display: inline-block; white-space: nowrap; margin-left: 0.5rem; }
"""  # a claim's words give way to its links, which on a phone stand below; its name stays with its icon
_LARGE = "html { font-size: 20px; }"


def draw_shared_settings() -> None:
    """Draw precision, device, seed and presenter view in the sidebar; and there, unseen, watch the connection."""
    with st.sidebar:
        st.session_state[_SHARED] = shared_settings()
        watch_connection()


def shared() -> Controls:
    """The settings that all pages share.

    One who comes by a page's link while the very first visitor of a process is being sent to app.py gets to the page
    without it. So this sends him there as well, though by now no further visitor would come this way.
    """
    if not begun() and (PagesManager.uses_pages_directory or _SHARED not in st.session_state):
        go_through_app()
    return st.session_state[_SHARED]


def draw_style() -> None:
    """Room for the pictures, and large type in presenter view."""
    st.html(f"<style>{_ROOM}{_STRIP}{_QUESTION}{_PROOF}{_CLAIM}{_LARGE if presenting() else ''}</style>")


def presenting() -> bool:
    """Whether this session is in presenter view."""
    return bool(shared().values["present"])


def draw_lesson_banner() -> None:
    """In a lesson: its note, and the way out."""
    here = link.lesson()
    if here is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_banner"):
        note = f" {literal(here.note, link.MAX_NOTE)}" if here.note else ""
        st.markdown(f":violet[:material/school: **Lesson.**]{note}")
        st.button("Leave the lesson", key="_leave_lesson", on_click=link.leave_lesson, type="tertiary")
