"""A page that fails: a sentence and a way back for the visitor, one traceback for the log, and no word too many."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import streamlit as st

from pages._shared import run, shell
from attention_core.experiments import permutation
from tests.pages.conftest import Open

SECRET = "what a visitor typed"


@pytest.fixture
def log() -> Iterator[list[str]]:
    """What the app writes to the server's log."""
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("attention").addHandler(handler)
    yield lines
    logging.getLogger("attention").removeHandler(handler)


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Permutation page's experiment fails with rotary positions."""
    works = permutation.run_shuffle

    def run_shuffle(config: Any) -> Any:
        if config.positions == "rotary":
            raise ZeroDivisionError(SECRET)
        return works(config)

    monkeypatch.setattr(permutation, "run_shuffle", run_shuffle)


def test_a_failing_page_says_a_sentence_offers_a_way_back_and_logs_once(
    open_page: Open, breaking: None, log: list[str]
) -> None:
    at = open_page("permutation", permutation_positions="rotary")
    assert not at.exception
    assert [error.value.split(",")[0] for error in at.error] == ["Something in this page went wrong"]
    assert at.title[0].value == "Permutation", "what was drawn before stays"
    assert SECRET not in str(at)
    assert "Traceback" not in str(at)
    assert [button.label for button in at.button if button.label == "Reset this page"]
    assert [link.proto.label for link in at.get("page_link")][:1] == ["Home"]
    failures = [line for line in log if "Traceback" in line]
    assert len(failures) == 1
    assert failures[0].startswith("ZeroDivisionError on permutation\n")
    assert "in run_shuffle" in failures[0]
    assert SECRET not in "\n".join(log)


def test_reset_this_page_sets_it_back_and_the_page_is_whole_again(open_page: Open, breaking: None) -> None:
    at = open_page("permutation", permutation_positions="rotary", permutation_keys_alone="true", seed="3")
    next(button for button in at.button if button.label == "Reset this page").click().run()
    assert not at.error
    assert at.main.get("bidi_component")
    assert at.get_by_key("permutation_positions").value == "none"
    assert not [key for key in at.query_params if key.startswith("permutation_")]
    assert at.get_by_key("seed").value == 3, "what all pages share is not this page's"


def test_a_page_that_fails_before_its_first_control_can_be_reset(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        if st.query_params.get("permutation_positions"):
            raise RuntimeError

    monkeypatch.setattr(shell, "draw_lesson_banner", fails)
    at = open_page("permutation", permutation_positions="rotary")
    assert len(at.error) == 1
    next(button for button in at.button if button.label == "Reset this page").click().run()
    assert not at.error
    assert at.get_by_key("permutation_positions").value == "none"


@pytest.mark.parametrize("leave", [st.stop, st.rerun], ids=["stop", "rerun"])
def test_leaving_a_run_is_no_failure(
    leave: Callable[[], None], open_page: Open, monkeypatch: pytest.MonkeyPatch, log: list[str]
) -> None:
    works, left = run.Runner.run, []

    def leaves_once(*args: Any) -> Any:
        if not left:
            left.append(leave)
            leave()
        return works(*args)

    monkeypatch.setattr(run.Runner, "run", leaves_once)
    at = open_page("permutation")
    assert left
    assert not at.error
    assert not [line for line in log if "Traceback" in line]
    assert bool(at.main.get("bidi_component")) == (leave is st.rerun), (
        "a stopped run draws no more, a repeated one does"
    )


def test_sessions_and_refused_inputs_are_logged_without_what_was_typed(open_page: Open, log: list[str]) -> None:
    open_page("permutation", permutation_positions=SECRET, permutation_nonsense=SECRET, lesson=SECRET)
    assert log.count("session starts on permutation") == 1
    assert "refused on permutation: permutation_positions in the link" in log
    assert "refused on permutation: an unknown setting in the link" in log
    assert "refused on permutation: a lesson that cannot be read" in log
    log.clear()
    at = open_page("permutation")
    at.get_by_key("permutation_tokens").set_value(" ".join(["w"] * 65)).run()
    assert log == ["session starts on permutation"] * (len(log) - 1) + [
        "refused on permutation: settings that are not possible"
    ]


def test_an_error_of_a_callback_is_logged_without_its_text(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    at = open_page("permutation")
    monkeypatch.setattr("pages._shared.controls.Controls.apply", fail)
    next(button for button in at.button if button.label == "Reset").click().run()
    assert "ZeroDivisionError" in caplog.text
    assert "in fail" in caplog.text
    assert SECRET not in caplog.text
