"""What every page has, Home and Claims too: settings in the session and in the link."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

from pages._shared import link
from pages._shared.content import Preset
from pages._shared.registry import COMPLETE, PageSpec
from pages._shared.values import Around, Values, shared


class Sheet:
    """A page's settings.

    Args:
        spec: The page's entry in the registry.
        groups: Dataclasses whose declared fields are its settings.

    Attributes:
        values: What its settings stand at.
        around: What surrounds its picture stands at: the open tab.
    """

    def __init__(self, spec: PageSpec, *groups: type, around: type = Around) -> None:
        self.spec = spec
        self.values, self.around = Values(spec.name, *groups), Values(spec.name, around)
        self.strip_key, self.controls_key = f"{spec.name}_strip", f"{spec.name}_controls"
        self.answers_key = f"{spec.name}_answers"
        self._lit: Sequence[Preset] = ()

    def private(self, name: str) -> str:
        """The key in the session of something of this page that the link does not hold."""
        return f"_{self.spec.name}_{name}"

    def take_link(self, lit: Sequence[Preset] = ()) -> None:
        """Take in what the link holds for this page, as the page begins; then make the link hold what is.

        Args:
            lit: The presets of the page: where one of them goes on or off, their strip is drawn anew.
        """
        self._lit = lit
        self.values.take()
        self.around.take()
        link.name_unknown(self.spec.name)
        self.write_link()

    def parameters(self) -> dict[str, str]:
        """What the link of this page holds, but for the open tab."""
        return shared().parameters() | self.values.parameters()

    def write_link(self) -> None:
        """Make the link hold what is."""
        link.write(self.parameters() | self.around.parameters())

    def moved(self) -> None:
        """Called once a setting has been moved: the answers run again without the controls.

        The strip of presets is drawn anew where one is lit or goes out.
        """
        shown = st.session_state.get(self.private("preset"))
        lit = self.values.which(preset.settings for preset in self._lit)
        self.redraw(*([] if lit is None and shown is None else [self.strip_key]), self.answers_key)

    def redraw(self, *parts: str) -> None:
        """Have the link follow and parts of the page drawn anew, with what a run that was cut off still owes.

        For callbacks. Where the last whole run was cut off it is all of the page.
        """
        self.write_link()
        self.owe(*parts)
        due = [part for part in (self.strip_key, self.controls_key, self.answers_key) if part in self._due]
        with suppress(StreamlitAPIException):  # "app" is said too: a component of the answers asks for them
            st.rerun(due if st.session_state.get(COMPLETE) == self.spec.name else "app")

    def owe(self, *parts: str) -> None:
        """Have parts of the page drawn anew with the next that are."""
        self._due.update(parts)

    def done(self) -> None:
        """Called once the answers, which come last, have been drawn to their end: nothing is owed."""
        self._due.clear()

    @property
    def _due(self) -> set[str]:
        """Parts that were to be drawn anew, and that no run has drawn to their end."""
        return st.session_state.setdefault(self.private("due"), set())

    def setter(self, name: str) -> Callable[[Any], None] | None:
        """For the callback of a component that holds a setting: sets it; None where a lesson fixes it.

        Args:
            name: The setting.
        """
        return None if self.values.is_fixed(name) else lambda value: self.put(**{name: value})

    def put(self, **moved: Any) -> None:
        """Set some settings, for callbacks; raises ``ConfigError`` for what is not possible."""
        for name, value in moved.items():
            self.values.settings[name].check(name, value)
        self.values.put(**moved)
        self.moved()
