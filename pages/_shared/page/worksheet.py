"""A course on paper: each step is evaluated, without drawing its page, as it begins and after its question's move."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.compute.progress import progress_in
from pages._shared.core import log
from pages._shared.core.pages import PAGES, module_of
from pages._shared.core.session_keys import WORKSHEET
from pages._shared.core.text import plain_text
from pages._shared.lessons.course import Course, Step
from pages._shared.page.page import Look, Page
from pages._shared.page.worksheet_html import Sheet, handout
from pages._shared.session.settings import error_message
from attention_core.claims import statement
from attention_core.figures.svg import panel_svg
from attention_core.language import current, using
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.outcomes import OF_A_VERDICT
from attention_core.measuring.verdict import Verdict

MOST_FOUND, MOST_PICTURES = 3, 3


def draw_paper(course: Course, key: str) -> None:
    """Draw the button that makes the worksheet of a course, and once it is made the two files."""
    made = st.session_state.get(WORKSHEET)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_paper"):
        st.markdown(_("**Print**"), width="content")
        if made is None or made[:2] != (course, current()):
            if st.button(_("Make the worksheet"), icon=":material/print:", key=f"_{key}_make"):
                st.session_state[WORKSHEET] = course, current(), make_sheets(course)
                st.rerun(scope="app")
            return
        in_words = using(current())  # a file is made in another thread
        for label, solved, ending in ((_("Handout"), False, "worksheet"), (_("Solutions"), True, "solutions")):
            make = in_words(partial(handout, course, made[2], solved=solved))
            st.download_button(
                label, make, f"{file_name(course)}-{ending}.html",
                "text/html", key=f"_{key}_{ending}", on_click="ignore", icon=":material/print:",
            )  # fmt: skip
        st.markdown(_(":small[:gray[Open the file in a browser and print it.]]"), width="content")


def make_sheets(course: Course) -> tuple[Sheet, ...]:
    """Evaluate every step of a course; what takes long shows its progress where this is called."""
    count, placeholder = len(course.steps), st.empty()
    sheets = []
    for number, step in enumerate(course.steps):
        if count > 1:
            text = _("Measuring step {number} of {count} for the worksheet", number=number + 1, count=count)
            placeholder.progress(number / count, text)
        with progress_in(None):
            sheets.append(sheet_of(step))
    placeholder.empty()
    return tuple(sheets)


def sheet_of(step: Step) -> Sheet:
    """What paper shows of a step; in place of what cannot be measured, a sentence that says why."""
    if step.page not in {page.name for page in PAGES}:
        return Sheet(problem=_("There is no picture of these settings."))
    page = module_of(step.page).page
    asks, predict = step.lesson.predict_first or not step.lesson.note, page.predict  # a step without a task has this
    try:
        start = _look(page, step)
        end = _look(page, step, predict.move) if asks else start
        pictures, problem = _pictures(page, start)
        solved, unsolved = _pictures(page, end)
        told = end if isinstance(end, Look) else start
        return Sheet(
            pictures=pictures, problem=problem, solved=solved, unsolved=unsolved,
            found=_found(step, told) if isinstance(told, Look) else (),
            question=predict.question if asks else "", options=predict.options if asks else (),
            truth=predict.grade(end.results.main) if asks and isinstance(end, Look) else None,
        )  # fmt: skip
    except Exception as error:  # noqa: BLE001 - one step that fails must not take the others' sheets along
        log.failed(step.page, error)
        return Sheet(problem=_("Something went wrong as this step was measured; the server has noted where."))


def _look(page: Page, step: Step, move: Mapping[str, Any] | None = None) -> Look | ValueError:
    """The page as the step begins, or after a move that leaves what the step fixes; or why that is not possible."""
    fixed = {key: str(value) for key, value in step.lesson.fixed.items()}
    query = dict(step.settings)
    if move is not None:
        query = {key: text for key, text in query.items() if key not in page.settings.keys}
        query |= page.settings.spelled(page.settings.defaults | dict(move))
    try:
        return page.look_from(query | fixed)
    except (ValueError, OverflowError) as error:
        return ValueError(error)


def _pictures(page: Page, look: Look | ValueError) -> tuple[tuple[str, ...], str]:
    """The panels of a picture as SVG, or why there is none."""
    if isinstance(look, ValueError):
        why = plain_text(error_message(look, page.settings)) if isinstance(look, ConfigError) else look
        return (), _("These settings are not possible together: {error}", error=why)
    shown = look.picture
    still = shown.at(min(look.results.step, shown.steps - 1))
    return tuple(panel_svg(panel) for panel in still.panels[: shown.front or MOST_PICTURES]), ""


def _found(step: Step, look: Look) -> tuple[str, ...]:
    """What was found of the claims that the step speaks of, or of all, in a few sentences."""
    first: dict[str, Verdict] = {}
    for verdict in look.results.verdicts:
        first.setdefault(verdict.claim, verdict)
    about = [first[claim] for claim in step.claims if claim in first] or list(first.values())
    return tuple(_said(verdict) for verdict in about[:MOST_FOUND])


def _said(verdict: Verdict) -> str:
    number = verdict.number
    if verdict.cases:  # often more than the picture shows
        number = _("{number} ({cases})", number=number, cases=verdict.cases)
    parts = {"claim": str(statement(verdict.claim)).rstrip("。"), "says": verdict.says, "number": number}
    return str(OF_A_VERDICT[verdict.outcome].reported).format(**parts)


def file_name(course: Course) -> str:
    """A name for the course's files: letters, digits and dashes of its title."""
    return "course-" + (re.sub(r"[^a-z0-9]+", "-", course.title.lower()).strip("-")[:60] or "without-title")
