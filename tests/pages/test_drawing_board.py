"""What the drawing board takes from a browser, and what it answers to everything else."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pages._shared.components import drawing_board
from attention_core.measuring.settings import declared
from attention_core.studies.images import ImagesConfig

PIXELS = declared(ImagesConfig)["pixels"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
@example("0" * 255)
@example("0" * 257)
@example("g" * 256)
@example("F" * 256)
@example("0" * 256 + "\n")
def test_whatever_arrives_that_is_no_picture_is_refused_in_a_sentence(value: object) -> None:
    state: dict[str, Any] = {"board": {"sent": {"serial": 1, "pixels": value}}}
    taken: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing_board.st, "session_state", state)
        drawing_board._drawn("board", PIXELS, taken.append)
    assert not taken
    assert "256 digits from 0 to f, one for each pixel, are allowed." in state["board_refused"]
    assert len(state["board_refused"]) < 200


def test_a_refusal_is_said_until_a_picture_comes_which_alone_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr(drawing_board.st, "session_state", state)
    taken: list[str] = []
    for sent, is_refused in (("1", True), ("0f" * 128, False), (None, True)):
        state["board"] = {"sent": {"serial": 1, "pixels": sent}}
        drawing_board._drawn("board", PIXELS, taken.append)
        assert bool(state["board_refused"]) == is_refused
    assert taken == ["0f" * 128]


def test_a_locked_board_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"board": {"sent": {"serial": 1, "pixels": "0" * 256}}}
    monkeypatch.setattr(drawing_board.st, "session_state", state)
    drawing_board._drawn("board", PIXELS, None)
    assert "board_refused" not in state


@pytest.mark.parametrize(
    ("state", "unpacked"),
    [
        (None, (0, None)), ({"sent": None}, (0, None)), ({"sent": []}, (0, None)), ("sent", (0, None)),
        ({"sent": {"serial": True, "pixels": "0"}}, (0, "0")), ({"sent": {"serial": 3}}, (3, None)),
        ({"sent": {"serial": "3", "pixels": "0"}}, (0, "0")),
    ],
)  # fmt: skip
def test_a_forged_message_has_no_number_or_no_picture(state: object, unpacked: tuple[int, object]) -> None:
    assert drawing_board._unpack(state) == unpacked
