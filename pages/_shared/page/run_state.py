"""What a session keeps of a page from one run to the next, beside its settings and what the link holds."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages._shared.page.page import Look
from pages._shared.session.page_state import PageState


@dataclass(slots=True)
class RunState:
    """Of one page.

    Attributes:
        good: The last picture that was possible; None if there was none yet.
        shown: The last one that was answered whole.
        before: The one that was answered whole before this one; None at first, and where a preset has set all.
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
    """What this session keeps of a page."""
    return st.session_state.setdefault(page.session_key("run"), RunState())
