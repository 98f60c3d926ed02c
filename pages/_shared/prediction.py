"""The strip that asks for a prediction, and grades it from the tensor once the move is made."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._shared.content import Predict
from pages._shared.controls import DRAWN, Controls

SKIP = "Skip"


def page_button(
    page: str, label: str, name: str, action: Callable[..., None], *args: Any, hint: str | None = None,
    kind: Any = "secondary", shortcut: str | None = None,
) -> None:  # fmt: skip
    """A button whose callback runs before the page does.

    Args:
        page: Name of the page.
        label: What it says.
        name: Its name on the page.
        action: Called with ``args`` when it is pressed.
        args: Arguments of ``action``.
        hint: What it shows on hover.
        kind: ``primary``, ``secondary`` or ``tertiary``.
        shortcut: A key that presses it.
    """
    key = f"_{page}_{name}"
    st.button(label, key=key, on_click=action, args=args, help=hint, type=kind, shortcut=shortcut, width="content")


def predicted(page: str) -> str | None:
    """What the visitor answered; None while the question stands."""
    return st.session_state.get(_answer(page))


def draw_question(control: Controls, predict: Predict) -> None:
    """Ask.

    Args:
        control: The page's controls, which answering moves.
        predict: The question.
    """
    page = control.page

    def answer() -> None:
        option = st.session_state[f"_{page}_option"]
        st.session_state[_answer(page)] = option
        if option in predict.options:
            control.change(predict.move)

    question, options = f"**Predict.** {predict.question}", (*predict.options, SKIP)
    st.pills(question, options, key=f"_{page}_option", on_change=answer, wrap=False)


def draw_grade(page: str, predict: Predict, result: Any) -> None:
    """Say in one line what the tensor says of the answer.

    Args:
        page: Name of the page.
        predict: The question.
        result: The result with the settings as they are; the answer is graded from it.
    """
    said, truth = predicted(page), predict.grade(result)
    right = said == truth
    mark = ":green[:material/check: right]" if right else ":orange[:material/close: not so]"
    says = "The tensor agrees." if right else f"With these settings the tensor says **{truth}**."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**You said** {said}. {says} {mark}", width="content")
        page_button(page, "Ask again", "again", _ask_again, page, kind="tertiary")


def _ask_again(page: str) -> None:
    st.session_state.pop(_answer(page), None)
    st.session_state[DRAWN] = ""


def _answer(page: str) -> str:
    return f"_{page}_answer"
