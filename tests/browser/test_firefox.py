"""Debian's Firefox, by WebDriver BiDi: pages are drawn, follow the hand, and complain of nothing."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import websocket

from tests.browser.conftest import APP, PROBE
from tests.processes import PATIENCE_S, free_port, listens, start, start_app, start_proxy, stop

# Firefox 140 leaves a question unanswered at times, for good; a test that can hang for no fault of the app's is the
# night's.
pytestmark = pytest.mark.nightly
MISSING = "This test needs Firefox: install Debian's package firefox-esr."
NO_PROXY = "Tests of the proxy need HAProxy: install Debian's package haproxy."
# What a content security policy forbids, where a test can ask for it.
FORBIDDEN = (
    "addEventListener('securitypolicyviolation', (one) => (window.forbidden ??= []).push(one.violatedDirective));"
)

# The size of the picture that was saved, how many colours it has, and its name.
DRAWN = """(async () => {
  const image = new Image();
  image.src = saved.href;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const seen = new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return JSON.stringify([canvas.width, canvas.height, new Set(seen).size, saved.download]);
})()"""


def _is_its_own(entry: dict[str, Any]) -> bool:
    return entry["text"].startswith("Error: Permission denied to access property") and not entry.get("stackTrace")


class Firefox:
    """One tab.

    Args:
        port: Where Firefox listens.

    Attributes:
        errors: What was written to the console as an error, uncaught errors included.
    """

    def __init__(self, port: int) -> None:
        address = f"ws://127.0.0.1:{port}/session"
        self._socket = websocket.create_connection(address, timeout=PATIENCE_S, suppress_origin=True)
        self._numbers = count(1)
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self._tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask(
            "script.addPreloadScript",
            functionDeclaration=f"() => {{ {PROBE.read_text(encoding='utf-8')} {FORBIDDEN} }}",
        )

    def ask(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (said := json.loads(self._socket.recv())).get("id") != number:
            entry = said.get("params", {})
            # What a page does wrong has a place in its scripts; the browser's own code meets pages that have gone.
            if said.get("method") == "log.entryAdded" and entry["level"] == "error" and not _is_its_own(entry):
                self.errors.append(entry["text"])
        assert said["type"] == "success", said
        return said["result"]

    def open(self, url: str) -> None:
        self.ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        done = self.ask("script.evaluate", expression=expression, target={"context": self._tab}, awaitPromise=True)
        return done["result"].get("value")

    def wait_for(self, condition: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < deadline, condition
            time.sleep(0.1)

    def press(self, key: str) -> None:
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keys", "actions": actions}
        self.ask("input.performActions", context=self._tab, actions=[source])


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    executable = shutil.which("firefox-esr") or shutil.which("firefox")
    if executable is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(MISSING)
    folder, port = tmp_path_factory.mktemp("firefox"), free_port()
    command = [executable, "--headless", "--no-remote", "--profile", str(folder), f"--remote-debugging-port={port}"]
    process = start(command, Path(folder) / "log", lambda: listens(port), HOME=str(folder))
    yield Firefox(port)
    stop(process)


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app behind the proxy of deploy/."""
    if shutil.which("haproxy") is None:
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(NO_PROXY)
    folder = tmp_path_factory.mktemp("proxy")
    app = start_app(APP, folder / "app.log")
    address, process = start_proxy(app, folder)
    yield address
    stop(process)
    stop(app.process)


@pytest.mark.parametrize("name", ["", "scaling", "permutation", "receptive_field"])
def test_a_page_is_drawn_and_complains_of_nothing(name: str, firefox: Firefox, serve: Callable) -> None:
    draws(firefox, serve(APP), name)


@pytest.mark.parametrize(
    "name", ["", "scaling", "masks", "normalization?normalization_d_model=3", "claims", "course"]
)
def test_the_proxys_policy_forbids_a_page_nothing_that_it_does(name: str, firefox: Firefox, proxy: str) -> None:
    if name in ("claims", "course"):
        firefox.open(f"{proxy}/{name}")
        firefox.wait_for("window.probe && document.querySelector('h1') && probe.isSettled()")
    else:
        draws(firefox, proxy, name)
    assert firefox.evaluate("(window.forbidden ?? []).join()") == ""
    assert [error for error in firefox.errors if "Content-Security-Policy" in error] == []


def draws(firefox: Firefox, address: str, name: str) -> None:
    firefox.open(f"{address}/{name}")
    firefox.wait_for("window.probe && probe.panels() > 0 && probe.isSettled()")
    assert firefox.evaluate("probe.inSight()") > 50
    assert firefox.evaluate("document.querySelector('[data-testid=stException]')") is None
    if name == "scaling":
        firefox.evaluate("probe.walk(document).find((one) => one.matches('input[type=range]')).focus()")
        firefox.press("\ue010")  # End
        firefox.wait_for("location.search.includes('scaling_d_head=4096') && probe.isSettled()")
    streamlits = "/_stcore/"  # of a deep link it asks twice where there is nothing
    assert [error for error in firefox.errors if streamlits not in error] == []


def test_a_picture_is_drawn_as_png_under_the_policy(firefox: Firefox, proxy: str) -> None:
    firefox.open(f"{proxy}/masks?masks_tab=data")
    button = "probe.walk(document).find((one) => one.matches('button') && one.textContent.trim() === 'PNG')"
    firefox.wait_for(f"window.probe && {button}")
    firefox.evaluate("HTMLAnchorElement.prototype.click = function () { window.saved = this; }")
    firefox.evaluate(f"{button}.click()")
    firefox.wait_for("window.saved")
    wide, high, colours, name = json.loads(firefox.evaluate(DRAWN))
    assert min(wide, high) > 500
    assert colours > 50, "it is not blank"
    assert name == "attention-masks.png"
    assert firefox.evaluate("(window.forbidden ?? []).join()") == ""


def test_what_the_policy_forbids_does_not_run_and_is_told(firefox: Firefox, proxy: str) -> None:
    """The last test here: Firefox tells of it as an error, too, in its own time."""
    firefox.open(f"{proxy}/course")
    script = "Object.assign(document.createElement('script'), {text: 'window.ran = 1'})"
    firefox.evaluate(f"document.head.append({script})")
    firefox.wait_for("window.forbidden?.join() === 'script-src-elem'")
    assert firefox.evaluate("window.ran") is None
