"""A server of its own on this machine, whose log and memory can be read."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    Attributes:
        url: Its address.
        process: Its process.
        log: The file it writes to.
    """

    url: str
    process: psutil.Process
    log: Path

    @property
    def rss(self) -> int:
        """Bytes of memory it holds now."""
        return self.process.memory_info().rss


@contextmanager
def serving(app: Path, log: Path) -> Iterator[Server]:
    """The app on a free port of this machine, with the project's configuration.

    Args:
        app: Its script.
        log: Where the server's output goes.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    command += ["--server.address=127.0.0.1", f"--server.port={port}"]
    with log.open("wb") as written:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        running = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=written, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}"
    try:
        await_answer(running, url, log)
        yield Server(url, psutil.Process(running.pid), log)
    finally:
        running.terminate()
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def await_answer(running: subprocess.Popen[bytes], url: str, log: Path) -> None:
    """Wait until a server answers at ``url``; what it wrote to ``log`` says why it does not."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).close()
            return
        except OSError:
            if running.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')}") from None
            time.sleep(0.1)
