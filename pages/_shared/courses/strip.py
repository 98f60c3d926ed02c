"""The strip above every page of a course: where one stands, the task, the way on; and what stands at its end."""

import streamlit as st

from pages._shared.core.pages import target
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import MAX_ANSWER, MAX_TITLE, Step
from pages._shared.lessons.lesson import MAX_NOTE
from pages._shared.lessons.library import OURS, ours
from pages._shared.page.prediction import SKIP
from pages._shared.session import address, course_position
from pages._shared.session.links import link_to
from pages._shared.session.settings import presenting, shared
from attention_core.language import gettext as _


def draw_strip(page: str) -> None:
    """Draw the strip of the course that the session is in."""
    here, now = course_position.current(), course_position.current_step()
    if here is None:
        return
    if course_position.is_lesson():
        _draw_lesson(page, now)
        return
    count = len(here.course.steps)
    with st.container(key="course_strip", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="course_row"):
            st.markdown(f":material/route: {_where(here, count)}", width="stretch")
            if now and now.page == page and now.answer:
                with st.popover(_("Answer"), width="content"):
                    st.markdown(escape_markdown(now.answer, MAX_ANSWER))
            if now and now.page != page:
                label = _("Return to step {number}", number=here.index + 1)
                _button(label, "undo", "return", here.index, primary=True)
            elif now:
                _button(_("Start this step again"), "replay", "again", here.index, fresh=True, is_icon=True)
            back, on = (_("Previous step"), _("Next step")) if presenting() else (_("Back"), _("Next"))
            _button(back, "arrow_back", "PageUp", here.index - 1, disabled=here.index == 0)
            if now:
                last = here.index == count - 1
                label = _("Finish") if last else on
                _button(label, "arrow_forward", "PageDown", here.index + 1, primary=not last)
            label = _("Leave the course")
            st.button(label, icon=":material/close:", help=label, key="_course_leave",
                      type="tertiary", on_click=course_position.leave)  # fmt: skip
        if now and now.page == page and now.lesson.note:
            st.markdown(escape_markdown(now.lesson.note, MAX_NOTE))
        if not presenting():
            st.progress(min(1.0, (here.index + 1) / count))


def _draw_lesson(page: str, now: Step | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_banner"):
        note = escape_markdown(now.lesson.note, MAX_NOTE) if now and now.page == page else ""
        st.markdown(_(":violet[:material/school: **Lesson.**] {note}", note=note))
        if now and now.page != page:
            _button(_("Return to the lesson"), "undo", "return", 0)
        st.button(_("Leave the lesson"), key="_course_leave", on_click=course_position.leave, type="tertiary")


def _where(here: course_position.CoursePosition, count: int) -> str:
    now, title = course_position.current_step(), escape_markdown(here.course.title, MAX_TITLE)
    if now is None:
        return _("**The end** :gray[{title}]", title=title)
    at = {"number": here.index + 1, "count": count, "title": title}
    if presenting():
        return _(
            "**Step {number} of {count}** :small[:gray[{minutes} min]] :gray[{title}]", minutes=now.minutes, **at
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


def at_end() -> bool:
    """Whether the session stands at the end of a course, where a summary takes the place of the page."""
    return course_position.current() is not None and course_position.current_step() is None


def draw_end() -> None:
    """Draw what was predicted on the way, and what was measured."""
    here = course_position.current()
    assert here is not None
    address.write(shared().parameters(), is_page=False)
    st.title(_("What you predicted, and what was measured"), anchor=False)
    told = [(here.course.steps[at], at, one) for at, one in sorted(here.predictions.items()) if one.answer != SKIP]
    graded = [one for _, _, one in told if one.truth is not None]
    if graded:
        right = sum(one.answer == one.truth for one in graded)
        st.markdown(
            _("**{right} of {count}** predictions agree with the measurement.", right=right, count=len(graded))
        )
    else:
        st.markdown(_("No prediction was made on this walk. The steps that ask for one are still there."))
    for one, at, said in told:
        if said.refused:
            outcome = _(":gray[:material/help: not measured.] {reason}", reason=said.refused)
        elif said.truth is None:
            outcome = _(":gray[:material/help: these settings could not tell.]")
        elif said.truth == said.answer:
            outcome = _(":green[:material/check: the measurement agrees.]")
        else:
            outcome = _(":orange[:material/close: measured: **{truth}**.]", truth=escape_markdown(said.truth))
        told_of = {"number": at + 1, "page": one.title, "question": said.question, "outcome": outcome}
        st.markdown(
            _(
                "**Step {number}, {page}.** {question}  \nYou said **{answer}**: {outcome}",
                answer=escape_markdown(said.answer),
                **told_of,
            )
        )
    with st.container(horizontal=True):
        st.button(_("Walk it again"), icon=":material/replay:", on_click=address.visit_course, args=(here.course,))
        st.button(_("Leave the course"), on_click=course_position.leave)


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
