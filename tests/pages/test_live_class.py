"""What Streamlit knows of a live class: its key in the link, where a session is taken, and what is measured."""

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from pages._shared.classes import panel
from pages._shared.core import network
from pages._shared.core.pages import HOME
from pages._shared.core.session_keys import (
    CLASS,
    FOLLOWED,
    MEASURED,
    OWN_PLACE,
    PAGE,
    PANEL,
    SECRET,
    SETTINGS,
    TEACHES,
    TICKET,
    TO_MEASURE,
    WRITTEN,
)
from pages._shared.lessons.course import Course, Step
from pages._shared.session import address, course_position, membership
from tests.pages.conftest import go_to, open_page
from tests.pages.read import notices, sent
from tests.processes import PATIENCE_S

KEY, TICKETED = "BCDFG", "0123456789abcdef"
UNMADE = {"do": "move", "page": "scaling", "settings": "seed=3", "own": True, "call": 1}


def told(at: Any) -> list[dict[str, Any]]:
    """What the class's part of the page was sent; empty if it is not there."""
    return sent(at, "live_class/panel")


def test_a_word_that_comes_late_from_a_button_that_has_gone_is_no_fault() -> None:
    def late() -> None:
        from pages._shared.classes import join, panel

        join._opened()
        panel._said()

    at = AppTest.from_function(late, default_timeout=PATIENCE_S).run()
    assert not at.exception


def test_a_code_leads_where_students_can_come_and_else_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def way(host: str) -> dict[str, Any]:
        monkeypatch.setattr(address, "url", lambda *_: f"http://{host}:8501/")
        at = open_page("masks", **{"class": KEY})
        assert "svg" not in str(told(at)), "only the teacher is sent the code"
        at.session_state[TEACHES] = True
        (data,) = told(at.run())
        return data

    monkeypatch.setattr(network.st, "get_option", {"server.address": "127.0.0.1"}.get)
    assert way("192.168.0.7")["qr"].startswith("<svg")
    assert way("192.168.0.7")["address"] == f"http://192.168.0.7:8501/?class={KEY}"
    assert (way("localhost")["qr"], "cannot open it" in way("localhost")["warning"]) == ("", True)


def test_a_class_survives_a_page_switch_and_its_key_is_in_every_link() -> None:
    at = open_page("masks", **{"class": KEY.lower()})
    assert told(at)
    assert at.query_params["class"] == KEY
    go_to(at, "home").run()
    assert told(at)
    assert at.query_params["class"] == KEY


@pytest.mark.parametrize("key", ["BCDF", "BCDFGH", "AEIOU", "<b>", "ßßßßß", ""])
def test_a_key_that_cannot_be_one_is_refused_with_a_sentence(key: str) -> None:
    at = open_page("masks", **{"class": key})
    assert not at.exception
    assert not told(at)
    assert [one for one in notices(at) if "is not a class key" in one]
    assert "class" not in at.query_params


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("bcdf", "“BCDF” is not a class key: a key has five letters, all consonants."),
        ("x" * 20, f"“{'X' * 20}” is not a class key: a key has five letters, all consonants."),
        ("x" * 21, "This is not a class key: a key has five letters, all consonants."),
        ("Teacher=abc", "This is not a class key: a key has five letters, all consonants."),
        ("", "“” is not a class key: a key has five letters, all consonants."),
        ("BCDFG", ""),
    ],
)
def test_a_key_that_is_none_is_said_again_but_nothing_that_could_be_a_secret(
    session: dict[str, Any], given: str, sentence: str
) -> None:
    del session[CLASS]
    assert membership.join(given) == sentence
    assert membership.room() == ("" if sentence else given)


def test_home_refuses_a_key_that_cannot_be_one_and_takes_the_next() -> None:
    at = open_page(HOME.name)
    assert not told(at)
    at.text_input(key="_class_typed").set_value("<b>").run()
    assert [one.value for one in at.error] == [
        "“\\<B\\>” is not a class key: a key has five letters, all consonants."
    ]
    assert not at.run().error
    at.text_input(key="_class_typed").set_value(KEY.lower()).run()
    assert told(at)
    assert at.query_params["class"] == KEY


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session on the page of masks, in a class; nothing of it is drawn, and where it is sent is only noted."""
    state: dict[str, Any] = {PAGE: "masks", CLASS: KEY, SETTINGS: {"masks_x": 1}}
    monkeypatch.setattr(streamlit, "session_state", state)
    monkeypatch.setattr(streamlit, "query_params", SimpleNamespace(to_dict=lambda: {"seed": "5"}))
    monkeypatch.setattr(address, "visit", lambda page, parameters: state.update(sent=(page, dict(parameters))))
    return state


def said(session: dict[str, Any], message: Any) -> None:
    session[PANEL] = SimpleNamespace(said=message)
    panel._said()


def test_what_the_teacher_writes_is_read_here(session: dict[str, Any]) -> None:
    assert panel._written() is None, "a new session says that it knows nothing"
    said(
        session, {"do": "write", "lines": "Is \t it?\nNo\n* Yes\n\nThis page's question\n\nLonely\n\nStar?\na\n** b"}
    )
    assert panel._written() == {
        "lines": session[WRITTEN],
        "questions": [{"text": "Is it?", "answers": ["No", "Yes"], "right": 1}],
        "wrong": "“Lonely” has no answers; 2 to 6 are needed.",
    }
    said(session, {"do": "write", "lines": "x" * 10**6})
    assert len(session[WRITTEN]) == 18_000
    said(session, {"do": "write", "lines": 3})
    assert len(session[WRITTEN]) == 18_000, "nonsense changes nothing"


def test_who_follows_can_go_back_to_all_that_was(session: dict[str, Any]) -> None:
    said(session, UNMADE)
    assert session.pop("sent") == ("scaling", {"seed": "3"})
    said(session, UNMADE)
    assert "sent" not in session, "asked for again, a move is made once"
    session[SETTINGS], session[PAGE] = {"scaling_y": 2}, "scaling"
    said(session, UNMADE | {"page": "biases", "own": False, "call": 2})
    assert session.pop("sent")[0] == "biases"
    said(session, {"do": "back", "page": "home", "settings": ""})
    assert session["sent"] == ("masks", {"seed": "5"})
    assert session[SETTINGS] == {"masks_x": 1}


def test_a_session_that_does_not_know_where_it_was_believes_the_browser(session: dict[str, Any]) -> None:
    said(session, {"do": "back", "page": "home", "settings": "home_positions=true"})
    assert session["sent"] == ("home", {"home_positions": "true"})


def test_a_session_that_begins_while_following_does_not_take_that_for_where_it_was(session: dict[str, Any]) -> None:
    said(session, UNMADE | {"own": False, "call": 2})
    said(session, {"do": "back", "page": "masks", "settings": "seed=7"})
    assert session["sent"] == ("masks", {"seed": "7"})


def test_who_has_an_answer_measured_goes_to_its_page_with_what_all_pages_share(session: dict[str, Any]) -> None:
    session[SETTINGS] |= {"seed": 5, "dtype": "float32", "scaling_scale": "root"}
    session[MEASURED] = {"question": "q", "refused": "why it was not measured when it was asked for before"}
    said(session, {"do": "measure", "page": "scaling", "question": "q"})
    assert session["sent"] == ("scaling", {"seed": "5", "dtype": "float32"})
    assert session[TO_MEASURE] == ("scaling", "q")
    assert MEASURED not in session


def test_following_takes_nothing_that_is_a_visitors_own(session: dict[str, Any]) -> None:
    said(session, UNMADE | {"settings": "present=true&class=ZZZZZ&lang=zh&device=cpu&course=order&step=2&seed=3"})
    assert session["sent"] == ("scaling", {"seed": "3"})


def test_going_back_takes_nothing_along_that_was_chosen_for_oneself_meanwhile(session: dict[str, Any]) -> None:
    session[OWN_PLACE] = ("masks", {"seed": "5", "lang": "zh", "present": "true", "class": KEY}, {})
    said(session, {"do": "back", "page": "home", "settings": ""})
    assert session["sent"] == ("masks", {"seed": "5"})


def test_leaving_leaves_nothing(session: dict[str, Any]) -> None:
    session[SECRET] = "only until the browser has it"
    said(session, {"do": "teach", "ticket": TICKETED})
    assert session[TICKET] == TICKETED
    assert SECRET not in session
    for odd in ("", "x" * 16, TICKETED.upper(), TICKETED + "0", None, [TICKETED]):
        said(session, {"do": "teach", "ticket": odd})
        assert session[TICKET] == TICKETED
    said(session, UNMADE)
    kept = (TEACHES, WRITTEN, OWN_PLACE, FOLLOWED, TO_MEASURE, MEASURED, CLASS, TICKET, SECRET)
    session |= {name: session.get(name, "left over") for name in kept}
    said(session, {"do": "leave"})
    assert not {*kept} & {*session}
    assert not {name for name in session if name.startswith("_class") and name != PANEL}
    assert membership.room() == ""


@pytest.mark.parametrize(("at", "comes_to"), [(1, 1), (2, 2), (99, 2), (-5, 0)])
def test_the_panel_leads_through_the_course(session: dict[str, Any], at: int, comes_to: int) -> None:
    course_position.enter(Course(steps=(Step(page="masks"), Step(page="scaling"))))
    said(session, {"do": "step", "at": at})
    here = course_position.current()
    assert here
    assert here.index == comes_to
    assert session.get("sent", (None,))[0] == ["masks", "scaling", None][comes_to]


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        "move",
        [],
        {},
        {"do": "explode"},
        {"do": ["move"]},
        {"do": "measure", "page": "home", "question": "q"},
        {"do": "measure", "page": ["scaling"], "question": "q"},
        {"do": "measure", "page": "scaling", "question": 3},
        UNMADE | {"page": "../app"},
        UNMADE | {"page": ["scaling"]},
        UNMADE | {"settings": "x" * 2000},
        UNMADE | {"settings": None},
        UNMADE | {"more": 1},
        {"do": "back", "page": "nowhere", "settings": ""},
        {"do": "back"},
        {"do": "step", "at": 1},
        {"do": "step", "at": "1"},
        {"do": "step"},
    ],
    ids=repr,
)
def test_what_no_browser_of_ours_says_changes_nothing(session: dict[str, Any], message: Any) -> None:
    before = dict(session)
    said(session, message)
    session.pop(PANEL)
    assert session == before
