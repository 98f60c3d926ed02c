"""A course survives its link and its file, is walked in order, and what is wrong with it is said step by step."""

import base64
import json
import logging
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages._shared.components.link_card import LONG_LINK
from pages._shared.core import network
from pages._shared.core.session_keys import QUERIES, WORKSHEET
from pages._shared.core.text import escape_markdown
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
from pages._shared.lessons.library import OURS, opened, ours
from pages._shared.page.worksheet import sheet_of
from pages._shared.page.worksheet_html import Sheet, handout
from pages._shared.session.draft import draft
from attention_core.claims import claims, statement
from attention_core.figures.text import fit_for_xml
from tests.pages.conftest import Open, lesson_text, page_path, pictures

PATH = Path(__file__).parents[2] / "pages/_shared/lessons/library"
IDS = {claim.id: claim for claim in claims()}
MINUTES = {"order": 15, "scaling": 30, "interview": 45}


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


def packed(content: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode().rstrip("=")


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
    "from a newer version": (with_step(quiz=["a", "b"]), "Step 2 holds “quiz”, which this version", ["scaling"]),
    "no step": (NO_STEP, "Step 2 is no step", []),
}  # fmt: skip


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


def test_a_megabyte_is_read_and_more_than_a_course_may_be_is_refused_unread() -> None:
    step = {"page": "scaling", "note": "x" * 1_000_000}
    course, remarks = decode(packed({"version": FORMAT, "steps": [step]}))
    assert len(course.steps) == len(remarks) == 1
    for size in (MAX_BYTES, 100 * MAX_BYTES):
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


# ---- the app's own ----


@pytest.mark.parametrize("name", OURS)
def test_our_courses_are_as_long_as_they_say_and_hold_no_remark(name: str) -> None:
    course, remarks = from_json((PATH / f"{name}.json").read_text("utf-8"))
    assert remarks == []
    assert course.minutes == MINUTES[name]
    assert sum(step.lesson.predict_first for step in course.steps) >= 2
    assert all(step.lesson.note for step in course.steps)


@pytest.mark.parametrize("name", OURS)
def test_every_claim_of_our_courses_is_one_of_the_ledgers_and_of_that_page(name: str) -> None:
    for step in ours(name).steps:
        assert step.claims
        assert {IDS[claim].page for claim in step.claims} == {step.page}


def test_the_interviewers_questions_have_short_answers() -> None:
    assert all(step.answer for step in ours("interview").steps)


# ---- walking ----


@cache
def _hashes() -> Callable[[str], str]:
    found: dict[str, str] = {}

    def of(page: str) -> str:
        if page not in found:
            at = AppTest.from_file(str(PATH.parents[1] / "main.py"), default_timeout=60).run()
            found[page] = at.switch_page(page_path(page))._page_hash
        return found[page]

    return of


def press(at: AppTest, key: str, page: str | None = None) -> AppTest:
    """Press a button that may lead to another page; AppTest stays on the page it was told."""
    at.button(key=key).click().run()
    if page:
        at._page_hash = _hashes()(page)
    return at


def said(at: AppTest) -> str:
    return "\n".join(text.value for text in at.markdown)


def enter(open_page: Open, course: Course | str, **more: str) -> AppTest:
    text = course if isinstance(course, str) else course.encode()
    first = opened(text)[0].steps[0].page
    return open_page(first, course=text, **more)


@pytest.mark.parametrize("name", ["order", "scaling"])
def test_our_courses_lead_through_their_pages_to_a_summary(name: str, open_page: Open) -> None:
    course, at, asked = ours(name), enter(open_page, name), 0
    for number, step in enumerate(course.steps, 1):
        assert not at.exception
        assert at.query_params["step"] == str(number)
        assert f"**Step {number} of {len(course.steps)}**" in said(at)
        assert escape_markdown(step.lesson.note, MAX_NOTE) in said(at)
        if step.lesson.predict_first:
            assert not pictures(at)
            assert not any(escape_markdown(statement(claim), 200) in said(at) for claim in step.claims)
            question = at.pills(key=f"_{step.page}_option")
            at = question.set_value(question.options[0]).run()
            asked += 1
        assert all(escape_markdown(statement(claim), 200) in said(at) for claim in step.claims)
        following = course.steps[number].page if number < len(course.steps) else None
        at = press(at, "_course_PageDown", following)
    assert not at.exception
    assert f"of {asked}** predictions" in said(at)
    assert said(at).count("You said **") == asked
    assert at.query_params["step"] == str(len(course.steps) + 1)


def small(*pages: str, **more: Any) -> Course:
    notes = (Lesson(note=f"Task {number}") for number, _ in enumerate(pages, 1))
    return Course(
        title="Ours", steps=tuple(Step(page=page, lesson=one) for page, one in zip(pages, notes, strict=True))
    )


SIZED = Course(
    steps=(
        Step(page="scaling", settings={"scaling_d_head": "1024"}, lesson=Lesson(note="Look **here** <b>now</b>")),
        Step(page="scaling", settings={"scaling_scale": "root"}),
    )
)


def test_a_step_sets_its_page_play_is_free_and_the_step_can_be_returned_to(open_page: Open) -> None:
    at = enter(open_page, SIZED)
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


def test_another_page_stays_in_the_course_without_its_task(open_page: Open) -> None:
    at = enter(open_page, SIZED)
    at.switch_page(page_path("masks")).run()
    assert "**Step 1 of 2**" in said(at)
    assert "Look" not in said(at)
    at = press(at, "_course_return", "scaling")
    assert at.title[0].value == "Scaling"
    assert "Look \\*\\*here\\*\\* \\<b\\>now\\</b\\>" in said(at)


def test_a_reload_comes_back_to_the_step_with_the_settings_as_they_were(open_page: Open) -> None:
    at = enter(open_page, SIZED)
    at.selectbox(key="scaling_scale").set_value("head").run()
    again = open_page("scaling", **{key: str(value) for key, value in at.query_params.items()})
    assert "**Step 1 of 2**" in said(again)
    assert again.query_params == at.query_params


def test_a_course_can_be_left(open_page: Open) -> None:
    at = press(enter(open_page, SIZED), "_course_leave")
    assert "Step 1 of" not in said(at)
    assert "course" not in at.query_params


def test_a_step_fixes_what_it_says_on_its_page_only(open_page: Open) -> None:
    fixed = Lesson(fixed={"scaling_scale": "root"}, parts=("controls", "break"))
    at = enter(open_page, Course(steps=(Step(page="scaling", lesson=fixed), Step(page="masks"))))
    assert "scaling_scale" not in {box.key for box in at.selectbox}
    assert [tab.label for tab in at.tabs] == ["Share"]
    at = press(at, "_course_PageDown", "masks")
    at.switch_page(page_path("scaling")).run()
    assert "scaling_scale" in {box.key for box in at.selectbox}


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (Step(page="scaling", settings={"scaling_alpha": "bogus"}), "Step 1 of the course asks for"),
        (Step(page="scaling", settings={"scaling_nothing": "1"}), "Step 1 of the course holds"),
        (Step(page="scaling", lesson=Lesson(fixed={"scaling_scale": "x"})), "Step 1 of the course fixes"),
    ],
)
def test_a_step_whose_settings_are_not_possible_is_named_and_the_course_goes_on(
    step: Step, sentence: str, open_page: Open
) -> None:
    at = enter(open_page, Course(steps=(step, Step(page="scaling", lesson=Lesson(note="Next")))))
    assert not at.exception
    assert [sentence in warning.value for warning in at.warning] == [True]
    at = press(at, "_course_PageDown")
    assert "Next" in said(at)
    assert not at.warning


def test_a_step_whose_settings_do_not_go_together_is_named(open_page: Open) -> None:
    settings = {"scaling_through_module": "true", "scaling_mean": "1.0"}
    at = enter(open_page, Course(steps=(Step(page="scaling", settings=settings), Step(page="masks"))))
    assert not at.exception
    assert [error.value.startswith("Step 1 of the course: ") for error in at.error] == [True]
    at = press(at, "_course_PageDown", "masks")
    assert at.title[0].value == "Masks"
    assert not at.run().error


def test_a_link_that_cannot_be_read_opens_its_page_without_a_course(open_page: Open) -> None:
    at = open_page("scaling", course="nonsense")
    assert not at.exception
    assert ["course cannot be read" in warning.value for warning in at.warning] == [True]
    assert "course" not in at.query_params


def test_many_remarks_are_told_as_a_few(open_page: Open) -> None:
    bad = {"page": "scaling", "settings": {f"evil{i}": "1" for i in range(50)}}
    at = open_page("scaling", course=packed({"version": FORMAT, "steps": [bad] * 20}))
    assert len(at.warning) == 6
    assert "And 995 more" in at.warning[-1].value


def test_the_teachers_link_is_the_same_course_in_presenter_view(open_page: Open) -> None:
    at = enter(open_page, small("scaling", "masks"), present="true")
    assert "3 min" in said(at)
    assert at.query_params["present"] == "true"
    at = press(at, "_course_PageDown", "masks")
    assert at.run().query_params["present"] == "true"
    assert "min]" not in said(enter(open_page, small("scaling")))


# ---- making one ----


def links(at: AppTest) -> list[str]:
    return [code.value for code in at.get("code") if "course=" in code.value]


def test_share_adds_the_view_and_no_link_of_it_is_in_presenter_view(open_page: Open) -> None:
    at = open_page("scaling", scaling_tab="share", scaling_scale="root", scaling_answer="skipped", present="true")
    assert not any("present" in code.value for code in at.get("code"))
    at.number_input(key="_scaling_course_minutes").set_value(7)
    at.button(key="_scaling_course_add").click().run()
    (step,) = at.session_state["_draft"].steps
    assert (step.page, step.settings, step.minutes) == ("scaling", {"scaling_scale": "root"}, 7)


@pytest.fixture
def editor(open_page: Open) -> AppTest:
    at = open_page("course")
    at.session_state["_draft"] = small("scaling", "masks", "biases")
    return at.run()


def pages(at: AppTest) -> list[str]:
    return [step.page for step in at.session_state["_draft"].steps]


def test_steps_are_moved_copied_removed_and_brought_back(editor: AppTest) -> None:
    assert pages(press(editor, "_course_arrow_downward_0")) == ["masks", "scaling", "biases"]
    assert pages(press(editor, "_course_arrow_upward_2")) == ["masks", "biases", "scaling"]
    assert pages(press(editor, "_course_content_copy_0")) == ["masks", "masks", "biases", "scaling"]
    assert pages(press(editor, "_course_delete_2")) == ["masks", "masks", "scaling"]
    assert pages(press(editor, "_course_undo")) == ["masks", "masks", "biases", "scaling"]


def test_a_step_is_edited_and_the_title_and_minutes_follow(editor: AppTest) -> None:
    at = press(editor, "_course_edit_1")
    at.text_area(key="_course_edit_1_note").set_value("Which **mask**?").run()
    at.number_input(key="_course_edit_1_minutes").set_value(11).run()
    at.toggle(key="_course_edit_1_predict_first").set_value(True).run()
    at.text_input(key="_course_title").set_value("Mine").run()
    course = at.session_state["_draft"]
    assert course.title == "Mine"
    assert course.steps[1].lesson.note == "Which **mask**?"
    assert course.steps[1].lesson.predict_first
    assert "**3 steps, 17 minutes**" in said(at)
    assert "Which \\*\\*mask\\*\\*?" in said(at)


def test_students_and_teacher_have_links_of_their_own_that_hold_the_course(editor: AppTest) -> None:
    students, teacher = links(editor)
    assert "/scaling?" in students
    assert "present" not in students
    assert teacher.endswith("&present=true")
    assert opened(students.partition("course=")[2])[0] == editor.session_state["_draft"]


def test_one_of_our_courses_has_a_short_link_until_it_is_changed(open_page: Open) -> None:
    at = open_page("course")
    at.button(key="_course_ours_scaling").click().run()
    assert links(at)[0].endswith("/scaling?course=scaling")
    press(at, "_course_delete_0")
    assert len(links(at)[0]) > 500


def test_a_long_course_warns_and_one_that_no_link_holds_says_what_to_do(open_page: Open) -> None:
    for count, sentence in ((1, ""), (8, "some mail and chat programs"), (MAX_STEPS, "more than a link can hold")):
        at = open_page("course")
        notes = (
            "".join(chr(0x4E00 + (i * 7919 + n * n * 104_729) % 20_000) for n in range(90)) for i in range(count)
        )
        at.session_state["_draft"] = Course(
            steps=tuple(Step(page="scaling", lesson=Lesson(note=note)) for note in notes)
        )
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
    state: dict[str, Any] = {"_draft": now, "_draft_store": {"stored": [1, kept.to_json()]}}
    monkeypatch.setattr(module.st, "session_state", state)
    module._stored()
    assert [step.page for step in draft().steps] == ["masks", "scaling"]
    state["_draft_store"] = {"stored": [2, small("biases").to_json()]}  # another tab has changed it
    module._stored()
    assert [step.page for step in draft().steps] == ["biases"]
    for sent in (None, {}, {"stored": 3}, {"stored": [1, 2]}):
        state["_draft_store"] = sent
        module._stored()
    assert [step.page for step in draft().steps] == ["biases"]
    state["_draft_store"] = {"stored": [1, "nonsense"]}
    module._stored()
    assert draft() == Course()


# ---- on paper ----


def test_the_worksheet_holds_each_task_and_what_was_measured_of_it(open_page: Open) -> None:
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
    made, sheets = at.session_state[WORKSHEET]
    assert made == course
    assert all(sheet.pictures and sheet.solved for sheet in sheets)
    assert sheets[0].pictures != sheets[0].solved
    assert sheets[1].pictures == sheets[1].solved
    assert sheets[0].truth == "The same"
    assert at.title[0].value == "Course"
    tasks, solutions = (handout(course, sheets, solved=solved) for solved in (False, True))
    for page in (tasks, solutions):
        assert "&lt;b&gt;Predict&lt;/b&gt; &amp; see" in page
        assert "<b>Predict</b> &" not in page
        assert "<i>" not in page
        assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
        assert page.count("<section>") == 2
    assert "Measured: <b>The same</b>" in solutions
    assert "Measured: <b>" not in tasks
    assert "Because." in solutions
    assert "Because." not in tasks
    assert statement("perm-kv") in solutions
    assert statement("perm-kv") not in tasks
    assert tasks.count('class="lines"') == 2


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

    logging.getLogger("attention").addHandler(caplog.handler)
    settings = {"scaling_through_module": "true", "scaling_mean": "1.0"}
    apart = sheet_of(Step(page="scaling", settings=settings))
    assert apart.problem.startswith("These settings are not possible together: ")
    assert not sheet_of(Step(page="home")).pictures
    monkeypatch.setattr("pages._shared.page.page.run_with_progress", fails)
    assert "the server has noted where" in sheet_of(Step(page="masks")).problem
    assert "ZeroDivisionError on masks" in caplog.text
    assert typed not in caplog.text


# ---- who can open a link ----


@pytest.mark.parametrize(
    ("seen", "listens", "expected", "warned"),
    [
        ("http://127.0.0.1:8501/scaling?course=order", "", "http://10.0.0.7:8501/scaling?course=order", ""),
        ("http://localhost:8501/", "0.0.0.0", "http://10.0.0.7:8501/", ""),
        ("http://localhost:8501/", "127.0.0.1", "http://localhost:8501/", "students cannot open"),
        ("http://[::1]:8501/", "::1", "http://[::1]:8501/", "students cannot open"),
        ("http://laptop:8501/", "", "http://laptop:8501/", "knows the name “laptop”"),
        ("http://192.168.1.5:8501/", "", "http://192.168.1.5:8501/", ""),
        ("https://attention.school.test/scaling", "", "https://attention.school.test/scaling", ""),
    ],
)
def test_a_link_is_told_as_students_can_open_it_or_with_a_warning(
    seen: str, listens: str, expected: str, warned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"server.address": listens, "browser.serverAddress": "localhost"}
    monkeypatch.setattr(network, "network_address", lambda: "10.0.0.7")
    monkeypatch.setattr(network.st, "get_option", options.get)
    address, warning = network.for_students(seen)
    assert address == expected
    assert warned in warning
    assert bool(warned) == bool(warning)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ("http://localhost:8501/attention/", "http://10.0.0.7:8501/attention/"),
        ("https://school.test/attention/", "https://school.test/attention/"),
        ("http://[2001:db8::7]:8501/", "http://[2001:db8::7]:8501/"),
        ("http://[::1]:8501", "http://10.0.0.7:8501/"),
    ],
)
def test_an_address_for_everybody_keeps_its_prefix_and_its_brackets(
    seen: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "network_address", lambda: "10.0.0.7")
    assert network.public_url(seen, "localhost") == expected


def test_on_no_network_a_link_is_told_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "network_address", lambda: None)
    address, warning = network.for_students("http://localhost:8501/")
    assert address == "http://localhost:8501/"
    assert "students cannot open" in warning


def test_the_note_of_a_lesson_stays_on_the_page_it_speaks_of(open_page: Open) -> None:
    at = open_page("scaling", course=lesson_text("scaling", Lesson(note="Look here")))
    assert "Look here" in said(at)
    at.switch_page(page_path("masks")).run()
    assert "Lesson." in said(at)
    assert "Look here" not in said(at)
    again = open_page("masks", **{key: str(value) for key, value in at.query_params.items()})
    assert "Look here" not in said(again)
    again.switch_page(page_path("scaling")).run()
    assert "Look here" in said(again)


def test_a_prediction_is_remembered_where_one_comes_back_to_its_step(open_page: Open) -> None:
    steps = (Step(page="masks", lesson=Lesson(predict_first=True)), Step(page="scaling"))
    at = enter(open_page, Course(steps=steps))
    question = at.pills(key="_masks_option")
    question.set_value(question.options[0]).run()
    assert f"**You said** {question.options[0]}" in said(at)
    held_then = dict(at.query_params)
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageUp", "masks")
    assert f"**You said** {question.options[0]}" in said(at)
    assert dict(at.query_params) == held_then
    at = press(at, "_course_again")
    assert "**You said**" not in said(at)


def test_the_end_of_a_course_leaves_each_page_its_settings(open_page: Open) -> None:
    at = enter(open_page, Course(steps=(Step(page="masks", settings={"seed": "7"}), Step(page="scaling"))))
    at.number_input(key="seed").set_value(9).run()
    at = press(press(at, "_course_PageDown", "scaling"), "_course_PageDown")
    assert "What you predicted" in at.title[0].value
    at = press(at, "_course_leave")
    at.selectbox(key="scaling_scale").set_value("head").run()
    assert at.session_state[QUERIES]["scaling"]["scaling_scale"] == "head"


def test_another_course_closes_the_editor_and_forgets_what_was_removed(editor: AppTest) -> None:
    at = press(press(editor, "_course_delete_2"), "_course_edit_0")
    at.text_area(key=_open_note(at)).set_value("Mine").run()
    at.button(key="_course_ours_order").click().run()
    assert not [one for one in at.text_area if one.key and one.key.endswith("_note")]
    assert not [one for one in at.button if one.key == "_course_undo"]
    assert at.session_state["_draft"] == ours("order")


def _open_note(at: AppTest) -> str:
    return next(one.key for one in at.text_area if one.key and one.key.endswith("_note"))
