"""A live class is told the answer to a page's question, measured at the question's move, or why there is none."""

from collections.abc import Iterator
from contextlib import contextmanager

from pages._shared.classes.panel import is_to_measure, tell_answer, tell_unmeasured
from pages._shared.core.text import plain_text
from pages._shared.page.frame import Frame
from pages._shared.page.page import Page
from pages._shared.session.settings import error_message
from attention_core.language import LANGUAGES, using
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError


def tell_class(frame: Frame) -> None:
    """Tell the answer to a class that waits for it, whatever the page shows by now."""
    page = frame.page
    name = page.spec.name
    if not is_to_measure(name):
        return
    look = frame.look_after(page.predict.move)
    if isinstance(look, ConfigError):
        teacher = _("Not measured: {reason} Change that, and reveal the answer again.", reason=_reason(look, page))
        tell_unmeasured(name, teacher, {language: _for_student(look, page, language) for language in LANGUAGES})
    else:
        truth = page.predict.grade(look.results.main)
        tell_answer(name, None if truth is None else page.predict.options.index(truth))


def _reason(error: ConfigError, page: Page) -> str:
    return plain_text(error_message(error, page.settings))


def _for_student(error: ConfigError, page: Page, language: str) -> str:
    with using(language):
        return _("Not measured: {reason}", reason=_reason(error, page))


@contextmanager
def report_failure(page: Page) -> Iterator[None]:
    """If the block fails, tell a class that waits for the answer; the page then runs again, and fails in sight."""
    try:
        yield
    except Exception:
        tell_unmeasured(page.spec.name, _("Not measured: something went wrong, and the server has noted where."))
        raise
