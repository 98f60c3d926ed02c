"""A class's test on a student's phone: a word, then one question after the other, and nothing of what is right."""

import streamlit as st

from pages._shared.classes import testing
from pages._shared.classes.join import draw_join
from pages._shared.concept_test.chosen import AT_HOME, TIMES, asked_now, state
from pages._shared.core.visitor_state import class_state
from pages._shared.session import membership
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.concept_test import LENGTH, Asked
from attention_core.concept_test.files import LETTERS, lettered
from attention_core.concept_test.report import letter_of
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _

OPEN, NOW = ":gray[:material/radio_button_unchecked:]", ":violet[:material/radio_button_unchecked:]"
TAKEN = ":violet[:material/radio_button_checked:]"
WORD = state.session_key("word")


def draw_phone(time: str) -> None:
    """Draw the test as a student of a class takes it.

    Args:
        time: Before or after.
    """
    if not membership.room():
        _draw_outside()
        return
    asked, test = asked_now(), class_state().test
    if not test.person:
        _draw_word(time)
        return
    letters = test.letters.get(time, {})
    left = [one for one in asked if one.item.id not in letters]
    shown = next((one for one in asked if one.item.id == test.shown and test.shown in letters), None)
    here = shown or (left[0] if left else None)
    marks = [NOW if one is here and one in left else OPEN if one in left else TAKEN for one in asked]
    st.container(key="test_marks").markdown(" ".join(marks))
    with st.container(key="test_card", gap="small"):
        if here is None:
            _draw_end(test.arrived.get(time, 0))
        else:
            _draw_question(time, here, letters.get(here.item.id), is_last=not left)


def _draw_outside() -> None:
    """A class's test where there is no class."""
    with st.container(key="test_card", gap="small"):
        st.markdown(_("This test is a class's: its answers go to the class. Join yours, or answer at home."))
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_join()
            st.button(_("Answer at home"), key=state.session_key("at_home"), on_click=_answer_at_home, type="primary")


def _answer_at_home() -> None:
    state.settings.set(time=AT_HOME)
    state.write_link()


def _draw_word(time: str) -> None:
    """Ask for the word that pairs before and after."""
    refused = ""
    with st.container(key="test_card", gap="small"):
        st.subheader(str(TIMES[time]), anchor=False)
        st.markdown(
            _(
                "First **a word that you will remember**: not your name, and none that others guess. It only pairs "
                "your answers before with those after. It is not kept and shown to nobody."
            )
        )
        with st.form(state.session_key("word_form"), border=False):
            typed: object = st.text_input(
                _("Your word"), max_chars=testing.LONGEST, key=widget_key(WORD), autocomplete="off"
            )
            if st.form_submit_button(_("Begin"), type="primary", icon=":material/arrow_forward:"):
                person = testing.pseudonym(typed) if isinstance(typed, str) else ""
                if person:
                    class_state().test.person = person
                    renew(WORD)
                    st.rerun()
                refused = _(
                    "A word has {fewest} to {most} characters.", fewest=testing.FEWEST_LETTERS, most=testing.LONGEST
                )
        if refused:
            st.error(refused)
        st.markdown(
            _(
                ":small[Ten questions. Your first answer to each counts; what is right is not told yet. Until the "
                "class ends your teacher can download all answers, each under a number in place of a name.]"
            )
        )


def _draw_question(time: str, one: Asked, taken: str | None, *, is_last: bool) -> None:
    """One question: four buttons until one is pressed, then lines, and the way on."""
    st.subheader(set_markdown(one.item.asked), anchor=False)
    in_table = next(other for other in lettered() if other.item is one.item)
    with st.container(key="test_choices", gap="small"):
        for label, place in zip(LETTERS, one.order, strict=True):
            text = f"**{label}** {set_markdown(one.item.choices[place].text)}"
            letter = letter_of(in_table, place)
            if taken is None:
                key = state.session_key(f"choice_{one.item.id}_{label}")
                st.button(text, key=key, width="stretch", on_click=_take, args=(time, one.item.id, letter))
                continue
            with st.container(border=True):
                st.markdown(f"{TAKEN if letter == taken else OPEN} {text}")
    if taken is None:
        st.markdown(_(":small[What you press counts, and cannot be changed.]"))
        return
    label = _("Hand in") if is_last else _("Next question")
    st.button(
        label, key=state.session_key("next"), icon=":material/arrow_forward:", icon_position="right", on_click=_go_on,
        type="primary",
    )  # fmt: skip


def _take(time: str, item: str, letter: str) -> None:
    testing.take(time, item, letter)
    class_state().test.shown = item


def _go_on() -> None:
    class_state().test.shown = ""


def _draw_end(arrived: int) -> None:
    """All are answered; whether the class has them the browser says."""
    if arrived >= LENGTH:
        st.subheader(_("Handed in"), anchor=False)
        st.markdown(_(":material/check: All ten answers have arrived."))
    else:
        st.subheader(_("All ten are answered"), anchor=False)
        st.markdown(_("They are on their way. Leave this page open until it says that they have arrived."))
