"""The prediction: its question, and its grade from the result once the move is made."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Literal

import streamlit as st

from pages._shared.classes.join import draw_start
from pages._shared.core.pages import module_of
from pages._shared.core.text import plain_markdown
from pages._shared.lessons.course import ASKING, Step
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
_asks_on_paper: ContextVar[bool | None] = ContextVar("_asks_on_paper", default=None)


def predicted(page: PageState, predict: Predict) -> str | None:
    """The visitor's answer: an option, or ``SKIP``; None while the question is open."""
    answer = page.extras["answer"]
    if answer == SKIPPED:
        return SKIP
    number = int(answer or 0)
    return predict.options[number - 1] if 1 <= number <= len(predict.options) else None


def question_open(page: Page) -> bool:
    """Whether the page's question is still to be answered: by the visitor, or on paper."""
    asks = _asks_on_paper.get()
    return address.part_visible("predict") and predicted(page, page.predict) is None if asks is None else asks


@contextmanager
def on_paper(*, asks: bool) -> Iterator[None]:
    """Have pictures be those of a sheet, whatever the visitor who prints it has answered.

    Args:
        asks: Whether the sheet asks the page's question, and does not hold the answer.
    """
    token = _asks_on_paper.set(asks)
    try:
        yield
    finally:
        _asks_on_paper.reset(token)


def picture_hidden(page: Page) -> bool:
    """Whether a lesson hides the picture until the question is answered."""
    lesson = address.lesson()
    return question_open(page) and lesson is not None and lesson.predict_first


def gives_away(step: Step) -> bool:
    """Whether a step shows the answer of its page's question beside that question."""
    lesson = step.lesson
    if step.page not in ASKING or lesson.predict_first or "predict" not in lesson.parts:
        return False
    page: Page = module_of(step.page).page
    try:
        return page.gives_away(page.settings.read({**step.settings, **lesson.fixed}))
    except (ValueError, OverflowError):
        return False


def skip(page: PageState) -> None:
    """Skip the question."""
    page.extras.set(answer=SKIPPED)


def draw_headline(page: PageState, predict: Predict | None) -> None:
    """Draw the page's claim."""
    st.markdown(set_markdown((predict and predict.headline) or page.spec.claim))


def draw_question(page: PageState, predict: Predict, *, how: Literal["folded", "open", "slide"]) -> None:
    """Draw the question; answering it makes the move that it is about.

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

    def worded(option: str) -> str:
        return f"**{letters[option]}** {option}" if option in letters else str(option)

    if slide:
        st.header(predict.question, anchor=False)
    with st.popover(_("Predict"), icon=":material/quiz:") if how == "folded" else nullcontext():
        st.pills(
            question, options, key=key, on_change=answer, wrap=how != "open", format_func=worded,
            label_visibility="collapsed" if slide else "visible",
        )  # fmt: skip
    if slide and not course_position.current():
        draw_start()  # who shows the question to a class may have it vote; there is no tab Share yet


def draw_grade(page: PageState, predict: Predict, look: Look | ConfigError) -> None:
    """Draw the grade of the answer in one line, and why; only at the move that the question is about.

    Args:
        page: The page.
        predict: Its question.
        look: The page at its current settings, even if another is shown; or why it cannot be measured.
    """
    answer = predicted(page, predict)
    if answer in (None, SKIP) or not address.part_visible("predict"):
        return
    if page.settings.matching([predict.move]) is None:
        st.empty()  # keeps the place: a fragment may fill later only what it wrote to when the page was drawn
        return
    truth, refused, why = None, "", ""
    if isinstance(look, ConfigError):
        refused = error_message(look, page.settings)
    else:
        truth = predict.grade(look.results.main)
        why = "" if truth is None else _why(predict.claim, look.results.verdicts)
    query = address.shareable(page.parameters()) | page.extras.parameters()
    prediction = Prediction(predict.question, answer, truth, query, refused)
    course_position.keep_prediction(page.spec.name, prediction)
    if refused:
        line = _("**You said** {said}. :gray[:material/help: Not measured.] {reason}", said=answer, reason=refused)
    elif truth is None:
        line = _("**You said** {said}. :gray[:material/help: These settings cannot tell.]", said=answer)
    elif answer == truth:
        line = _("**You said** {said}. The measurement agrees. :green[:material/check: right]", said=answer)
    else:
        line = _(
            "**You said** {said}. Measured here: **{truth}**. :gray[:material/close: wrong]",
            said=answer,
            truth=truth,
        )
    with st.container(horizontal=True, vertical_alignment="center", key="grade"):
        st.markdown(line, width="content")
        st.button(_("Ask again"), key=page.session_key("again"), on_click=_ask_again, args=(page,), type="tertiary")
    if why:
        st.markdown(_(":small[**Why:** {reason}]", reason=why))


def _why(claim: str, verdicts: Iterable[Verdict]) -> str:
    """The claim if it holds as theory says, the reason if it fails; else empty."""
    verdict = next((each for each in verdicts if each.claim == claim), None)
    if verdict is None or verdict.outcome not in ("holds", "fails"):
        return ""
    if verdict.holds:
        return plain_markdown(statement(claim), 200)
    return _("{because}.", because=capital(set_markdown(verdict.because)))


def _ask_again(page: PageState) -> None:
    page.extras.set(answer=UNASKED)
    st.rerun()  # of the whole page: its question stands again
