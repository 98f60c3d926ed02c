"""All limits of live classes, and the checks of their messages."""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from pages._shared.class_rooms.refusal import RoomError
from attention_core.language import LANGUAGES
from attention_core.language import gettext_lazy as _

# Controls, halves of characters, line separators, and what turns the writing direction of all that follows.
UNFIT = re.compile("[\u2028\u2029\u202a-\u202e\u2066-\u2069]")
NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
BY_CHANCE = re.compile(r"[A-Za-z0-9_-]{8,64}")
SETTINGS = re.compile(r"[!$-;=?-Z_a-z~]{0,1500}")
COURSE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of live classes; the defaults are those of the app."""

    rooms: int = 200  # open at once in one store
    voters: int = 500  # of one room: who is here, and who votes in a round
    questions: int = 50  # of one room
    body: int = 2048  # bytes of a request's body; beside a course
    course: int = 16_000  # characters of a room's course, as a link would hold it
    text: int = 500  # characters of a question
    answers: int = 6  # of a question, which has two at least
    answer_text: int = 120  # characters of an answer
    sentence: int = 240  # characters of why nothing was measured, in each language
    different: int = 5_000  # answers of a room that are not alike, over all its rounds
    streams: int = 4  # event streams of one voter in one process (tabs)
    onlookers: int = 20  # event streams of one room and process that name no voter (the teacher's tabs)
    messages: int = 5  # of one voter in one process at once; then one each `message_s` seconds
    message_s: float = 0.2  # see there
    wrong_keys: int = 30  # of one address at once; then one each `wrong_key_s` seconds
    wrong_key_s: float = 2.0  # see there
    new_rooms: int = 20  # of one address at once; then one each `new_room_s` seconds
    new_room_s: float = 60.0  # see there
    life_s: float = 12 * 3600.0  # of a room, in seconds
    beat_s: float = 10.0  # seconds between two signs of life on a stream that has nothing to tell
    present_s: float = 25.0  # seconds for which a student who was seen is here; longer than two beats
    lost_s: float = 180.0  # seconds for which a student who said so is lost
    # Seconds at least between two events that tell of nothing but who is here and how many have voted.
    counts_s: float = 1.0


class Rate:
    """So many at once, and after that one each ``interval`` seconds, for every name on its own.

    It keeps for each name the moment at which all it took will be paid off, and forgets names that owe nothing.

    Args:
        burst: How many at once.
        interval: Seconds that one costs.
        clock: Where the time comes from, in seconds.
    """

    def __init__(self, burst: int, interval: float, clock: Callable[[], float] = monotonic) -> None:
        self._credit = (burst - 1) * interval
        self._interval = interval
        self._clock = clock
        self._paid: dict[Any, float] = {}
        self._sweep_at = 1024

    def wait(self, name: Any) -> float:
        """Seconds until ``name`` may take one; 0 if now."""
        now = self._clock()
        return max(0.0, self._paid.get(name, now) - now - self._credit)

    def take(self, name: Any) -> None:
        """Take one."""
        now = self._clock()
        if len(self._paid) >= self._sweep_at:
            self._paid = {other: paid for other, paid in self._paid.items() if paid > now}
            self._sweep_at = max(1024, 2 * len(self._paid))
        self._paid[name] = max(now, self._paid.get(name, now)) + self._interval

    def check(self, name: Any, sentence: str) -> None:
        """Take one, or raise a `RoomError` with ``sentence`` if it is too early."""
        if wait := self.wait(name):
            raise RoomError(429, sentence, wait)
        self.take(name)


def parse(body: bytes) -> dict[str, Any]:
    """The JSON object that a request carries."""
    try:
        message = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise RoomError(400, _("The message must be one JSON object."))
    return message


def _no_number(name: str) -> None:
    raise ValueError(name)


def whole(message: Mapping[str, Any], field: str) -> int:
    """A whole number."""
    value = message.get(field)
    if type(value) is not int:
        raise RoomError(422, _("“{field}” must be a whole number.", field=field))
    return value


def spelled(message: Mapping[str, Any], field: str, pattern: re.Pattern[str], what: str) -> str:
    """A text of few, harmless characters."""
    value = message.get(field)
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise RoomError(422, _("“{field}” must be {what}.", field=field, what=what))
    return value


def name(message: Mapping[str, Any], field: str) -> str:
    """The name of a question or a page."""
    return spelled(message, field, NAME, _("1 to 40 letters, digits, - or _"))


def voter(value: str | None) -> str:
    """The random name that a student's browser gave itself."""
    return spelled({"voter": value}, "voter", BY_CHANCE, _("8 to 64 letters, digits, - or _"))


def command_id(message: Mapping[str, Any]) -> str:
    """The random name of a command, if it has one; one that comes again under it is the same command."""
    if "id" not in message:
        return ""
    return spelled(message, "id", BY_CHANCE, _("8 to 64 letters, digits, - or _"))


def sentences(value: Any, field: str, most: int) -> dict[str, str]:
    """A sentence in some of the app's languages, by the language."""
    if not isinstance(value, dict) or not value.keys() <= LANGUAGES.keys():
        known = ", ".join(LANGUAGES)
        raise RoomError(422, _("“{field}” must hold a text for each language ({known}).", field=field, known=known))
    return {language: text(sentence, field, most) for language, sentence in value.items()}


def text(value: Any, field: str, most: int) -> str:
    """Something to read: on one line, white space made single."""
    if not isinstance(value, str):
        raise RoomError(422, _("“{field}” must be text.", field=field))
    line = " ".join(value.split())
    if not 1 <= len(line) <= most:
        raise RoomError(422, _("“{field}” must have 1 to {most} characters.", field=field, most=most))
    if UNFIT.search(line) or any(unicodedata.category(character) in ("Cc", "Cs") for character in line):
        raise RoomError(422, _("“{field}” holds characters that cannot be shown.", field=field))
    return line
