"""A visit arrives, whatever message of the page that it left comes in between."""

from contextlib import suppress
from types import SimpleNamespace

import pytest
import streamlit

from pages._shared.classes import panel
from pages._shared.core.visitor_state import CLASS, VISIT, VisitState, visit_state
from pages._shared.lessons.course import Course, Step
from pages._shared.session import address, course_position
from tests.pages.conftest import go_to, open_page

KEY = "BCDFG"
COURSE = Course(steps=(Step(page="scaling"), Step(page="masks")))


class GoneError(Exception):
    """A run ends where it is sent to another page."""


class Browser:
    """What a browser asks of a session: a page and an address, and where the session goes then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock, self.is_history, self.query = 100.0, False, {"seed": "5", "class": KEY}
        self.sent: list[tuple[str, dict[str, str]]] = []
        monkeypatch.setattr(streamlit, "session_state", {VISIT: VisitState("masks")})
        monkeypatch.setattr(streamlit, "query_params", SimpleNamespace(to_dict=lambda: self.query))
        monkeypatch.setattr(streamlit, "switch_page", self.switch_page)
        monkeypatch.setattr(address, "target", lambda name: name)
        monkeypatch.setattr(address, "monotonic", lambda: self.clock)
        monkeypatch.setattr(address, "is_history_navigation", lambda: self.is_history)

    def switch_page(self, page: str, query_params: dict[str, str]) -> None:
        self.sent.append((page, query_params))
        raise GoneError

    def visits(self, page: str, parameters: dict[str, str], **query: str) -> None:
        """A visit from ``masks`` with this address."""
        visit_state().page, self.query = "masks", query
        with pytest.raises(GoneError):
            address.visit(page, parameters)
        assert self.sent.pop() == (page, parameters)

    def asks(self, page: str, **query: str) -> list[tuple[str, dict[str, str]]]:
        """Where the session is sent when a run on this page begins."""
        self.query = query
        with suppress(GoneError):
            address.read(page)
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(monkeypatch)


THERE = ("scaling", {"scaling_scale": "root"})


def test_who_is_pulled_back_by_a_message_of_the_page_before_goes_there_again(browser: Browser) -> None:
    browser.visits(*THERE, masks_x="1")
    assert browser.asks("masks", masks_x="1") == [THERE], "it was on its way"
    assert browser.asks("scaling", scaling_scale="root") == []
    assert visit_state().reads
    browser.clock += address.SETTLED_S
    assert browser.asks("masks", masks_x="1") == [THERE], "it had come there"
    assert browser.asks("scaling", scaling_scale="root") == []
    assert visit_state().reads, "what the visit asks for is read where it arrives at last"


@pytest.mark.parametrize(
    ("page", "query", "is_history"),
    [
        ("masks", {}, False),
        ("masks", {"masks_x": "2"}, False),
        ("masks", {"masks_x": "1"}, True),
        ("biases", {"masks_x": "1"}, False),
    ],
    ids=["by the menu", "by another link", "by the browser's history", "elsewhere"],
)
def test_who_goes_back_is_let_go(browser: Browser, page: str, query: dict[str, str], is_history: bool) -> None:
    browser.visits(*THERE, masks_x="1")
    browser.asks("scaling", scaling_scale="root")
    browser.is_history = is_history
    assert browser.asks(page, **query) == []
    browser.is_history = False
    assert browser.asks("masks", masks_x="1") == [], "and from then on"


def test_in_a_class_the_page_that_was_left_may_have_written_another_address(browser: Browser) -> None:
    browser.visits(*THERE, masks_x="1")
    assert browser.asks("masks", masks_x="2", **{"class": KEY}) == [THERE]
    assert browser.asks("scaling", scaling_scale="root") == []
    assert browser.asks("masks", **{"class": KEY}) == [THERE]
    assert browser.asks("scaling", scaling_scale="root") == []
    assert browser.asks("biases", **{"class": KEY}) == []


def test_who_goes_there_again_is_at_the_step_that_the_message_moved_to(browser: Browser) -> None:
    """As to the end of a course, which is no visit: it stands on the page of the visitor."""
    course_position.enter(COURSE)
    visit_state().page, browser.query = "scaling", {"class": KEY}
    with pytest.raises(GoneError):
        address.visit_step(1)
    [(page, led_to)] = browser.sent
    browser.sent.clear()
    address.visit_step(2)
    [(again, led_again)] = browser.asks("scaling", **{"class": KEY})
    assert (again, led_again) == (page, led_to | {"step": "3"})
    browser.asks(again, **led_again)
    position = course_position.current()
    assert position is not None
    assert position.index == 2


def test_later_no_message_of_the_page_before_is_on_its_way(browser: Browser) -> None:
    browser.visits(*THERE, masks_x="1")
    browser.asks("scaling", scaling_scale="root")
    browser.clock += address.SETTLED_S
    browser.asks("scaling", scaling_scale="root")  # that one plays there does not make it come later
    browser.clock += 0.1
    assert browser.asks("masks", masks_x="1") == []


def test_a_visit_to_where_one_is_ends(browser: Browser) -> None:
    browser.visits("masks", {"masks_x": "1"}, masks_x="1")
    assert browser.asks("masks", masks_x="1") == []
    assert visit_state().reads
    browser.asks("masks", masks_x="1")
    assert not visit_state().reads


def test_a_visit_to_the_page_s_other_settings_arrives_too(browser: Browser) -> None:
    browser.visits("masks", {"masks_x": "2"}, masks_x="1")
    assert browser.asks("masks", masks_x="1") == [("masks", {"masks_x": "2"})]
    assert browser.asks("masks", masks_x="2") == []
    assert visit_state().reads


def test_the_app_is_drawn_where_the_visit_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a class's panel does it, which stands at the end of each run."""
    at = open_page("masks", **{"class": KEY})
    left, visits = dict(at.query_params), iter([("scaling", {"scaling_scale": "root"})])

    def way() -> tuple[str, str, str]:
        for page, parameters in visits:
            address.visit(page, parameters)
        return "", "", ""

    monkeypatch.setattr(panel, "way_for_students", way)
    at.session_state[CLASS].teaches = True
    at.run()
    assert at.session_state[VISIT].page == "scaling"
    at.query_params.clear()
    for name, text in left.items():
        at.query_params[name] = text
    go_to(at, "masks").run()
    assert not at.exception
    assert at.session_state[VISIT].page == "scaling"
    assert at.session_state[VISIT].settings["scaling_scale"] == "root"
