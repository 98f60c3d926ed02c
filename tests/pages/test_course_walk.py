"""A course is walked in order, each step with its settings; a lesson is a course of one step."""

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.text import escape_markdown, plain_markdown
from pages._shared.core.visitor_state import VISIT
from pages._shared.lessons.course import FORMAT, Course, Step
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.lessons.library import OURS, opened, ours
from pages._shared.session import course_position
from attention_core.claims import statement
from attention_core.language import using
from tests.pages.conftest import go_to, lesson_text, open_page, press
from tests.pages.courses import packed, small
from tests.pages.read import built, button, grade, notices, outcome, page_of, pictures, said, widget


def enter(course: Course | str, **more: str) -> AppTest:
    text = course if isinstance(course, str) else course.encode()
    first = opened(text)[0].steps[0].page
    return open_page(first, course=text, **more)


@pytest.mark.parametrize("name", OURS)
def test_each_step_of_our_courses_measures_what_it_claims(name: str) -> None:
    for step in ours(name).steps:
        found = page_of(step.page).results_of(*built(step.page, step.settings | step.lesson.fixed))
        assert set(step.claims) <= {verdict.claim for verdict in found.verdicts}


def test_a_course_of_ours_leads_through_its_pages_to_a_summary() -> None:
    course, at, asked = ours("order"), enter("order"), 0
    for number, step in enumerate(course.steps, 1):
        assert not at.exception
        assert at.query_params["step"] == str(number)
        assert f"**Step {number} of {len(course.steps)}**" in said(at)
        assert escape_markdown(step.lesson.note, MAX_NOTE) in said(at)
        if step.lesson.predict_first:
            assert not pictures(at)
            assert not any(plain_markdown(statement(claim), 200) in said(at) for claim in step.claims)
            question = at.pills(key=f"_{step.page}_option")
            at = question.set_value(question.options[0]).run()
            asked += 1
        assert all(plain_markdown(statement(claim), 200) in said(at) for claim in step.claims)
        following = course.steps[number].page if number < len(course.steps) else None
        at = press(at, "_course_PageDown", following)
    assert not at.exception
    assert f"of {asked}** predictions" in said(at)
    assert said(at).count("You said **") == asked
    assert at.query_params["step"] == str(len(course.steps) + 1)


def test_in_a_class_its_votes_stand_at_the_end_for_who_came_by_the_course_or_by_the_class() -> None:
    """Who came by the class has its course as the room gives it."""
    count = len(ours("order").steps)
    by_course, alone = (enter("order", step=str(count + 1), **more) for more in ({"class": "BCDFG"}, {}))
    by_class = open_page("masks", **{"class": "BCDFG"})
    by_class.session_state[VISIT].course = course_position.CoursePosition(ours("order").for_students(), "", count)
    votes = [
        [one.proto.component_name for one in at.get("bidi_component") if "votes" in one.proto.component_name]
        for at in (by_course, by_class.run(), alone)
    ]
    assert votes == [["live_class/votes"], ["live_class/votes"], []]
    none = "No prediction was made on this walk."
    assert [none in said(at) for at in (by_course, by_class, alone)] == [False, False, True]


def test_a_course_of_ours_goes_on_in_the_language_that_is_chosen_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages._shared.core.visitor_state.st.session_state", {})
    course_position.enter(ours("order"))
    course_position.move_to(2)
    for language in ("zh", "en"):
        with using(language):
            here = course_position.current()
            assert here is not None
            assert (here.text, here.index) == ("order", 2)
            assert course_position.current_step() == ours("order").steps[2]


SIZED = Course(
    steps=(
        Step(page="scaling", settings={"scaling_d_head": "1024"}, lesson=Lesson(note="Look **here** <b>now</b>")),
        Step(page="scaling", settings={"scaling_scale": "root"}),
    )
)


def test_a_step_sets_its_page_play_is_free_and_the_step_can_be_returned_to() -> None:
    at = enter(SIZED)
    assert at.query_params["scaling_d_head"] == "1024"
    at.selectbox(key="scaling_scale").set_value("head").run()
    assert at.query_params["scaling_scale"] == "head"
    at = press(at.run(), "_course_again")
    assert "scaling_scale" not in at.query_params
    at = press(at, "_course_PageDown")
    assert (at.query_params["scaling_scale"], at.query_params["step"]) == ("root", "2")
    assert "scaling_d_head" not in at.query_params
    at = press(at, "_course_PageUp")
    assert (at.query_params["scaling_d_head"], at.query_params["step"]) == ("1024", "1")


def test_another_page_stays_in_the_course_without_its_task() -> None:
    at = enter(SIZED)
    go_to(at, "masks").run()
    assert "**Step 1 of 2**" in said(at)
    assert "Look" not in said(at)
    at = press(at, "_course_return", "scaling")
    assert at.title[0].value == "Scaling"
    assert "Look \\*\\*here\\*\\* \\<b\\>now\\</b\\>" in said(at)


def test_a_reload_comes_back_to_the_step_with_the_settings_as_they_were() -> None:
    at = enter(SIZED)
    at.selectbox(key="scaling_scale").set_value("head").run()
    again = open_page("scaling", **{key: str(value) for key, value in at.query_params.items()})
    assert "**Step 1 of 2**" in said(again)
    assert again.query_params == at.query_params


def test_a_course_can_be_left() -> None:
    at = press(enter(SIZED), "_course_leave")
    assert "Step 1 of" not in said(at)
    assert "course" not in at.query_params


def test_a_step_fixes_what_it_says_and_shows_the_chosen_parts_on_its_page_only() -> None:
    fixed = Lesson(fixed={"scaling_scale": "root"}, parts=("controls", "break"))
    at = enter(Course(steps=(Step(page="scaling", lesson=fixed), Step(page="masks"))))
    assert "scaling_scale" not in {box.key for box in at.selectbox}
    assert "Pin" not in {button.label for button in at.button}
    assert not at.pills
    assert [tab.label for tab in at.tabs] == ["Share"]
    at = press(at, "_course_PageDown", "masks")
    go_to(at, "scaling").run()
    assert "scaling_scale" in {box.key for box in at.selectbox}


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (Step(page="scaling", settings={"scaling_alpha": "bogus"}), "Step 1 of the course asks for"),
        (Step(page="scaling", settings={"scaling_nothing": "1"}), "Step 1 of the course holds"),
        (Step(page="scaling", lesson=Lesson(fixed={"scaling_scale": "x"})), "Step 1 of the course fixes"),
    ],
)
def test_a_step_whose_settings_are_not_possible_is_named_and_the_course_goes_on(step: Step, sentence: str) -> None:
    at = enter(Course(steps=(step, Step(page="scaling", lesson=Lesson(note="Next")))))
    assert not at.exception
    assert [sentence in one for one in notices(at)] == [True]
    at = press(at, "_course_PageDown")
    assert "Next" in said(at)
    assert not notices(at)


def test_a_step_whose_settings_do_not_go_together_is_named() -> None:
    settings = {"scaling_through_module": "true", "scaling_mean": "1.0"}
    at = enter(Course(steps=(Step(page="scaling", settings=settings), Step(page="masks"))))
    assert not at.exception
    assert [error.value.startswith("Step 1 of the course: ") for error in at.error] == [True]
    at = press(at, "_course_PageDown", "masks")
    assert at.title[0].value == "Masks"
    assert not at.run().error


def test_a_link_that_cannot_be_read_opens_its_page_without_a_course() -> None:
    at = open_page("scaling", course="nonsense")
    assert not at.exception
    assert ["course cannot be read" in one for one in notices(at)] == [True]
    assert "course" not in at.query_params


def test_many_remarks_are_told_as_a_few() -> None:
    bad = {"page": "scaling", "settings": {f"evil{i}": "1" for i in range(50)}}
    at = open_page("scaling", course=packed({"version": FORMAT, "steps": [bad] * 20}))
    assert len(notices(at)) == 6
    assert "And 995 more" in notices(at)[-1]


def test_the_teachers_link_is_the_same_course_in_presenter_view() -> None:
    at = enter(small("scaling", "masks"), present="true")
    assert "3 min" in said(at)
    assert at.query_params["present"] == "true"
    at = press(at, "_course_PageDown", "masks")
    assert at.run().query_params["present"] == "true"
    assert "min]" not in said(enter(small("scaling")))


def test_a_prediction_is_remembered_where_one_comes_back_to_its_step() -> None:
    steps = (Step(page="masks", lesson=Lesson(predict_first=True)), Step(page="scaling"))
    at = enter(Course(steps=steps))
    question = at.pills(key="_masks_option")
    question.set_value(question.options[0]).run()
    assert grade(at)[0] == question.options[0]
    held_then = dict(at.query_params)
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageUp", "masks")
    assert grade(at)[0] == question.options[0]
    assert dict(at.query_params) == held_then
    at = press(at, "_course_again")
    assert grade(at) is None


def test_the_first_answer_that_was_measured_is_kept_and_one_that_was_refused_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages._shared.core.visitor_state.st.session_state", {})
    course_position.enter(SIZED)
    refused, first, second = (
        course_position.Prediction("Which?", answer, truth, {}, why)
        for answer, truth, why in (("a", None, "Not so."), ("a", "b", ""), ("b", "b", ""))
    )
    for page, one, kept in (
        ("masks", first, None), ("scaling", refused, refused), ("scaling", first, first), ("scaling", second, first),
    ):  # fmt: skip
        course_position.keep_prediction(page, one)
        here = course_position.current()
        assert here is not None
        assert here.predictions.get(0) is kept


def test_the_end_of_a_course_leaves_each_page_its_settings() -> None:
    at = enter(Course(steps=(Step(page="masks", settings={"seed": "7"}), Step(page="scaling"))))
    at.number_input(key="seed").set_value(9).run()
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageDown")
    assert "What you predicted" in at.title[0].value
    at = press(at, "_course_leave")
    at.selectbox(key="scaling_scale").set_value("head").run()
    assert at.session_state[VISIT].queries["scaling"]["scaling_scale"] == "head"


def test_the_note_of_a_lesson_stays_on_the_page_it_speaks_of() -> None:
    at = open_page("scaling", course=lesson_text("scaling", Lesson(note="Look here")))
    assert "Look here" in said(at)
    go_to(at, "masks").run()
    assert "Lesson." in said(at)
    assert "Look here" not in said(at)
    again = open_page("masks", **{key: str(value) for key, value in at.query_params.items()})
    assert "Look here" not in said(again)
    go_to(again, "scaling").run()
    assert "Look here" in said(again)


# ---- lessons ----


def lesson_of(**more: object) -> str:
    lesson = Lesson(fixed={"permutation_positions": "sinusoidal"}, note="Look **here**", **more)  # type: ignore[arg-type]
    return lesson_text("permutation", lesson)


@pytest.mark.parametrize(
    ("part", "left_out", "stays"),
    [
        ("controls", "permutation_shuffle", "permutation_positions"),
        ("break", "permutation_positions", "permutation_show"),
    ],
)
def test_a_part_that_is_left_out_takes_its_controls_along(part: str, left_out: str, stays: str) -> None:
    parts = tuple(one for one in PARTS if one != part)
    at = open_page("permutation", course=lesson_text("permutation", Lesson(parts=parts)))
    keys = {one.key for one in (*at.selectbox, *at.button_group)}
    assert left_out not in keys
    assert stays in keys
    assert ("Reset" in {button.label for button in at.button}) == (part != "controls")


@pytest.mark.parametrize(
    "fixed",
    [
        {"permutation_positions": "bogus"},
        {"permutation_carried": "yes"},
        {"permutation_order": "0-0"},
        {"permutation_order": "evil"},
        {"seed": "-1"},
    ],
)
def test_a_lesson_with_a_value_that_is_not_possible_frees_the_control_and_says_so(fixed: dict[str, str]) -> None:
    at = open_page("permutation", course=lesson_text("permutation", Lesson(fixed=fixed, hidden=tuple(fixed))))
    assert not at.exception
    assert not at.error
    assert len(notices(at)) == 1
    assert not notices(at.run())
    assert "Lesson." in said(at)


def test_a_fixed_control_is_drawn_as_its_value_and_presets_and_reset_cannot_move_it() -> None:
    at = open_page("permutation", course=lesson_of(), permutation_answer="skipped")
    assert "permutation_positions" not in {box.key for box in at.selectbox}
    assert "Look \\*\\*here\\*\\*" in said(at)
    for name, label in enumerate(widget(at, "_permutation_preset").options):
        widget(at, "_permutation_preset").set_value(name).run()
        assert not at.exception
        assert outcome(at, "perm-self") == ("holds" if label == "Travelling positions" else "fails"), label
        at.run()  # groups of controls that a preset leaves as they are are not drawn anew
        assert "Positions: **sinusoidal**" in said(at)
    button(at, "Reset").click().run()
    assert outcome(at, "perm-self") == "fails"
    at = open_page("permutation", course=lesson_of(hidden=("permutation_positions",)))
    assert "Positions: **" not in said(at)
    assert outcome(at, "perm-self") == "fails"


def test_a_lesson_survives_a_page_switch_and_can_be_left() -> None:
    at = open_page("permutation", course=lesson_of())
    go_to(at, "home").run()
    assert "Lesson." in said(at)
    assert at.query_params["course"] == lesson_of()
    go_to(at, "permutation").run()
    assert "permutation_positions" not in {box.key for box in at.selectbox}
    at.button(key="_course_leave").click().run()
    assert "permutation_positions" in {box.key for box in at.selectbox}
    assert "course" not in at.query_params
