"""Sends the state of a room to its listeners in this process, as server-sent events.

An event is the whole state of the room, so nobody needs what was missed: a listener who is slow, or slept, gets the
newest event and no other. It is put together once for all listeners of a language. A step of the teacher is told at
once; who is here and how many have voted is told at most once in `Limits.counts_s`.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Protocol

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.snapshot import Snapshot
from attention_core.language import ENGLISH
from attention_core.language import gettext_lazy as _

# A first line for proxies that wait for one, and what a browser waits before it connects again, in milliseconds.
GREETING = b": welcome\nretry: 1000\n\n"
BEAT = b"event: beat\ndata: .\n\n"
FAILED_S = 1.0


def event(snapshot: Snapshot | RoomError, language: str) -> bytes:
    """The event with a room's state; the last one if the room is gone."""
    if isinstance(snapshot, RoomError):
        return f"event: end\ndata: {json.dumps({'error': snapshot.worded(language)})}\n\n".encode()
    return f"id: {snapshot.number}\ndata: {json.dumps(snapshot.public(language))}\n\n".encode()


class Rooms(Protocol):
    """The part of a ``Store`` that a feed needs."""

    async def read(self, key: str) -> Snapshot:
        """A room as it is now."""
        ...

    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note that voters are here."""
        ...

    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note that voters are not here any more."""
        ...


class Feed:
    """The listeners of one room in this process, and the task that sends to them.

    Args:
        key: The room's key.
        store: Where the room is kept.
        limits: Times and numbers.
        over: Called when the feed has ended, because nobody has listened for a while or the room is gone.
    """

    def __init__(self, key: str, store: Rooms, limits: Limits, over: Callable[[], Any]) -> None:
        self._key, self._store, self._limits, self._over = key, store, limits, over
        self._voters: Counter[str] = Counter()
        self._gone: set[str] = set()
        self._changed, self._urgent, self._news = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._latest: Snapshot | RoomError | None = None
        self._events: dict[str, bytes] = {}  # the latest, by language
        self._ended = False
        self.task = asyncio.create_task(self._run())

    def wake(self, *, urgent: bool) -> None:
        """Note a change of the room; ``urgent`` if it is more than who is here and how many have voted."""
        self._changed.set()
        if urgent:
            self._urgent.set()

    def close(self) -> None:
        """End all streams; browsers come back by themselves, to this server or to another."""
        self._ended = True
        self.wake(urgent=True)
        self._spread()

    def admit(self, voter: str) -> None:
        """Raise a `RoomError` if a voter, or those without a name together, have too many streams."""
        if self._voters[voter] >= (self._limits.streams if voter else self._limits.onlookers):
            raise RoomError(429, _("This class is open in too many tabs. Close some of them."), self._limits.beat_s)

    async def listen(self, voter: str, snapshot: Snapshot, language: str = ENGLISH) -> AsyncIterator[bytes]:
        """The events from now on, the present state first.

        Args:
            voter: Who listens; empty for the teacher, who does not count as here.
            snapshot: The state as it was read a moment ago; the feed may not have heard of it yet.
            language: The listener's.
        """
        self._voters[voter] += 1
        try:
            yield GREETING
            last_sent = None
            if self._latest is None:
                self._latest = snapshot
            elif (
                not isinstance(self._latest, RoomError) and self._latest.number < snapshot.number and not self._ended
            ):
                last_sent = self._latest
                yield event(snapshot, language)
            while True:
                news = self._news
                if self._latest is not last_sent:
                    last_sent = self._latest
                    yield self._event(language)
                elif self._ended:
                    return
                else:
                    await news.wait()
                    if self._latest is last_sent and not self._ended:
                        yield BEAT
        finally:
            self._voters[voter] -= 1
            if not self._voters[voter]:
                del self._voters[voter]
                self._gone.add(voter)
                self.wake(urgent=False)

    def _event(self, language: str) -> bytes:
        assert self._latest is not None
        if language not in self._events:
            self._events[language] = event(self._latest, language)
        return self._events[language]

    def _take(self, latest: Snapshot | RoomError) -> None:
        self._latest, self._events = latest, {}

    async def _run(self) -> None:
        try:
            seen, changed = 0.0, True
            # One who asked for a stream may take a moment to listen, so a feed without listeners waits for a beat.
            while not self._ended and (self._voters or changed):
                now = asyncio.get_running_loop().time()
                beat = now - seen >= self._limits.beat_s
                try:
                    await self._tell(beat)
                    seen = now if beat else seen
                    changed = await self._wait()
                except RoomError as refusal:
                    if refusal.status < 500:
                        self._take(refusal)
                        return
                    self._spread()
                    await asyncio.sleep(FAILED_S)
        finally:
            self._ended = True
            self._over()
            self._spread()

    async def _tell(self, beat: bool) -> None:
        self._changed.clear()
        self._urgent.clear()
        gone, self._gone = self._gone - self._voters.keys(), set()
        await self._store.leave(self._key, gone - {""})
        if beat:
            await self._store.see(self._key, self._voters.keys() - {""})
        snapshot, before = await self._store.read(self._key), self._latest
        # The votes and the teacher's steps have a number, who is here or lost has none.
        if (
            isinstance(before, RoomError)
            or before is None
            or (snapshot.number, snapshot.here, snapshot.lost) != (before.number, before.here, before.lost)
        ):
            self._take(snapshot)
            self._spread()
        elif beat:
            self._spread()

    async def _wait(self) -> bool:
        """Wait for a change, for a beat at most; return whether there was one."""
        changed = await _set_within(self._changed, self._limits.beat_s)
        if changed:
            await _set_within(self._urgent, self._limits.counts_s)
        return changed

    def _spread(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


async def _set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False
