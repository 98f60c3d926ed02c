"""The presets of a page: a row of buttons, or in presenter view the buttons from one slide to the next.

They stand in a strip with the button that pins the picture.
"""

from collections.abc import Callable

import streamlit as st

from pages._shared.classes.panel import has_wall
from pages._shared.compute.gate import gate
from pages._shared.core.pages import neighbours
from pages._shared.page import pin
from pages._shared.page.declaration import BreakButton
from pages._shared.page.frame import Frame
from pages._shared.page.page import Page
from pages._shared.page.prediction import picture_hidden, question_open
from pages._shared.page.run_state import run_state
from pages._shared.session import address, course_position
from pages._shared.session.links import link_to
from pages._shared.session.settings import SKIPPED, UNASKED, presenting
from pages._shared.session.widget_keys import is_move, key_to_show
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _


def draw_strip(frame: Frame, draw_add: Callable[[Page], None]) -> None:
    """Draw the strip; ``draw_add`` draws what else stands beside the button that pins."""
    page = frame.page
    with gate().hold(), st.container(horizontal=True, gap="xxsmall", key="presets", vertical_alignment="center"):
        if address.part_visible("presets"):
            _draw_presets(frame)
        elif presenting() and question_open(page):
            st.button(_("Show the answer"), icon=":material/arrow_forward:", key="_remote_PageDown",
                      on_click=_show_answer, args=(page,))  # fmt: skip
        if address.part_visible("pin") and not picture_hidden(page):
            pin.draw_pin(frame)
        draw_add(page)


def _draw_presets(frame: Frame) -> None:
    """Draw the presets; the one that matches the settings is lit."""
    page = frame.page
    lit = page.settings.matching(preset.wanted for preset in page.presets)
    frame.state.lit = lit
    if presenting():
        _draw_remote(frame, lit)
        return
    key = key_to_show(page.session_key("preset"), lit)
    st.pills(
        _("Presets"), range(len(page.presets)), format_func=lambda i: str(page.presets[i].name), key=key,
        required=True, wrap=False, on_change=_press, args=(frame, key),
        label_visibility="collapsed",
    )  # fmt: skip
    if lit is None:
        return
    preset = page.presets[lit]
    if not (picture_hidden(page) or (question_open(page) and preset.spoils)):
        st.markdown(f":small[:gray[{set_markdown(preset.caption)}]]", width="content")


def draw_break(frame: Frame) -> None:
    """Draw the switch that makes the page's first claim fail, unless it would answer an open question."""
    page = frame.page
    breaks, fixed = page.breaks, page.settings.fixed()
    frame.state.is_broken = frame.is_broken
    if breaks is None or not address.part_visible("break") or not fixed.keys().isdisjoint(breaks.settings):
        return
    if question_open(page) and not breaks.settings.keys().isdisjoint(page.predict.move):
        return
    if frame.is_broken:
        label, icon = _("Mend it"), ":material/healing:"
    else:
        label, icon = _("Break it: {name}", name=breaks.name), ":material/bolt:"
    st.button(
        label, icon=icon, key=page.session_key("break"), on_click=_switch, args=(frame, breaks), width="content"
    )


def _switch(frame: Frame, breaks: BreakButton) -> None:
    """Set the breaking settings, or restore those from before."""
    page = frame.page
    with gate().hold():
        values = page.settings.as_dict()
        if frame.is_broken:
            mended = page.settings.defaults | frame.state.mended
            page.settings.set(**{name: mended[name] for name in breaks.settings})
        else:
            frame.state.mended = {name: values[name] for name in breaks.settings}
            page.settings.set(**breaks.settings)
        frame.on_control()


def _press(frame: Frame, key: str) -> None:
    if is_move(frame.page.session_key("preset"), key):
        _choose(frame, st.session_state.get(key))


def _choose(frame: Frame, index: int | None) -> None:
    page = frame.page
    with gate().hold():
        _set(page, index)
        frame.on_control()


def _set(page: Page, index: int | None) -> None:
    if type(index) is int and 0 <= index < len(page.presets):  # a forged message may choose any
        state = run_state(page)
        state.chosen, state.just_chosen = index, True
        page.settings.set_all(page.presets[index].wanted)


def reset(page: Page) -> None:
    """Reset a page's settings, its question and its pin; for callbacks."""
    run_state(page).chosen = None
    page.extras.set(answer=UNASKED, pin="")
    page.settings.set_all({})
    st.rerun()  # of the whole page: its question may stand again


def _draw_remote(frame: Frame, lit: int | None) -> None:
    """Draw the current slide of a presenter, and the buttons to those beside it.

    The question is the slide before the first preset.
    """
    page = frame.page
    chosen = -1 if frame.state.chosen is None else frame.state.chosen
    at, count = chosen if lit is None else lit, len(page.presets)
    at, first = (-1 if question_open(page) else at), (-1 if address.part_visible("predict") else 0)
    ways = [(_("Back"), "back", "PageUp", at - 1), (_("Next"), "forward", "PageDown", at + 1)]
    after = neighbours(page.spec.name)[1] if at == count - 1 and course_position.current() is None else None
    if after:  # in a course its next step comes after the last preset
        del ways[1]
    for label, icon, key, to in ways:
        st.button(
            label, icon=f":material/arrow_{icon}:", key=f"_remote_{key}", on_click=_go,
            args=(frame, max(first, min(count - 1, to))), disabled=not first <= to < count,
        )  # fmt: skip
    if after:
        st.button(_("Next: {title}", title=after.title), icon=":material/arrow_forward:", key="_remote_PageDown",
                  on_click=_go_on, args=(after.name,))  # fmt: skip
    if has_wall() and question_open(page):
        return  # the class comes first: PageDown is its panel's
    if question_open(page):
        st.markdown(_(":gray[A prediction, then {count} presets: PageDown]", count=count))
    elif lit is None:
        st.markdown(_(":gray[{count} presets: PageDown]", count=count))
    else:
        name, caption = str(page.presets[lit].name), set_markdown(page.presets[lit].caption)
        at_slide = {"number": lit + 1, "count": count, "name": name, "caption": caption}
        if name.endswith(("?", "？")):
            st.markdown(_("**{number} of {count}: {name}** {caption}", **at_slide))
        else:
            st.markdown(_("**{number} of {count}: {name}.** {caption}", **at_slide))


def _go_on(page: str) -> None:
    address.visit(page, link_to(page))


def _show_answer(page: Page) -> None:
    """Show the picture that the question is about, in a step without presets."""
    page.extras.set(answer=SKIPPED)
    page.settings.set_all(page.predict.move)
    st.rerun()  # of the whole page: its picture was not drawn yet


def _go(frame: Frame, index: int) -> None:
    page = frame.page
    was_open = question_open(page)
    page.extras.set(answer=UNASKED if index < 0 else page.extras["answer"] or SKIPPED)
    if question_open(page) == was_open:
        _choose(frame, index)
    else:
        _set(page, index)
        st.rerun()  # of the whole page: a question stands in the picture's place, and a claim in its headline's
