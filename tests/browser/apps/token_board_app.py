"""One or two boards whose settings come from the link, and what the server holds beside them."""

import json
import time

import streamlit as st

from pages._shared.token_board import BoardMove, token_board

given = st.query_params
words = tuple(json.loads(given.get("tokens", '["the", "cat", "sat", "on", "the", "mat"]')))
held = st.session_state
held.setdefault("tokens", words)
held.setdefault("order", tuple(range(len(words))))
held.setdefault("moves", 0)


def moved(move: BoardMove) -> None:
    held.moves += 1
    if not held.get("refuse"):
        held.tokens, held.order = move.tokens, move.order


def put_back() -> None:
    held.tokens, held.order = words, tuple(range(len(words)))


st.set_page_config(layout="wide")
time.sleep(float(given.get("slow", 0)))
if not held.get("hide"):
    token_board(
        held.tokens,
        held.order,
        key="board",
        role=given.get("role", "query"),
        label="Queries",
        hover_group="demo",
        on_change=moved,
        editable=given.get("editable", "yes") == "yes",
        locked=given.get("locked", "no") == "yes",
    )
st.text(json.dumps({"moves": held.moves, "tokens": held.tokens, "order": held.order}))
st.button("Put back", on_click=put_back)
st.toggle("Refuse every move", key="refuse")
st.toggle("Hide the board", key="hide")
if given.get("second"):
    token_board(held.tokens, held.order, key="second", role=given["second"], label="Second", hover_group="demo")
if given.get("long"):
    st.container(height=1500)
