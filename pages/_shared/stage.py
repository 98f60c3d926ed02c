"""What of a page is drawn anew when something is moved.

A page has two fragments: the stage, with presets, question and controls, and in it the answers. A control stands in
the stage, so that its run may draw all of it; but most moves change only what is answered, and ask for that alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages._shared import link
from pages._shared.content import Preset
from pages._shared.registry import COMPLETE, PageSpec
from pages._shared.sheet import Sheet
from pages._shared.values import run_settings
from pages._shared.words import refusal
from attention_core.experiments.checks import ConfigError


class Stage(Sheet, ABC):
    """A sheet with a stage and answers.

    Args:
        spec: The page's entry in the registry.
        groups: Dataclasses whose declared fields are its settings.
        presets: Its named settings: one is lit in the stage.
    """

    def __init__(self, spec: PageSpec, *groups: type, presets: tuple[Preset, ...]) -> None:
        super().__init__(spec, *groups)
        self.presets = presets
        self.stage_key, self.answers_key = f"{spec.name}_stage", f"{spec.name}_answers"

    @abstractmethod
    def made(self, values: Mapping[str, Any], run: dict[str, Any]) -> tuple[Any, Any]:
        """Config and view of settings; raises ``ConfigError`` where they are not possible together."""

    def refused(self) -> tuple[str, str]:
        """Which setting is not possible as all are set, and a sentence that says so; empty where all are possible."""
        try:
            self.made(self.values.now(), run_settings())
        except ConfigError as error:
            who, good = link.teller(""), st.session_state.get(self.private("good"))
            kept = " The last good picture is kept." if good else ""
            return error.field, (f"{who}: " if who else "") + refusal(error, self.values) + kept
        return "", ""

    def moved(self) -> None:
        """Called once a control of the stage has been moved. Its run draws all of the stage, unless less will do."""
        self._follow(self.stage_key)

    def setter(self, name: str) -> Callable[[Any], None] | None:
        """For the callback of a component that holds a setting: sets it; None where a lesson fixes it.

        Args:
            name: The setting.
        """
        return None if self.values.is_fixed(name) else lambda value: self.put(**{name: value})

    def put(self, **moved: Any) -> None:
        """Set some settings, for callbacks of the answers; raises ``ConfigError`` for what is not possible."""
        for name, value in moved.items():
            self.values.settings[name].check(name, value)
        self.values.put(**moved)
        self.answered()

    def answered(self) -> None:
        """Called once something in the answers has been moved. Their run draws them, unless more is to be drawn."""
        self._follow(self.answers_key)

    def _follow(self, running: str) -> None:
        """Have the link follow, and drawn anew what a move changes; all of the page where its last run was cut off.

        The stage stays as it is where no preset is lit or goes out and the same is said beside the boxes for words.

        Args:
            running: The fragment whose run calls this, and draws it anew unless another is asked for.
        """
        state = st.session_state
        lit = self.values.which(preset.settings for preset in self.presets), state.get(self.private("preset"))
        stays = lit == (None, None) and self.refused() == state.get(self.private("refused"))
        self.write_link()
        due = self.answers_key if stays else self.stage_key
        if state.get(COMPLETE) != self.spec.name:
            st.rerun()
        elif due != running:
            st.rerun(due)
