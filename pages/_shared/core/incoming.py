"""Clean what comes in through other people's keyboards and programs.

A keyboard types in full width, a copy brings along signs that nobody sees, a mail program writes ``&amp;`` for ``&``
and ``%23`` for ``#``, and a sentence puts its full stop behind a link.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote

from attention_core.typed import UNSEEN, normalised

TEACHER: Final = "teacher"  # what the fragment of a teacher's own link names its secret
SECRET: Final = re.compile(rf"\b{TEACHER}\s*=\s*([\w-]{{1,32}})", re.ASCII | re.IGNORECASE)

_BEFORE: Final = " \"'`“”„‘’‚«»‹›「『《〈【([{<*_~"  # what a sentence, Markdown or a mail program puts around a link
_BEHIND: Final = " \"'`“”„‘’‚«»‹›」』》〉】)]}>*_~.,;:!?。、|\\"
_AROUND_NAME: Final = re.compile(r"^(?:amp;|\W)+|\W+$")
_ENTITIES: Final = ("", "amp", "lt", "gt", "quot", "apos", "nbsp")  # such as is left of a link in &lt; and &gt;
_ADDED: Final = re.compile(
    r"utm_\w+|\w*clk?id|srsltid|mc_[ce]id|_hs(?:enc|mi)|mkt_tok|igshi?d|_g[al]|spm|from|isappinstalled|nsukey"
)  # what others put into a link to count presses
_ADDED_AGAIN: Final = re.compile(rf"\?(?:{_ADDED.pattern})=.*", re.DOTALL)  # behind a link that had its ? already
_DEEPEST: Final = 4  # how often a link may have been encoded


def first_sign(text: str) -> tuple[str, str]:
    """The first visible character, in the width of ASCII, and what follows it."""
    gap = rf"(?:\s|{UNSEEN.pattern})*"
    match = re.match(rf"{gap}(\S){gap}(.*)", text, re.DOTALL)
    return (normalised(match[1]), match[2].rstrip()) if match else ("", "")


def bare(text: str) -> str:
    """Text normalised, without punctuation around it."""
    return normalised(text).lstrip(_BEFORE).rstrip(_BEHIND)


def decoded(text: str) -> str:
    """Text with percent-encoding undone, however often it was encoded."""
    for _ in range(_DEEPEST):
        text, before = unquote(text), text
        if text == before:
            break
    return text


def parameters(query: Mapping[str, str]) -> dict[str, str]:
    """A link's parameters, each under the name that was meant; a teacher's secret under ``TEACHER``.

    Args:
        query: What the address holds. A name that came unchanged goes before one that did not.
    """
    read: dict[str, str] = {}
    for given, text in _pairs(query):
        name = _AROUND_NAME.sub("", normalised(decoded(given)).lower())
        is_left_over = name in _ENTITIES and not text
        if (name == given or name not in read) and not is_left_over and not _ADDED.fullmatch(name):
            secret = SECRET.search(f"{TEACHER}={bare(text)}") if name == TEACHER else None
            read[name] = secret[1] if secret else _ADDED_AGAIN.sub("", text)
    return read


def _pairs(query: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in query.items():
        # A query that was encoded as a whole is one name.
        whole = decoded(name)
        pairs = parse_qsl(f"{whole}={text}".rstrip("="), keep_blank_values=True) if "=" in whole else [(name, text)]
        for key, value in pairs:
            before, mark, fragment = decoded(value).partition("#")
            if mark and (secret := SECRET.match(fragment.lstrip("#? "))):
                yield TEACHER, secret[1]
                yield key, before
            else:
                yield key, value
