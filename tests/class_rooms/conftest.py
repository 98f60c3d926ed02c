"""Servers of live classes for tests: with rooms in memory, and with a real Redis; both pass the same tests."""

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import redis
import uvicorn

from pages._shared.class_rooms import Limits, Store, make_store
from tests.class_rooms.client import Api
from tests.class_rooms.serve import application
from tests.processes import PATIENCE_S, free_port, listens, start, stop

MISSING = "Tests of live classes on several replicas need Redis: install Debian's package redis-server."
# Beats and counts come soon, so that no test waits for them; many tests share a server, and each opens its rooms.
QUICK = {"beat_s": 0.2, "present_s": 1000.0, "counts_s": 0.05}
MANY = {"messages": 500, "wrong_keys": 10_000, "new_rooms": 10_000, "rooms": 10_000}


def start_redis(folder: Path, port: int = 0) -> tuple[subprocess.Popen[bytes], str]:
    """A Redis server of one's own, which writes nothing to disk, on a free port if ``port`` is 0, and its address."""
    executable = shutil.which("redis-server")
    if executable is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    port = port or free_port()
    command = [executable, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    process = start([*command, "--dir", str(folder)], folder / "redis.log", partial(listens, port))
    return process, f"redis://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    process, url = start_redis(tmp_path_factory.mktemp("redis"))
    yield url
    stop(process)


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """The address of an empty Redis server."""
    with redis.from_url(redis_server) as client:
        client.flushdb()
    return redis_server


@pytest.fixture(params=["memory", "redis"])
def rooms_url(request: pytest.FixtureRequest) -> str | None:
    """Where rooms are kept: the same tests for each."""
    return request.getfixturevalue("redis_url") if request.param == "redis" else None


class ThreadedServer(uvicorn.Server):
    """A server in a thread of its own, on a free port; it can be asked once it is made."""

    def __init__(self, store: Store) -> None:
        super().__init__(uvicorn.Config(application(store), log_level="warning", timeout_graceful_shutdown=1))
        listening = socket.create_server(("127.0.0.1", 0))
        self.api = Api(f"http://127.0.0.1:{listening.getsockname()[1]}")
        self._listens = threading.Event()
        self._thread = threading.Thread(target=self.run, kwargs={"sockets": [listening]})
        self._thread.start()
        assert self._listens.wait(PATIENCE_S), "the server did not start"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listens.set()

    def stop(self) -> None:
        """End it."""
        self.should_exit = True
        self._thread.join()


@contextmanager
def serving() -> Iterator[Callable[..., Api]]:
    """Start servers in this process; keyword arguments are a server's limits."""
    running: list[ThreadedServer] = []

    def start(url: str | None, **limits: float) -> Api:
        running.append(ThreadedServer(make_store(url, Limits(**QUICK | limits))))
        return running[-1].api

    yield start
    for server in running:
        server.stop()


@pytest.fixture
def serve() -> Iterator[Callable[..., Api]]:
    """Start a server for one test; keyword arguments are its limits."""
    with serving() as start:
        yield start


@pytest.fixture(scope="session", params=["memory", "redis"])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    """A server with each store in turn."""
    with serving() as start:
        yield start(request.getfixturevalue("redis_server") if request.param == "redis" else None, **MANY)


def start_replica(folder: Path, *url: str, port: int = 0) -> tuple[subprocess.Popen[bytes], Api]:
    """A server in a process of its own, on a free port if ``port`` is 0; rooms are in Redis if there is a ``url``."""
    port = port or free_port()
    command = [sys.executable, "-m", "tests.class_rooms.serve", str(port), *url]
    process = start(command, folder / f"{port}.log", partial(listens, port))
    return process, Api(f"http://127.0.0.1:{port}")


@pytest.fixture
def replica(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[bytes], Api]]]:
    """Start a server in a process of its own."""
    running: list[subprocess.Popen[bytes]] = []

    def go(*url: str) -> tuple[subprocess.Popen[bytes], Api]:
        process, api = start_replica(tmp_path, *url)
        running.append(process)
        return process, api

    yield go
    for process in running:
        process.kill()
        process.wait()
