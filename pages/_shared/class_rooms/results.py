"""What came of a class, for its teacher: each answer of each vote as a table, and what the second vote gained."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt
from typing import Any, Final

from pages._shared.class_rooms.kinds import answer_of, is_right, vote_of
from pages._shared.class_rooms.question import Asked, Kind
from pages._shared.class_rooms.room import Counts, Room, cast
from attention_core.language import ENGLISH

COLUMNS: Final = (
    "step", "question", "kind", "text", "round", "from", "answer", "right", "votes", "present", "opened", "closed",
)  # fmt: skip
MOVED: Final = "1 to 2"  # stands for the round where it is told who moved
# From fewer pairs no gain is told, nor where fewer could gain: of m who could, where none is lost, its standard error
# is 1/(2·√m) at most, 0.16 for 10.
FEWEST_PAIRS: Final = 20
FEWEST_WRONG: Final = 10
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """The share of right answers among those who answered a question in both votes."""

    text: str  # the question
    pairs: int  # how many answered twice
    first: float  # share that was right in the first vote
    second: float  # share that was right in the second
    # Of those who were wrong at first the share that is right now, less what was lost, (second − first)/(1 − first),
    # and its standard error; None where too few answered twice, or too few were wrong.
    normalised: tuple[float, float] | None


DrawGains = Callable[[Sequence[Gain], str], str]  # as SVG, in a language


def rows(room: Room, counts: Counts, language: str = ENGLISH) -> list[Row]:
    """A row for each answer of every round that is closed, and for each way from a first to a second answer."""
    return [row for index in range(len(room.asked)) for row in _question_rows(room, counts, index, language)]


def answered(room: Room, counts: Counts, language: str = ENGLISH) -> list[dict[str, Any]]:
    """The questions that were revealed, as everybody may know them: the state's fields, and the step."""
    return [
        {
            "step": asked.step,
            "question": asked.told(language),
            "measured": asked.measured,
            "sums": [cast(counts, index, number).total() for number in range(1, len(asked.rounds) + 1)],
            "tallies": room.tallies(counts, index),
        }
        for index, asked in enumerate(room.asked)
        if asked.out
    ]


def _question_rows(room: Room, counts: Counts, index: int, language: str) -> Iterator[Row]:
    asked = room.asked[index]
    words = _Words(asked, language)
    head = (asked.step or "", index + 1, str(asked.question.kind), words.text)
    closed = _closed(room, index)
    for number in closed:
        one, votes = asked.rounds[number - 1], cast(counts, index, number)
        times = (one.present, _moment(one.opened), _moment(one.closed))
        for vote in words.listed(votes):
            yield *head, number, "", words.answer(vote), words.right(vote), votes[vote], *times
    if len(closed) == 2:
        for (first, second), count in sorted(_ways(counts, index).items()):
            yield *head, MOVED, words.answer(first), words.answer(second), words.right(second), count, "", "", ""


def _closed(room: Room, index: int) -> list[int]:
    return [number for number in range(1, len(room.asked[index].rounds) + 1) if (index, number) != room.ballot]


def _ways(counts: Counts, index: int) -> Counter[tuple[str, str]]:
    """How many went from each first vote to each second one; an empty vote is none."""
    ways, left = Counter[tuple[str, str]](), cast(counts, index, 1)
    for (question, number, second, first), count in counts.items():
        if (question, number) == (index, 2):
            ways[first, second] += count
            left[first] -= count
    for first, count in left.items():
        if first and count > 0:
            ways[first, ""] = count
    return ways


@dataclass(frozen=True, slots=True)
class _Words:
    """How a question's answers are worded."""

    asked: Asked
    language: str

    @property
    def text(self) -> str:
        return self.asked.question.worded(self.language).text

    def listed(self, votes: Mapping[str, int]) -> list[str]:
        """The votes that a table lists: of one answer all that there are, else those that were given."""
        question = self.asked.question
        if question.kind is Kind.ONE:
            return [vote_of(place) for place in range(len(question.answers))]
        if question.kind is Kind.WORDS:
            return sorted(votes, key=lambda vote: (-votes[vote], vote))
        return sorted(votes, key=answer_of)

    def answer(self, vote: str) -> str | float:
        if not vote:
            return ""
        answers, answer = self.asked.question.worded(self.language).answers, answer_of(vote)
        if isinstance(answer, list):
            return " + ".join(answers[place] for place in answer)
        return answers[answer] if isinstance(answer, int) and answers else answer

    def right(self, vote: str) -> str:
        if self.asked.measured is None or not vote:
            return ""
        return "yes" if is_right(answer_of(vote), self.asked.measured) else "no"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def gains(room: Room, counts: Counts, language: str = ENGLISH) -> list[Gain]:
    """The gain of each question that had both of its votes and a right answer, and was answered twice by somebody."""
    return [
        gain
        for index, asked in enumerate(room.asked)
        if asked.measured is not None and len(_closed(room, index)) == 2
        for gain in [_gain(asked, _ways(counts, index), language)]
        if gain.pairs
    ]


def _gain(asked: Asked, ways: Mapping[tuple[str, str], int], language: str) -> Gain:
    both = Counter[tuple[bool, bool]]()
    for (first, second), count in ways.items():
        if first and second:
            both[is_right(answer_of(first), asked.measured), is_right(answer_of(second), asked.measured)] += count
    pairs = both.total()
    stayed, came, went = both[True, True], both[False, True], both[True, False]
    text = asked.question.worded(language).text
    return Gain(text, pairs, (stayed + went) / (pairs or 1), (stayed + came) / (pairs or 1), normalised(both))


def normalised(both: Mapping[tuple[bool, bool], int]) -> tuple[float, float] | None:
    """The normalised gain and its standard error; None where too few tell.

    Of n pairs, a is the share that came to be right, b the share that ceased to be, c that was wrong twice: the gain
    is g = (a − b)/(a + c) (R. R. Hake, Am. J. Phys. 66, 64 (1998), there of the scores of a whole test). Shares that
    are drawn together have g vary by (Σ p·d² − (Σ p·d)²)/n, where d is g's derivative by each share p; here Σ p·d is
    0, and what is left is (a·(1 − g)² + b + c·g²)/(n·(a + c)²).

    Args:
        both: How many were right in the first vote, and in the second.
    """
    n = sum(both.values())
    came, went, stayed = (both.get(pair, 0) for pair in ((False, True), (True, False), (False, False)))
    wrong = came + stayed
    if n < FEWEST_PAIRS or wrong < FEWEST_WRONG:
        return None
    gain = (came - went) / wrong
    return gain, sqrt(came * (1 - gain) ** 2 + went + stayed * gain**2) / wrong
