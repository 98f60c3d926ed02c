"""What the token board takes from a browser, and what it answers to everything else."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages._shared.components import token_board
from pages._shared.components.token_board import read_order

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ALMOST = st.lists(st.integers(-1, 4) | st.booleans() | st.floats() | st.none(), max_size=5)


@given(JSON | ALMOST, st.integers(1, 5))
@example([float("nan")], 1)
@example([False, True, 2], 3)
@example([0.0, 1.0], 2)
@example([[0], 1], 2)
@example({"0": 0}, 1)
@example("012", 3)
def test_whatever_arrives_is_a_lawful_order_or_a_sentence(value: object, length: int) -> None:
    order = read_order(value, length)
    if isinstance(order, str):
        assert order.endswith(".")
        assert f"an order of 0 … {length - 1}, each once, is allowed" in order
        assert len(order) < 200
        return
    assert [*order] == value
    assert sorted(order) == [*range(length)]
    assert {type(index) for index in order} == {int}


@pytest.mark.parametrize(
    ("value", "given"), [(None, "None"), ([], "()"), ([0, 1, 1], "(0, 1, 1)"), ([*range(65)], "(0, 1, 2")]
)
def test_the_sentence_says_what_was_given(value: object, given: str) -> None:
    assert read_order(value, 3).startswith(f"order = {given}")


def test_a_refusal_is_said_until_a_good_move_comes_which_alone_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(token_board.st, "session_state", state)
    taken: list[object] = []
    for sent, said in (([0, 0], "order = (0, 0)"), ([1, 0], ""), (None, "order = None")):
        state["board"] = {"sent": {"serial": 1, "order": sent}}
        token_board._moved("board", 2, taken.append)
        assert state["board_refused"].startswith(said)
        assert bool(state["board_refused"]) == bool(said)
    assert taken == [(1, 0)]


@pytest.mark.parametrize(
    ("state", "unpacked"),
    [
        ({"sent": {"serial": 3, "order": [0]}}, (3, [0])),
        ({"sent": {"serial": True, "order": [0]}}, (0, [0])),
        ({"sent": {"order": [0]}}, (0, [0])),
        ({"sent": [3]}, (0, None)),
        ({}, (0, None)),
        (None, (0, None)),
    ],
)
def test_a_message_is_its_number_and_an_order(state: object, unpacked: tuple[int, object]) -> None:
    assert token_board._unpack(state) == unpacked


@given(st.permutations(range(64)))
def test_every_lawful_order_is_taken(order: list[int]) -> None:
    assert read_order(order, 64) == tuple(order)
