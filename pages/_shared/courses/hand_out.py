"""What a course is handed out as: a link for students, one for the teacher, a file, and paper."""

import re
from functools import partial

import streamlit as st

from pages._shared.courses import worksheet
from pages._shared.courses.worksheet_html import handout
from pages._shared.lessons.course import Course
from pages._shared.lessons.library import text_of
from pages._shared.page.share import draw_link
from pages._shared.session import address, course_position


def draw(course: Course) -> None:
    """Draw links and file of a course.

    Args:
        course: The course; it has steps.
    """
    with st.container(horizontal=True):
        st.button("Try it as a student", icon=":material/play_arrow:", key="_course_try",
                  on_click=course_position.start, args=(course,))  # fmt: skip
        st.download_button(
            "Keep it as a file", course.to_json(), f"{file_name(course)}.json", "application/json",
            key="_course_keep", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
    _draw_paper(course)
    text, first = text_of(course), course.steps[0].page
    if len(text) > course_position.MAX_TEXT:
        st.warning(
            f"This course takes {len(text):,} characters, more than a link can hold "
            f"({course_position.MAX_TEXT:,}): shorten tasks and answers, or hand out its file, "
            "which students load on this page."
        )
        return
    draw_link("Students begin here", address.address({"course": text}, first), "course_students")
    with st.expander("The teacher's link", icon=":material/slideshow:"):
        st.markdown(
            "The same course in presenter view: large type, minutes beside each step, and PageUp and PageDown walk "
            "the presets of a step, then the steps. Keep it to yourself: on a phone, slide type is too large."
        )
        draw_link("The teacher's", address.address({"course": text, "present": "true"}, first), "course_teacher")


def _draw_paper(course: Course) -> None:
    poses = worksheet.gathered(course)
    with st.container(horizontal=True, vertical_alignment="center", key="course_paper"):
        st.markdown("**On paper**", width="content")
        if poses is None:
            st.button("Make the worksheet", icon=":material/print:", key="_course_gather",
                      on_click=worksheet.begin, args=(course,))  # fmt: skip
            st.markdown(
                ":small[:gray[The app walks the course once and takes its pictures along; that takes some seconds.]]",
                width="content",
            )
            return
        for label, solved, ending in (("Handout", False, "worksheet"), ("Solutions", True, "solutions")):
            name, make = f"{file_name(course)}-{ending}.html", partial(handout, course, poses, solved=solved)
            st.download_button(
                label, make, name, "text/html",
                key=f"_course_{ending}", on_click="ignore", icon=":material/print:",
            )  # fmt: skip
        st.markdown(":small[:gray[Open the file in a browser and print it.]]", width="content")


def file_name(course: Course) -> str:
    """A name for the course's files: letters, digits and dashes of its title."""
    return "course-" + (re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-")[:60] or "without-title")
