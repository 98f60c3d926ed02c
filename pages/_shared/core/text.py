"""Text for the screen: what people typed made literal, roles in their colours, and what is not possible."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from attention_core.experiments.settings import Choice, Setting

if TYPE_CHECKING:
    from pages._shared.session.settings import Settings
    from attention_core.experiments.checks import ConfigError

_ACTIVE = frozenset("\\`*_{}[]()#+-.!|<>$:~&=^@")


def escape_markdown(text: str, limit: int = 60) -> str:
    """``text`` for Markdown, so that it appears exactly as it is, cut after ``limit`` characters."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join("\\" + char if char in _ACTIVE else char for char in short)


_JOINER = "\N{WORD JOINER}"


def no_line_breaks(text: str) -> str:
    """Markdown in which no line ends within a number or |γ|·√d: Chromium ends one after an exponent's minus."""
    return re.sub(r"((?<=\de)\\?-(?=\d)|\|(?=[·√]))", rf"\1{_JOINER}", text)


_ROLES = {"query": "blue", "key": "orange", "value": "green", "output": "violet"}


def role_markdown(parts: Iterable[tuple[str, str | None]]) -> str:
    """Markdown of texts side by side, each exactly as it is and in the colour of its role, where it has one."""
    return "".join(
        f":{_ROLES[role]}[{escape_markdown(text, 300)}]" if role else escape_markdown(text, 300)
        for text, role in parts
    )


def error_message(error: ConfigError, settings: Settings) -> str:
    """What is not possible about a config, in the words that the page uses for its settings."""
    one = settings.declared.get(error.field)
    label = one.label if one else error.field.replace("_", " ")
    if error.value in ((), "", "0 tokens"):
        said = "is empty"
    elif (one and not isinstance(error.value, str | bytes)) or isinstance(one, Choice):
        said = f"cannot be “{escape_markdown(_spoken(one, error.value), 120)}”"
    else:
        said = f"cannot be {escape_markdown(str(error.value), 120)}"
    return f"**{escape_markdown(label)}** {said}: {escape_markdown(error.allowed, 300)}."


def _spoken(one: Setting, value: Any) -> str:
    """A value as its control shows it; as it is, where it is none of the control's."""
    try:
        return one.say(value)
    except (LookupError, TypeError, ValueError, AttributeError):
        return str(value)
