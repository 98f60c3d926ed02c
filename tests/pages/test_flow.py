"""What a person does on a page has one consequence that can be seen: predict, pin, a move, a mistake, a way back."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.core.session_keys import SETTINGS
from pages._shared.lessons.lesson import Lesson
from pages._shared.page.header import WORDS
from attention_core.experiments.permutation import ShuffleConfig, run_shuffle
from attention_core.figures.matrix import Axis, BarsPanel, MatrixPanel, MatrixView
from attention_core.figures.permutation import shuffle_table
from attention_core.figures.table import table_csv
from tests.pages.conftest import NAMES, Open, held, lesson_text, outcomes, page_path

MOVES = {
    "permutation": ("positions", "sinusoidal", "No token moved, but numbers changed"),
    "biases": ("direction", "equal", "The move changed weights by up to"),
    "scaling": ("num_keys", 32, "The largest weight of a query went"),
    "receptive_field": ("heads", 1, "the last token now sees 8 of 32 inputs; before it saw 27 of 32"),
    "masks": ("unmasked", True, "Other words in the padding's place now move real outputs by"),
}


def texts(at: AppTest) -> list[str]:
    return [item.value for item in at.markdown]


def said(at: AppTest) -> str:
    return "\n".join(texts(at))


def widget(at: AppTest, key: str) -> object:
    kinds = ("selectbox", "toggle", "slider", "segmented_control")
    return next(one for kind in kinds for one in at.get(kind) if one.key == key)


def pictures(at: AppTest) -> list[dict]:
    """What the matrix views on the page were sent: the picture, then the pinned one."""
    sent = [json.loads(one.proto.json or "{}") for one in at.main.get("bidi_component")]
    return [one for one in sent if "panels" in one and not one["id"].endswith("_curves")]


def pin(at: AppTest) -> AppTest:
    next(one for one in at.button if one.label == "Pin").click()
    return at.run()


@pytest.mark.parametrize("name", MOVES)
def test_a_move_is_followed_by_a_sentence_on_what_it_changed(name: str, open_page: Open) -> None:
    at = open_page(name)
    assert ":material/arrow_forward:" not in said(at), "nothing has moved yet"
    setting, value, sentence = MOVES[name]
    widget(at, f"{name}_{setting}").set_value(value).run()
    assert not at.exception
    assert sentence in next(text for text in texts(at) if text.startswith(":material/arrow_forward:"))
    at.switch_page(page_path("home")).run()
    at.switch_page(page_path(name)).run()
    assert ":material/arrow_forward:" not in said(at), "whoever arrives has moved nothing"


def test_a_shuffle_is_said_to_move_rows_and_no_number(open_page: Open) -> None:
    at = open_page("permutation")
    at.selectbox(key="permutation_shuffle").set_value("queries").run()
    told = said(at)
    assert "The columns stand in their order again; no number changed" in told
    at.session_state[SETTINGS] = {**at.session_state[SETTINGS], "permutation_order": (5, 4, 3, 2, 1, 0)}
    assert "The rows moved with their queries; no number changed" in said(at.run())


def test_what_moved_is_said_of_what_is_shown(open_page: Open) -> None:
    at = open_page("permutation")
    question = at.pills(key="_permutation_option")
    question.set_value(question.options[0]).run()
    assert "The rows stand in their order again and the keys moved; no number changed" in said(at)
    moved = {"permutation_show": "weights", "permutation_shuffle": "queries"}
    at.session_state[SETTINGS] = {**at.session_state[SETTINGS], **moved}
    at.run()
    assert "The rows moved with their queries and the columns stand in their order again" in said(at)


def test_a_scale_that_was_not_shown_before_is_said_to_be_new(open_page: Open) -> None:
    at = open_page("scaling")
    at.selectbox(key="scaling_scale").set_value("head").run()
    (line,) = (text for text in texts(at) if text.startswith(":material/arrow_forward:"))
    assert "went, on average, × 1/√d_head from **" in line
    assert "; × 1/d_head it is now **" in line


@pytest.mark.parametrize(
    ("name", "headline", "claim", "preset", "surprise"),
    [
        ("permutation", "see what attention notices", "perm-kv", 1, "output does not move at all"),
        ("biases", "which of them change", "bias-k", 0, "no weight and no output does"),
    ],
)
def test_an_open_question_is_not_answered_on_its_page(
    name: str, headline: str, claim: str, preset: int, surprise: str, open_page: Open
) -> None:
    at = open_page(name)
    assert headline in said(at)
    at.pills(key=f"_{name}_preset").set_value(preset).run()
    assert f"`{claim} ·" not in said(at)
    assert surprise not in said(at), "its preset's surprise waits"
    at.run()
    assert surprise not in said(at), "nor is it told in a whole run"
    at.pills(key=f"_{name}_option").set_value("Skip").run()
    assert headline not in said(at)
    assert f"`{claim} ·" in said(at)
    assert surprise in said(at)


def test_a_question_before_the_picture_keeps_back_everything_that_answers_it(open_page: Open) -> None:
    at = open_page("permutation", course=lesson_text("permutation", Lesson(predict_first=True)))
    assert at.info
    assert not pictures(at)
    assert not outcomes(at)
    assert "The rows move with their tokens" not in said(at)
    at.pills(key="_permutation_option").set_value("Skip").run()
    assert "The rows move with their tokens" in said(at)


def test_a_presenter_is_asked_on_a_slide_of_its_own_and_walks_on_to_the_presets(open_page: Open) -> None:
    at = open_page("scaling", present="true")
    assert "Without scaling" in at.header[0].value
    assert not pictures(at)
    at.button(key="_remote_PageDown").click().run()
    assert not at.header
    assert "**1 of 5: Unscaled.**" in said(at)
    assert pictures(at)
    at.button(key="_remote_PageUp").click().run()
    assert at.header


@pytest.mark.parametrize(
    ("name", "options"), [("permutation", {"permutation_show": "output"}), ("scaling", {"scaling_show": "sizes"})]
)
def test_the_picture_after_an_answer_is_of_what_was_asked(
    name: str, options: dict[str, str], open_page: Open
) -> None:
    at = open_page(name)
    option = at.pills(key=f"_{name}_option")
    option.set_value(option.options[0]).run()
    assert options.items() <= dict(at.query_params).items()


def test_answer_and_pin_survive_a_reload_and_are_not_in_the_shared_link(open_page: Open) -> None:
    at = open_page("masks", masks_tab="share")
    at.pills(key="_masks_option").set_value("Move").run()
    at = pin(at)
    again = open_page("masks", **{key: at.query_params[key] for key in at.query_params})
    assert "**You said** Move" in said(again)
    assert "Pinned" in {item.value for item in again.caption}
    assert held(again, "masks") == held(at, "masks")
    assert not any("masks_answer" in item.value or "masks_pin" in item.value for item in at.code)


@pytest.mark.parametrize("text", ["seed=nonsense", "permutation_tokens=" + "a+" * 80, "%%%", "x" * 9_000])
def test_a_pin_that_is_none_is_left_out(text: str, open_page: Open) -> None:
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
def test_now_and_pinned_are_drawn_on_one_scale(
    name: str, moves: tuple[tuple[str, str], ...], open_page: Open
) -> None:
    at = pin(open_page(name))
    for setting, value in moves:
        widget(at.run(), f"{name}_{setting}").set_value(value).run()
    now, pinned = (one for one in pictures(at) if not one["id"].endswith("_second"))
    assert now["block"] != pinned["block"]
    for panel, other in zip(now["panels"], pinned["panels"], strict=True):
        assert panel["limits"] == other["limits"], panel["title"]


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


def test_a_mistake_is_said_in_words_below_the_box_it_was_typed_in(open_page: Open) -> None:
    at = open_page("permutation")
    for typed, sentence in ((" ", "**Sentence** is empty"), ("a " * 65, "**Sentence** cannot be 65 tokens")):
        at.run().text_input(key="permutation_tokens").set_value(typed).run()
        assert not at.exception
        (error,) = at.error
        assert sentence in error.value
        assert "tokens = " not in error.value
    order = [type(one).__name__ + str(getattr(one, "key", "")) for one in at.run().main]
    box, after = (order.index(f"TextInputpermutation_{one}") for one in ("tokens", "context"))
    assert any(one.startswith("Error") for one in order[box:after]), order[box:after]


def test_who_opened_an_impossible_page_sees_it_once_it_is_mended(open_page: Open) -> None:
    at = open_page("permutation", permutation_context="a b", permutation_model="two")
    assert "cannot be" in at.error[0].value
    at.selectbox(key="permutation_model").set_value("attention").run()
    assert not at.exception
    assert not at.error
    assert pictures(at)


@pytest.mark.parametrize("name", [*NAMES, "claims"])
def test_the_words_are_explained_on_every_page(name: str, open_page: Open) -> None:
    (words,) = (text for text in texts(open_page(name)) if text.startswith("**:blue[Query]**"))
    assert len(words.splitlines()) == len(WORDS)
    assert all(wanted in words for wanted in ("Query", "Key", "Value", "Head", "Equivariance", "Saturation"))


def test_the_csv_opens_in_pandas_with_the_numbers_after_the_shuffle() -> None:
    config = ShuffleConfig(query_order=(5, 4, 3, 2, 1, 0), key_order=(5, 4, 3, 2, 1, 0))
    result = run_shuffle(config)
    frame = pd.read_csv(io.StringIO(table_csv(shuffle_table(config, result))))
    assert len(frame) == 36
    after = frame["after"].to_numpy().reshape(6, 6)
    np.testing.assert_allclose(after, result.weights_after.mean(axis=0), rtol=1e-6)
    assert list(frame["query after"][::6]) == [config.tokens[i] for i in config.query_order]


def test_a_term_that_is_all_zero_is_not_said_to_differ(open_page: Open) -> None:
    at = open_page("biases", biases_q_bias="false", biases_k_bias="false")
    notes = [panel["note"] for view in pictures(at) for panel in view["panels"]]
    assert [note.startswith("All 0") for note in notes] == [False, True, True, True]
