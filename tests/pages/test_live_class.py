"""What Streamlit knows of a live class: its key in the link, where a session is taken, and what is measured."""

from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from pages._shared.class_rooms.room import course_name
from pages._shared.classes import panel
from pages._shared.classes.page_questions import laid_course
from pages._shared.core import network
from pages._shared.core.pages import HOME, module_of
from pages._shared.core.visitor_state import CLASS, PANEL, VISIT, ClassState, VisitState
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import for_class, ours
from pages._shared.session import address, course_position, membership
from tests.pages.conftest import go_to, lesson_text, open_page
from tests.pages.read import notices, sent
from tests.pages.read import said as said_by
from tests.processes import PATIENCE_S

KEY, TICKETED = "BCDFG", "0123456789abcdef"
UNMADE = {"do": "move", "page": "scaling", "settings": "seed=3", "own": True, "call": 1, "step": None}


def told(at: Any) -> list[dict[str, Any]]:
    """What the class's part of the page was sent; empty if it is not there."""
    return sent(at, "live_class/panel")


def test_a_word_that_comes_late_from_a_button_that_has_gone_is_no_fault() -> None:
    def late() -> None:
        from pages._shared.classes import join, panel

        join._opened()
        panel._take_message()

    at = AppTest.from_function(late, default_timeout=PATIENCE_S).run()
    assert not at.exception


def test_a_code_leads_where_students_can_come_and_else_it_is_said_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def way(host: str) -> dict[str, Any]:
        monkeypatch.setattr(address, "url", lambda *_: f"http://{host}:8501/")
        at = open_page("masks", **{"class": KEY})
        assert "svg" not in str(told(at)), "only the teacher is sent the code"
        at.session_state[CLASS].teaches = True
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
    session[CLASS].key = ""
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
    state: dict[str, Any] = {VISIT: VisitState("masks", settings={"masks_x": 1}), CLASS: ClassState(KEY)}
    monkeypatch.setattr(streamlit, "session_state", state)
    monkeypatch.setattr(streamlit, "query_params", SimpleNamespace(to_dict=lambda: {"seed": "5"}))
    monkeypatch.setattr(address, "visit", lambda page, parameters: state.update(sent=(page, dict(parameters))))
    return state


def said(session: dict[str, Any], message: Any) -> None:
    session[PANEL] = SimpleNamespace(said=message)
    panel._take_message()


def test_what_the_teacher_writes_is_read_here(session: dict[str, Any]) -> None:
    assert panel._written_questions() is None, "a new session says that it knows nothing"
    said(
        session, {"do": "write", "lines": "Is \t it?\nNo\n* Yes\n\nThis page's question\n\nLonely\n\nStar?\na\n** b"}
    )
    assert panel._written_questions() == {
        "lines": session[CLASS].written,
        "questions": [{"kind": "one", "text": "Is it?", "answers": ["No", "Yes"], "right": 1}],
        "wrong": "“Lonely” has no answers; 2 to 6 are needed.",
    }
    said(session, {"do": "write", "lines": "x" * 10**6})
    assert len(session[CLASS].written) == 18_000
    said(session, {"do": "write", "lines": 3})
    assert len(session[CLASS].written) == 18_000, "nonsense changes nothing"


def test_who_follows_can_go_back_to_all_that_was(session: dict[str, Any]) -> None:
    said(session, UNMADE)
    assert session.pop("sent") == ("scaling", {"seed": "3"})
    said(session, UNMADE)
    assert "sent" not in session, "asked for again, a move is made once"
    session[VISIT].settings, session[VISIT].page = {"scaling_y": 2}, "scaling"
    said(session, UNMADE | {"page": "biases", "own": False, "call": 2})
    assert session.pop("sent")[0] == "biases"
    said(session, {"do": "back", "page": "home", "settings": ""})
    assert session["sent"] == ("masks", {"seed": "5"})
    assert session[VISIT].settings == {"masks_x": 1}


def test_a_session_that_does_not_know_where_it_was_believes_the_browser(session: dict[str, Any]) -> None:
    said(session, {"do": "back", "page": "home", "settings": "home_positions=true"})
    assert session["sent"] == ("home", {"home_positions": "true"})


def test_a_session_that_begins_while_following_does_not_take_that_for_where_it_was(session: dict[str, Any]) -> None:
    said(session, UNMADE | {"own": False, "call": 2})
    said(session, {"do": "back", "page": "masks", "settings": "seed=7"})
    assert session["sent"] == ("masks", {"seed": "7"})


def test_who_has_an_answer_measured_goes_to_its_page_with_what_all_pages_share(session: dict[str, Any]) -> None:
    session[VISIT].settings |= {"seed": 5, "dtype": "float32", "scaling_scale": "root"}
    session[CLASS].measured = {"question": "q", "refused": "why it was not measured when it was asked for before"}
    said(session, {"do": "measure", "page": "scaling", "question": "q"})
    assert session["sent"] == ("scaling", {"seed": "5", "dtype": "float32"})
    assert session[CLASS].to_measure == ("scaling", "q")
    assert session[CLASS].measured is None


@pytest.mark.parametrize(
    ("lesson", "page", "led", "seen"),
    [
        (Lesson(predict_first=True), "masks", False, ("masks", "q")),
        (Lesson(), "masks", False, None),
        (Lesson(), "masks", True, ("masks", "q")),
        (None, "masks", True, ("masks", "q")),
        (None, "masks", None, None),
        (None, "masks", "yes", None),
        (Lesson(predict_first=True), "scaling", True, None),
    ],
)
def test_a_phone_sees_what_was_measured_where_the_prediction_came_first_or_the_class_is_led(
    session: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    lesson: Lesson | None,
    page: str,
    led: object,
    seen: tuple[str, str] | None,
) -> None:
    monkeypatch.setattr(address, "lesson", lambda: lesson)
    said(session, {"do": "revealed", "page": page, "question": "q"} | ({} if led is None else {"led": led}))
    assert session[CLASS].to_measure == seen
    assert "sent" not in session


@pytest.mark.parametrize("teaches", [True, False], ids=["the teacher's", "a student's"])
def test_only_a_page_whose_word_the_class_waits_for_is_drawn_once_more(
    session: dict[str, Any], monkeypatch: pytest.MonkeyPatch, teaches: bool
) -> None:
    drawn: list[bool] = []
    monkeypatch.setattr(streamlit, "rerun", lambda: drawn.append(True))
    session[CLASS].teaches, session[CLASS].to_measure = teaches, ("masks", "q")
    panel.tell_answer("masks", 1)
    assert session[CLASS].to_measure is None
    assert session[CLASS].measured == ({"question": "q", "answer": 1} if teaches else None)
    assert bool(drawn) == teaches


def test_following_takes_nothing_that_is_a_visitors_own(session: dict[str, Any]) -> None:
    said(session, UNMADE | {"settings": "present=true&class=ZZZZZ&lang=zh&device=cpu&course=order&step=2&seed=3"})
    assert session["sent"] == ("scaling", {"seed": "3"})


def test_going_back_takes_nothing_along_that_was_chosen_for_oneself_meanwhile(session: dict[str, Any]) -> None:
    session[CLASS].own_place = ("masks", {"seed": "5", "lang": "zh", "present": "true", "class": KEY}, {})
    said(session, {"do": "back", "page": "home", "settings": ""})
    assert session["sent"] == ("masks", {"seed": "5"})


def test_leaving_leaves_nothing(session: dict[str, Any]) -> None:
    session[CLASS].secret = "only until the browser has it"
    said(session, {"do": "teach", "ticket": TICKETED})
    assert session[CLASS].ticket == TICKETED
    assert session[CLASS].secret == ""
    for odd in ("", "x" * 16, TICKETED.upper(), TICKETED + "0", None, [TICKETED]):
        said(session, {"do": "teach", "ticket": odd})
        assert session[CLASS].ticket == TICKETED
    said(session, UNMADE)
    names = [name.name for name in fields(ClassState)]
    for name in names:
        setattr(session[CLASS], name, getattr(session[CLASS], name) or "left over")
    session[CLASS].test.person = "left over"
    said(session, {"do": "leave"})
    assert session[CLASS] == ClassState()
    assert not {name for name in session if name.startswith("_class")} - {CLASS, PANEL}
    assert membership.room() == ""


@pytest.mark.parametrize(("at", "comes_to"), [(1, 1), (2, 2), (99, 2), (-5, 0)])
def test_the_panel_leads_through_the_course(session: dict[str, Any], at: int, comes_to: int) -> None:
    course_position.enter(Course(steps=(Step(page="masks"), Step(page="scaling"))))
    said(session, {"do": "step", "at": at})
    here = course_position.current()
    assert here
    assert here.index == comes_to
    assert session.get("sent", (None,))[0] == ["masks", "scaling", None][comes_to]


ASKED = Lesson(note="Look.", questions="Which?\nThis\n* That")
COURSE = Course(
    title="Ours", steps=(Step(page="masks", lesson=ASKED), Step(page="scaling", settings={"scaling_d": "8"}))
)
LAID = course_name(COURSE.encode())


def given_course(step: int = 1, name: str = LAID) -> dict[str, Any]:
    """What the browser of a phone says that has asked the room for its course."""
    return {"do": "course", "name": name, "course": for_class(COURSE.encode())[0], "step": step}


def test_a_class_gives_a_phone_the_course_without_what_is_asked_and_takes_it_to_a_step(
    session: dict[str, Any],
) -> None:
    said(session, given_course())
    here = course_position.current()
    assert here
    assert (here.index, session[CLASS].course, "sent" in session) == (1, LAID, False)
    assert [step.lesson.questions for step in here.course.steps] == ["", ""]
    assert here.course.steps[0].lesson.note == "Look."
    said(session, UNMADE | {"page": "", "settings": "", "step": 0})
    assert (session.pop("sent"), here.index) == (("masks", {}), 0)
    said(session, UNMADE | {"step": 1, "call": 2, "own": False})
    assert (session.pop("sent"), here.index) == (("scaling", {"seed": "3"}), 1)


def test_another_device_of_the_teachers_goes_where_the_class_is(session: dict[str, Any]) -> None:
    session[CLASS].teaches = True
    said(session, given_course(step=0))
    assert "sent" not in session, "it is on the page of the step already"
    course_position.leave()
    said(session, given_course())
    assert session.pop("sent") == ("scaling", {"scaling_d": "8"})
    here = course_position.current()
    assert here
    said(session, {"do": "go", "page": "biases", "settings": "seed=3", "step": 0})
    assert (session.pop("sent"), here.index) == (("biases", {"seed": "3"}), 0)
    course_position.leave()
    said(session, {"do": "go", "page": "biases", "settings": "", "step": None})
    assert session.pop("sent") == ("biases", {})


def test_who_has_left_the_course_is_given_it_once_more_when_the_class_goes_on(session: dict[str, Any]) -> None:
    said(session, given_course())
    course_position.leave()
    said(session, UNMADE | {"page": "", "settings": "", "step": 0})
    assert ("sent" in session, session[CLASS].course) == (False, "")
    said(session, given_course())
    said(session, UNMADE | {"page": "", "settings": "", "step": 0})
    assert session["sent"] == ("masks", {})


def test_who_is_in_the_course_already_keeps_step_and_predictions(session: dict[str, Any]) -> None:
    course_position.enter(COURSE)
    here = course_position.current()
    said(session, given_course())
    assert course_position.current() is here
    said(session, given_course(name="0" * 16) | {"course": "order"})
    assert course_position.current() is not here
    said(session, given_course(name="1" * 16) | {"course": "no course"})
    assert session[CLASS].course == "1" * 16, "it is not asked for again"


def test_a_teachers_course_is_what_the_room_is_given_or_it_is_said_why_not(
    session: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert laid_course() is None
    course_position.enter(COURSE)
    assert laid_course() == {"name": LAID, "text": COURSE.encode(), "wrong": ""}
    monkeypatch.setattr(Course, "encode", lambda _: "x" * 16_001)
    course_position.enter(COURSE)
    laid = laid_course()
    assert laid
    assert laid["text"] == ""
    assert laid["wrong"].startswith("This course takes 16,001 characters, more than a class can hold (16,000)")


def test_what_is_asked_is_not_on_the_wall_before_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks(at: Any) -> bool:
        return any("Which" in str(one.value) or one.value == predict.question for one in at.header)

    predict = module_of("masks").page.predict
    at = open_page("masks", present="true", **{"class": KEY})
    assert asks(at), "a phone in presenter view is no wall"
    assert "presets: PageDown" in said_by(at)
    at.session_state[CLASS].teaches = True
    assert not asks(at.run())
    assert "PageDown" not in said_by(at), "it is the panel's first"


def test_on_a_wall_only_what_the_remote_takes_is_filled() -> None:
    at = open_page(ours("order").steps[0].page, course="order", present="true", **{"class": KEY})
    assert at.button(key="_course_PageDown").proto.type == "primary"
    at.session_state[CLASS].teaches = True
    assert at.run().button(key="_course_PageDown").proto.type == "secondary"


def test_a_phone_in_a_class_is_told_to_answer_nothing_that_its_page_does_not_ask() -> None:
    link = {"course": lesson_text("permutation", Lesson(predict_first=True))}
    assert "Answer the question above" in said_by(open_page("permutation", **link))
    at = open_page("permutation", **link, **{"class": KEY})
    assert "Answer the question above" not in said_by(at)
    assert "The picture comes with the answer" in said_by(at)


@pytest.mark.parametrize(
    "message",
    [
        {"do": "course", "name": "x", "course": "order", "step": 0},
        {"do": "course", "name": LAID, "course": 3, "step": 0},
        {"do": "course", "name": LAID, "course": "order", "step": "0"},
        UNMADE | {"page": "", "step": 0},
        UNMADE | {"step": "0"},
        UNMADE | {"step": True},
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
        {"do": "go", "page": "scaling", "settings": "", "step": None},  # of who leads no class
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
