"""A real Chromium and a real server for browser tests; what the browser complains about fails the test."""

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.locators import CANVAS, CONTROLS, FAILED, MAIN, POPOVER
from tests.processes import PATIENCE_S, ROOT, Server, start_app, stop

APP = ROOT / "app.py"
PROBE = Path(__file__).parent / "probe.js"
LOADED = 1000 * PATIENCE_S
# A browser remembers a sidebar that another test has opened, and on a phone it covers the page.
SIDEBAR_AS_AT_FIRST = """if (location.protocol.startsWith("http"))
  Object.keys(localStorage).filter((key) => key.startsWith("stSidebar"))
    .forEach((key) => localStorage.removeItem(key));
"""
REST = """async (patience) => {
  for (const begun = performance.now(); !probe.isSettled(); await new Promise(requestAnimationFrame))
    if (performance.now() - begun > patience) throw Error(`not at rest after ${patience} ms`);
}"""
DRAWN = "canvas, .js-plotly-plot .main-svg"
# A page is left before what V8 compiles with its optimizers, beside it, is worth that: a seventh of a visit's time.
# Scripts that are compiled while they come are compiled for each visit, and not once: an eighth of what is left.
MANY_SHORT_VISITS = [
    "--process-per-site",
    "--js-flags=--no-opt --no-maglev --no-script-streaming --no-flush-bytecode",
]
MISSING = (
    "Browser tests need Chromium and Playwright: install Debian's package chromium-headless-shell (Chromium or "
    "Google Chrome do as well) and `python -m pip install -r requirements-dev.txt`."
)


FAILING = Path(__file__).parent / "apps/failing_app.py"
EVIDENCE = ROOT / "test-results"
SAID = 2_000  # characters of a page
_OPENED = pytest.StashKey[list[Any]]()


@pytest.hookimpl(tryfirst=True)  # before tests are left out by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What drives a browser is slow: the quick run needs none."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A test that fails says where what its pages showed is to be found."""
    report = yield
    pages = item.stash.get(_OPENED, [])
    if report.when == "call" and report.failed and pages:
        report.sections.append(("Browser", keep_evidence(item.nodeid, pages)))
    return report


def keep_evidence(name: str, pages: list[Any], folder: Path = EVIDENCE) -> str:
    """Keep a picture of each page, its address, the alerts in sight, what it says and what it wrote to the console.

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
            lines.append(f"says: {' '.join(page.locator(MAIN).inner_text(timeout=10_000).split())[:SAID]}")
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
        browser = playwright.chromium.launch(executable_path=executable, args=[*ARGUMENTS, *MANY_SHORT_VISITS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Start a Streamlit script with the project's config.toml and give its address; one server for each script.

    Further arguments are options of ``streamlit run`` for the script's first start.
    """
    running: dict[Path, Server] = {}

    def start(app: Path, *options: str) -> str:
        app = Path(app).resolve()
        if app not in running:
            running[app] = start_app(app, tmp_path_factory.mktemp("server") / f"{app.stem}.log", *options)
        return running[app].url

    yield start
    for server in running.values():
        stop(server.process)


def wait_until_settled(page: Any) -> None:
    """Wait until what was done on a page has had its effect, and the scripts and styles it asked for have come."""
    deadline = time.monotonic() + PATIENCE_S
    asked = -1
    while asked != len(page.asked):
        while page.loading and time.monotonic() < deadline:
            page.wait_for_timeout(10)  # Playwright hands over what has come while it waits itself
        asked = len(page.asked)
        _wait_for_rest(page, deadline)


def _wait_for_rest(page: Any, deadline: float) -> None:
    """Playwright's own ``wait_for_function`` has the page evaluate a text, which a strict policy forbids."""
    from playwright.sync_api import Error

    while True:
        try:
            return page.evaluate(REST, max(1, 1000 * (deadline - time.monotonic())))
        except Error as error:
            if "context was destroyed" not in error.message:  # as by a reload, after which it is asked again
                raise


@pytest.fixture
def settled() -> Callable[..., None]:
    """Wait until what was done on a page has had its effect."""
    return wait_until_settled


def _is_streamlits_own(message: Any) -> bool:
    """Whether a console error is one of the 404s that Streamlit causes itself on a deep link."""
    return "404" in message.text and "/_stcore/" in (message.location or {}).get("url", "")


@pytest.fixture(scope="session")
def shared_context(chromium: Any) -> Callable[..., Any]:
    """A browser context for each set of options; its cache spares the tests Streamlit's megabytes of JavaScript.

    An empty page of the same site stays open in it: so does the process that all its pages are in, which would
    compile these megabytes anew for each.
    """

    @cache
    def context(options: str) -> Any:
        made = chromium.new_context(**json.loads(options))
        empty = made.new_page()
        empty.route("**/*", lambda route: route.fulfill(body=""))
        empty.goto("http://127.0.0.1/")
        return made

    return lambda options: context(json.dumps(options, sort_keys=True))


@pytest.fixture(scope="module")
def kept() -> Iterator[dict[str, Any]]:
    """Pages that the tests of a module share."""
    pages: dict[str, Any] = {}
    yield pages
    for page in pages.values():
        page.close()


@pytest.fixture
def open_page(
    chromium: Any, shared_context: Callable[..., Any], kept: dict[str, Any], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Any]]:
    """Open a page; keyword arguments are those of Playwright's ``new_context``.

    ``page.asked`` lists all requests and WebSockets, ``page.outside`` those to others than our own servers,
    ``page.messages`` what was written to the console, uncaught errors included. At the end the test fails on what was
    asked outside, on errors in the console, uncaught errors and exceptions shown by Streamlit. With
    ``stranger`` the page belongs to a browser that has never been here: no cache, no cookies. With ``keep`` the page
    of this name stays open for the module's other tests.
    """
    opened = request.node.stash.setdefault(_OPENED, [])
    strangers: list[Any] = []

    def start(*, stranger: bool = False, keep: str = "", **options: Any) -> Any:
        options = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"} | options
        if stranger:
            strangers.append(chromium.new_context(**options))
        if keep in kept:
            opened.append(kept[keep])
            return kept[keep]
        page = _watched((strangers[-1] if stranger else shared_context(options)).new_page())
        page.add_init_script(SIDEBAR_AS_AT_FIRST)
        opened.append(page)
        if keep:
            kept[keep] = page
        return page

    yield start
    problems: list[str] = []
    for page in opened:
        problems += page.errors + [f"asked outside: {url}" for url in page.outside]
        problems += page.locator(FAILED).all_inner_texts()
    if problems:
        problems.append(keep_evidence(request.node.nodeid, opened))
        for name in [name for name, page in kept.items() if page in opened]:
            del kept[name]
    for page in opened:
        if page not in kept.values():
            page.close()
    for context in strangers:
        context.close()
    assert not problems, "\n".join(problems)


def _watched(page: Any) -> Any:
    """A page that keeps what it asks for and what it writes to the console."""
    page.set_default_timeout(LOADED)
    page.add_init_script(path=PROBE)
    page.messages, page.errors, page.asked, page.outside, page.loading = [], [], [], [], set()

    def read(message: Any) -> None:
        page.messages.append(f"{message.type}: {message.text}")
        if message.type == "error" and not _is_streamlits_own(message):
            page.errors.append(message.text)

    def break_down(error: Any) -> None:
        page.messages.append(f"uncaught: {error}")
        page.errors.append(str(error))

    def note(request: Any) -> None:
        page.asked.append(request.url)
        if is_outside(request.url):
            page.outside.append(request.url)

    def load(request: Any) -> None:
        if request.url.partition("?")[0].endswith((".js", ".css")):
            page.loading.add(request)

    def loaded(request: Any) -> None:
        page.loading.discard(request)

    page.on("console", read)
    page.on("pageerror", break_down)
    page.on("request", note)
    page.on("websocket", note)
    page.on("request", load)
    for end in ("requestfinished", "requestfailed"):
        page.on(end, loaded)
    return page


@pytest.fixture
def page(open_page: Callable[..., Any]) -> Any:
    """A page of 1440 × 900 in light mode."""
    return open_page()


class Line:
    """What the server sends to a page, frame by frame: it can be held back.

    Args:
        page: The page, before it is opened.

    Attributes:
        late: What is held.
    """

    def __init__(self, page: Any) -> None:
        self.late: list[bytes] = []
        self._is_held, self._last = False, b""
        page.route_web_socket("**/_stcore/stream", self._pass_on)

    def _pass_on(self, socket: Any) -> None:
        self._socket = socket
        socket.connect_to_server().on_message(self._take)

    def _take(self, frame: bytes) -> None:
        if self._is_held:
            self.late.append(frame)
            return
        self._socket.send(frame)
        self._is_held = bool(self._last) and self._last in frame

    def hold(self, after: bytes = b"") -> None:
        """Hold what comes from now on, or after the first frame with these bytes in it."""
        self._is_held, self._last = not after, after

    def let_go(self, count: int | None = None) -> None:
        """Send what is held: the first ``count`` frames of it, or all, and what comes from now on."""
        frames, self.late = self.late[:count], self.late[len(self.late[:count]) :]
        for frame in frames:
            self._socket.send(frame)
        self._is_held, self._last = count is not None, b""


def is_outside(url: str) -> bool:
    """Whether a request asks somebody else than the app."""
    return not url.startswith(("data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:"))


def open_question(page: Any) -> None:
    """Unfold the page's question."""
    page.get_by_role("button", name="Predict", exact=True).click()
    page.locator(f"{POPOVER} [role=radio]").first.wait_for()


def open_drawer(page: Any) -> None:
    """Open the drawer with the controls that are not in sight, where it is closed."""
    if page.locator(f"{CONTROLS} details").first.get_attribute("open") is None:
        page.locator(f"{CONTROLS} summary").first.click()
        wait_until_settled(page)


def close_drawer(page: Any) -> None:
    """Close the drawer: open, it takes of the picture's width."""
    page.locator(f"{CONTROLS} summary").first.click()
    wait_until_settled(page)


def answer(page: Any, option: str = "Skip") -> None:
    """Answer the page's question, or skip it, and wait for what comes of it."""
    open_question(page)
    page.locator(POPOVER).get_by_role("radio", name=option, exact=True).click()
    wait_until_settled(page)


def pictures_of(page: Any) -> list[str]:
    """Every picture of a page; two equal texts are two equal pictures."""
    return page.evaluate("probe.pictures()")


def barriers(page: Any, *rules: str) -> list[tuple[str, str]]:
    """What axe finds serious or critical, and where; of these rules, or of all."""
    from axe_playwright_python.sync_playwright import Axe

    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    return [
        (violation["id"], node["html"][:160])
        for violation in Axe().run(page, options=options).response["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not _is_streamlits_list(page, violation["id"], node["target"][0])
    ]


def _is_streamlits_list(page: Any, rule: str, target: str) -> bool:
    """Streamlit's grouped sidebar navigation breaks axe's list rules by itself."""
    inside = "(target) => document.querySelector(target)?.closest('[data-testid=stSidebarNav]') != null"
    return rule in ("list", "listitem") and page.evaluate(inside, target)


def sideways(page: Any) -> int:
    """Pixels by which what is on the page is wider than its room.

    Of a Streamlit app it is ``stMain`` that scrolls; the document is as large as the window, whatever is on the page.
    """
    return page.locator(MAIN).evaluate("(one) => one.scrollWidth - one.clientWidth")


def swipe(page: Any, start: tuple[float, float], *stops: tuple[float, float], rest_ms: int = 0) -> None:
    """Put a finger down, let it rest for a while, move it from stop to stop, and lift it."""
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", start)
    page.wait_for_timeout(rest_ms)
    x, y = start
    for to_x, to_y in stops:
        steps = max(1, round(math.dist((x, y), (to_x, to_y)) / 12))
        for step in range(1, steps + 1):
            touch("touchMove", (x + (to_x - x) * step / steps, y + (to_y - y) * step / steps))
            page.evaluate("new Promise(requestAnimationFrame)")
        x, y = to_x, to_y
    touch("touchEnd")


def pictures_at_rest(page: Any) -> list[str]:
    """The canvases of the figure once they have come to rest."""
    wait_until_settled(page)
    return page.locator(CANVAS).evaluate_all("all => all.map((one) => one.toDataURL())")


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

    It is the app of all these tests, or the one ``at`` an address. ``page.sent`` lists what has gone to the server
    since the page was drawn.
    """

    def go(
        name: str, query: str = "", *, at: str = "", reduced_motion: str = "reduce", script: str = "", **options: Any
    ) -> Any:
        page = open_page(reduced_motion=reduced_motion, **options)
        page.add_init_script(script)
        page.sent = []
        # Playwright cannot take a built-in method for a handler.
        page.on("websocket", lambda socket: socket.on("framesent", lambda sent: page.sent.append(sent)))  # noqa: PLW0108
        page.goto(f"{at or serve(APP)}/{name}{query}")
        page.wait_for_selector("h1")
        page.wait_for_selector(DRAWN if name not in ("claims", "course", "concept_test") else "h1")
        settled(page)
        page.sent.clear()
        return page

    return go
