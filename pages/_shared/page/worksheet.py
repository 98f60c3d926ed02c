"""A course on paper: each step is measured without drawing its page, as it begins and after its question's move."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.compute.progress import progress_in
from pages._shared.core import log
from pages._shared.core.pages import PAGES, TEST, module_of
from pages._shared.core.text import plain_text
from pages._shared.core.visitor_state import draft_state
from pages._shared.lessons.course import Course, Step
from pages._shared.page.page import Look, Page
from pages._shared.page.prediction import gives_away, on_paper
from pages._shared.page.way_back import way_back, why_none
from pages._shared.page.worksheet_html import Sheet, handout
from pages._shared.session.settings import error_message
from attention_core.claims import statement
from attention_core.figures.sheet import Shown
from attention_core.figures.slide import picture_svg
from attention_core.language import current, using
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.outcomes import OF_A_VERDICT
from attention_core.measuring.verdict import Verdict

MOST_FOUND = 3
BOX = (672, 220)  # pixels of a picture: as wide as the paper


def draw_paper(course: Course, key: str) -> None:
    """Draw the button that makes the worksheet of a course, then its two files."""
    worksheet = draft_state().worksheet
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_paper"):
        st.markdown(_("**Print**"), width="content")
        if worksheet is None or worksheet[:2] != (course, current()):
            if st.button(_("Make the worksheet"), icon=":material/print:", key=f"_{key}_make"):
                draft_state().worksheet = course, current(), make_sheets(course)
                st.rerun(scope="app")
            return
        in_words = using(current())  # a file is made in another thread
        for label, solved, ending in ((_("Handout"), False, "worksheet"), (_("Solutions"), True, "solutions")):
            make = in_words(partial(handout, course, worksheet[2], solved=solved))
            st.download_button(
                label, make, f"{file_name(course)}-{ending}.html",
                "text/html", key=f"_{key}_{ending}", on_click="ignore", icon=":material/print:",
            )  # fmt: skip
        st.markdown(_(":small[:gray[Open the file in a browser and print it.]]"), width="content")
    if reason := why_none(course):
        st.markdown(_(":small[:gray[No code leads back from this paper. {reason}]]", reason=reason))


def make_sheets(course: Course) -> tuple[Sheet, ...]:
    """Measure every step of a course, and show the progress here."""
    count, placeholder = len(course.steps), st.empty()
    sheets = []
    for number, step in enumerate(course.steps):
        if count > 1:
            text = _("Measuring step {number} of {count} for the worksheet", number=number + 1, count=count)
            placeholder.progress(number / count, text)
        with progress_in(None):
            sheets.append(replace(sheet_of(step), code=way_back(course, number)))
    placeholder.empty()
    return tuple(sheets)


def sheet_of(step: Step) -> Sheet:
    """A step on paper; a sentence says why something cannot be measured."""
    if step.page == TEST.name:
        return Sheet(problem=_("This test is taken on a screen. The code leads there."))
    if step.page not in {page.name for page in PAGES}:
        return Sheet(problem=_("There is no picture of these settings."))
    page = module_of(step.page).page
    predict, own = page.predict, [question for question in step.questions if not question.text]
    # A step without a task has the page's question, too.
    asks = bool(step.lesson.predict_first or own or not step.lesson.note)
    try:
        start = _look(page, step)
        end = _look(page, step, predict.move) if asks else start
        with on_paper(asks=asks):
            picture, problem = _picture(page, start)
        with on_paper(asks=False):
            solved, unsolved = _picture(page, end)
        look = end if isinstance(end, Look) else start
        return Sheet(
            picture="" if step.lesson.predict_first or (asks and gives_away(step)) else picture,
            problem=problem, solved=solved, unsolved=unsolved,
            findings=_findings(step, look, asks=asks) if isinstance(look, Look) else (),
            question=predict.question if asks else "", options=predict.options if asks else (),
            truth=predict.grade(end.results.main) if asks and isinstance(end, Look) else None,
            asked=tuple(question for question in step.questions if question.text),
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - one step that fails must not take the others' sheets along
        log.failed(step.page, error)
        return Sheet(problem=_("Something went wrong as this step was measured; the server has noted where."))


def _look(page: Page, step: Step, move: Mapping[str, Any] | None = None) -> Look | ValueError:
    """The page as the step begins, or after a move that leaves what the step fixes; or the error."""
    fixed = {key: str(value) for key, value in step.lesson.fixed.items()}
    query = dict(step.settings)
    if move is not None:
        query = {key: text for key, text in query.items() if key not in page.settings.keys}
        query |= page.settings.spelled(page.settings.defaults | dict(move))
    try:
        return page.look_from(query | fixed)
    except (ValueError, OverflowError) as error:
        return ValueError(error)


def _picture(page: Page, look: Look | ValueError) -> tuple[str, str]:
    """The picture as SVG, or why there is none."""
    if isinstance(look, ValueError):
        why = plain_text(error_message(look, page.settings)) if isinstance(look, ConfigError) else look
        return "", _("These settings are not possible together: {error}", error=why)
    view = look.picture
    return picture_svg(Shown(view, min(look.results.step, view.steps - 1)), *BOX), ""


def _findings(step: Step, look: Look, *, asks: bool) -> tuple[str, ...]:
    """A few sentences on the claims that belong to the task: those it names, that answer its question, in sight."""
    results, predict, first = look.results, look.page.predict, dict[str, Verdict]()
    for verdict in results.verdicts:
        first.setdefault(verdict.claim, verdict)
    answering = (predict.claim, *predict.spoilers) if asks else ()
    for about in (
        step.claims,
        answering,
        results.about or (),
        [claim for claim in first if claim not in results.aside],
    ):
        if told := [first[claim] for claim in dict.fromkeys(about) if claim in first]:
            return tuple(_sentence(verdict) for verdict in told[:MOST_FOUND])
    return ()


def _sentence(verdict: Verdict) -> str:
    number = verdict.number
    if verdict.cases:  # often more than the picture shows
        number = _("{number} ({cases})", number=number, cases=verdict.cases)
    parts = {"claim": str(statement(verdict.claim)).rstrip("。"), "says": verdict.says, "number": number}
    return str(OF_A_VERDICT[verdict.outcome].reported).format(**parts)


def file_name(course: Course) -> str:
    """A name for the course's files: letters, digits and dashes of its title."""
    return "course-" + (re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-")[:60] or "without-title")
