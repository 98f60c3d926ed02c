"""Text for the screen: what people typed made literal, and roles in their colours."""

import re
from collections.abc import Iterable

from attention_core.figures.mathematics import set_markdown

_ACTIVE = frozenset("\\`*_{}[]()#+-.!|<>$:~&=^@")


def escape_markdown(text: str, limit: int = 60) -> str:
    """Escape ``text`` for Markdown, cut after ``limit`` characters."""
    text = str(text)
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join("\\" + char if char in _ACTIVE else char for char in short)


def plain_markdown(text: str, limit: int) -> str:
    """Escape a text of ours for Markdown, with its formulas set, cut to whole words within ``limit`` characters."""
    text = str(text)
    if len(text) > limit:
        begin = text[: limit - 1]
        text = (begin.rpartition(" ")[0].rstrip(" .,;:") or begin) + "…"
    return set_markdown(text, lambda part: escape_markdown(part, limit + 1))


def plain_text(markdown: str) -> str:
    """Plain text of escaped Markdown whose only marks are bold and the colours of roles."""
    return re.sub(r"\\(.)|\*\*", r"\1", re.sub(r":[a-z]+\[([^\]]*)\]", r"\1", markdown))


_JOINER = "\N{WORD JOINER}"


def no_line_breaks(text: str) -> str:
    """Keep Markdown from breaking lines between a mark and its word, and within a number or |γ|·√d.

    Chromium ends one after an exponent's minus.
    """
    joined = re.sub(r"((?<=\de)\\?-(?=\d)|\|(?=[·√]))", rf"\1{_JOINER}", str(text))
    return re.sub(r"(:material/\w+:) (?=\S)", "\\1\N{NO-BREAK SPACE}", joined)


_ROLES = {"query": "blue", "key": "orange", "value": "green", "output": "violet"}
_COLOURS = _ROLES | {"accent": "primary", "muted": "gray"}


def role_markdown(parts: Iterable[tuple[str, str | None]]) -> str:
    """Markdown of texts side by side, each in the colour of its role, their formulas set."""
    return "".join(
        f":{_COLOURS[role]}[{plain_markdown(text, 300)}]" if role in _COLOURS else plain_markdown(text, 300)
        for text, role in parts
    )
