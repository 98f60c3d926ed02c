"""The strip above every page of a course: the step, its task, the buttons to others."""

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.classes.panel import has_wall
from pages._shared.core.pages import target
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import MAX_ANSWER, MAX_TITLE, Step
from pages._shared.lessons.lesson import MAX_NOTE
from pages._shared.lessons.library import OURS, ours
from pages._shared.session import address, course_position
from pages._shared.session.links import link_to
from pages._shared.session.settings import presenting
from attention_core.language import gettext as _


def draw_strip(page: str) -> None:
    """Draw the strip of the session's course, if it is in one."""
    position, step = course_position.current(), course_position.current_step()
    if position is None:
        return
    if course_position.is_lesson():
        _draw_lesson(page, step)
        return
    count = len(position.course.steps)
    with st.container(key="course_strip", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course_row"):
            st.markdown(f":material/route: {_where(position, count)}", width="stretch")
            if step and step.page == page and step.answer:
                with st.popover(_("Answer"), width="content"):
                    st.markdown(escape_markdown(step.answer, MAX_ANSWER))
            if step and step.page != page:
                label = _("Return to step {number}", number=position.index + 1)
                _button(label, "undo", "return", position.index, primary=True)
            elif step:
                _button(_("Start this step again"), "replay", "again", position.index, fresh=True, is_icon=True)
            back_label, next_label = (_("Previous step"), _("Next step")) if presenting() else (_("Back"), _("Next"))
            _button(back_label, "arrow_back", "PageUp", position.index - 1, disabled=position.index == 0)
            if step:
                last = position.index == count - 1
                label = _("Finish") if last else next_label
                _button(label, "arrow_forward", "PageDown", position.index + 1, primary=not (last or has_wall()))
            if presenting():
                draw_start()
            label = _("Leave the course")
            st.button(label, icon=":material/close:", help=label, key="_course_leave",
                      type="tertiary", on_click=course_position.leave)  # fmt: skip
        if step and step.page == page and step.lesson.note:
            st.markdown(escape_markdown(step.lesson.note, MAX_NOTE))
        if not presenting():
            st.progress(min(1.0, (position.index + 1) / count))


def _draw_lesson(page: str, step: Step | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_banner"):
        note = escape_markdown(step.lesson.note, MAX_NOTE) if step and step.page == page else ""
        st.markdown(_(":violet[:material/school: **Lesson.**] {note}", note=note))
        if step and step.page != page:
            _button(_("Return to the lesson"), "undo", "return", 0)
        if presenting():
            draw_start()
        st.button(_("Leave the lesson"), key="_course_leave", on_click=course_position.leave, type="tertiary")


def _where(position: course_position.CoursePosition, count: int) -> str:
    step, title = course_position.current_step(), escape_markdown(position.course.title, MAX_TITLE)
    if step is None:
        return _("**The end** :gray[{title}]", title=title)
    at = {"number": position.index + 1, "count": count, "title": title}
    if presenting():
        return _(
            "**Step {number} of {count}** :small[:gray[{minutes} min]] :gray[{title}]", minutes=step.minutes, **at
        )
    return _("**Step {number} of {count}** :gray[{title}]", **at)


def _button(
    label: str, icon: str, key: str, to: int, *, disabled: bool = False, primary: bool = False, fresh: bool = False,
    is_icon: bool = False,
) -> None:  # fmt: skip
    st.button(
        label, icon=f":material/{icon}:", key=f"_course_{key}", on_click=address.visit_step, args=(to, fresh),
        disabled=disabled, type="primary" if primary else "secondary", help=label if is_icon else None,
    )  # fmt: skip


def draw_offer() -> None:
    """Offer the app's own courses, each by a link that begins it."""
    st.subheader(_("Courses"))
    with st.grid("auto", min_column_width=320):
        for name in OURS:
            course = ours(name)
            with st.container(border=True, height="stretch"):
                first = course.steps[0].page
                begin = link_to(first, {"course": name})
                st.page_link(target(first), label=f"**{course.title}**", icon=":material/route:", query_params=begin)
                st.markdown(_("{minutes} minutes, {count} steps.", minutes=course.minutes, count=len(course.steps)))
