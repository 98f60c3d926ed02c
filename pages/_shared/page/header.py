"""What the words mean: one small popover on every page."""

from typing import Final

import streamlit as st

WORDS: Final = {
    ":blue[Query]": "what a token asks: the vector W_Q x, compared with every key.",
    ":orange[Key]": "what a token is found by: the vector W_K x.",
    ":green[Value]": "what a token gives to those who look at it: the vector W_V x.",
    "Score": "the product q·k of a query and a key, as a rule divided by √d_head.",
    "Weight": "the share a query takes of a value: softmax of its scores. A query's weights add up to 1.",
    "Head": "one of several attentions side by side, each with queries, keys and values of d_head numbers.",
    "Equivariance": "shuffle what goes in, and what comes out is shuffled in the same way. "
    "*Invariance*: it does not change at all.",
    "Saturation": "one weight of a softmax is nearly 1 and the others nearly 0: small changes of scores do nothing.",
    "Rounding": "what a computer's numbers lose: in float64 about 1e-16 of each, in float16 about 1e-3.",
}


def draw_glossary() -> None:
    """Draw the popover."""
    with st.popover("Glossary", icon=":material/menu_book:", type="tertiary", help="What the words mean"):
        st.markdown("  \n".join(f"**{word}**: {meaning}" for word, meaning in WORDS.items()))


def draw_title(title: str) -> None:
    """Draw the title of a page that is no experiment, and the popover beside it."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title"):
        st.title(title, anchor=False, width="content")
        draw_glossary()
