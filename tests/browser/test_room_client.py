"""The browser's side of a live class, without any drawing, in a real Chromium beside a real server."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser.conftest import LOADED
from tests.rooms.client import Api, Class
from tests.rooms.conftest import MANY, serving

pytestmark = pytest.mark.slow

JOIN = """async ([key, options]) => {
  const { RoomClient } = await import("/room.js")
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


def test_a_student_votes_twice_and_a_reload_knows_it(api: Api, browse: Callable) -> None:
    room = api.open()
    page = browse(api.url)
    join(page, room)
    until(page, "phase === 'waiting' && here === 1")
    assert page.evaluate("room.vote(0)") == {"error": "“question” must be 1 to 40 letters, digits, - or _."}
    room.ask()
    until(page, "phase === 'open'")
    assert page.evaluate("room.mine") is None
    for answer in (2, 1):
        assert page.evaluate(f"room.vote({answer})") == {"error": ""}
    page.reload()
    join(page, room)
    until(page, "voted === 1")
    assert page.evaluate("room.mine") == 1
    room.done("close")
    until(page, "phase === 'closed'")
    assert page.evaluate("room.vote(0)") == {"error": "This vote is closed, and your answer came after it."}
    assert page.evaluate("room.mine") == 1
    room.ask(number=2)
    until(page, "round === 2")
    assert page.evaluate("room.mine") is None
    assert page.evaluate("room.vote(0)") == {"error": ""}
    room.done("close")
    room.done("reveal", answer=0)
    assert until(page, "phase === 'revealed'")["tallies"] == [[0, 1, 0], [1, 0, 0]]


def test_a_teacher_needs_no_more_than_the_client(api: Api, browse: Callable) -> None:
    page = browse(api.url)
    opened = page.evaluate("import('/room.js').then(({ RoomClient }) => RoomClient.open())")
    assert opened["error"] == ""
    room = Class(api, opened["key"], opened["teacher"])
    join(page, room, teacher=opened["teacher"])
    assert until(page, "phase === 'waiting'")["here"] == 0
    ask = {"do": "ask", "question": "one", "round": 1, "page": "scaling"}
    assert page.evaluate("(message) => room.teach(message)", ask) == {"error": ""}
    until(page, "phase === 'open'")
    assert page.evaluate("room.teach({ do: 'show' })")["error"].startswith("Close the vote before you show")
    room.voted("ana-00000000", 0)
    assert page.evaluate("room.teach({ do: 'close' })") == {"error": ""}
    results = page.evaluate("room.results()")["csv"]
    assert results.startswith("\ufeffquestion,")
    assert results.splitlines()[1].endswith(",1,It grows,1")
    assert page.evaluate("room.teach({ do: 'end' })") == {"error": ""}
    page.wait_for_function("() => ended")
    assert page.evaluate("ended") == "This class has ended, and nothing of it was kept."


def test_it_asks_every_three_seconds(api: Api, browse: Callable) -> None:
    room, asked = api.open(), []
    page = browse("about:blank")
    page.clock.install()
    page.clock.pause_at("2030-01-01")
    page.goto(api.url)

    def cut(route: Any) -> None:
        if "event-stream" in route.request.headers["accept"]:
            route.abort()
        else:
            asked.append(route.request.url)
            route.continue_()

    page.route("**/events*", cut)
    join(page, room)
    until_s = time.monotonic() + LOADED / 1000
    while not page.evaluate("room.asked"):  # once the stream has broken, whenever that is, it asks at once
        assert time.monotonic() < until_s
        page.clock.run_for(1)
    page.wait_for_function("() => room.asked === 1 && room.state")
    page.clock.run_for(2900)
    assert page.evaluate("room.asked") == len(asked) == 1
    room.ask()
    page.clock.run_for(200)
    until(page, "phase === 'open'")
    assert len(asked) == 2


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
    assert page.evaluate("room.vote(0)") == other.evaluate("room.vote(2)") == {"error": ""}
    room.done("close")
    room.done("show")
    assert until(page, "phase === 'shown'")["tallies"] == [[0, 0, 1]]
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    stranger = browse(api.url)
    join(stranger, room)
    until(stranger, "here === 2")
    assert stranger.evaluate("room.voter") != page.evaluate("room.voter")
