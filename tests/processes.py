"""Servers in processes of their own: started on a free port of this machine, awaited, ended."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
# Seconds for anything that comes sooner or later: only a test that fails waits so long. A slow machine gets more.
PATIENCE_S = 240 * float(os.environ.get("PATIENCE", "1"))


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        url: Its address.
        process: Its process.
        log: The file it writes to.
    """

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def rss(self) -> int:
        """Bytes of memory it holds now."""
        return psutil.Process(self.process.pid).memory_info().rss


@contextmanager
def watched(server: Server) -> Iterator[list[int]]:
    """A server's memory in bytes, ten times a second as long as the block lasts."""
    over, seen = threading.Event(), [server.rss]

    def watch() -> None:
        while not over.wait(0.1):
            seen.append(server.rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def free_port() -> int:
    """A port on the loopback that nobody listens on, and that no other worker of this run is given."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    while True:
        # Below those that systems give to outgoing connections, which could take it meanwhile.
        port = SystemRandom().randrange(20_000 + worker, 32_000, workers)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def answers(url: str) -> bool:
    """Whether an app says that it is well."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


def listens(port: int) -> bool:
    """Whether somebody listens on a port of the loopback."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def start(
    command: Sequence[str], log: Path, is_ready: Callable[[], bool], cwd: Path = ROOT, **environment: str
) -> subprocess.Popen[bytes]:
    """Start a process that writes to ``log``, and wait until it is ready.

    Raises:
        RuntimeError: If it ends before, or is not ready in time; with what it wrote.
    """
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, cwd=cwd, env=os.environ | environment, stdout=written, stderr=subprocess.STDOUT
        )
    await_ready(process, log, is_ready)
    return process


def await_ready(process: subprocess.Popen[bytes], log: Path, is_ready: Callable[[], bool]) -> None:
    """Wait until a process that writes to ``log`` is ready.

    Raises:
        RuntimeError: If it ends before, or is not ready in time; with what it wrote.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not is_ready():
        if process.poll() is not None or time.monotonic() > deadline:
            stop(process)
            raise RuntimeError(f"{process.args} did not start:\n{log.read_text('utf-8', 'replace')}")
        time.sleep(0.05)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process, gently first; it must be able to.

    Raises:
        subprocess.TimeoutExpired: If it has to be killed.
    """
    process.terminate()
    try:
        process.wait(20)
    finally:
        process.kill()
        process.wait()


def start_app(app: Path, log: Path, *options: str, port: int = 0, **environment: str) -> Server:
    """Start a Streamlit script with the project's configuration, on a free port if ``port`` is 0."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    command += ["--server.address=127.0.0.1", f"--server.port={port}", *options]
    return Server(url, start(command, log, partial(answers, url), PYTHONPATH=str(ROOT), **environment), log)


def start_proxy(app: Server, folder: Path) -> tuple[str, subprocess.Popen[bytes]]:
    """Start the proxy of deploy/ in front of an app, and give its address: under its content security policy."""
    port, address = free_port(), app.url.removeprefix("http://")
    addresses = {
        "BIND": f"127.0.0.1:{port}",
        "ADMIN": f"ipv4@127.0.0.1:{free_port()}",
        "ONE": address,
        "TWO": address,
    }
    environment = {f"ATTENTION_{name}": value for name, value in addresses.items()}
    command = ["haproxy", "-db", "-f", str(ROOT / "deploy/haproxy.cfg")]
    return f"http://127.0.0.1:{port}", start(command, folder / "proxy.log", partial(listens, port), **environment)


@contextmanager
def serving(app: Path, log: Path = Path(os.devnull), **environment: str) -> Iterator[Server]:
    """A Streamlit script for as long as it is needed."""
    server = start_app(app, log, **environment)
    try:
        yield server
    finally:
        stop(server.process)


def run_apart(what: Coroutine[Any, Any, Any]) -> Any:
    """Run it in a thread of its own: where a browser test came before, this one has a loop that runs."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, what).result()
