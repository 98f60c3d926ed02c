"""Servers of live classes for tests: with rooms in memory, and with a real Redis; both pass the same tests."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
import uvicorn

from pages._shared.rooms import Limits, make_store
from tests.browser.conftest import ROOT, free_port
from tests.rooms.client import Api
from tests.rooms.serve import application

MISSING = "Tests of live classes on several replicas need Redis: install Debian's package redis-server."
# Beats and counts come soon, so that no test waits for them; many tests share a server, and each opens its rooms.
QUICK = {"beat_s": 0.2, "present_s": 1000.0, "counts_s": 0.05}
MANY = {"messages": 50, "wrong_keys": 10_000, "new_rooms": 10_000, "rooms": 10_000}


def await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process listens."""
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, "it ended at once"
            assert time.monotonic() < deadline, "it does not listen"
            time.sleep(0.02)


def start_redis(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A Redis server of one's own, which writes nothing to disk, and its address."""
    executable = shutil.which("redis-server")
    if executable is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    port = free_port()
    command = [executable, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([*command, "--dir", str(folder)], stdout=subprocess.DEVNULL)
    await_port(port, process)
    return process, f"redis://127.0.0.1:{port}"


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process gently; it must be able to."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


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


@contextmanager
def serving() -> Iterator[Callable[..., Api]]:
    """Start servers in this process; keyword arguments are a server's limits."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(url: str | None, **limits: float) -> Api:
        store = make_store(url, Limits(**QUICK | limits))
        config = uvicorn.Config(application(store), log_level="warning", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        listening = socket.create_server(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        running.append((server, thread))
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        return Api(f"http://127.0.0.1:{listening.getsockname()[1]}")

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()


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


def start_replica(*url: str, port: int = 0) -> tuple[subprocess.Popen[bytes], Api]:
    """A server in a process of its own, on a free port if ``port`` is 0; rooms are in Redis if there is a ``url``."""
    port = port or free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.rooms.serve", str(port), *url], cwd=ROOT)
    await_port(port, process)
    return process, Api(f"http://127.0.0.1:{port}")


@pytest.fixture
def replica() -> Iterator[Callable[..., tuple[subprocess.Popen[bytes], Api]]]:
    """Start a server in a process of its own."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*url: str) -> tuple[subprocess.Popen[bytes], Api]:
        process, api = start_replica(*url)
        running.append(process)
        return process, api

    yield start
    for process in running:
        process.kill()
        process.wait()
