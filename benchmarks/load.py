"""Many visitors at once, beside the reference app under the same load: ``python -m benchmarks.load``.

Visitors speak Streamlit's own protocol (``tests/load/client.py``): each visits every page in turn, changes what is on
it and thinks in between. *Common ways*: as in a class, several do the same; there are ten walks through the app, and
each has been walked once before, so results are cached as they are once somebody has looked at them. *Own ways*:
each draws pages, values and the seed for himself, and nothing has been computed before. A time is that from a request
to the last message of the last run it sets off, the answers' included. Visitors and server share the cores of one
machine; the column *client* says how much of one core the visitors took.

``--url`` measures a server that runs already, behind a proxy say; its memory is then not seen, and no reference runs.
"""

import argparse
import os
import platform
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import count
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages._shared.core.pages import LEDGER, PAGES
from tests.load.client import Run, Session, Widget
from tests.processes import ROOT, Server, serving

REFERENCE = ROOT / "benchmarks/reference_app.py"
# The class first: for two minutes Streamlit keeps what those who left had, and of its memory there is a budget.
THINK_S = {1: (2.0, 2.0), 200: (4.0, 12.0), 100: (2.0, 6.0), 30: (2.0, 2.0)}
LASTS_S = 30
STEPS = 17  # as far as anybody comes
CROWD, LIGHT, TRAINING = 200, 30, 30
ROUNDS = 3
WALKS = 10
MOVES_ON_A_PAGE = 4
SENTENCES = ("the cat sat on a mat", "to be or not to be", "one two three four five six seven", "a rose is a rose")
# What takes seconds and shows its progress (measuring times, checking claims, training), and what there is no reason
# to change.
LEFT_ALONE = ("complexity_measure", "complexity_seconds", "_claims_", "learning_", "device")
NEVER_WALKED = 1_000  # ways from here on are nobody's but one visitor's


@dataclass
class Tally:
    """What the visitors of one part saw.

    Attributes:
        seconds: Of each run.
        errors: What went wrong.
        wall: Seconds that the part took.
        client: Share of one core that the visitors took.
        rss: Bytes of the server's memory at the end; 0 where it is not seen.
    """

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    wall: float = 0.0
    client: float = 0.0
    rss: int = 0

    def add(self, run: Run, seconds: float | None = None) -> None:
        """Count a run."""
        self.seconds.append(run.seconds if seconds is None else seconds)
        self.errors += run.failures + [sentence for sentence in run.told if "went wrong" in sentence]

    def join(self, other: "Tally") -> None:
        """Count what another part has counted, too."""
        runs = len(self.seconds) + len(other.seconds)
        self.client = (self.client * len(self.seconds) + other.client * len(other.seconds)) / runs
        self.seconds += other.seconds
        self.errors += other.errors
        self.wall += other.wall
        self.rss = other.rss

    def milliseconds(self, share: float) -> float:
        """The time that ``share`` of the runs did not exceed."""
        return 1e3 * sorted(self.seconds)[min(len(self.seconds) - 1, int(share * len(self.seconds)))]


class Visitor:
    """One who goes from page to page and changes what is there.

    Args:
        url: Address of the server.
        walk: With which page he begins, and how his dice fall. On a way of his own he moves sliders where there are.
    """

    def __init__(self, url: str, walk: int) -> None:
        self.session, self.dice = Session(url), random.Random(walk)
        self.run = self.session.visit("")
        pages = sorted(self.session.pages) or [""]
        self.pages = (pages[i % len(pages)] for i in count(walk))
        self.left, self.own = 0, walk >= NEVER_WALKED

    def act(self) -> Run:
        """Turn to the next page, or change something on this one."""
        widgets = self.run.widgets
        if self.own and any(move(widget, self.dice) for widget in widgets if widget.kind == "slider"):
            widgets = [widget for widget in widgets if widget.kind == "slider"]
        moves = [state for widget in widgets if (state := move(widget, self.dice))]
        if self.left and moves:
            self.left -= 1
            self.run = self.session.change([self.dice.choice(moves)])
        else:
            self.left = MOVES_ON_A_PAGE
            self.run = self.session.visit(next(self.pages))
        return self.run


def move(widget: Widget, dice: random.Random) -> WidgetState | None:
    """A value that a visitor could choose; None for what he leaves alone."""
    proto, key = widget.proto, widget.key
    if key.startswith(LEFT_ALONE):
        return None
    match widget.kind:
        case "slider":
            steps = round((proto.max - proto.min) / proto.step)
            return widget.state([proto.min + proto.step * dice.randint(0, steps)])
        case "selectbox":
            return widget.state(dice.choice(proto.options))
        case "button_group":
            return widget.state([dice.choice(proto.options).content])
        case "checkbox":
            return widget.state(dice.random() < 0.5)
        case "text_input" if not key.startswith("_"):
            return widget.state(dice.choice(SENTENCES))
        case "tab_container":
            tabs = [page.title for page in PAGES] if key == f"{LEDGER.name}_tab" else ("Why", "Code", "Data", "Share")
            return widget.state(dice.choice(tabs))
    return None


@contextmanager
def watched(tally: Tally, server: Server | None) -> Iterator[None]:
    """Note how long a part takes, what the visitors take of a core, and the server's memory at the end."""
    wall, busy = time.perf_counter(), time.process_time()
    yield
    tally.wall = time.perf_counter() - wall
    tally.client = (time.process_time() - busy) / tally.wall
    tally.rss = server.rss if server else 0


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
    """CoursePosition each walk once, as far as anybody comes."""
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
                tally.add(visitor.act())
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
            for seed in count(number * 1_000 + 1):  # each its own: a result that is known costs nothing
                if done.is_set():
                    return
                run = visitor.change([*states, widgets["seed"].state(seed)])
                tally.errors += run.failures

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
        f"{tally.milliseconds(0.95) / beside.milliseconds(0.95):.2f}" if beside else "–",
        str(len(tally.errors)),
        f"{tally.rss / 1e6:.0f}" if tally.rss else "–",
        f"{tally.client:.0%}",
        budget,
        "–" if budget == "–" else "held" if held and not tally.errors else "MISSED",
    )
    print(
        "| " + " | ".join(cells) + " |", *sorted(set(tally.errors))[:3], sep="\n" if tally.errors else "", flush=True
    )


def main() -> None:
    """Print the table."""
    parts = ("steady", "moves", "joins", "memory", "fairness")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="address of a server that runs already")
    parser.add_argument("--only", nargs="*", default=parts, choices=parts, help="parts to measure")
    parser.add_argument(
        "--clients", nargs="*", type=int, default=[*THINK_S], choices=THINK_S, help="crowds to measure"
    )
    asked = parser.parse_args()
    said = ", ".join(f"{name} {version(name)}" for name in ("streamlit", "torch", "plotly"))
    print(f"{os.cpu_count()} cores · Python {platform.python_version()}, {said}\n")
    print("| load | runs/s | p50 ms | p95 ms | × reference | errors | MB | client | budget | |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with ExitStack() as stack:
        app = reference = None
        if not asked.url:
            logs = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            app = stack.enter_context(serving(ROOT / "app.py", logs / "app.log"))
            reference = stack.enter_context(serving(REFERENCE, logs / "reference.log"))
        measure(asked.url or app.url, app, reference, asked.only, asked.clients)


def measure(url: str, app: Server | None, reference: Server | None, parts: list[str], clients: list[int]) -> None:
    """Measure the parts, and print a line for each. Before each that is on common ways these are walked once."""
    beside: Tally | None

    def walk_common_ways() -> None:
        for address in (url, reference.url) if reference else (url,):
            walk_first(address)

    for number in clients if "steady" in parts else ():
        low, high = THINK_S[number]
        name = f"{number} visitor{'s' * (number > 1)}, think {low:.0f}–{high:.0f} s"
        walk_common_ways()
        here, beside = steady(url, app, number), reference and steady(reference.url, reference, number)
        p95 = here.milliseconds(0.95)
        match number:
            case 30 if beside:
                row(f"{name}, common ways", here, beside, "≤ 1.5 × reference", p95 <= 1.5 * beside.milliseconds(0.95))
            case 200:
                row(f"{name}, common ways", here, beside, "p95 ≤ 300 ms, ≤ 600 MB", p95 <= 300 and here.rss <= 600e6)
            case _:
                row(f"{name}, common ways", here, beside)
        if number not in (30, 200):
            continue
        here = steady(url, app, number, NEVER_WALKED * number)
        p95 = here.milliseconds(0.95)
        if number == 200:
            row(f"{name}, own ways", here, beside, "p95 ≤ 1 s, ≤ 600 MB", p95 <= 1_000 and here.rss <= 600e6)
        elif beside:
            held = p95 <= 25 * beside.milliseconds(0.95) and here.rss <= 600e6
            row(f"{name}, own ways", here, beside, "≤ 25 × reference, ≤ 600 MB", held)
    if "moves" in parts:
        walk_common_ways()
        here, beside = moves(url, app), reference and moves(reference.url, reference)
        row(f"{CROWD} moves at once", here, beside, "p95 ≤ 2,500 ms", here.milliseconds(0.95) <= 2_500)
    if "joins" in parts:
        walk_common_ways()
        here, beside = joins(url, app), reference and joins(reference.url, reference)
        row(f"{CROWD} joins at once", here, beside, "all ≤ 4,000 ms", here.milliseconds(1) <= 4_000)
    if "memory" in parts and app:
        first, last = memory(url, app)
        row("100 visitors, one after another", first, None)
        row("1,000 visitors, one after another", last, None, "MB ≤ 1.05 × 100's", last.rss <= 1.05 * first.rss)
    if "fairness" in parts:
        walk_common_ways()
        found = fairness(url, app)
        for name, here in found.items():
            slower = here.milliseconds(0.95) / found["alone"].milliseconds(0.95)
            budget = "–" if name == "alone" else f"{slower:.2f} ≤ 2 × alone"
            row(f"{LIGHT} visitors, {name}", here, None, budget, slower <= 2)


if __name__ == "__main__":
    main()
