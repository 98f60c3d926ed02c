"""Widgets that live in the link, obey a lesson, and can be reset: the only way a page asks for a value."""

import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from pages._shared import link
from pages._shared.forged import refuse_forged_values
from pages._shared.words import literal
from attention_core.device import available_devices, resolve_device, supported_dtypes
from attention_core.experiments.config import MAX_CHARACTERS, MAX_SEED

_DEFAULTS = "_defaults"
# In the session: the page whose controls are drawn as they are, so that it may answer without drawing them again.
DRAWN = "_drawn"
RUN_SETTINGS = ("dtype", "device", "seed")
Number = TypeVar("Number", int, float)


class Controls:
    """The controls of one page.

    Each has a key ``{page}_{name}`` in the session and in the link. In a lesson that fixes it, it is drawn as its
    value, or not at all, and nothing but the lesson says what that value is.

    Args:
        page: Name of the page; empty for the settings that all pages share.
        asking: Whether controls are drawn.
        moved: Called when a control has been moved; without it, the whole page runs again.

    Attributes:
        asking: Whether controls are drawn; else they are read, as they were drawn before.
        part: The part of the page that controls drawn from now on belong to: ``controls`` or ``break``.
        parts: The part of each control drawn so far, by its key; likewise ``labels``, ``values`` and ``taken``.
    """

    def __init__(self, page: str, *, asking: bool = True, moved: Callable[[], None] | None = None) -> None:
        self.page = page
        self.asking, self._moved = asking, moved
        self.part = "controls"
        self.parts: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.taken: dict[str, Callable[[str], tuple[bool, str, str]]] = {}

    def key(self, name: str) -> str:
        """The control's name in the session and in the link."""
        return f"{self.page}_{name}" if self.page else name

    def is_fixed(self, name: str) -> bool:
        """Whether a lesson says what the control's value is."""
        here = link.lesson()
        return here is not None and self.key(name) in here.fixed

    def row(self) -> AbstractContextManager[Any]:
        """Controls side by side."""
        return st.container(horizontal=True, gap="small") if self.asking else nullcontext()

    def slider(self, name: str, label: str, low: float, high: float, default: float, **more: Any) -> Any:
        """A number from ``low`` to ``high``; whole if ``default`` is."""
        draw = partial(_finite, st.slider, label, low, high, default, **more)

        def fits(value: Any) -> bool:
            return type(value) is type(default) and low <= value <= high

        return self._control(name, label, default, draw, str, lambda raw, value: float(raw) == value, fits)

    def choice(self, name: str, label: str, options: Sequence[str], default: str, *, hint: str | None = None) -> str:
        """One of a few words, all in sight."""
        draw = partial(st.segmented_control, label, options, default=default, required=True, help=hint)
        return self._control(name, label, default, draw, str, operator.eq, options.__contains__)

    def select(self, name: str, label: str, options: Sequence[str], default: str, *, hint: str | None = None) -> str:
        """One of several words, in a list that opens."""
        draw = partial(st.selectbox, label, options, index=list(options).index(default), help=hint)
        return self._control(name, label, default, draw, str, operator.eq, options.__contains__)

    def switch(self, name: str, label: str, default: bool = False, *, hint: str | None = None) -> bool:
        """On or off."""
        draw = partial(st.toggle, label, default, help=hint)

        def took(raw: str, value: bool) -> bool:
            return raw.lower() == str(value).lower()

        def fits(value: Any) -> bool:
            return isinstance(value, bool)

        return self._control(name, label, default, draw, lambda value: "on" if value else "off", took, fits)

    def sentence(self, name: str, label: str, default: str, *, hint: str | None = None) -> tuple[str, ...]:
        """Words typed by the visitor, split at white space into tokens."""
        draw = partial(st.text_input, label, default, max_chars=MAX_CHARACTERS, help=hint)

        def fits(value: Any) -> bool:
            return isinstance(value, str)

        text = self._control(name, label, default, draw, str, operator.eq, fits)
        return tuple(str(text).split())

    def number(self, name: str, label: str, low: int, high: int, default: int, *, hint: str | None = None) -> int:
        """A whole number typed or stepped."""
        draw = partial(_finite, st.number_input, label, low, high, default, 1, help=hint)

        def fits(value: Any) -> bool:
            return type(value) is int and low <= value <= high

        return self._control(name, label, default, draw, str, lambda raw, value: int(raw) == value, fits)

    def swept(
        self, name: str, label: str, values: Sequence[Number], default: Number
    ) -> tuple[Number, Callable[[Number], None] | None]:
        """One of the numbers that a picture's slider walks through; returned as by ``component``."""
        return self.component(name, label, default, lambda raw: values[values.index(type(default)(raw))], str)

    def component(
        self,
        name: str,
        label: str,
        default: Any,
        decode: Callable[[str], Any],
        encode: Callable[[Any], str],
    ) -> tuple[Any, Callable[[Any], None] | None]:
        """A value that a custom component holds, such as an order made by hand.

        Args:
            name: Its name.
            label: What it is called when a lesson shows its value.
            default: Its value to begin with.
            decode: Reads the link's text; raises ValueError for what it does not accept.
            encode: Writes a value as the link's text.

        Returns:
            The value, and a function for callbacks that sets it; None in a lesson that fixes it.
        """
        key = self.key(name)

        def fits(value: Any) -> bool:
            try:
                return decode(encode(value)) == value
            except (TypeError, ValueError, LookupError, AttributeError):
                return False

        value = self._control(
            name,
            label,
            default,
            lambda key, **_: link.kept(key, default, decode),
            encode,
            lambda raw, value: decode(raw) == value,
            fits,
            lambda new: link.keep(key, new, default, encode),
        )
        if self.is_fixed(name):
            return value, None
        return value, lambda new: link.keep(key, new, default, encode)

    def _control(
        self,
        name: str,
        label: str,
        default: Any,
        draw: Callable[..., Any],
        show: Callable[[Any], str],
        took: Callable[[str, Any], bool],
        fits: Callable[[Any], bool],
        assign: Callable[[Any], None] | None = None,
    ) -> Any:
        key = self.key(name)
        st.session_state.setdefault(_DEFAULTS, {})[key] = (default, assign)
        here = link.lesson()
        if here is not None and key in here.fixed and not fits(here.fixed[key]):
            here = link.unfix(key, label)
        if here is not None and key in here.fixed:
            value = here.fixed[key]
            if key not in here.hidden and self.asking:
                st.markdown(f"{label}: **{literal(show(value))}**")
        elif self.asking or assign is not None:
            value = draw(key=key, bind="query-params", on_change=self._moved)
        else:
            value = st.session_state[key if key in st.session_state else _unbound(key)]
        if value is None:  # so a segmented control reads a link with an empty value, whatever `required` says
            value = default

        def taken(raw: str) -> tuple[bool, str, str]:
            try:
                accepted = took(raw, value)
            except ValueError:
                accepted = False
            return accepted, label, literal(show(value))

        self.labels[key], self.values[key], self.taken[key] = label, value, taken
        self.parts[key] = self.part
        return value

    def are(self, settings: dict[str, Any]) -> bool:
        """Whether every control of the page is as ``apply`` would leave it; what a lesson fixes does not count."""
        defaults = st.session_state.get(_DEFAULTS, {})
        return all(
            value == settings.get(key.removeprefix(f"{self.page}_"), defaults[key][0])
            for key, value in self.values.items()
            if not self.is_fixed(key.removeprefix(f"{self.page}_"))
        )

    def apply(self, settings: dict[str, Any]) -> None:
        """Set every control of the page to its default, but those in ``settings``; for callbacks only.

        Args:
            settings: New values by control name.
        """
        for key, (default, assign) in st.session_state.get(_DEFAULTS, {}).items():
            if key.startswith(f"{self.page}_"):
                _assign(key, settings.get(key.removeprefix(f"{self.page}_"), default), assign)

    def change(self, settings: dict[str, Any]) -> None:
        """Set the controls in ``settings`` and leave the others; for callbacks only."""
        for name, value in settings.items():
            _, assign = st.session_state.get(_DEFAULTS, {}).get(self.key(name), (None, None))
            _assign(self.key(name), value, assign)


def _finite(widget: Callable[..., Any], *args: Any, key: str, bind: str, **more: Any) -> Any:
    """Draw a number widget that lives in the link, where Streamlit raises on an infinite number, outside of it."""
    try:
        return widget(*args, key=key, bind=bind, **more)
    except OverflowError:
        return widget(*args, key=_unbound(key), **more)


def _unbound(key: str) -> str:
    return f"{key}_unbound"


def _assign(key: str, value: Any, assign: Callable[[Any], None] | None) -> None:
    if assign is None:
        st.session_state[key] = value
        st.session_state[DRAWN] = ""
    else:
        assign(value)


def shared_settings() -> Controls:
    """Precision, device and seed: what every page's config takes, drawn where it is called (the sidebar)."""
    refuse_forged_values()
    control = Controls("")
    devices = ("auto", *available_devices())
    device = control.select(
        "device", "Device", devices, "auto", hint="auto is the accelerator torch reports, else the CPU."
    )
    dtypes = supported_dtypes(resolve_device(device if device in devices else "auto"))
    control.select("dtype", "Precision", dtypes, dtypes[0], hint="How many bits each number has on the device.")
    control.number("seed", "Seed", 0, MAX_SEED, 0, hint="Another seed draws other embeddings and weights.")
    control.switch("present", "Presenter view", hint="Large type; PageUp and PageDown step through the presets.")
    return control
