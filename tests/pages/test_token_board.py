"""What the token board takes from a browser, and what it answers to everything else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages._shared.components.token_board import read_order


def test_a_new_order_is_a_move():
    assert read_order([2, 0, 1], 3) == (2, 0, 1)


@pytest.mark.parametrize(
    ("value", "given"),
    [
        (None, "None"),
        ("012", "'012'"),
        ({"0": 0}, "{'0': 0}"),
        ([], "()"),
        ([0, 1], "(0, 1)"),
        ([0, 1, 1], "(0, 1, 1)"),
        ([0, 1, 3], "(0, 1, 3)"),
        ([1, 2, 3], "(1, 2, 3)"),
        ([-1, 0, 1], "(-1, 0, 1)"),
        ([False, True, 2], "(False, True, 2)"),
        ([0.0, 1.0, 2.0], "(0.0, 1.0, 2.0)"),
        ([[0], 1, 2], "([0], 1, 2)"),
        ([*range(65)], "(0, 1, 2"),
    ],
)
def test_anything_else_gets_a_sentence(value, given):
    sentence = read_order(value, 3)
    assert isinstance(sentence, str)
    assert sentence.startswith(f"order = {given}")
    assert "an order of 0 … 2, each once, is allowed" in sentence
    assert len(sentence) < 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ALMOST = st.lists(st.integers(-1, 4) | st.booleans() | st.floats() | st.none(), max_size=5)


@given(JSON | ALMOST, st.integers(1, 5))
@example([float("nan")], 1)
def test_whatever_arrives_is_a_lawful_order_or_a_sentence(value, length):
    order = read_order(value, length)
    if isinstance(order, str):
        assert order.endswith(".")
        return
    assert [*order] == value
    assert sorted(order) == [*range(length)]
    assert {type(index) for index in order} == {int}


@given(st.permutations(range(64)))
def test_every_lawful_order_is_taken(order):
    assert read_order(order, 64) == tuple(order)
