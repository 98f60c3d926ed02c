"""The strip that asks for a prediction, and grades it from the tensor once the move is made."""

from typing import Any

import streamlit as st

from pages._shared.buttons import page_button
from pages._shared.content import Predict
from pages._shared.controls import DRAWN, Controls

SKIP = "Skip"


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
