"""A course survives its link and its file, and what is wrong with it is said step by step."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages._shared.lessons.course import (
    FORMAT,
    MAX_ANSWER,
    MAX_BYTES,
    MAX_MINUTES,
    MAX_STEPS,
    MAX_TITLE,
    TITLES,
    Course,
    Step,
    changed,
    decode,
    from_json,
)
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.lessons.library import OURS, opened, ours, text_of
from pages._shared.lessons.questions import MOST, PreparedQuestion
from attention_core.claims import claims
from attention_core.language import ENGLISH, LANGUAGES, using
from tests.pages.courses import MINE, MINE_TEXT, OWN, packed

LIBRARY = Path(__file__).parents[2] / "pages/_shared/lessons/library"
PAGE_OF = {claim.id: claim.page for claim in claims()}
MINUTES = {"order": 15, "scaling": 30, "interview": 45, "hunt": 16}


def line(most: int) -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), max_size=most)


def steps(page: str) -> st.SearchStrategy[Step]:
    texts = st.dictionaries(line(8).map(lambda name: f"{page}_x{name}"), line(20), max_size=4)
    lessons = st.builds(
        lambda parts, fixed, first, note: Lesson(
            parts=tuple(part for part in PARTS if part in parts),
            fixed=fixed,
            hidden=tuple(fixed)[:1],
            predict_first=first,
            note=note,
        ),
        st.sets(st.sampled_from(list(PARTS))), texts, st.booleans(), line(MAX_NOTE),
    )  # fmt: skip
    minutes = st.integers(0, MAX_MINUTES)
    return st.builds(
        Step, page=st.just(page), settings=texts, lesson=lessons, answer=line(MAX_ANSWER), minutes=minutes
    )


COURSES = st.builds(
    Course, title=line(MAX_TITLE), steps=st.lists(st.sampled_from(list(TITLES)).flatmap(steps), max_size=4).map(tuple)
)


@given(COURSES)
@settings(max_examples=50)
def test_a_course_survives_its_link_and_its_file(course: Course) -> None:
    assert decode(course.encode()) == (course, [])
    assert from_json(course.to_json()) == (course, [])
    assert from_json(course.to_json().encode()) == (course, [])


@given(st.text(max_size=200).filter(lambda text: text not in OURS))  # Hypothesis also tries words of the code
def test_what_is_no_course_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="course"):
        opened(text)


def with_step(**raw: object) -> dict[str, Any]:
    good = {"page": "permutation", "note": "First", "minutes": 1}
    return {"version": FORMAT, "steps": [good, {"page": "scaling"} | raw, {"page": "biases", "note": "Last"}]}


NO_STEP = {"version": FORMAT, "steps": [{"page": "permutation"}, 7, {"page": "biases"}]}
HOSTILE: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "unknown page": (with_step(page="evil<b>"), "Step 2 asks for the page “evil", []),
    "no text as page": (with_step(page=["scaling"]), "Step 2 asks for the page “", []),
    "unknown control": (with_step(settings={"evil": "1"}), "Step 2 sets “evil”, which Scaling does", ["scaling"]),
    "a setting of another page": (with_step(settings={"biases_size": "1"}), "Step 2 sets “biases", ["scaling"]),
    "no text as setting": (with_step(settings={"scaling_alpha": [1]}), "to what no setting can be", ["scaling"]),
    "no settings": (with_step(settings=3), "Step 2 has settings that are none", ["scaling"]),
    "many settings": (
        with_step(settings={f"scaling_x{i}": "1" for i in range(10_000)}), "sets more than 64 controls", ["scaling"],
    ),
    "long note": (with_step(note="x" * 1_000_000), "Step 2 has more than 280 characters as its task", ["scaling"]),
    "note that is none": (with_step(note={"a": 1}), "something else than text as its task", ["scaling"]),
    "minutes below 0": (with_step(minutes=-1), "Step 2 has minutes that are not possible", ["scaling"]),
    "endless minutes": (with_step(minutes=10**30), "Step 2 has minutes that are not possible", ["scaling"]),
    "unknown part": (with_step(parts=["why", "evil"]), "has “evil” among its parts", ["scaling"]),
    "from a newer version": (with_step(quiz=["a", "b"]), "The course holds “quiz”, which this version", ["scaling"]),
    "no step": (NO_STEP, "Step 2 is no step", []),
}  # fmt: skip


def asking(questions: object, page: str = "scaling") -> dict[str, Any]:
    return {"version": FORMAT, "steps": [{"page": "masks"}, {"page": page, "questions": questions}]}


QUESTIONS: dict[str, tuple[dict[str, Any], str, int]] = {
    "no text": (asking([7]), "Step 2 has something else than text as its questions; it is left out.", 0),
    "one that cannot be asked": (
        asking(f"Lonely\n\n{MINE_TEXT}"), "Step 2: “Lonely” has no answers; 2 to 6 are needed.", 1,
    ),
    "signs": (asking("# <b>\na"), "Step 2: “# <b>” has 1 answer; 2 to 6 are needed.", 0),
    "too many": (
        asking("\n\n".join([MINE_TEXT] * (MOST + 1))), "Step 2: There are 13 questions, of which the first 12", MOST,
    ),
    "endless": (asking("x" * 1_000_000), "Step 2 has more than 18000 characters as its questions", 0),
    "of a page without one": (asking(OWN, "home"), "Step 2: “This page's question” is not there", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_step_with_questions_that_are_none_says_so_and_keeps_the_rest(name: str) -> None:
    content, sentence, kept = QUESTIONS[name]
    course, remarks = from_json(json.dumps(content))
    assert remarks[0].replace("\\", "").startswith(sentence)
    assert len(remarks) == 1 + (name == "endless"), "a text that is cut is read, too"
    assert course.steps[1].questions == [MINE] * kept


def test_what_this_version_does_not_know_is_said_once_for_the_whole_file() -> None:
    steps = [{"page": "scaling", "quiz": 1, "<b>": 2}] * 3
    course, remarks = from_json(json.dumps({"version": FORMAT, "author": "A", "steps": steps}))
    names = "“author”, “quiz”, “\\<b\\>”"
    assert remarks == [f"The course holds {names}, which this version does not know; it is left out."]
    assert len(course.steps) == 3
    many = {str(at): 1 for at in range(9)}
    (remark,) = from_json(json.dumps({"version": FORMAT, "steps": [{"page": "scaling"} | many]}))[1]
    assert "“0”, “1”, “2”, “3”, “4”, …, which" in remark
    (remark,) = from_json(json.dumps({"version": FORMAT + 1, "steps": steps}))[1]
    assert "newer version" in remark


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_with_a_step_is_said_and_the_rest_of_the_course_works(name: str) -> None:
    content, sentence, kept = HOSTILE[name]
    for course, remarks in (decode(packed(content)), from_json(json.dumps(content))):
        assert [step.page for step in course.steps] == ["permutation", *kept, "biases"]
        assert len(remarks) == 1
        assert sentence in remarks[0]
        assert all(len(step.lesson.note) <= MAX_NOTE for step in course.steps)


def test_10_000_steps_are_cut_and_said() -> None:
    course, remarks = decode(packed({"version": FORMAT, "steps": [{"page": "scaling"}] * 10_000}))
    assert len(course.steps) == MAX_STEPS
    cut = f"the first {MAX_STEPS} are used: step {MAX_STEPS + 1} and all that follow are left out."
    assert remarks == [f"The course has 10,000 steps, of which {cut}"]


def test_each_text_and_each_list_of_a_step_is_cut_where_it_may_be_no_longer() -> None:
    long = "x" * 1000
    fits = {f"scaling_{at}": "1" for at in range(64)}
    step = {
        "page": "scaling", "note": long, "answer": long, "minutes": 240, "claims": [long] * 30,
        "settings": {"scaling_long": "x" * 600, "scaling_longer": "x" * 601}, "fixed": fits | {"scaling_more": "1"},
    }  # fmt: skip
    course, remarks = from_json(
        json.dumps({"version": 2, "title": long, "steps": [step, {"page": "home", "minutes": 241}]})
    )
    (first, second) = course.steps
    assert (len(course.title), len(first.lesson.note), len(first.answer)) == (80, 280, 600)
    assert (first.minutes, second.minutes) == (240, 3)
    assert [*map(len, first.claims)] == [40] * 20
    assert ([*first.settings], first.lesson.fixed) == (["scaling_long"], fits)
    assert remarks == [
        "Step 1 sets more than 64 controls; the rest is left out.",
        "Step 1 has more than 280 characters as its task; the rest is cut.",
        "Step 1 sets “scaling\\_longer” to what no setting can be; it is left out.",
        "Step 1 has more than 600 characters as its answer; the rest is cut.",
        "Step 2 has minutes that are not possible; 3 are taken.",
    ]


def test_a_megabyte_is_read_and_more_than_a_course_may_be_is_refused_unread() -> None:
    step = {"page": "scaling", "note": "x" * 1_000_000}
    course, remarks = decode(packed({"version": FORMAT, "steps": [step]}))
    assert len(course.steps) == len(remarks) == 1
    for size in (MAX_BYTES, 10 * MAX_BYTES):
        bomb = packed({"version": FORMAT, "steps": [{"page": "scaling", "note": "x" * size}]})
        with pytest.raises(ValueError, match="larger than"):
            decode(bomb)
    with pytest.raises(ValueError, match="larger than"):
        from_json("[" * (MAX_BYTES + 1))


@pytest.mark.parametrize("text", ["", "[" * 100_000, "3", "[]", "{}", '{"steps": {}}', "\ud800", '{"steps": 1e999}'])
def test_a_file_that_is_no_course_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no course"):
        from_json(text)


def test_a_newer_version_is_read_as_far_as_it_is_known() -> None:
    course, remarks = from_json(json.dumps({"version": FORMAT + 1, "steps": [{"page": "scaling"}]}))
    assert course.steps[0].page == "scaling"
    assert "newer version" in remarks[0]


def test_text_that_cannot_be_sent_is_made_so_that_it_can() -> None:
    content = {"version": FORMAT, "title": "a\ud800\n\nb", "steps": [{"page": "scaling", "note": "x\ud800\n# y"}]}
    course, _ = from_json(json.dumps(content))
    assert (course.title, course.steps[0].lesson.note) == ("a? b", "x? # y")


def test_a_change_that_is_not_possible_leaves_the_step_as_it_may_be() -> None:
    step = Step(page="scaling", minutes=5)
    assert changed(step, note="Look", minutes=7) == Step(page="scaling", lesson=Lesson(note="Look"), minutes=7)
    assert changed(step, note=3, minutes="x", parts=["evil"]).lesson.note == ""
    assert changed(step, parts=[]).lesson.parts == ()


@pytest.mark.parametrize("language", set(LANGUAGES) - {ENGLISH})
@pytest.mark.parametrize("name", OURS)
def test_our_courses_are_the_same_in_every_language_but_for_their_words(name: str, language: str) -> None:
    english = ours(name)
    with using(language):
        other = ours(name)
    assert other.title != english.title
    for mine, theirs in zip(english.steps, other.steps, strict=True):
        note, answer = theirs.lesson.note, theirs.answer
        assert note != mine.lesson.note
        assert bool(answer) == bool(mine.answer)
        assert [(one.kind, one.right) for one in theirs.questions] == [
            (one.kind, one.right) for one in mine.questions
        ]
        lesson = replace(mine.lesson, note=note, questions=theirs.lesson.questions)
        assert replace(mine, lesson=lesson, answer=answer) == theirs
    assert text_of(other) == text_of(english) == name


@pytest.mark.parametrize("name", OURS)
def test_our_courses_are_as_long_as_they_say_of_our_claims_and_ask_what_is_predicted(name: str) -> None:
    course, remarks = from_json((LIBRARY / f"{name}.json").read_text("utf-8"))
    assert remarks == []
    assert course.minutes == MINUTES[name]
    assert sum(bool(step.questions) for step in course.steps) >= 2
    for step in course.steps:
        assert step.lesson.note
        asked_by_the_page = [one for one in step.questions if one == PreparedQuestion()]
        assert len(asked_by_the_page) == step.lesson.predict_first
        assert all(one.right is not None for one in step.questions if one not in asked_by_the_page)
        assert {PAGE_OF[claim] for claim in step.claims} == {step.page}
        assert step.answer or name != "interview"
