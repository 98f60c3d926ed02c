"""A question, the kinds of questions there are, and what came of its rounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from attention_core.language import ENGLISH, LANGUAGES, using

# The right answer: the place of one, the places of several, or a number and how far from it one may be.
Right = int | tuple[int, ...] | tuple[float, float] | None


class Kind(StrEnum):
    """What an answer to a question is."""

    ONE = "one"  # one of its answers
    SEVERAL = "several"  # one or more of its answers
    NUMBER = "number"  # a number
    WORDS = "words"  # a few words

    @property
    def chooses(self) -> bool:
        """Whether the question brings the answers to choose from."""
        return self in (Kind.ONE, Kind.SEVERAL)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers, as text."""

    text: str  # the question
    answers: tuple[str, ...] = ()  # two or more to choose from; none where a number or words are typed
    page: str = ""  # name of the page that asks and measures; empty for a question of the teacher's own
    # Text and answers in the languages of the app, by the language; empty for a question of the teacher's own.
    wordings: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    kind: Kind = Kind.ONE  # what an answer is; a page's question has one right answer

    def worded(self, language: str) -> "Question":
        """The question in a language, if it has wordings."""
        with using(language):
            text, answers = self.wordings.get(language, (self.text, self.answers))
            return Question(str(text), tuple(map(str, answers)), self.page, kind=self.kind)

    def of_page(self, page: str) -> "Question":
        """A page's question with its wordings in all languages."""
        worded = {language: self.worded(language) for language in LANGUAGES}
        wordings = {language: (question.text, question.answers) for language, question in worded.items()}
        return replace(worded[ENGLISH], page=page, wordings=wordings)


@dataclass(frozen=True, slots=True)
class Round:
    """When a vote was open, in seconds since 1970 by the server's clock, and how many were here as it closed."""

    opened: float = 0.0
    closed: float = 0.0  # 0 while it is open
    present: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was asked, under the name that the teacher's page gave it, and what came of it."""

    name: str
    question: Question
    rounds: tuple[Round, ...] = (Round(),)  # one or two
    step: int = 0  # of the course, counted from 1; 0 outside of one
    measured: Right = None  # the right answer, once revealed; None if it has none
    out: bool = False  # whether it was revealed
    shown: tuple[int, ...] = ()  # places of the words that the teacher shows, among all that answered it

    def told(self, language: str) -> dict[str, Any]:
        """The question as everybody is told it, in a language."""
        worded = self.question.worded(language)
        texts = {"text": worded.text, "answers": list(worded.answers)}
        return {"name": self.name, "kind": worded.kind, **texts, "page": worded.page, "step": self.step}
