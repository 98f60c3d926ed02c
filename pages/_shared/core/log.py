"""The server's log: a line when a session starts, an input is refused or a page fails; never what a visitor typed."""

import logging
import traceback
from types import TracebackType

from streamlit.logger import get_logger

from pages._shared.core.compat import filter_failures
from pages._shared.core.visitor_state import visit_state

_LOG = get_logger("attention")
_FAILED = "%s on %s\nTraceback (most recent call last):\n%s"


def started(page: str) -> None:
    """Log that a session starts."""
    _LOG.info("session starts on %s", page)


def refused(page: str, what: str) -> None:
    """Log that an input was refused, and something else is used instead."""
    _LOG.warning("refused on %s: %s", page, what)


def computing(where: str) -> None:
    """Log where long computations take place from now on."""
    _LOG.info("long computations: %s", where)


def failed(page: str, error: Exception) -> None:
    """Log a failure that a visitor is told of.

    Args:
        page: Name of the page.
        error: What was raised; its text may quote a visitor and is left out.
    """
    _LOG.error(_FAILED, type(error).__name__, page, _frames(error.__traceback__))


def _frames(where: TracebackType | None) -> str:
    return "".join(traceback.format_tb(where))


def _without_text(record: logging.LogRecord) -> bool:
    """Reduce a failure that Streamlit logs to its type, page and place; its text may quote a visitor."""
    kind, _, where = record.exc_info or (None, None, None)
    if kind is not None:
        record.msg = _FAILED
        record.args = (kind.__name__, visit_state().page or "no page", _frames(where))
        record.exc_info = record.exc_text = None
    return True


filter_failures(_without_text)
