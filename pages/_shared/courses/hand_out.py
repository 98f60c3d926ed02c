"""Hand out a course: a link for students, one for the teacher, a file, paper."""

import streamlit as st

from pages._shared.components.link_card import draw_link
from pages._shared.core.language import carried
from pages._shared.lessons.course import Course
from pages._shared.lessons.library import OURS, text_of
from pages._shared.page.worksheet import draw_paper, file_name
from pages._shared.session import address, course_position
from attention_core.language import gettext as _


def draw(course: Course) -> None:
    """Draw the links, the file and the worksheet of a course."""
    with st.container(horizontal=True):
        st.button(_("Try it as a student"), icon=":material/play_arrow:", key="_course_try",
                  on_click=address.visit_course, args=(course,))  # fmt: skip
        st.download_button(
            _("Download"), course.to_json(), f"{file_name(course)}.json", "application/json",
            key="_course_keep", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    draw_paper(course, "course")
    text, first = text_of(course), course.steps[0].page
    if len(text) > course_position.MAX_TEXT:
        st.warning(
            _(
                "This course takes {length:,} characters, more than a link can hold ({most:,}): shorten tasks and "
                "answers, or hand out its file, which students load on this page.",
                length=len(text),
                most=course_position.MAX_TEXT,
            )
        )
        return
    students = text if text in OURS else course.for_students().encode()
    draw_link(_("Students begin here"), address.url({"course": students, **carried()}, first), "course_students")
    with st.expander(_("The teacher's link"), icon=":material/slideshow:"):
        st.markdown(
            _(
                "The same course in presenter view: large type, minutes beside each step, and PageUp and PageDown "
                "walk the presets of a step, then the steps. Keep it to yourself: on a phone, slide type is too "
                "large."
            )
        )
        url = address.url({"course": text, "present": "true", **carried()}, first)
        st.link_button(_("Present"), url, icon=":material/slideshow:")
        draw_link(_("The teacher's"), url, "course_teacher")
        if any(step.holds_answers for step in course.steps):
            st.caption(_("This link holds the right answers of your questions, and the students' does not."))
