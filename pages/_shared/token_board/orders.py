"""Orders made by hand on a token board: how the link holds them, and what a move does to a page's controls."""

import re
from collections.abc import Callable
from typing import Final

import streamlit as st

from pages._shared.controls import Controls
from pages._shared.token_board import BoardMove, BoardRole, token_board
from attention_core.experiments.config import MAX_CHARACTERS, check_permutation
from attention_core.experiments.permutation import ShuffleConfig

Order = tuple[int, ...]
Keep = Callable[[Order], None] | None

_SPELLED: Final = re.compile(r"[0-9]{1,4}(-[0-9]{1,4})*")


def order_control(control: Controls, name: str, label: str, default: Order) -> tuple[Order, Keep]:
    """An order as a control: ``2-0-1`` in the link, moved by a board.

    An order that does not fit the number of tokens, because they changed or the link says so, gives way to
    ``default``.

    Args:
        control: The page's controls.
        name: Name of the control.
        label: What it is called where its value is told in words.
        default: The order to begin with; its length is the number of tokens.

    Returns:
        The order, and what sets it in callbacks; None in a lesson that fixes it.
    """

    def decode(text: str) -> Order:
        if not _SPELLED.fullmatch(text):
            raise ValueError(f"{name} is numbers with hyphens between them")
        order = tuple(map(int, text.split("-")))
        check_permutation(name, order, len(default))
        return order

    return control.component(name, label, default, decode, lambda order: "-".join(map(str, order)))


def as_sentence(tokens: tuple[str, ...]) -> str:
    """Tokens as a text that is split at white space into as many tokens; white space inside one becomes ``_``."""
    return " ".join("_".join(token.split()) or "_" for token in tokens)


def order_boards(
    control: Controls, config: ShuffleConfig, keeps: tuple[Keep, Keep], *, key: str, sentences: tuple[str, str]
) -> None:
    """The boards of a shuffle: one where all tokens of a sentence move, else one of queries and one of keys.

    Args:
        control: The page's controls.
        config: The shuffle. A side that it does not move is shown and locked.
        keeps: Set the order of the queries (or of all tokens), and that of the keys; None where it is locked.
        key: Start of the boards' keys, and the name of the group whose rows and columns their chips light.
        sentences: Names of the controls that hold the tokens and the second sentence.
    """
    here_q, here_k = (tuple(range(len(tokens))) for tokens in (config.tokens, config.keys))
    order_q, order_k = config.query_order or here_q, config.key_order or here_k
    if not config.context and order_q == order_k and config.query_order:
        _board(control, sentences[0], keeps[0], config.tokens, order_q, f"{key}_board", "both", "Tokens", key)
        return
    left, right = st.columns(2)
    with left:
        keep = keeps[0] if config.query_order else None
        _board(control, sentences[0], keep, config.tokens, order_q, f"{key}_queries", "query", "Queries", key)
    with right:
        keep, sentence = keeps[1] if config.key_order else None, sentences[1 if config.context else 0]
        _board(control, sentence, keep, config.keys, order_k, f"{key}_keys", "key", "Keys and values", key)


def _board(
    control: Controls, sentence: str, keep: Keep, tokens: tuple[str, ...], order: Order, key: str, role: BoardRole,
    label: str, hover_group: str,
) -> None:  # fmt: skip
    def moved(move: BoardMove) -> None:
        text = as_sentence(move.tokens)
        if len(text) > MAX_CHARACTERS:
            st.session_state[f"{key}_refused"] = (
                f"A sentence has at most {MAX_CHARACTERS} characters, with its spaces."
            )
            return
        if keep is not None:
            keep(move.order)
        if move.tokens != tuple(control.values[control.key(sentence)].split()):
            control.change({sentence: text})

    token_board(
        tokens,
        order,
        key=key,
        role=role,
        label=label,
        hover_group=hover_group,
        on_change=moved,
        editable=not control.is_fixed(sentence),
        locked=keep is None,
    )
