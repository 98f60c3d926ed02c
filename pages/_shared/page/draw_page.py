"""Draws a page of an experiment for one visitor: what it asks, and in a fragment what it answers.

The script runs once, top to bottom. What is answered is a fragment: a moved control reruns it alone. The presets and
each section of controls are fragments, too: a preset reruns the sections whose settings it changes.
"""

from contextlib import nullcontext
from typing import Any

import streamlit as st

from pages._shared.classes.panel import is_to_measure
from pages._shared.components.matrix_view import HEIGHT_PX, last_position, matrix_view
from pages._shared.compute.gate import gate
from pages._shared.compute.progress import progress_in
from pages._shared.core import log
from pages._shared.page import pin, presets, share, tabs
from pages._shared.page.class_answer import failure_told, tell_class
from pages._shared.page.declaration import Results, Section, Switches, Tabs
from pages._shared.page.findings import draw_finding, draw_sight, set_law
from pages._shared.page.frame import Frame
from pages._shared.page.glossary import draw_glossary
from pages._shared.page.header import draw_notices
from pages._shared.page.page import Look, Page
from pages._shared.page.picture import Picture
from pages._shared.page.prediction import (
    draw_grade,
    draw_headline,
    draw_question,
    picture_hidden,
    question_open,
    skip,
)
from pages._shared.session import address, notices
from pages._shared.session.settings import presenting
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError


def draw_page(page: Page) -> None:
    """Draw the page."""
    page.take_link()
    if is_to_measure(page.spec.name):
        skip(page)
        page.settings.set_all(page.predict.move)
        page.write_link()
    frame = Frame(page)
    asks = question_open(page)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head"):
        st.title(page.spec.title, anchor=False, width="content")
        draw_glossary()
        draw_headline(page, page.predict if asks else None)
    stage = st.container(horizontal=True, key="stage", gap="small")
    frame.above = stage.container(key=f"{page.spec.name}_predict_strip")
    with stage:
        st.fragment(presets.draw_strip, key=frame.presets_key)(frame)
    row, switch, drawer, left = (stage.container(key=name) for name in ("asked", "switch", "controls", "left"))
    frame.figure, frame.caption = (left.container(key=name) for name in ("figure", "finding"))
    st.html(_('<section class="second"><h4>A second look</h4></section>'))  # of a picture whose panels need it
    frame.below, frame.tabs = st.container(key="below"), st.container(key="tabs")
    if not picture_hidden(page):  # there is nothing to move yet
        _draw_controls(frame, row, drawer)
        with switch:
            st.fragment(presets.draw_break, key=frame.break_key)(frame)
    if asks:
        how = "slide" if presenting() else "open" if picture_hidden(page) else "folded"
        with frame.above:
            draw_question(page, page.predict, how=how)
    tabs.draw_neighbours(page.spec.name)
    with frame.figure:
        st.fragment(_draw_answers, key=frame.answers_key)(frame)


def _draw_controls(frame: Frame, row: Any, drawer: Any) -> None:
    """Those in sight above the picture, the others in a drawer beside it; on a slide all of them there."""
    page, controls = frame.page, frame.controls
    fixed = page.settings.fixed()
    # What a page asks for by widgets of its own is, where a lesson fixes it, drawn as the others are.
    own = [part for part in page.drawer if isinstance(part, Section) and part.draw]
    parts = [part for part in page.drawer if part not in own or fixed.keys().isdisjoint(part.names)]
    in_drawer = [
        name
        for part in parts
        if address.part_visible("break" if isinstance(part, Switches) else "controls")
        for name in part.names
        if not page.settings.is_hidden(name)
    ]
    label = _("Controls") if presenting() else _("More ({count})", count=len(in_drawer))
    with drawer.expander(label, icon=":material/tune:"):
        with nullcontext() if presenting() else row:
            controls.row(*page.in_sight)
        for part in parts:
            if isinstance(part, Switches):
                controls.switches(part.names)
            else:
                controls.section(*part)
        controls.show(*(name for name in page.settings if name in fixed and name not in controls.parts))
        if address.part_visible("controls"):
            st.button(_("Reset"), key=page.session_key("reset"), on_click=presets.reset, args=(page,))


def _draw_answers(frame: Frame) -> None:
    """The picture, the grade, and what was found: all that a move changes."""
    page = frame.page
    with gate().hold(), progress_in(frame.caption), failure_told(page):  # where it takes none of the picture's room
        draw_notices(notices.pop())
        asked = shown = frame.look
        if isinstance(asked, ConfigError):
            _say_why_not(frame, asked)
            shown = frame.state.good
        found = _draw_look(frame, shown) if isinstance(shown, Look) else None
        if picture_hidden(page):
            _draw_curtain()
        with frame.above:
            draw_grade(page, page.predict, asked)
        tell_class(frame)
        if found and isinstance(shown, Look):
            _draw_tabs(frame, shown, found, page.details(shown.config, shown.view, found, frame))
            frame.state.shown = shown
        if not frame.is_whole:  # a fragment may fill later only what it wrote to when that was drawn
            for container in (frame.caption, frame.below, frame.tabs):
                container.empty()
            frame.is_whole = True


def _say_why_not(frame: Frame, error: ConfigError) -> None:
    """Say why the settings are not possible, unless that stands below the box they were typed in."""
    log.refused(frame.page.spec.name, "settings that are not possible")
    if picture_hidden(frame.page) or presenting() or not frame.controls.says(error.field):
        st.error(frame.validation_error()[1])


def _draw_curtain() -> None:
    """In the picture's place, while the answer comes first."""
    with st.container(border=True, height=HEIGHT_PX, vertical_alignment="center", horizontal_alignment="center"):
        st.markdown(_(":gray[Answer the question above, or skip it, to see the picture.]"), width="content")


def _draw_look(frame: Frame, look: Look) -> Results | None:
    """The picture and what was found; nothing of it while the answer comes first."""
    page, state = frame.page, frame.state
    if frame.arrived or state.just_chosen:
        state.before = None
    elif state.shown not in (None, look):
        state.before = state.shown
    state.good, state.just_chosen, frame.arrived = look, False, False
    if picture_hidden(page):
        return None
    asks = question_open(page)
    with frame.caption:
        sight = st.empty()  # first, and known last: what is measured for the picture may take a while
    _draw_pictures(frame, look)
    with sight:
        # Where the claim answers the question that stands, its law does, too; a slide has no room for it.
        told = not (presenting() or (asks and page.predict.headline))
        draw_sight(look.picture.summary, law=set_law(page.law, frame.mode) if told else "")
    if state.before and (sentence := page.changes(state.before, look)):
        with frame.caption:
            st.markdown(f":material/arrow_forward: {set_markdown(sentence)}")
    found = look.results
    with frame.caption:  # of the claims that answer it nothing is said while the question stands
        draw_finding(
            found.verdicts, about=found.about, aside=found.aside,
            hidden=page.predict.spoilers if asks else (), question=page.predict.question,
        )  # fmt: skip
    return found


def _draw_pictures(frame: Frame, look: Look) -> None:
    """The picture, and beside it the one that was pinned, on one scale."""
    frame.curves_shown = None  # none stand below it yet
    pinned = pin.pinned(frame.page)
    if pinned is None:
        _draw_picture(Picture(frame, look))
        return
    with st.container(horizontal=True, key="pair"):
        for label, picture in (
            (_("Now"), Picture(frame, look, beside=pinned)),
            (_("Pinned"), Picture(frame, pinned, beside=look, live=False)),
        ):
            with st.container():
                st.caption(label)
                _draw_picture(picture)


def _draw_picture(at: Picture) -> None:
    if draw := at.frame.page.draw_picture:
        draw(at.look.config, at.look.view, at)
    else:
        matrix_view(at.shown, key=at.key)
    at.frame.positions[at.key] = last_position()


def _draw_tabs(frame: Frame, look: Look, found: Results, content: Tabs) -> None:
    """What stands below the picture, and what had to wait for the result; only the open tab is filled."""
    page = frame.page
    with frame.tabs:
        name, tab = tabs.draw_bar(page)
    with tab:
        match name:
            case "why":
                tabs.draw_why(content.why)
            case "code":
                code = content.snippet() if content.snippet else page.study.snippet(look.config)
                tabs.draw_code(page.study.shortest, code, page.spec.name)
            case "data":
                tabs.draw_data(frame, look, found.main, content)
            case _:
                share.draw_share(frame)
