"""A picture on its page: the live one, or the pinned one beside it, on which nothing can be set."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared.components.matrix_view import matrix_view
from pages._shared.page.controls import Controls
from pages._shared.page.frame import Frame
from pages._shared.page.page import Look
from attention_core.figures.matrix import MatrixView


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a page, with the setters that a press on it may use.

    Attributes:
        frame: The page's.
        look: What it shows the page at.
        beside: The picture that stands beside it; None where it is alone.
        live: Whether it shows the page as it is set, and is no pinned one.
    """

    frame: Frame
    look: Look
    beside: Look | None = None
    live: bool = True

    @property
    def key(self) -> str:
        """The key of its component, or the prefix of several."""
        name = self.frame.page.spec.name
        return name if self.live else f"{name}_pinned"

    @property
    def shown(self) -> MatrixView:
        """The view to draw, on one scale with the picture beside it."""
        return self.look.picture.beside(self.beside.picture) if self.beside else self.look.picture

    @property
    def controls(self) -> Controls:
        """The controls that stand with it, where it is live."""
        return self.frame.picture_controls

    @property
    def caption(self) -> AbstractContextManager[Any]:
        """The container for words about it: below the picture, above the findings."""
        return self.frame.caption if self.live else st.container(key="pinned_words")

    def setter(self, name: str) -> Callable[[Any], None] | None:
        """A function that sets a setting, for a component's callback; None if pinned, or a lesson fixes it."""
        put = self.setters(name)
        return put and (lambda value: put(**{name: value}))

    def setters(self, *names: str) -> Callable[..., None] | None:
        """A function that sets several, each by its name; None if pinned, or a lesson fixes one of them.

        Values are checked like a link's: ``ConfigError`` for one that is not possible.
        """
        settings = self.frame.page.settings
        if not self.live or not settings.fixed().keys().isdisjoint(names):
            return None

        def put(**moved: Any) -> None:
            for name, value in moved.items():
                settings.declared[name].check(name, value)
            settings.set(**moved)
            self.frame.on_picture()

        return put

    def sweep(
        self, step: int, name: str, values: Sequence[Any] | None = None, *, replay: bool = False, **cells: Any
    ) -> None:
        """Draw it with a slider that sets a setting to its step, or of ``values`` to the one at its step.

        A pinned picture, and one whose setting a lesson fixes, shows its step alone.

        Args:
            step: Where its slider stands.
            name: The setting.
            values: The setting's value at each step.
            replay: Whether the slider first walks there by itself, where nobody has seen it yet.
            cells: Which cell is chosen, and what choosing one does: see ``matrix_view``.
        """
        put = self.setter(name)
        if put is None:
            matrix_view(self.shown.at(step), key=self.key, **cells)
        else:
            matrix_view(
                self.shown, key=self.key, step=step, on_step=lambda to: put(values[to] if values else to),
                replay=replay, **cells,
            )  # fmt: skip
