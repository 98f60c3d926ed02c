"""Home: what this is, one live figure, and the pages."""

import streamlit as st

from pages._shared.claims.map import draw_map
from pages._shared.classes import classroom
from pages._shared.classes.join import draw_join
from pages._shared.components.matrix_view import matrix_view
from pages._shared.compute.process import process
from pages._shared.compute.progress import result_of
from pages._shared.core.pages import HOME, LEDGER, PAGES
from pages._shared.core.text import refusal
from pages._shared.courses import strip
from pages._shared.page.controls import Ask
from pages._shared.page.findings import draw_finding
from pages._shared.page.header import draw_title
from pages._shared.session import address
from pages._shared.session.page_state import Sheet
from pages._shared.session.settings import group_of, presenting, run_settings
from attention_core.claims import LedgerConfig, claims
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.permutation import SENTENCE, ShuffleConfig, order_of, run_shuffle
from attention_core.experiments.settings import Switch, Words, setting
from attention_core.figures.permutation import pair_view


@group_of("home")
class Figure:
    """What the figure shows."""

    tokens: tuple[str, ...] = setting(SENTENCE, Words(label="Your sentence"))
    shuffle: bool = setting(True, Switch(label="Shuffle the words"))
    positions: bool = setting(False, Switch(label="Tell it the positions"))


def shuffled(figure: Figure) -> ShuffleConfig:
    run, here = run_settings(), tuple(range(len(figure.tokens)))
    order = order_of("random", len(here), run["seed"]) if figure.shuffle else here
    positions = "sinusoidal" if figure.positions else "none"
    return ShuffleConfig(tokens=figure.tokens, query_order=order, key_order=order, positions=positions, **run)


sheet = Sheet(HOME, Figure)
sheet.take_link()
draw_title("Attention explorer")
if not presenting():  # a slide begins with its picture, and its teacher joins no class
    st.markdown(
        "Every picture here is computed as you look, by a real attention module on this machine, and every claim "
        "carries the number it was held to. Change something, and watch what attention notices and what it cannot."
    )
classroom.draw_way_in()
if not presenting():
    draw_join()
left, right = st.columns([3, 2], gap="medium")
with left:
    ask = Ask(sheet.values, sheet.write_link)
    ask("tokens")
    ask.row("shuffle", "positions")
    for sentence in address.notices():
        st.warning(sentence)
    last = sheet.private("good")
    try:
        st.session_state[last] = shuffled(Figure(**sheet.values.of(Figure)))
    except ConfigError as error:
        kept = " The last good picture is kept." if last in st.session_state else ""
        st.error(refusal(error, sheet.values) + kept)
    config = st.session_state.get(last)
    if config is not None:
        result = result_of(run_shuffle, config)
        with st.container(key="figure"):
            matrix_view(pair_view(config, result), key=HOME.name)
        draw_finding(result.verdicts)
    st.markdown(
        "Each row is a :blue[query] asking every :orange[key] how much it matters. Shuffle the words and the same "
        "numbers come back in a new order: attention has no idea where a word stands, until it is told."
    )
with right:
    draw_map(process().ledger.found(LedgerConfig(**run_settings())), key="_map")

strip.draw_offer()
st.subheader("Where to go")
with st.grid("auto", min_column_width=260):
    for page in PAGES:
        with st.container(border=True, height="stretch"):
            st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
            st.markdown(page.claim)
    with st.container(border=True, height="stretch"):
        st.page_link(LEDGER.file, label=f"**{LEDGER.title}**", icon=LEDGER.icon)
        score = process().ledger.score(len(claims())) or "Not checked yet: run it and see."
        st.markdown(f"{LEDGER.claim} {score}")
