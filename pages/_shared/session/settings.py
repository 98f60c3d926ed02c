"""The settings of a page in this session: read from the link, changed by the visitor, written to the link."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from pages._shared.core import log
from pages._shared.core.incoming import bare
from pages._shared.core.text import escape_markdown
from pages._shared.core.visitor_state import visit_state
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
    """The settings that some dataclasses declare, with their values in this session.

    A setting's key in the session and in the link is ``{page}_{name}``. A lesson's value goes before the visitor's.

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
            declarations = {name: declaration for name, declaration in declared(group).items() if name not in shared}
            self.declared |= declarations
            self._usual |= {name: defaults(group)[name] for name in declarations}
        start = f"{page}_" if page else ""
        self._keys = {name: start + (declaration.link or name) for name, declaration in self.declared.items()}

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of each setting; a sentence in the reader's language."""
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
        """The settings that the lesson fixes, with its values."""
        lesson = address.lesson()
        values = {} if lesson is None else {name: self._fixed(name, lesson) for name in self}
        return {name: value for name, value in values.items() if value is not _NO_VALUE}

    def is_fixed(self, name: str) -> bool:
        """Whether the lesson fixes the setting."""
        return name in self.fixed()

    def is_hidden(self, name: str) -> bool:
        """Whether the lesson hides the setting."""
        lesson = address.lesson()
        return lesson is not None and self.key(name) in lesson.hidden

    def __getitem__(self, name: str) -> Any:
        return self._values((name,))[name]

    def as_dict(self) -> dict[str, Any]:
        """The values of all settings."""
        return self._values(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.declared)

    def for_group(self, group: type) -> dict[str, Any]:
        """The values of the declared fields of a dataclass."""
        return self._values(name for name in declared(group) if name in self.declared)

    def matching(self, choices: Iterable[Mapping[str, Any]]) -> int | None:
        """The first of some choices that ``set_all`` would change nothing with; None if there is none.

        What the lesson fixes does not count.
        """
        current, fixed, defaults = self.as_dict(), self.fixed(), self.defaults
        wanted = (defaults | dict(settings) | fixed for settings in choices)
        return next((index for index, values in enumerate(wanted) if current == values), None)

    def after(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all settings once ``set_all`` has set these."""
        return self.defaults | dict(settings) | self.fixed()

    def set(self, **moved: Any) -> None:
        """Set some settings, except those that a lesson fixes; for callbacks, and before anything is drawn."""
        fixed = self.fixed()
        self._put({name: value for name, value in moved.items() if name not in fixed})

    def set_all(self, settings: Mapping[str, Any]) -> None:
        """Set all settings to their defaults, but those in ``settings``, and those that a lesson fixes."""
        self.set(**self.defaults | dict(settings))

    def _put(self, moved: Mapping[str, Any]) -> None:
        stored, defaults = visit_state().settings, self.defaults
        for name, value in moved.items():
            if value == defaults[name]:
                stored.pop(self.key(name), None)
            else:
                stored[self.key(name)] = value

    def load_from_address(self) -> None:
        """Read the settings from the link, if this run does; report impossible values and use their defaults."""
        query = address.query()
        if query is None:
            return
        defaults, values = self._absent(query) if address.is_from_others() else self.defaults, {}
        for name, declaration in self.declared.items():
            text = query.get(self.key(name))
            try:
                values[name] = defaults[name] if text is None else self._read_as_meant(name, text)
            except (ValueError, OverflowError):
                values[name] = value = defaults[name]
                log.refused(self.page or "all pages", f"{self.key(name)} in the link")
                sentence = _(
                    "{who} asks for {label} = “{given}”, which is not possible; {used} is used.",
                    who=address.source_name(_("The link")), label=declaration.label,
                    given=escape_markdown(text or ""), used=escape_markdown(declaration.say(value)) or _("none"),
                )  # fmt: skip
                notices.add(sentence)
            self.note_cut(name, text or "")
        self._put(values)

    def note_cut(self, name: str, text: str) -> None:
        """Remember that a text was cut into characters, for whoever typed it expects words."""
        declaration = self.declared[name]
        if isinstance(declaration, Words) and declaration.is_cut(text):
            visit_state().cut[self.key(name)] = declaration.read(text)

    def was_cut(self, name: str) -> bool:
        """Whether the value of a setting was cut so."""
        cut = visit_state().cut
        return self.key(name) in cut and cut[self.key(name)] == self[name]

    def read(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The settings of a link that holds ``parameters``.

        Raises:
            ValueError: If one of them is not possible.
        """
        texts, defaults = {name: parameters.get(self.key(name)) for name in self}, self._absent(parameters)
        return {name: defaults[name] if text is None else self._read(name, text) for name, text in texts.items()}

    def _absent(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The values of settings that a link does not hold.

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
        """The link's part for these settings: what differs from a link without it, whatever language is read."""
        return self.spelled({name: value for name, value in self.as_dict().items() if value != self._usual[name]})

    def sentences(self) -> dict[str, str]:
        """The link's part for settings whose default depends on the language."""
        names = [name for name in self if any(is_spoken(group, name) for group in self._groups)]
        return self.spelled({name: self[name] for name in names})

    def spelled(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The link's part for these values, with all other settings at their defaults."""
        return {self.key(name): self.declared[name].write(value) for name, value in values.items()}

    def written(self) -> dict[str, str]:
        """Every setting as a link spells it, by its key, as a lesson fixes it."""
        return self.spelled(self.as_dict())

    def in_words(self, key: str, text: str) -> str:
        """A setting of a link in its control's words; as the link spells it, where it is none of these settings."""
        name = next((name for name in self if self._keys[name] == key), "")
        with suppress(ValueError, OverflowError, LookupError):
            declaration, value = self.declared[name], self._read(name, text)
            return _("{name}: {value}", name=declaration.label, value=declaration.say(value))
        return f"{key} = {text}"

    def _values(self, names: Iterable[str]) -> dict[str, Any]:
        """The values of these settings; the session is asked once for all, which takes longer than the rest."""
        lesson, stored, defaults = address.lesson(), visit_state().settings, self.defaults
        values = {name: stored.get(self._keys[name], defaults[name]) for name in names}
        if lesson is not None:
            fixed = {name: self._fixed(name, lesson) for name in values}
            values |= {name: value for name, value in fixed.items() if value is not _NO_VALUE}
        return values

    def _fixed(self, name: str, lesson: Lesson) -> Any:
        """The lesson's value of a setting, if it fixes one; an impossible value is reported and no longer fixed."""
        key, declaration = self.key(name), self.declared[name]
        if key not in lesson.fixed:
            return _NO_VALUE
        raw = lesson.fixed[key]
        with suppress(ValueError, TypeError, OverflowError):
            value = declaration.read(raw) if isinstance(raw, str) else raw
            declaration.check(name, value)
            return value
        course_position.unfix(key)
        log.refused(key, "a lesson's value")
        notices.add(
            _(
                "{who} fixes {label} at “{given}”, which is not possible; you may choose it.",
                who=address.source_name(_("The lesson")),
                label=declaration.label,
                given=escape_markdown(str(raw)),
            )
        )
        return _NO_VALUE


@dataclass(frozen=True, slots=True)
class Language(Choice):
    """One of the languages, by its id or however else a link spells it."""

    def read(self, text: str) -> str:
        """The id of a known language, else the text."""
        return known(text) or text


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(RunConfig):
    """The settings that all pages share: precision, device, seed, language and presenter view."""

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
    """The settings around every picture: in the address, to survive a reload, but not in shared links."""

    tab: str = setting("why", Choice(TABS, label=gettext_lazy("the tab")))  # the open tab
    # The option that was predicted, counted from 1; or that the question was skipped, or not answered.
    answer: str = setting(UNASKED, Choice(ANSWERS, label=gettext_lazy("the prediction")))
    # The id of the question by which the visitor came, until it is closed; empty for none.
    asked: str = setting("", Coded(str, str, label=gettext_lazy("the question asked")))
    # The settings of the pinned picture, as a link holds them; empty where none is pinned.
    pin: str = setting("", Coded(str, str, label=gettext_lazy("the pinned picture")))


@cache
def shared() -> Settings:
    """The settings that all pages share."""
    return Settings("", Shared)


def snapshot() -> dict[str, Any]:
    """The settings of all pages that differ from their defaults."""
    return dict(visit_state().settings)


def restore(values: Mapping[str, Any]) -> None:
    """Set the settings of all pages to a snapshot."""
    visit_state().settings = dict(values)


def run_settings() -> dict[str, Any]:
    """Precision, device and seed as every config takes them; the default for a precision this machine lacks."""
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
    """Why a config is not possible, in the words that the page uses for its settings."""
    declaration = settings.declared.get(error.field) or shared().declared.get(error.field)
    label = declaration.label if declaration else error.field.replace("_", " ")
    parts = {"label": escape_markdown(label), "allowed": escape_markdown(error.allowed, 300)}
    if error.value in ((), "", "0 tokens"):
        return _("**{label}** is empty: {allowed}.", **parts)
    if isinstance(declaration, Words):
        given = escape_markdown(str(error.value), 120)
        return _("**{label}**: {allowed}, not “{given}”.", given=given, **parts)
    if (declaration and not isinstance(error.value, str | bytes)) or isinstance(declaration, Choice):
        given = escape_markdown(_spoken(declaration, error.value), 120)
        return _("**{label}** cannot be “{given}”: {allowed}.", given=given, **parts)
    given = escape_markdown(str(error.value), 120)
    return _("**{label}** cannot be {given}: {allowed}.", given=given, **parts)


def _spoken(declaration: Setting, value: Any) -> str:
    """A value as its control shows it; as it is, where it is none of the control's."""
    try:
        return declaration.say(value)
    except (LookupError, TypeError, ValueError, AttributeError):
        return str(value)
