"""A room and its rules: what the teacher may do next, which votes count, and what everybody is shown.

A room goes through a question in this order, and every step is the teacher's: ``ask`` round 1, ``close``, perhaps
``show``, ``ask`` round 2, ``close``, ``reveal``; who goes on without the answer may ``drop`` it at any time. The
steps are pure: each gives the room that comes of it, or raises `RoomError` with a sentence for the person who asked.
Votes are not part of a room; a store counts them.
"""

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from attention_core.exceptions import PortableError
from attention_core.language import ENGLISH, LANGUAGES, using
from attention_core.language import gettext_lazy as _

# Consonants that nobody takes for another letter or for a digit; without vowels no key is a word.
ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
KEY_LETTERS = 5
TICKET = re.compile("[0-9a-f]{16}")
IDS = 16  # commands that a room remembers, so that none is taken twice
UNKNOWN = _("There is no class with this key. A class is gone 12 hours after it was opened.")
ENDED = _("This class has ended, and nothing of it was kept.")
DROPPED = _("This question was put away. Ask it once more.")
UNMEASURED = _("Nothing was measured, so there is no answer yet.")


def is_key(text: str) -> bool:
    """Whether a text can be the key of a room."""
    return len(text) == KEY_LETTERS and set(text) <= set(ALPHABET)


class RoomError(PortableError):
    """What somebody asked for is not possible.

    Args:
        status: The HTTP status that says so.
        sentence: Why, for the person who asked.
        wait: Seconds after which it may be asked again; 0 if that is no matter of time.
    """

    def __init__(self, status: int, sentence: str, wait: float = 0) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.wait = wait

    def worded(self, language: str) -> str:
        """The sentence in a language."""
        with using(language):
            return str(self.sentence)


class Phase(StrEnum):
    """Where the current question stands."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"
    SHOWN = "shown"
    REVEALED = "revealed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answers, as text."""

    text: str  # the question
    answers: tuple[str, ...]  # two or more
    page: str = ""  # name of the page that asks and measures; empty for a question of the teacher's own
    # Text and answers in the languages of the app, by the language; empty for a question of the teacher's own.
    wordings: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def worded(self, language: str) -> "Question":
        """The question in a language, where its texts are in many."""
        with using(language):
            text, answers = self.wordings.get(language, (self.text, self.answers))
            return Question(str(text), tuple(map(str, answers)), self.page)

    def of_page(self, page: str) -> "Question":
        """A page's question as a room keeps it: for each of those who read it in their own language."""
        worded = {language: self.worded(language) for language in LANGUAGES}
        wordings = {language: (one.text, one.answers) for language, one in worded.items()}
        return replace(worded[ENGLISH], page=page, wordings=wordings)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was asked, under the name that the teacher's page gave it, and how many rounds it has had."""

    name: str
    question: Question
    rounds: int = 1


@dataclass(frozen=True, slots=True)
class Follow:
    """Where students are taken: a page, and its settings as they stand in a link after the question mark."""

    page: str
    settings: str = ""


# Votes by question (its place among those asked), round and answer.
Counts = Mapping[tuple[int, int, int], int]


@dataclass(frozen=True, slots=True)
class Room:
    """The state of a room, all but the votes."""

    ends: float  # when it is gone, in seconds since 1970 by the server's clock
    secret: str  # SHA-256 of the teacher's secret, in hexadecimal
    asked: tuple[Asked, ...] = ()  # all questions so far; the last one is the current one
    phase: Phase = Phase.WAITING  # where the current question stands
    measured: int | None = None  # the right answer of the current question, once revealed; None if it has none
    # Why nothing was measured of the current question, by the language; empty for no reason, None where none tried.
    unmeasured: Mapping[str, str] | None = None
    follow: Follow | None = None  # where students are taken; None while they play freely
    called: int = 0  # how often students were taken somewhere
    paused: bool = False  # whether students are to look up
    ended: bool = False  # whether the teacher has ended it
    taken: tuple[str, ...] = ()  # ids of the last commands

    @property
    def ticket(self) -> str:
        """What stands beside the key in the class's link and code: who has it has not guessed."""
        return hmac.digest(self.secret.encode(), b"ticket", "sha256").hex()[:16]

    def once(self, command: str, step: Callable[["Room"], "Room"]) -> "Room":
        """The room after a step; as it is, where the command of this id was taken already."""
        if command in self.taken:
            return self
        return replace(step(self), taken=(*self.taken, command)[-IDS:])

    @property
    def round(self) -> int:
        """Round of the current question, 1 or 2; 0 before the first question."""
        return self.asked[-1].rounds if self.asked else 0

    @property
    def ballot(self) -> tuple[int, int] | None:
        """Place of the question and round that are open to votes; None if none is."""
        return (len(self.asked) - 1, self.round) if self.phase is Phase.OPEN else None

    def ask(self, name: str, number: int, question: Question | None, most: int) -> "Room":
        """Open a vote; for round 2 the question may be left out. A room has at most so many questions."""
        if self.phase is Phase.OPEN:
            raise RoomError(409, _("A vote is open. Close it before you ask again."))
        if number == 2:
            if not self.asked or self.asked[-1].name != name:
                raise RoomError(
                    409, _("A second round asks the question of the first again, and that was another one.")
                )
            if self.round == 2:
                raise RoomError(409, _("This question has had both of its rounds."))
            if self.phase is Phase.REVEALED:
                raise RoomError(409, _("The answer is out, so a second vote would tell nothing."))
            if self.phase is Phase.DROPPED:
                raise RoomError(409, DROPPED)
            if question not in (None, self.asked[-1].question):
                raise RoomError(409, _("The second round must have the question and the answers of the first."))
            again = replace(self.asked[-1], rounds=2)
            return replace(self, asked=(*self.asked[:-1], again), phase=Phase.OPEN, unmeasured=None)
        if question is None:
            raise RoomError(422, _("A question needs a text and answers, or the name of the page that asks it."))
        if any(asked.name == name for asked in self.asked):
            raise RoomError(409, _("A question of this name was asked already."))
        if len(self.asked) >= most:
            raise RoomError(409, _("A class can have {most} questions, and this one has had them all.", most=most))
        asked = (*self.asked, Asked(name, question))
        return replace(self, asked=asked, phase=Phase.OPEN, measured=None, unmeasured=None)

    def close(self) -> "Room":
        """End the open round; what was voted counts from now on."""
        if self.phase is not Phase.OPEN:
            raise RoomError(409, _("No vote is open."))
        return replace(self, phase=Phase.CLOSED)

    def show(self) -> "Room":
        """Show the counts of the rounds of this question."""
        self._check_closed(
            _("Nothing was asked yet, so there is nothing to show the counts of."),
            _("Close the vote before you show the counts: who sees a result votes for it."),
        )
        return self if self.phase is Phase.REVEALED else replace(self, phase=Phase.SHOWN)

    def reveal(self, measured: int | None) -> "Room":
        """Show the counts and the right answer; None for a question that has none."""
        self._check_closed(
            _("Nothing was asked yet, so there is nothing to reveal the answer of."),
            _("Close the vote before you reveal the answer: who sees a result votes for it."),
        )
        if measured is not None:
            _check_answer(measured, self.asked[-1].question)
        return replace(self, phase=Phase.REVEALED, measured=measured, unmeasured=None)

    def say_unmeasured(self, name: str, why: Mapping[str, str]) -> "Room":
        """Say why nothing was measured of a question, where it is the current one and closed; it stays so.

        Args:
            name: The question's.
            why: A sentence for each language that there is one in.
        """
        if self.phase not in (Phase.CLOSED, Phase.SHOWN) or self.asked[-1].name != name:
            return self
        return replace(self, unmeasured=why)

    def drop(self, name: str) -> "Room":
        """Put a question away without its answer, where it is the current one and not answered."""
        if not self.asked or self.asked[-1].name != name or self.phase is Phase.REVEALED:
            return self
        return replace(self, phase=Phase.DROPPED, unmeasured=None)

    def _check_closed(self, unasked: str, open_: str) -> None:
        if self.phase is Phase.WAITING:
            raise RoomError(409, unasked)
        if self.phase is Phase.DROPPED:
            raise RoomError(409, DROPPED)
        if self.phase is Phase.OPEN:
            raise RoomError(409, open_)

    def check_vote(self, name: str, number: int, answer: int) -> None:
        """Raise a `RoomError` unless a vote for this question, round and answer counts now."""
        if not self.asked:
            raise RoomError(409, _("Nothing was asked yet."))
        if (self.asked[-1].name, self.round) != (name, number):
            raise RoomError(409, _("That vote is over: the class is at another question or round."))
        if self.phase is not Phase.OPEN:
            raise RoomError(409, _("This vote is closed, and your answer came after it."))
        _check_answer(answer, self.asked[-1].question)

    def tally(self, index: int, number: int, counts: Counts) -> list[int]:
        """Votes for each answer of a question in a round."""
        return [counts.get((index, number, answer), 0) for answer in range(len(self.asked[index].question.answers))]

    def public(self, counts: Counts, here: int, now: float, language: str = ENGLISH) -> dict[str, Any]:
        """What everybody in the room may know; no tally before the teacher shows it.

        Args:
            counts: The votes.
            here: Students who listen.
            now: The server's time. Only what is left until the end is told: a phone's clock may be wrong.
            language: Of who is told.
        """
        index = len(self.asked) - 1
        asked = self.asked[-1] if self.asked else None
        question = asked and asked.question.worded(language)
        shown = self.phase in (Phase.SHOWN, Phase.REVEALED)
        return {
            "phase": self.phase,
            "question": asked
            and question
            and {
                "name": asked.name,
                "text": question.text,
                "answers": list(question.answers),
                "page": question.page,
            },
            "round": self.round,
            "voted": sum(self.tally(index, self.round, counts)) if asked else 0,
            "tallies": [self.tally(index, number, counts) for number in range(1, self.round + 1)] if shown else [],
            "measured": self.measured if self.phase is Phase.REVEALED else None,
            "unmeasured": self._why_unmeasured(language),
            "follow": self.follow and asdict(self.follow),
            "called": self.called,
            "paused": self.paused,
            "here": here,
            "ends_in": max(0, round(self.ends - now)),
            "ticket": self.ticket,
        }

    def _why_unmeasured(self, language: str) -> str | None:
        if self.unmeasured is None:
            return None
        with using(language):
            return self.unmeasured.get(language) or str(UNMEASURED)

    def results(self, counts: Counts, language: str = ENGLISH) -> list[tuple[str, str, int, str, int]]:
        """Name, question, round, answer and votes, for each answer of every round that is closed."""
        return [
            (asked.name, question.text, number, answer, votes)
            for index, asked in enumerate(self.asked)
            for question in [asked.question.worded(language)]
            for number in range(1, asked.rounds + 1)
            if (index, number) != self.ballot
            for answer, votes in zip(question.answers, self.tally(index, number, counts), strict=True)
        ]

    def dump(self) -> dict[str, Any]:
        """The room as JSON can hold it."""
        return asdict(self)

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> "Room":
        """The room of a dump."""
        asked = tuple(Asked(**one | {"question": _question(one["question"])}) for one in state["asked"])
        follow = state["follow"] and Follow(**state["follow"])
        taken = tuple(state["taken"])
        return cls(**{**state, "asked": asked, "phase": Phase(state["phase"]), "follow": follow, "taken": taken})


def _question(state: Mapping[str, Any]) -> Question:
    wordings = {language: (text, tuple(answers)) for language, (text, answers) in state["wordings"].items()}
    return Question(state["text"], tuple(state["answers"]), state["page"], wordings)


def _check_answer(answer: int, question: Question) -> None:
    most = len(question.answers) - 1
    if not 0 <= answer <= most:
        says = _(
            "The answer must be the place of one of the {count} answers, from 0 to {most}.", count=most + 1, most=most
        )
        raise RoomError(422, says)
