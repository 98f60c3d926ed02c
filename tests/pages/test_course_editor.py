"""A course is made: steps are added, moved, edited and handed out as links, with questions for a class."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.components.link_card import LONG_LINK
from pages._shared.core.visitor_state import DRAFT, DRAFT_STORE, DraftState
from pages._shared.courses import editor as editor_module
from pages._shared.lessons.course import MAX_STEPS, Course, Step, decode
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.library import opened as opened_course
from pages._shared.lessons.library import ours
from pages._shared.lessons.questions import MOST, PreparedQuestion
from pages._shared.session.draft import draft
from tests.pages.conftest import open_page, press
from tests.pages.courses import MINE, MINE_TEXT, OWN, small, written
from tests.pages.read import page_of, said, widget


def links(at: AppTest) -> list[str]:
    return [code.value for code in at.get("code") if "course=" in code.value]


def opened(monkeypatch: pytest.MonkeyPatch, **parameters: str) -> AppTest:
    """A page with what *Add to the course* opens; AppTest cannot open a popover."""
    monkeypatch.setattr("pages._shared.courses.add_step._is_open", lambda _popover: True)
    return open_page("scaling", scaling_answer="skipped", **parameters)


def test_a_view_is_added_where_one_stands_with_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(monkeypatch, scaling_scale="root")
    at.text_area(key="_scaling_course_note").set_value(" What  grows? ")
    at.number_input(key="_scaling_course_minutes").set_value(7)
    at.toggle(key="_scaling_course_first").set_value(True)
    at.button(key="_scaling_course_add").click().run()
    (step,) = at.session_state[DRAFT].course.steps
    assert (step.page, step.settings, step.minutes) == ("scaling", {"scaling_scale": "root"}, 7)
    assert step.lesson == Lesson(note="What grows?", predict_first=True)
    assert at.text_area(key="_scaling_course_note~1").value == "", "the next step has another task"


def test_at_the_last_step_it_is_said_that_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(monkeypatch)
    for count in (MAX_STEPS - 1, MAX_STEPS):
        at.session_state[DRAFT] = DraftState(small(*["masks"] * count))
        is_full = count == MAX_STEPS
        assert at.run().button(key="_scaling_course_add").disabled is is_full
        assert (f"A course has at most {MAX_STEPS} steps." in captions(at)) is is_full


@pytest.mark.parametrize(("first", "warned"), [(False, True), (True, False)])
def test_who_adds_a_view_that_answers_its_own_question_is_warned(
    monkeypatch: pytest.MonkeyPatch, first: bool, warned: bool
) -> None:
    moved = page_of("scaling").settings.spelled(page_of("scaling").predict.move)
    at = opened(monkeypatch, **moved)
    at.toggle(key="_scaling_course_first").set_value(first).run()
    assert any("shows the answer" in one.value for one in at.warning) is warned
    at.button(key="_scaling_course_add").click().run()
    course = open_page("course")
    course.session_state[DRAFT] = at.session_state[DRAFT]
    assert ("shows the answer to its own question" in said(course.run())) is warned


@pytest.mark.parametrize("parameters", [{"present": "true"}, {"course": "scaling", "step": "1"}])
def test_who_teaches_or_walks_a_course_adds_nothing(
    monkeypatch: pytest.MonkeyPatch, parameters: dict[str, str]
) -> None:
    at = opened(monkeypatch, **parameters)
    assert not any(one.key == "_scaling_course_add" for one in at.button)


def test_a_lesson_is_added_as_it_is_and_no_link_of_it_is_in_presenter_view() -> None:
    at = open_page("scaling", scaling_tab="share", scaling_scale="root", scaling_answer="skipped", present="true")
    assert not any("present" in code.value for code in at.get("code"))
    at.text_area(key="_scaling_lesson_questions").set_value("Is it so?\n* Yes\nNo").run()
    assert any(one.startswith("This link holds the right answers") for one in captions(at))
    at.button(key="_scaling_lesson_add").click().run()
    (step,) = at.session_state[DRAFT].course.steps
    assert (step.page, step.settings, step.lesson.questions) == (
        "scaling", {"scaling_scale": "root"}, "Is it so?\n* Yes\nNo",
    )  # fmt: skip


def test_the_students_link_holds_no_right_answer_and_the_teachers_says_that_it_does() -> None:
    asking = Step(page="masks", lesson=Lesson(questions="Is it so?\n* Yes\nNo"))
    asked = Course(steps=(asking, Step(page="scaling")))
    for course, told in ((asked, True), (small("masks", "scaling"), False)):
        at = open_page("course")
        at.session_state[DRAFT] = DraftState(course)
        at.run()
        students, teachers = (
            opened_course(parse_qs(urlsplit(link).query)["course"][0])[0]
            for link in sorted(links(at), key=is_teachers)
        )
        assert students == course.for_students()
        assert not any(step.lesson.questions for step in students.steps)
        assert teachers == course
        assert any(one.startswith("This link holds the right answers") for one in captions(at)) is told


def captions(at: AppTest) -> list[str]:
    return [one.value for one in at.caption]


def is_teachers(link: str) -> bool:
    return "present=true" in link


def test_a_view_stands_in_a_frame_by_its_own_address() -> None:
    at = open_page("scaling", scaling_tab="share", scaling_scale="root", scaling_answer="skipped")
    (frame,) = (code.value for code in at.get("code") if code.value.startswith("<iframe"))
    source = re.search(r'src="([^"]+)"', frame)
    assert source
    parts = urlsplit(unescape(source[1]))
    assert parts.path.endswith("/scaling")
    assert parse_qs(parts.query) == {"scaling_scale": ["root"], "embed": ["true"]}


@pytest.fixture
def editor() -> AppTest:
    at = open_page("course")
    at.session_state[DRAFT] = DraftState(small("scaling", "masks", "biases"))
    return at.run()


def pages(at: AppTest) -> list[str]:
    return [step.page for step in at.session_state[DRAFT].course.steps]


def test_steps_are_moved_copied_removed_and_brought_back(editor: AppTest) -> None:
    assert pages(press(editor, "_course_arrow_downward_0")) == ["masks", "scaling", "biases"]
    assert pages(press(editor, "_course_arrow_upward_2")) == ["masks", "biases", "scaling"]
    assert pages(press(editor, "_course_content_copy_0")) == ["masks", "masks", "biases", "scaling"]
    assert pages(press(editor, "_course_delete_2")) == ["masks", "masks", "scaling"]
    assert pages(press(editor, "_course_undo")) == ["masks", "masks", "biases", "scaling"]


def test_a_second_press_on_bring_back_brings_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    removed = (0, small("scaling").steps[0])
    state = {DRAFT: DraftState(small("masks"), removed=removed)}
    monkeypatch.setattr("pages._shared.courses.editor.st.session_state", state)
    for _ in range(2):
        editor_module._bring_back()
        assert [step.page for step in state[DRAFT].course.steps] == ["scaling", "masks"]
    full = small(*["masks"] * MAX_STEPS)
    state[DRAFT] = DraftState(full, removed=removed)
    editor_module._bring_back()
    assert state[DRAFT].course == full
    assert state[DRAFT].removed == removed, "there is no room for it yet, and it is not lost"


def test_every_button_of_a_step_has_a_name_of_its_own(editor: AppTest) -> None:
    own = [one.label for one in editor.button if str(one.key).rpartition("_")[2].isdecimal()]
    assert own[:6] == [
        "Edit step 1", "Move step 1 up", "Move step 1 down", "Duplicate step 1", "Remove step 1",
        "Try step 1 as a student",
    ]  # fmt: skip
    assert len(own) == len(set(own)) == 18
    assert all(one.label for one in editor.button)


def test_a_step_is_edited_and_the_title_and_minutes_follow(editor: AppTest) -> None:
    at = press(editor, "_course_edit_1")
    at.text_area(key="_course_edit~1_note").set_value("Which **mask**?").run()
    at.number_input(key="_course_edit~1_minutes").set_value(11).run()
    at.toggle(key="_course_edit~1_predict_first").set_value(True).run()
    widget(at, "_course_title").set_value("Mine").run()
    course = at.session_state[DRAFT].course
    assert course.title == "Mine"
    assert course.steps[1].lesson.note == "Which **mask**?"
    assert course.steps[1].lesson.predict_first
    assert "**3 steps, 17 minutes**" in said(at)
    assert "Which \\*\\*mask\\*\\*?" in said(at)


def test_a_step_s_row_tells_what_it_asks_for() -> None:
    lesson = Lesson(predict_first=True, fixed={"scaling_scale": "root"}, questions=MINE_TEXT)
    at = open_page("course")
    at.session_state[DRAFT] = DraftState(Course(steps=(Step(page="scaling", lesson=lesson, minutes=3),)))
    assert "3 min · predict first · 1 fixed · 1 question for a class]" in said(at.run())


def test_a_step_s_settings_are_told_as_their_controls_show_them() -> None:
    at = open_page("course")
    assert "This replaces your draft." not in said(at), "there is none"
    at.button(key="_course_ours_order").click().run()
    assert "This replaces your draft." in said(at)
    told = said(at).replace("\\", "")
    assert "Mask: causal · What the tokens go through: two pre-norm blocks · Order: 3 1 5 2 4 6 · Show: out" in told
    press(at, "_course_edit_3")
    (fixed,) = [one for one in at.multiselect if one.label == "Settings drawn as their value"]
    assert "Order: 3 1 5 2 4 6" in fixed.options


def test_students_and_teacher_have_links_of_their_own_that_hold_the_course(editor: AppTest) -> None:
    students, teacher = links(editor)
    assert "/scaling?" in students
    assert "present" not in students
    assert teacher.endswith("&present=true")
    assert opened_course(students.partition("course=")[2])[0] == editor.session_state[DRAFT].course


def test_one_of_our_courses_has_a_short_link_until_it_is_changed() -> None:
    at = open_page("course")
    at.button(key="_course_ours_scaling").click().run()
    assert links(at)[0].endswith("/scaling?course=scaling")
    press(at, "_course_delete_0")
    assert len(links(at)[0]) > 500


def test_a_long_course_warns_and_one_that_no_link_holds_says_what_to_do() -> None:
    for count, sentence in ((1, ""), (8, "some mail and chat programs"), (MAX_STEPS, "more than a link can hold")):
        at = open_page("course")
        notes = (
            "".join(chr(0x4E00 + (i * 7919 + n * n * 104_729) % 20_000) for n in range(90)) for i in range(count)
        )
        steps = tuple(Step(page="scaling", lesson=Lesson(note=note)) for note in notes)
        at.session_state[DRAFT] = DraftState(Course(steps=steps))
        at.run()
        long = [warning.value for warning in at.warning if "characters" in warning.value]
        assert [sentence in one for one in long] == [True] * {1: 0, 8: 2, MAX_STEPS: 1}[count]
        assert [len(link) > LONG_LINK for link in links(at)] == [count == 8] * 2 * (count != MAX_STEPS)


def test_a_try_begins_at_the_step_that_was_chosen(editor: AppTest) -> None:
    at = press(editor, "_course_play_arrow_1", "masks").run()
    assert at.title[0].value == "Masks"
    assert "**Step 2 of 3**" in said(at)


def test_what_the_browser_kept_comes_before_what_this_session_added(monkeypatch: pytest.MonkeyPatch) -> None:
    from pages._shared.session import draft as module

    kept, now = small("masks"), small("scaling")
    state: dict[str, Any] = {DRAFT: DraftState(now), DRAFT_STORE: {"stored": [1, kept.to_json()]}}
    monkeypatch.setattr(module.st, "session_state", state)
    module._stored()
    assert [step.page for step in draft().steps] == ["masks", "scaling"]
    state[DRAFT_STORE] = {"stored": [2, small("biases").to_json()]}  # another tab has changed it
    module._stored()
    assert [step.page for step in draft().steps] == ["biases"]
    for sent in (None, {}, {"stored": 3}, {"stored": [1, 2]}):
        state[DRAFT_STORE] = sent
        module._stored()
    assert [step.page for step in draft().steps] == ["biases"]
    state[DRAFT_STORE] = {"stored": [1, "nonsense"]}
    module._stored()
    assert draft() == Course()


def test_another_course_closes_the_editor_and_forgets_what_was_removed(editor: AppTest) -> None:
    at = press(press(editor, "_course_delete_2"), "_course_edit_0")
    field(at, "_note").set_value("Mine").run()
    at.button(key="_course_ours_order").click().run()
    assert not [one for one in at.text_area if one.key and one.key.endswith("_note")]
    assert not [one for one in at.button if one.key == "_course_undo"]
    assert at.session_state[DRAFT].course == ours("order")


@pytest.mark.parametrize(
    ("content", "pages_read", "sentence"),
    [
        (small("masks").to_json(), ["masks"], ""),
        ('{"version": 3, "steps": [{"page": "masks"}]}', ["masks"], "made by a newer version of this app"),
        ("[]", [], "*mine*.json: This is no course: it has no list of steps."),
    ],
)
def test_a_course_s_file_is_read_or_it_is_said_what_is_wrong_with_it(
    content: str, pages_read: list[str], sentence: str
) -> None:
    at = open_page("course")
    at.file_uploader[0].set_value(("*mine*.json", content.encode(), "application/json")).run()
    assert not at.exception
    told = " ".join(one.value for one in at.toast).replace("\\", "")
    assert (sentence in told, bool(told)) == (True, bool(sentence))
    made = at.session_state[DRAFT].course or Course()
    assert [step.page for step in made.steps] == pages_read


def field(at: AppTest, ending: str) -> Any:
    (one,) = (area for area in at.text_area if str(area.key).endswith(ending))
    return one


def lesson_made(at: AppTest) -> Lesson:
    """The lesson of the one link that is handed out."""
    (link,) = links(at)
    return decode(parse_qs(urlsplit(link).query)["course"][0])[0].steps[0].lesson


def test_questions_of_a_step_are_edited_where_the_step_is() -> None:
    at = open_page("course")
    at.session_state[DRAFT] = DraftState(
        Course(steps=(Step(page="scaling"), Step(page="home", lesson=Lesson(note="Hm"))))
    )
    at.run().button(key="_course_edit_0").click().run()
    typed = f"{MINE_TEXT}\n\n{OWN}\n\n<b>Lonely</b>"
    field(at, "questions").set_value(typed).run()
    assert not at.exception
    assert [error.value for error in at.error] == ["“\\<b\\>Lonely\\</b\\>” has no answers; 2 to 6 are needed\\."]
    first, second = at.session_state[DRAFT].course.steps
    assert first.questions == [MINE, PreparedQuestion()]
    assert second.lesson == Lesson(note="Hm")
    handed_out, remarks = opened_course(links(at)[1].partition("course=")[2].partition("&")[0])
    assert (handed_out.steps[0].lesson.questions, remarks) == (f"{MINE_TEXT}\n\n{OWN}", [])
    assert any("2 questions for a class" in text.value for text in at.markdown)
    at.button(key="_course_expand_less_0").click().run().button(key="_course_edit_0").click().run()
    assert field(at, "questions").value == typed, "what cannot be asked yet is not lost"
    at.button(key="_course_edit_1").click().run()
    field(at, "questions").set_value(OWN).run()
    assert [error.value for error in at.error] == [f"“{OWN}” is not there\\: this page asks nothing\\."]


def test_a_lesson_that_is_made_holds_its_questions_and_so_does_the_step_made_of_it() -> None:
    at = open_page("scaling", scaling_tab="share")
    at.text_area(key="_scaling_lesson_questions").set_value(f"{OWN}\n\n{MINE_TEXT}").run()
    assert lesson_made(at).questions == f"{OWN}\n\n{MINE_TEXT}"
    at.button(key="_scaling_lesson_add").click().run()
    assert at.session_state[DRAFT].course.steps[0].questions == [PreparedQuestion(), MINE]


def test_a_lesson_fixes_what_its_teacher_chooses() -> None:
    at = open_page("permutation", permutation_tab="share", permutation_positions="sinusoidal")
    at.multiselect(key="_permutation_lesson_fix").set_value(["permutation_positions"]).run()
    at.text_input(key="_permutation_lesson_note").set_value("What <b>moves</b>?").run()
    lesson = lesson_made(at)
    assert lesson.fixed == {"permutation_positions": "sinusoidal"}
    assert lesson.note == "What <b>moves</b>?"
    assert (lesson.hidden, lesson.predict_first) == ((), False)


def test_what_a_lesson_leaves_out_keeps_its_value_and_is_not_drawn() -> None:
    at = open_page("scaling", scaling_tab="share", scaling_std="2.0", scaling_num_keys="32")
    at.multiselect(key="_scaling_lesson_parts").set_value(["predict", "controls", "why"]).run()
    at.multiselect(key="_scaling_lesson_hide").set_value(["scaling_num_keys"]).run()
    at.toggle(key="_scaling_lesson_first").set_value(True).run()
    lesson = lesson_made(at)
    assert lesson.parts == ("predict", "controls", "why")
    assert lesson.predict_first
    breaks = {
        "scaling_std": "2.0", "scaling_mean": "0.0", "scaling_correlation": "0.0", "scaling_qk_norm": "false",
        "scaling_through_module": "false", "scaling_naive": "false",
    }  # fmt: skip
    assert lesson.fixed == breaks | {"scaling_num_keys": "32"}
    assert {*lesson.hidden} == {*lesson.fixed}


def test_a_lesson_of_more_than_a_link_can_hold_says_so() -> None:
    at = open_page("scaling", scaling_tab="share")
    letters = "".join(chr(0x4E00 + at * 7919 % 20_000) for at in range(400 * MOST))
    texts = (letters[400 * at : 400 * (at + 1)] for at in range(MOST))
    many = [PreparedQuestion(text, ("a", "b")) for text in texts]
    at.text_area(key="_scaling_lesson_questions").set_value(written(*many)).run()
    assert not links(at)
    assert [one.value for one in at.warning if "more than a link can hold" in one.value]
