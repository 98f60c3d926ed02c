"""Questions prepared for a class: as they are written, as links hold them, and as the panel has them."""

import json
import unicodedata
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._shared.classes.page_questions import page_question
from pages._shared.core.session_keys import TEACHES
from pages._shared.lessons.course import Course, Step, from_json
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.questions import MOST, OWN, Prepared, parse, read, written
from attention_core.language import using
from tests.pages.conftest import go_to, lesson_text, open_page
from tests.pages.courses import MINE
from tests.pages.read import sent

KEY = "BCDFG"


def line(most: int) -> st.SearchStrategy[str]:
    """Text as people type it, on one line; what is not seen before it is taken for nothing behind a star."""
    letters = st.characters(min_codepoint=33, max_codepoint=0x2000, exclude_categories=["Cc", "Cs", "Z"])
    shown = st.text(letters, min_size=1, max_size=most).filter(lambda text: is_seen(text[0]))
    return shown.filter(lambda text: not text.startswith("*"))


def is_seen(character: str) -> bool:
    return unicodedata.category(character) not in ("Cf", "Mn") and character not in "\u115f\u1160"


OWNED = st.builds(
    lambda text, answers, right: Prepared(text, tuple(answers), right if right is None else right % len(answers)),
    line(40), st.lists(line(20), min_size=2, max_size=6, unique=True), st.none() | st.integers(0, 5),
)  # fmt: skip


@given(st.lists(st.just(Prepared()) | OWNED, max_size=4))
def test_questions_survive_being_written_and_every_link(questions: list[Prepared]) -> None:
    assert parse(written(questions), asks=True) == (questions, "")
    with using("zh"):
        assert parse(written(questions), asks=True) == (questions, "")
    assert [read(json.loads(json.dumps(one.plain()))) for one in questions] == questions
    lesson = Lesson(questions=tuple(questions))
    course = Course(steps=(Step(page="scaling", lesson=lesson),))
    assert from_json(course.to_json()) == (course, [])


def test_questions_are_written_as_lines() -> None:
    text = "Which?\n a \n*  b\n\n\n \nthis page’s question.\n\nTrue?\nYes\nNo"
    assert parse(text, asks=True) == (
        [Prepared("Which?", ("a", "b"), 1), Prepared(), Prepared("True?", ("Yes", "No"))], "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("Lonely", "“Lonely” has no answers; 2 to 6 are needed."),
        ("One\na", "“One” has 1 answer; 2 to 6 are needed."),
        ("Many\n" + "\n".join("abcdefg"), "“Many” has 7 answers; 2 to 6 are needed."),
        ("Twice\na\na", "“Twice” cannot be asked: No two answers may read alike."),
        ("Long\na\n" + "b" * 200, "“Long” cannot be asked: “answers” must have 1 to 120 characters."),
        ("Two\n* a\nb\n*c", "“Two” marks 2 answers by a star; only one can be the right one."),
        ("All\n＊a\n★ b\n\u200b* c", "“All” marks 3 answers by a star; only one can be the right one."),
        ("Stars\na\n** b", "“Stars” cannot be asked: an answer begins with a star"),
        (OWN, f"“{OWN}” is not there: this page asks nothing."),
        ("\n\n".join(f"{at}?\na\nb" for at in range(MOST + 1)), "There are 14 questions, of which the first 12 are"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_rest_is_kept(lines: str, sentence: str) -> None:
    found, wrong = parse(f"{lines}\n\nGood?\nYes\nNo", asks=False)
    assert wrong.startswith(sentence)
    assert (found[-1] == Prepared("Good?", ("Yes", "No"))) == (len(found) < MOST)


def told_to(at: AppTest) -> dict[str, Any]:
    """What the class's part of the page is told."""
    (told,) = sent(at, "live_class/panel")
    return told


@pytest.fixture
def awake() -> None:
    """What the pages ask is known, as it is once the app has woken up."""
    for name in ("biases", "masks", "scaling"):
        import_module(f"pages.{name}")


def test_the_panel_has_the_questions_of_the_whole_course_in_their_order_and_a_student_has_none(awake: None) -> None:
    asked = [(Prepared(), MINE), (), (Prepared(), MINE), (Prepared(),)]
    pages = ("scaling", "masks", "scaling", "biases")
    steps = (Step(page=page, lesson=Lesson(questions=one)) for page, one in zip(pages, asked, strict=True))
    at = open_page("scaling", course=Course(steps=tuple(steps)).encode(), step="2", **{"class": KEY})
    assert told_to(at)["prepared"] == []
    at.session_state[TEACHES] = True
    told = told_to(at.run())
    assert [(one["text"], one["page"], one["at"], one["right"]) for one in told["prepared"]] == [
        (page_question("scaling").text, "scaling", 0, None),
        (MINE.text, "", 0, 1),
        (page_question("biases").text, "biases", 3, None),
    ]
    assert told["prepared"][1]["answers"] == list(MINE.answers)
    assert (told["at"], told["steps"]) == (1, 4)


def test_the_panel_has_the_questions_of_a_lesson_wherever_the_teacher_goes(awake: None) -> None:
    lesson = lesson_text("scaling", Lesson(questions=(MINE, Prepared())))
    at = open_page("scaling", course=lesson, **{"class": KEY})
    at.session_state[TEACHES] = True
    go_to(at, "masks").run()
    told = told_to(at)
    assert [(one["page"], one["at"]) for one in told["prepared"]] == [("", 0), ("scaling", 0)]
    assert told["steps"] == 1
    assert told["question"]["text"] == page_question("masks").text
