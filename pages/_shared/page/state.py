"""What of a page is drawn anew when something is moved.

A page's presets, each section of its controls and its answers are fragments. A move draws those anew that show
something else than is now set: the answers always, the presets where one is lit or goes out, and the sections whose
settings a preset has changed.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages._shared.core.pages import PageSpec
from pages._shared.core.session_keys import COMPLETE
from pages._shared.page.controls import FragmentControls
from pages._shared.page.declaration import Break, Look, Preset
from pages._shared.session import address
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import error_message, shared
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import declared


class ExperimentState(PageState, ABC):
    """A sheet with presets, controls and answers."""

    def __init__(
        self, spec: PageSpec, *groups: type, presets: tuple[Preset, ...], breaks: Break | None = None
    ) -> None:
        super().__init__(spec, *groups)
        self.presets, self.breaks = presets, breaks
        self._looked: tuple[dict[str, Any], Look | ConfigError] | None = None
        self.presets_key, self.answers_key = f"_{spec.name}_presets", f"_{spec.name}_answers"
        self.break_key = f"_{spec.name}_breaks"
        self.fragment_controls = FragmentControls(self.settings, self.on_control, self.validation_error)
        self.result_controls = self.fragment_controls.called(self.on_result)

    @property
    def is_broken(self) -> bool:
        """Whether the switch that makes the page's first claim fail is on."""
        now = self.settings.as_dict()
        return self.breaks is not None and all(now[name] == value for name, value in self.breaks.settings.items())

    @abstractmethod
    def look_at(self, settings: Mapping[str, Any]) -> Look | ConfigError:
        """The page at settings, by name and with precision, device and seed; or why they are not possible."""

    @property
    def look(self) -> Look | ConfigError:
        """The page as all is set; made once for each move."""
        settings = self.settings.as_dict() | shared().for_group(RunConfig)
        if self._looked is None or self._looked[0] != settings:
            self._looked = settings, self.look_at(settings)
        return self._looked[1]

    def look_after(self, settings: Mapping[str, Any]) -> Look | ConfigError:
        """The page as ``set_all`` would leave it: with these settings, and all others as they begin."""
        return self.look_at(self.settings.after(settings) | shared().for_group(RunConfig))

    def look_from(self, parameters: Mapping[str, str]) -> Look | ConfigError:
        """The page where a link leads; its precision and seed too, and this machine's own device.

        Raises:
            ValueError: If the link holds what no setting can be.
        """
        run = shared().read({name: text for name, text in parameters.items() if name not in address.PERSONAL})
        return self.look_at(self.settings.read(parameters) | {name: run[name] for name in declared(RunConfig)})

    def validation_error(self) -> tuple[str, str]:
        """Which setting is not possible as all are set, and a sentence that says so; empty where all are possible."""
        error = self.look
        if not isinstance(error, ConfigError):
            return "", ""
        who, good = address.source_name(""), st.session_state.get(self.session_key("good"))
        sentence = error_message(error, self.settings)
        sentence = _("{who}: {sentence}", who=who, sentence=sentence) if who else sentence
        return error.field, _("{sentence} The last good picture is kept.", sentence=sentence) if good else sentence

    def on_control(self) -> None:
        """Called once a control or a preset has been moved: has the link follow, and drawn anew what that changes."""
        self._follow()

    def on_result(self) -> None:
        """Called once something in the answers has been moved: the same, but their own run draws them."""
        self._follow(self.answers_key)

    def on_pin(self) -> None:
        """Called once the picture has been pinned, or let go of: the button that does it stands with the presets."""
        self.write_link()
        self._draw_anew([self.presets_key, self.answers_key])

    def _follow(self, running: str = "") -> None:
        """Have the link follow, and drawn anew what a move changes.

        Args:
            running: The fragment whose run calls this, where that draws it anew unless more is asked for.
        """
        self.write_link()
        lit = self.settings.matching(preset.wanted for preset in self.presets)
        none = lit is None and st.session_state.get(self.session_key("preset")) is None
        due = [] if none else [self.presets_key]  # with its line
        if st.session_state.get(self.session_key("broken"), self.is_broken) != self.is_broken:
            due.append(self.break_key)
        self._draw_anew([*due, *self.fragment_controls.stale_fragments(), self.answers_key], running)

    def _draw_anew(self, due: list[str], running: str = "") -> None:
        """Draw some fragments anew; all of the page where its last run was cut off, for then one may be missing."""
        if st.session_state.get(COMPLETE) != self.spec.name:
            st.rerun()
        if due != [running]:
            st.rerun(due)
