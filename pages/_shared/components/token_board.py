"""The token board: chips that a person reorders, edits, adds and removes by hand.

The board is controlled: every run it shows ``tokens`` in ``order``. One completed move (a drop, a key, a toolbar
button, an edited token) sends one value; ``on_change`` gets it as a ``BoardMove`` once it has been checked, and what
the caller then passes is what the board shows next. A caller that does not take a move over undoes it by passing the
old values again.

Between components the board speaks through the document event ``attention:hover`` with the detail
``{group, role: "query" | "key", index}``: one event for each role, ``index`` the current position or null at leave.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import streamlit as st

from pages._shared.components.loader import COLOURS, component
from attention_core.experiments.checks import MAX_CHARACTERS, MAX_TOKENS, ConfigError, check_permutation, check_tokens

BoardRole = Literal["query", "key", "both"]

_board: Final = component("token_board/token_board.js")


@dataclass(frozen=True, slots=True)
class BoardMove:
    """What one completed move makes of the board.

    Attributes:
        tokens: The tokens in their original order; an added token is the last.
        order: ``order[position]`` is the index in ``tokens`` of the token now at ``position``.
    """

    tokens: tuple[str, ...]
    order: tuple[int, ...]


def read_move(value: object, tokens: tuple[str, ...], *, editable: bool = True) -> BoardMove | str:
    """Check what the browser sent: a move, or the sentence that says why it is none.

    Args:
        value: What arrived, of any type.
        tokens: The tokens on the board.
        editable: Whether the tokens may differ from those on the board.
    """
    try:
        if not isinstance(value, dict) or set(value) != {"order", "tokens"}:
            raise ConfigError("move", value, "an object with exactly an order and tokens is allowed")
        moved = value["tokens"]
        if not isinstance(moved, list):
            raise ConfigError("tokens", moved, "a list of words is allowed")
        move = BoardMove(tuple(moved), _as_tuple(value["order"]))
        check_tokens("tokens", move.tokens)
        if not editable and move.tokens != tokens:
            raise ConfigError("tokens", moved, "only the order may change here")
        check_permutation("order", move.order, len(move.tokens))
    except ConfigError as refusal:
        return str(refusal)
    return move


def token_board(
    tokens: tuple[str, ...],
    order: tuple[int, ...],
    *,
    key: str,
    role: BoardRole,
    label: str,
    hover_group: str,
    on_change: Callable[[BoardMove], None] | None = None,
    editable: bool = True,
    locked: bool = False,
) -> None:
    """Show ``tokens`` in ``order`` as chips and call ``on_change`` with every completed, checked move.

    Args:
        tokens: The tokens in their original order, each shown as the text it is.
        order: ``order[position]`` is the index in ``tokens`` of the token shown at ``position``.
        key: The component's key; ``{key}_refused`` in session state holds the sentence about a refused message.
        role: Colours the chips and says whose row or column a chip stands for; ``both`` in self-attention.
        label: What the chips are, above them.
        hover_group: Name that the board shares with the pictures whose rows and columns its chips light.
        on_change: Gets the move before the next run, so it may assign session state, bound keys too.
        editable: Whether tokens may be typed, added and removed as well as reordered.
        locked: Draws the chips as plain values; what the browser sends all the same is ignored.

    Raises:
        ConfigError: If ``tokens`` or ``order`` are not possible.
    """
    check_tokens("tokens", tokens)
    check_permutation("order", order, len(tokens))
    serial, _ = _unpack(st.session_state.get(key))
    _board(
        key=key,
        data={
            "tokens": list(tokens),
            "order": list(order),
            "role": role,
            "label": label,
            "group": hover_group,
            "editable": editable and not locked,
            "locked": locked,
            "answered": serial,
            "refused": st.session_state.get(f"{key}_refused", ""),
            "most": {"tokens": MAX_TOKENS, "characters": MAX_CHARACTERS},
            "colours": COLOURS,
        },
        on_sent_change=partial(_moved, key, tokens, on_change, editable, locked),
    )


def _moved(
    key: str,
    tokens: tuple[str, ...],
    on_change: Callable[[BoardMove], None] | None,
    editable: bool,
    locked: bool,
) -> None:
    """Hand a good move on; remember the sentence about a bad one. Locked boards take neither."""
    if locked:
        return
    _, value = _unpack(st.session_state.get(key))
    move = read_move(value, tokens, editable=editable)
    st.session_state[f"{key}_refused"] = move if isinstance(move, str) else ""
    if on_change and isinstance(move, BoardMove):
        on_change(move)


def _unpack(state: object) -> tuple[int, object]:
    """The number of the last message and the move in it.

    The browser numbers its moves so that it can tell an answer to an earlier move from the answer to its last, and
    so that the same move made twice is two messages.
    """
    sent = state.get("sent") if isinstance(state, Mapping) else None
    if not isinstance(sent, dict):
        return 0, None
    serial = sent.get("serial")
    return serial if type(serial) is int else 0, sent.get("move")


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
