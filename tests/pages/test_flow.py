"""What a person does on a page has one consequence that can be seen: predict, pin, a move, a mistake, a way back."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.visitor_state import START, VISIT
from pages._shared.lessons.lesson import Lesson
from attention_core.device import available_devices
from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView
from tests.pages.conftest import go_to, lesson_text, open_answered, open_page
from tests.pages.read import answer, button, controls, grade, held, notices, page_of, pictures, said, verdicts, views

MOVES = {
    "permutation": ("positions", "sinusoidal", "No token moved, but numbers changed"),
    "biases": ("direction", "equal", "The move changed weights by up to"),
    "scaling": ("num_keys", 32, "The largest weight of this query: unscaled from **"),
    "receptive_field": ("heads", 1, "the last token now sees 8 of 32 inputs; before it saw 27 of 32"),
    "masks": ("unmasked", True, "Other words in the padding's place now move real outputs by"),
}


def moved(at: AppTest) -> str:
    """What is said of the last move."""
    (line,) = (text for text in said(at).splitlines() if text.startswith(":material/arrow_forward:"))
    return line


@pytest.mark.parametrize("name", MOVES)
def test_a_move_is_followed_by_a_sentence_on_what_it_changed(name: str) -> None:
    at = open_page(name)
    assert ":material/arrow_forward:" not in said(at), "nothing has moved yet"
    setting, value, sentence = MOVES[name]
    at.get_by_key(f"{name}_{setting}").set_value(value).run()
    assert not at.exception
    assert sentence in moved(at)
    go_to(at, "home").run()
    go_to(at, name).run()
    assert ":material/arrow_forward:" not in said(at), "whoever arrives has moved nothing"


def test_what_moved_is_said_of_what_is_shown() -> None:
    at = open_page("permutation")
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    assert "The columns stand in their order again; no number changed" in said(at)
    at.session_state[VISIT].settings = {**at.session_state[VISIT].settings, "permutation_order": (5, 4, 3, 2, 1, 0)}
    assert "The rows moved with their queries; no number changed" in said(at.run())
    at = open_page("permutation")
    question = at.pills(key="_permutation_option")
    question.set_value(question.options[0]).run()
    assert "arrow_forward" not in said(at), "an answer makes a move of its own"
    moved = {"permutation_show": "weights", "permutation_shuffle": "queries"}
    at.session_state[VISIT].settings = {**at.session_state[VISIT].settings, **moved}
    at.run()
    assert "The rows moved with their queries and the columns stand in their order again" in said(at)


def test_a_scale_that_was_not_shown_before_is_said_to_be_new() -> None:
    at = open_page("scaling")
    at.selectbox(key="scaling_scale").set_value("head").run()
    assert r"of this query: × $1/\sqrt{d_{\text{head}}}$ from **" in moved(at)
    assert r"; × $1/d_{\text{head}}$ it is now **" in moved(at)


@pytest.mark.parametrize(("name", "preset"), [("permutation", 1), ("biases", 0)])
def test_an_open_question_is_not_answered_by_a_preset_either(name: str, preset: int) -> None:
    at, page = open_page(name), page_of(name)
    caption = page.presets[preset].caption
    at.pills(key=f"_{name}_preset").set_value(preset).run()
    for _ in ("the answers alone", "the whole page"):
        assert not {one.claim for one in verdicts(at)} & {*page.predict.spoilers}
        assert caption not in said(at), "its surprise waits"
        at.run()
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    assert page.predict.headline not in said(at)
    assert {*page.predict.spoilers} & {one.claim for one in verdicts(at)}
    assert caption in said(at)


def test_a_question_before_the_picture_keeps_back_everything_that_answers_it() -> None:
    at = open_page("permutation", course=lesson_text("permutation", Lesson(predict_first=True)))
    assert "Answer the question above" in said(at)
    assert not pictures(at)
    assert not verdicts(at)
    assert "The rows move with their tokens" not in said(at)
    at.pills(key="_permutation_option").set_value("Skip").run()
    assert "The rows move with their tokens" in said(at)


def test_a_presenter_is_asked_on_a_slide_of_its_own_and_walks_on_to_the_presets() -> None:
    at = open_page("scaling", present="true")
    assert "Without scaling" in at.header[0].value
    assert pictures(at), "as it is before the move"
    assert "Differs from theory" not in said(at)
    at.button(key="_remote_PageDown").click().run()
    assert not at.header
    assert "**1 of 6: Unscaled.**" in said(at)
    assert pictures(at)
    at.button(key="_remote_PageUp").click().run()
    assert at.header


def test_answer_and_pin_survive_a_reload_and_are_not_in_the_shared_link() -> None:
    at = open_page("masks", masks_tab="share")
    at.pills(key="_masks_option").set_value("Move").run()
    button(at, "Pin").click().run()
    again = open_page("masks", **{key: at.query_params[key] for key in at.query_params})
    assert grade(again)[0] == "Move"
    assert "Pinned" in {item.value for item in again.caption}
    assert held(again, "masks") == held(at, "masks")
    assert not any("masks_answer" in item.value or "masks_pin" in item.value for item in at.code)


@pytest.mark.parametrize("text", ["seed=nonsense", "permutation_tokens=" + "a+" * 80, "%%%", "x" * 9_000])
def test_a_pin_that_is_none_is_left_out(text: str) -> None:
    at = open_page("permutation", permutation_pin=text)
    assert not at.exception
    assert "the cat" not in {item.value for item in at.caption}


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("permutation", (("head", "1"), ("head", "average"), ("positions", "sinusoidal"))),
        ("learning", (("positions", "none"),)),
    ],
)
def test_now_and_pinned_are_drawn_on_one_scale(name: str, moves: tuple[tuple[str, str], ...]) -> None:
    at = open_page(name)
    button(at, "Pin").click().run()
    for setting, value in moves:
        at.run().get_by_key(f"{name}_{setting}").set_value(value).run()
    now, other = (one for one in views(at) if not one["id"].endswith("_second"))
    assert now["block"] != other["block"]
    for panel, beside in zip(now["panels"], other["panels"], strict=True):
        assert panel["limits"] == beside["limits"], panel["title"]


def test_panels_of_one_name_and_quantity_share_their_range() -> None:
    axis = Axis(title="key", labels=("a", "b"))

    def view(*sizes: float, quantity: str = "score") -> MatrixView:
        bars = BarsPanel(title="B", values=np.array([0.0, sizes[1]]), labels=axis, quantity=quantity)
        cells = np.array([[sizes[0], -sizes[0]]])
        rows = Axis(title="query", labels=("a",))
        matrix = MatrixPanel(title="M", values=cells, rows=rows, columns=axis, quantity=quantity, scale="diverging")
        return MatrixView(panels=(matrix, bars), summary="Two panels.")

    matrix, bars = view(2.5, 1.0).beside(view(100.0, 3.0)).panels
    assert matrix.colour_limits == (-100.0, 100.0)
    assert bars.height_limits == (0.0, 3.0)
    alone = view(2.5, 1.0).beside(view(100.0, 3.0, quantity="weight")).panels[0]
    assert alone.colour_limits == (-2.5, 2.5), "another quantity has a scale of its own"


def test_a_mistake_is_said_in_words_below_the_box_it_was_typed_in() -> None:
    at = open_answered("permutation")
    good = views(at), verdicts(at)
    for typed, sentence in (
        (" ", "**Sentence** is empty"),
        ("a " * 65, "**Sentence**: 1 to 64 tokens are allowed, not “65 tokens”"),
    ):
        at.run().text_input(key="permutation_tokens").set_value(typed).run()
        assert not at.exception
        (error,) = at.error
        assert sentence in error.value
        assert "The last good picture is kept" in error.value
        assert "tokens = " not in error.value
        assert (views(at), verdicts(at)) == good
    order = [type(one).__name__ + str(getattr(one, "key", "")) for one in at.run().main]
    box, after = (order.index(f"TextInputpermutation_{one}") for one in ("tokens", "context"))
    assert any(one.startswith("Error") for one in order[box:after]), order[box:after]


def test_who_opened_an_impossible_page_sees_it_once_it_is_mended() -> None:
    at = open_page("permutation", permutation_context="a b", permutation_model="two")
    assert "cannot be" in at.error[0].value
    at.selectbox(key="permutation_model").set_value("attention").run()
    assert not at.exception
    assert not at.error
    assert pictures(at)


def test_a_slide_no_longer_names_a_preset_that_a_move_has_left() -> None:
    at = open_page("masks", present="true", masks_answer="skipped")
    assert "1 of 5: Encoder" in said(at)
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert "5 presets: PageDown" in said(at)


def test_a_link_may_name_a_device_that_is_not_among_those_offered() -> None:
    at = open_page("anatomy", device="cpu:0")
    assert not [*at.exception, *at.warning, *notices(at), *at.error]
    box = at.selectbox(key="device")
    assert (box.value, box.options) == ("cpu:0", ["auto", *available_devices(), "cpu:0"])
    assert at.session_state["_anatomy_run"].good.config.device == "cpu:0"
    box.set_value("cpu").run()
    assert at.session_state["_anatomy_run"].good.config.device == "cpu"
    at = open_page("anatomy", device="abacus")
    assert "asks for Device = “abacus”, which is not possible; auto is used" in notices(at)[0]
    assert at.session_state["_anatomy_run"].good.config.device == "auto"


def test_a_page_is_broken_and_mended_by_one_button_which_gives_back_what_was_set() -> None:
    at, breaks = open_answered("scaling", scaling_std="0.5"), "Break it: wider components"
    for label, std in ((breaks, "2.0"), ("Mend it", "0.5"), (breaks, "2.0")):
        button(at, label).click().run()
        assert at.query_params["scaling_std"] == std
        at.run()
    button(at, "Reset").click().run()
    at.run()
    assert "scaling_std" not in at.query_params
    button(at, breaks).click().run()
    at.run()
    button(at, "Mend it").click().run()
    assert "scaling_std" not in at.query_params


def test_a_break_that_would_answer_the_question_waits_and_a_lesson_may_leave_it_out() -> None:
    labels = [item.label for item in open_page("masks").button]
    assert not [one for one in labels if one.startswith("Break it")], "the switch is the question's own move"
    assert "Break it: no padding mask" in [item.label for item in open_answered("masks").button]
    for lesson in (Lesson(parts=("controls",)), Lesson(fixed={"masks_unmasked": "false"})):
        at = open_answered("masks", course=lesson_text("masks", lesson))
        assert not [item.label for item in at.button if item.label.startswith("Break it")]


def test_a_lesson_without_the_question_grades_no_answer() -> None:
    move = {"masks_stack": "decoder", "masks_show": "padding", "masks_unmasked": "true"}
    for parts, graded in ((("predict", "controls"), True), (("controls",), False)):
        at = open_page("masks", course=lesson_text("masks", Lesson(parts=parts), **move))
        answer(at, "masks", "Stay exactly")
        assert (grade(at.run()) is not None) == graded


def test_a_step_without_presets_shows_its_answer_on_a_slide() -> None:
    lesson = lesson_text("masks", Lesson(parts=("predict", "controls")))
    at = open_page("masks", course=lesson, present="true")
    button(at, "Show the answer").click().run()
    assert at.query_params["masks_answer"] == "skipped"
    assert held(at, "masks") == {"stack": "decoder", "show": "padding", "unmasked": "true"}
    assert pictures(at)


def test_the_last_preset_on_a_slide_leads_to_the_next_page_with_what_is_a_presenters_own() -> None:
    at = open_answered("masks", present="true", masks_show="additive", masks_score_size="100000", seed="5")
    button(at, "Next: Normalization").click().run()
    assert dict(at.query_params) == {"present": "true", "seed": "5"}


def test_a_run_that_was_cut_off_is_made_good_by_a_whole_one() -> None:
    at = open_page("masks")
    at.session_state[VISIT].complete = ""
    at = at.toggle(key="masks_unmasked").set_value(True).run()
    assert len(at.title) == 1
    assert controls(at)


@pytest.mark.parametrize("answer", ["", "skipped"])
def test_a_slide_with_the_tab_share_open_offers_one_way_to_start_a_class(answer: str) -> None:
    at = open_page("masks", present="true", masks_tab="share", masks_answer=answer)
    assert not at.exception
    assert not at.error
    assert len([one for one in at.get("bidi_component") if one.key == START]) == 1
