"""The strip that asks for a prediction, and grades it from the result once the move is made."""

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Literal

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.core.text import plain_markdown
from pages._shared.page.declaration import Predict
from pages._shared.page.findings import capital
from pages._shared.page.page import Look, Page
from pages._shared.page.run_state import run_state
from pages._shared.session import address, course_position
from pages._shared.session.course_position import Prediction
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import SKIPPED, UNASKED, error_message
from attention_core.claims import statement
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.verdict import Verdict

SKIP = gettext_lazy("Skip")


def predicted(page: PageState, predict: Predict) -> str | None:
    """What the visitor answered: an option, or that the question was skipped; None while it stands."""
    said = page.extras["answer"]
    if said == SKIPPED:
        return SKIP
    at = int(said or 0)
    return predict.options[at - 1] if 1 <= at <= len(predict.options) else None


def question_open(page: Page) -> bool:
    """Whether the page's question stands."""
    return address.part_visible("predict") and predicted(page, page.predict) is None


def picture_hidden(page: Page) -> bool:
    """Whether the answer comes before the picture, as a lesson may have it."""
    here = address.lesson()
    return question_open(page) and here is not None and here.predict_first


def skip(page: PageState) -> None:
    """Leave the question unanswered."""
    page.extras.set(answer=SKIPPED)


def draw_headline(page: PageState, asked: Predict | None) -> None:
    """Draw the page's claim."""
    st.markdown(set_markdown((asked and asked.headline) or page.spec.claim))


def draw_question(page: PageState, predict: Predict, *, how: Literal["folded", "open", "slide"]) -> None:
    """Ask; answering makes the move that the question is about.

    Args:
        page: The page.
        predict: Its question.
        how: Behind a button; in full; or on a slide, in large rows.
    """
    slide = how == "slide"
    key = page.session_key("option")

    def answer() -> None:
        option = st.session_state.get(key)
        if option == SKIP:
            skip(page)
        elif option in predict.options:
            page.extras.set(answer=str(predict.options.index(option) + 1))
            page.settings.set_all(predict.move)
            run_state(page).just_chosen = True
        st.rerun()  # of the whole page: a claim may stand in its headline now

    question, options = _("**Predict.** {question}", question=predict.question), (*predict.options, SKIP)
    letters = dict(zip(predict.options, "ABCDEF", strict=False)) if slide else {}

    def say(option: str) -> str:
        return f"**{letters[option]}** {option}" if option in letters else str(option)

    if slide:
        st.header(predict.question, anchor=False)
    with st.popover(_("Predict"), icon=":material/quiz:") if how == "folded" else nullcontext():
        st.pills(
            question, options, key=key, on_change=answer, wrap=how != "open", format_func=say,
            label_visibility="collapsed" if slide else "visible",
        )  # fmt: skip
    if slide:
        draw_start()  # who shows the question to a class may have it vote; there is no tab Share yet


def draw_grade(page: PageState, predict: Predict, asked: Look | ConfigError) -> None:
    """Say in one line what was measured of the answer and why, at the move that it is about and nowhere else.

    Args:
        page: The page.
        predict: Its question.
        asked: The page as it is set, and no other that is shown in its place; or why it cannot be measured.
    """
    said = predicted(page, predict)
    if said in (None, SKIP) or not address.part_visible("predict"):
        return
    if page.settings.matching([predict.move]) is None:
        st.empty()  # keeps the place: a fragment may fill later only what it wrote to when the page was drawn
        return
    truth, refused, why = None, "", ""
    if isinstance(asked, ConfigError):
        refused = error_message(asked, page.settings)
    else:
        truth = predict.grade(asked.results.main)
        why = "" if truth is None else _why(predict.claim, asked.results.verdicts)
    query = address.shareable(page.parameters()) | page.extras.parameters()
    kept = Prediction(predict.question, said, truth, query, refused)
    course_position.keep_prediction(page.spec.name, kept)
    if refused:
        line = _("**You said** {said}. :gray[:material/help: Not measured.] {reason}", said=said, reason=refused)
    elif truth is None:
        line = _("**You said** {said}. :gray[:material/help: These settings cannot tell.]", said=said)
    elif said == truth:
        line = _("**You said** {said}. The measurement agrees. :green[:material/check: right]", said=said)
    else:
        line = _(
            "**You said** {said}. Measured here: **{truth}**. :gray[:material/close: wrong]",
            said=said,
            truth=truth,
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(line, width="content")
        st.button(_("Ask again"), key=page.session_key("again"), on_click=_ask_again, args=(page,), type="tertiary")
    if why:
        st.markdown(_(":small[**Why:** {reason}]", reason=why))


def _why(claim: str, verdicts: Iterable[Verdict]) -> str:
    """The claim, where it is found to hold as theory says; where it does not, what it fails by."""
    verdict = next((one for one in verdicts if one.claim == claim), None)
    if verdict is None or verdict.outcome not in ("holds", "fails"):
        return ""
    if verdict.holds:
        return plain_markdown(statement(claim), 200)
    return _("{because}.", because=capital(set_markdown(verdict.because)))


def _ask_again(page: PageState) -> None:
    page.extras.set(answer=UNASKED)
    st.rerun()  # of the whole page: its question stands again
