"""Two replicas behind the proxy of deploy/, with its own haproxy.cfg: whom it sends where, and what a loss costs."""

import csv
import io
import os
import re
import shutil
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.browser.classes import STEPS, counts, says, step, vote
from tests.browser.classes import start as start_class
from tests.browser.locators import FINDING
from tests.browser.screens import PHONE, PROJECTOR
from tests.class_rooms.conftest import start_redis
from tests.processes import PATIENCE_S, ROOT, Server, free_port, listens, start, start_app, stop

pytestmark = pytest.mark.xdist_group("replicas")
CONFIG = ROOT / "deploy/haproxy.cfg"
NAMES = ("one", "two")
MISSING = "Tests of the proxy need HAProxy: install Debian's package haproxy."
NETWORK = ("Failed to load resource", "WebSocket")  # what a browser says of a server that is lost
SETTINGS = "permutation?permutation_positions=rotary&seed=3"


class Cluster:
    """The proxy, its two replicas, and the Redis where both keep their classes, all on the loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.redis, self.rooms = start_redis(folder)
        self.ports = {name: free_port() for name in (*NAMES, "bind", "admin")}
        self.url = f"http://127.0.0.1:{self.ports['bind']}"
        self.replicas: dict[str, Server] = {}
        with ThreadPoolExecutor() as pool:
            list(pool.map(self.start, NAMES))
        addresses = {f"ATTENTION_{name.upper()}": f"127.0.0.1:{port}" for name, port in self.ports.items()}
        addresses["ATTENTION_ADMIN"] = f"ipv4@{addresses['ATTENTION_ADMIN']}"
        is_up = partial(listens, self.ports["bind"])
        self.proxy = start(["haproxy", "-db", "-f", str(CONFIG)], folder / "proxy.log", is_up, **addresses)
        self.wait_until(*NAMES, are="UP")

    def start(self, name: str) -> None:
        log = self.folder / f"{name}.log"
        port = self.ports[name]
        self.replicas[name] = start_app(ROOT / "deploy/classroom.py", log, port=port, ROOMS_URL=self.rooms)

    def ask(self, command: str) -> str:
        """What the proxy's administration answers."""
        with socket.create_connection(("127.0.0.1", self.ports["admin"]), timeout=PATIENCE_S) as talk:
            talk.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: talk.recv(65536), b"")).decode()

    def counts(self, column: str) -> dict[str, str]:
        """A column of the proxy's statistics, by replica."""
        rows = csv.DictReader(io.StringIO(self.ask("show stat").removeprefix("# ")))
        return {row["svname"]: row[column] for row in rows if row["svname"] in NAMES}

    def wait_until(self, *names: str, are: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                seen = self.counts("status")
                if all(seen[name].startswith(are) for name in names):
                    return
            except OSError:
                seen = {}
            assert time.monotonic() < deadline, seen
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        """Lose a replica, and wait until the proxy has seen it."""
        lost = self.replicas[name].process
        lost.kill()
        lost.wait()
        self.wait_until(name, are="DOWN")

    def stop(self) -> None:
        stop(self.proxy)
        for replica in self.replicas.values():
            stop(replica.process)
        stop(self.redis)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if shutil.which("haproxy") is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    running = Cluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


def get(url: str, **headers: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE_S) as answer:
        answer.body = answer.read()
        return answer


@pytest.fixture
def visit_replica(cluster: Cluster, open_page: Callable, settled: Callable) -> Callable[..., Any]:
    """Open a page of the app on one replica, as a visitor who belongs to it, and wait until it is drawn."""

    def go(replica: str, path: str, **options: Any) -> Any:
        page = open_page(stranger=True, **options)
        page.context.add_cookies([{"name": "replica", "value": replica, "url": cluster.url}])
        page.loads = []
        page.on("load", lambda loaded: page.loads.append(loaded.url))
        page.goto(f"{cluster.url}/{path}")
        page.wait_for_selector("canvas")
        settled(page)
        return page

    return go


def replica_of(page: Any) -> str:
    """The replica that a visitor belongs to."""
    return next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "replica")


def verdicts(page: Any) -> str:
    return page.locator(FINDING).inner_text()


def assert_alive(page: Any, before: str, settled: Callable) -> None:
    """The page stands as it stood, without more than one reload, and answers the first press on a button."""
    page.wait_for_selector("[data-testid=stApp][data-test-connection-state=CONNECTED]")
    settled(page)  # once it has had the run that it asks for by itself
    assert len(page.loads) <= 2, "the visit, and at most one reload"
    assert page.url.endswith(SETTINGS)
    assert verdicts(page) == before
    page.get_by_role("radio", name="Shuffle all").click()
    page.wait_for_url(lambda url: "rotary" not in url)
    settled(page)
    assert verdicts(page) != before


@pytest.mark.nightly
def test_a_visitor_stays_on_a_replica_and_a_class_from_one_address_is_spread(cluster: Cluster) -> None:
    first = [get(f"{cluster.url}/").headers["Set-Cookie"] for _ in range(6)]
    belongs = {re.match(r"replica=(\w+);", cookie)[1] for cookie in first}
    assert belongs == set(NAMES), "all came from one address"
    assert all("HttpOnly" in cookie for cookie in first)
    before = {name: int(total) for name, total in cluster.counts("stot").items()}
    for _ in range(6):
        assert get(f"{cluster.url}/", Cookie="replica=two").headers["Set-Cookie"] is None
    after = {name: int(total) for name, total in cluster.counts("stot").items()}
    assert after == {"one": before["one"], "two": before["two"] + 6}


def test_files_arrive_compressed_and_may_be_kept(cluster: Cluster) -> None:
    page = get(f"{cluster.url}/", **{"Accept-Encoding": "gzip"})
    assert page.headers["Content-Encoding"] == "gzip"
    html = get(f"{cluster.url}/").body.decode()
    script = re.search(r"static/js/index\.[\w-]+\.js", html)[0]
    for cookie in NAMES:
        packed = get(f"{cluster.url}/{script}", **{"Accept-Encoding": "gzip", "Cookie": f"replica={cookie}"})
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert len(packed.body) < len(get(f"{cluster.url}/{script}").body) / 2


@pytest.mark.nightly
def test_a_rolling_restart_drops_nobody(cluster: Cluster, visit_replica: Callable, settled: Callable) -> None:
    pages = [visit_replica(name, SETTINGS) for name in NAMES]
    before = [verdicts(page) for page in pages]
    for name, other in (NAMES, NAMES[::-1]):
        cluster.ask(f"set server replicas/{name} state drain")
        newcomers = {get(f"{cluster.url}/").headers["Set-Cookie"].split(";")[0] for _ in range(4)}
        assert newcomers == {f"replica={other}"}
        stop(cluster.replicas[name].process)
        cluster.start(name)
        cluster.ask(f"set server replicas/{name} state ready")
        cluster.wait_until(name, are="UP")
    for page, text in zip(pages, before, strict=True):
        assert_alive(page, text, settled)


@pytest.mark.nightly
def test_a_lost_replica_costs_its_visitors_no_more_than_a_reload(
    cluster: Cluster, visit_replica: Callable, settled: Callable
) -> None:
    page = visit_replica("one", SETTINGS)
    before = verdicts(page)
    assert "Not so here, and theory agrees" in before
    cluster.kill("one")
    assert_alive(page, before, settled)
    assert replica_of(page) == "two"
    cluster.start("one")
    cluster.wait_until("one", are="UP")


@pytest.mark.nightly
def test_a_class_outlives_a_killed_replica(cluster: Cluster, visit_replica: Callable, settled: Callable) -> None:
    teacher = visit_replica("one", "scaling?scaling_tab=share", **PROJECTOR)
    key, _ = start_class(teacher)
    phones = [visit_replica(name, f"?class={key}", **PHONE) for name in ("one", "one", "two")]
    says(teacher, ".here", "^3 here$")
    step(teacher, "Ask")
    for phone in phones:
        says(phone, ".line", "^Vote.")
    for answer, phone in enumerate(phones[:2]):
        vote(phone, answer)
    cluster.kill("one")
    says(teacher, ".status", "^Vote: 2 of ")
    vote(phones[0], 3)
    vote(phones[2], 2)
    says(teacher, ".status", "^Vote: 3 of ")
    settled(teacher)
    assert replica_of(teacher) == "two"
    for name in STEPS[1:4]:
        step(teacher, name)
        if name == "Ask again":
            for phone in phones:
                says(phone, ".line", "^Vote again")
                vote(phone, 3)
    step(teacher, "Show the counts")
    assert counts(teacher) == [["0", "0"], ["1", "0"], ["1", "0"], ["1", "3"]]
    step(teacher, "Reveal the answer")
    for page in (teacher, *phones):
        says(page, ".measured", "It vanishes for most")
    for page in (teacher, *phones):
        page.goto("about:blank")
        assert [error for error in page.errors if not any(one in error for one in NETWORK)] == []
        page.errors.clear()


def test_who_guesses_keys_cannot_claim_another_address_for_each(cluster: Cluster) -> None:
    """The proxy's word for a visitor's address takes the place of the visitor's own."""
    answered = set()
    for guess in range(100):
        try:
            get(f"{cluster.url}/class/rooms/BBBBB/events", **{"X-Forwarded-For": f"203.0.113.{guess}"})
        except HTTPError as error:
            answered.add(error.code)
    assert answered == {404, 429}
