"""Questions prepared for a class: as they are written, as links hold them, and as the panel has them."""

import json
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._shared.classes.page_questions import page_question
from pages._shared.core.session_keys import TEACHES
from pages._shared.lessons.course import Course, Step, decode, from_json
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import OURS, ours
from pages._shared.lessons.questions import MOST, OWN, Prepared, parse, read, written
from tests.pages.conftest import Open, lesson_text, page_path

KEY = "BCDFG"
MINE = Prepared("Who is <b>asked</b>?", ("$q$", "k"), 1)


def line(most: int) -> st.SearchStrategy[str]:
    """Text as people type it, on one line."""
    letters = st.characters(min_codepoint=33, max_codepoint=0x2000, exclude_categories=["Cc", "Cs", "Z"])
    return st.text(letters, min_size=1, max_size=most).filter(lambda text: not text.startswith("*"))


OWNED = st.builds(
    lambda text, answers, right: Prepared(text, tuple(answers), right if right is None else right % len(answers)),
    line(40), st.lists(line(20), min_size=2, max_size=6, unique=True), st.none() | st.integers(0, 5),
)  # fmt: skip


@given(st.lists(st.just(Prepared()) | OWNED, max_size=4))
def test_questions_survive_being_written_and_every_link(questions: list[Prepared]) -> None:
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
        ("Lonely", "“Lonely” has no answers; two to six are needed."),
        ("One\na", "“One” has 1 answer; two to six are needed."),
        ("Many\n" + "\n".join("abcdefg"), "“Many” has 7 answers; two to six are needed."),
        ("Twice\na\na", "“Twice” cannot be asked: No two answers may read alike."),
        ("Long\na\n" + "b" * 200, "“Long” cannot be asked: “answers” must have 1 to 120 characters."),
        ("Stars\na\n** b", "“Stars” cannot be asked: an answer begins with a star"),
        (OWN, f"“{OWN}” is not there: this page asks nothing."),
        ("\n\n".join(f"{at}?\na\nb" for at in range(MOST + 1)), "There are 14 questions, of which the first 12 are"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_rest_is_kept(lines: str, sentence: str) -> None:
    found, wrong = parse(f"{lines}\n\nGood?\nYes\nNo", asks=False)
    assert wrong.startswith(sentence)
    assert (found[-1] == Prepared("Good?", ("Yes", "No"))) == (len(found) < MOST)


def step(questions: object, page: str = "scaling") -> dict[str, Any]:
    return {"version": 2, "steps": [{"page": "masks"}, {"page": page, "questions": questions}]}


GOOD = MINE.plain()
HOSTILE: dict[str, tuple[dict[str, Any], str, int]] = {
    "no list": (step("page"), "Step 2 has questions that are no list; they are left out.", 0),
    "a number": (step([7, GOOD]), "Step 2 has a question that cannot be asked (it has no text and no answers)", 1),
    "no answers": (step([{"text": "a"}, GOOD]), "(“answers” must be a list of two to six texts)", 1),
    "one answer": (step([{"text": "a", "answers": ["b"]}, GOOD]), "must be a list of two to six texts", 1),
    "alike": (step([GOOD, {"text": "a", "answers": ["b", " b"]}]), "(No two answers may read alike)", 1),
    "no text": (step([{"text": " ", "answers": ["a", "b"]}]), "(“text” must have 1 to 500 characters)", 0),
    "hidden letters": (step([{"text": "a\u202eb", "answers": ["a", "b"]}]), "characters that cannot be shown", 0),
    "right of none": (step([{"text": "?", "answers": ["a", "b"], "right": 2}]), "its right answer is none of", 0),
    "right is true": (step([{"text": "?", "answers": ["a", "b"], "right": True}]), "its right answer is none of", 0),
    "too long": (
        step([{"text": "語" * 500, "answers": [f"{at}" + "語" * 110 for at in range(6)]}]),
        "(it is longer than a class can be sent)", 0,
    ),
    "too many": (step([GOOD] * 10_000), f"Step 2 has more than {MOST} questions; the rest is left out.", MOST),
    "of a page without one": (step(["page"], "home"), "Step 2 asks for the question of Home, which has none", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_step_with_questions_that_are_none_says_so_and_keeps_the_rest(name: str) -> None:
    content, sentence, kept = HOSTILE[name]
    course, remarks = from_json(json.dumps(content))
    assert len(remarks) == 1
    assert remarks[0].startswith("Step 2 ")
    assert sentence in remarks[0]
    assert course.steps[1].lesson.questions == (MINE,) * kept


@pytest.mark.parametrize("name", OURS)
def test_our_courses_have_a_class_asked_what_they_have_predicted(name: str) -> None:
    for step in ours(name).steps:
        assert step.lesson.questions == (Prepared(),) * step.lesson.predict_first


# ---- on the pages ----


def field(at: AppTest, ending: str) -> Any:
    (one,) = (area for area in at.text_area if str(area.key).endswith(ending))
    return one


def test_questions_of_a_step_are_edited_where_the_step_is(open_page: Open) -> None:
    at = open_page("course")
    at.session_state["_draft"] = Course(steps=(Step(page="scaling"), Step(page="home", lesson=Lesson(note="Hm"))))
    at.run().button(key="_course_edit_0").click().run()
    field(at, "questions").set_value(f"{written([MINE])}\n\n{OWN}\n\n<b>Lonely</b>").run()
    assert not at.exception
    assert [error.value for error in at.error] == ["“\\<b\\>Lonely\\</b\\>” has no answers; two to six are needed\\."]
    first, second = at.session_state["_draft"].steps
    assert first.lesson.questions == (MINE, Prepared())
    assert second.lesson == Lesson(note="Hm")
    assert any("2 questions for a class" in text.value for text in at.markdown)
    at.button(key="_course_expand_less_0").click().run().button(key="_course_edit_0").click().run()
    assert field(at, "questions").value == written([MINE, Prepared()])
    at.button(key="_course_edit_1").click().run()
    field(at, "questions").set_value(OWN).run()
    assert [error.value for error in at.error] == [f"“{OWN}” is not there\\: this page asks nothing\\."]


def test_a_lesson_that_is_made_holds_its_questions_and_so_does_the_step_made_of_it(open_page: Open) -> None:
    at = open_page("scaling", scaling_tab="share")
    at.text_area(key="_scaling_lesson_questions").set_value(written([Prepared(), MINE])).run()
    (link,) = (code.value for code in at.get("code") if "course=" in code.value)
    assert decode(parse_qs(urlsplit(link).query)["course"][0])[0].steps[0].lesson.questions == (Prepared(), MINE)
    at.button(key="_scaling_course_add").click().run()
    assert at.session_state["_draft"].steps[0].lesson.questions == (Prepared(), MINE)


def test_a_lesson_of_more_than_a_link_can_hold_says_so(open_page: Open) -> None:
    at = open_page("scaling", scaling_tab="share")
    letters = "".join(chr(0x4E00 + at * 7919 % 20_000) for at in range(400 * MOST))
    texts = (letters[400 * at : 400 * (at + 1)] for at in range(MOST))
    many = [Prepared(text, ("a", "b")) for text in texts]
    at.text_area(key="_scaling_lesson_questions").set_value(written(many)).run()
    assert not [code for code in at.get("code") if "course=" in code.value]
    assert [one.value for one in at.warning if "more than a link can hold" in one.value]


@pytest.fixture
def awake() -> None:
    """What the pages ask is known, as it is once the app has woken up."""
    for name in ("biases", "masks", "scaling"):
        import_module(f"pages.{name}")


def sent(at: AppTest) -> dict[str, Any]:
    """What the class's part of the page is told."""
    drawn = (one.proto for one in at.get("bidi_component"))
    return json.loads(next(proto.json for proto in drawn if proto.component_name == "live_class/panel"))


def test_the_panel_has_the_questions_of_the_whole_course_in_their_order_and_a_student_has_none(
    open_page: Open, awake: None
) -> None:
    asked = [(Prepared(), MINE), (), (Prepared(), MINE), (Prepared(),)]
    pages = ("scaling", "masks", "scaling", "biases")
    steps = (Step(page=page, lesson=Lesson(questions=one)) for page, one in zip(pages, asked, strict=True))
    at = open_page("scaling", course=Course(steps=tuple(steps)).encode(), step="2", **{"class": KEY})
    assert sent(at)["prepared"] == []
    at.session_state[TEACHES] = True
    told = sent(at.run())
    assert [(one["text"], one["page"], one["at"], one["right"]) for one in told["prepared"]] == [
        (page_question("scaling").text, "scaling", 0, None),
        (MINE.text, "", 0, 1),
        (page_question("biases").text, "biases", 3, None),
    ]
    assert told["prepared"][1]["answers"] == list(MINE.answers)
    assert (told["at"], told["steps"]) == (1, 4)


def test_the_panel_has_the_questions_of_a_lesson_wherever_the_teacher_goes(open_page: Open, awake: None) -> None:
    lesson = lesson_text("scaling", Lesson(questions=(MINE, Prepared())))
    at = open_page("scaling", course=lesson, **{"class": KEY})
    at.session_state[TEACHES] = True
    at.switch_page(page_path("masks")).run()
    told = sent(at)
    assert [(one["page"], one["at"]) for one in told["prepared"]] == [("", 0), ("scaling", 0)]
    assert told["steps"] == 1
    assert told["question"]["text"] == page_question("masks").text
