"""A board whose settings come from the link, and what the server holds beside it."""

import json

import streamlit as st

from pages._shared.components.token_board import Order, token_board

given = st.query_params
words = tuple(json.loads(given.get("tokens", '["the", "cat", "sat", "on", "the", "mat"]')))
held = st.session_state
held.setdefault("tokens", words)
held.setdefault("order", tuple(range(len(words))))
held.setdefault("moves", 0)
held.setdefault("again", 0)


def moved(order: Order) -> None:
    held.moves += 1
    if not held.get("refuse"):
        held.order = order


def begin_anew() -> None:
    """All is as when the page was opened."""
    again = held.again + 1
    held.clear()
    held.again, held.refuse, held.hide = again, False, False


def put_back() -> None:
    held.tokens, held.order = words, tuple(range(len(words)))


def shorten() -> None:
    held.tokens, held.order = held.tokens[:-1], tuple(range(len(held.tokens) - 1))


st.set_page_config(layout="wide")
if not held.get("hide"):
    token_board(
        held.tokens,
        held.order,
        key=f"board {held.again}",
        role=given.get("role", "query"),
        label="Queries",
        hover_group="demo",
        on_change=moved,
        locked=given.get("locked", "no") == "yes",
    )
st.text(json.dumps({"moves": held.moves, "tokens": held.tokens, "order": held.order}))
st.button("Put back", on_click=put_back)
st.button("One word less", on_click=shorten)
st.button("Begin anew", on_click=begin_anew)
st.markdown(f"begun {held.again}")
st.toggle("Refuse every move", key="refuse")
st.toggle("Hide the board", key="hide")
if given.get("second"):
    token_board(
        held.tokens, held.order, key=f"second {held.again}", role=given["second"], label="Second", hover_group="demo"
    )
if given.get("long"):
    st.container(height=1500)
