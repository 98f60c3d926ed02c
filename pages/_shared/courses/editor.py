"""The steps of a course as a list to reorder, and the one that is open to be edited."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from pages._shared.core.pages import module_of
from pages._shared.core.session_keys import EDITOR, OPEN_STEP, REMOVED_STEP
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.course import ASKING, MAX_ANSWER, MAX_MINUTES, MAX_STEPS, SHARED, Course, Step, changed
from pages._shared.lessons.lesson import MAX_NOTE, PARTS
from pages._shared.page.share import draw_field
from pages._shared.session import address
from pages._shared.session.draft import draft, put
from pages._shared.session.settings import shared
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.language import gettext as _
from attention_core.language import ngettext

_SHOWN: Final = 6  # settings that a row names


def draw_steps(course: Course) -> None:
    """Draw the list."""
    opened = st.session_state.get(OPEN_STEP)
    for at, step in enumerate(course.steps):
        with st.container(border=True, key=f"course_step_{at}", gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"course_tools_{at}"):
                st.markdown(_row(at, step), width="stretch")
                _draw_tools(at, len(course.steps), opened == at)
            if opened == at:
                _draw_editor(at, step)
    gone = st.session_state.get(REMOVED_STEP)
    with st.container(horizontal=True, vertical_alignment="center"):
        total = _("**{count} steps, {minutes} minutes**", count=len(course.steps), minutes=course.minutes)
        st.markdown(total, width="content")
        if gone is not None and len(course.steps) < MAX_STEPS:
            label = _("Bring back step {number}", number=gone[0] + 1)
            st.button(label, icon=":material/undo:", key="_course_undo", on_click=_bring_back, type="tertiary")


def _row(at: int, step: Step) -> str:
    here = step.lesson
    flags = [_("{minutes} min", minutes=step.minutes)]
    flags += [_("predict first")] if here.predict_first else []
    flags += [_("{count} fixed", count=len(here.fixed))] if here.fixed else []
    count = len(here.questions)
    flags += [ngettext("{count} question for a class", "{count} questions for a class", count)] if count else []
    flags += [_("some parts hidden")] if here.parts != tuple(PARTS) else []
    settings = [_in_words(step, key, text) for key, text in step.settings.items()]
    shown = " · ".join(settings[:_SHOWN] + ["…"] * (len(settings) > _SHOWN))
    lines = [f"**{at + 1}. {step.title}** :gray[{' · '.join(flags)}]"]
    lines += [escape_markdown(here.note, MAX_NOTE)] if here.note else []
    lines += [f":small[:gray[{escape_markdown(shown, 200)}]]"] if shown else []
    return "  \n".join(lines)


def _in_words(step: Step, key: str, text: str) -> str:
    """A setting of a step, as its control shows it."""
    if key in SHARED:
        return shared().in_words(key, text)
    if step.page not in ASKING:
        return f"{key} = {text}"
    return module_of(step.page).page.settings.in_words(key, text)


def _draw_tools(at: int, count: int, is_open: bool) -> None:
    def tool(icon: str, told: str, do: Callable[..., None], *given: Any, disabled: bool = False) -> None:
        st.button(told, icon=f":material/{icon}:", help=told, key=f"_course_{icon}_{at}", on_click=do, args=given,
                  disabled=disabled, type="tertiary")  # fmt: skip

    number = at + 1
    tool("expand_less" if is_open else "edit", _("Edit step {number}", number=number), _open, None if is_open else at)
    tool("arrow_upward", _("Move step {number} up", number=number), _move, at, at - 1, disabled=at == 0)
    tool("arrow_downward", _("Move step {number} down", number=number), _move, at, at + 1, disabled=at == count - 1)
    tool("content_copy", _("Duplicate step {number}", number=number), _duplicate, at, disabled=count >= MAX_STEPS)
    tool("delete", _("Remove step {number}", number=number), _remove, at)
    tool("play_arrow", _("Try step {number} as a student", number=number), _try_step, at)


def _draw_editor(at: int, step: Step) -> None:
    editor, here = widget_key(EDITOR), step.lesson

    def key(name: str) -> str:
        return f"{editor}_{name}"

    def take(name: str, read: Callable[[Any], Any] = lambda value: value) -> None:
        _change(at, **{name: read(st.session_state.get(key(name)))})

    def options(name: str, read: Callable[[Any], Any] = lambda value: value) -> dict[str, Any]:
        return {"key": key(name), "on_change": take, "args": (name, read)}

    st.text_area(_("Task"), here.note, max_chars=MAX_NOTE, height=80, **options("note"))
    st.text_area(_("A short answer to unfold"), step.answer, max_chars=MAX_ANSWER, height=80, **options("answer"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(_("Minutes"), 0, MAX_MINUTES, step.minutes, width=130, **options("minutes"))
        st.toggle(_("The prediction comes before the picture"), here.predict_first, **options("predict_first"))
    st.multiselect(
        _("Parts that show"), tuple(PARTS), here.parts, format_func=lambda part: str(PARTS[part]), **options("parts")
    )
    draw_field(
        here.questions,
        key("questions"),
        asks=step.page in ASKING,
        on_change=lambda asked: _change(at, questions=[one.plain() for one in asked]),
    )
    known = {**step.settings, **here.fixed}
    if known:
        st.multiselect(
            _("Settings drawn as their value"), tuple(known), tuple(here.fixed), placeholder=_("Choose options"),
            format_func=lambda one: _in_words(step, str(one), str(known[one])),
            **options("fixed", lambda chosen: {one: known[one] for one in chosen or () if one in known}),
        )  # fmt: skip


def _change(at: int, **raw: Any) -> None:
    steps = list(draft().steps)
    if at < len(steps):
        steps[at] = changed(steps[at], **raw)
        put(replace(draft(), steps=tuple(steps)))


def _open(at: int | None) -> None:
    st.session_state[OPEN_STEP] = at
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
        st.session_state[REMOVED_STEP] = (at, steps.pop(at))
        _arrange(steps)


def _bring_back() -> None:
    steps = list(draft().steps)
    if len(steps) < MAX_STEPS and (gone := st.session_state.pop(REMOVED_STEP, None)):
        at, step = gone
        _arrange([*steps[:at], step, *steps[at:]])


def _try_step(at: int) -> None:
    address.visit_course(draft(), at)
