"""Adds the concept test to the draft of a course: as it is, or as a test before and one after."""

from dataclasses import replace

import streamlit as st

from pages._shared.concept_test.chosen import TIMES, parallel, state
from pages._shared.core.pages import TEST
from pages._shared.courses.add_step import draw_way_to_draft
from pages._shared.lessons.course import MAX_STEPS, Step
from pages._shared.session import course_position, membership
from pages._shared.session.draft import draft, keep_draft, put
from pages._shared.session.settings import presenting
from attention_core.language import gettext as _

MINUTES = 10


def draw_add() -> None:
    """Draw the button that opens it, for who prepares a course."""
    if presenting() or course_position.current() is not None or membership.room():
        return
    with st.popover(_("Add to the course"), icon=":material/playlist_add:", type="tertiary"):
        st.markdown(
            _(
                "Before and after ask two sets of ten that have no question in common. In a class, phones answer "
                "them without names, and you see what came of it."
            )
        )
        is_full = len(draft().steps) >= MAX_STEPS
        labels = {"": _("As it is"), **{time: str(label) for time, label in TIMES.items()}}
        with st.container(horizontal=True):
            for time, label in labels.items():
                key = state.session_key(f"add_{time or 'plain'}")
                st.button(label, key=key, on_click=_add, args=(time,), disabled=is_full)
        draw_way_to_draft()
        keep_draft()


def _add(time: str) -> None:
    number = state.settings["form"]
    own = {"form": parallel(number) if time == "after" else number} | ({"time": time} if time else {})
    own = {name: value for name, value in own.items() if value != state.settings.defaults[name]}
    others = {key: text for key, text in state.link_for_others().items() if key not in state.settings.keys}
    step = Step(page=TEST.name, settings=others | state.settings.spelled(own), minutes=MINUTES)
    put(replace(draft(), steps=(*draft().steps, step)[:MAX_STEPS]))
