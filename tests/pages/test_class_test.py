"""The concept test in a class: a word, ten questions without feedback, and what the teacher is told of all."""

import random
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.class_rooms.tested import COLUMNS
from pages._shared.classes import testing
from pages._shared.concept_test import wall as wall_page
from pages._shared.concept_test.chosen import MOST_FORMS, asked_in, parallel
from pages._shared.core.visitor_state import CLASS, DRAFT, ClassState
from pages._shared.lessons.course import Course, Step, decode
from pages._shared.lessons.library import for_class
from pages._shared.page.worksheet import sheet_of
from attention_core.concept_test import ITEMS, LENGTH
from attention_core.concept_test.answers import read
from attention_core.concept_test.files import lettered
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.text import csv_text
from tests.pages.conftest import open_page
from tests.pages.read import said, sent

KEY = "BCDFG"
BEFORE = {"class": KEY, "concept_test_time": "before", "concept_test_form": "4"}
NEXT, READ = "_concept_test_next", "_concept_test_read"
HEAD = "person,time,item,answer\n"
IDS = frozenset(item.id for item in ITEMS)


def phone(word: str = "Gänse blümchen", **parameters: str) -> AppTest:
    """A student's page, on which a word has been typed."""
    at = open_page("concept_test", **BEFORE | parameters)
    at.text_input(key="_concept_test_word").set_value(word)
    at.button[0].click().run()
    assert not at.exception
    return at


def panel(at: AppTest) -> dict[str, Any]:
    (data,) = sent(at, "live_class/panel")
    return data["test"]


def press(at: AppTest, label: str) -> None:
    next(one for one in at.button if one.key.startswith("_concept_test_choice_") and one.key.endswith(label)).click()
    at.run()
    assert not at.exception


def hears(at: AppTest, **message: Any) -> None:
    """Have the session take a message of the panel's."""
    at.session_state[CLASS].teaches = message["do"] == "answers"
    state = at.session_state[CLASS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "class_state", lambda: state)
        testing.take_message(message, IDS)
    at.run()
    assert not at.exception


def test_first_a_word_is_asked_for_and_nothing_of_it_is_kept_or_shown() -> None:
    at = open_page("concept_test", **BEFORE)
    assert "**a word that you will remember**: not your name" in said(at)
    assert "Until the class ends your teacher can download all answers" in said(at)
    assert not [one for one in at.button if one.key and "choice" in one.key]
    at = phone("Gänse blümchen")
    person = panel(at)["person"]
    assert len(person) == 16
    assert int(person, 16)
    everything = f"{at.session_state._state._state.filtered_state} {at.query_params} {said(at)} {panel(at)}"
    assert "blümchen" not in everything.lower()


@pytest.mark.parametrize("word", ["", "ab", "  a  b ".strip()[:2], "\u3000a\u3000"])
def test_a_word_that_is_too_short_is_refused_with_a_sentence(word: str) -> None:
    at = phone(word)
    assert [one.value for one in at.error] == ["A word has 3 to 60 characters."]
    assert panel(at)["person"] == ""


def test_one_word_is_one_person_however_it_is_typed_and_in_one_class_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing.membership, "room", lambda: KEY)
    one = testing.pseudonym("Gänse blümchen")
    assert {testing.pseudonym(word) for word in ("gänse  BLÜMCHEN ", "Gänse\u3000blümchen", "ＧÄNSE blümchen")} == {
        one
    }
    assert testing.pseudonym("gänseblümchen") != one
    assert one[0] == "a", "no spreadsheet takes it for a number"
    monkeypatch.setattr(testing.membership, "room", lambda: "BCDFH")
    assert testing.pseudonym("Gänse blümchen") != one


def test_ten_questions_are_answered_and_nobody_is_told_what_is_right() -> None:
    at = phone()
    expected = {}
    for place, asked in enumerate(asked_in(4)):
        assert at.subheader[0].value == set_markdown(asked.item.asked)
        assert said(at).count("radio_button_unchecked") == LENGTH - place
        press(at, "ABCD"[place % 4])
        other = next(one for one in lettered() if one.item is asked.item)
        expected[asked.item.id] = "ABCD"[other.order.index(asked.order[place % 4])]
        assert panel(at)["answers"] == {"before": expected}
        for word in ("measurement", "right", "check_circle", "cancel", "stands for"):
            assert word not in said(at).partition("Settings")[0].replace("Not validated", "")
        assert not at.main.get("page_link")
        assert not [one for one in at.button if one.key and "choice" in one.key], "the first answer counts"
        at.button(key=NEXT).click().run()
    assert at.subheader[0].value == "All ten are answered"
    hears(at, do="arrived", time="before", count=10)
    assert at.subheader[0].value == "Handed in"
    assert len(expected) == LENGTH


def test_the_first_answer_to_an_item_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    state = ClassState(KEY)
    monkeypatch.setattr(testing, "class_state", lambda: state)
    for time, letter in (("before", "B"), ("before", "C"), ("after", "D")):
        testing.take(time, ITEMS[0].id, letter)
    assert state.test.letters == {"before": {ITEMS[0].id: "B"}, "after": {ITEMS[0].id: "D"}}


def test_before_and_after_are_of_one_person_without_another_word() -> None:
    at = phone()
    press(at, "A")
    person = panel(at)["person"]
    at.query_params["concept_test_time"] = "after"
    at.session_state[CLASS].test.shown = ""
    after = open_page("concept_test", {CLASS: at.session_state[CLASS]}, **BEFORE | {"concept_test_time": "after"})
    press(after, "B")
    assert panel(after)["person"] == person
    assert {time: len(letters) for time, letters in panel(after)["answers"].items()} == {"before": 1, "after": 1}


def test_a_phone_that_was_loaded_again_goes_on_where_it_was() -> None:
    at = open_page("concept_test", **BEFORE)
    first = asked_in(4)[0].item.id
    hears(at, do="tested", person="a" * 16, answers={"before": {first: "C"}})
    assert panel(at)["person"] == "a" * 16
    assert at.subheader[0].value == set_markdown(asked_in(4)[1].item.asked)


@pytest.mark.parametrize(
    "message",
    [
        {"do": "tested", "person": "ana", "answers": {"before": {"sink": "A"}}},
        {"do": "tested", "person": "a" * 16, "answers": {"later": {"sink": "A"}}},
        {"do": "tested", "person": "a" * 16, "answers": {"before": {"sunk": "A"}}},
        {"do": "tested", "person": "a" * 16, "answers": {"before": {"sink": "E"}}},
        {"do": "tested", "person": "a" * 16, "answers": {"before": [["sink", "A"]]}},
        {"do": "tested", "person": "a" * 16, "answers": {}},
        {"do": "tested", "person": 7, "answers": {"before": {"sink": "A"}}},
        {"do": "arrived", "time": "later", "count": 10},
        {"do": "arrived", "time": ["before"], "count": 10},
        {"do": "arrived", "time": "before", "count": "10"},
        {"do": "answers", "table": HEAD, "error": ""},
    ],
)
def test_what_no_browser_of_ours_says_changes_nothing(message: dict[str, Any], monkeypatch: Any) -> None:
    state = ClassState(KEY)
    monkeypatch.setattr(testing, "class_state", lambda: state)
    testing.take_message(message, IDS)
    assert state == ClassState(KEY), "of a student"


def test_outside_of_a_class_it_says_so_and_can_be_answered_at_home() -> None:
    at = open_page("concept_test", **{name: text for name, text in BEFORE.items() if name != "class"})
    assert "This test is a class's: its answers go to the class." in said(at)
    assert not at.subheader
    at.button(key="_concept_test_at_home").click().run()
    assert at.subheader[0].value == set_markdown(asked_in(4)[0].item.asked)
    assert "concept_test_time" not in at.query_params


def test_another_class_begins_without_a_word() -> None:
    at = phone()
    other = open_page("concept_test", {CLASS: at.session_state[CLASS]}, **BEFORE | {"class": "BCDFH"})
    assert panel(other)["person"] == ""


def table(people: int, knows: dict[str, float], seed: int = 1) -> str:
    """Answers of a class that knows each item with some probability at each time, and else guesses."""
    draw, lines = random.Random(seed), []
    for time, share in knows.items():
        for person in range(people):
            for asked in asked_in(4 if time == "before" else 5):
                other = next(one for one in lettered() if one.item is asked.item)
                place = asked.item.by_theory if draw.random() < share else draw.randrange(4)
                lines.append(f"{person:016x},{time},{asked.item.id},{'ABCD'[other.order.index(place)]}")
    return "\ufeff" + HEAD + "\n".join(lines)


def wall(**parameters: str) -> AppTest:
    return open_page("concept_test", {CLASS: ClassState(KEY, teaches=True)}, **BEFORE | parameters)


def test_the_teacher_asks_for_the_answers_and_the_browser_is_told_to_fetch_them() -> None:
    at = wall()
    assert not at.text_input or "word" not in [one.key for one in at.text_input]
    assert panel(at)["asked"] == 0
    at.button(key=READ).click().run()
    assert (panel(at)["asked"], panel(at)["here"], panel(at)["of"]) == (1, True, 10)
    hears(at, do="answers", table="", error="This class has ended.")
    assert [one.value for one in at.error] == ["This class has ended\\."]
    hears(at, do="answers", table="\ufeff" + HEAD, error="")
    assert "Nobody has handed in anything yet." in said(at)
    hears(at, do="answers", table="\ufeff" + HEAD + "a,before,sunk,A\n", error="")
    assert "sunk" in at.error[0].value


@pytest.mark.slow
def test_of_a_class_that_learned_all_is_told() -> None:
    at = wall()
    hears(at, do="answers", table=table(24, {"before": 0.1, "after": 0.8}), error="")
    text = said(at)
    assert "**Test before**: 24 have handed in something, 24 all ten." in text
    assert "Normalised gain of 24 who answered both times: **0." in text
    assert "**Not validated**: take no grade from it." in text
    beliefs, *items = [frame.value for frame in at.dataframe]
    assert len(items) == 2
    assert list(beliefs.columns) == [
        "What is believed", "Test before", "Test before: how many", "Test after", "Test after: how many"
    ]  # fmt: skip
    assert [len(frame) for frame in items] == [LENGTH, LENGTH]
    assert [one.label for one in at.get("download_button")] == ["Answers by pseudonym (CSV)"]


@pytest.mark.slow
def test_of_few_nothing_is_told_but_what_was_counted() -> None:
    at = wall()
    hears(at, do="answers", table=table(19, {"before": 0.1, "after": 0.8}), error="")
    assert "19 answered both times. A normalised gain needs 20 who did" in said(at)
    assert "α –" in said(at)
    assert set(at.dataframe[1].value["Right"]) == {"–"}


def test_what_is_downloaded_is_read_again() -> None:
    answered = read(table(3, {"before": 0.5, "after": 0.5}).removeprefix("\ufeff"))
    again = csv_text(COLUMNS, wall_page._rows(answered)).removeprefix("\ufeff")
    assert read(again) == answered
    assert again.count("\n") == 61


def test_before_and_after_have_no_item_in_common() -> None:
    for number in range(1, MOST_FORMS + 1):
        other = parallel(number)
        assert 1 <= other <= MOST_FORMS
        assert not {one.item.id for one in asked_in(number)} & {one.item.id for one in asked_in(other)}


def test_it_is_added_to_a_course_as_it_is_before_and_after() -> None:
    at = open_page("concept_test", concept_test_form="6", dtype="float32")
    for name in ("plain", "before", "after"):
        at.button(key=f"_concept_test_add_{name}").click().run()
        assert not at.exception
    steps = at.session_state[DRAFT].course.steps
    assert [step.page for step in steps] == ["concept_test"] * 3
    own = [{name.removeprefix("concept_test_"): text for name, text in step.settings.items()} for step in steps]
    assert own == [
        {"form": "6", "dtype": "float32"}, {"form": "6", "time": "before", "dtype": "float32"},
        {"form": "5", "time": "after", "dtype": "float32"},
    ]  # fmt: skip


def test_a_step_of_the_test_is_a_course_a_link_and_paper_that_leads_there() -> None:
    step = Step(page="concept_test", settings={"concept_test_form": "5", "concept_test_time": "after"}, minutes=10)
    course = Course(steps=(step,))
    assert decode(course.encode()) == (course, [])
    assert for_class(course.encode()) == (course.encode(), 1)
    sheet = sheet_of(step)
    assert (sheet.picture, sheet.problem) == ("", "This test is taken on a screen. The code leads there.")
