"""A real Chromium and a real server for browser tests; what the browser complains about fails the test."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import ARGUMENTS, find_chromium

ROOT = Path(__file__).parents[2]
APP = ROOT / "app.py"
LOADED = 120_000  # milliseconds that a busy machine may take for anything that comes
DRAWN = "canvas, .js-plotly-plot .main-svg"
# Every canvas in sight as its pixels, every Plotly figure as its data; two equal texts are two equal pictures.
PICTURES = """() => {
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.tagName === "CANVAS") found.push(node.toDataURL());
      if (node.matches(".js-plotly-plot")) found.push(JSON.stringify(node.data));
      if (node.shadowRoot) walk(node.shadowRoot);
    }
  };
  walk(document);
  return found;
}"""
# A page is settled when the server has finished the run that was asked for last, nothing is a grey bar still (React
# keeps those for a third of a second), nothing that ends is moving or fading (what opens takes no click where it
# stood a moment ago), and five frames in a row have changed neither the document, with what components hold in its
# shadows, nor a canvas.
IS_SETTLED = """(() => {
  const RERUN = 11, FINISHED = 6, FOR_RERUN = 2;  // fields of BackMsg and ForwardMsg, and an end that is none
  const fields = (data) => {
    const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength), found = new Map();
    let at = 0;
    const varint = () => {
      for (let value = 0, weight = 1; ; weight *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * weight;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint(), value = varint();
      if (tag % 8 === 2) at += value;
      found.set(tag >> 3, value);
    }
    return found;
  };

  let [asked, answered, changed, still, before] = [false, false, true, 0, ""];
  window.runsAsked = 0;
  const watched = (Base) => class extends Base {
    constructor(...given) {
      super(...given);
      asked = answered = false;
      this.addEventListener("message", ({ data }) => {
        const end = data instanceof ArrayBuffer ? fields(data).get(FINISHED) : undefined;
        if (end !== undefined && end !== FOR_RERUN) answered = asked;
      });
    }
    send(message) {
      if (fields(message).has(RERUN)) [asked, answered, window.runsAsked] = [true, false, window.runsAsked + 1];
      super.send(message);
    }
  };
  let Socket = watched(WebSocket);
  Object.defineProperty(window, "WebSocket", { get: () => Socket, set: (Base) => { Socket = watched(Base); } });

  const roots = [document];
  const observer = new MutationObserver(() => { changed = true; });
  const observe = (root) => {
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  };
  observe(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    roots.push(root);
    observe(root);
    return root;
  };

  const rests = () => {
    const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
    if (!answered || state !== "notRunning" || document.querySelector("[data-testid=stSkeleton]")) return false;
    const moves = (one) => one.playState === "running" && one.effect?.getComputedTiming().endTime < Infinity;
    if (document.getAnimations().some(moves)) return false;
    const canvases = roots.filter((root) => root.isConnected).flatMap((root) => [...root.querySelectorAll("canvas")]);
    const now = canvases.map((canvas) => canvas.toDataURL()).join();
    const same = now === before && !changed;
    [before, changed] = [now, false];
    return same;
  };
  window.isSettled = () => {
    still = rests() ? still + 1 : 0;
    if (still < 5) return false;
    still = 0;
    return true;
  };
})()"""
MISSING = (
    "Browser tests need Chromium and Playwright: install Debian's package chromium-headless-shell (Chromium or "
    "Google Chrome do as well) and `python -m pip install -r requirements-dev.txt`."
)


EVIDENCE = ROOT / "test-results"
_OPENED = pytest.StashKey[list[Any]]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A test that fails says where what its pages showed is to be found."""
    report = yield
    pages = item.stash.get(_OPENED, [])
    if report.when == "call" and report.failed and pages:
        report.sections.append(("Browser", keep_evidence(item.nodeid, pages)))
    return report


def keep_evidence(name: str, pages: list[Any], folder: Path = EVIDENCE) -> str:
    """Keep a picture of each page, its address, the alerts in sight and what it wrote to the console.

    Args:
        name: Name of the test, and of its folder.
        pages: The pages, of ``open_page``.
        folder: Where all that is kept.

    Returns:
        A sentence that says where it is, and the text of it.
    """
    from playwright.sync_api import Error

    folder = folder / re.sub(r"[^\w.-]+", "_", name)
    folder.mkdir(parents=True, exist_ok=True)
    said = [f"Screenshots and messages of the pages are in {folder}."]
    for number, page in enumerate(pages, 1):
        lines = [page.url]
        try:
            page.screenshot(path=folder / f"page-{number}.png", timeout=10_000)
            alerts = page.locator("[data-testid=stAlert], [data-testid=stException], [role=alert]")
            lines += dict.fromkeys(f"alert: {one.inner_text()}" for one in alerts.all() if one.is_visible())
        except Error as error:  # a page that hangs or has gone is shown as far as it can be
            lines.append(f"not to be seen: {error.message}")
        lines += page.messages
        (folder / f"page-{number}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        said += [f"page {number}: {line}" for line in lines]
    return "\n".join(said)


def _missing() -> None:
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """One running Chromium."""
    executable = find_chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    if not executable or not sync_playwright:
        _missing()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


def free_port() -> int:
    """A port on the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


def start_server(app: Path, log: Path, *options: str, port: int = 0) -> tuple[subprocess.Popen[bytes], str]:
    """Start a Streamlit script, on a free port if ``port`` is 0; the server that answers and its address."""
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    command += ["--server.address=127.0.0.1", f"--server.port={port}", *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with log.open("wb") as written:
        server = subprocess.Popen(command, cwd=ROOT, stdout=written, stderr=subprocess.STDOUT, env=environment)
    deadline = time.monotonic() + LOADED / 1000
    while not _answers(url):
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"{app.name} did not start:\n{log.read_text()}")
        time.sleep(0.1)
    return server, url


def stop_server(server: subprocess.Popen[bytes]) -> None:
    """End a server, gently first."""
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start a Streamlit script with the project's config.toml and give its address; one server for each script.

    Further arguments are options of ``streamlit run`` for the script's first start.
    """
    running: dict[Path, tuple[subprocess.Popen[bytes], str]] = {}

    def start(app: Path, *options: str) -> str:
        app = Path(app).resolve()
        if app not in running:
            running[app] = start_server(app, tmp_path_factory.mktemp("server") / f"{app.stem}.log", *options)
        return running[app][1]

    yield start
    for server, _ in running.values():
        stop_server(server)


def wait_until_settled(page: Any, timeout: float = LOADED) -> None:
    """Wait until what was done on a page has had its effect, and the scripts and styles it asked for have come."""
    deadline = time.monotonic() + timeout / 1000
    loading = True
    while loading:  # what has come needs some frames to be run
        loading = bool(page.loading)
        page.wait_for_function("() => window.isSettled()", timeout=max(1, 1000 * (deadline - time.monotonic())))
        loading = loading or bool(page.loading)


@pytest.fixture
def settled() -> Callable[..., None]:
    """Wait until what was done on a page has had its effect."""
    return wait_until_settled


def _is_streamlits_own(message: Any) -> bool:
    """Whether a console error is one of the 404s that Streamlit causes itself on a deep link."""
    return "404" in message.text and "/_stcore/" in (message.location or {}).get("url", "")


@pytest.fixture(scope="session")
def shared_context(chromium: Any) -> Callable[..., Any]:
    """A browser context for each set of options; its cache spares the tests Streamlit's megabytes of JavaScript."""

    @cache
    def context(options: str) -> Any:
        return chromium.new_context(**json.loads(options))

    return lambda options: context(json.dumps(options, sort_keys=True))


@pytest.fixture
def open_page(
    chromium: Any, shared_context: Callable[..., Any], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Open a page; keyword arguments are those of Playwright's ``new_context``.

    ``page.asked`` lists all requests and WebSockets, ``page.outside`` those to others than our own servers,
    ``page.messages`` what was written to the console, uncaught errors included. At the end the test fails on what was
    asked outside, on errors in the console, uncaught errors and exceptions shown by Streamlit. With
    ``stranger`` the page belongs to a browser that has never been here: no cache, no cookies.
    """
    opened = request.node.stash.setdefault(_OPENED, [])
    strangers: list[Any] = []

    def start(*, stranger: bool = False, **options: Any) -> Any:
        options = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"} | options
        if stranger:
            strangers.append(chromium.new_context(**options))
        context = strangers[-1] if stranger else shared_context(options)
        page = context.new_page()
        page.set_default_timeout(LOADED)
        page.add_init_script(IS_SETTLED)
        page.messages, page.errors, page.asked, page.outside, page.loading = [], [], [], [], set()

        def read(message: Any) -> None:
            page.messages.append(f"{message.type}: {message.text}")
            if message.type == "error" and not _is_streamlits_own(message):
                page.errors.append(message.text)

        def break_down(error: Any) -> None:
            page.messages.append(f"uncaught: {error}")
            page.errors.append(str(error))

        page.on("console", read)
        page.on("pageerror", break_down)

        def note(request: Any) -> None:
            page.asked.append(request.url)
            if is_outside(request.url):
                page.outside.append(request.url)

        def load(request: Any) -> None:
            if request.url.partition("?")[0].endswith((".js", ".css")):
                page.loading.add(request)

        def loaded(request: Any) -> None:
            page.loading.discard(request)

        page.on("request", note)
        page.on("websocket", note)
        page.on("request", load)
        for end in ("requestfinished", "requestfailed"):
            page.on(end, loaded)
        opened.append(page)
        return page

    yield start
    problems: list[str] = []
    for page in opened:
        problems += page.errors + [f"asked outside: {url}" for url in page.outside]
        problems += page.locator("[data-testid=stException]").all_inner_texts()
    if problems:
        problems.append(keep_evidence(request.node.nodeid, opened))
    for page in opened:
        page.close()
    for context in strangers:
        context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def page(open_page: Callable[..., Any]) -> Any:
    """A page of 1440 × 900 in light mode."""
    return open_page()


def is_outside(url: str) -> bool:
    """Whether a request asks somebody else than the app."""
    return not url.startswith(("data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:"))


def sideways(page: Any) -> int:
    """Pixels by which what is on the page is wider than its room.

    Of a Streamlit app it is ``stMain`` that scrolls; the document is as large as the window, whatever is on the page.
    """
    return page.locator("[data-testid=stMain]").evaluate("(one) => one.scrollWidth - one.clientWidth")


def pictures_at_rest(page: Any) -> list[str]:
    """The canvases of the figure once they have come to rest."""
    wait_until_settled(page)
    return page.locator(".st-key-figure canvas").evaluate_all("all => all.map((one) => one.toDataURL())")


@pytest.fixture
def board(serve: Callable[[Path], str], open_page: Callable[..., Any], settled: Callable[..., None]) -> Any:
    """Opens the token board by itself."""
    from tests.browser.board import open_board

    return partial(open_board, serve, open_page, settled)


@pytest.fixture
def visit(
    serve: Callable[[Path], str], open_page: Callable[..., Any], settled: Callable[..., None]
) -> Callable[..., Any]:
    """Open a page of the app by its name and wait until it is drawn; ``script`` runs in it before anything else.

    ``page.sent`` lists what has gone to the server since the page was drawn.
    """

    def go(name: str, query: str = "", *, reduced_motion: str = "reduce", script: str = "", **options: Any) -> Any:
        page = open_page(reduced_motion=reduced_motion, **options)
        page.add_init_script(script)
        page.sent = []
        # Playwright cannot take a built-in method for a handler.
        page.on("websocket", lambda socket: socket.on("framesent", lambda sent: page.sent.append(sent)))  # noqa: PLW0108
        page.goto(f"{serve(APP)}/{name}{query}")
        page.wait_for_selector("h1")
        page.wait_for_selector(DRAWN if name != "claims" else "h1")
        settled(page)
        page.sent.clear()
        return page

    return go
