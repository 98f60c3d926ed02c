"""Text as people type it: a keyboard types in full width, and a copy brings along signs that nobody sees."""

import re
import unicodedata
from typing import Final

# Unicode's Default_Ignorable_Code_Point, and the empty cell of Braille.
UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def normalised(text: str) -> str:
    """Text in the width of ASCII (NFKC), without signs that are not seen, its white space made single."""
    return " ".join(UNSEEN.sub("", unicodedata.normalize("NFKC", text)).split())
