"""The page at the end of a course: what was predicted on the way, what a class voted, and what was measured."""

import streamlit as st

from pages._shared.classes.votes import draw_votes
from pages._shared.core.text import escape_markdown
from pages._shared.page.prediction import SKIP
from pages._shared.session import address, course_position, membership
from pages._shared.session.settings import shared
from attention_core.language import gettext as _


def at_end() -> bool:
    """Whether the session is at the end of a course, where a summary takes the page's place."""
    return course_position.current() is not None and course_position.current_step() is None


def draw_end() -> None:
    """Draw the predictions made on the way, the votes of the class, and what was measured."""
    position = course_position.current()
    assert position is not None
    address.write(shared().parameters(), is_page=False)
    st.title(_("What you predicted, and what was measured"), anchor=False)
    predictions = [
        (position.course.steps[at], at, item)
        for at, item in sorted(position.predictions.items())
        if item.answer != SKIP
    ]
    graded = [item for _, _, item in predictions if item.truth is not None]
    if graded:
        right = sum(item.answer == item.truth for item in graded)
        st.markdown(
            _("**{right} of {count}** predictions agree with the measurement.", right=right, count=len(graded))
        )
    elif not membership.room():
        st.markdown(_("No prediction was made on this walk. The steps that ask for one are still there."))
    for item, at, prediction in predictions:
        if prediction.refused:
            outcome = _(":gray[:material/help: not measured.] {reason}", reason=prediction.refused)
        elif prediction.truth is None:
            outcome = _(":gray[:material/help: these settings could not tell.]")
        elif prediction.truth == prediction.answer:
            outcome = _(":green[:material/check: the measurement agrees.]")
        else:
            outcome = _(":orange[:material/close: measured: **{truth}**.]", truth=escape_markdown(prediction.truth))
        parts = {"number": at + 1, "page": item.title, "question": prediction.question, "outcome": outcome}
        st.markdown(
            _(
                "**Step {number}, {page}.** {question}  \nYou said **{answer}**: {outcome}",
                answer=escape_markdown(prediction.answer),
                **parts,
            )
        )
    draw_votes()
    with st.container(horizontal=True):
        st.button(
            _("Walk it again"), icon=":material/replay:", on_click=address.visit_course, args=(position.course,)
        )
        st.button(_("Leave the course"), on_click=course_position.leave)
