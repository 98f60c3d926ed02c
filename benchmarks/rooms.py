"""A class of 300 phones: ``python -m benchmarks.rooms``.

They join within 5 s, vote within 5 s, and are then told "follow me" twenty times; a time is that from before the
teacher's request to a phone's having read the event. With ``--course`` the largest course that a room holds lies in
it: each phone fetches it as it joins, and "follow me" is another step of it. The server holds nothing but the routes
of live classes, in a process of its own, with rooms in memory and, where there is a redis-server, in Redis. Last, the
app's pages are visited beside such a class and without one, and phones that are led all see an answer come out on
their own page at once. Phones and server share the cores of one machine; *server* is its share of one core, *client*
that of all phones together.
"""

import argparse
import asyncio
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from pages._shared.core.pages import PAGES
from tests.class_rooms.client import Api, Class
from tests.class_rooms.conftest import start_redis, start_replica
from tests.class_rooms.serve import LARGEST
from tests.load.client import Run, Session
from tests.processes import serving, stop

WITHIN_S = 5.0
QUIET_S = 20.0
FOLLOWS = 20
PATIENCE_S = 30.0
TURNS = 6
CALM_S = 2.0
APP = Path(__file__).parents[1] / "app.py"


@dataclass
class Phone:
    """One student.

    Attributes:
        number: Which one; it is also what decides the answer.
        state: The newest state it was told.
        errors: What went wrong.
        told: For each state's number, when it came.
        course: The room's course, once it was given it.
    """

    number: int
    state: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    told: dict[int, float] = field(default_factory=dict)
    course: str = ""

    @property
    def voter(self) -> str:
        """The name that its browser would draw."""
        return f"phone-{self.number:08}"

    async def listen(self, room: Class) -> None:
        """Join, and read events until there is none."""
        reader, writer = await connect(room)
        path = f"/class/rooms{room.events(self.voter)}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {room.api.host}\r\nAccept: text/event-stream\r\n\r\n".encode())
        status = await reader.readline()
        if b" 200 " not in status:
            self.errors.append(status.decode())
        while line := await reader.readline():
            if line.startswith(b"data: {"):
                self.state = json.loads(line[6:])
                self.told[self.state.get("number", -1)] = time.perf_counter()
        writer.close()

    async def take_course(self, room: Class) -> None:
        """Fetch the room's course."""
        reader, writer = await connect(room)
        path = f"/class/rooms/{room.key}/course?voter={self.voter}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {room.api.host}\r\nConnection: close\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        if b" 200 " in head:
            self.course = json.loads(body)["course"]
        else:
            self.errors.append(head.decode())
        writer.close()

    async def vote(self, room: Class) -> None:
        """Send the answer."""
        reader, writer = await connect(room)
        message = json.dumps({"voter": self.voter, "question": "one", "round": 1, "answer": self.number % 3})
        writer.write(
            f"POST /class/rooms/{room.key}/votes HTTP/1.1\r\nHost: {room.api.host}\r\nOrigin: {room.api.url}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(message)}\r\nConnection: close\r\n\r\n"
            f"{message}".encode()
        )
        status = await reader.readline()
        if b" 200 " not in status:
            self.errors.append(status.decode())
        writer.close()


async def connect(room: Class) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to the server."""
    address = urlsplit(room.api.url)
    return await asyncio.open_connection(address.hostname, address.port)


async def spread(phones: list[Phone], act: Callable[[Phone], Awaitable[Any]]) -> None:
    """Let each phone act at a moment of its own within `WITHIN_S`."""

    async def later(phone: Phone) -> None:
        await asyncio.sleep(WITHIN_S * phone.number / len(phones))
        await act(phone)

    await asyncio.gather(*(later(phone) for phone in phones))


async def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that the phones are to be told."""
    deadline = time.perf_counter() + PATIENCE_S
    while not condition():
        if time.perf_counter() > deadline:
            raise TimeoutError(what)
        await asyncio.sleep(0.01)


class Meter:
    """Shares of one core that server and client take, by part."""

    def __init__(self, server: psutil.Process) -> None:
        self.processes = {"server": server, "client": psutil.Process()}
        self.parts: dict[str, dict[str, float]] = {}

    async def part(self, name: str, work: Awaitable[Any]) -> None:
        """Do ``work`` and note what it took."""
        start, before = time.perf_counter(), self._seconds()
        await work
        wall = time.perf_counter() - start
        self.parts[name] = {who: (now - before[who]) / wall for who, now in self._seconds().items()}

    def _seconds(self) -> dict[str, float]:
        return {who: sum(process.cpu_times()[:2]) for who, process in self.processes.items()}


@dataclass
class Found:
    """What one run found: shares of a core by part, seconds until told, errors, and whether all counts were exact."""

    parts: dict[str, dict[str, float]]
    told: list[float]
    errors: list[str]
    exact: bool
    megabytes: float


async def play(room: Class, server: psutil.Process, count: int, course: str) -> Found:
    """A class of ``count`` phones, in a course unless that is empty."""
    phones = [Phone(number) for number in range(count)]
    meter = Meter(server)
    listening: set[asyncio.Task[None]] = set()

    async def join(phone: Phone) -> None:
        listening.add(asyncio.create_task(phone.listen(room)))
        if course:
            await until(lambda: bool(phone.state), "a phone is told of the course")
            await phone.take_course(room)

    async def all_joined() -> None:
        if course:
            await asyncio.to_thread(room.done, "course", course=course, step=0)
        await spread(phones, join)
        await until(lambda: all(phone.state.get("here") == count for phone in phones), "all are here")
        assert all(phone.course == course for phone in phones)

    async def all_voted() -> None:
        await asyncio.to_thread(room.ask)
        await spread(phones, lambda phone: phone.vote(room))
        await until(lambda: all(phone.state.get("voted") == count for phone in phones), "all have voted")

    told: list[float] = []

    async def all_told() -> None:
        for place in range(FOLLOWS):
            before = phones[0].state["called"]
            step = {"step": 1 - place % 2} if course else {"page": "scaling", "settings": f"seed={place}"}
            start = time.perf_counter()
            await asyncio.to_thread(room.done, "step" if course else "follow", **step)
            await until(lambda before=before: all(p.state["called"] > before for p in phones), "all are told")
            told.extend(phone.told[phone.state["number"]] - start for phone in phones)
            await asyncio.sleep(0.5)

    await meter.part("all join within 5 s", all_joined())
    await meter.part("all vote within 5 s", all_voted())
    await asyncio.to_thread(room.done, "close")
    await asyncio.to_thread(room.done, "show")
    await until(lambda: all(phone.state["phase"] == "shown" for phone in phones), "the tally is shown")
    expected = Counter(number % 3 for number in range(count))
    exact = all(phone.state["tallies"] == [[expected[answer] for answer in range(3)]] for phone in phones)
    await meter.part("in between", asyncio.sleep(QUIET_S))
    await meter.part('"follow me"', all_told())
    megabytes = server.memory_info().rss / 2**20
    await asyncio.to_thread(room.done, "end")
    await asyncio.gather(*listening)
    return Found(meter.parts, sorted(told), [error for phone in phones for error in phone.errors], exact, megabytes)


def measure(count: int, course: str, *url: str) -> Found:
    """One run with a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        process, api = start_replica(Path(folder), *url)
        try:
            return asyncio.run(play(api.open(), psutil.Process(process.pid), count, course))
        finally:
            stop(process)


def beside_pages(count: int) -> tuple[list[float], list[float]]:
    """Seconds that the app's pages take one visitor, without a room and with ``count`` phones in one, sorted.

    The two take turns, so that what else the machine does weighs on both alike.
    """
    alone: list[float] = []
    beside: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(APP, Path(folder) / "app.log") as server,
        Session(server.url) as visitor,
    ):
        walk(visitor, 2)
        for _ in range(TURNS):
            alone += walk(visitor, 2)
            beside += asyncio.run(_with_phones(Api(server.url).open(), count, lambda: walk(visitor, 2)))
    return sorted(alone), sorted(beside)


async def _with_phones(room: Class, count: int, work: Callable[[], list[float]]) -> list[float]:
    phones = [Phone(number) for number in range(count)]
    listening = [asyncio.create_task(phone.listen(room)) for phone in phones]
    await until(lambda: all(phone.state.get("here") == count for phone in phones), "all are here")
    await asyncio.sleep(CALM_S)
    done = await asyncio.to_thread(work)
    await asyncio.to_thread(room.done, "end")
    await asyncio.gather(*listening)
    return done


def led_to_the_answer(count: int) -> list[float]:
    """Seconds from an answer's coming out until each phone's page shows it, sorted; all move in one instant."""
    asked = {"do": "revealed", "page": "scaling", "question": "course", "led": True}
    events = json.dumps([{"event": "said", "value": asked}])
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(APP, Path(folder) / "app.log") as server,
        ExitStack() as stack,
        ThreadPoolExecutor(count) as pool,
    ):
        room = Api(server.url).open()
        phones = [stack.enter_context(Session(server.url)) for _ in range(count)]
        for phone in phones:
            first = phone.visit("scaling", {"class": f"{room.key}-{room.ticket}"})
            assert not first.failures

        def move(phone: Session) -> float:
            panel = next(one for one in Run((), 0, phone.shown).widgets if one.key.startswith("_class_panel"))
            run = phone.change([panel.told(events)])
            assert not run.failures
            return time.perf_counter() - start

        start = time.perf_counter()
        return sorted(pool.map(move, phones))


def walk(visitor: Session, rounds: int) -> list[float]:
    """Seconds of each visit to each page; no visit may fail."""
    runs = [visitor.visit(page.name) for _ in range(rounds) for page in PAGES]
    assert not any(run.failures for run in runs)
    return [run.seconds for run in runs]


def report(where: str, found: Found) -> None:
    """Print one store's part of the table."""

    def told(share: float) -> str:
        return f"{1e3 * found.told[min(len(found.told) - 1, int(share * len(found.told)))]:.0f} ms"

    for part, shares in found.parts.items():
        print(f"| {where} | {part} | {shares['server']:.1%} | {shares['client']:.1%} |")
    print(f"| {where} | told p50 / p95 / last | {told(0.5)} / {told(0.95)} / {told(1)} | |")
    counts = "exact" if found.exact else "WRONG"
    print(f"| {where} | counts; errors; memory | {counts}; {len(found.errors)}; {found.megabytes:.0f} MB | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=int, default=300)
    parser.add_argument("--course", action="store_true")
    given = parser.parse_args()
    count, course = given.phones, LARGEST if given.course else ""
    print("| rooms in | part | server | client |\n|---|---|---|---|")
    report("memory", measure(count, course))
    if shutil.which("redis-server"):
        with tempfile.TemporaryDirectory() as folder:
            redis, url = start_redis(Path(folder))
            try:
                report("Redis", measure(count, course, url))
            finally:
                stop(redis)
    alone, beside = beside_pages(count)
    ratio = {share: beside[int(share * len(beside))] / alone[int(share * len(alone))] for share in (0.5, 0.95)}
    print(f"| memory | a page beside the room, × without | p50 {ratio[0.5]:.2f} | p95 {ratio[0.95]:.2f} |")
    seen = led_to_the_answer(count)
    print(f"| memory | the answer on all pages | p50 {seen[count // 2]:.1f} s | last {seen[-1]:.1f} s |")
    print("\nBudgets: told within 500 ms at p95, server at most 20 % of a core in between, pages at most 1.5 ×,")
    print("counts exact, no error.")


if __name__ == "__main__":
    main()
