"""Runs take turns; whoever only waits lets others have theirs, and nobody keeps one that he has left."""

import threading
from collections.abc import Callable

import pytest

from pages._shared.process import process
from pages._shared.waiting import result_of

TURNS = process().turns
PATIENCE_S = 10
SOON_S = 0.2


def started(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def another_gets_a_turn(patience: float = PATIENCE_S) -> bool:
    """Whether a run that comes now gets its turn before ``patience`` is over; it keeps it for no time."""
    got = threading.Event()

    def come() -> None:
        with TURNS.held():
            got.set()

    started(come)
    return got.wait(patience)


def test_one_at_a_time_and_the_next_when_it_is_done() -> None:
    with TURNS.held():
        assert not another_gets_a_turn(SOON_S)
    assert another_gets_a_turn()


def test_an_error_ends_the_turn() -> None:
    def fail() -> None:
        with TURNS.held():
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        fail()
    assert another_gets_a_turn()


def test_who_only_waits_lets_others_in_and_is_alone_again_afterwards() -> None:
    with TURNS.held():
        with TURNS.released(), TURNS.released():  # what is released once is not released again
            assert another_gets_a_turn()
        assert not another_gets_a_turn(SOON_S)
    assert another_gets_a_turn()
    with TURNS.held():
        assert not another_gets_a_turn(SOON_S)


def test_who_has_no_turn_gives_none_up() -> None:
    with TURNS.released():
        assert another_gets_a_turn()
    with TURNS.held():
        assert not another_gets_a_turn(SOON_S)
    assert another_gets_a_turn()


def test_waiting_for_a_result_is_only_waiting() -> None:
    others = []

    def compute(config: str) -> str:
        others.append(another_gets_a_turn())
        return config.upper()

    with TURNS.held():
        assert result_of(compute, "a") == "A"
        assert others == [True]
        assert not another_gets_a_turn(SOON_S)
    assert another_gets_a_turn()


def test_a_computation_lets_a_run_pass_but_does_not_wait_for_ever() -> None:
    passed = threading.Event()
    with TURNS.held():
        TURNS.let_pass(0.01)
        started(lambda: (TURNS.let_pass(PATIENCE_S), passed.set()))
        assert not passed.wait(SOON_S)
        with TURNS.released():
            assert passed.wait(PATIENCE_S)
