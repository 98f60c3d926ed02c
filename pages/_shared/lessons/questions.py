"""Questions prepared for a class: in a lesson, in the order in which they are asked.

A link holds a question as JSON. A teacher writes it as lines: the question, then an answer a line, the right one
marked by a star; an empty line begins the next question. The page's own question is one line, ``OWN``.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from pages._shared.class_rooms.commands import own_question
from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.room import RoomError
from pages._shared.core.incoming import bare, first_sign, normalised
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, ngettext

MOST: Final = 12
LONGEST: Final = MOST * 1_500  # characters of all questions as they are written
_LIMITS: Final = Limits()
OWN: Final = gettext_lazy("This page's question")
HINT: Final = gettext_lazy(
    "A question, then an answer a line, 2 to {most} of them, a star before the right one; an empty line begins the "
    "next question. The line *{own}* stands for the one that the page asks and measures.",
    most=_LIMITS.answers,
    own=OWN,
)
_OWN_PLAIN: Final = "page"
STARS: Final = tuple("*∗⁎✱✲★☆⭐")  # what keyboards, and programs that correct what is typed, have for a star
_BYTES: Final = _LIMITS.body - 128  # of a question as it is sent; the rest of the message is its name and round


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question to ask a class."""

    text: str = ""  # what is asked; empty for the page's own question
    answers: tuple[str, ...] = ()  # none for the page's own question
    right: int | None = None  # place of the right one; None if there is none

    def plain(self) -> str | dict[str, Any]:
        """The question as JSON holds it."""
        if not self.text:
            return _OWN_PLAIN
        right = {} if self.right is None else {"right": self.right}
        return {"text": self.text, "answers": list(self.answers)} | right


def read(raw: object) -> Prepared:
    """A question that a link holds.

    Raises:
        ValueError: If it cannot be asked; it says why, without a full stop.
    """
    if raw == _OWN_PLAIN:
        return Prepared()
    if not isinstance(raw, dict):
        raise ValueError(_("it has no text and no answers"))
    try:
        question = own_question(raw, _LIMITS)
    except RoomError as refusal:
        raise ValueError(str(refusal.sentence).rstrip(".。")) from refusal
    right = raw.get("right")
    if right is not None and (type(right) is not int or not 0 <= right < len(question.answers)):
        raise ValueError(_("its right answer is none of its answers"))
    plain = {"text": question.text, "answers": question.answers}
    if not all(map(normalised, (question.text, *question.answers))):
        raise ValueError(_("its text or an answer has nothing that is seen"))
    if any(_unmarked(answer) is not None for answer in question.answers):
        raise ValueError(_("an answer begins with a star, which marks the right one where questions are written"))
    if len(json.dumps(plain, ensure_ascii=False).encode()) > _BYTES:
        raise ValueError(_("it is longer than a class can be sent"))
    return Prepared(question.text, question.answers, right)


def parse(lines: str, *, asks: bool) -> tuple[list[Prepared], str]:
    """Questions as they are written, and what is wrong with the first that cannot be asked; empty where all can."""
    found: list[Prepared] = []
    wrong: list[str] = []
    for is_empty, block in groupby(lines.splitlines(), lambda line: not normalised(line)):
        if is_empty:
            continue
        text, *rest = [line.strip() for line in block]
        try:
            found.append(_written_as(text, rest, asks))
        except ValueError as error:
            wrong.append(_("“{text}” {error}.", text=text, error=error))
    if len(found) > MOST:
        wrong.append(
            _("There are {count} questions, of which the first {most} are kept.", count=len(found), most=MOST)
        )
    return found[:MOST], "".join(wrong[:1])


def _written_as(text: str, rest: list[str], asks: bool) -> Prepared:
    own = {OWN.casefold(), str(OWN).casefold()}
    if not rest and bare(text).replace("’", "'").casefold() in own:
        if not asks:
            raise ValueError(_("is not there: this page asks nothing"))
        return Prepared()
    if not rest:
        raise ValueError(_("has no answers; 2 to {most} are needed", most=_LIMITS.answers))
    if not 2 <= len(rest) <= _LIMITS.answers:
        sentence = ngettext(
            "has {count} answer; 2 to {most} are needed",
            "has {count} answers; 2 to {most} are needed",
            len(rest),
            most=_LIMITS.answers,
        )
        raise ValueError(sentence)
    unmarked = [_unmarked(line) for line in rest]
    raw: dict[str, Any] = {
        "text": text,
        "answers": [line if own is None else own for line, own in zip(rest, unmarked, strict=True)],
    }
    marked = [at for at, own in enumerate(unmarked) if own is not None]
    if len(marked) > 1:
        raise ValueError(_("marks {count} answers by a star; only one can be the right one", count=len(marked)))
    try:
        return read(raw | {"right": marked[0] if marked else None})
    except ValueError as error:
        raise ValueError(_("cannot be asked: {error}", error=error)) from error


def _unmarked(line: str) -> str | None:
    """An answer without the star before it; None where there is none."""
    sign, rest = first_sign(line)
    return rest if sign in STARS else None


def written(questions: Iterable[Prepared]) -> str:
    """Questions as a teacher writes them."""
    return "\n\n".join("\n".join(_lines(one)) for one in questions)


def _lines(question: Prepared) -> list[str]:
    marked = [f"* {one}" if at == question.right else one for at, one in enumerate(question.answers)]
    return [question.text or str(OWN), *marked]
