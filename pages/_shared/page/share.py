"""The Share tab: the link to this state, its QR code, and what a teacher makes of it: a lesson, a step."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.components.link_card import draw_link
from pages._shared.core.language import SETTING, carried
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.lessons.questions import HINT, LONGEST, Prepared, parse, written
from pages._shared.page.frame import Frame
from pages._shared.page.prediction import question_open
from pages._shared.page.worksheet import draw_paper
from pages._shared.session import address, course_position, draft
from pages._shared.session.settings import presenting, shared
from attention_core.language import gettext as _


def draw_share(frame: Frame) -> None:
    """Draw the tab."""
    page = frame.page
    settings = page.link_for_others()
    draw_link(_("This page with these settings"), address.url(settings | carried()), f"{page.spec.name}_link")
    if not (presenting() and question_open(page)):  # a slide has it below its question
        draw_start()
    if address.lesson() is not None:
        return
    draw_paper(Course(steps=(Step(page=page.spec.name, settings=settings),)), page.spec.name)
    course = st.container()
    with st.expander(_("Make a lesson of it"), icon=":material/school:"):
        st.markdown(
            _(
                "A lesson keeps a class's attention: it shows the parts you choose and holds the controls you fix. "
                "It is no lock; anyone may leave it. A step that is added to the course is held to the same."
            )
        )
        made = _ask_lesson(frame)
        text = Course(steps=(Step(page=page.spec.name, settings=settings, lesson=made),)).encode()
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
    with course:
        draft.draw_add(page, made)


def _ask_lesson(frame: Frame) -> Lesson:
    page = frame.page
    own = {page.settings.key(name): one.label for name, one in page.settings.declared.items()}
    labels = own | {shared().key(name): one.label for name, one in shared().declared.items() if name != SETTING}
    spelled = page.settings.written() | shared().written()
    part_of = {page.settings.key(name): frame.controls.parts.get(name, "controls") for name in page.settings}
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
            format_func=lambda one: str(labels[one]),
            key=page.session_key(key),
            placeholder=_("Choose options"),
        )

    fixed = chosen(_("Controls drawn as their value"), "lesson_fix")
    hidden = chosen(_("Controls not drawn at all"), "lesson_hide")
    first = st.toggle(_("The prediction comes before the picture"), key=page.session_key("lesson_first"))
    note = st.text_input(_("A note to the class"), max_chars=MAX_NOTE, key=page.session_key("lesson_note"))
    questions = draw_field((), page.session_key("lesson_questions"), asks=True)
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


def draw_field(
    questions: Sequence[Prepared], key: str, *, asks: bool,
    on_change: Callable[[tuple[Prepared, ...]], None] = lambda _: None,
) -> tuple[Prepared, ...]:  # fmt: skip
    """Draw the field, and below it what is wrong with the first question that cannot be asked.

    Returns:
        What can be asked.
    """

    def take() -> None:
        on_change(_read(st.session_state.get(key), asks)[0])

    lines = st.text_area(
        _("Questions for a class"), written(questions), max_chars=LONGEST, height=120, key=key, on_change=take,
        help=str(HINT), placeholder=_("Who is asked most?\n* The first word\nThe last one"),
    )  # fmt: skip
    found, wrong = _read(lines, asks)
    if wrong:
        st.error(escape_markdown(wrong, len(wrong)))
    return found


def _read(lines: object, asks: bool) -> tuple[tuple[Prepared, ...], str]:
    found, wrong = parse(lines[:LONGEST] if isinstance(lines, str) else "", asks=asks)
    return tuple(found), wrong
