"""Orders made by hand on token boards, and what a move does to a page's settings."""

import streamlit as st

from pages._shared.components.token_board import BoardRole, token_board
from pages._shared.page.picture import Picture
from attention_core.language import gettext as _
from attention_core.studies.permutation import ShuffleConfig


def order_boards(at: Picture, config: ShuffleConfig) -> None:
    """The boards of a shuffle: one where all tokens of a sentence move, else one of queries and one of keys.

    They set ``order`` and ``key_order`` of the page.

    Args:
        at: The picture that they stand above, and whose rows and columns their chips light.
        config: The shuffle. A side that it does not move is shown and locked.
    """
    here_q, here_k = (tuple(range(len(tokens))) for tokens in (config.tokens, config.keys))
    order_q, order_k = config.query_order or here_q, config.key_order or here_k

    def board(role: BoardRole, label: str, setting: str, *, moves: bool) -> None:
        tokens, now = (config.keys, order_k) if role == "key" else (config.tokens, order_q)
        keep = at.setter(setting) if moves else None
        token_board(
            tokens, now, key=f"{at.key}_{'keys' if role == 'key' else 'board'}", role=role, label=label,
            hover_group=at.key, on_change=keep, locked=keep is None,
        )  # fmt: skip

    together = not config.context and order_q == order_k and bool(config.query_order)
    # The first board stays what it is when a second comes: a new one would be drawn later than the picture below it.
    with st.container(horizontal=True, key="boards"):
        with st.container():
            if together:
                board("both", _("Tokens"), "order", moves=True)
            else:
                board("query", _("Queries"), "order", moves=bool(config.query_order))
        if together:
            st.empty()  # in the second one's place at once: else it leaves as the run ends, after the picture
        else:
            moving = (None if config.query_order else "board_alone") if config.key_order else "board_still"
            with st.container(key=moving):
                own = "key_order" if config.context else "order"
                board("key", _("Keys and values"), own, moves=bool(config.key_order))
