"""A picture on its page: the one that the controls move, or the one that is pinned beside it and moves nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pages._shared.components.matrix_view import matrix_view
from pages._shared.page.state import ExperimentState
from attention_core.figures.matrix import MatrixView


@dataclass(frozen=True, slots=True)
class Picture:
    """Where a page draws a picture, and all that a press on it can set.

    Attributes:
        page: The page.
        live: Whether it shows the page as it is set, and is no pinned one.
    """

    page: ExperimentState
    live: bool = True

    @property
    def key(self) -> str:
        """The key of its component, or the start of several."""
        return self.page.spec.name if self.live else f"{self.page.spec.name}_pinned"

    def setter(self, name: str) -> Callable[[Any], None] | None:
        """For the callback of a component that holds a setting: sets it; None where pinned, or a lesson fixes it."""
        keep = self.setters(name)
        return keep and (lambda value: keep(**{name: value}))

    def setters(self, *names: str) -> Callable[..., None] | None:
        """The same for several, each by its name; None where a lesson fixes one of them.

        What is given is checked like a link's: it raises ``ConfigError`` for what is not possible.
        """
        settings = self.page.settings
        if not self.live or not settings.fixed().keys().isdisjoint(names):
            return None

        def keep(**moved: Any) -> None:
            for name, value in moved.items():
                settings.declared[name].check(name, value)
            settings.set(**moved)
            self.page.on_result()

        return keep

    def sweep(
        self, drawn: MatrixView, step: int, name: str, values: Sequence[Any] | None = None, *, replay: bool = False,
        **cells: Any,
    ) -> None:  # fmt: skip
        """Draw a picture whose slider sets a setting to its step, or of ``values`` the one at its step.

        A pinned picture, and one whose setting a lesson fixes, shows its step alone.

        Args:
            drawn: What is shown.
            step: Where its slider stands.
            name: The setting.
            values: The setting's value at each step.
            replay: Whether the slider first walks there by itself, where nobody has seen it yet.
            cells: Which cell is chosen, and what choosing one does: see ``matrix_view``.
        """
        keep = self.setter(name)
        if keep is None:
            matrix_view(drawn.at(step), key=self.key, **cells)
        else:
            matrix_view(
                drawn, key=self.key, step=step, on_step=lambda to: keep(values[to] if values else to), replay=replay,
                **cells,
            )  # fmt: skip
