"""The token board: chips that a person reorders by hand.

The board is controlled: every run it shows ``tokens`` in ``order``. One completed move (a drop, a key, a toolbar
button) sends one order; ``on_change`` gets it once it has been checked, and what the caller then passes is what the
board shows next. A caller that does not take a move over undoes it by passing the old order again.

Between components the board speaks through the document event ``attention:hover`` with the detail
``{group, role: "query" | "key", index}``: one event for each role, ``index`` the current position or null at leave.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal

import streamlit as st

from pages._shared.components.loader import COLOURS, component
from attention_core.measuring.checks import ConfigError, check_permutation, check_tokens

BoardRole = Literal["query", "key", "both"]
Order = tuple[int, ...]

_board: Final = component("token_board/board.js")


def read_order(value: object, length: int) -> Order | str:
    """Check an order that the browser sent; a sentence says why it is none."""
    order = tuple(value) if isinstance(value, list) else value
    try:
        check_permutation("order", order, length)
    except ConfigError as refusal:
        return str(refusal)
    assert isinstance(order, tuple)
    return order


def token_board(
    tokens: tuple[str, ...], order: Order, *, key: str, role: BoardRole, label: str, hover_group: str,
    on_change: Callable[[Order], None] | None = None, locked: bool = False, invites: Order = (),
) -> None:  # fmt: skip
    """Show ``tokens`` in ``order`` as chips and call ``on_change`` with every completed, checked move.

    Args:
        tokens: The tokens in their original order, each shown as the text it is.
        order: ``order[position]`` is the index in ``tokens`` of the token shown at ``position``.
        key: The component's key; ``{key}_refused`` in session state holds the sentence about a refused message.
        role: Colours the chips and says whose row or column a chip stands for; ``both`` in self-attention.
        label: What the chips are, above them.
        hover_group: Name that the board shares with the pictures whose rows and columns its chips light.
        on_change: Gets the order before the next run, so it may assign session state, bound keys too.
        locked: Draws the chips as plain values; what the browser sends all the same is ignored.
        invites: An order that the chips take by themselves, once, soon after they are first seen as written: so that
            it is seen that they move. Nothing happens where motion is unwanted, or a hand is faster. Empty for none.

    Raises:
        ConfigError: If ``tokens`` or ``order`` are not possible.
    """
    check_tokens("tokens", tokens)
    check_permutation("order", order, len(tokens))
    if invites:
        check_permutation("invites", invites, len(tokens))
    serial, _ = _unpack(st.session_state.get(key))
    _board(
        key=key,
        data={
            "tokens": list(tokens),
            "order": list(order),
            "role": role,
            "label": label,
            "group": hover_group,
            "locked": locked,
            "invites": list(invites),
            "answered": serial,
            "refused": st.session_state.get(f"{key}_refused", ""),
            "colours": COLOURS,
        },
        on_sent_change=lambda: None if locked else _moved(key, len(tokens), on_change),
    )


def _moved(key: str, length: int, on_change: Callable[[Order], None] | None) -> None:
    """Pass a valid move on; keep the sentence about an invalid one."""
    _, value = _unpack(st.session_state.get(key))
    order = read_order(value, length)
    st.session_state[f"{key}_refused"] = order if isinstance(order, str) else ""
    if on_change and not isinstance(order, str):
        on_change(order)


def _unpack(state: object) -> tuple[int, object]:
    """The number of the last message and the order in it.

    The browser numbers its moves so that it can tell an answer to an earlier move from the answer to its last, and
    so that the same move made twice is two messages.
    """
    sent = state.get("sent") if isinstance(state, Mapping) else None
    if not isinstance(sent, dict):
        return 0, None
    serial = sent.get("serial")
    return serial if type(serial) is int else 0, sent.get("order")
