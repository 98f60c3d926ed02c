"""The texts that can be trained on: one of our own, and those that visitors brought and still have open."""

import hashlib
import threading
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Final
from weakref import WeakValueDictionary

import numpy as np
from jaxtyping import Int

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import frozen
from attention_core.measuring.checks import ConfigError
from attention_core.studies.learning.text.cut import CHARACTERS, MOST_KINDS, OFTEN, PARTS, WORDS, cut
from attention_core.studies.learning.text.rhyme import rhyme

MAX_TEXT: Final = 50_000
MAX_TOKEN: Final = 256  # characters; a longer word is cut no further, and such a text is taken by characters
LEAST: Final = 200  # tokens: of a tenth of fewer no interval is told
HELD_OUT: Final = 10  # one in so many is held out: the tail
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")  # how a text in UTF-16 begins
_UNSEEN: Final = frozenset("\u200b\u2060\ufeff")
_REFUSED: Final = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_DIRECTIONS: Final = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True, kw_only=True)
class Text:
    """A text as numbers of tokens. One that was brought lasts as long as somebody holds it, and equals itself alone.

    Attributes:
        digest: SHA-256 of its tokens: the same text is one for all who open it; empty for ours.
        by: What it is cut into: ``words`` or ``characters``.
        words: Its kinds of tokens, the most frequent first.
        ids: Which of them each token is, int32 (tokens,).
    """

    digest: str
    by: str
    words: tuple[str, ...]
    ids: Int[np.ndarray, " tokens"]

    @property
    def tail(self) -> int:
        """How many of its last tokens are held out."""
        return len(self.ids) // HELD_OUT

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers."""
        return self.ids.nbytes


_open: WeakValueDictionary[str, Text] = WeakValueDictionary()
_lock = threading.Lock()


@cache
def ready_made() -> Text:
    """The text of our own."""
    return _made(rhyme(), "")


def held(digest: str) -> Text | None:
    """The text of that digest, as long as somebody has it open; ours where it is empty."""
    return _open.get(digest) if digest else ready_made()


def bring_text(content: bytes | str) -> Text:
    """The text that somebody pasted, or that a file holds: the one that is open already where it is the same.

    Args:
        content: The text, or the bytes of a file in UTF-8.

    Raises:
        ConfigError: If it is too large or too short, is no text in UTF-8, or cannot be cut into few enough kinds.
    """
    text = _read(content)
    found = _made(text, hashlib.sha256(text.encode()).hexdigest())
    with _lock:
        return _open.setdefault(found.digest, found)


def _refused(given: object, allowed: str) -> ConfigError:
    return ConfigError("own_text", given, allowed)


def too_large(count: int) -> ConfigError:
    """The refusal of a text of so many bytes."""
    given = _("a text of {count:,} bytes", count=count)
    return _refused(given, _("at most {most:,} bytes are allowed", most=MAX_TEXT))


def _read(content: bytes | str) -> str:
    """The characters, ends of lines all alike, without those that show nothing."""
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError:  # half of a pair
        raise _refused(_("a text with half a character"), _("a text in UTF-8 has none")) from None
    if len(data) > MAX_TEXT:
        raise too_large(len(data))
    if data.startswith(_WIDE):
        raise _refused(_("a file in UTF-16"), _("save it again in UTF-8"))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        given = _("a file that is no UTF-8 from its byte {place:,} on", place=error.start + 1)
        raise _refused(given, _("save it again in UTF-8")) from None
    text = "".join(each for each in text if each not in _UNSEEN).replace("\r\n", "\n").replace("\r", "\n").strip()
    for each in dict.fromkeys(text):
        if not _is_shown(each):
            given = _("a file with the sign U+{code:04X}", code=ord(each))
            raise _refused(given, _("plain text has none; it may be another kind of file"))
    if not text:
        raise _refused("", _("a text of {least:,} words or characters is needed", least=LEAST))
    return text


def _is_shown(sign: str) -> bool:
    """Whether a sign may stand in a text: ends of lines and tabs may, but nothing that cannot be shown, or that turns
    the direction of what is written around it.
    """
    refused = unicodedata.category(sign) in _REFUSED or unicodedata.bidirectional(sign) in _DIRECTIONS
    return sign in "\n\t" or not refused


def is_token(token: object) -> bool:
    """Whether it may be a token of a text."""
    return isinstance(token, str) and 0 < len(token) <= MAX_TOKEN and all(map(_is_shown, token))


def _made(text: str, digest: str) -> Text:
    """The text cut into words, if they are few enough and come often enough, else into characters."""
    kinds = {}
    for by in (WORDS, CHARACTERS):
        tokens = cut(text, by)
        counts = Counter(tokens)
        kinds[by] = len(counts)
        short = max(map(len, counts)) <= MAX_TOKEN
        if short and len(counts) <= MOST_KINDS and len(tokens) >= max(LEAST, OFTEN * len(counts) * (by == WORDS)):
            return _numbered(tokens, counts, by, digest)
    if len(tokens) < LEAST:
        given = ngettext_lazy("a text of {count:,} character", "a text of {count:,} characters", len(tokens))
        raise _refused(given, _("at least {least:,} are needed: a tenth of them is held out", least=LEAST))
    given = _("a text of {words:,} kinds of words and {characters:,} of characters", **kinds)
    raise _refused(given, _("at most {most:,} of either are allowed", most=MOST_KINDS))


def _numbered(tokens: tuple[str, ...], counts: Counter[str], by: str, digest: str) -> Text:
    if len(counts) == 1:
        given = _("one and the same token, {count:,} times", count=len(tokens))
        raise _refused(given, _("two different {parts} are needed, or there is nothing to learn", parts=PARTS[by]))
    words = tuple(word for word, _count in counts.most_common())
    number = {word: at for at, word in enumerate(words)}
    ids = frozen(np.array([number[token] for token in tokens], np.int32))
    return Text(digest=digest, by=by, words=words, ids=ids)
