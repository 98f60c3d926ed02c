"""Settings that are not possible: no answer is graded, told or printed of another picture, and it is said why."""

from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import PAGES
from pages._shared.core.visitor_state import CLASS
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.page import Page
from pages._shared.page.worksheet import sheet_of
from pages._shared.page.worksheet_html import handout
from attention_core.measuring.checks import ConfigError
from tests.pages.conftest import go_to, lesson_text, open_page, press
from tests.pages.read import grade, link_of, page_of, pictures, plain, said, sent, truth
from tests.sweeps import some_by_day

EXPERIMENTS = [page.name for page in PAGES]
KEY = "BCDFG"
HALF = {"dtype": "bfloat16"}
WHY = "Precision cannot be “bfloat16”: one of auto, float64, float32 is allowed."
WHY_ZH = "精度：不能是“bfloat16”，只能取其中之一：auto、float64、float32。"
FIRST = Lesson(predict_first=True)
# Sentences of several lengths, one of them a single word: BatchNorm has nothing to take statistics of.
UNEVEN = {"masks_batch_norm": "true", "masks_sentences": "birds | a cat sat down"}


@pytest.fixture
def no_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device without half precision, as there are some: any page can be asked for what it cannot do."""
    monkeypatch.setattr("attention_core.measuring.config.supported_dtypes", lambda _: ("float64", "float32"))


def moved(name: str, **more: str) -> dict[str, str]:
    return link_of(name, page_of(name).predict.move) | more


def answer(at: AppTest, name: str, option: str) -> AppTest:
    return at.pills(key=f"_{name}_option").set_value(option).run()


def set_precision(at: AppTest, dtype: str) -> AppTest:
    return at.selectbox(key="dtype").set_value(dtype).run()


def errors(at: AppTest) -> str:
    return "\n".join(error.value for error in at.error).replace("\\", "").replace("**", "")


# ---- the page ----


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 1))
def test_an_answer_is_graded_under_the_settings_asked_for_or_not_at_all(name: str, no_halves: None) -> None:
    option = page_of(name).predict.options[0]
    at = set_precision(open_page(name), "bfloat16")
    assert pictures(at), "the last good picture is kept"
    answer(at, name, option)
    assert not at.exception
    assert grade(at) == (option, None)
    assert WHY in plain(at).replace("**", "")
    assert WHY in errors(at)
    assert pictures(at)
    set_precision(at, "float32")
    assert not at.error
    assert grade(at) == (option, truth(name, moved(name, dtype="float32")))


def test_what_training_cannot_be_done_in_is_not_graded_on_any_machine() -> None:
    at = answer(open_page("learning", **HALF), "learning", "Yes")
    assert grade(at) == ("Yes", None)
    assert "Precision cannot be “bfloat16”: one of float32, float64 is allowed." in plain(at).replace("**", "")


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 3))
def test_a_question_that_comes_first_is_asked_where_the_settings_are_not_possible(name: str, no_halves: None) -> None:
    option = page_of(name).predict.options[-1]
    for answered, graded in ((option, (option, None)), ("Skip", None)):
        at = open_page(name, course=lesson_text(name, FIRST, **HALF))
        assert not at.exception
        assert WHY in errors(at)
        assert "Answer the question above" in said(at)
        answer(at, name, answered)
        assert not at.exception
        assert grade(at) == graded
        assert WHY in errors(at)
        assert not pictures(at)


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("masks", UNEVEN, "each sentence needs two words"),
        ("scaling", {"scaling_through_module": "true", "scaling_mean": "1.0"}, "The lesson: "),
        (
            "receptive_field",
            {"receptive_field_mask": "window", "receptive_field_write_positions": "true"},
            "The lesson: ",
        ),
        ("complexity", {"complexity_d_model": "1"}, "The lesson: "),
        ("trained", {"trained_text": "zzz"}, "The lesson: "),
        ("learning", {"learning_text": "zzz"}, "The lesson: "),
    ],
)
def test_a_lesson_that_asks_first_survives_its_settings_and_the_answer_shows_the_picture(
    name: str, settings: dict[str, str], sentence: str
) -> None:
    option = page_of(name).predict.options[0]
    at = open_page(name, course=lesson_text(name, FIRST, **settings))
    assert not at.exception
    assert sentence in errors(at)
    answer(at, name, option)
    assert not [*at.exception, *at.error]
    assert grade(at) == (option, truth(name, moved(name)))
    assert pictures(at)


@pytest.mark.parametrize("parts", [("predict", "presets"), ("predict", "controls", "break")])
def test_words_that_are_not_possible_are_named_where_their_box_is_not_drawn_too(parts: tuple[str, ...]) -> None:
    at = open_page("trained", course=lesson_text("trained", Lesson(parts=parts), trained_text="zzz"))
    assert len(at.error) == 1
    assert "zzz" in errors(at)
    at = open_page("trained", trained_text="zzz", present="true")
    assert "zzz" in errors(at), "on a slide the controls are folded away"


def test_the_grade_comes_back_with_the_move_where_the_page_was_opened_elsewhere() -> None:
    move = moved("masks")
    at = open_page("masks", masks_answer="1", **{key: move[key] for key in move if key != "masks_unmasked"})
    assert grade(at) is None
    at.toggle(key="masks_unmasked").set_value(True).run()
    assert not at.exception
    assert grade(at) == ("Stay exactly", "Stay exactly")


# ---- a course ----


def asked_first(**settings: str) -> AppTest:
    steps = (Step(page="masks", lesson=FIRST, settings=settings), Step(page="scaling"))
    return answer(open_page("masks", course=Course(steps=steps).encode()), "masks", "Move")


def summary(at: AppTest) -> str:
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageDown")
    return plain(at).replace("**", "")


def test_a_course_s_summary_says_why_an_answer_was_not_measured_and_counts_it_for_nothing(no_halves: None) -> None:
    told = summary(asked_first(**HALF))
    assert f"You said Move: :gray[:material/help: not measured.] {WHY}" in told
    assert "predictions agree" not in told


def test_a_course_keeps_the_first_measurement_of_an_answer(no_halves: None) -> None:
    at = asked_first(**HALF)
    told = summary(set_precision(at, "float32"))
    assert "0 of 1 predictions" in told
    assert "measured: Stay exactly" in told


def test_an_answer_is_measured_under_its_step_s_seed_where_one_comes_back_to_it() -> None:
    at = asked_first(seed="7", dtype="float32")
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageUp", "masks")
    assert (at.query_params["seed"], at.query_params["dtype"]) == ("7", "float32")
    assert grade(at) == ("Move", "Stay exactly")


# ---- a live class ----


def ask(at: AppTest, name: str) -> None:
    """What the panel does for the teacher who has the answer revealed."""
    at.session_state[CLASS].teaches, at.session_state[CLASS].to_measure = True, (name, "one")


def told(at: AppTest) -> Mapping[str, Any]:
    """What the class was told, and by its panel too."""
    assert not at.exception
    assert at.session_state[CLASS].to_measure is None
    assert [one["measured"] for one in sent(at, "live_class/panel")] == [at.session_state[CLASS].measured]
    return at.session_state[CLASS].measured


@pytest.mark.parametrize("earlier", [False, True], ids=["no picture", "a picture"])
@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 2))
def test_a_class_is_told_why_an_answer_cannot_be_measured(name: str, earlier: bool, no_halves: None) -> None:
    link = {"class": KEY} | ({} if earlier else HALF)
    at = open_page(name, **link)
    at = set_precision(at, "bfloat16") if earlier else at
    ask(at, name)
    at.run()
    why = f"Not measured: {WHY} Change that, and reveal the answer again."
    students = {"en": f"Not measured: {WHY}", "zh": f"没有实测：{WHY_ZH}"}
    assert told(at) == {"question": "one", "refused": why, "why": students}


@pytest.mark.parametrize(
    ("reason", "students"),
    [("x" * 300, "Not measured: " + "x" * 225 + "…"), ("a\u202eb", None), ("a\nb", "Not measured: a b")],
)
def test_students_are_told_why_as_far_as_a_class_is_sent_it(
    reason: str, students: str | None, no_halves: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages._shared.page.class_answer.error_message", lambda *_: reason)
    at = open_page("masks", **{"class": KEY}, **HALF)
    ask(at, "masks")
    assert told(at.run())["why"].get("en") == students
    assert reason in at.session_state[CLASS].measured["refused"]


def test_a_class_is_told_what_the_move_leads_to_whatever_was_moved_meanwhile() -> None:
    at = open_page("masks", **{"class": KEY}, masks_answer="skipped")
    ask(at, "masks")
    at.toggle(key="masks_unmasked").set_value(True).run()
    assert truth("masks", {"masks_unmasked": "true"}) == "Move"
    assert at.session_state[CLASS].measured == {"question": "one", "answer": 0}, "Stay exactly"


def test_a_class_is_told_the_answer_where_its_question_cannot_be_left_unanswered() -> None:
    lesson = lesson_text("masks", Lesson(predict_first=True, fixed={"masks_answer": ""}))
    at = open_page("masks", course=lesson, **{"class": KEY})
    ask(at, "masks")
    assert told(at.run()) == {"question": "one", "answer": 0}


def test_a_class_is_told_the_answer_at_the_end_of_a_course_too() -> None:
    at = open_page("masks", course=Course(steps=(Step(page="scaling"), Step(page="masks"))).encode(), step="3")
    at.query_params["class"] = KEY
    at = open_page("masks", **dict(at.query_params))
    assert "What you predicted" in at.title[0].value
    ask(at, "masks")
    assert told(at.run()) == {"question": "one", "answer": 0}
    assert "What you predicted" in at.title[0].value


def test_a_class_is_told_where_its_page_is_left_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_page("masks", **{"class": KEY})
    ask(at, "scaling")
    assert "its page was left too soon" in told(at.run())["refused"]
    assert told(at)["why"] == {}, "a class is told that nothing was measured"
    assert "left" in told(go_to(at, "home").run())["refused"]

    def fails(*_: object) -> None:
        raise ZeroDivisionError

    at = open_page("masks", **{"class": KEY})
    ask(at, "masks")
    monkeypatch.setattr("pages.masks.compute", fails)
    at.run()
    assert at.exception
    assert "something went wrong" in at.session_state[CLASS].measured["refused"]
    assert at.session_state[CLASS].to_measure is None


# ---- paper ----


def papers(step: Step) -> list[str]:
    return [handout(Course(steps=(step,)), [sheet_of(step)], solved=solved) for solved in (False, True)]


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS))
def test_paper_shows_the_picture_that_is_possible_where_the_question_s_move_is_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = Step(page=name, settings={"seed": "5"})
    build = Page.build

    def refusing(page: Page, values: Mapping[str, Any], run: dict[str, Any]) -> tuple[Any, Any]:
        if all(values[setting] == value for setting, value in page.predict.move.items()):
            raise ConfigError("seed", 5, "another number is needed")
        return build(page, values, run)

    monkeypatch.setattr(Page, "build", refusing)
    sheet = sheet_of(step)
    assert not sheet.problem
    assert sheet.picture
    assert sheet.findings or name in ("anatomy", "trained"), "there a step may have no claim of its own"
    assert (sheet.solved, sheet.truth) == ("", None)
    assert sheet.unsolved == (
        "These settings are not possible together: Seed cannot be “5”: another number is needed."
    )
    for paper in papers(step):
        assert sheet.picture in paper
    assert "Seed cannot be" in papers(step)[1]
    assert "<p>Measured: " not in papers(step)[1]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_paper_says_in_the_page_s_words_what_is_not_possible(name: str, no_halves: None) -> None:
    step = Step(page=name, settings=HALF)
    sheet = sheet_of(step)
    assert sheet.problem == sheet.unsolved == f"These settings are not possible together: {WHY}"
    assert (sheet.picture, sheet.solved, sheet.findings, sheet.truth) == ("", "", (), None)
    assert all(WHY in paper for paper in papers(step))


def test_paper_shows_what_the_move_leads_to_where_the_step_begins_with_what_is_not_possible() -> None:
    sheet = sheet_of(Step(page="masks", settings=UNEVEN))
    assert "each sentence needs two words" in sheet.problem
    assert not sheet.picture
    assert sheet.solved
    assert (sheet.truth, sheet.unsolved) == ("Stay exactly", "")


def test_paper_measures_the_move_with_what_the_lesson_fixes() -> None:
    step = Step(page="permutation", lesson=Lesson(fixed={"permutation_positions": "rotary"}, predict_first=True))
    assert sheet_of(step).truth == truth("permutation", moved("permutation", permutation_positions="rotary"))
    assert sheet_of(step).truth == "Different"
    step = Step(page="permutation", lesson=Lesson(fixed={"permutation_model": "pre"}, predict_first=True))
    assert (bool(sheet_of(step).picture), sheet_of(step).solved, sheet_of(step).truth) == (False, "", None)
