"""A lesson: what a teacher hands out in one link; what shows, what is fixed or hidden, a note, what is asked."""

import base64
import binascii
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from pages._shared.lessons.questions import MOST, Prepared, read

MAX_NOTE = 280
PARTS = {
    "predict": "Predict",
    "presets": "Presets",
    "controls": "Controls",
    "break": "Break it",
    "why": "Why",
    "code": "Code",
    "data": "Data",
    "pin": "Pin",
}
_ORDER = tuple(PARTS)  # a link counts the parts, so their order stays as it is
_MAX_BYTES = 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a teacher hands out.

    Attributes:
        parts: The parts of a page that show, of ``PARTS``.
        fixed: What each fixed setting is set to, as a link spells it, by its key in the link. Older links hold the
            value itself.
        hidden: Keys, of ``fixed``, that are not drawn at all.
        predict_first: Whether the picture waits for a prediction.
        note: A short note to the class.
        questions: What the teacher asks a live class, in this order.
    """

    parts: tuple[str, ...] = _ORDER
    fixed: dict[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    predict_first: bool = False
    note: str = ""
    questions: tuple[Prepared, ...] = ()

    def encode(self) -> str:
        """The lesson as text that an address can hold."""
        content = {
            "parts": [_ORDER.index(part) for part in self.parts],
            "fixed": self.fixed,
            "hidden": self.hidden,
            "first": int(self.predict_first),
            "note": self.note,
        } | ({"ask": [one.plain() for one in self.questions]} if self.questions else {})
        packed = zlib.compress(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(), 9)
        return base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @staticmethod
    def decode(text: str) -> "Lesson":
        """The lesson that ``text`` holds.

        Raises:
            ValueError: If it holds none: not made by ``encode``, or larger than a lesson may be.
        """
        try:
            packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            unpacker = zlib.decompressobj()
            plain = unpacker.decompress(packed, _MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError("too large")
            content = json.loads(plain)
            parts = tuple(_ORDER[int(i)] for i in content["parts"] if 0 <= int(i) < len(_ORDER))
            fixed = {str(key): _plain(value) for key, value in dict(content["fixed"]).items()}
            hidden = tuple(str(key) for key in content["hidden"] if str(key) in fixed)
            note = str(content["note"])[:MAX_NOTE]
            questions = tuple(read(one) for one in content.get("ask", ())[:MOST])
            return Lesson(
                parts=parts, fixed=fixed, hidden=hidden, predict_first=bool(content["first"]), note=note,
                questions=questions,
            )  # fmt: skip
        except (binascii.Error, zlib.error, KeyError, TypeError, AttributeError, RecursionError, ValueError) as error:
            raise ValueError("This link's lesson cannot be read, so the page opens without it.") from error


def _plain(value: object) -> Any:
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} is no value of a setting")
