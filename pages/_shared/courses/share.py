"""The tab Share: the page's link and QR code, its worksheet, a lesson, a step of a course."""

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.components.link_card import draw_link
from pages._shared.core.language import SETTING, carried
from pages._shared.courses.add_step import add, warn
from pages._shared.courses.embedding import draw_embedding
from pages._shared.courses.question_field import question_field
from pages._shared.lessons.course import MAX_STEPS, Course, Step
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.page.frame import Frame
from pages._shared.page.prediction import question_open
from pages._shared.page.worksheet import draw_paper
from pages._shared.session import address, course_position
from pages._shared.session.draft import draft, keep_draft
from pages._shared.session.settings import presenting, shared
from attention_core.language import gettext as _


def draw_share(frame: Frame) -> None:
    """Draw the tab Share."""
    page = frame.page
    settings = page.link_for_others()
    draw_link(_("This page with these settings"), address.url(settings | carried()), f"{page.spec.name}_link")
    draw_embedding(page, settings)
    if not presenting() or not (course_position.current() or question_open(page)):
        draw_start()  # a slide has it in the strip of its course, or below its question
    if address.lesson() is not None:
        return
    draw_paper(Course(steps=(Step(page=page.spec.name, settings=settings),)), page.spec.name)
    with st.expander(_("Make a lesson of it"), icon=":material/school:"):
        st.markdown(
            _(
                "A lesson keeps a class's attention: it shows the parts you choose and holds the controls you "
                "fix. It is no lock; anyone may leave it."
            )
        )
        keep_draft()
        lesson = _ask_lesson(frame)
        step = Step(page=page.spec.name, settings=settings, lesson=lesson)
        text = Course(steps=(step,)).encode()
        if len(text) > course_position.MAX_TEXT:
            st.warning(
                _(
                    "This lesson takes {length:,} characters, more than a link can hold ({most:,}): ask less, or "
                    "make it a step of a course and hand out the course's file.",
                    length=len(text),
                    most=course_position.MAX_TEXT,
                )
            )
        else:
            draw_link(_("The lesson"), address.url({"course": text, **carried()}), f"{page.spec.name}_lesson")
            if step.holds_answers:
                st.caption(
                    _(
                        "This link holds the right answers of your questions: begin a class with it, and hand out "
                        "the class's, which does not."
                    )
                )
        warn(step)
        st.button(
            _("Add the lesson to the course"), icon=":material/playlist_add:", key=page.session_key("lesson_add"),
            on_click=add, args=(page, lesson), disabled=len(draft().steps) >= MAX_STEPS,
        )  # fmt: skip


def _ask_lesson(frame: Frame) -> Lesson:
    page = frame.page
    of_page = {page.settings.key(name): setting.label for name, setting in page.settings.declared.items()}
    labels = of_page | {
        shared().key(name): setting.label for name, setting in shared().declared.items() if name != SETTING
    }
    spelled = page.settings.written() | shared().written()
    part_of = {page.settings.key(name): page.part_of(name) for name in page.settings}
    parts = st.multiselect(
        _("Parts that show"),
        tuple(PARTS),
        tuple(PARTS),
        format_func=lambda part: str(PARTS[part]),
        key=page.session_key("lesson_parts"),
    )

    def chosen(label: str, key: str) -> list[str]:
        return st.multiselect(
            label,
            tuple(labels),
            format_func=lambda setting: str(labels[setting]),
            key=page.session_key(key),
            placeholder=_("Choose options"),
        )

    fixed = chosen(_("Controls drawn as their value"), "lesson_fix")
    hidden = chosen(_("Controls not drawn at all"), "lesson_hide")
    first = st.toggle(_("The prediction comes before the picture"), key=page.session_key("lesson_first"))
    note = st.text_input(_("A note to the class"), max_chars=MAX_NOTE, key=page.session_key("lesson_note"))
    questions = question_field("", page.session_key("lesson_questions"), asks=True)
    # A control that is not drawn at all keeps the value it has now.
    gone = {*hidden, *(key for key, part in part_of.items() if part not in parts)}
    return Lesson(
        parts=tuple(part for part in PARTS if part in parts),
        fixed={key: spelled[key] for key in labels if key in {*fixed, *gone}},
        hidden=tuple(key for key in labels if key in gone),
        predict_first=first,
        note=note[:MAX_NOTE],
        questions=questions,
    )
