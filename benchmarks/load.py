"""Many visitors at once, beside the reference app under the same load: ``python -m benchmarks.load``.

Visitors speak Streamlit's own protocol (``tests/load/client.py``): each visits every page in turn, changes what is on
it and thinks in between. *Common ways*: as in a class, several do the same; there are ten walks through the app, and
each has been walked once before, so results are cached as they are once somebody has looked at them. *Own ways*:
each draws pages, values and the seed for himself, and nothing has been computed before. A time is that from a request
to the last message of the last run it sets off, the answers' included; *quick* are those of pages without a long
computation. Visitors and server share the cores of one machine; the column *client* says how much of one core the
visitors took, *MB* the most memory that the server held meanwhile, and the largest of its workers.

``--workers 0 1 2`` measures all again for each number of worker processes; 0 is the app by itself.
``--url`` measures a server that runs already, behind a proxy say; its memory is then not seen, and no reference runs.
"""

import argparse
import os
import platform
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path

import psutil

from pages._shared.compute.cluster import SETTINGS
from pages._shared.compute.line import BEGUN
from benchmarks.visitors import NEVER_WALKED, Visitor
from tests.load.client import Run, Session
from tests.processes import ROOT, Server, free_port, listens, serving, start, stop

REFERENCE = ROOT / "benchmarks/reference_app.py"
# The class first: for two minutes Streamlit keeps what those who left had, and of its memory there is a budget.
THINK_S = {200: (4.0, 12.0), 30: (3.0, 9.0), 100: (2.0, 6.0), 1: (2.0, 2.0)}
LASTS_S = 30
SAMPLE_S = 0.2
PEAK_BYTES, WORKER_BYTES = 690e6, 450e6
LONG = {"biases", "claims", "learning", "permutation", "receptive_field", "scaling"}  # pages with long computations
STEPS = 17  # as far as anybody comes
CROWD, LIGHT, TRAINING = 200, 30, 30
ROUNDS = 3
SEEDS = count(1)
WALKS = 10


@dataclass
class Tally:
    """What the visitors of one part saw.

    Attributes:
        seconds: Of each run.
        errors: What went wrong.
        wall: Seconds that the part took.
        client: Share of one core that the visitors took.
        quick: Of each run of a page without a long computation.
        rss: Bytes of the server's memory at the end; 0 where it is not seen.
        peak: The most it held meanwhile, and
        worker: the most that one of its workers did.
        trained: How many long computations others had meanwhile.
    """

    seconds: list[float] = field(default_factory=list)
    quick: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    wall: float = 0.0
    client: float = 0.0
    rss: int = 0
    peak: int = 0
    worker: int = 0
    trained: int = 0

    def add(self, run: Run, seconds: float | None = None, page: str = "") -> None:
        """Count a run."""
        self.seconds.append(run.seconds if seconds is None else seconds)
        if page not in LONG:
            self.quick.append(self.seconds[-1])
        self.errors += run.failures + [sentence for sentence in run.told if "went wrong" in sentence]

    def join(self, other: "Tally") -> None:
        """Count what another part has counted, too."""
        runs = len(self.seconds) + len(other.seconds)
        self.client = (self.client * len(self.seconds) + other.client * len(other.seconds)) / runs
        self.seconds += other.seconds
        self.quick += other.quick
        self.errors += other.errors
        self.wall += other.wall
        self.rss, self.peak, self.worker = other.rss, max(self.peak, other.peak), max(self.worker, other.worker)

    def milliseconds(self, share: float, quick: bool = False) -> float:
        """The time that ``share`` of the runs did not exceed; of those of pages without a long computation."""
        taken = sorted(self.quick if quick else self.seconds)
        return 1e3 * taken[min(len(taken) - 1, int(share * len(taken)))]


@contextmanager
def watched(tally: Tally, server: Server | None) -> Iterator[None]:
    """Note how long a part takes, what the visitors take of a core, and what memory the server holds."""
    wall, busy, over = time.perf_counter(), time.process_time(), threading.Event()
    sampler = threading.Thread(target=sample, args=(tally, server, over))
    sampler.start()
    yield
    over.set()
    sampler.join()
    tally.wall = time.perf_counter() - wall
    tally.client = (time.process_time() - busy) / tally.wall
    tally.rss = server.rss if server else 0


def sample(tally: Tally, server: Server | None, over: threading.Event) -> None:
    """Look at the memory of a server and of workers again and again."""
    workers = [one for one in psutil.Process().children(recursive=True) if one.name().startswith("dask worker")]
    while server and not over.wait(SAMPLE_S):
        tally.peak = max(tally.peak, server.rss)
        with suppress(psutil.NoSuchProcess):
            tally.worker = max([tally.worker, *(one.memory_info().rss for one in workers)])


def at_once(clients: int, tally: Tally, work: Callable[[int], None]) -> None:
    """Do ``work`` in as many threads, all of which begin in the same instant; what one raises is counted."""
    gate = threading.Barrier(clients)

    def begin(number: int) -> None:
        gate.wait()
        try:
            work(number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what this visitor saw
            tally.errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def walk_first(url: str) -> None:
    """Go each walk once, as far as anybody comes."""
    for walk in range(WALKS):
        visitor = Visitor(url, walk)
        for _ in range(STEPS):
            visitor.act()
        visitor.session.close()


@contextmanager
def crowd(url: str, clients: int, own: int = 0) -> Iterator[list[Visitor]]:
    """Visitors who came one after another, and have looked at their first page; ``own``, the first of their ways."""
    with ExitStack() as stack:
        visitors = [Visitor(url, own + number if own else number % WALKS) for number in range(clients)]
        for visitor in visitors:
            stack.enter_context(visitor.session)
            visitor.act()
        yield visitors


def steady(url: str, server: Server | None, clients: int, own: int = 0) -> Tally:
    """Visitors who go about the pages with time to think."""
    tally, think = Tally(), THINK_S[clients]
    with crowd(url, clients, own) as visitors, watched(tally, server):
        until = time.perf_counter() + LASTS_S

        def live(number: int) -> None:
            visitor, mood = visitors[number], random.Random(number)
            time.sleep(mood.uniform(0, think[1]))
            while time.perf_counter() < until:
                run = visitor.act()
                tally.add(run, page=visitor.page)
                time.sleep(mood.uniform(*think))

        at_once(clients, tally, live)
    return tally


def moves(url: str, server: Server | None) -> Tally:
    """All change something in one instant."""
    tally = Tally()
    with crowd(url, CROWD) as visitors, watched(tally, server):
        at_once(CROWD, tally, lambda number: tally.add(visitors[number].act()))
    return tally


def joins(url: str, server: Server | None) -> Tally:
    """All open the app in one instant, each at another page."""
    tally, sessions = Tally(), []
    with Session(url) as first:
        first.visit("")
        pages = sorted(first.pages) or [""]

    def join(number: int) -> None:
        start = time.perf_counter()
        session = Session(url)
        sessions.append(session)
        run = session.visit(pages[number % len(pages)])
        tally.add(run, time.perf_counter() - start)

    with watched(tally, server):
        at_once(CROWD, tally, join)
    for session in sessions:
        session.close()
    return tally


def memory(url: str, server: Server | None) -> tuple[Tally, Tally]:
    """The same hundred visitors ten times, one after another: after the first hundred, and after all."""
    found = []
    for rounds in (1, 9):
        tally = Tally()
        with watched(tally, server):
            for number in [*range(100)] * rounds:
                visitor = Visitor(url, number)
                for _ in range(2):
                    tally.add(visitor.act())
                visitor.session.close()
        found.append(tally)
    return found[0], found[1]


def fairness(url: str, server: Server | None) -> dict[str, Tally]:
    """Visitors with light requests: alone, beside one who has times measured, and beside a class that trains.

    They take turns, because machines drift.
    """
    measured = {"complexity_measure": "over n"}
    company: dict[str, Callable[[Tally], AbstractContextManager[None]]] = {
        "alone": lambda _: nullcontext(),
        "beside a measurement": lambda tally: beside(url, tally, 1, "complexity", measured),
        f"beside {TRAINING} who train": lambda tally: beside(url, tally, TRAINING, "learning", {}),
    }
    found = {name: Tally() for name in company}
    for _ in range(ROUNDS):
        for name, others in company.items():
            with others(found[name]):
                found[name].join(steady(url, server, LIGHT))
    return found


@contextmanager
def beside(url: str, tally: Tally, clients: int, page: str, settings: dict[str, str]) -> Iterator[None]:
    """Meanwhile others have what takes seconds computed without a pause; what goes wrong for them is counted."""
    done = threading.Event()

    def live(number: int) -> None:
        with Session(url) as visitor:
            widgets = {widget.key: widget for widget in visitor.visit(page).widgets}
            states = [widgets[key].state(value) for key, value in settings.items()]
            while not done.is_set():
                seed = next(SEEDS)  # each its own: a result that is known costs nothing
                run = visitor.change([*states, widgets["seed"].state(seed)])
                tally.errors += run.failures
                tally.trained += not done.is_set()

    thread = threading.Thread(target=at_once, args=(clients, tally, live))
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def row(name: str, tally: Tally, beside: Tally | None, budget: str = "–", held: bool = True) -> None:
    """Print a line of the table; an error misses any budget."""
    cells = (
        name,
        f"{len(tally.seconds) / tally.wall:.1f}",
        f"{tally.milliseconds(0.5):,.0f}",
        f"{tally.milliseconds(0.95):,.0f}",
        f"{tally.milliseconds(0.95, quick=True):,.0f}",
        f"{tally.milliseconds(0.95) / beside.milliseconds(0.95):.2f}" if beside else "–",
        str(len(tally.errors)),
        (f"{tally.peak / 1e6:.0f}" + f" + {tally.worker / 1e6:.0f}" * bool(tally.worker)) if tally.peak else "–",
        f"{tally.client:.0%}",
        budget,
        "–" if budget == "–" else "held" if held and not tally.errors else "MISSED",
    )
    print(
        "| " + " | ".join(cells) + " |", *sorted(set(tally.errors))[:3], sep="\n" if tally.errors else "", flush=True
    )


def fits(tally: Tally) -> bool:
    """Whether memory stayed within its budget."""
    return tally.peak <= PEAK_BYTES and tally.worker <= WORKER_BYTES


@contextmanager
def cluster(workers: int, logs: Path) -> Iterator[str]:
    """What ``COMPUTE`` names: a scheduler with so many workers, or nothing."""
    if not workers:
        yield ""
        return
    port = free_port()
    where, dask = f"tcp://127.0.0.1:{port}", [sys.executable, "-m"]
    scheduler = [*dask, "distributed.cli.dask_scheduler", "--host=127.0.0.1", f"--port={port}", "--no-dashboard"]
    worker = [*dask, "distributed.cli.dask_worker", where, f"--nthreads={BEGUN}", "--no-dashboard"]
    worker += [f"--nworkers={workers}", "--preload=pages._shared.compute.worker", f"--local-directory={logs}"]
    environment = {
        f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": str(value) for name, value in SETTINGS.items()
    } | {"PYTHONPATH": str(ROOT)}
    with ExitStack() as stack:
        started = start(scheduler, logs / "scheduler.log", partial(listens, port), **environment)
        stack.callback(stop, started)
        started = start(worker, logs / "worker.log", lambda: True, **environment)
        stack.callback(stop, started)
        yield where


def main() -> None:
    """Print the table."""
    parts = ("steady", "moves", "joins", "memory", "fairness")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="address of a server that runs already")
    parser.add_argument("--only", nargs="*", default=parts, choices=parts, help="parts to measure")
    parser.add_argument(
        "--clients", nargs="*", type=int, default=[*THINK_S], choices=THINK_S, help="crowds to measure"
    )
    parser.add_argument("--workers", nargs="*", type=int, default=[0], help="numbers of worker processes")
    asked = parser.parse_args()
    said = ", ".join(f"{name} {version(name)}" for name in ("streamlit", "torch", "plotly"))
    print(f"{os.cpu_count()} cores · Python {platform.python_version()}, {said}\n")
    print("| load | runs/s | p50 ms | p95 ms | quick p95 ms | × reference | errors | MB | client | budget | |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    if asked.url:
        measure(asked.url, None, None, asked.only, asked.clients, "")
        return
    for workers in asked.workers:
        with ExitStack() as stack:
            logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            where = stack.enter_context(cluster(workers, logs))
            app = stack.enter_context(serving(ROOT / "app.py", logs / "app.log", COMPUTE=where))
            while where and "long computations: on" not in app.log.read_text(encoding="utf-8"):
                time.sleep(SAMPLE_S)
            reference = stack.enter_context(serving(REFERENCE, logs / "reference.log"))
            name = f", {workers} worker{'s' * (workers > 1)}" if workers else ""
            measure(app.url, app, reference, asked.only, asked.clients, name)
            print(f"Load of the machine: {', '.join(f'{one:.1f}' for one in os.getloadavg())}\n")


def measure(
    url: str, app: Server | None, reference: Server | None, parts: list[str], clients: list[int], where: str
) -> None:
    """Measure the parts, and print a line for each. Before each that is on common ways these are walked once."""
    beside: Tally | None

    def walk_common_ways() -> None:
        for address in (url, reference.url) if reference else (url,):
            walk_first(address)

    for number in clients if "steady" in parts else ():
        low, high = THINK_S[number]
        name = f"{number} visitor{'s' * (number > 1)}, think {low:.0f}–{high:.0f} s"
        if number in (30, 200):  # before anything has been computed
            here = steady(url, app, number, NEVER_WALKED * number)
            p95, quick = here.milliseconds(0.95), here.milliseconds(0.95, quick=True)
            if number == 200:
                row(f"{name}, own ways{where}", here, None, "quick ≤ 600 ms, MB", quick <= 600 and fits(here))
            else:
                held = p95 <= 1_000 and quick <= 250 and fits(here)
                row(f"{name}, own ways{where}", here, None, "p95 ≤ 1 s, quick ≤ 250 ms, MB", held)
        walk_common_ways()
        here, beside = steady(url, app, number), reference and steady(reference.url, reference, number)
        if number == 200:
            held = here.milliseconds(0.95) <= 500 and fits(here)
            row(f"{name}, common ways{where}", here, beside, "p95 ≤ 500 ms, MB", held)
        else:
            row(f"{name}, common ways{where}", here, beside)
    if "moves" in parts:
        walk_common_ways()
        here, beside = moves(url, app), reference and moves(reference.url, reference)
        row(f"{CROWD} moves at once{where}", here, beside, "p95 ≤ 2,500 ms", here.milliseconds(0.95) <= 2_500)
    if "joins" in parts:
        walk_common_ways()
        here, beside = joins(url, app), reference and joins(reference.url, reference)
        row(f"{CROWD} joins at once{where}", here, beside, "all ≤ 4,000 ms", here.milliseconds(1) <= 4_000)
    if "memory" in parts and app:
        first, last = memory(url, app)
        row(f"100 visitors, one after another{where}", first, None)
        held = last.rss <= 1.05 * first.rss
        row(f"1,000 visitors, one after another{where}", last, None, "at the end ≤ 1.05 × 100's", held)
    if "fairness" in parts:
        walk_common_ways()
        found = fairness(url, app)
        for name, here in found.items():
            slower = here.milliseconds(0.95) / found["alone"].milliseconds(0.95)
            budget = "–" if name == "alone" else f"{slower:.2f} ≤ 2 × alone"
            each = f" ({60 * here.trained / here.wall:.0f} a minute)" if here.trained else ""
            row(f"{LIGHT} visitors, {name}{each}{where}", here, None, budget, slower <= 2)


if __name__ == "__main__":
    main()
