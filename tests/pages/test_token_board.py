"""What the token board takes from a browser, and what it answers to everything else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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


@given(st.permutations(range(64)))
def test_every_lawful_order_is_taken(order: list[int]) -> None:
    assert read_order(order, 64) == tuple(order)
