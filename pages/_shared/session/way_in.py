"""A class's key as somebody has typed it, or copied it with a link around it."""

import re
from dataclasses import dataclass
from typing import Final

from pages._shared.class_rooms.room import ALPHABET, KEY_LETTERS, TICKET, is_key
from pages._shared.core.incoming import SECRET, TEACHER, decoded
from attention_core.typed import normalised

LONGEST: Final = 4_000  # characters that are looked at
# A key among other words, perhaps with its ticket, whose hyphen may be a dash by now; Proofpoint puts __; behind it.
_KEY: Final = re.compile(
    rf"(?<![\w-])([{ALPHABET}]{{{KEY_LETTERS}}})(?:[\W_]+({TICKET.pattern}))?(?:(?=__;)|(?![\w-]|://))",
    re.ASCII | re.IGNORECASE,
)
_QUOTED: Final = 20  # characters of a key that cannot be one, that are said again: a secret has more


@dataclass(frozen=True, slots=True)
class WayIn:
    """A way into a class."""

    key: str  # letters and digits, in capitals; whether they are a key is still to be seen
    ticket: str = ""  # of the class's link or code; empty where the key alone was typed
    secret: str = ""  # the teacher's, of the teacher's own link


def read(given: str) -> WayIn:
    """Read the way into a class: a key, with a ticket or without, or a link that holds them.

    Words around a key are passed over, but not a second key. Of a link the first is meant.
    """
    text = normalised(decoded(_unwrapped(given[:LONGEST])))
    secret = SECRET.search(text)
    link = re.search(r"\bclass\s*=([^&#]*)", text, re.IGNORECASE)
    text = link[1] if link else re.split(rf"[#&?]|\b{TEACHER}\b", text, flags=re.IGNORECASE)[0]
    text = text.removeprefix("3D")  # of =3D, as mail writes =
    key, ticket = "".join(filter(str.isalnum, text)).upper(), ""
    keys = {(letters.upper(), suffix.lower()) for letters, suffix in _KEY.findall(text)[: 1 if link else None]}
    if not is_key(key) and len(keys) == 1:
        ((key, ticket),) = keys
    return WayIn(key, ticket, secret[1] if secret else "")


def _unwrapped(link: str) -> str:
    """A link as it was before Proofpoint's second version wrote - for % and _ for /."""
    if "urldefense.proofpoint.com/v2/" not in link:
        return link
    return re.sub("-(?=[0-9A-F]{2})", "%", link.replace("_", "/"))


def write(key: str, ticket: str) -> str:
    """A class as a link holds it."""
    return f"{key}-{ticket}" if ticket else key


def quotable(given: str) -> str:
    """A wrong key as it may be quoted; empty where it could hold a teacher's secret."""
    text = normalised(decoded(given[:LONGEST]))
    return text.upper() if len(text) <= _QUOTED and TEACHER not in text.lower() else ""
