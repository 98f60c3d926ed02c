"""A room and its rules: what the teacher may do next, which votes count, and what everybody is shown.

A room goes through a question in this order, and every step is the teacher's: ``ask`` round 1, ``close``, perhaps
``show``, ``ask`` round 2, ``close``, ``reveal``; who goes on without the answer may ``drop`` it at any time. The
steps are pure: each gives the room that comes of it, or raises `RoomError` with a sentence for the person who asked.
Votes are not part of a room; a store counts them.
"""

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from pages._shared.class_rooms.kinds import MOST_SHOWN, answer_of, places_of, read_answer, read_right, tally, vote_of
from pages._shared.class_rooms.question import Asked, Kind, Question, Round
from pages._shared.class_rooms.refusal import RoomError
from attention_core.language import ENGLISH, using
from attention_core.language import gettext_lazy as _

# Consonants that nobody takes for another letter or for a digit; without vowels no key is a word.
ALPHABET = "BCDFGHJKMNPQRSTVWXYZ"
KEY_LETTERS = 5
TICKET = re.compile("[0-9a-f]{16}")
IDS = 16  # commands that a room remembers, so that none is taken twice
UNKNOWN = _("There is no class with this key. A class is gone 12 hours after it was opened.")
ENDED = _("This class has ended; nothing of it is left on the server.")
DROPPED = _("This question was put away. Ask it once more.")
UNMEASURED = _("Nothing was measured, so there is no answer yet.")
NO_COURSE = _("There is no course in this class.")


def is_key(text: str) -> bool:
    """Whether a text can be the key of a room."""
    return len(text) == KEY_LETTERS and set(text) <= set(ALPHABET)


class Phase(StrEnum):
    """The phase of the current question."""

    WAITING = "waiting"
    OPEN = "open"
    CLOSED = "closed"
    SHOWN = "shown"
    REVEALED = "revealed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Course:
    """A course that lies in the room, and the step that its teacher is at."""

    text: str  # as a link holds it
    steps: int  # how many it has
    step: int = 0  # counted from 0; as many as there are at its end

    @property
    def name(self) -> str:
        """What tells it from another course."""
        return course_name(self.text)

    def check(self, step: int) -> None:
        """Raise a `RoomError` unless there is this step."""
        if not 0 <= step <= self.steps:
            raise RoomError(422, _("“step” must be from 0 to {most}.", most=self.steps))


def course_name(text: str) -> str:
    """What tells a course from others: 16 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Follow:
    """A call to students to follow: a page, and its settings as in a link after the question mark.

    In a room with a course they are taken to its step, too; without a page to that step as it begins.
    """

    page: str = ""
    settings: str = ""


# How many votes there are of each question (its place among those asked), round and vote, and in the second round of
# each first vote that they were before; that is empty for who had none, and in the first round.
Counts = Mapping[tuple[int, int, str, str], int]


def cast(counts: Counts, index: int, number: int) -> Counter[str]:
    """The votes of a question's round, and how many gave each."""
    votes = Counter[str]()
    for (question, round_, vote, _first), count in counts.items():
        if (question, round_) == (index, number):
            votes[vote] += count
    return votes


@dataclass(frozen=True, slots=True)
class Room:
    """The state of a room, all but the votes."""

    ends: float  # when it is gone, in seconds since 1970 by the server's clock
    secret: str  # SHA-256 of the teacher's secret, in hexadecimal
    asked: tuple[Asked, ...] = ()  # all questions so far; the last one is the current one
    phase: Phase = Phase.WAITING  # where the current question stands
    # Why nothing was measured of the current question, by the language; empty for no reason, None where none tried.
    unmeasured: Mapping[str, str] | None = None
    follow: Follow | None = None  # where students are taken; None while they play freely
    called: int = 0  # how often students were taken somewhere
    course: Course | None = None  # the course that lies in the room
    paused: bool = False  # whether students are to look up
    ended: bool = False  # whether the teacher has ended it
    taken: tuple[str, ...] = ()  # ids of the last commands

    @property
    def ticket(self) -> str:
        """Proof in the class's link that its key was not guessed."""
        return hmac.digest(self.secret.encode(), b"ticket", "sha256").hex()[:16]

    def once(self, command: str, step: Callable[["Room"], "Room"]) -> "Room":
        """The room after a step; unchanged if the command of this id was taken already."""
        if command in self.taken:
            return self
        return replace(step(self), taken=(*self.taken, command)[-IDS:])

    @property
    def round(self) -> int:
        """Round of the current question, 1 or 2; 0 before the first question."""
        return len(self.asked[-1].rounds) if self.asked else 0

    @property
    def ballot(self) -> tuple[int, int] | None:
        """Place of the question and round that are open to votes; None if none is."""
        return (len(self.asked) - 1, self.round) if self.phase is Phase.OPEN else None

    @property
    def remembered(self) -> tuple[int, ...]:
        """Rounds of the current question whose votes are kept by voter: they may change, now or in a second round."""
        if self.phase is Phase.OPEN:
            return tuple(range(1, self.round + 1))
        return (1,) if self.phase in (Phase.CLOSED, Phase.SHOWN) and self.round == 1 else ()

    def forgets(self, before: "Room") -> tuple[int, ...]:
        """Rounds whose votes were kept by voter before a step, and are not any more."""
        if len(self.asked) > len(before.asked):
            return before.remembered
        return tuple(number for number in before.remembered if number not in self.remembered)

    def timed(self, before: "Room", now: float, here: int) -> "Room":
        """The room after a step, with the time at which a vote was opened or closed, and how many were here."""
        asked, closed, opened = list(self.asked), before.ballot, self.ballot
        if closed == opened:
            return self
        if closed:
            asked[closed[0]] = _with_last(asked[closed[0]], closed=now, present=here)
        if opened:
            asked[opened[0]] = _with_last(asked[opened[0]], opened=now)
        return replace(self, asked=tuple(asked))

    def ask(self, name: str, number: int, question: Question | None, most: int, step: int = 0) -> "Room":
        """Open a vote; for round 2 the question may be left out.

        Args:
            name: The question's.
            number: Round 1 or 2.
            question: What is asked.
            most: Questions that a room can have.
            step: Of the course, counted from 1; 0 outside of one.
        """
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
            again = replace(self.asked[-1], rounds=(*self.asked[-1].rounds, Round()), shown=())
            return self._opened((*self.asked[:-1], again))
        if question is None:
            raise RoomError(422, _("A question needs a text and answers, or the name of the page that asks it."))
        if any(asked.name == name for asked in self.asked):
            raise RoomError(409, _("A question of this name was asked already."))
        if len(self.asked) >= most:
            raise RoomError(409, _("A class can have {most} questions, and this one has had them all.", most=most))
        return self._opened((*self.asked, Asked(name, question, step=step)))

    def _opened(self, asked: tuple[Asked, ...]) -> "Room":
        """The room with a vote open: who was to look up looks at the question."""
        return replace(self, asked=asked, phase=Phase.OPEN, unmeasured=None, paused=False)

    def close(self) -> "Room":
        """End the open round; what was voted counts from now on."""
        if self.phase is not Phase.OPEN:
            raise RoomError(409, _("No vote is open."))
        return replace(self, phase=Phase.CLOSED)

    def show(self, words: object = None) -> "Room":
        """Show the counts of the rounds of this question; of words those that are chosen, and no others.

        Args:
            words: Places of the words, among all that came; None for none.
        """
        self._check_closed(
            _("Nothing was asked yet, so there is nothing to show the counts of."),
            _("Close the vote before you show the counts: who sees a result votes for it."),
        )
        shown = places_of([] if words is None else words, _MOST_PLACES)
        if shown is None or len(shown) > MOST_SHOWN or (shown and self.asked[-1].question.kind is not Kind.WORDS):
            raise RoomError(
                422,
                _(
                    "“words” must be a list of up to {most} places of words, of a question answered in words.",
                    most=MOST_SHOWN,
                ),
            )
        chosen = (*self.asked[:-1], replace(self.asked[-1], shown=shown))
        return replace(self, phase=self.phase if self.phase is Phase.REVEALED else Phase.SHOWN, asked=chosen)

    def reveal(self, right: object) -> "Room":
        """Show the counts and the right answer; None for a question that has none."""
        self._check_closed(
            _("Nothing was asked yet, so there is nothing to reveal the answer of."),
            _("Close the vote before you reveal the answer: who sees a result votes for it."),
        )
        answered = replace(self.asked[-1], measured=read_right(self.asked[-1].question, right), out=True)
        return replace(self, phase=Phase.REVEALED, asked=(*self.asked[:-1], answered), unmeasured=None)

    def say_unmeasured(self, name: str, why: Mapping[str, str]) -> "Room":
        """Say why nothing was measured, if the question is the current one and closed; it stays so.

        Args:
            name: The question's.
            why: A sentence for each language that there is one in.
        """
        if self.phase not in (Phase.CLOSED, Phase.SHOWN) or self.asked[-1].name != name:
            return self
        return replace(self, unmeasured=why)

    def drop(self, name: str) -> "Room":
        """Put a question away without its answer, if it is the current one and not answered."""
        if not self.asked or self.asked[-1].name != name or self.phase is Phase.REVEALED:
            return self
        return replace(self, phase=Phase.DROPPED, unmeasured=None)

    def lay(self, course: Course) -> "Room":
        """Lay a course into the room, in place of another, and take all students to its step."""
        course.check(course.step)
        return replace(self, course=course, follow=Follow(), called=self.called + 1)

    def go(self, step: int) -> "Room":
        """Go to a step of the course; students who follow are taken along, and an unfinished question is left."""
        if self.course is None:
            raise RoomError(409, NO_COURSE)
        self.course.check(step)
        is_left = bool(self.asked) and step != self.course.step and self.asked[-1].step not in (0, step + 1)
        room = self.drop(self.asked[-1].name) if is_left else self
        gone = replace(room, course=replace(self.course, step=step))
        is_same = self.follow is None or step == self.course.step
        return gone if is_same else replace(gone, follow=Follow(), called=self.called + 1)

    def _check_closed(self, unasked: str, open_: str) -> None:
        if self.phase is Phase.WAITING:
            raise RoomError(409, unasked)
        if self.phase is Phase.DROPPED:
            raise RoomError(409, DROPPED)
        if self.phase is Phase.OPEN:
            raise RoomError(409, open_)

    def read_vote(self, name: str, number: int, answer: object) -> str:
        """The vote that an answer to this question and round is, if it counts now.

        Raises:
            RoomError: It does not.
        """
        if not self.asked:
            raise RoomError(409, _("Nothing was asked yet."))
        if (self.asked[-1].name, self.round) != (name, number):
            raise RoomError(409, _("That vote is over: the class is at another question or round."))
        if self.phase is not Phase.OPEN:
            raise RoomError(409, _("This vote is closed, and your answer came after it."))
        return vote_of(read_answer(self.asked[-1].question, answer))

    def words(self, counts: Counts) -> list[tuple[str, int]]:
        """All words of the current question's closed rounds and how many gave each, the most frequent first."""
        return self._words(counts, len(self.asked) - 1) if self.asked else []

    def _words(self, counts: Counts, index: int) -> list[tuple[str, int]]:
        if self.asked[index].question.kind is not Kind.WORDS:
            return []
        total = Counter[str]()
        for number in range(1, len(self.asked[index].rounds) + 1):
            if (index, number) != self.ballot:
                total.update(cast(counts, index, number))
        ordered = sorted(total.items(), key=lambda item: (-item[1], item[0]))
        return [(str(answer_of(vote)), count) for vote, count in ordered]

    def tallies(self, counts: Counts, index: int) -> list[list[Any]]:
        """The votes of each round of a question as everybody sees them: of words those that the teacher shows.

        Args:
            counts: The votes.
            index: Place of the question among those asked.
        """
        asked, words = self.asked[index], self._words(counts, index)
        shown = [words[place][0] for place in asked.shown if place < len(words)]
        rounds = range(1, len(asked.rounds) + 1)
        return [tally(asked.question, cast(counts, index, number), shown) for number in rounds]

    def public(self, counts: Counts, here: int, now: float, language: str = ENGLISH, lost: int = 0) -> dict[str, Any]:
        """The state for everybody in the room; no tally before the teacher shows it.

        Args:
            counts: The votes.
            here: Students who listen.
            now: The server's time. Only what is left until the end is told: a phone's clock may be wrong.
            language: Of who is told.
            lost: Students who said that they are lost.
        """
        index = len(self.asked) - 1
        current = self.asked[-1] if self.asked else None
        shown = self.phase in (Phase.SHOWN, Phase.REVEALED)
        sums = [cast(counts, index, number).total() for number in range(1, self.round + 1)]
        return {
            "phase": self.phase,
            "question": current and current.told(language),
            "round": self.round,
            "voted": sums[-1] if sums else 0,
            "sums": sums if shown else [],
            "tallies": self.tallies(counts, index) if shown else [],
            "measured": current.measured if current and self.phase is Phase.REVEALED else None,
            "unmeasured": self._why_unmeasured(language),
            "follow": self.follow and asdict(self.follow),
            "called": self.called,
            "course": self.course
            and {"name": self.course.name, "step": self.course.step, "steps": self.course.steps},
            "paused": self.paused,
            "here": here,
            "lost": min(lost, here),
            "ends_in": max(0, round(self.ends - now)),
            "ticket": self.ticket,
        }

    def _why_unmeasured(self, language: str) -> str | None:
        if self.unmeasured is None:
            return None
        with using(language):
            return self.unmeasured.get(language) or str(UNMEASURED)

    def dump(self) -> dict[str, Any]:
        """The room as JSON can hold it."""
        return asdict(self)

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> "Room":
        """The room of a dump."""
        asked = tuple(map(_asked, state["asked"]))
        follow = state["follow"] and Follow(**state["follow"])
        course = state["course"] and Course(**state["course"])
        given = {"asked": asked, "phase": Phase(state["phase"]), "follow": follow, "course": course}
        return cls(**{**state, **given, "taken": tuple(state["taken"])})


_MOST_PLACES = 1_000  # of words: more than two rounds can have


def _with_last(asked: Asked, **news: Any) -> Asked:
    """What was asked, with news of its last round."""
    return replace(asked, rounds=(*asked.rounds[:-1], replace(asked.rounds[-1], **news)))


def _asked(state: Mapping[str, Any]) -> Asked:
    rounds, measured = tuple(Round(**one) for one in state["rounds"]), state["measured"]
    given = {"question": _question(state["question"]), "rounds": rounds, "shown": tuple(state["shown"])}
    right = tuple(measured) if isinstance(measured, list) else measured
    return Asked(**{**state, **given, "measured": right})


def _question(state: Mapping[str, Any]) -> Question:
    wordings = {language: (text, tuple(answers)) for language, (text, answers) in state["wordings"].items()}
    given = {"answers": tuple(state["answers"]), "wordings": wordings, "kind": Kind(state["kind"])}
    return Question(**{**state, **given})
