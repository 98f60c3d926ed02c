"""Notices about what a link or a browser asked for in vain: each is shown once, in a box beside the page."""

from pages._shared.core.visitor_state import visit_state


def add(sentence: str) -> None:
    """Show ``sentence`` once."""
    visit_state().notices.append(sentence)


def pop() -> list[str]:
    """Take the notices that are still to be shown."""
    visit = visit_state()
    sentences, visit.notices = visit.notices, []
    return sentences
