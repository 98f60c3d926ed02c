"""The strip that asks for a prediction, and grades it from the tensor once the move is made."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._shared.content import Predict
from pages._shared.controls import Controls

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


def draw_prediction(control: Controls, predict: Predict, result: Any) -> None:
    """Ask; or, once answered, say in one line what the tensor says of the answer.

    Args:
        control: The page's controls, which answering moves.
        predict: The question.
        result: The result with the settings as they are; the answer is graded from it.
    """
    page, key = control.page, f"_{control.page}_answer"
    said = st.session_state.get(key)

    def answer() -> None:
        option = st.session_state[f"_{page}_option"]
        st.session_state[key] = option
        if option in predict.options:
            control.change(predict.move)

    if said is None:
        question, options = f"**Predict.** {predict.question}", (*predict.options, SKIP)
        st.pills(question, options, key=f"_{page}_option", on_change=answer, wrap=False)
    elif said != SKIP:
        truth = predict.grade(result)
        right = said == truth
        mark = ":green[:material/check: right]" if right else ":orange[:material/close: not so]"
        says = "The tensor agrees." if right else f"With these settings the tensor says **{truth}**."
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**You said** {said}. {says} {mark}", width="content")
            page_button(page, "Ask again", "again", st.session_state.pop, key, kind="tertiary")
