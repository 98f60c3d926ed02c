"""A course on paper: each task, and on the sheet of solutions what was measured of it."""

import logging
import random
import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.pages import PAGES, module_of
from pages._shared.core.visitor_state import DRAFT, DraftState
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.questions import PreparedQuestion
from pages._shared.page.prediction import gives_away
from pages._shared.page.way_back import Code
from pages._shared.page.worksheet import file_name, sheet_of
from pages._shared.page.worksheet_html import Sheet, handout
from attention_core.claims import statement
from attention_core.figures.text import fit_for_xml
from attention_core.language import ENGLISH, using
from tests.approved import lines
from tests.pages.conftest import open_page


def test_the_worksheet_holds_each_task_and_what_was_measured_of_it() -> None:
    first = Lesson(note="<b>Predict</b> & see", predict_first=True)
    course = Course(
        title="A <i>title</i>",
        steps=(Step(page="permutation", lesson=first, claims=("perm-kv",)), Step(page="masks", answer="Because.")),
    )
    at = open_page("course")
    at.session_state[DRAFT] = DraftState(course)
    at.run()
    at.button(key="_course_make").click().run()
    assert not at.exception
    made, language, sheets = at.session_state[DRAFT].worksheet
    assert (made, language) == (course, ENGLISH)
    assert [bool(sheet.picture) for sheet in sheets] == [False, True], "it waits for the prediction on paper, too"
    assert all(sheet.solved for sheet in sheets)
    assert sheets[1].picture != sheets[1].solved
    assert [sheet.truth for sheet in sheets] == ["The same", "Stay exactly"], (
        "who has no task has the page's question"
    )
    assert at.title[0].value == "Course"
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    for page in (tasks, solutions):
        assert "&lt;b&gt;Predict&lt;/b&gt; &amp; see" in page
        assert "<b>Predict</b> &" not in page
        assert "<i>" not in page
        assert not re.search(r"src=.(?!data:)|url\(", page), "it needs nothing from elsewhere"
        assert page.count("<section") == 2
        assert re.findall(r"<h2>(\d+)\.", page) == ["1", "2"]
    assert sheets[1].picture in tasks
    assert all(sheet.solved in solutions and sheet.solved not in tasks for sheet in sheets)
    assert "Measured: <b>The same</b>" in solutions
    assert "Measured: <b>" not in tasks
    assert "Because." in solutions
    assert "Because." not in tasks
    assert statement("perm-kv") in solutions
    assert statement("perm-kv") not in tasks
    assert tasks.count('class="lines"') == 2


def test_paper_says_what_was_approved(approved: SnapshotAssertion) -> None:
    """A question with its answer; one without; a move that is not possible; settings that are not."""
    asks = {"question": "Which?", "options": ("<this>", "that")}
    own = PreparedQuestion("Is it <so>?", ("Yes", "No & never"), 1)
    code = Code("http://192.168.1.5:8501/masks?a=1&b=2", "<svg/>")
    sheets = [
        Sheet(
            picture="<svg>1</svg>", solved="<svg>2</svg>", truth="that", findings=("It holds.",), asked=(own,),
            code=code, **asks,
        ),
        Sheet(solved="<svg>5</svg>", **asks),
        Sheet(picture="<svg>6</svg>", unsolved="The move is <odd>.", **asks),
        Sheet(problem="They are <odd>.", unsolved="They are <odd>."),
    ]  # fmt: skip
    notes = ("Look *here*", "", "Look", "")
    steps = tuple(
        Step(page=page, lesson=Lesson(note=note), answer="Because." * (not at), minutes=at + 1)
        for at, (page, note) in enumerate(zip(("masks", "scaling", "biases", "home"), notes, strict=True))
    )
    for solved in (False, True):
        page = handout(Course(title="A & B", steps=steps), sheets, solved=solved)
        written = re.sub(r"<style>.*</style>", "", page, flags=re.DOTALL)
        assert lines(re.sub("(?=<section|<h1>|<p class)", "\n", written)) == approved(
            name="solutions" if solved else "worksheet"
        )
    assert "A4" in page
    assert file_name(Course(title="A & B: Ünï")) == "course-a-b-n"
    assert file_name(Course()) == "course-without-title"
    assert len(file_name(Course(title="ab " * 40))) == 67


@pytest.mark.parametrize("name", ["biases", "exactness", "scaling"])
def test_what_is_to_be_guessed_is_drawn_on_the_solutions_alone(name: str) -> None:
    page = module_of(name).page
    step = Step(page=name, settings=page.settings.spelled(page.settings.defaults | page.predict.move))
    asked, told = sheet_of(step), sheet_of(replace(step, lesson=Lesson(note="Look.")))
    assert "your guess?" not in asked.solved
    assert asked.solved == told.picture, "who has a task alone is not asked"
    assert "your guess?" not in told.picture


def test_the_class_is_asked_on_paper_too_and_the_key_is_in_the_solutions() -> None:
    asked = Lesson(note="Look.", questions="Is it so?\nYes\n* No\n\nThis page's question")
    course = Course(steps=(Step(page="masks", lesson=asked),))
    sheets = [sheet_of(course.steps[0])]
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    for page in (tasks, solutions):
        assert "Is it so?" in page
        assert "A decoder, padded right" in page, "its own question, though there is a task"
    assert "No ✓" in solutions
    assert "✓" not in tasks
    assert "Measured: <b>Stay exactly</b>" in solutions


@pytest.mark.parametrize(("asked", "key"), [
    ("* A\n* B\nC", ["A ✓", "B ✓"]), ("= 66 ± 4", ["<b>66 ± 4</b>"]), ("=", []), ("...", []),
])  # fmt: skip
def test_the_key_knows_each_kind_of_question(asked: str, key: list[str]) -> None:
    course = Course(steps=(Step(page="masks", lesson=Lesson(questions=f"What is it?\n{asked}")),))
    sheets = [Sheet(asked=tuple(course.steps[0].questions))]
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    assert re.findall(r"\w ✓|<b>[^<]*</b>", solutions) == key
    assert not re.search("✓|±", tasks)
    assert ("_" * 30 in tasks.partition("<section")[2]) is (not asked.startswith("*"))


PERMUTATION = module_of("permutation").page
MOVED = PERMUTATION.settings.spelled(PERMUTATION.predict.move)


@pytest.mark.parametrize(("settings", "lesson", "given"), [
    ({}, Lesson(), False), (MOVED, Lesson(), True), ({}, Lesson(fixed=MOVED), True),
    (MOVED, Lesson(predict_first=True), False), (MOVED, Lesson(parts=("controls",)), False),
    ({"permutation_order": "no order"}, Lesson(), False),
])  # fmt: skip
def test_a_picture_that_gives_the_answer_away_is_not_beside_its_question(
    settings: dict[str, str], lesson: Lesson, given: bool
) -> None:
    step = Step(page="permutation", settings=settings, lesson=lesson)
    assert gives_away(step) is given
    if given:
        sheet = sheet_of(step)
        assert (bool(sheet.question), sheet.picture) == (True, "")
        assert sheet.solved


def test_no_page_gives_its_answer_away_as_it_begins_and_each_does_after_its_move() -> None:
    for page in (module_of(spec.name).page for spec in PAGES):
        begins = page.settings.defaults
        assert not page.gives_away(begins), page.spec.name
        assert page.gives_away(begins | page.predict.move), page.spec.name
        assert all(page.gives_away(begins | preset.wanted) for preset in page.presets if preset.spoils)


@pytest.mark.parametrize(("step", "told"), [
    (Step(page="permutation", lesson=Lesson(note="Look."), claims=("perm-self",)), ["perm-self"]),
    (Step(page="permutation", lesson=Lesson(predict_first=True)), ["perm-kv"]),
])  # fmt: skip
def test_solutions_tell_the_claims_that_belong_to_the_task(step: Step, told: list[str]) -> None:
    found = sheet_of(step).findings
    assert len(found) == len(told)
    assert all(str(statement(claim)).rstrip(".") in sentence for claim, sentence in zip(told, found, strict=True))


def codes(course: Course, *, why: str = "") -> list[Code | None]:
    """The codes of a course's sheets; ``why`` there are none stands beside the files."""
    at = open_page("course")
    at.session_state[DRAFT] = DraftState(course)
    at.run()
    at.button(key="_course_make").click().run()
    told = [one.value for one in at.markdown if "No code leads back" in one.value]
    assert told == ([f":small[:gray[No code leads back from this paper. {why}]]"] if why else [])
    return [sheet.code for sheet in at.session_state[DRAFT].worksheet[2]]


def test_each_step_has_a_code_that_leads_back_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._shared.page.way_back.for_students", lambda url: (url, ""))
    task = Step(page="masks", settings={"masks_unmasked": "true"}, lesson=Lesson(note="Look."))
    for course, held in (
        (Course(steps=(task, Step(page="scaling"))), ["2", "course", "step"]),
        (Course(steps=(replace(task, answer=pseudo_random(600)), Step(page="scaling"))), []),
    ):
        first, second = codes(course)
        assert first
        assert second
        parts = [urlsplit(code.address) for code in (first, second)]
        assert [part.path for part in parts] == ["/masks", "/scaling"]
        assert parse_qs(parts[0].query)["masks_unmasked"] == ["true"]
        query = parse_qs(parts[1].query)
        assert sorted({*query, *query.get("step", ())}) == held
        assert first.picture.startswith("<svg")


def test_paper_has_no_code_where_it_would_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._shared.page.way_back.for_students", lambda url: (url, "Nobody can open it."))
    assert codes(Course(steps=(Step(page="masks"),)), why="Nobody can open it.") == [None]


def pseudo_random(count: int) -> str:
    """Words that no link holds in few characters."""
    draw = random.Random(1)
    return "".join(draw.choice("abcdefghijklmnopqrstuvwxyz ") for _ in range(count)).strip()


def test_the_worksheet_says_which_language_it_is_in() -> None:
    course, sheets = Course(steps=(Step(page="masks"),)), [Sheet()]
    assert '<html lang="en">' in handout(course, sheets, solved=True)
    with using("zh"):
        assert '<html lang="zh">' in handout(course, sheets, solved=True)


def test_the_worksheet_holds_only_characters_that_a_page_can_hold() -> None:
    step = Step(page="masks", lesson=Lesson(note="a\x00b"), answer="a\uffffb")
    sheets = [Sheet(findings=("a\x08b",), question="a\x7fb", options=("a\ufffeb",))]
    course = Course(title="a\x01b", steps=(step,))
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    assert (tasks.count("a\ufffdb"), solutions.count("a\ufffdb")) == (4, 5)
    assert all(page == fit_for_xml(page) for page in (tasks, solutions))


def test_a_step_that_cannot_be_measured_says_so_on_paper_and_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    typed = "what somebody " + "wrote"

    def fails(*_: object) -> None:
        raise ZeroDivisionError(typed)

    log = logging.getLogger("attention")
    monkeypatch.setattr(log, "handlers", [*log.handlers, caplog.handler])
    settings = {"scaling_through_module": "true", "scaling_mean": "1.0"}
    apart = sheet_of(Step(page="scaling", settings=settings))
    assert apart.problem.startswith("These settings are not possible together: ")
    assert not sheet_of(Step(page="home")).picture
    monkeypatch.setattr("pages.masks.compute", fails)
    assert "the server has noted where" in sheet_of(Step(page="masks")).problem
    assert "ZeroDivisionError on masks" in caplog.text
    assert typed not in caplog.text
