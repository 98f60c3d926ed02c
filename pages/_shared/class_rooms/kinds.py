"""What phones send and what counts as right, for each kind of question.

An answer is plain JSON: a place, a list of places, a number or a text. A vote is kept as its JSON text, always
spelled alike: the same answers are the same vote.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from pages._shared.class_rooms.limits import text, whole
from pages._shared.class_rooms.question import Kind, Question, Right
from pages._shared.class_rooms.refusal import RoomError
from attention_core.language import gettext_lazy as _
from attention_core.typed import normalised

LARGEST: Final = 1e12  # of a number, on both sides of 0
DIGITS: Final = 12  # of a number that count
LONGEST: Final = 40  # characters of a number or a few words, as they are typed
MOST_WORDS: Final = 6
MOST_SHOWN: Final = 30  # different words that are shown at once

NO_NUMBER: Final = _("This is no number: write it like 1250, 0.5 or 1e-3, without a unit, and a thousand as 1000.")

_NUMBER: Final = re.compile(r"[+-]?\d+([.,]\d+)?(e[+-]?\d{1,3})?", re.IGNORECASE)
_GROUPED: Final = re.compile(r"[+-]?[1-9]\d*,\d{3}", re.IGNORECASE)
_AROUND: Final = " .,;:!?\"'`“”„‘’«»「」《》()。、…-"  # of a few words, what is no part of them

Answer = int | float | str | list[int]


def number(typed: object) -> int | float:
    """A number as somebody has typed it, or as JSON has it; a comma may stand for the point.

    Raises:
        RoomError: It is none, too large, or may be read in two ways.
    """
    if isinstance(typed, str):
        spelled = normalised(typed[: LONGEST + 1]).replace("−", "-")
        if len(typed) > LONGEST or not _NUMBER.fullmatch(spelled) or _GROUPED.fullmatch(spelled):
            raise RoomError(422, NO_NUMBER)
        value = float(spelled.replace(",", "."))
    elif isinstance(typed, int | float) and not isinstance(typed, bool):
        value = max(-2 * LARGEST, min(2 * LARGEST, typed))  # a whole number may be larger than a float
    else:
        raise RoomError(422, NO_NUMBER)
    if not abs(value) <= LARGEST:
        raise RoomError(422, _("A number may be from −{most} to {most}.", most="1e12"))
    value = float(f"{value:.{DIGITS}g}")
    return int(value) if value.is_integer() else value


def read_answer(question: Question, raw: object) -> Answer:
    """A phone's answer to a question.

    Raises:
        RoomError: It is no answer to a question of this kind.
    """
    match question.kind:
        case Kind.ONE:
            return _place(question, whole({"answer": raw}, "answer"))
        case Kind.SEVERAL:
            return list(_places(question, raw))
        case Kind.NUMBER:
            return number(raw)
        case Kind.WORDS:
            return _words(raw)


def read_right(question: Question, raw: object) -> Right:
    """The right answer to a question, as the teacher sends it.

    Raises:
        RoomError: It is none of a question of this kind.
    """
    if raw is None:
        return None
    match question.kind:
        case Kind.ONE:
            return _place(question, whole({"answer": raw}, "answer"))
        case Kind.SEVERAL:
            return _places(question, raw)
        case Kind.NUMBER:
            pair: list[Any] | tuple[Any, ...] = raw if isinstance(raw, list | tuple) else ()
            if len(pair) != 2 or number(pair[1]) < 0:
                sentence = _("“answer” must be a list of the right number and how far from it is still right.")
                raise RoomError(422, sentence)
            return number(pair[0]), number(pair[1])
        case Kind.WORDS:
            raise RoomError(422, _("A question that is answered in words has no right answer."))


def _place(question: Question, answer: int) -> int:
    most = len(question.answers) - 1
    if not 0 <= answer <= most:
        says = _(
            "The answer must be the place of one of the {count} answers, from 0 to {most}.", count=most + 1, most=most
        )
        raise RoomError(422, says)
    return answer


def _places(question: Question, raw: object) -> tuple[int, ...]:
    places = places_of(raw, len(question.answers))
    if not places:
        says = _(
            "The answer must be a list of places, one or more of the {count} answers, from 0 to {most}.",
            count=len(question.answers),
            most=len(question.answers) - 1,
        )
        raise RoomError(422, says)
    return places


def places_of(raw: object, count: int) -> tuple[int, ...] | None:
    """Places below ``count`` in their order, none twice; None for anything else."""
    if not isinstance(raw, list | tuple) or len(raw) > count:
        return None
    if not all(type(place) is int and 0 <= place < count for place in raw) or len(set(raw)) < len(raw):
        return None
    return tuple(sorted(raw))


def _words(raw: object) -> str:
    """A few words as all who mean the same write them: no capitals, one width, single spaces, nothing around them."""
    words = normalised(text(raw, "answer", LONGEST)).casefold().strip(_AROUND)
    if not words:
        raise RoomError(422, _("The answer has no word in it."))
    if len(words.split()) > MOST_WORDS or len(words) > LONGEST:
        raise RoomError(422, _("The answer may have {most} words.", most=MOST_WORDS))
    return words


def vote_of(answer: Answer) -> str:
    """What is kept of an answer: always the same for the same answer."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def answer_of(vote: str) -> Answer:
    """The answer that a vote was made of."""
    return json.loads(vote)


def is_right(answer: Answer, right: Right) -> bool:
    """Whether an answer is the right one; of a number, whether it is as near as it has to be.

    Numbers are compared as they are written: 0.4 is 0.1 from 0.3, which it is not in binary.
    """
    if isinstance(right, tuple) and isinstance(answer, int | float):
        value, within = map(Decimal, map(str, right))
        return abs(Decimal(str(answer)) - value) <= within
    if isinstance(right, tuple) and isinstance(answer, list):
        return tuple(answer) == right
    return right is not None and answer == right


def tally(question: Question, votes: Mapping[str, int], words: Sequence[str] = ()) -> list[Any]:
    """The votes of a round as they are shown.

    Args:
        question: What was asked.
        votes: How many gave each answer.
        words: Those that are shown, of a question that is answered in words.

    Returns:
        For each of the question's answers how many chose it; else pairs of an answer and how many gave it, numbers in
        their order, words in the order of ``words``.
    """
    match question.kind:
        case Kind.ONE:
            return [votes.get(vote_of(place), 0) for place in range(len(question.answers))]
        case Kind.SEVERAL:
            chosen = Counter[int]()
            for vote, count in votes.items():
                chosen.update(dict.fromkeys(json.loads(vote), count))
            return [chosen[place] for place in range(len(question.answers))]
        case Kind.NUMBER:
            return sorted([json.loads(vote), count] for vote, count in votes.items())
        case Kind.WORDS:
            return [[word, votes.get(vote_of(word), 0)] for word in words]
