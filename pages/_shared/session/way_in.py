"""A class's key as somebody has typed it, or copied it with a link around it."""

import re
from dataclasses import dataclass
from typing import Final

from pages._shared.core.incoming import SECRET, TEACHER, decoded, normalised
from pages._shared.rooms.room import TICKET

LONGEST: Final = 4_000  # characters that are looked at
_QUOTED: Final = 20  # characters of a key that cannot be one, that are said again: a secret has more


@dataclass(frozen=True, slots=True)
class WayIn:
    """What leads into a class."""

    key: str  # letters and digits, in capitals; whether they are a key is still to be seen
    ticket: str = ""  # of the class's link or code; empty where the key alone was typed
    secret: str = ""  # the teacher's, of the teacher's own link


def read(given: str) -> WayIn:
    """The way into a class that somebody means: a key, with a ticket or without, or a link that holds them."""
    text = normalised(decoded(given[:LONGEST]))
    secret = SECRET.search(text)
    link = re.search(r"\bclass\s*=([^&#]*)", text, re.IGNORECASE)
    text = link[1] if link else re.split(rf"[#&?]|\b{TEACHER}\b", text, flags=re.IGNORECASE)[0]
    ticket = re.search(rf"-({TICKET.pattern})\W*$", text, re.ASCII | re.IGNORECASE)
    letters = text[: ticket.start()] if ticket else text
    key = "".join(filter(str.isalnum, letters)).upper()
    return WayIn(key, ticket[1].lower() if ticket else "", secret[1] if secret else "")


def write(key: str, ticket: str) -> str:
    """What a link holds of a class."""
    return f"{key}-{ticket}" if ticket else key


def quotable(given: str) -> str:
    """What may be said again of what is no key; empty where it could hold a teacher's secret."""
    text = normalised(decoded(given[:LONGEST]))
    return text.upper() if len(text) <= _QUOTED and TEACHER not in text.lower() else ""
