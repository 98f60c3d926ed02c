"""The line of long computations: which are begun, and whose turn it is. Rules only, no threads, no lock.

All that are begun take turns. Each holds what it has made so far, so no more are begun than fit, by number and by
bytes; the others wait in line and hold nothing. Whoever is new, or has least left, comes first, so that who asks for
a second does not wait for those who ask for twenty; but of three turns one is for whoever has waited longest for the
next. What is known to take long never gets the last place: a short one finds one soon.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pages._shared.compute.job import Job

BEGUN = 4
# Of 690 MB, which small hosts give, two hundred sessions and the pages they walk through hold some 590, results 32.
BEGUN_BYTES = 96 * 2**20
TURN_S, FIRST_TURNS = 1.0, 2
SHORT_S = 2.0  # what takes longer takes long
PLACES_S = 0.5  # How long places that have been worked out are good for: all who wait ask for theirs again and again.


@dataclass(frozen=True, slots=True)
class Place:
    """The place in line of a computation that has not begun.

    Attributes:
        number: From 1; those that compute now are counted.
        seconds: About how long it has to wait; 0 where nothing is known of those before it.
    """

    number: int
    seconds: float


class Line:
    """Long computations: those that are begun, and those that wait.

    Args:
        most: How many are begun at once.
        most_bytes: How many bytes they may hold together, by what their configs say of themselves.
        lanes: How many compute at the same time, for what a visitor is told.
        clock: Seconds.
    """

    def __init__(
        self,
        most: int = BEGUN,
        most_bytes: int = BEGUN_BYTES,
        lanes: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most, self.most_bytes, self.lanes, self._clock = most, most_bytes, lanes, clock
        self.begun: list[Job] = []  # whoever has waited longest for its next turn first
        self._waiting: list[Job] = []
        self._on_turn: set[Job] = set()
        self._first_turns = 0
        self._usual: dict[Any, float] = {}  # seconds that computations of a function took lately
        self._places: dict[Job, Place] = {}
        self._until = 0.0

    def add(self, job: Job) -> None:
        """Stand at the end of the line."""
        self._waiting.append(job)
        self._until = 0.0

    def next(self) -> Job | None:
        """Give the next turn, and begin that computation if it has not; None if nobody may have a turn."""
        idle = [job for job in self.begun if job not in self._on_turn]
        job = self._first_that_fits() or min(idle, key=self._remaining, default=None)
        if self._first_turns >= FIRST_TURNS and idle:
            job, self._first_turns = idle[0], 0
        elif any(other is not job for other in idle):
            self._first_turns += 1
        if job is not None:
            (self.begun if job in idle else self._waiting).remove(job)
            self.begun.append(job)
            self._on_turn.add(job)
            self._until = 0.0
        return job

    def put_back(self, job: Job) -> None:
        """End a computation's turn."""
        self._on_turn.discard(job)

    def end(self, job: Job) -> None:
        """End a computation that has finished in its turn."""
        self.put_back(job)
        self.leave(job)
        if job.error is None:
            usual = self._usual.get(job.function, job.spent)
            self._usual[job.function] = (usual + job.spent) / 2

    def leave(self, job: Job) -> bool:
        """Remove a computation for which nobody waits, unless it has its turn.

        Returns:
            Whether it was removed.
        """
        line = next((each for each in (self._waiting, self.begun) if job in each), None)
        if line is None or job in self._on_turn:
            return False
        line.remove(job)
        self._until = 0.0
        return True

    def clear(self) -> list[Job]:
        """Remove and return all; those that had begun come first."""
        jobs = [*self.begun, *self._waiting]
        self.begun, self._waiting, self._on_turn, self._until = [], [], set(), 0.0
        return jobs

    def place(self, job: Job) -> Place | None:
        """The place of a computation; None for one that has begun."""
        if self._clock() >= self._until:
            self._places = self._all_places()
            self._until = self._clock() + PLACES_S
        return self._places.get(job)

    def _first_that_fits(self) -> Job | None:
        """The first in line that may begin; long ones pass no long ones, short ones no short ones."""
        passed: set[bool] = set()
        for job in self._waiting:
            takes_long = self._takes_long(job)
            if takes_long not in passed and self._fits(job, takes_long):
                return job
            passed.add(takes_long)
        return None

    def _fits(self, job: Job, takes_long: bool) -> bool:
        """Whether there is room for one more; long ones get all places but one, and half of the bytes."""
        long_ones = [each for each in self.begun if self._takes_long(each)] if takes_long else []
        number_fits, bytes_fit = len(self.begun) < self.most, self._bytes(*self.begun, job) <= self.most_bytes
        if long_ones:
            number_fits = number_fits and len(long_ones) < self.most - 1
            bytes_fit = bytes_fit and self._bytes(*long_ones, job) <= self.most_bytes // 2
        return not self.begun or (number_fits and bytes_fit)

    def _bytes(self, *jobs: Job) -> int:
        """The bytes that jobs hold; each counts as half of all at most, or it could not be begun beside another."""
        return sum(min(job.working_bytes, self.most_bytes // 2) for job in jobs)

    def _expected(self, job: Job) -> float:
        """About how many seconds a job takes in all, by its config or by earlier ones of its function."""
        return getattr(job.config, "seconds", None) or self._usual.get(job.function, 0.0)

    def _takes_long(self, job: Job) -> bool:
        return max(job.spent, self._expected(job)) > SHORT_S

    def _remaining(self, job: Job) -> float:
        step = job.step
        if step is not None and step.done and job.spent:
            return job.spent * max(step.total - step.done, 0) / step.done
        return max(self._expected(job) - job.spent, 0.0)

    def _all_places(self) -> dict[Job, Place]:
        """Everyone's place: long ones behind all, short ones behind short ones, which get two of three turns."""
        places: dict[Job, Place] = {}
        share = {True: 1.0, False: (FIRST_TURNS + 1) / FIRST_TURNS}
        ahead = dict.fromkeys(share, min(self.lanes, len(self.begun)))
        left = {
            long: sum(self._remaining(job) for job in self.begun if long or not self._takes_long(job))
            for long in share
        }
        for job in self._waiting:
            takes_long = self._takes_long(job)
            places[job] = Place(ahead[takes_long] + 1, share[takes_long] * left[takes_long] / self.lanes)
            for behind in {True, takes_long}:
                ahead[behind] += 1
                left[behind] += self._expected(job)
        return places
