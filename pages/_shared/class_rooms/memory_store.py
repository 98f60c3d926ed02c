"""Rooms in this process's memory."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import time

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import ENDED, UNKNOWN, Room
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import CROWDED, DIFFERENT, FULL, Store, digest, keys_of
from pages._shared.class_rooms.tested import Given, HandedIn, Row


@dataclass(slots=True)
class _Entry:
    room: Room
    gone: asyncio.TimerHandle
    number: int = 0
    votes: dict[int, dict[str, str]] = field(default_factory=dict)  # of the current question, by round and voter
    counts: Counter[tuple[int, int, str, str]] = field(default_factory=Counter)
    here: dict[str, float] = field(default_factory=dict)  # until when, by voter
    lost: dict[str, float] = field(default_factory=dict)  # until when, by voter
    tests: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # letter by time, person and item

    @property
    def handed_in(self) -> HandedIn:
        return Counter((time, len(letters)) for time, people in self.tests.items() for letters in people.values())


class MemoryStore(Store):
    """Rooms of one process. All of it runs on one event loop and waits for nothing, so each step is whole."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._rooms: dict[str, _Entry | None] = {}

    async def __aexit__(self, *given: object) -> None:
        for entry in self._rooms.values():
            if entry:
                entry.gone.cancel()
        await super().__aexit__(*given)

    async def open(self, secret: str) -> str:
        """Open a room."""
        for key in keys_of(secret):
            if key not in self._rooms:
                break
            if (entry := self._rooms[key]) and entry.room.secret == digest(secret):
                return key
        if sum(entry is not None for entry in self._rooms.values()) >= self.limits.rooms:
            raise RoomError(429, CROWDED, self.limits.new_room_s)
        gone = asyncio.get_running_loop().call_later(self.limits.life_s, self._forget, key)
        self._rooms[key] = _Entry(Room(ends=time() + self.limits.life_s, secret=digest(secret)), gone)
        return key

    def _forget(self, key: str) -> None:
        del self._rooms[key]
        self.wake(key, urgent=True)

    def _entry(self, key: str) -> _Entry:
        if key not in self._rooms:
            raise RoomError(404, UNKNOWN)
        entry = self._rooms[key]
        if entry is None:
            raise RoomError(410, ENDED)
        return entry

    async def read(self, key: str) -> Snapshot:
        """Read a room."""
        entry, now = self._entry(key), time()
        here, lost = (sum(until > now for until in noted.values()) for noted in (entry.here, entry.lost))
        return Snapshot(entry.room, entry.number, dict(entry.counts), here, lost, entry.handed_in)

    async def change(self, key: str, step: Callable[[Room], Room]) -> None:
        """Change a room by a step."""
        entry = self._entry(key)
        now, before = await self.read(key), entry.room
        entry.room = step(before).timed(before, time(), now.here)
        entry.number += 1
        for number in entry.room.forgets(before):
            entry.votes.pop(number, None)
        if entry.room.ended:
            # The key stays taken until the room's time is over, and says that it has ended.
            self._rooms[key] = None
        self.wake(key, urgent=True)

    async def vote(self, key: str, voter: str, question: str, number: int, answer: object) -> str:
        """Count an answer."""
        entry = self._entry(key)
        vote = entry.room.read_vote(question, number, answer)
        index, votes = len(entry.room.asked) - 1, entry.votes.setdefault(number, {})
        first = entry.votes.get(1, {}).get(voter, "") if number == 2 else ""
        counted = (index, number, vote, first)
        if voter not in votes and len(votes) >= self.limits.voters:
            raise RoomError(429, FULL)
        if counted not in entry.counts and len(entry.counts) >= self.limits.different:
            raise RoomError(429, DIFFERENT)
        if voter in votes:
            before = (index, number, votes[voter], first)
            entry.counts[before] -= 1
            if not entry.counts[before]:
                del entry.counts[before]
        votes[voter] = vote
        entry.counts[counted] += 1
        entry.number += 1
        self.wake(key, urgent=False)
        return vote

    async def hand_in(self, key: str, given: Given) -> int:
        """Keep answers of a test."""
        entry = self._entry(key)
        people = entry.tests.setdefault(given.time, {})
        if given.person not in people and len(people) >= self.limits.voters:
            raise RoomError(429, FULL)
        letters = people.setdefault(given.person, {})
        had = len(letters)
        counted = sum(letters.setdefault(item, letter) == letter for item, letter in given.letters.items())
        if len(letters) > had:
            entry.number += 1
            self.wake(key, urgent=False)
        return counted

    async def answers(self, key: str) -> list[Row]:
        """All answers of tests."""
        return sorted(
            (person, time, item, letter)
            for time, people in self._entry(key).tests.items()
            for person, letters in people.items()
            for item, letter in letters.items()
        )

    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note who is here."""
        entry, now = self._entry(key), time()
        entry.here = {voter: until for voter, until in entry.here.items() if until > now}
        for voter in voters:
            if strict and voter not in entry.here and len(entry.here) >= self.limits.voters:
                raise RoomError(429, FULL)
            entry.here[voter] = now + self.limits.present_s
        if strict:
            self.wake(key, urgent=False)

    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note who is not here any more."""
        if entry := self._rooms.get(key):
            for voter in voters:
                entry.here.pop(voter, None)

    async def lose(self, key: str, voter: str, *, lost: bool) -> None:
        """Note whether a voter is lost."""
        entry, now = self._entry(key), time()
        entry.lost = {other: until for other, until in entry.lost.items() if until > now and other != voter}
        if lost and len(entry.lost) >= self.limits.voters:
            raise RoomError(429, FULL)
        if lost:
            entry.lost[voter] = now + self.limits.lost_s
        self.wake(key, urgent=False)

    async def is_here(self, key: str, voter: str) -> bool:
        """Whether a voter is here."""
        entry = self._rooms.get(key)
        return entry is not None and entry.here.get(voter, 0) > time()
