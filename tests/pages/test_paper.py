"""A course on paper: each task, and on the sheet of solutions what was measured of it."""

import logging
import re

import pytest
from syrupy.assertion import SnapshotAssertion

from pages._shared.core.session_keys import WORKSHEET
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
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
    at.session_state["_draft"] = course
    at.run()
    at.button(key="_course_make").click().run()
    assert not at.exception
    made, language, sheets = at.session_state[WORKSHEET]
    assert (made, language) == (course, ENGLISH)
    assert all(sheet.pictures and sheet.solved for sheet in sheets)
    assert sheets[0].pictures != sheets[0].solved
    assert all(len(sheet.pictures) <= 3 for sheet in sheets)
    assert [sheet.truth for sheet in sheets] == ["The same", "Stay exactly"], (
        "who has no task has the page's question"
    )
    assert at.title[0].value == "Course"
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    for page in (tasks, solutions):
        assert "&lt;b&gt;Predict&lt;/b&gt; &amp; see" in page
        assert "<b>Predict</b> &" not in page
        assert "<i>" not in page
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
        assert page.count("<section>") == 2
        assert re.findall(r"<h2>(\d+)\.", page) == ["1", "2"]
    for number in (0, 1):
        assert "".join(sheets[number].pictures) in tasks
        assert "".join(sheets[number].solved) in solutions
    assert sheets[0].pictures[0] not in solutions
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
    sheets = [
        Sheet(
            pictures=("<svg>1</svg>",),
            solved=("<svg>2</svg>", "<svg>3</svg>"),
            truth="that",
            found=("It holds.",),
            **asks,
        ),
        Sheet(pictures=("<svg>4</svg>",) * 3, solved=("<svg>5</svg>",) * 3, **asks),
        Sheet(pictures=("<svg>6</svg>",), unsolved="The move is <odd>.", **asks),
        Sheet(problem="They are <odd>.", unsolved="They are <odd>."),
    ]
    notes = ("Look *here*", "", "Look", "")
    steps = tuple(
        Step(page=page, lesson=Lesson(note=note), answer="Because." * (not at), minutes=at + 1)
        for at, (page, note) in enumerate(zip(("masks", "scaling", "biases", "home"), notes, strict=True))
    )
    for solved in (False, True):
        page = handout(Course(title="A & B", steps=steps), sheets, solved=solved)
        written = re.sub(r"<style>.*</style>", "", page, flags=re.DOTALL)
        assert lines(re.sub("(?=<section>|<h1>|<p class)", "\n", written)) == approved(
            name="solutions" if solved else "worksheet"
        )
    assert "A4" in page
    assert file_name(Course(title="A & B: Ünï")) == "course-a-b-n"
    assert file_name(Course()) == "course-without-title"
    assert len(file_name(Course(title="ab " * 40))) == 67


def test_the_worksheet_says_which_language_it_is_in() -> None:
    course, sheets = Course(steps=(Step(page="masks"),)), [Sheet()]
    assert '<html lang="en">' in handout(course, sheets, solved=True)
    with using("zh"):
        assert '<html lang="zh">' in handout(course, sheets, solved=True)


def test_the_worksheet_holds_only_characters_that_a_page_can_hold() -> None:
    step = Step(page="masks", lesson=Lesson(note="a\x00b"), answer="a\uffffb")
    sheets = [Sheet(found=("a\x08b",), question="a\x7fb", options=("a\ufffeb",))]
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
    assert not sheet_of(Step(page="home")).pictures
    monkeypatch.setattr("pages.masks.compute", fails)
    assert "the server has noted where" in sheet_of(Step(page="masks")).problem
    assert "ZeroDivisionError on masks" in caplog.text
    assert typed not in caplog.text
