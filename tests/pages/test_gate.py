"""Runs take turns; whoever only waits lets others have theirs, and nobody keeps one that he has left."""

import threading
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from pages._shared import main
from pages._shared.compute.gate import gate
from pages._shared.compute.progress import compute
from pages._shared.compute.runner import Runner
from pages._shared.page import presets
from pages._shared.page.controls import Controls
from pages._shared.session.page_state import PageState
from tests.pages.conftest import open_page
from tests.processes import PATIENCE_S

GATE = gate()


def started(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def is_free() -> bool:
    """Whether a run that came now would get its turn at once."""
    free = GATE._next.acquire(blocking=False)
    if free:
        GATE._next.release()
    return free


def another_gets_a_turn() -> bool:
    """Whether a run that comes now gets its turn; it keeps it for no time."""
    got = threading.Event()

    def come() -> None:
        with GATE.hold():
            got.set()

    started(come)
    return got.wait(PATIENCE_S)


def test_one_at_a_time_and_the_next_when_it_is_done() -> None:
    with GATE.hold():
        assert not is_free()
    assert another_gets_a_turn()


def test_an_error_ends_the_turn() -> None:
    def fail() -> None:
        with GATE.hold():
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        fail()
    assert another_gets_a_turn()


def test_who_only_waits_lets_others_in_and_is_alone_again_afterwards() -> None:
    with GATE.hold():
        with GATE.release(), GATE.release():  # what is released once is not released again
            assert another_gets_a_turn()
        assert not is_free()
    assert another_gets_a_turn()
    with GATE.hold():
        assert not is_free()


def test_who_has_no_turn_gives_none_up() -> None:
    with GATE.release():
        assert another_gets_a_turn()
    with GATE.hold():
        assert not is_free()
    assert another_gets_a_turn()


def test_waiting_for_a_result_is_only_waiting() -> None:
    others = []

    def run(config: str) -> str:
        others.append(another_gets_a_turn())
        return config.upper()

    with GATE.hold():
        assert compute(run, "a") == "A"
        assert others == [True]
        assert not is_free()
    assert another_gets_a_turn()


class Watched(threading.Event):
    """Tells when somebody begins to wait for it, and keeps whether it came in time."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.came = threading.Event(), []

    def wait(self, timeout: float | None = None) -> bool:
        self.begun.set()
        self.came.append(super().wait(timeout))
        return self.came[-1]


def test_a_computation_lets_a_run_pass_but_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    free, passed = Watched(), threading.Event()
    free.set()
    monkeypatch.setattr(GATE, "_free", free)
    with GATE.hold():
        GATE.yield_to_pages(0.01)
        assert free.came == [False], "its time was over before the turn was"
        free.begun.clear()
        started(lambda: (GATE.yield_to_pages(PATIENCE_S), passed.set()))
        assert free.begun.wait(PATIENCE_S)
        assert not free.is_set()
        with GATE.release():
            assert passed.wait(PATIENCE_S)
    assert free.came == [False, True], "the turn was over before its time was"


def test_what_a_page_waits_for_passes_too_and_two_such_are_not_taken_for_one() -> None:
    assert GATE._free.is_set()
    with GATE.hurry():
        with GATE.hurry():
            assert not GATE._free.is_set()
        with GATE.hold():
            pass
        assert not GATE._free.is_set(), "another is still computing"
    assert GATE._free.is_set()
    seen: list[bool] = []
    assert Runner().run(lambda _: seen.append(GATE._free.is_set()) or "done", None) == "done"
    assert seen == [False]


def test_presets_controls_and_callbacks_take_turns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a fragment's run nothing above them has the turn; here the whole run leaves it to them."""
    seen: dict[str, set[bool]] = {}

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            seen.setdefault(name, set()).add(not is_free())
            return function(*given)

        return call

    at = open_page("masks", masks_answer="skipped")
    monkeypatch.setattr(main, "gate", lambda: SimpleNamespace(hold=nullcontext))
    for owner, name in ((Controls, "_draw"), (presets, "_draw_presets"), (PageState, "write_link")):
        monkeypatch.setattr(owner, name, noted(name, getattr(owner, name)))
    monkeypatch.setattr(PageState, "take_link", lambda _: None)
    at.pills(key="_masks_preset").set_value(1).run()
    assert not at.exception
    assert seen == {"_draw": {True}, "_draw_presets": {True}, "write_link": {True}}
