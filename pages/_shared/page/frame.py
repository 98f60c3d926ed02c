"""One run of a page for one visitor: its containers, and what is drawn anew when something is moved.

A page's presets, its controls in sight, its drawer and what it answers are fragments. A move draws those anew that
show something else than is now set: the answers always, the presets where one is lit or goes out, and the controls
where a preset has changed one of them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

from pages._shared.components.matrix_view import HEIGHT_PX, Cell, last_position, matrix_view
from pages._shared.compute.progress import compute
from pages._shared.core.compat import Redrawable
from pages._shared.core.visitor_state import visit_state
from pages._shared.page.controls import Controls, FragmentControls
from pages._shared.page.page import Look, Page
from pages._shared.page.run_state import RunState, run_state
from pages._shared.session import address
from pages._shared.session.settings import error_message, shared
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.matrix import MatrixView
from attention_core.figures.plot import Figure
from attention_core.figures.sheet import Shown
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig


class Frame:
    """The containers of a page, made for each run and filled by its fragments.

    Attributes:
        page: The page.
        controls: Its controls above the picture and in the drawer.
        picture_controls: Those that stand with the picture.
        above: Where the question stands, and the grade.
        figure: Where the picture stands.
        caption: Where a page says in words what its picture shows: below it, above what was found.
        below: Where stands what else is drawn, below the verdicts.
        tabs: Where the tabs stand.
        arrived: Whether nothing of it has been drawn since the visitor came from another page.
        is_whole: Whether all its containers have been filled once.
        positions: Where each picture stands, by its key: the step of its slider, and the chosen cell.
        curves_shown: What stands below the verdicts, as it goes into files; None where nothing does.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.arrived, self.is_whole = address.arrived(), False
        self.presets_key, self.answers_key = page.session_key("presets"), page.session_key("answers")
        self.break_key, self.drawer_key = page.session_key("breaks"), page.session_key("drawer")
        self.controls = FragmentControls(page.settings, self.on_control, self.validation_error)
        self.picture_controls = Controls(page.settings, self.on_picture, self.validation_error)
        self.positions: dict[str, tuple[int | None, Cell | None]] = {}
        self.curves_shown: Shown | None = None
        self._looked: tuple[dict[str, Any], Look | ConfigError] | None = None
        self.above: Any
        self.figure: Any
        self.caption: Any
        self.below: Any
        self.tabs: Any

    # ---- what is shown ----

    @property
    def look(self) -> Look | ConfigError:
        """The page at its current settings; made once for each move."""
        settings = self.page.settings.as_dict() | shared().for_group(RunConfig)
        if self._looked is None or self._looked[0] != settings:
            self._looked = settings, self.page.look_at(settings)
        return self._looked[1]

    def look_after(self, settings: Mapping[str, Any]) -> Look | ConfigError:
        """The page with these settings and all others at their defaults, as ``set_all`` would leave it."""
        return self.page.look_at(self.page.settings.after(settings) | shared().for_group(RunConfig))

    @property
    def state(self) -> RunState:
        """The page's state from one run to the next."""
        return run_state(self.page)

    def validation_error(self) -> tuple[str, str]:
        """The setting that is not possible, and a sentence that says why; empty where all are possible."""
        error = self.look
        if not isinstance(error, ConfigError):
            return "", ""
        who = address.source_name("")
        sentence = error_message(error, self.page.settings)
        sentence = _("{who}: {sentence}", who=who, sentence=sentence) if who else sentence
        if self.state.good:
            sentence = _("{sentence} The last good picture is kept.", sentence=sentence)
        return error.field, sentence

    @property
    def is_broken(self) -> bool:
        """Whether the switch that makes the page's first claim fail is on."""
        values, breaks = self.page.settings.as_dict(), self.page.breaks
        return breaks is not None and all(values[name] == value for name, value in breaks.settings.items())

    @property
    def mode(self) -> Literal["light", "dark"]:
        """The theme's mode, for what cannot ask the browser."""
        return "dark" if st.context.theme.type == "dark" else "light"

    # ---- what is drawn anew ----

    def on_control(self) -> None:
        """After a move of a control or a preset: update the link, and draw anew what the move changes."""
        self._follow()

    def on_picture(self) -> None:
        """After a move in the picture: the same; the picture is drawn by its own run."""
        self._follow(self.answers_key)

    def on_pin(self) -> None:
        """After the picture was pinned or unpinned: draw it anew, and the presets, where the button stands."""
        self.page.write_link()
        self._draw_anew([self.presets_key, self.answers_key])

    def on_drawer(self) -> None:
        """After the drawer was opened or closed: tell what is wrong where it can be read now."""
        if self.validation_error()[0]:
            self._draw_anew([self.drawer_key, self.answers_key])

    def _follow(self, running: str = "") -> None:
        """Update the link, and draw anew what a move changes.

        Args:
            running: The fragment whose run calls this, where that draws it anew unless more is asked for.
        """
        page = self.page
        page.write_link()
        lit = page.settings.matching(preset.wanted for preset in page.presets)
        none = lit is None and self.state.lit is None
        due = [] if none else [self.presets_key]  # with its line
        if self.state.is_broken != self.is_broken:
            due.append(self.break_key)
        self._draw_anew([*due, *self.controls.stale_fragments(), self.answers_key], running)

    def _draw_anew(self, due: list[str], running: str = "") -> None:
        """Rerun some fragments; the whole page if its last run was cut off, for then one may be missing."""
        if visit_state().complete != self.page.spec.name:
            st.rerun()
        if due != [running]:
            st.rerun(due)

    # ---- what a page draws below its picture ----

    def in_sight(self, function: Callable[[Any], Any], config: Any, draw: Callable[[Any], None]) -> None:
        """Draw the result of a long experiment, and each of its steps until then.

        Args:
            function: ``steps_x``.
            config: Its config.
            draw: From a step or the result to the picture, one component under one key.
        """
        picture = Redrawable()

        def redraw(result: Any) -> None:
            with picture.redrawn():
                draw(result)

        with self.caption:
            redraw(compute(function, config, redraw))

    def curves(self, view: MatrixView, *, title: str = "", height: int = HEIGHT_PX) -> None:
        """Draw curves or bars below the verdicts."""
        with self.below:
            if title:
                st.markdown(f"**{set_markdown(title)}**")
            self._draw_curves(view, height, title)

    def curves_in_sight(
        self, function: Callable[[Any], Any], config: Any, view: Callable[[Any], MatrixView], *, height: int
    ) -> None:
        """Draw the result of a long experiment below the verdicts, and each of its steps until then."""
        with self.below:
            self.in_sight(function, config, lambda result: self._draw_curves(view(result), height))

    def _draw_curves(self, view: MatrixView, height: int, title: str = "") -> None:
        matrix_view(view, key=f"{self.page.spec.name}_curves", height=height)
        step, cell = last_position()
        self.curves_shown = Shown(view, step or 0, cell, title)

    def plot(self, figure: Figure, *, alt: str) -> None:
        """Draw below the verdicts what only Plotly can: measured times with their errors, a figure in space."""
        with self.below:
            only_png = {"modeBarButtons": [["toImage"]], "displaylogo": False, "scrollZoom": False}
            key = f"_{self.page.spec.name}_plot"
            st.plotly_chart(figure, theme=None, key=key, config=only_png, alt=alt)
