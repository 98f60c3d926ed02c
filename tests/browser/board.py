"""The token board by itself in a browser, driven by mouse, finger and keyboard."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.processes import PATIENCE_S

APP = Path(__file__).parent / "apps" / "token_board_app.py"
PHONE = {"viewport": {"width": 390, "height": 700}, "has_touch": True, "is_mobile": True}
WORDS = ["the", "cat", "sat", "on", "the", "mat"]
HOSTILE = [
    "<b>bold</b>",
    "<img src=x onerror='window.ran=1'>",
    "<script>window.ran=1</script>",
    "$x$",
    "%{z}",
    ":red[x]",
    "**x**",
    '"""',
    "👩‍👩‍👧‍👦",
    "مرحبا",
    "</button>",
    "&amp;",
]
HEARD = """() => {
  const hear = ({ detail }) => window.heard.push([detail.role, detail.index])
  if (!window.heard) document.addEventListener("attention:hover", hear)
  window.heard = []
}"""
# Something else on the page points at a row or a column.
LIGHT = """([role, index, group]) =>
  document.dispatchEvent(new CustomEvent("attention:hover", { detail: { group, role, index } }))"""


class Driven:
    """A page with the board, and a count of what it sends to the server."""

    def __init__(self, page: Any, settled: Callable[..., None]):
        self.page, self.settle, self.frames, self.begun = page, settled, 0, 0
        page.on("websocket", lambda socket: socket.on("framesent", self._count))

    def _count(self, _: object) -> None:
        self.frames += 1

    def chip(self, position: int) -> Any:
        return self.page.locator(".board").first.locator(".slot > .chip").nth(position)

    def texts(self) -> list[str]:
        return self.page.locator(".board").first.locator(".text").all_text_contents()

    def held(self) -> dict[str, Any]:
        return json.loads(self.page.locator("[data-testid=stText]").inner_text())

    def words(self) -> str:
        said = self.page.get_by_role("status").and_(self.page.locator(".words")).first.text_content()
        return said.replace("\u2068", "").replace("\u2069", "")

    def tool(self, name: str) -> Any:
        return self.page.locator(f"[name={name}]").first

    def focused(self) -> str:
        return self.page.evaluate(
            """() => {
                const one = probe.focused()
                return one?.querySelector(".text")?.textContent ?? one?.getAttribute("aria-label") ?? ""
            }"""
        )

    def middle(self, position: int) -> tuple[float, float]:
        box = self.chip(position).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def until(self, done: Callable[[], bool]) -> None:
        """Wait for what the sockets bring: Playwright hands it over while it waits itself."""
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(20)

    def after(self, expected: dict[str, Any]) -> None:
        """Wait for the server to hold ``expected``, and for the answer to be on screen."""
        wanted = json.dumps(expected)[1:-1]
        self.page.wait_for_function(
            "wanted => document.querySelector('[data-testid=stText]').innerText.includes(wanted)", arg=wanted
        )
        self.settle(self.page)


def open_board(
    serve: Callable[[Path], str], open_page: Callable[..., Any], settled: Callable[..., None],
    options: dict[str, Any] | None = None, **link: object,
) -> Driven:  # fmt: skip
    """Open the board's own app; tests with the same link and the same options share it, and it begins anew for each.

    Args:
        serve, open_page, settled: The fixtures.
        options: Options of the browser's context.
        **link: Settings in the link.
    """
    query = urlencode({name: json.dumps(value) if isinstance(value, list) else value for name, value in link.items()})
    page = open_page(keep=f"board {query} {options}", **(options or {}))
    if page.url == "about:blank":
        page.driven = Driven(page, settled)
        page.goto(f"{serve(APP)}/?{query}")
    else:
        page.driven.begun += 1
        page.get_by_role("button", name="Begin anew").click()
    page.get_by_text(f"begun {page.driven.begun}", exact=True).wait_for()
    page.locator(".board .text").first.wait_for()
    page.mouse.move(5, 5)
    settled(page)
    page.driven.frames = 0
    return page.driven


def drag(driven: Driven, start: int, end: int, *, drop: bool = True) -> None:
    mouse = driven.page.mouse
    mouse.move(*driven.middle(start))
    mouse.down()
    mouse.move(*driven.middle(end), steps=12)
    if drop:
        mouse.up()
