"""A page's state from one run to the next, beside its settings."""

from dataclasses import dataclass, field
from typing import Any

from pages._shared.core.visitor_state import of_session
from pages._shared.page.page import Look
from pages._shared.session.page_state import PageState


@dataclass(slots=True)
class RunState:
    """The state of one page.

    Attributes:
        good: The last look that was possible; None if there was none yet.
        shown: The last one that was drawn whole.
        before: The one that was drawn whole before; None at first, and after a preset.
        just_chosen: Whether a preset or an answer, and no control, sets what is drawn next.
        chosen: The preset that was chosen last; None if none was.
        lit: The preset that is lit; None if none is.
        is_broken: Whether the switch beside the picture says that it mends.
        mended: What the settings were before that switch has changed them, by name.
    """

    good: Look | None = None
    shown: Look | None = None
    before: Look | None = None
    just_chosen: bool = False
    chosen: int | None = None
    lit: int | None = None
    is_broken: bool = False
    mended: dict[str, Any] = field(default_factory=dict)


def run_state(page: PageState) -> RunState:
    """The session's state of a page."""
    return of_session(page.session_key("run"), RunState)
