"""A page that fails: a sentence and a way back for the visitor, one traceback for the log, and no word too many."""

import logging
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import open_page
from tests.processes import PATIENCE_S

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


def test_a_failure_is_told_in_a_sentence_with_a_way_back() -> None:
    def page() -> None:
        import streamlit as st

        from pages._shared.main import navigate
        from pages._shared.server import on_script_error

        navigate()
        st.text(on_script_error(ZeroDivisionError("what a visitor typed")))

    at = AppTest.from_function(page, default_timeout=PATIENCE_S).run()
    assert at.text[0].value == "True", "Streamlit shows nothing of its own then"
    assert [error.value.split(",")[0] for error in at.error] == ["Something in this page went wrong"]
    assert [link.proto.label for link in at.get("page_link")] == ["Home"]
    assert SECRET not in str(at)


def test_what_a_page_raises_is_logged_once_with_type_and_place_and_without_its_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr("pages.permutation.compute", fails)
    open_page("permutation")
    assert caplog.text.count("ZeroDivisionError on permutation") == caplog.text.count("Traceback") == 1
    assert "in fails" in caplog.text
    assert SECRET not in caplog.text


def test_sessions_and_refused_inputs_are_logged_without_what_was_typed(log: list[str]) -> None:
    open_page("permutation", permutation_positions=SECRET, permutation_nonsense=SECRET, course=SECRET)
    assert log.count("session starts on permutation") == 1
    assert "refused on permutation: permutation_positions in the link" in log
    assert "refused on permutation: an unknown setting in the link" in log
    assert "refused on permutation: a part of a course" in log
    log.clear()
    at = open_page("permutation")
    at.get_by_key("permutation_tokens").set_value(" ".join(["w"] * 65)).run()
    assert log == ["session starts on permutation"] * (len(log) - 1) + [
        "refused on permutation: settings that are not possible"
    ]
