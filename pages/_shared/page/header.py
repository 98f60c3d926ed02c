"""What stands at the head of every page: its title, what the words mean, and what a link asked for in vain."""

from collections.abc import Callable, Iterable
from typing import Final

import streamlit as st

WORDS: Final = {
    "Token": "a word or a piece of one: what a model reads, one after the other.",
    "Embedding": "the row of numbers that stands for a token.",
    ":blue[Query]": "what a token asks: the vector W_Q x, compared with every key.",
    ":orange[Key]": "what a token is found by: the vector W_K x.",
    ":green[Value]": "what a token gives to those who look at it: the vector W_V x.",
    "Projection": "a matrix that makes queries, keys or values of tokens: W_Q, W_K, W_V; W_O comes last.",
    "Score": "the product q·k of a query and a key, as a rule divided by √d_head.",
    "Softmax": "turns a row of scores into shares: e to the power of each, divided by the sum of all.",
    "Weight": "the share a query takes of a value: softmax of its scores. A query's weights add up to 1.",
    "Context": "what a query reads: the mean of the values, by its weights.",
    ":violet[Output]": "what attention hands on for each token: the contexts of all heads side by side, times W_O.",
    "Head": "one of several attentions side by side, each with queries, keys and values of d_head numbers.",
    "d_model, d_head": "how many numbers a token has, and how many of them a head works with.",
    "Self-attention": "queries, keys and values come from one sentence; in cross-attention keys and values are "
    "those of another.",
    "Mask": "what hides keys from queries: their weight is 0.",
    "Causal mask": "hides from each token all that come after it.",
    "Padding": "what fills short sentences up to the length of the longest; a mask has to hide it.",
    "Position": "tells a model where a token stands: added to it (sinusoidal, learned), turning queries and keys "
    "(rotary, RoPE), or lowering far scores (ALiBi).",
    "Bias": "a vector added after a projection: b_Q, b_K, b_V, b_O.",
    "Residual": "a layer's input added to what it makes, so that nothing is lost on the way.",
    "LayerNorm": "brings each token's numbers to mean 0 and one size; RMSNorm to one size alone.",
    "BatchNorm": "does the same along each feature, over all tokens of a batch.",
    "Feed-forward network": "two layers of neurons that treat every token alike and by itself.",
    "Block": "attention and a feed-forward network, each with a residual and a norm.",
    "Dropout": "in training, throws away some weights at random.",
    "Gradient": "how much a number would change the loss: what training follows. The *Jacobian* holds those of many "
    "numbers by many.",
    "Saturation": "one weight of a softmax is nearly 1 and the others nearly 0: small changes of scores do nothing.",
    "Equivariance": "shuffle what goes in, and what comes out is shuffled in the same way. "
    "*Invariance*: it does not change at all.",
    "Receptive field": "the inputs that can change a token's output.",
    "FLOPs": "floating-point operations: how much arithmetic something costs. A *fused kernel* (FlashAttention) "
    "does as much with less memory.",
    "Rounding": "what a computer's numbers lose: in float64 about 1e-16 of each, in float16 about 1e-3.",
}


def draw_glossary() -> None:
    """Draw the popover with what the words mean."""
    with st.popover("Glossary", icon=":material/menu_book:", type="tertiary"):
        st.markdown("  \n".join(f"**{word}**: {meaning}" for word, meaning in WORDS.items()))


def draw_notices(sentences: Iterable[str]) -> None:
    """Say what there is to say of a link, a line each: in a box that stays until it is closed, beside the page."""
    if said := "  \n".join(sentences):
        st.toast(said, icon=":material/link_off:", duration="infinite")


def draw_title(title: str, beside: Callable[[], None] = lambda: None) -> None:
    """Draw the title of a page that is no experiment, the popover beside it, and what else has its place there."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title"):
        st.title(title, anchor=False, width="content")
        draw_glossary()
        beside()
