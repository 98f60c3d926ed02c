"""The README's first command on a desktop: a terminal, a display, and a home where Streamlit has never been."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.browser.conftest import DRAWN
from tests.environment import RUN, environment, surroundings
from tests.processes import ROOT, answers, await_ready, free_port

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals as Python knows them."),
]


@contextmanager
def in_a_terminal(command: str, variables: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command that runs in a pseudo-terminal; what it says there goes to ``log``."""
    import pty

    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        command, shell=True, cwd=ROOT, env=variables, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)

    def read() -> None:
        with log.open("wb", buffering=0) as said, suppress(OSError):  # Linux's end of a terminal that nobody has open
            while part := os.read(ours, 4096):
                said.write(part)

    reader = Thread(target=read)
    reader.start()
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)
        running.wait()
        reader.join()
        os.close(ours)


def test_it_asks_nothing_and_home_is_drawn(page: Any, settled: Callable[..., None], tmp_path: Path) -> None:
    home, log, port = tmp_path / "home", tmp_path / "terminal.log", free_port()
    home.mkdir()
    variables = surroundings(
        environment(), HOME=str(home), DISPLAY=":0", BROWSER="true", STREAMLIT_SERVER_ADDRESS="127.0.0.1",
        STREAMLIT_SERVER_PORT=str(port),
    )  # fmt: skip
    with in_a_terminal(RUN, variables, log) as running:
        url = f"http://127.0.0.1:{port}"
        await_ready(running, log, lambda: answers(url))
        page.goto(url)
        page.wait_for_selector(DRAWN)
        settled(page)
        assert page.locator("h1").all_inner_texts() == ["Drag a word. Does attention notice?"]
        assert url in log.read_text(), "the terminal says where the app is"
        page.goto("about:blank")  # Home's board goes on to play by itself, and the server ends below
