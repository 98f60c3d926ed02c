"""Draws a page of an experiment for one visitor: its question and controls, and in a fragment its answers.

The script runs once, top to bottom. What is answered is a fragment: a moved control reruns it alone. The presets, the
controls in sight and the drawer are fragments, too: a preset reruns those whose settings it changes.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._shared.classes.panel import has_wall, is_to_measure
from pages._shared.components.matrix_view import HEIGHT_PX, last_position, matrix_view
from pages._shared.compute.gate import gate
from pages._shared.compute.progress import progress_in
from pages._shared.core import log
from pages._shared.core.language import carried
from pages._shared.page import pin, presets, tabs
from pages._shared.page.class_answer import report_failure, tell_class
from pages._shared.page.declaration import Results, Section, Switches, Tabs
from pages._shared.page.faq import check_link, claim_asked, draw_answer, draw_questions
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
from pages._shared.session import address, membership, notices
from pages._shared.session.settings import presenting
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError


def draw_page(page: Page, draw_share: Callable[[Frame], None], draw_add: Callable[[Page], None]) -> None:
    """Draw the page.

    Args:
        page: The page.
        draw_share: Draws what is in the tab Share.
        draw_add: Draws the button that adds the view to a course.
    """
    page.take_link()
    page.prepare()
    check_link(page)
    if is_to_measure(page.spec.name):
        skip(page)
        page.settings.set_all(page.predict.move)
        page.write_link()
    frame = Frame(page)
    asks = question_open(page)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head"):
        st.title(page.spec.title, anchor=False, width="content")
        if not address.embedded():
            draw_glossary()
        draw_headline(page, page.predict if asks else None)
    stage = st.container(horizontal=True, key="stage", gap="small")
    frame.above = stage.container(key="predict_strip")
    with stage:
        st.fragment(presets.draw_strip, key=frame.presets_key)(frame, draw_add)
    row, switch, drawer, left = (stage.container(key=name) for name in ("asked", "switch", "controls", "left"))
    frame.figure, frame.caption = (left.container(key=name) for name in ("figure", "finding"))
    st.html(_('<section class="second"><h4>A second look</h4></section>'))  # of a picture whose panels need it
    frame.below, frame.tabs = st.container(key="below"), st.container(key="tabs")
    if not picture_hidden(page):  # there is nothing to move yet
        _draw_controls(frame, row, drawer)
        with switch:
            st.fragment(presets.draw_break, key=frame.break_key)(frame)
    if asks and not has_wall():
        how = "slide" if presenting() else "open" if picture_hidden(page) else "folded"
        with frame.above:
            draw_question(page, page.predict, how=how)
    questions = st.container(key="questions")  # in no fragment: no move changes what people ask
    if not address.embedded():
        tabs.draw_neighbours(page.spec.name)
    with frame.figure:
        st.fragment(_draw_answers, key=frame.answers_key)(frame, draw_share)
    if address.part_visible("why") and not (picture_hidden(page) or address.embedded()):
        with questions:
            draw_questions(page)


def _draw_controls(frame: Frame, row: Any, drawer: Any) -> None:
    """Draw the settings in sight above the picture, the others in a drawer; on a slide all in the drawer."""
    page, controls = frame.page, frame.controls
    if not presenting():
        with row:
            controls.fragment(page.session_key("row"), lambda: controls.row(*page.in_sight))
    with drawer:
        controls.fragment(frame.drawer_key, lambda: _draw_drawer(frame))


def _draw_drawer(frame: Frame) -> None:
    """Draw the drawer, and what is in it while it is open: each control costs every press its time."""
    page, controls = frame.page, frame.controls
    fixed = page.settings.fixed()
    # What a page asks for by widgets of its own is, where a lesson fixes it, drawn as the others are.
    parts = [
        part
        for part in page.drawer
        if not (isinstance(part, Section) and part.draw) or fixed.keys().isdisjoint(part.names)
    ]
    in_drawer = [
        name
        for part in parts
        if address.part_visible("break" if isinstance(part, Switches) else "controls")
        for name in part.names
        if not page.settings.is_hidden(name)
    ]
    label = _("Controls") if presenting() else _("More ({count})", count=len(in_drawer))
    box = st.expander(label, icon=":material/tune:", key=page.session_key("more"), on_change=frame.on_drawer)
    if not box.open:
        return
    with box:
        if presenting():
            controls.row(*page.in_sight)
        for part in parts:
            if isinstance(part, Switches):
                controls.switches(part.names)
            else:
                controls.section(*part)
        drawn = {*page.in_sight, *(name for part in parts for name in part.names)}
        controls.show(*(name for name in page.settings if name in fixed.keys() - drawn))
        if address.part_visible("controls"):
            st.button(_("Reset"), key=page.session_key("reset"), on_click=presets.reset, args=(page,))


def _draw_answers(frame: Frame, draw_share: Callable[[Frame], None]) -> None:
    """Draw the picture, the grade, the findings and the tabs: all that a move changes."""
    page = frame.page
    with gate().hold(), progress_in(frame.caption), report_failure(page):  # where it takes none of the picture's room
        draw_notices(notices.pop())
        requested = shown = frame.look
        if isinstance(requested, ConfigError):
            _say_why_not(frame, requested)
            shown = frame.state.good
        results = _draw_look(frame, shown) if isinstance(shown, Look) else None
        if picture_hidden(page):
            _draw_curtain()
        with frame.above:
            draw_grade(page, page.predict, requested)
            if isinstance(requested, Look):
                draw_answer(page, requested)
        tell_class(frame)
        if results and isinstance(shown, Look):
            content = page.details(shown.config, shown.view, results, frame)
            if address.embedded():
                _draw_way_out(frame)
            else:
                _draw_tabs(frame, shown, results, content, draw_share)
            frame.state.shown = shown
        if not frame.is_whole:  # a fragment may fill later only what it wrote to when that was drawn
            for container in (frame.caption, frame.below, frame.tabs):
                container.empty()
            frame.is_whole = True


def _say_why_not(frame: Frame, error: ConfigError) -> None:
    """Report why the settings are not possible, unless that stands below the box they were typed in."""
    log.refused(frame.page.spec.name, "settings that are not possible")
    if picture_hidden(frame.page) or presenting() or not frame.controls.says(error.field):
        st.error(frame.validation_error()[1])


def _draw_curtain() -> None:
    """Draw a placeholder while the prediction comes before the picture."""
    with st.container(border=True, height=HEIGHT_PX, vertical_alignment="center", horizontal_alignment="center"):
        in_class = _(":gray[The picture comes with the answer.]")
        hint = _(":gray[Answer the question above, or skip it, to see the picture.]")
        st.markdown(in_class if membership.room() else hint, width="content")


def _draw_look(frame: Frame, look: Look) -> Results | None:
    """Draw the picture and the findings; nothing while the prediction comes before the picture."""
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
        # First, and known last: what is measured for the picture may take a while. Until then the sentence of the
        # picture that still stands is left there, so that nothing below moves under a finger.
        sight = st.container()
        waits = st.container(key="waits")  # of no height, for the same reason
    with progress_in(waits):
        _draw_pictures(frame, look)
    with sight:
        # Where the claim answers the question that stands, its law does, too; of what somebody has asked it says
        # nothing, and a slide has no room for it.
        with_law = not (presenting() or (asks and page.predict.headline) or page.extras["asked"])
        draw_sight(look.picture.summary, law=set_law(page.law, frame.mode) if with_law else "")
    if state.before and (sentence := page.changes(state.before, look)):
        with frame.caption:
            st.markdown(f":material/arrow_forward: {set_markdown(sentence)}")
    results = look.results
    with frame.caption:  # of the claims that answer it nothing is said while the question stands
        draw_finding(
            results.verdicts, about=results.about, aside=results.aside,
            hidden=page.predict.spoilers if asks else (), question=page.predict.question,
            asked=claim_asked(page),
        )  # fmt: skip
    return results


def _draw_pictures(frame: Frame, look: Look) -> None:
    """Draw the picture, and the pinned one beside it, on one scale."""
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


def _draw_way_out(frame: Frame) -> None:
    """Draw the way from a frame of another page to all else that there is."""
    link = address.url(frame.page.link_for_others() | carried())
    with frame.tabs:
        st.link_button(_("Open in the attention explorer"), link, icon=":material/open_in_new:", type="tertiary")


def _draw_tabs(
    frame: Frame, look: Look, results: Results, content: Tabs, draw_share: Callable[[Frame], None]
) -> None:
    """Draw the tabs below the picture; only the open one is filled."""
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
                tabs.draw_data(frame, look, results.main, content)
            case _:
                draw_share(frame)
