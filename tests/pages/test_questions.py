"""Questions prepared for a class: as they are written, as links hold them, and as the panel has them."""

import unicodedata
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._shared.class_rooms.kinds import number
from pages._shared.class_rooms.question import Kind, Right
from pages._shared.classes import page_questions
from pages._shared.classes.page_questions import page_question
from pages._shared.core.visitor_state import CLASS
from pages._shared.lessons.course import Course, Step, from_json
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.questions import MOST, PreparedQuestion, parse
from attention_core.language import LANGUAGES, using
from tests.pages.conftest import go_to, lesson_text, open_page
from tests.pages.courses import MINE, MINE_TEXT, OWN, written
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
    lambda text, answers, right: PreparedQuestion(
        text, tuple(answers), right if right is None else right % len(answers)
    ),
    line(40), st.lists(line(20), min_size=2, max_size=6, unique=True), st.none() | st.integers(0, 5),
)  # fmt: skip


PLACES = st.sets(st.integers(0, 1), min_size=2).map(lambda places: tuple(sorted(places)))
NUMBERS = st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9).map(lambda value: number(float(f"{value:.6g}")))
TYPED = st.builds(PreparedQuestion, line(40), right=PLACES, kind=st.just(Kind.SEVERAL), answers=st.just(("a", "b")))
TYPED |= st.builds(
    PreparedQuestion, line(40), kind=st.just(Kind.NUMBER), right=st.none() | st.tuples(NUMBERS, NUMBERS.map(abs))
)
TYPED |= st.builds(PreparedQuestion, line(40), kind=st.just(Kind.WORDS))


@given(st.lists(st.just(PreparedQuestion()) | OWNED | TYPED, max_size=4))
def test_questions_survive_being_written_and_every_link(questions: list[PreparedQuestion]) -> None:
    text = written(*questions)
    assert parse(text, asks=True) == (questions, "")
    course, remarks = from_json(Course(steps=(Step(page="scaling", lesson=Lesson(questions=text)),)).to_json())
    assert (course.steps[0].questions, remarks) == (questions, [])


@pytest.mark.parametrize("own", ["This page's question", "本页的问题"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_s_own_question_is_known_in_whatever_language_it_was_written(own: str, language: str) -> None:
    with using(language):
        assert parse(f"{own}\n\n{MINE_TEXT}", asks=True) == ([PreparedQuestion(), MINE], "")


def test_questions_are_written_as_lines() -> None:
    text = "Which?\n a \n*  b\n\n\n \nthis page’s question.\n\nTrue?\nYes\nNo"
    assert parse(text, asks=True) == (
        [PreparedQuestion("Which?", ("a", "b"), 1), PreparedQuestion(), PreparedQuestion("True?", ("Yes", "No"))], "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "kind", "right"),
    [
        ("* a\nb\n*c", Kind.SEVERAL, (0, 2)),
        ("＊a\n★ b\n\u200b* c", Kind.SEVERAL, (0, 1, 2)),
        ("= 64 ± 5", Kind.NUMBER, (64, 5)),
        ("＝６４＋－０．５", Kind.NUMBER, (64, 0.5)),
        ("=−1,5+/-1e-3", Kind.NUMBER, (-1.5, 0.001)),
        ("= 64 ± -5", Kind.NUMBER, (64, 5)),
        (" = 0.125 ", Kind.NUMBER, (0.125, 0)),
        ("=", Kind.NUMBER, None),
        ("____", Kind.WORDS, None),
        ("…", Kind.WORDS, None),
        ("＿＿＿", Kind.WORDS, None),
        ("= 64\n= 65", Kind.ONE, None),
        ("* = 64\n...", Kind.ONE, 0),
    ],
)
def test_what_stands_below_a_question_says_what_kind_it_is(lines: str, kind: Kind, right: Right) -> None:
    (found,), wrong = parse(f"Which?\n{lines}", asks=False)
    assert (found.kind, found.right, wrong) == (kind, right, "")
    assert bool(found.answers) == (kind in (Kind.ONE, Kind.SEVERAL))


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("Lonely", "“Lonely” has no answers; 2 to 6 are needed."),
        ("One\na", "“One” has 1 answer; 2 to 6 are needed."),
        ("Many\n" + "\n".join("abcdefg"), "“Many” has 7 answers; 2 to 6 are needed."),
        ("Twice\na\na", "“Twice” cannot be asked: No two answers may read alike."),
        ("Long\na\n" + "b" * 200, "“Long” cannot be asked: “answers” must have 1 to 120 characters."),
        ("Far\n= 64 ± a lot", "“Far” cannot be asked: This is no number: write it like 1250, 0.5 or 1e-3, without"),
        ("Large\n= 1e13", "“Large” cannot be asked: A number may be from −1e12 to 1e12."),
        ("Grouped\n= 1,000", "“Grouped” cannot be asked: This is no number"),
        ("x" * 501 + "\n____", f"“{'x' * 59}…” cannot be asked: “text” must have 1 to 500 characters."),
        ("\u200b\u200bHidden\u202e?\n____", "“\u200b\u200bHidden\u202e?” cannot be asked: “text” holds characters"),
        ("x" * 61, f"“{'x' * 59}…” has no answers; 2 to 6 are needed."),
        ("Hidden\u202e?\na\nb", "“Hidden\u202e?” cannot be asked: “text” holds characters that cannot be shown"),
        (
            "語" * 500 + "".join(f"\n{at}" + "語" * 110 for at in range(6)),
            "“" + "語" * 59 + "…” cannot be asked: it is longer than a class can be sent.",
        ),
        ("Stars\na\n** b", "“Stars” cannot be asked: an answer begins with a star"),
        (OWN, f"“{OWN}” is not there: this page asks nothing."),
        ("\n\n".join(f"{at}?\na\nb" for at in range(MOST + 1)), "There are 14 questions, of which the first 12 are"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_rest_is_kept(lines: str, sentence: str) -> None:
    found, wrong = parse(f"{lines}\n\nGood?\nYes\nNo", asks=False)
    assert wrong.startswith(sentence)
    assert (found[-1] == PreparedQuestion("Good?", ("Yes", "No"))) == (len(found) < MOST)


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
    asked = [f"{OWN}\n\n{MINE_TEXT}", "", f"{OWN}\n\n{MINE_TEXT}", OWN]
    pages = ("scaling", "masks", "scaling", "biases")
    steps = (Step(page=page, lesson=Lesson(questions=one)) for page, one in zip(pages, asked, strict=True))
    at = open_page("scaling", course=Course(steps=tuple(steps)).encode(), step="2", **{"class": KEY})
    assert told_to(at)["prepared"] == []
    at.session_state[CLASS].teaches = True
    told = told_to(at.run())
    assert [(one["text"], one["page"], one["at"], one["right"]) for one in told["prepared"]] == [
        (page_question("scaling").text, "scaling", 0, None),
        (MINE.text, "", 0, 1),
        (page_question("biases").text, "biases", 3, None),
    ]
    assert told["prepared"][1]["answers"] == list(MINE.answers)
    assert (told["at"], told["steps"]) == (1, 4)


def test_the_panel_has_the_questions_of_a_lesson_wherever_the_teacher_goes(awake: None) -> None:
    lesson = lesson_text("scaling", Lesson(questions=f"{MINE_TEXT}\n\n{OWN}"))
    at = open_page("scaling", course=lesson, **{"class": KEY})
    at.session_state[CLASS].teaches = True
    go_to(at, "masks").run()
    told = told_to(at)
    assert [(one["page"], one["at"]) for one in told["prepared"]] == [("", 0), ("scaling", 0)]
    assert told["steps"] == 1
    assert told["question"]["text"] == page_question("masks").text


def test_where_a_prediction_comes_first_the_page_asks_last(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [
        Step(page="masks", lesson=Lesson(predict_first=True)),
        Step(page="scaling", lesson=Lesson(questions="Is it?\nNo\n* Yes", predict_first=True)),
        Step(page="biases", lesson=Lesson(questions=f"{OWN}\n\nWhy?\na\n* b", predict_first=True)),
        Step(page="anatomy"),
        Step(page="home", lesson=Lesson(predict_first=True)),
    ]
    position = SimpleNamespace(course=SimpleNamespace(steps=steps))
    monkeypatch.setattr(page_questions.course_position, "current", lambda: position)
    asked = [(one["at"], one["page"] or one["text"]) for one in page_questions.prepared()]
    assert asked == [(0, "masks"), (1, "Is it?"), (1, "scaling"), (2, "biases"), (2, "Why?")]
