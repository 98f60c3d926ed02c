"""The browser's side of a live class, without any drawing, in a real Chromium beside a real server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import LOADED
from tests.class_rooms.client import Api, Class
from tests.class_rooms.conftest import MANY, serving

JOIN = """async ([key, options]) => {
  const { RoomClient } = await import("/web/live_class/room.js")
  window.ended = ""
  window.room = new RoomClient(key, { ...options, onState() {}, onEnd: (why) => (ended = why) })
  room.start()
}"""
FIELDS = "phase, round, voted, here"


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with serving() as start:
        yield start(None, **MANY)


@pytest.fixture
def browse(chromium: Any) -> Iterator[Callable[..., Any]]:
    """A tab at the server's empty page; ``page.logged`` is its console."""
    contexts = []

    def go(url: str) -> Any:
        contexts.append(chromium.new_context())
        contexts[-1].set_default_timeout(LOADED)
        page = contexts[-1].new_page()
        page.logged = []
        page.on("console", lambda message: page.logged.append(message.text))
        page.goto(url)
        return page

    yield go
    for context in contexts:
        context.close()


def join(page: Any, room: Class, **options: Any) -> None:
    page.evaluate(JOIN, [room.key, options])


def until(page: Any, condition: str) -> dict[str, Any]:
    """Wait until the client's state is so."""
    page.wait_for_function(f"() => room.state && (({{ {FIELDS} }}) => {condition})(room.state)")
    return page.evaluate("room.state")


def test_two_tabs_of_one_voter_have_one_vote_and_nothing_outlives_them(api: Api, browse: Callable) -> None:
    room = api.open()
    room.ask()
    page = browse(api.url)
    join(page, room)
    until(page, "phase === 'open'")
    with page.expect_popup() as opened:  # as "duplicate the tab" does, it takes along what the tab keeps
        page.evaluate("void window.open('/')")
    other = opened.value
    other.wait_for_load_state()
    join(other, room)
    until(other, "phase === 'open' && here === 1")
    assert page.evaluate("room.vote(0)") == other.evaluate("room.vote(2)") == {"status": 200, "error": ""}
    room.done("close")
    room.done("show")
    assert until(page, "phase === 'shown'")["tallies"] == [[0, 0, 1]]
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    stranger = browse(api.url)
    join(stranger, room)
    until(stranger, "here === 2")
    assert stranger.evaluate("room.voter") != page.evaluate("room.voter")
