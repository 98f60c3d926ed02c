"""Settings as widgets: the only way a page asks for a value. What a setting is, is declared beside its field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.core import log
from pages._shared.core.text import escape_markdown
from pages._shared.session import address, notices
from pages._shared.session.settings import Settings
from pages._shared.session.widget_keys import key_to_show, widget_key
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
    """Draws settings where it is called: ``controls.show("num_keys", "scale")``.

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
        """Draw these settings, one below the other; one that a lesson fixes as its value."""
        self._draw_each(*names)

    def _draw_each(self, *names: str) -> None:
        fixed, now = self.settings.fixed(), self.settings.as_dict()
        for name in names:
            if name not in fixed:
                self._draw(name, now)
            elif not self.settings.is_hidden(name):
                one = self.settings.declared[name]
                st.markdown(_("{label}: **{value}**", label=one.label, value=escape_markdown(one.say(now[name]))))

    def _draw(self, name: str, now: Mapping[str, Any]) -> None:
        one, value = self.settings.declared[name], now[name]
        key = key_to_show(self.settings.key(name), _shown(one, value, now), partial(_means_the_same, one))
        label = str(one.label)
        options = {"key": key, "on_change": self._take, "args": (name, key), "help": _help(one)}
        # What the session holds under the key is what counts; but a slider without a value of its own looks through
        # all of the session for one.
        match one:
            case Whole(low=low, high=high, typed=True):
                st.number_input(label, low, high, step=1, **options)
            case Whole(low=low, high=high):
                st.slider(label, low, high, low, **options)
            case Real(low=low, high=high, step=step):
                st.slider(label, float(low), float(high), float(low), step=step, **options)
            case Device(options=options_here):
                st.selectbox(label, dict.fromkeys((*options_here, value)), format_func=one.say, **options)
            case Choice(listed=True):
                st.selectbox(label, tuple(one.options), format_func=one.say, **options)
            case Choice():
                st.segmented_control(label, tuple(one.options), format_func=one.say, required=True, **options)
            case OneOf(values=values):
                st.selectbox(label, sorted({*values, value}), format_func=one.say, **options)
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
                raise TypeError(f"{name} is {type(one).__name__}, which no widget asks for")

    def _take(self, name: str, key: str) -> None:
        """Called when a widget has moved. A browser can send anything, so its value is checked like a link's.

        Words are kept as typed, so that nobody loses them; the experiment says what is not possible.
        """
        if key != widget_key(self.settings.key(name)):
            return  # of a widget that has been replaced
        one, sent = self.settings.declared[name], st.session_state.get(key)
        try:
            value = received(name, one, sent)
            self.settings.note_cut(name, sent if isinstance(sent, str) else "")
        except (ConfigError, TypeError, ValueError):
            log.refused(self.settings.page or "all pages", f"a value of {name}")
            sentence = _("{label} cannot have the value that was sent; it stays as it was.", label=one.label)
            notices.add(sentence)
            st.rerun()  # of the whole page, for the browser shows what it sent
        with gate().hold():
            self._set(name, value)
            self._on_moved()

    def _set(self, name: str, value: Any) -> None:
        """Set what was moved; what other settings decide is left to them, or to them again where they decide anew."""
        now = self.settings.as_dict()
        after = now | {name: value}
        again = [
            other
            for other, one in self.settings.declared.items()
            if isinstance(one, AutoSwitch)
            and (value == one.decided(now) if other == name else one.decided(after) != one.decided(now))
        ]
        self.settings.set(**{name: value} | dict.fromkeys(again, AUTO))


class FragmentControls(Controls):
    """A page's controls, in fragments: where one is moved, what shows another value is drawn anew by itself.

    Attributes:
        parts: The part of the page that each drawn setting belongs to: ``controls`` or ``break``.
    """

    def __init__(self, settings: Settings, moved: Callable[[], None], refused: Callable[[], tuple[str, str]]) -> None:
        super().__init__(settings, moved, refused)
        self.parts: dict[str, str] = {}
        self._drawn: dict[str, tuple[str, ...]] = {}
        self._said: dict[str, str] = {}

    def show(self, *names: str) -> None:
        """The same, in a fragment."""
        self._show(names, self._draw_each)

    def row(self, *names: str) -> None:
        """Draw the few settings that a page is about: side by side, where all others stand in a drawer."""
        self._show(names, self._draw_row)

    def section(self, names: tuple[str, ...], title: str, draw: Callable[..., None] | None = None) -> None:
        """Draw settings below a title, which is left out where all of them are hidden.

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
        now = self.settings.as_dict()
        on = any(now[name] != self.settings.defaults[name] for name in names)
        with st.expander(_("What breaks it"), expanded=on, type="compact"):
            self._draw_each(*names)

    def says(self, name: str) -> bool:
        """Whether it is said below the setting's own box that it is not possible."""
        return (
            any(name in names for names in self._drawn.values())
            and isinstance(self.settings.declared[name], Words)
            and not self.settings.is_fixed(name)
        )

    def stale_fragments(self) -> list[str]:
        """The fragments that show another value than is set, or say something else."""
        now, fixed = self.settings.as_dict(), self.settings.fixed()
        shown = {name: name in fixed or self._shows(name, now) for name in self.parts}
        return [
            key
            for key, names in self._drawn.items()
            if self._about(names) != self._said[key] or not all(shown[name] for name in names)
        ]

    def _shows(self, name: str, now: Mapping[str, Any]) -> bool:
        """Whether the widget of a setting shows what is set."""
        one, sent = self.settings.declared[name], st.session_state.get(widget_key(self.settings.key(name)))
        return _means_the_same(one, sent, _shown(one, now[name], now))

    def _show(self, names: tuple[str, ...], draw: Callable[..., None], part: str = "controls") -> None:
        """Draw settings in a fragment; nothing where a lesson leaves their part of the page out."""
        self.parts |= dict.fromkeys(names, part)
        if not names or not address.part_visible(part):
            return
        key = f"_{self.settings.page}_ask_{names[0]}"

        def draw_group() -> None:
            with gate().hold():
                draw(*names)
                self._said[key] = self._about(names)

        self._drawn[key] = names
        st.fragment(draw_group, key=key)()

    def _about(self, names: tuple[str, ...]) -> str:
        """What is said below the boxes of these settings."""
        field, sentence = self._refused()
        return sentence if field in names and self.says(field) else ""


def _help(one: Setting) -> str | None:
    """What a control does, and of words how they are told apart."""
    said = (one.hint, one.cut) if isinstance(one, Words) else (one.hint,)
    return set_markdown(sentences(said)) or None


def _shown(one: Setting, value: Any, now: Mapping[str, Any]) -> Any:
    """What a widget holds where its setting has this value, and all settings those of ``now``."""
    if isinstance(one, AutoSwitch) and value == AUTO:
        return one.decided(now)
    return one.write(value) if isinstance(one, Words) else value


def _means_the_same(one: Setting, sent: Any, shown: Any) -> bool:
    """Whether what a widget holds is what it is to show; words are, however they are spaced, unless they were cut."""
    if not isinstance(one, Words) or not isinstance(sent, str):
        return sent == shown
    with suppress(ConfigError, ValueError):
        return one.read(sent) == one.read(shown) and not one.is_cut(sent)
    return False


def received(name: str, one: Setting, sent: Any) -> Any:
    """The value of a setting that a widget sent.

    Raises:
        ConfigError: If it is not possible.
        TypeError: If it is of another kind.
    """
    if isinstance(one, Words):
        if not isinstance(sent, str):
            raise TypeError(f"{name} is no text")
        if len(sent) > MAX_TYPED:
            raise ValueError(f"{name} has more than {MAX_TYPED} characters")
        return one.read(sent)
    one.check(name, sent)
    return sent
