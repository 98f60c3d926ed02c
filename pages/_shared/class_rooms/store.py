"""The base of all stores of rooms."""

import asyncio
import base64
import hashlib
import secrets
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from types import FrameType
from typing import Any

from pages._shared.class_rooms.feed import Feed
from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.refusal import RoomError
from pages._shared.class_rooms.room import ALPHABET, KEY_LETTERS, Room
from pages._shared.class_rooms.snapshot import Snapshot
from pages._shared.class_rooms.tested import Given, Row
from attention_core.language import gettext_lazy as _

SECRET_BYTES = 24
FULL = _("This class is full.")
DIFFERENT = _("This class has given as many different answers as can be kept. Give one that was given before.")
CROWDED = _("Too many classes are open here. Try again when some have ended.")


def new_secret(command: str = "") -> str:
    """A teacher's secret, which nobody can foresee; of one command that opens a class it is always the same."""
    drawn = hashlib.sha256(f"teacher/{command}".encode()).digest() if command else secrets.token_bytes(SECRET_BYTES)
    return base64.urlsafe_b64encode(drawn[:SECRET_BYTES]).decode()


def keys_of(secret: str) -> Iterator[str]:
    """The keys that a room may have, the first that is free: always the same, and foreseen by who has the secret."""
    for number in count():
        drawn = int.from_bytes(hashlib.sha256(f"key/{number}/{secret}".encode()).digest())
        yield "".join(ALPHABET[drawn // len(ALPHABET) ** place % len(ALPHABET)] for place in range(KEY_LETTERS))


def digest(secret: str) -> str:
    """The digest of a teacher's secret, which is kept in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Store(ABC):
    """Keeps rooms, applies steps and votes to them one after another, and tells who listens.

    Its life is that of the server: ``async with store:`` around it, on the event loop that answers requests.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._feeds: dict[str, Feed] = {}
        self._handlers: dict[signal.Signals, Any] = {}
        self._closing = False

    async def __aenter__(self) -> None:
        # A server asked to stop waits for its responses to end, and a stream has no end of its own.
        if threading.current_thread() is threading.main_thread():
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                self._hush_on(number, loop)

    def _hush_on(self, number: signal.Signals, loop: asyncio.AbstractEventLoop) -> None:
        handler = signal.getsignal(number)
        if not callable(handler):
            return

        def hush_first(given: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.hush)
            handler(given, frame)

        self._handlers[number] = handler
        signal.signal(number, hush_first)

    async def __aexit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        feeds = list(self._feeds.values())
        self.hush()
        await asyncio.gather(*(feed.task for feed in feeds), return_exceptions=True)

    def hush(self) -> None:
        """End all streams, and begin no other."""
        self._closing = True
        for feed in list(self._feeds.values()):
            feed.close()

    def feed(self, key: str, voter: str) -> Feed:
        """The feed of a room that there is, for one more listener."""
        if self._closing:
            raise RoomError(503, _("The server is about to stop."), 1)
        if key not in self._feeds:
            self._feeds[key] = Feed(key, self, self.limits, over=lambda: self._feeds.pop(key))
        self._feeds[key].admit(voter)
        return self._feeds[key]

    def wake(self, key: str, *, urgent: bool) -> None:
        """Tell this process's listeners of a room that it has changed."""
        if key in self._feeds:
            self._feeds[key].wake(urgent=urgent)

    async def find(self, secret: str) -> str:
        """The key of the room that was opened for who has the teacher's ``secret``; empty if there is none."""
        for key in keys_of(secret):
            try:
                if (await self.read(key)).room.secret == digest(secret):
                    return key
            except RoomError as refusal:
                if refusal.status == 404:
                    break
                if refusal.status != 410:
                    raise
        return ""

    @abstractmethod
    async def open(self, secret: str) -> str:
        """Open a room for who has the teacher's ``secret``, unless there is one, and give its key."""

    @abstractmethod
    async def read(self, key: str) -> Snapshot:
        """A room as it is now; raises a `RoomError` if there is none, or none any more."""

    @abstractmethod
    async def change(self, key: str, step: Callable[[Room], Room]) -> None:
        """Take a step of the teacher's: wholly, and between two votes."""

    @abstractmethod
    async def vote(self, key: str, voter: str, question: str, number: int, answer: object) -> str:
        """Count an answer in the open round, in place of this voter's last one, and give the vote that it is."""

    @abstractmethod
    async def hand_in(self, key: str, given: Given) -> int:
        """Keep answers of a test, of each item the first, and give how many of these count as they were given."""

    @abstractmethod
    async def answers(self, key: str) -> list[Row]:
        """All answers of tests, in an order that tells nothing of when they came."""

    @abstractmethod
    async def see(self, key: str, voters: Iterable[str], *, strict: bool = False) -> None:
        """Note that voters are here, for `Limits.present_s`; if ``strict``, refuse who finds the room full."""

    @abstractmethod
    async def leave(self, key: str, voters: Iterable[str]) -> None:
        """Note that voters are not here any more."""

    @abstractmethod
    async def lose(self, key: str, voter: str, *, lost: bool) -> None:
        """Note that a voter is lost, for `Limits.lost_s`, or is not any more."""

    @abstractmethod
    async def is_here(self, key: str, voter: str) -> bool:
        """Whether a voter is here; False also where there is no room."""
