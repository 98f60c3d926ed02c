"""Settings as widgets: the only way a page asks for a value. Each is declared beside its field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.core import log
from pages._shared.core.text import escape_markdown
from pages._shared.session import address, notices
from pages._shared.session.settings import Settings
from pages._shared.session.widget_keys import is_move, key_to_show, widget_key
from attention_core.figures.mathematics import set_markdown
from attention_core.language import gettext as _
from attention_core.language import sentences
from attention_core.measuring.checks import MAX_TYPED, ConfigError
from attention_core.measuring.config import Device
from attention_core.measuring.settings import (
    AUTO,
    AutoSwitch,
    Choice,
    OneOf,
    Real,
    Setting,
    Switch,
    Whole,
    Words,
)


class Controls:
    """Draws the widgets of settings: ``controls.show("num_keys", "scale")``.

    Args:
        settings: The page's settings.
        moved: Called once a setting has been moved.
        refused: Which setting is not possible, and a sentence that says so: below the box of words that were typed.
    """

    def __init__(
        self,
        settings: Settings,
        moved: Callable[[], None] = lambda: None,
        refused: Callable[[], tuple[str, str]] = lambda: ("", ""),
    ) -> None:
        self.settings = settings
        self._on_moved, self._refused = moved, refused

    def show(self, *names: str) -> None:
        """Draw these settings, one below the other; what a lesson fixes is drawn as text."""
        self._draw_each(*names)

    def _draw_each(self, *names: str) -> None:
        fixed, values = self.settings.fixed(), self.settings.as_dict()
        for name in names:
            if name not in fixed:
                self._draw(name, values)
            elif not self.settings.is_hidden(name):
                setting = self.settings.declared[name]
                st.markdown(
                    _("{label}: **{value}**", label=setting.label, value=escape_markdown(setting.say(values[name])))
                )

    def _draw(self, name: str, values: Mapping[str, Any]) -> None:
        setting, value = self.settings.declared[name], values[name]
        key = key_to_show(
            self.settings.key(name), _widget_value(setting, value, values), partial(_means_the_same, setting)
        )
        label = str(setting.label)
        options = {"key": key, "on_change": self._take, "args": (name, key), "help": _help(setting)}
        # What the session holds under the key is what counts; but a slider without a value of its own looks through
        # all of the session for one.
        match setting:
            case Whole(low=low, high=high, typed=True):
                st.number_input(label, low, high, step=1, **options)
            case Whole(low=low, high=high):
                st.slider(label, low, high, low, **options)
            case Real(low=low, high=high, step=step):
                st.slider(label, float(low), float(high), float(low), step=step, **options)
            case Device(options=options_here):
                st.selectbox(label, dict.fromkeys((*options_here, value)), format_func=setting.say, **options)
            case Choice(listed=True):
                st.selectbox(label, tuple(setting.options), format_func=setting.say, **options)
            case Choice():
                st.segmented_control(label, tuple(setting.options), format_func=setting.say, required=True, **options)
            case OneOf(values=allowed):
                st.selectbox(label, sorted({*allowed, value}), format_func=setting.say, **options)
            case Switch():
                st.toggle(label, **options)
            case Words():
                st.text_input(label, max_chars=MAX_TYPED, **options)
                if self.settings.was_cut(name):
                    st.caption(_("Without spaces each character is a word. Type spaces where words end."))
                field, sentence = self._refused()
                if field == name:
                    st.error(sentence)
            case _:
                raise TypeError(f"{name} is {type(setting).__name__}, which no widget asks for")

    def _take(self, name: str, key: str) -> None:
        """Take the value of a widget that was moved. A browser can send anything, so it is checked like a link's.

        Words are kept as typed, so that nobody loses them; the experiment says what is not possible.
        """
        if not is_move(self.settings.key(name), key):
            return
        setting, sent = self.settings.declared[name], st.session_state.get(key)
        try:
            value = received_value(name, setting, sent)
            self.settings.note_cut(name, sent if isinstance(sent, str) else "")
        except (ConfigError, TypeError, ValueError):
            if sent is not None:  # that a browser sends by itself which is taken on before it was told the value
                log.refused(self.settings.page or "all pages", f"a value of {name}")
                sentence = _("{label} cannot have the value that was sent; it stays as it was.", label=setting.label)
                notices.add(sentence)
            st.rerun()  # of the whole page, for the browser shows what it sent
        with gate().hold():
            self._set(name, value)
            self._on_moved()

    def _set(self, name: str, value: Any) -> None:
        """Set what was moved; a switch whose rule gives that value, or a new one, is automatic again."""
        before = self.settings.as_dict()
        after = before | {name: value}
        automatic = [
            other
            for other, setting in self.settings.declared.items()
            if isinstance(setting, AutoSwitch)
            and (
                value == setting.decided(before)
                if other == name
                else setting.decided(after) != setting.decided(before)
            )
        ]
        self.settings.set(**{name: value} | dict.fromkeys(automatic, AUTO))


class FragmentControls(Controls):
    """A page's controls, in fragments: after a move, those that show another value are drawn anew."""

    def __init__(self, settings: Settings, moved: Callable[[], None], refused: Callable[[], tuple[str, str]]) -> None:
        super().__init__(settings, moved, refused)
        self._drawn: dict[str, list[str]] = {}
        self._sentences: dict[str, str] = {}
        self._drawing: list[str] = []

    def fragment(self, key: str, draw: Callable[[], None]) -> None:
        """Draw controls in a fragment.

        Args:
            key: The fragment's.
            draw: Draws them by the methods below.
        """

        def draw_group() -> None:
            with gate().hold():
                names = self._drawn[key] = self._drawing = []
                draw()
                self._sentences[key] = self._sentence_for(names)

        st.fragment(draw_group, key=key)()

    def show(self, *names: str) -> None:
        """Draw these settings, unless a lesson leaves the controls out."""
        self._show(names, self._draw_each)

    def row(self, *names: str) -> None:
        """Draw the few settings that a page is about, side by side."""
        self._show(names, self._draw_row)

    def section(self, names: tuple[str, ...], title: str, draw: Callable[..., None] | None = None) -> None:
        """Draw settings below a title; no title if all of them are hidden.

        Args:
            names: The settings.
            title: The title.
            draw: Asks for them, given their names, by widgets of its own under their keys.
        """
        if title and address.part_visible("controls") and not all(map(self.settings.is_hidden, names)):
            st.markdown(f"**{title}**")
        self._show(names, draw or self._draw_each)

    def switches(self, names: tuple[str, ...]) -> None:
        """Draw the switches that make the page's claims fail: folded, until one of them is on."""
        self._show(names, self._draw_folded, "break")

    def _draw_row(self, *names: str) -> None:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="row"):
            self._draw_each(*names)

    def _draw_folded(self, *names: str) -> None:
        if all(self.settings.is_hidden(name) for name in names):
            return
        values = self.settings.as_dict()
        on = any(values[name] != self.settings.defaults[name] for name in names)
        with st.expander(_("What breaks it"), expanded=on, type="compact"):
            self._draw_each(*names)

    def says(self, name: str) -> bool:
        """Whether the setting's box is there, and shows why its value is not possible."""
        return (
            any(name in names for names in self._drawn.values())
            and isinstance(self.settings.declared[name], Words)
            and not self.settings.is_fixed(name)
        )

    def stale_fragments(self) -> list[str]:
        """The fragments that show an old value or an old sentence."""
        values, fixed = self.settings.as_dict(), self.settings.fixed()
        return [
            key
            for key, names in self._drawn.items()
            if self._sentence_for(names) != self._sentences[key]
            or not all(name in fixed or self._shows(name, values) for name in names)
        ]

    def _shows(self, name: str, values: Mapping[str, Any]) -> bool:
        """Whether the widget of a setting shows its value."""
        setting, sent = self.settings.declared[name], st.session_state.get(widget_key(self.settings.key(name)))
        return _means_the_same(setting, sent, _widget_value(setting, values[name], values))

    def _show(self, names: tuple[str, ...], draw: Callable[..., None], part: str = "controls") -> None:
        """Draw settings, unless a lesson leaves their part of the page out."""
        if names and address.part_visible(part):
            self._drawing += names
            draw(*names)

    def _sentence_for(self, names: Collection[str]) -> str:
        """The sentence below the boxes of these settings; empty for none."""
        field, sentence = self._refused()
        return sentence if field in names and self.says(field) else ""


def _help(setting: Setting) -> str | None:
    """The help text of a control; of words also how they are separated."""
    texts = (setting.hint, setting.cut) if isinstance(setting, Words) else (setting.hint,)
    return set_markdown(sentences(texts)) or None


def _widget_value(setting: Setting, value: Any, values: Mapping[str, Any]) -> Any:
    """The widget's content for a value of its setting; ``values`` are those of all settings."""
    if isinstance(setting, AutoSwitch) and value == AUTO:
        return setting.decided(values)
    return setting.write(value) if isinstance(setting, Words) else value


def _means_the_same(setting: Setting, sent: Any, shown: Any) -> bool:
    """Whether a widget shows what it should; words may be spaced otherwise, unless they were cut."""
    if not isinstance(setting, Words) or not isinstance(sent, str):
        return sent == shown
    with suppress(ConfigError, ValueError):
        return setting.read(sent) == setting.read(shown) and not setting.is_cut(sent)
    return False


def received_value(name: str, setting: Setting, sent: Any) -> Any:
    """Check and read what a widget sent for a setting.

    Raises:
        ConfigError: If it is not possible.
        TypeError: If it is of another kind.
    """
    if isinstance(setting, Words):
        if not isinstance(sent, str):
            raise TypeError(f"{name} is no text")
        if len(sent) > MAX_TYPED:
            raise ValueError(f"{name} has more than {MAX_TYPED} characters")
        return setting.read(sent)
    setting.check(name, sent)
    return sent
