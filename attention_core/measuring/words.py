"""Cuts typed text into words: at spaces, or at each character where a language writes none.

    words("the cat sat")  # ("the", "cat", "sat")
    words("我爱你，BERT！")  # ("我", "爱", "你", "，", "BERT", "！")
    words("我们 爱 猫")  # ("我们", "爱", "猫")

A character is what a reader takes for one: a letter with its marks, an emoji with all that is joined to it; by the
rules for extended grapheme clusters in Unicode's annex 29, as far as ``unicodedata`` knows the signs.
"""

import re
import unicodedata
from typing import Final

# How Unicode names the letters of languages that are written without spaces between words. Korean has spaces, but
# words of several syllables: a text without any is cut as well.
_UNSPACED: Final = (
    "CJK ", "IDEOGRAPHIC ", "BOPOMOFO ", "HIRAGANA ", "KATAKANA", "HALFWIDTH KATAKANA", "HANGUL ",
    "HALFWIDTH HANGUL ", "THAI ", "LAO ", "KHMER ", "MYANMAR ",
)  # fmt: skip
_RARE_HAN: Final = ("\U00020000", "\U0003ffff")  # newer ones have no name yet in an older Python
_WITHOUT_UNSEEN: Final = str.maketrans("", "", "\u200b\u2060\ufeff")  # zero-width space, word joiner, byte order mark
_JOINER: Final = "\u200d"
# Part of the character before: joiners, skin tones, tags; Thai and Lao am and half-width voiced marks, which are
# letters by their category. After a stacker of Khmer or Myanmar the next letter is, too.
_ADDED: Final = re.compile("[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u0e33\u0eb3\uff9e\uff9f]")
_STACKERS: Final = "\u17d2\u1039"
_FLAG: Final = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
# Parts of a Korean syllable, each after the one before it.
_SYLLABLE: Final = re.compile(
    "[\u1100-\u115f\ua960-\ua97f]{2}|[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff][\u1160-\u11ff\ud7b0-\ud7ff]"
)
_DOUBLED: Final = re.compile("——|……")


def words(text: str) -> tuple[str, ...]:
    """The words of a text: what stands between its spaces; without any, the characters where a language has none."""
    return characters(text.strip()) if is_unspaced(text) else tuple(text.split())


def is_unspaced(text: str) -> bool:
    """Whether a text has no spaces, but a letter of a language that is written without them."""
    return len(text.split()) == 1 and any(map(is_unspaced_letter, text))


def is_unspaced_letter(character: str) -> bool:
    """Whether a character is a letter of a language that is written without spaces between words."""
    if _RARE_HAN[0] <= character <= _RARE_HAN[1]:
        return True
    kind = unicodedata.category(character)
    return (kind.startswith("L") or kind == "Nl") and unicodedata.name(character, "").startswith(_UNSPACED)


def characters(text: str) -> tuple[str, ...]:
    """The characters of a text without spaces, punctuation too; of other scripts whole words and numbers."""
    text = text.translate(_WITHOUT_UNSEEN)
    starts = [0]
    for at in range(1, len(text)):
        if not (_is_joined(text, starts[-1], at) or _is_of_word(text, starts[-1], at)):
            starts.append(at)
    ends = (*starts[1:], len(text))
    return tuple(text[start:end] for start, end in zip(starts, ends, strict=True) if start < end)


# The next two look at the signs around ``at``, not at all since ``start``: one word may be all of a very long text.
def _is_joined(text: str, start: int, at: int) -> bool:
    """Whether the sign at a place belongs to the character that begins at ``start`` and ends before it."""
    last, character = text[at - 1], text[at]
    return (
        _is_mark(character)
        or (last == _JOINER and not character.isalnum())
        or (last in _STACKERS and is_unspaced_letter(character))
        or (at - start == 1 and any(pair.fullmatch(last + character) for pair in (_FLAG, _DOUBLED)))
        or _SYLLABLE.fullmatch(last + character) is not None
        or (_is_mark(text[start]) and all(map(_is_mark, text[start:at])))  # which nothing stands before
    )


def _is_of_word(text: str, start: int, at: int) -> bool:
    """Whether the sign at a place goes on with a word or a number of another script: ``don't``, ``3.5``."""
    if not _is_letter(text[start]):
        return False
    last, character, after = text[at - 1], text[at], text[at + 1 : at + 2]
    inner = character in "'’-_" or (character in ".," and last.isdecimal() and after.isdecimal())
    return _is_letter(character) or (inner and after != "" and _is_letter(after))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M") or _ADDED.match(character) is not None


def _is_letter(character: str) -> bool:
    return character.isalnum() and not is_unspaced_letter(character)
