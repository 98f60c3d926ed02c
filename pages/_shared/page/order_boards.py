"""Orders made by hand on token boards, and what a move does to a page's settings."""

from typing import Final

import streamlit as st

from pages._shared.components.token_board import BoardMove, BoardRole, token_board
from pages._shared.page.state import ExperimentState
from attention_core.experiments.checks import MAX_CHARACTERS
from attention_core.experiments.permutation import ShuffleConfig

LONG: Final = f"A sentence has at most {MAX_CHARACTERS} characters, with its spaces."


def as_words(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens that a text split at white space has: white space inside one becomes ``_``."""
    return tuple("_".join(token.split()) or "_" for token in tokens)


def order_boards(page: ExperimentState, config: ShuffleConfig, *, key: str) -> None:
    """The boards of a shuffle: one where all tokens of a sentence move, else one of queries and one of keys.

    They set ``order`` and ``key_order``, ``tokens`` and ``context`` of the page.

    Args:
        page: The page.
        config: The shuffle. A side that it does not move is shown and locked.
        key: Start of the boards' keys, and the name of the group whose rows and columns their chips light.
    """
    here_q, here_k = (tuple(range(len(tokens))) for tokens in (config.tokens, config.keys))
    order_q, order_k = config.query_order or here_q, config.key_order or here_k

    def board(role: BoardRole, label: str, name: str, sentence: str, *, moves: bool) -> None:
        tokens, now = (config.keys, order_k) if role == "key" else (config.tokens, order_q)
        _board(
            page, tokens, now, name, sentence, key=f"{key}_{'keys' if role == 'key' else 'board'}", role=role,
            label=label, group=key, locked=not moves,
        )  # fmt: skip

    together = not config.context and order_q == order_k and bool(config.query_order)
    # The first board stays what it is when a second comes: a new one would be drawn later than the picture below it.
    with st.container(horizontal=True, key="boards"):
        with st.container():
            if together:
                board("both", "Tokens", "order", "tokens", moves=True)
            else:
                board("query", "Queries", "order", "tokens", moves=bool(config.query_order))
        if not together:
            own = ("key_order", "context") if config.context else ("order", "tokens")
            moving = (None if config.query_order else "board_alone") if config.key_order else "board_still"
            with st.container(key=moving):
                board("key", "Keys and values", *own, moves=bool(config.key_order))


def _board(
    page: ExperimentState, tokens: tuple[str, ...], order: tuple[int, ...], name: str, sentence: str, *, key: str,
    role: BoardRole, label: str, group: str, locked: bool,
) -> None:  # fmt: skip
    def moved(move: BoardMove) -> None:
        words = as_words(move.tokens)
        if len(" ".join(words)) > MAX_CHARACTERS:
            st.session_state[f"{key}_refused"] = LONG
        elif move.tokens == tokens:
            page.set(**{name: move.order})
        else:
            page.settings.set(**{name: move.order, sentence: words})
            page.on_result()

    token_board(
        tokens,
        order,
        key=key,
        role=role,
        label=label,
        hover_group=group,
        on_change=moved,
        editable=not page.settings.is_fixed(sentence),
        locked=locked or page.settings.is_fixed(name),
    )
