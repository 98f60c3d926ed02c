"""What the settings of a page stand at in this session: taken from the link, moved by people, written to the link."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from pages._shared.core import log
from pages._shared.core.incoming import bare
from pages._shared.core.session_keys import CUT, SETTINGS
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.lesson import Lesson
from pages._shared.session import address, course_position, notices
from attention_core.language import LANGUAGES, current, gettext_lazy, known
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import (
    Choice,
    Coded,
    Setting,
    Switch,
    Words,
    declared,
    defaults,
    is_spoken,
    setting,
    spoken,
)

_NO_VALUE: Any = object()


class Settings:
    """The settings that some dataclasses declare, and what they stand at.

    A setting's key in the session and in the link is ``{page}_{name}``. What a lesson fixes is as the lesson says,
    whatever is set.

    Args:
        page: Name of the page; empty for what all pages share.
        groups: Dataclasses with declared fields; precision, device and seed belong to no page.

    Attributes:
        declared: The declarations, by name.
    """

    def __init__(self, page: str, *groups: type) -> None:
        self.page = page
        self.declared: dict[str, Setting] = {}
        self._groups = groups
        self._usual: dict[str, Any] = {}
        shared = declared(RunConfig) if page else {}
        for group in groups:
            own = {name: one for name, one in declared(group).items() if name not in shared}
            self.declared |= own
            self._usual |= {name: defaults(group)[name] for name in own}
        start = f"{page}_" if page else ""
        self._keys = {name: start + (one.link or name) for name, one in self.declared.items()}

    @property
    def defaults(self) -> dict[str, Any]:
        """What each setting begins with; a sentence in the reader's language."""
        return self._usual | {
            name: value for group in self._groups for name, value in spoken(group, current()).items()
        }

    @property
    def keys(self) -> frozenset[str]:
        """The settings' names in the session and in the link."""
        return frozenset(self._keys.values())

    def key(self, name: str) -> str:
        """The setting's name in the session and in the link."""
        return self._keys[name]

    def fixed(self) -> dict[str, Any]:
        """The settings that the lesson says, and what it says."""
        here = address.lesson()
        said = {} if here is None else {name: self._fixed(name, here) for name in self}
        return {name: value for name, value in said.items() if value is not _NO_VALUE}

    def is_fixed(self, name: str) -> bool:
        """Whether the lesson says what the setting is."""
        return name in self.fixed()

    def is_hidden(self, name: str) -> bool:
        """Whether the lesson keeps the setting out of sight."""
        here = address.lesson()
        return here is not None and self.key(name) in here.hidden

    def __getitem__(self, name: str) -> Any:
        return self._stands((name,))[name]

    def as_dict(self) -> dict[str, Any]:
        """What all settings stand at."""
        return self._stands(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def for_group(self, group: type) -> dict[str, Any]:
        """What the declared fields of a dataclass stand at."""
        return self._stands(name for name in declared(group) if name in self.declared)

    def matching(self, choices: Iterable[Mapping[str, Any]]) -> int | None:
        """Which of some choices, the first of them, ``set_all`` would leave all as it is now; None if there is none.

        What the lesson fixes does not count.
        """
        now, fixed, begins = self.as_dict(), self.fixed(), self.defaults
        wanted = (begins | dict(settings) | fixed for settings in choices)
        return next((at for at, one in enumerate(wanted) if now == one), None)

    def after(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What all settings would stand at once ``set_all`` has set these."""
        return self.defaults | dict(settings) | self.fixed()

    def set(self, **moved: Any) -> None:
        """Set some settings, but those that a lesson fixes; for callbacks, and before anything is drawn."""
        fixed = self.fixed()
        self._put({name: value for name, value in moved.items() if name not in fixed})

    def set_all(self, settings: Mapping[str, Any]) -> None:
        """Set all settings to how they begin, but those in ``settings``, and those that a lesson fixes."""
        self.set(**self.defaults | dict(settings))

    def _put(self, moved: Mapping[str, Any]) -> None:
        values, begins = st.session_state.setdefault(SETTINGS, {}), self.defaults
        for name, value in moved.items():
            if value == begins[name]:
                values.pop(self.key(name), None)
            else:
                values[self.key(name)] = value

    def load_from_address(self) -> None:
        """Take from the link what is to be read of it; of what is not possible say so, and let it be as it begins."""
        query = address.query()
        if query is None:
            return
        begins, read = self._absent(query) if address.is_from_others() else self.defaults, {}
        for name, one in self.declared.items():
            text = query.get(self.key(name))
            try:
                read[name] = begins[name] if text is None else self._read_as_meant(name, text)
            except (ValueError, OverflowError):
                read[name] = value = begins[name]
                log.refused(self.page or "all pages", f"{self.key(name)} in the link")
                sentence = _(
                    "{who} asks for {label} = “{given}”, which is not possible; {used} is used.",
                    who=address.source_name(_("The link")), label=one.label, given=escape_markdown(text or ""),
                    used=escape_markdown(one.say(value)) or _("none"),
                )  # fmt: skip
                notices.add(sentence)
            self.note_cut(name, text or "")
        self._put(read)

    def note_cut(self, name: str, text: str) -> None:
        """Keep in mind whether characters of a text are taken for words, for who typed it expects its words."""
        one = self.declared[name]
        if isinstance(one, Words) and one.is_cut(text):
            st.session_state.setdefault(CUT, {})[self.key(name)] = one.read(text)

    def was_cut(self, name: str) -> bool:
        """Whether what a setting stands at was cut so."""
        return self.key(name) in (cut := st.session_state.get(CUT, {})) and cut[self.key(name)] == self[name]

    def read(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """What the settings are where a link holds ``parameters``.

        Raises:
            ValueError: If one of them is not possible.
        """
        texts, begins = {name: parameters.get(self.key(name)) for name in self}, self._absent(parameters)
        return {name: begins[name] if text is None else self._read(name, text) for name, text in texts.items()}

    def _absent(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """What the settings are that a link does not hold.

        A link to nothing but the page begins as all do, in the reader's language. Any other was made by somebody, and
        shows the same to all.
        """
        return self._usual if self.keys & parameters.keys() else self.defaults

    def _read_as_meant(self, name: str, text: str) -> Any:
        with suppress(ValueError, OverflowError):
            return self._read(name, text)
        return self._read(name, bare(text))

    def _read(self, name: str, text: str) -> Any:
        value = self.declared[name].read(text)
        self.declared[name].check(name, value)
        return value

    def parameters(self) -> dict[str, str]:
        """What the link holds of these settings: what is not as they are without it, whatever language is read."""
        return self.spelled({name: value for name, value in self.as_dict().items() if value != self._usual[name]})

    def sentences(self) -> dict[str, str]:
        """What a link holds of those that begin otherwise in another language, as they are now."""
        names = [name for name in self if any(is_spoken(group, name) for group in self._groups)]
        return self.spelled({name: self[name] for name in names})

    def spelled(self, values: Mapping[str, Any]) -> dict[str, str]:
        """What a link holds where these settings are so and all others as they begin."""
        return {self.key(name): self.declared[name].write(value) for name, value in values.items()}

    def written(self) -> dict[str, str]:
        """Every setting as a link spells it, by its key: what a lesson fixes it at."""
        return self.spelled(self.as_dict())

    def in_words(self, key: str, text: str) -> str:
        """What a link holds under ``key``, in its control's words; as it is spelled, where it is none of these."""
        name = next((name for name in self if self._keys[name] == key), "")
        with suppress(ValueError, OverflowError, LookupError):
            one, value = self.declared[name], self._read(name, text)
            return _("{name}: {value}", name=one.label, value=one.say(value))
        return f"{key} = {text}"

    def _stands(self, names: Iterable[str]) -> dict[str, Any]:
        """What these settings stand at; the session is asked once for all, which takes longer than the rest."""
        here, values, begins = address.lesson(), st.session_state.get(SETTINGS, {}), self.defaults
        found = {name: values.get(self._keys[name], begins[name]) for name in names}
        if here is not None:
            fixed = {name: self._fixed(name, here) for name in found}
            found |= {name: value for name, value in fixed.items() if value is not _NO_VALUE}
        return found

    def _fixed(self, name: str, here: Lesson) -> Any:
        """What a lesson fixes a setting at, if it does; it no longer does where that is not possible."""
        key, one = self.key(name), self.declared[name]
        if key not in here.fixed:
            return _NO_VALUE
        raw = here.fixed[key]
        with suppress(ValueError, TypeError, OverflowError):
            value = one.read(raw) if isinstance(raw, str) else raw
            one.check(name, value)
            return value
        course_position.unfix(key)
        log.refused(key, "a lesson's value")
        notices.add(
            _(
                "{who} fixes {label} at “{given}”, which is not possible; you may choose it.",
                who=address.source_name(_("The lesson")),
                label=one.label,
                given=escape_markdown(str(raw)),
            )
        )
        return _NO_VALUE


@dataclass(frozen=True, slots=True)
class Language(Choice):
    """One of the languages, by its id or however else a link spells it."""

    def read(self, text: str) -> str:
        """The id, of a language that there is."""
        return known(text) or text


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(RunConfig):
    """What all pages share: precision, device and seed, the language, and presenter view."""

    lang: str = setting(
        "auto",
        Language(
            {"auto": gettext_lazy("auto"), **LANGUAGES},
            label=gettext_lazy("Language"),
            hint=gettext_lazy("auto is the language of your browser."),
        ),
    )
    # Whether this session is in presenter view.
    present: bool = setting(
        False,
        Switch(
            label=gettext_lazy("Presenter view"),
            hint=gettext_lazy("Large type; PageUp and PageDown step through the presets."),
        ),
    )


TABS = {
    "why": gettext_lazy("Why"),
    "code": gettext_lazy("Code"),
    "data": gettext_lazy("Data"),
    "share": gettext_lazy("Share"),
}
UNASKED, SKIPPED, MOST_PREDICTIONS = "", "skipped", 6
ANSWERS = {
    UNASKED: gettext_lazy("none"),
    SKIPPED: gettext_lazy("skipped"),
    **{str(i): str(i) for i in range(1, MOST_PREDICTIONS + 1)},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageExtras:
    """What surrounds every picture: in the address, so it survives a reload, and not in the link that is shared."""

    tab: str = setting("why", Choice(TABS, label=gettext_lazy("the tab")))  # the open tab
    # The option that was predicted, counted from 1; or that the question was skipped, or not answered.
    answer: str = setting(UNASKED, Choice(ANSWERS, label=gettext_lazy("the prediction")))
    # The settings of the pinned picture, as a link holds them; empty where none is pinned.
    pin: str = setting("", Coded(str, str, label=gettext_lazy("the pinned picture")))


@cache
def shared() -> Settings:
    """The settings that all pages share."""
    return Settings("", Shared)


def snapshot() -> dict[str, Any]:
    """What the settings of all pages stand at, where it is not how they begin."""
    return dict(st.session_state.get(SETTINGS, {}))


def restore(values: Mapping[str, Any]) -> None:
    """Make the settings of all pages what they were."""
    st.session_state[SETTINGS] = dict(values)


def run_settings() -> dict[str, Any]:
    """Precision, device and seed as every config takes them; the default for a precision that is not here."""
    values = shared().for_group(RunConfig)
    try:
        RunConfig(**values)
    except ConfigError as error:
        values[error.field] = defaults(RunConfig)[error.field]
    return values


def presenting() -> bool:
    """Whether this session is in presenter view."""
    return bool(shared()["present"])


def error_message(error: ConfigError, settings: Settings) -> str:
    """What is not possible about a config, in the words that the page uses for its settings."""
    one = settings.declared.get(error.field) or shared().declared.get(error.field)
    label = one.label if one else error.field.replace("_", " ")
    parts = {"label": escape_markdown(label), "allowed": escape_markdown(error.allowed, 300)}
    if error.value in ((), "", "0 tokens"):
        return _("**{label}** is empty: {allowed}.", **parts)
    if isinstance(one, Words):
        given = escape_markdown(str(error.value), 120)
        return _("**{label}**: {allowed}, not “{given}”.", given=given, **parts)
    if (one and not isinstance(error.value, str | bytes)) or isinstance(one, Choice):
        given = escape_markdown(_spoken(one, error.value), 120)
        return _("**{label}** cannot be “{given}”: {allowed}.", given=given, **parts)
    given = escape_markdown(str(error.value), 120)
    return _("**{label}** cannot be {given}: {allowed}.", given=given, **parts)


def _spoken(one: Setting, value: Any) -> str:
    """A value as its control shows it; as it is, where it is none of the control's."""
    try:
        return one.say(value)
    except (LookupError, TypeError, ValueError, AttributeError):
        return str(value)
