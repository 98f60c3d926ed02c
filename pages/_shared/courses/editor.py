"""The steps of a course as a list to reorder, with an editor for one of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from pages._shared.core.pages import module_of
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import EDITOR, draft_state
from pages._shared.courses.question_field import question_field
from pages._shared.lessons.course import ASKING, MAX_ANSWER, MAX_MINUTES, MAX_STEPS, SHARED, Course, Step, changed
from pages._shared.lessons.lesson import MAX_NOTE, PARTS
from pages._shared.page.prediction import gives_away
from pages._shared.session import address
from pages._shared.session.draft import draft, put
from pages._shared.session.settings import shared
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.language import ngettext

_SHOWN: Final = 6  # settings that a row names


def draw_steps(course: Course) -> None:
    """Draw the steps of the draft."""
    opened = draft_state().open_step
    for at, step in enumerate(course.steps):
        with st.container(border=True, key=f"course_step_{at}", gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"course_tools_{at}"):
                st.markdown(_row(at, step), width="stretch")
                _draw_tools(at, len(course.steps), opened == at)
            if opened == at:
                _draw_editor(at, step)
    removed = draft_state().removed
    with st.container(horizontal=True, vertical_alignment="center"):
        total = _("**{count} steps, {minutes} minutes**", count=len(course.steps), minutes=course.minutes)
        st.markdown(total, width="content")
        if removed and len(course.steps) < MAX_STEPS:
            label = _("Bring back step {number}", number=removed[0] + 1)
            st.button(label, icon=":material/undo:", key="_course_undo", on_click=_bring_back, type="tertiary")


def _row(at: int, step: Step) -> str:
    lesson = step.lesson
    flags = [_("{minutes} min", minutes=step.minutes)]
    flags += [_("predict first")] if lesson.predict_first else []
    flags += [_("{count} fixed", count=len(lesson.fixed))] if lesson.fixed else []
    count = len(step.questions)
    flags += [ngettext("{count} question for a class", "{count} questions for a class", count)] if count else []
    flags += [_("some parts hidden")] if lesson.parts != tuple(PARTS) else []
    flags += [_(":orange[:material/warning: shows the answer to its own question]")] if gives_away(step) else []
    settings = [_in_words(step, key, text) for key, text in step.settings.items()]
    shown = " · ".join(settings[:_SHOWN] + ["…"] * (len(settings) > _SHOWN))
    lines = [f"**{at + 1}. {step.title}** :gray[{' · '.join(flags)}]"]
    lines += [escape_markdown(lesson.note, MAX_NOTE)] if lesson.note else []
    lines += [f":small[:gray[{escape_markdown(shown, 200)}]]"] if shown else []
    return "  \n".join(lines)


def _in_words(step: Step, key: str, text: str) -> str:
    """A setting of a step in its control's words."""
    if key in SHARED:
        return shared().in_words(key, text)
    module = module_of(step.page)
    page = module.page if step.page in ASKING else module.state
    return page.settings.in_words(key, text)


def _draw_tools(at: int, count: int, is_open: bool) -> None:
    def tool(icon: str, label: str, action: Callable[..., None], *arguments: Any, disabled: bool = False) -> None:
        st.button(label, icon=f":material/{icon}:", help=label, key=f"_course_{icon}_{at}", on_click=action,
                  args=arguments, disabled=disabled, type="tertiary")  # fmt: skip

    number = at + 1
    tool("expand_less" if is_open else "edit", _("Edit step {number}", number=number), _open, None if is_open else at)
    tool("arrow_upward", _("Move step {number} up", number=number), _move, at, at - 1, disabled=at == 0)
    tool("arrow_downward", _("Move step {number} down", number=number), _move, at, at + 1, disabled=at == count - 1)
    tool("content_copy", _("Duplicate step {number}", number=number), _duplicate, at, disabled=count >= MAX_STEPS)
    tool("delete", _("Remove step {number}", number=number), _remove, at)
    tool("play_arrow", _("Try step {number} as a student", number=number), _try_step, at)


def _draw_editor(at: int, step: Step) -> None:
    editor, lesson = widget_key(EDITOR), step.lesson

    def key(name: str) -> str:
        return f"{editor}_{name}"

    def take(name: str, read: Callable[[Any], Any] = lambda value: value) -> None:
        _change(at, **{name: read(st.session_state.get(key(name)))})

    def options(name: str, read: Callable[[Any], Any] = lambda value: value) -> dict[str, Any]:
        return {"key": key(name), "on_change": take, "args": (name, read)}

    st.text_area(_("Task"), lesson.note, max_chars=MAX_NOTE, height=80, **options("note"))
    st.text_area(_("A short answer to unfold"), step.answer, max_chars=MAX_ANSWER, height=80, **options("answer"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(_("Minutes"), 0, MAX_MINUTES, step.minutes, width=130, **options("minutes"))
        st.toggle(_("The prediction comes before the picture"), lesson.predict_first, **options("predict_first"))
    st.multiselect(
        _("Parts that show"),
        tuple(PARTS),
        lesson.parts,
        format_func=lambda part: str(PARTS[part]),
        **options("parts"),
    )
    question_field(lesson.questions, asks=step.page in ASKING, **options("questions"))
    values = {**step.settings, **lesson.fixed}
    if values:
        st.multiselect(
            _("Settings drawn as their value"), tuple(values), tuple(lesson.fixed), placeholder=_("Choose options"),
            format_func=lambda name: _in_words(step, str(name), str(values[name])),
            **options("fixed", lambda chosen: {name: values[name] for name in chosen or () if name in values}),
        )  # fmt: skip


def _change(at: int, **raw: Any) -> None:
    steps = list(draft().steps)
    if at < len(steps):
        steps[at] = changed(steps[at], **raw)
        put(replace(draft(), steps=tuple(steps)))


def _open(at: int | None) -> None:
    draft_state().open_step = at
    renew(EDITOR)


def _arrange(steps: list[Step]) -> None:
    put(replace(draft(), steps=tuple(steps)))
    _open(None)


def _move(at: int, to: int) -> None:
    steps = list(draft().steps)
    if at < len(steps) and 0 <= to < len(steps):
        steps.insert(to, steps.pop(at))
        _arrange(steps)


def _duplicate(at: int) -> None:
    steps = list(draft().steps)
    if at < len(steps) < MAX_STEPS:
        _arrange([*steps[: at + 1], *steps[at:]])


def _remove(at: int) -> None:
    steps = list(draft().steps)
    if at < len(steps):
        draft_state().removed = (at, steps.pop(at))
        _arrange(steps)


def _bring_back() -> None:
    steps, state = list(draft().steps), draft_state()
    if len(steps) < MAX_STEPS and state.removed:
        at, step = state.removed
        state.removed = None
        _arrange([*steps[:at], step, *steps[at:]])


def _try_step(at: int) -> None:
    address.visit_course(draft(), at)
