"""What the token board takes from a browser, and what it answers to everything else."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages._shared.components.token_board import BoardMove, read_move

TOKENS = ("the", "cat", "sat")


def sent(order: object = (2, 0, 1), tokens: object = TOKENS) -> dict[str, object]:
    """A move as JSON brings it: lists, no tuples."""
    return json.loads(json.dumps({"order": order, "tokens": tokens}))


def test_a_new_order_is_a_move():
    assert read_move(sent(), TOKENS) == BoardMove(tokens=TOKENS, order=(2, 0, 1))


def test_tokens_may_change_in_number_and_text():
    move = read_move(sent([3, 0, 1, 2], ["a", "<b>", "👩‍👩‍👧", "مرحبا"]), TOKENS)
    assert move == BoardMove(tokens=("a", "<b>", "👩‍👩‍👧", "مرحبا"), order=(3, 0, 1, 2))


@pytest.mark.parametrize(
    ("value", "field", "allowed"),
    [
        (None, "move = None", "an object with exactly an order and tokens is allowed"),
        ("[0, 1, 2]", "move = ", "an object with exactly an order and tokens"),
        ([0, 1, 2], "move = ", "an object with exactly an order and tokens"),
        ({}, "move = {}", "an object with exactly an order and tokens"),
        ({"order": [0]}, "move = ", "an object with exactly an order and tokens"),
        ({**sent(), "more": 1}, "move = ", "an object with exactly an order and tokens"),
        (sent(tokens="the"), "tokens = 'the'", "a list of words is allowed"),
        (sent(tokens={"the": 1}), "tokens = ", "a list of words is allowed"),
        (sent(tokens=["the", 1, "sat"]), "tokens = ", "a tuple of words is allowed"),
        (sent([], []), "tokens = '0 tokens'", "1 to 64 tokens are allowed"),
        (sent([*range(65)], ["a"] * 65), "tokens = '65 tokens'", "1 to 64 tokens are allowed"),
        (sent([*range(3)], ["a", "", "b"]), "tokens = ", "every token needs at least one character"),
        (sent([0], ["a" * 513]), "tokens = '513 characters'", "at most 512 characters are allowed"),
        (sent([0, 1], ["a" * 256, "b" * 257]), "tokens = '513 characters'", "at most 512 characters are allowed"),
        (sent([0, 1]), "order = (0, 1)", "an order of 0 … 2, each once, is allowed"),
        (sent([0, 1, 1]), "order = (0, 1, 1)", "an order of 0 … 2, each once, is allowed"),
        (sent([0, 1, 3]), "order = (0, 1, 3)", "an order of 0 … 2, each once, is allowed"),
        (sent([1, 2, 3]), "order = (1, 2, 3)", "an order of 0 … 2, each once, is allowed"),
        (sent([-1, 0, 1]), "order = (-1, 0, 1)", "an order of 0 … 2, each once, is allowed"),
        (sent([False, True], ["a", "b"]), "order = (False, True)", "an order of 0 … 1, each once, is allowed"),
        (sent([0.0, 1.0, 2.0]), "order = (0.0, 1.0, 2.0)", "an order of 0 … 2, each once, is allowed"),
        (sent([[0], 1, 2]), "order = ", "an order of 0 … 2, each once, is allowed"),
        (sent("012"), "order = '012'", "an order of 0 … 2, each once, is allowed"),
        (sent(None), "order = None", "an order of 0 … 2, each once, is allowed"),
    ],
)
def test_anything_else_gets_a_sentence(value, field, allowed):
    sentence = read_move(value, TOKENS)
    assert isinstance(sentence, str)
    assert sentence.startswith(field)
    assert allowed in sentence
    assert len(sentence) < 200


@pytest.mark.parametrize(
    "character",
    ["\0", "\n", "\t", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ud800", "\u202a", "\u202e", "\u2066", "\u2069"],
    ids=ascii,
)
def test_control_characters_are_refused_and_not_repeated(character):
    sentence = read_move(sent([0, 1], ["ok", f"a{character}b"]), TOKENS)
    assert isinstance(sentence, str)
    assert "control characters are not allowed in a token" in sentence
    assert character not in sentence


@pytest.mark.parametrize("token", ["👩‍👩‍👧‍👦", "\u200fשלום", "e\u0301", " ", "\u00a0", "`$:red[x]%{z}"], ids=ascii)
def test_joiners_marks_and_spaces_are_text(token):
    assert read_move(sent([0], [token]), TOKENS) == BoardMove(tokens=(token,), order=(0,))


def test_limits_are_reached_exactly():
    assert isinstance(read_move(sent([*range(64)], ["a" * 8] * 64), TOKENS), BoardMove)
    assert isinstance(read_move(sent([0], ["🎉" * 512]), TOKENS), BoardMove)


def test_where_only_the_order_may_change_the_tokens_are_those_on_the_board():
    assert isinstance(read_move(sent(), TOKENS, editable=False), BoardMove)
    sentence = read_move(sent([0, 1, 2], ["the", "dog", "sat"]), TOKENS, editable=False)
    assert isinstance(sentence, str)
    assert "only the order may change here" in sentence


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["order", "tokens", "serial"]) | st.text(), inner)
    ),
    max_leaves=20,
)
ALMOST = st.fixed_dictionaries(
    {
        "order": st.lists(st.integers(-1, 4) | st.booleans() | st.floats() | st.none(), max_size=5) | JSON,
        "tokens": st.lists(st.text(max_size=3) | st.integers(), max_size=5) | JSON,
    }
)


@given(JSON | ALMOST)
@example({"order": [float("nan")], "tokens": ["a"]})
@example({"order": [0], "tokens": [["a"]]})
def test_whatever_arrives_is_a_lawful_move_or_a_sentence(value):
    move = read_move(value, TOKENS)
    if isinstance(move, str):
        assert move.endswith(".")
        return
    assert [*move.tokens] == value["tokens"]
    assert [*move.order] == value["order"]
    assert 1 <= len(move.tokens) <= 64
    assert all(move.tokens)
    assert sum(map(len, move.tokens)) <= 512
    assert sorted(move.order) == [*range(len(move.tokens))]
    assert {type(index) for index in move.order} == {int}


@given(st.data(), st.lists(st.text("abcé🎉", min_size=1, max_size=8), min_size=1, max_size=64))
def test_every_lawful_move_is_taken(data, tokens):
    order = data.draw(st.permutations(range(len(tokens))))
    assert read_move(sent(order, tokens), TOKENS) == BoardMove(tokens=tuple(tokens), order=tuple(order))
