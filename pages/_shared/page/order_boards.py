"""Token boards on a page: a chip that is moved sets the order of queries or keys."""

import streamlit as st

from pages._shared.components.token_board import BoardRole, token_board
from pages._shared.page.picture import Picture
from attention_core.language import gettext as _
from attention_core.studies.permutation import ShuffleConfig


def order_boards(at: Picture, config: ShuffleConfig) -> None:
    """Draw the boards of a shuffle: one if queries and keys move together, else one for each.

    They set ``order`` and ``key_order`` of the page.

    Args:
        at: The picture that they stand above, and whose rows and columns their chips light.
        config: The shuffle. A side that it does not move is shown and locked.
    """
    as_written_q, as_written_k = (tuple(range(len(tokens))) for tokens in (config.tokens, config.keys))
    order_q, order_k = config.query_order or as_written_q, config.key_order or as_written_k

    def board(role: BoardRole, label: str, setting: str, *, moves: bool) -> None:
        tokens, order = (config.keys, order_k) if role == "key" else (config.tokens, order_q)
        put = at.setter(setting) if moves else None
        token_board(
            tokens, order, key=f"{at.key}_{'keys' if role == 'key' else 'board'}", role=role, label=label,
            hover_group=at.key, on_change=put, locked=put is None,
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
                setting = "key_order" if config.context else "order"
                board("key", _("Keys and values"), setting, moves=bool(config.key_order))
