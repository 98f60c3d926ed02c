"""Home: what this is, one live figure, and the pages."""

import streamlit as st

from pages._shared.claims.map import draw_map
from pages._shared.claims.results import ledger
from pages._shared.classes.join import draw_join, draw_way_in
from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.progress import run_with_progress
from pages._shared.core.pages import HOME, LEDGER, PAGES
from pages._shared.courses import strip
from pages._shared.page import Controls, draw_finding, draw_notices, draw_sight, draw_title
from pages._shared.session import address
from pages._shared.session.links import link_to
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import error_message, presenting, run_settings, settings_group
from attention_core.claims import LedgerConfig, claims
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.permutation import SENTENCE, SENTENCE_ZH, ShuffleConfig, order_of, run_shuffle
from attention_core.experiments.settings import Switch, Words, setting
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.permutation import pair_view
from attention_core.language import gettext, gettext_lazy


@settings_group("home")
class Figure:
    """What the figure shows."""

    tokens: tuple[str, ...] = setting(SENTENCE, Words(label=gettext_lazy("Your sentence")), zh=SENTENCE_ZH)
    shuffle: bool = setting(True, Switch(label=gettext_lazy("Shuffle the words")))
    positions: bool = setting(False, Switch(label=gettext_lazy("Add positions")))


def shuffled(figure: Figure) -> ShuffleConfig:
    run = run_settings()
    order = order_of("random", len(figure.tokens), run["seed"]) if figure.shuffle else ()
    positions = "sinusoidal" if figure.positions else "none"
    return ShuffleConfig(tokens=figure.tokens, query_order=order, key_order=order, positions=positions, **run)


sheet = PageState(HOME, Figure)
sheet.take_link()
draw_notices(address.pop_notices())
draw_title(gettext("Attention explorer"), beside=draw_join)
if not presenting():  # a slide begins with its picture, and its teacher joins no class
    st.markdown(
        gettext(
            "Every picture here is computed as you look, by a real attention module on this machine, and every claim "
            "stands beside the number that was measured for it. Change something, and watch what attention notices "
            "and what it cannot."
        )
    )
draw_way_in()
left, right = st.columns([3, 2], gap="medium")
with left:
    controls = Controls(sheet.settings, sheet.write_link)
    controls.show("tokens")
    controls.in_sight("shuffle", "positions")
    last = sheet.session_key("good")
    try:
        st.session_state[last] = shuffled(Figure(**sheet.settings.for_group(Figure)))
    except ConfigError as error:
        told = error_message(error, sheet.settings)
        kept = last in st.session_state
        st.error(gettext("{error} The last good picture is kept.", error=told) if kept else told)
    config = st.session_state.get(last)
    if config is not None:
        result = run_with_progress(run_shuffle, config)
        view = pair_view(config, result)
        with st.container(key="figure"):
            matrix_view(view, key=HOME.name)
        draw_sight(view.summary)
        st.markdown(
            gettext(
                ":small[Each row is a :blue[query] asking every :orange[key] how much it matters. The module is not "
                "trained, its weights are random: how much a word takes from another says nothing about language.]"
            )
        )
        draw_finding(result.verdicts)
with right:
    if not presenting():
        st.markdown(
            gettext(
                ":small[**A map of a transformer**, for whoever looks for a part: each box leads to what is measured "
                "there. Its circle fills once its claims have been checked on the page Claims.]"
            )
        )
    draw_map(ledger().found(LedgerConfig(**run_settings())), key="_map")

strip.draw_offer()
st.subheader(gettext("Where to go"))
with st.grid("auto", min_column_width=260):
    for page in PAGES:
        with st.container(border=True, height="stretch"):
            st.page_link(page.file, label=f"**{page.title}**", icon=page.icon, query_params=link_to(page.name))
            st.markdown(set_markdown(page.claim))
    with st.container(border=True, height="stretch"):
        way = link_to(LEDGER.name)
        st.page_link(LEDGER.file, label=f"**{LEDGER.title}**", icon=LEDGER.icon, query_params=way)
        score = ledger().score(len(claims())) or gettext("Not checked yet: run it and see.")
        st.markdown(f"{LEDGER.claim} {score}")
