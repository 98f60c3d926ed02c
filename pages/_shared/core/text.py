"""Text for the screen: what people typed made literal, and roles in their colours."""

import re
from collections.abc import Iterable

from attention_core.figures.mathematics import set_markdown

_ACTIVE = frozenset("\\`*_{}[]()#+-.!|<>$:~&=^@")


def escape_markdown(text: str, limit: int = 60) -> str:
    """``text`` for Markdown, so that it appears exactly as it is, cut after ``limit`` characters."""
    text = str(text)
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join("\\" + char if char in _ACTIVE else char for char in short)


def plain_markdown(text: str, limit: int) -> str:
    """A text of ours for Markdown, with its formulas set; of one longer than ``limit`` characters its first words."""
    text = str(text)
    if len(text) > limit:
        begin = text[: limit - 1]
        text = (begin.rpartition(" ")[0].rstrip(" .,;:") or begin) + "…"
    return set_markdown(text, lambda one: escape_markdown(one, limit + 1))


def plain_text(markdown: str) -> str:
    """What Markdown says whose only sign is bold, for where none is drawn: all else in it is escaped."""
    return re.sub(r"\\(.)|\*\*", r"\1", markdown)


_JOINER = "\N{WORD JOINER}"


def no_line_breaks(text: str) -> str:
    """Markdown in which no line ends between a mark and its word, nor within a number or |γ|·√d.

    Chromium ends one after an exponent's minus.
    """
    joined = re.sub(r"((?<=\de)\\?-(?=\d)|\|(?=[·√]))", rf"\1{_JOINER}", str(text))
    return re.sub(r"(:material/\w+:) (?=\S)", "\\1\N{NO-BREAK SPACE}", joined)


_ROLES = {"query": "blue", "key": "orange", "value": "green", "output": "violet"}
_COLOURS = _ROLES | {"accent": "primary", "muted": "gray"}


def role_markdown(parts: Iterable[tuple[str, str | None]]) -> str:
    """Markdown of texts side by side, their formulas set, each in its role's colour or its tone, which ink is."""
    return "".join(
        f":{_COLOURS[role]}[{plain_markdown(text, 300)}]" if role in _COLOURS else plain_markdown(text, 300)
        for text, role in parts
    )
