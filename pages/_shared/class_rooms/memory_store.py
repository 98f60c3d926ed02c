"""Rooms in this process's memory."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import time

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.room import ENDED, UNKNOWN, Room, RoomError
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.store import CROWDED, FULL, Store, digest, keys_of


@dataclass(slots=True)
class _Kept:
    room: Room
    gone: asyncio.TimerHandle
    number: int = 0
    votes: dict[str, int] = field(default_factory=dict)
    counts: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    here: dict[str, float] = field(default_factory=dict)


class MemoryStore(Store):
    """Rooms of one process. All of it runs on one event loop and waits for nothing, so each step is whole."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._rooms: dict[str, _Kept | None] = {}

    async def __aexit__(self, *given: object) -> None:
        for kept in self._rooms.values():
            if kept:
                kept.gone.cancel()
        await super().__aexit__(*given)

    async def open(self, secret: str) -> str:
        """Open a room."""
        for key in keys_of(secret):
            if key not in self._rooms:
                break
            if (kept := self._rooms[key]) and kept.room.secret == digest(secret):
                return key
        if sum(kept is not None for kept in self._rooms.values()) >= self.limits.rooms:
            raise RoomError(429, CROWDED, self.limits.new_room_s)
        gone = asyncio.get_running_loop().call_later(self.limits.life_s, self._forget, key)
        self._rooms[key] = _Kept(Room(ends=time() + self.limits.life_s, secret=digest(secret)), gone)
        return key

    def _forget(self, key: str) -> None:
        del self._rooms[key]
        self.wake(key, urgent=True)

    def _kept(self, key: str) -> _Kept:
        if key not in self._rooms:
            raise RoomError(404, UNKNOWN)
        kept = self._rooms[key]
        if kept is None:
            raise RoomError(410, ENDED)
        return kept

    async def read(self, key: str) -> Snapshot:
        """A room as it is now."""
        kept, now = self._kept(key), time()
        here = sum(until > now for until in kept.here.values())
        return Snapshot(kept.room, kept.number, dict(kept.counts), here)

    async def change(self, key: str, step: Callable[[Room], Room]) -> None:
        """Take a step."""
        kept = self._kept(key)
        before, kept.room = kept.room, step(kept.room)
        kept.number += 1
        if kept.room.ballot != before.ballot:
            kept.votes.clear()
        if kept.room.ended:
            # The key stays taken until the room's time is over, and says that it has ended.
            self._rooms[key] = None
        self.wake(key, urgent=True)

    async def vote(self, key: str, voter: str, question: str, number: int, answer: int) -> None:
        """Count a vote."""
        kept = self._kept(key)
        kept.room.check_vote(question, number, answer)
        index = len(kept.room.asked) - 1
        if voter in kept.votes:
            kept.counts[index, number, kept.votes[voter]] -= 1
        elif len(kept.votes) >= self.limits.voters:
            raise RoomError(429, FULL)
        kept.votes[voter] = answer
        kept.counts[index, number, answer] += 1
        kept.number += 1
        self.wake(key, urgent=False)

    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note who is here."""
        kept, now = self._kept(key), time()
        kept.here = {voter: until for voter, until in kept.here.items() if until > now}
        for voter in voters:
            if strict and voter not in kept.here and len(kept.here) >= self.limits.voters:
                raise RoomError(429, FULL)
            kept.here[voter] = now + self.limits.present_s
        if strict:
            self.wake(key, urgent=False)

    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note who is not here any more."""
        if kept := self._rooms.get(key):
            for voter in voters:
                kept.here.pop(voter, None)

    async def is_here(self, key: str, voter: str) -> bool:
        """Whether a voter is here."""
        kept = self._rooms.get(key)
        return kept is not None and kept.here.get(voter, 0) > time()
