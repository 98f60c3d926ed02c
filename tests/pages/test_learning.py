"""The learning page: it trains when opened, answers what is typed, and grades its question by what was learned."""

import threading

import numpy as np
import pytest

from pages._shared.compute.runner import runner
from pages._shared.page import tabs
from attention_core.figures.matrix import MatrixView
from attention_core.measuring.run import run
from attention_core.studies.learning import (
    Ablation,
    CompareConfig,
    History,
    LearningConfig,
    draw,
    load_kept,
)
from attention_core.studies.learning import answer as ask
from tests.pages.conftest import open_page
from tests.pages.read import notices, pictures, said, widget
from tests.processes import PATIENCE_S
from tests.sweeps import some_by_day

QUICK = {"learning_steps": "50"}


def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, MatrixView]]:
    """What is drawn from now on instead of by the component: its key, and the view."""
    drawn: list[tuple[str, MatrixView]] = []
    for module in ("learning", "_shared.page.frame", "_shared.page.picture"):
        monkeypatch.setattr(f"pages.{module}.matrix_view", lambda view, *, key, **_: drawn.append((key, view)))
    return drawn


def test_it_trains_when_opened_and_says_how_far_it_got() -> None:
    at = open_page("learning", **QUICK, seed="4")
    accuracy = run(LearningConfig(seed=4, steps=50, dtype="float32")).score.accuracy
    assert f"`{accuracy:.1%}` are right" in said(at)
    assert len(pictures(at)) == 2


def test_what_is_typed_is_answered_with_spaces_or_without() -> None:
    for text in ("abcj", "a b c j"):
        at = open_page("learning", **QUICK, learning_text=text)
        assert not at.error
        assert not at.exception
    for text, sentence in (("abz", "letters a to j"), ("a" * 13, "trained on 12 tokens")):
        at = open_page("learning", **QUICK, learning_text=text)
        assert sentence in at.error[0].value
        assert "Ask the trained model" in at.error[0].value


def test_a_head_is_switched_off_and_what_is_left_is_said_and_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = watched(monkeypatch)
    at = open_page("learning", **QUICK, learning_below="heads", learning_heads="2")
    trained = run(LearningConfig(steps=50, heads=2, dtype="float64")).trained
    assert dict(drawn)["learning"].sweep
    at.pills(key="_learning_on").set_value([(0, 1)]).run()
    assert dict(at.query_params)["learning_off"] == "0.0"
    left = run(Ablation(trained=trained, off=((0, 0),))).left.accuracy
    assert f"Without head 1: {left:.1%} are right" in said(at)
    assert "without head 1 answers" in dict(drawn)["learning_answer"].summary
    assert not at.exception
    at = open_page("learning", **QUICK, learning_below="heads", learning_off="0.0-5.0-0.7")
    assert at.pills(key="_learning_on").value == []
    assert "Without layer 1: " in said(at)
    at = open_page("learning", **QUICK, learning_below="heads", learning_off="0.0-x")
    assert "which is not possible" in notices(at)[0]


def test_the_model_is_kept_when_asked_for_and_answers_as_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_page("learning", **QUICK, learning_tab="data")
    assert "Keep this model" in [one.label for one in at.main.get("download_button")]
    given = []
    monkeypatch.setattr(tabs, "draw_data", lambda *parts: given.extend(parts[-1].files))
    open_page("learning", **QUICK, learning_tab="data")
    (file,) = given
    assert file.ending == "safetensors"
    loaded, mine = load_kept(file.make()), run(LearningConfig(steps=50, dtype="float64")).trained
    assert loaded.config == mine.config
    np.testing.assert_array_equal(ask(loaded, "abcj").attention, ask(mine, "abcj").attention)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"learning_layers": "6", "learning_d_model": "256", "learning_steps": "5000"}, "more than 20 seconds"),
        ({"learning_below": "seeds", "learning_runs": "16", "learning_steps": "1500"}, "16 runs of 1,500 steps"),
        ({"dtype": "bfloat16"}, "float32, float64"),
        ({"learning_heads": "3"}, "multiple of the 3 heads"),
    ],
)
def test_what_is_not_possible_is_a_sentence(settings: dict, sentence: str) -> None:
    at = open_page("learning", **settings)
    assert sentence in at.error[0].value
    assert not at.exception


@pytest.mark.slow
def test_the_picture_moves_while_it_learns_and_can_be_scrubbed_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, moved = watched(monkeypatch), threading.Event()
    whole = draw.moving_view

    def moving_view(history: History, *, awaited: bool) -> MatrixView:
        moved.set()
        return whole(history, awaited=awaited)

    monkeypatch.setattr(draw, "moving_view", moving_view)
    # However fast it learns, it does not go on before it has been looked at once.
    monkeypatch.setattr(runner().engine, "_yield_to_pages", lambda _: moved.wait(PATIENCE_S))
    at = open_page("learning", learning_steps="600", seed="61")  # which nothing else has trained
    *moving, (_, last) = [one for one in drawn if one[0] == "learning"]
    assert moving
    for _, view in moving:
        assert view.sweep is None
        assert [panel.title for panel in view.panels] == [panel.title for panel in last.panels[: last.front]]
        accuracy = view.panels[1]
        assert accuracy.x[-1] == 600
        assert np.isnan(accuracy.series[0].values[accuracy.marked + 1 :]).all()
    assert last.sweep.values[-1] == "600"
    assert not at.exception


def test_a_run_that_breaks_down_ends_with_a_sentence_and_its_last_picture() -> None:
    at = open_page("learning", learning_optimizer="sgd", learning_learning_rate="100.0")
    assert "no longer a finite number" in at.warning[0].value
    assert len(pictures(at)) == 2
    assert not at.exception


CONTINUE = {"learning_task": "induction", "learning_tokens": "8", "learning_steps": "50"}


def test_the_task_sets_its_mask_and_what_is_read_without_it_is_said() -> None:
    at = open_page("learning", learning_steps="50", learning_tokens="8", learning_causal="true")
    assert widget(at, "learning_causal").value
    widget(at, "learning_task").set_value("sort").run()
    at.run()  # a browser keeps the controls that a run does not draw
    assert widget(at, "learning_causal").value, "one's own choice stays where the task asks for the same"
    widget(at, "learning_task").set_value("induction").run()
    at.run()
    assert dict(at.query_params) == CONTINUE
    mask = widget(at, "learning_causal")
    assert mask.value
    assert "Nothing hides the next token" not in said(at)
    mask.set_value(False).run()
    at.run()
    assert dict(at.query_params) == CONTINUE | {"learning_causal": "false"}
    assert "Nothing hides the next token, and it is the answer" in said(at)
    widget(at, "learning_causal").set_value(True).run()
    at.run()
    assert dict(at.query_params) == CONTINUE, "as the task has it"
    assert "Nothing hides the next token" not in said(at)
    widget(at, "learning_task").set_value("reverse").run()
    at.run()
    assert not widget(at, "learning_causal").value
    assert not at.exception
    assert "Nothing hides the next token" in said(open_page("learning", **CONTINUE, learning_causal="false"))


@pytest.mark.parametrize(
    ("below", "varies"), some_by_day([("compare", "heads"), ("lengths", "positions")], mark="slow")
)
def test_models_that_differ_in_one_thing_are_the_picture(
    below: str, varies: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = watched(monkeypatch)
    open_page("learning", learning_below=below, learning_steps="50", learning_answer="skipped")
    config = CompareConfig(steps=50, varies=varies, dtype="float32")
    key, view = drawn[-1]
    assert (key, view.summary) == ("learning_models", draw.compare_said(run(config)))
