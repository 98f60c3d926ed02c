"""Home: one thing to do at once, what came of it, and the ways on."""

from dataclasses import dataclass

import streamlit as st

from pages._shared.claims.doors import draw_doors
from pages._shared.claims.map import draw_map
from pages._shared.claims.results import ledger
from pages._shared.classes.join import draw_join, draw_way_in
from pages._shared.components.matrix_view import matrix_view
from pages._shared.components.token_board import token_board
from pages._shared.compute.progress import compute
from pages._shared.core.pages import HOME, LEDGER, PAGES, TEST, target
from pages._shared.courses import strip
from pages._shared.page import Controls, draw_box, draw_finding, draw_glossary, draw_notices, draw_sight, draw_title
from pages._shared.session import notices
from pages._shared.session.links import link_to
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import error_message, presenting, run_settings
from attention_core.claims import LedgerConfig, claims
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext, gettext_lazy
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import Order, Switch, Words, setting
from attention_core.measuring.verdict import Verdict
from attention_core.studies.permutation import (
    SENTENCE,
    SENTENCE_ZH,
    ShuffleConfig,
    another_order,
    order_for,
    order_of,
    run_shuffle,
)
from attention_core.studies.permutation.draw import AFTER, follows, pair_view


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What the figure shows."""

    tokens: tuple[str, ...] = setting(SENTENCE, Words(label=gettext_lazy("Your sentence")), zh=SENTENCE_ZH)
    order: tuple[int, ...] = setting((), Order(label=gettext_lazy("Order")))
    positions: bool = setting(False, Switch(label=gettext_lazy("Tell it positions")))


state = PageState(HOME, (Figure,))
controls = Controls(state.settings, state.write_link)
LAST, INVITED = state.session_key("good"), state.session_key("invited")


def shuffled(figure: Figure) -> ShuffleConfig:
    order = order_for(figure.order, len(figure.tokens), 0) if figure.order else ()
    positions = "sinusoidal" if figure.positions else "none"
    return ShuffleConfig(
        tokens=figure.tokens, query_order=order, key_order=order, positions=positions, **run_settings()
    )


def put(order: tuple[int, ...]) -> None:
    """Take an order that chips or a button have made; from then on nothing moves by itself."""
    state.settings.set(order=order)
    st.session_state[INVITED] = True
    state.write_link()


def draw_board(config: ShuffleConfig) -> None:
    """The chips, and the order they begin with as soon as somebody is there to see it."""
    count = len(config.tokens)
    as_written = tuple(range(count))
    begins = order_of("random", count, config.seed) if not (config.query_order or INVITED in st.session_state) else ()
    token_board(
        config.tokens, config.query_order or as_written, key=f"{HOME.name}_board", role="both",
        label=gettext("Tokens"), hover_group=HOME.name, on_change=put, invites=begins,
    )  # fmt: skip


def draw_buttons(config: ShuffleConfig) -> None:
    """What else moves the words, or tells attention where they stand."""
    as_written = tuple(range(len(config.tokens)))
    order = config.query_order or as_written
    st.button(
        gettext("Shuffle"), icon=":material/shuffle:", type="primary", key=state.session_key("shuffle"),
        on_click=lambda: put(another_order(order)), disabled=len(order) < 2,
    )  # fmt: skip
    controls.show("positions")
    st.button(
        gettext("Put back"), icon=":material/undo:", type="tertiary", key=state.session_key("restore"),
        on_click=put, args=(as_written,), disabled=order == as_written,
    )  # fmt: skip
    with st.popover(gettext("Your sentence"), icon=":material/edit:", type="tertiary"):
        controls.show("tokens")


def draw_figure(config: ShuffleConfig, refused: str) -> tuple[Verdict, ...]:
    """The chips, the two matrices and what is seen there; returns what was found.

    Args:
        config: What is shown.
        refused: Why what was asked for is not possible, where this is the last that was.
    """
    with st.container(horizontal=True, key="home_row"):
        with st.container():
            draw_board(config)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="home_buttons"):
            draw_buttons(config)
    if refused:
        st.error(gettext("{error} The last good picture is kept.", error=refused))
    turned = config.with_positions(on=config.positions == "none")
    result, other = (compute(run_shuffle, one) for one in (config, turned))
    view = pair_view(config, result, (turned, other))
    with st.container(key="figure"):
        matrix_view(view, key=HOME.name, hover_group=HOME.name, hover_panel=AFTER, follows=follows(config))
    draw_sight(view.summary)
    return result.verdicts


def draw() -> None:
    """Draw the page."""
    state.take_link()
    draw_notices(notices.pop())
    headline = gettext("Drag a word. Does attention notice?")
    if presenting():  # a slide begins with its picture, and its teacher joins no class
        draw_title(headline)
    else:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title"):
            st.markdown(gettext("**Attention explorer**"), width="content")
            draw_box("_faq_home")
            draw_glossary()
            draw_join()
        st.title(headline, anchor=False)
        st.markdown(gettext("A real attention module computes every number on this page, now, on this machine."))
    draw_way_in()
    try:
        st.session_state[LAST] = shuffled(Figure(**state.settings.for_group(Figure)))
        refused = ""
    except ConfigError as error:
        refused = error_message(error, state.settings)
    config = st.session_state.get(LAST)
    if config is None:
        st.error(refused)
        controls.show("tokens")
        verdicts = ()
    else:
        verdicts = draw_figure(config, refused)
    if not presenting():
        draw_doors()
    draw_finding(verdicts)
    st.markdown(
        gettext(
            ":small[Each row is a :blue[query] asking every :orange[key] how much it matters. The module is not "
            "trained, its weights are random: how much a word takes from another says nothing about language.]"
        )
    )
    strip.draw_offer()
    label = gettext("**{test}**: ten questions whose answers are measured", test=TEST.title)
    st.page_link(target(TEST.name), label=label, icon=TEST.icon, query_params=link_to(TEST.name))
    draw_parts()


def draw_parts() -> None:
    """All pages, by the map and by their names."""
    with st.expander(gettext("Find a part"), icon=":material/search:"):
        st.markdown(
            gettext(
                ":small[**A map of a transformer**: each box leads to what is measured there. Its circle fills once "
                "its claims have been checked on the page Claims.]"
            )
        )
        draw_map(ledger().checked(LedgerConfig(**run_settings())), key="_map")
        with st.grid("auto", min_column_width=260):
            for page in PAGES:
                with st.container(border=True, height="stretch"):
                    st.page_link(
                        target(page.name), label=f"**{page.title}**", icon=page.icon, query_params=link_to(page.name)
                    )
                    st.markdown(set_markdown(page.claim))
            with st.container(border=True, height="stretch"):
                way = link_to(LEDGER.name)
                st.page_link(target(LEDGER.name), label=f"**{LEDGER.title}**", icon=LEDGER.icon, query_params=way)
                score = ledger().score(len(claims())) or gettext("Not checked yet: run it and see.")
                st.markdown(f"{LEDGER.claim} {score}")
