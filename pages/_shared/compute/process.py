"""What one process has for all its visitors: made when the server starts, or by the first visitor of a plain host."""

from dataclasses import dataclass, field
from functools import cache

from pages._shared.claims.results import Ledger
from pages._shared.compute.runner import Runner
from pages._shared.compute.turns import Turns
from pages._shared.rooms import Question


@dataclass(frozen=True, slots=True)
class Process:
    """The objects that all sessions share; they live as long as the process.

    Attributes:
        turns: Whose run of a page it is.
        runner: Results, and the computations under way.
        ledger: What has been found of the claims.
        questions: What the pages ask, by their names: a class may vote on it. ``warm.question`` reads it.
    """

    turns: Turns
    runner: Runner
    ledger: Ledger = field(default_factory=Ledger)
    questions: dict[str, Question] = field(default_factory=dict)


@cache
def process() -> Process:
    """The one of this process."""
    turns = Turns()
    return Process(turns, Runner(yield_to_pages=turns.yield_to_pages))
