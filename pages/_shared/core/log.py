"""The server's log: a line when a session starts, an input is refused or a page fails; never what a visitor typed."""

import logging
import traceback
from types import TracebackType

import streamlit as st
from streamlit.logger import get_logger

from pages._shared.core.compat import filter_failures
from pages._shared.core.session_keys import PAGE

_LOG = get_logger("attention")
_FAILED = "%s on %s\nTraceback (most recent call last):\n%s"


def started(page: str) -> None:
    """A session starts."""
    _LOG.info("session starts on %s", page)


def refused(page: str, what: str) -> None:
    """An input is not possible, and something else is used in its place."""
    _LOG.warning("refused on %s: %s", page, what)


def computing(where: str) -> None:
    """Long computations take place somewhere else from now on."""
    _LOG.info("long computations: %s", where)


def failed(page: str, error: Exception) -> None:
    """Something failed, and what stands in its place says so.

    Args:
        page: Name of the page.
        error: What was raised; its text may quote a visitor and is left out.
    """
    _LOG.error(_FAILED, type(error).__name__, page, _frames(error.__traceback__))


def _frames(where: TracebackType | None) -> str:
    return "".join(traceback.format_tb(where))


def _without_text(record: logging.LogRecord) -> bool:
    """Make of a failure that Streamlit logs its type, its page and its place; its text may quote a visitor."""
    kind, _, where = record.exc_info or (None, None, None)
    if kind is not None:
        record.msg = _FAILED
        record.args = (kind.__name__, st.session_state.get(PAGE, "no page"), _frames(where))
        record.exc_info = record.exc_text = None
    return True


filter_failures(_without_text)
