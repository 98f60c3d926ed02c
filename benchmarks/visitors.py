"""Visitors who walk through all pages and change what is there, over Streamlit's own protocol."""

import random
from itertools import count

from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages._shared.core.pages import LEDGER, PAGES
from tests.load.client import Run, Session, Widget

MOVES_ON_A_PAGE = 4
SENTENCES = ("the cat sat on a mat", "to be or not to be", "one two three four five six seven", "a rose is a rose")
# What takes seconds and shows its progress (measuring times, checking claims, training), and what there is no reason
# to change.
LEFT_ALONE = ("complexity_measure", "complexity_seconds", "_claims_", "_faq_", "learning_", "device")
NEVER_WALKED = 1_000  # ways from here on are nobody's but one visitor's


class Visitor:
    """One who goes from page to page and changes what is there.

    Args:
        url: Address of the server.
        walk: With which page he begins, and how his dice fall. On a way of his own he moves sliders where there are.
    """

    def __init__(self, url: str, walk: int) -> None:
        self.session, self.dice = Session(url), random.Random(walk)
        self.run = self.session.visit("")
        pages = sorted(self.session.pages) or [""]
        self.pages = (pages[i % len(pages)] for i in count(walk))
        self.page, self.left, self.own = "", 0, walk >= NEVER_WALKED

    def act(self) -> Run:
        """Turn to the next page, or change something on this one."""
        widgets = self.run.widgets
        if self.own and any(move(widget, self.dice) for widget in widgets if widget.kind == "slider"):
            widgets = [widget for widget in widgets if widget.kind == "slider"]
        moves = [state for widget in widgets if (state := move(widget, self.dice))]
        if self.left and moves:
            self.left -= 1
            self.run = self.session.change([self.dice.choice(moves)])
        else:
            self.left = MOVES_ON_A_PAGE
            self.page = next(self.pages)
            self.run = self.session.visit(self.page)
        return self.run


def move(widget: Widget, dice: random.Random) -> WidgetState | None:
    """A value that a visitor could choose; None for what he leaves alone."""
    proto, key = widget.proto, widget.key
    if key.startswith(LEFT_ALONE):
        return None
    match widget.kind:
        case "slider":
            steps = round((proto.max - proto.min) / proto.step)
            return widget.state([proto.min + proto.step * dice.randint(0, steps)])
        case "selectbox":
            return widget.state(dice.choice(proto.options))
        case "button_group":
            return widget.state([dice.choice(proto.options).content])
        case "checkbox":
            return widget.state(dice.random() < 0.5)
        case "expandable":
            return widget.state(True)
        case "text_input" if not key.startswith("_"):
            return widget.state(dice.choice(SENTENCES))
        case "tab_container":
            tabs = [page.title for page in PAGES] if key == f"{LEDGER.name}_tab" else ("Why", "Code", "Data", "Share")
            return widget.state(dice.choice(tabs))
    return None
