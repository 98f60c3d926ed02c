"""The server's log: a line when a session starts, an input is refused or a page fails; never what a visitor typed."""

import logging
import traceback

from streamlit.logger import get_logger

_LOG = get_logger("attention")


def without_text(record: logging.LogRecord) -> bool:
    """Keep of a logged exception its type and its place, and drop its text, which may quote a visitor.

    Args:
        record: What is about to be logged.
    """
    kind, _, where = record.exc_info or (None, None, None)
    if kind is not None:
        frames = "".join(traceback.format_tb(where))
        record.msg, record.args = "%s\nTraceback (most recent call last):\n%s", (kind.__name__, frames)
        record.exc_info = record.exc_text = None
    return True


# What a callback raises never reaches the page that runs after it: Streamlit logs it by itself.
get_logger("streamlit.error_util").addFilter(without_text)


def started(page: str) -> None:
    """A session starts.

    Args:
        page: Name of the page it opens.
    """
    _LOG.info("session starts on %s", page)


def refused(page: str, what: str) -> None:
    """An input is not possible, and something else is used in its place.

    Args:
        page: Name of the page.
        what: What was refused, in the app's own words.
    """
    _LOG.warning("refused on %s: %s", page, what)


def failed(page: str, error: BaseException) -> None:
    """A page failed. The traceback says where, without the exception's text, which may quote a visitor.

    Args:
        page: Name of the page.
        error: What nobody caught.
    """
    where = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("%s on %s\nTraceback (most recent call last):\n%s", type(error).__name__, page, where)
