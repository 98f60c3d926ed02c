"""What surrounds every page: the shared settings in the sidebar, the style, and the banner of a lesson or course."""

from pathlib import Path

import streamlit as st

from pages._shared.classes.panel import draw_dock
from pages._shared.components.reconnect import watch_connection
from pages._shared.components.small import attend_navigation, remote
from pages._shared.core.text import escape_markdown
from pages._shared.courses import worksheet
from pages._shared.courses.strip import draw_strip
from pages._shared.lessons.lesson import MAX_NOTE
from pages._shared.page.controls import Controls
from pages._shared.session import address, course_position
from pages._shared.session.settings import presenting, shared

_STYLE = (Path(__file__).parent / "style/style.css").read_text("utf-8")
_PRESENTER = (Path(__file__).parent / "style/presenter.css").read_text("utf-8")


def draw_surroundings(page: str) -> None:
    """Draw precision, device, seed and presenter view in the sidebar, and the class; watch the connection, unseen.

    Args:
        page: Name of the page that is about to run.
    """
    values = shared()
    values.load_from_address()
    with st.sidebar:
        Controls(values).show("device", "dtype", "seed", "present")
        watch_connection()
        attend_navigation()
    if presenting():
        st.button(
            "", help="Leave presenter view", key="leave_present", icon=":material/close_fullscreen:", type="tertiary",
            on_click=lambda: shared().set(present=False),
        )  # fmt: skip
        remote()
    st.html(f"<style>{_STYLE}{_PRESENTER if presenting() else ''}</style>")
    draw_dock(page)
    if worksheet.gathering():
        worksheet.draw_progress()
    elif course_position.current() is None:
        _draw_lesson_banner()
    else:
        draw_strip(page)


def _draw_lesson_banner() -> None:
    here = address.lesson()
    if here is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_banner"):
        note = f" {escape_markdown(address.note(), MAX_NOTE)}" if address.note() else ""
        st.markdown(f":violet[:material/school: **Lesson.**]{note}")
        st.button("Leave the lesson", key="_leave_lesson", on_click=address.leave_lesson, type="tertiary")
