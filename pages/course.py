"""Course: pages in an order, put together, tried, handed out in one link and kept in a file."""

import re
from dataclasses import replace

import streamlit as st

from pages._shared.core.pages import COURSE
from pages._shared.core.text import escape_markdown, plain_markdown
from pages._shared.courses import hand_out
from pages._shared.courses.editor import draw_steps
from pages._shared.lessons.course import MAX_TITLE, Course, from_json
from pages._shared.lessons.library import OURS, ours
from pages._shared.page import draw_notices, draw_title
from pages._shared.session import course_position, notices
from pages._shared.session.draft import draft, keep_draft, put, replace_draft
from pages._shared.session.page_state import PageState
from pages._shared.session.widget_keys import is_move, key_to_show, renew, widget_key
from attention_core.language import gettext as _

state = PageState(COURSE)
MOST_NOTE = 90  # characters of a step's note that a card shows
MOST_MEGABYTES = 2  # of a course's file, as its reader takes
SENTENCE = re.compile(r"“[^”]+”|.+?(?:[.?!](?=\s)|[。？！]|(?=[:：]))")
TITLE, FILE, REMARKS, BEGIN = (state.session_key(name) for name in ("title", "file", "remarks", "begin"))


def rename(key: str) -> None:
    """Take the title that was typed."""
    typed = st.session_state.get(key)
    if is_move(TITLE, key) and isinstance(typed, str):
        put(replace(draft(), title=" ".join(typed.split())[:MAX_TITLE]))


def begin(course: Course) -> None:
    """Take a course for the draft, and close what it was chosen from: it would lie on the steps."""
    replace_draft(course)
    renew(BEGIN)


def load() -> None:
    """Take the course of the file that was chosen."""
    file = st.session_state.get(FILE)
    if file is None:
        return
    try:
        course, remarks = from_json(file.getvalue())
    except ValueError as error:
        st.session_state[REMARKS] = [_("{file}: {error}", file=escape_markdown(file.name), error=error)]
        return
    begin(course)
    st.session_state[REMARKS] = remarks


def draw_title_box(here: Course) -> None:
    """Where the draft's title is typed."""
    key = key_to_show(TITLE, here.title)
    st.text_input(_("Title"), max_chars=MAX_TITLE, key=key, on_change=rename, args=(key,), width="stretch")


def first_sentence(note: str) -> str:
    """How a step's note begins, as Markdown."""
    found = SENTENCE.match(note)
    return plain_markdown(found[0] if found else note, MOST_NOTE)


def draw_beginnings(here: Course) -> None:
    """What a course may begin with: one of the app's own, nothing, a file, the one that the session is in."""
    with st.grid("auto", min_column_width=250):
        for name in OURS:
            course = ours(name)
            label = _("{title}, {minutes} min", title=course.title, minutes=course.minutes)
            steps = (
                f"{at}. **{step.title}** {first_sentence(step.lesson.note)}"
                for at, step in enumerate(course.steps, 1)
            )
            with st.container(border=True, height="stretch", key=f"course_card_{name}"):
                st.markdown(f"**{label}**")
                st.button(
                    _("Begin with it"), key=state.session_key(f"ours_{name}"), icon=":material/route:",
                    help=label, on_click=begin, args=(course,),
                )  # fmt: skip
                if not here.steps:
                    st.markdown("\n".join(steps))
        with st.container(border=True, height="stretch", key="course_card_empty"):
            if here.steps:
                st.button(
                    _("**An empty one**"), key=state.session_key("empty"), icon=":material/add:", type="tertiary",
                    on_click=begin, args=(Course(),),
                )  # fmt: skip
            else:
                st.markdown(_("**An empty one**"))
                draw_title_box(here)
            st.markdown(
                _(
                    ":small[:gray[Set up any page as you want it to begin, and press *Add to the course* above its "
                    "picture.]]"
                )
            )
        with st.container(border=True, height="stretch", key="course_card_file"):
            st.file_uploader(
                _("**Open a file**"), type="json", key=FILE, on_change=load, max_upload_size=MOST_MEGABYTES
            )
            now = course_position.current()
            if now is not None:
                walked = state.session_key("walked")
                st.button(_("The course you are in"), key=walked, on_click=begin, args=(now.course,))


def draw() -> None:
    """Draw the page."""
    state.take_link()
    draw_title(str(COURSE.title))
    st.markdown(
        _(
            "For teachers: a course leads a class through pages of this app, one task at a time. Begin with a "
            "ready-made one, or with an empty one. The draft stays in this browser."
        )
    )
    keep_draft()
    draw_notices((*notices.pop(), *st.session_state.pop(REMARKS, ())))
    here = draft()
    if here.steps:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="course_begin"):
            draw_title_box(here)
            # A popover can be closed from here only where opening it asks for a run.
            with st.popover(
                _("Start from a ready-made course"),
                icon=":material/folder_open:",
                key=widget_key(BEGIN),
                on_change="rerun",
            ):
                st.markdown(_("This replaces your draft."))
                draw_beginnings(here)
        draw_steps(here)
        hand_out.draw(here)
    else:
        draw_beginnings(here)
