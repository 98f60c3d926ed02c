"""Home: what this is, one live figure, and the pages."""

import streamlit as st

from pages._shared import classroom, link
from pages._shared.controls import RUN_SETTINGS, Controls
from pages._shared.ledger import ledger
from pages._shared.matrix_view import matrix_view
from pages._shared.registry import HOME, LEDGER, PAGES
from pages._shared.run import good_config, runner
from pages._shared.shell import shared
from pages._shared.words import verdict_lines
from attention_core.experiments.permutation import ShuffleConfig, order_of, run_shuffle
from attention_core.figures.permutation import pair_view

control, settings = Controls(HOME.name), shared()
st.title("Attention explorer")
st.markdown(
    "Every picture here is computed as you look, by a real attention module on this machine, and every claim carries "
    "the number it was held to. Change something, and watch what attention notices and what it cannot."
)
classroom.draw_way_in()
left, right = st.columns([3, 1.1], gap="large")
with right:
    tokens = control.sentence("tokens", "Your sentence", "the cat sat on a mat")
    shuffled = control.switch("shuffle", "Shuffle the words", True)
    positions = control.switch("positions", "Tell it the positions")
    st.markdown(
        "Each row is a :blue[query] asking every :orange[key] how much it matters. Shuffle the words and the same "
        "numbers come back in a new order: attention has no idea where a word stands, until it is told."
    )


def make() -> ShuffleConfig:
    order = order_of("random", len(tokens), settings.values["seed"]) if shuffled else tuple(range(len(tokens)))
    return ShuffleConfig(
        tokens=tokens,
        query_order=order,
        key_order=order,
        positions="sinusoidal" if positions else "none",
        **{name: settings.values[name] for name in RUN_SETTINGS},
    )


with left:
    config = good_config(HOME.name, make)
    result = runner().run(run_shuffle, config)
    matrix_view(pair_view(config, result), key=HOME.name)
    st.markdown(verdict_lines(result.verdicts))
    for sentence in link.note_unused(control.taken | settings.taken, HOME.name):
        st.warning(sentence)

st.subheader("Where to go")
with st.grid("auto", min_column_width=260):
    for page in PAGES:
        with st.container(border=True, height="stretch"):
            st.page_link(page.file, label=f"**{page.title}**", icon=page.icon)
            st.markdown(page.claim)
    with st.container(border=True, height="stretch"):
        st.page_link(LEDGER.file, label=f"**{LEDGER.title}**", icon=LEDGER.icon)
        st.markdown(f"{LEDGER.claim} {ledger().score() or 'Not checked yet: run it and see.'}")
