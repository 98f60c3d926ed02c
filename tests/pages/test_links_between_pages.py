"""No link from page to page moves precision, device, seed, language or presenter view."""

from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES, TEST
from pages._shared.core.visitor_state import DRAFT, VISIT, DraftState
from pages._shared.lessons.course import Course, Step
from pages._shared.session import address
from tests.pages.conftest import NAMES, go_to, open_page, press
from tests.pages.read import sent
from tests.sweeps import some_by_day

MINE = {"dtype": "float32", "device": "cpu", "seed": "5", "lang": "en", "present": "true"}
NAMES_OF_ALL = (*NAMES, LEDGER.name, COURSE.name, TEST.name)


def links(at: AppTest) -> list[dict[str, str]]:
    """What each link on a page holds: those that Streamlit draws, and those of the map."""
    drawn = [dict(parse_qsl(link.proto.query_string)) for link in at.main.get("page_link")]
    boxes = (box for data in sent(at, "map/map") for part in data["parts"] for box in part["boxes"])
    return drawn + [dict(parse_qsl(urlsplit(box["href"]).query)) for box in boxes]


def link_to(at: AppTest, page: str) -> dict[str, str]:
    """What the link to a page holds, and none that begins a course there."""
    to_it = [dict(parse_qsl(link.proto.query_string)) for link in at.main.get("page_link") if link.proto.page == page]
    (query,) = [query for query in to_it if "course" not in query]
    return query


@pytest.mark.parametrize("name", some_by_day(NAMES_OF_ALL))
def test_every_link_takes_along_what_all_pages_share(name: str) -> None:
    at = open_page(name, **MINE)
    assert not at.exception
    found = links(at)
    assert found or name in (COURSE.name, TEST.name)
    for query in found:
        assert {key: query.get(key) for key in MINE} == MINE


@pytest.mark.parametrize("name", some_by_day((page.name for page in PAGES), 1))
def test_so_does_the_link_to_one_s_course(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._shared.courses.add_step._is_open", lambda _popover: True)
    mine = {key: value for key, value in MINE.items() if key != "present"}  # who presents adds no steps
    at = open_page(name, **mine)
    at.session_state[DRAFT] = DraftState(Course(steps=(Step(page="masks"),)))
    at.run()
    assert not at.exception
    assert link_to(at, COURSE.name) == mine


@pytest.mark.parametrize("name", [HOME.name, LEDGER.name, "masks"])
def test_what_is_as_it_begins_is_in_no_link(name: str) -> None:
    assert not [query for query in links(open_page(name)) if MINE.keys() & query.keys()]


def left_and_come_to(first: str, then: str, **settings: str) -> AppTest:
    """Somebody who has looked at a page with other settings, and has changed all that pages share since."""
    at = open_page(first, **settings, dtype="bfloat16", seed="3", lang="en", present="true")
    go_to(at, then).run()
    own = {key: value for key, value in at.session_state[VISIT].settings.items() if key not in MINE}
    at.session_state[VISIT].settings = own | {"seed": 9, "device": "cpu"}
    return at.run()


@pytest.mark.parametrize(("first", "then"), [("biases", "scaling"), ("scaling", "biases")])
def test_a_link_back_leads_to_the_page_as_it_was_and_moves_nothing_else(first: str, then: str) -> None:
    setting = {"biases": {"biases_size": "1.0"}, "scaling": {"scaling_scale": "root"}}[first]
    at = left_and_come_to(first, then, **setting)
    assert link_to(at, first) == {**setting, "seed": "9", "device": "cpu"}
    home = go_to(at, "home").run()
    assert link_to(home, first) == {**setting, "seed": "9", "device": "cpu"}


@pytest.mark.slow
def test_a_slide_s_way_to_the_next_page_moves_nothing_else() -> None:
    at = left_and_come_to("scaling", "biases", scaling_scale="root", scaling_answer="skipped")
    at.session_state[VISIT].settings |= {"present": True, "biases_answer": "skipped"}
    at.run()
    while at.button(key="_remote_PageDown").label != "Next: Scaling":
        at.button(key="_remote_PageDown").click().run()
        at.run()
    at = press(at, "_remote_PageDown", "scaling")
    assert at.title[0].value == "Scaling"
    assert {key: text for key, text in at.query_params.items() if key in MINE} == {
        "seed": "9", "device": "cpu", "present": "true",
    }  # fmt: skip
    assert at.query_params["scaling_scale"] == "root"


@pytest.mark.parametrize(
    "hostile", [{"present": "true", "lang": "zh", "device": "meta"}, {"class": "ZZZZZ", "step": "3"}]
)
def test_a_visit_moves_nothing_that_is_a_visitor_s_own(
    hostile: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gone: list[Any] = []
    monkeypatch.setattr(streamlit, "session_state", {})
    monkeypatch.setattr(address, "target", str)
    monkeypatch.setattr(streamlit, "query_params", SimpleNamespace(to_dict=lambda: {"lang": "en", "seed": "4"}))
    monkeypatch.setattr(streamlit, "switch_page", lambda _, query_params: gone.append(query_params))
    address.visit("masks", {"masks_stack": "decoder", "seed": "7", **hostile})
    assert gone == [{"masks_stack": "decoder", "seed": "7", "lang": "en"}]
