"""Questions for a class, as text: in a lesson, in the order in which they are asked.

A question is lines: what is asked, then an answer a line, the right one marked by a star, or several by one each.
One line ``= 64 ± 5`` in their place asks for a number, and says which is right and how far from it one may be; ``=``
alone says no right one. One line of underscores or dots, ``...``, asks for a few words. An empty line begins the next
question. The page's own question is one line, ``OWN``, in any language. The text is what is kept and sent.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from pages._shared.class_rooms.commands import own_question
from pages._shared.class_rooms.kinds import number
from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.question import Kind, Right
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.core.incoming import bare, first_sign
from attention_core.language import LANGUAGES, gettext_lazy, ngettext, using
from attention_core.language import gettext as _
from attention_core.typed import normalised

MOST: Final = 12
LONGEST: Final = MOST * 1_500  # characters of all questions together
_SHOWN: Final = 60  # characters of a question, where it is said what is wrong with it
_LIMITS: Final = Limits()
OWN: Final = gettext_lazy("This page's question")
HINT: Final = gettext_lazy(
    "A question, then an answer a line, 2 to {most} of them, a star before the right one, or before each of several. "
    "In their place one line “= 64 ± 5” asks for a number, “=” for one that is neither right nor wrong, “...” for "
    "a few words. An empty line begins the next question. The line *{own}* stands for the one that the page asks and "
    "measures.",
    most=_LIMITS.answers,
    own=OWN,
)
STARS: Final = tuple("*∗⁎✱✲★☆⭐")  # what keyboards, and programs that correct what is typed, have for a star
_BYTES: Final = _LIMITS.body - 128  # of a question as it is sent; the rest of the message is its name and round


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question to ask a class."""

    text: str = ""  # what is asked; empty for the page's own question
    answers: tuple[str, ...] = ()  # none for the page's own question
    right: Right = None  # the right one; None if there is none
    kind: Kind = Kind.ONE  # what an answer is

    def plain(self) -> dict[str, Any]:
        """What the browser and the room are told of it."""
        right = list(self.right) if isinstance(self.right, tuple) else self.right
        return {"kind": self.kind.value, "text": self.text, "answers": list(self.answers), "right": right}


def parse(text: str, *, asks: bool) -> tuple[list[PreparedQuestion], str]:
    """Read questions.

    Args:
        text: The questions.
        asks: Whether the page they belong to has a question of its own.

    Returns:
        Those that can be asked, and what is wrong with the first that cannot; empty where all can.
    """
    questions: list[PreparedQuestion] = []
    errors: list[str] = []
    for title, *answers in _blocks(text):
        try:
            questions.append(_question(title, answers, asks))
        except ValueError as error:
            shown = title if len(title) <= _SHOWN else f"{title[: _SHOWN - 1]}…"
            errors.append(_("“{text}” {error}.", text=shown, error=error))
    if len(questions) > MOST:
        errors.append(
            _("There are {count} questions, of which the first {most} are kept.", count=len(questions), most=MOST)
        )
    return questions[:MOST], "".join(errors[:1])


def askable(text: str, *, asks: bool) -> str:
    """Questions without those that cannot be asked; see ``parse``."""
    blocks = map("\n".join, _blocks(text))
    return "\n\n".join([block for block in blocks if not parse(block, asks=asks)[1]][:MOST])


def _blocks(text: str) -> Iterator[list[str]]:
    """The lines of each question."""
    for is_empty, block in groupby(text.splitlines(), lambda line: not normalised(line)):
        if not is_empty:
            yield [line.strip() for line in block]


def _question(title: str, lines: list[str], asks: bool) -> PreparedQuestion:
    if not lines and bare(title).replace("’", "'").casefold() in _own_lines():
        if not asks:
            raise ValueError(_("is not there: this page asks nothing"))
        return PreparedQuestion()
    if len(lines) == 1 and (asked := _typed(lines[0])):
        kind, right = asked
        return _checked(PreparedQuestion(title, right=right, kind=kind))
    if not lines:
        raise ValueError(_("has no answers; 2 to {most} are needed", most=_LIMITS.answers))
    if not 2 <= len(lines) <= _LIMITS.answers:
        sentence = ngettext(
            "has {count} answer; 2 to {most} are needed",
            "has {count} answers; 2 to {most} are needed",
            len(lines),
            most=_LIMITS.answers,
        )
        raise ValueError(sentence)
    starred = [_after_star(line) for line in lines]
    right = tuple(at for at, answer in enumerate(starred) if answer is not None)
    answers = tuple(line if answer is None else answer for line, answer in zip(lines, starred, strict=True))
    if len(right) > 1:
        return _checked(PreparedQuestion(title, answers, right, Kind.SEVERAL))
    return _checked(PreparedQuestion(title, answers, right[0] if right else None))


def _typed(line: str) -> tuple[Kind, Right] | None:
    """What a line in the place of answers asks to be typed, and what is right of it; None if it is an answer."""
    sign, rest = first_sign(line)
    if not normalised(line).strip("_."):
        return Kind.WORDS, None
    if sign != "=":
        return None
    value, within = (*normalised(rest).replace("+/-", "±").replace("+-", "±").split("±", 1), "0")[:2]
    try:
        return Kind.NUMBER, (number(value), abs(number(within))) if value else None
    except RoomError as refusal:
        raise ValueError(_("cannot be asked: {error}", error=str(refusal.sentence).rstrip(".。"))) from refusal


def _own_lines() -> set[str]:
    """The page's own question, in every language: a link may be read in another one than it was made in."""
    lines = set[str]()
    for language in LANGUAGES:
        with using(language):
            lines.add(str(OWN).casefold())
    return lines


def _checked(given: PreparedQuestion) -> PreparedQuestion:
    """The question as a class is asked it.

    Raises:
        ValueError: If it cannot be; it says why, without a full stop.
    """
    message = {name: value for name, value in given.plain().items() if name != "right" and value != []}
    try:
        question = own_question(message, _LIMITS)
    except RoomError as refusal:
        raise ValueError(_("cannot be asked: {error}", error=str(refusal.sentence).rstrip(".。"))) from refusal
    wrong = ""
    if not all(map(normalised, (question.text, *question.answers))):
        wrong = _("its text or an answer has nothing that is seen")
    elif any(_after_star(answer) is not None for answer in question.answers):
        wrong = _("an answer begins with a star, which marks the right one where questions are written")
    elif len(json.dumps(message, ensure_ascii=False).encode()) > _BYTES:
        wrong = _("it is longer than a class can be sent")
    if wrong:
        raise ValueError(_("cannot be asked: {error}", error=wrong))
    return replace(given, text=question.text, answers=question.answers)


def _after_star(line: str) -> str | None:
    """An answer without the star before it; None where there is no star."""
    sign, rest = first_sign(line)
    return rest if sign in STARS else None
