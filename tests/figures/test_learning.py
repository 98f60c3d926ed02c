"""What is drawn of training: heads that move with the slider, a run under way, heads that are off, many runs."""

import dataclasses

import numpy as np
import pytest

import attention_core
from attention_core.claims import claims
from attention_core.figures.matrix import LinesPanel
from attention_core.measuring.run import run
from attention_core.measuring.verdict import Verdict
from attention_core.studies.learning import (
    Ablation,
    LearningConfig,
    LearningStep,
    MapConfig,
    MapResult,
    SeedsConfig,
    SeedsStep,
    SuccessRate,
    answer,
    steps_learning,
    steps_seeds,
)
from attention_core.studies.learning.draw import (
    ablation_view,
    ablation_words,
    answer_view,
    learning_table,
    learning_view,
    map_table,
    map_view,
    moving_view,
    proof,
    seeds_moving_view,
    seeds_table,
    seeds_view,
    text_view,
)
from attention_core.studies.learning.text.result import Gain
from attention_core.studies.learning.verdicts import compares, rate_verdicts
from tests.figures.views import WIDE, of, view_of
from tests.studies import STUDIES, settings

SMALL = {name: value for name, value in WIDE.items() if name not in ("layers", "heads")}


def test_what_is_said_of_a_run_are_its_numbers() -> None:
    view, history = view_of("learning"), of("learning").history
    assert view.panels[4].strokes == ("solid", "dashed", "dotted"), "what is compared with can be told apart"
    assert view.summary.startswith(
        f"After its training the model, asked to look back, gets {history.accuracy[-1]:.0%} of the tokens right; "
    )
    assert view.at(3).panels[4].marked == 3
    assert view.panels[4].limits == (0.0, 1.05)
    heads = of("heads")
    layer, head = np.unravel_index(heads.each.argmin(), heads.each.shape)
    least = f"Without layer {layer + 1}, head {head + 1}: {heads.each.min():.0%}, the least."
    assert view_of("learning heads").summary == f"All heads: {of('learning').score.accuracy:.0%} right. {least}"


def test_what_a_model_without_positions_can_reach_waits_until_it_is_answered() -> None:
    """What answers is neither drawn nor said: of another model what the best without order is, of such a one all."""
    shown = learning_view(of("learning"), awaited=True)
    accuracy, loss = shown.panels[4:]
    assert [one.name for one in accuracy.series] == ["this model", "chance"]
    assert (loss.awaits, "without knowing" in shown.summary) == ("", False)
    blind = run(LearningConfig(positions="none", **SMALL))
    for one in (learning_view(blind, awaited=True), moving_view(blind.history, awaited=True)):
        assert [panel.awaits for panel in one.panels[1:]] == ["your guess?"] * len(one.panels[1:])
        assert all(panel.drawn.size == 0 for panel in one.panels[1:])
        assert "%" not in one.summary
    assert "%" in learning_view(blind).summary


def test_what_a_model_blind_to_order_gets_by_chance_is_not_said_to_be_more_than_it_can() -> None:
    found = run(LearningConfig(positions="none", **SMALL))
    accuracy = np.append(found.history.accuracy[:-1], found.history.blind + 0.1)  # on the curve's few sequences
    history = dataclasses.replace(found.history, accuracy=accuracy)
    score = dataclasses.replace(found.score, above_blind=0.0)
    found = dataclasses.replace(found, history=history, score=score)
    summary = learning_view(found).summary
    assert f"gets no more of the tokens right than the {found.history.blind:.0%}" in summary
    assert f"{found.history.accuracy[-1]:.0%}" not in summary


def test_a_run_can_be_drawn_from_its_first_moment_on_and_several_heads_have_titles() -> None:
    first, *_ = steps_learning(LearningConfig(**SMALL))
    view = moving_view(first.history)
    assert view.steps == 1
    assert view.panels[0].title == "Attention"
    assert view.panels[0].hidden is None
    assert learning_table(first.history).rows[0][0] == 0
    two, *_ = steps_learning(LearningConfig(heads=2, **SMALL))
    assert [panel.title for panel in moving_view(two.history).panels[:2]] == ["Head 1", "Head 2"]


def test_an_answer_says_what_is_right_and_which_head_is_off() -> None:
    trained = of("learning").trained
    whole = answer(trained, tuple("abca"))
    assert f"{whole.right} of 3 are right" in answer_view(whole, causal=True).summary
    assert "Nothing is asked" in answer_view(answer(trained, ("a",)), causal=True).summary
    found = answer(trained, tuple("abca"), [(0, 1)])
    view = answer_view(found, causal=True)
    assert [panel.title for panel in view.panels[:2]] == ["Layer 1, head 1", "Layer 1, head 2 (off)"]
    assert "without layer 1, head 2 answers" in view.summary
    np.testing.assert_array_equal(found.attention[0], whole.attention[0])
    assert (found.attention[1] != whole.attention[1]).any()
    assert (found.probabilities != whole.probabilities).any()


@pytest.mark.parametrize("causal", [True, False])
def test_an_answer_that_can_be_read_is_not_called_learned(causal: bool) -> None:
    small = SMALL | {"task": "induction", "tokens": 6, "kinds": 5, "causal": causal, "layers": 2}
    first, *_, result = steps_learning(LearningConfig(**small))
    history = result.history
    asked = [slot for slot in range(5) if history.wanted[slot] >= 0]
    most = max(
        sum(float(history.attention[-1, layer, head, slot, slot + 1]) for slot in asked) / len(asked)
        for layer, head in np.ndindex(history.attention.shape[1:3])
    )
    said = [
        learning_view(result).summary,
        moving_view(first.history).summary,
        answer_view(answer(result.trained, tuple("abcabc")), causal=causal).summary,
        seeds_view(run(SeedsConfig(runs=2, **small))).summary,
    ]
    assert [("Nothing hides the next token" in one) for one in said] == [not causal] * 4
    assert ("can be read" in said[0]) == (f"gives it {most:.0%} of its weight" in said[0]) == (not causal)
    assert ("to continue" in said[0]) == causal


def test_what_is_left_without_a_head() -> None:
    trained, whole, one = of("learning").trained, of("learning").score.accuracy, of("heads")
    (panel,) = view_of("learning heads").panels
    np.testing.assert_allclose(panel.values, [whole, *one.each.ravel()], rtol=1e-6)
    assert panel.labels.labels[:2] == ("nothing", "layer 1, head 1")
    assert ablation_words(one, whole).startswith(f"Without layer 2, head 1: {one.each[1, 0]:.1%} are right")
    two = attention_core.run(Ablation(trained=trained, off=((0, 0), (1, 1))))
    (panel,) = ablation_view(two, whole).panels
    assert panel.labels.labels[-1] == "these together"
    assert panel.values[-1] == pytest.approx(two.left.accuracy)
    assert "Switch one off" in ablation_words(attention_core.run(Ablation(trained=trained)), whole)


def test_a_run_under_way_has_the_axis_of_the_whole_run_and_what_is_to_come_is_no_fault() -> None:
    history = of("learning").history
    *steps, _ = steps_learning(of("learning").config)
    early = steps[2]
    assert isinstance(early, LearningStep)
    view = moving_view(early.history)
    assert view.sweep is None
    whole = view_of("learning")
    assert [panel.title for panel in view.panels] == [panel.title for panel in whole.panels[: whole.front]]
    np.testing.assert_array_equal(view.panels[3].values, early.history.attention[2, 1, 1])
    panel = view.panels[-1]
    assert isinstance(panel, LinesPanel)
    assert panel.marked == 2
    np.testing.assert_array_equal(panel.x, history.moments)
    assert np.isfinite(panel.series[0].values).sum() == 3
    assert panel.warning == ""


def test_the_table_has_all_that_was_noted() -> None:
    history, columns = of("learning").history, learning_table(of("learning").history).as_columns()
    assert columns["steps"] == history.moments.tolist()
    assert columns["accuracy"] == history.accuracy.tolist()
    assert columns["‖∂L/∂b_K‖, layer 2"] == history.gradients[:, 1, 5].tolist()
    assert columns["W_Q moved, layer 1"][0] == 0
    assert len(columns["answer to the probe"][0].split()) == 6


def test_several_seeds_are_a_band_and_a_bar_each() -> None:
    result, view = of("seeds"), view_of("learning seeds")
    lines, bars = view.panels
    middle = lines.series[0]
    np.testing.assert_allclose(middle.values, np.median(result.accuracy, axis=0), rtol=1e-6)
    np.testing.assert_allclose(middle.band, [result.accuracy.min(0), result.accuracy.max(0)], rtol=1e-6)
    np.testing.assert_allclose(bars.values, [one.accuracy for one in result.scores], rtol=1e-6)
    assert bars.labels.labels == ("4", "5", "6")
    assert view.summary.startswith("0 of 3 runs reach 95%; ")
    assert "between 0% and 56%" in view.summary
    table = seeds_table(result)
    assert [row[0] for row in table.rows] == [4, 5, 6]
    assert table.rows[1][1] == result.scores[1].accuracy
    config = SeedsConfig(runs=2, seed=4, **SMALL)
    *steps, _ = steps_seeds(config)
    assert isinstance(steps[-3], SeedsStep)
    (panel,) = seeds_moving_view(config, steps[-3]).panels
    assert panel.warning == ""
    np.testing.assert_allclose(panel.series[0].band[1], np.nanmax(steps[-3].accuracy, axis=0), rtol=1e-6)
    (panel,) = seeds_moving_view(config, steps[2]).panels
    assert np.isnan(panel.series[0].values[3:]).all()
    ended = run(dataclasses.replace(config, optimizer="sgd", learning_rate=100.0, steps=60))
    lines = seeds_view(ended).panels[0]
    assert np.isnan(lines.series[0].values[-1])
    assert lines.warning


def test_the_map_shows_both_sides_so_far_and_in_the_end() -> None:
    accuracy = np.random.default_rng(1).uniform(0, 0.9, (2, 4, 4))
    accuracy[0, 0, 0] = accuracy[1, :2, 0] = 1
    result = MapResult.of(MapConfig(), config=MapConfig(), accuracy=accuracy, spread=np.ones((2, 4)))
    view = map_view(result.config, result.accuracy)
    for panel, values in zip(view.panels, result.accuracy, strict=True):
        np.testing.assert_allclose(panel.values, values, rtol=1e-6)
        assert panel.rows.labels == ("0.001", "0.003", "0.01", "0.03")
        assert panel.columns.labels == ("16", "64", "256", "1,024")
    assert [panel.title for panel in view.panels] == ["With 1/√d_head", "Without the factor"]
    assert "16 settings 1 learn with the factor 1/√d_head, 2 without it" in view.summary
    part = map_view(result.config, np.where(accuracy > 0.5, accuracy, np.nan))
    assert sum(int(np.isfinite(panel.values).sum()) for panel in part.panels) == (accuracy > 0.5).sum()
    table = map_table(result)
    assert len(table.rows) == 32
    assert table.rows[-1] == ("none", 0.03, 1024, 1.0, result.accuracy[1, 3, 3])


RATES = {claim.id: claim for claim in claims() if claim.config is SeedsConfig and claim.id != "learn-order"}
LEADS = {
    "holds": "", "fails": "Not so here: ", "undecided": "Not decided here: ",
    "denied": "It should hold here, and does not.", "unexpected": "It holds here, and should not.",
}  # fmt: skip


def told_of(config: SeedsConfig, reached: int, untied: int) -> tuple[list[Verdict], dict[str, str]]:
    """The verdicts of runs of which so many succeed, and what is said of them: by the curve, and in the proof."""
    share, other = (SuccessRate(reached=many, runs=config.runs) for many in (reached, untied))
    compared = other if compares(config) else None
    verdicts = rate_verdicts(config, share, compared)
    scores = of("seeds").scores[:1] * config.runs
    kept = {"config": config, "share": share, "untied": compared, "verdicts": verdicts, "scores": scores}
    result = dataclasses.replace(of("seeds"), **kept)
    view = seeds_view(result)
    assert view.summary == view.panels[1].note
    return list(verdicts), {"curve": view.summary, "proof": proof(of("learning"), (result,))[2].here}


def came_to(verdict: Verdict) -> str:
    return {False: "denied", True: "unexpected"}[verdict.holds] if verdict.surprises else verdict.outcome


def held_to_verdicts(said: str, verdicts: list[Verdict]) -> None:
    """Each lead is said where a verdict came to it and only there, with its reason behind it."""
    for came, lead in LEADS.items():
        about = [one for one in verdicts if came_to(one) == came]
        if lead:
            assert (lead in said) == bool(about), (said, verdicts)
        for one in about:
            assert (f"{lead}{one.because}" in said) == (came in ("fails", "undecided")), (said, verdicts)


@pytest.mark.parametrize(
    ("claim", "broken", "runs", "reached", "came", "because"),
    [
        ("learn-depth", False, 6, 6, "holds", ""), ("learn-depth", False, 6, 0, "denied", ""),
        ("learn-depth", True, 6, 0, "fails", "one layer of one head cannot tell what stood before"),
        ("learn-depth", True, 6, 6, "unexpected", ""),
        ("learn-depth", False, 2, 2, "undecided", "2 runs are too few"),
        ("learn-tied", False, 6, 6, "holds", ""), ("learn-tied", False, 6, 0, "denied", ""),
        ("learn-tied", True, 6, 0, "fails", "one matrix for queries and keys makes the scores mutual"),
        ("learn-tied", True, 6, 6, "unexpected", ""),
        ("learn-tied", False, 2, 2, "undecided", "2 runs are too few"),
        ("learn-scale", False, 6, 0, "holds", ""), ("learn-scale", False, 6, 6, "denied", ""),
        ("learn-scale", True, 6, 6, "fails", "scores start small without the factor, too"),
        ("learn-scale", True, 6, 0, "unexpected", ""),
        ("learn-scale", False, 2, 0, "undecided", "2 runs are too few"),
    ],
)  # fmt: skip
def test_what_breaks_a_claim_about_many_runs_is_said_with_its_switch_on_and_not_with_it_off(
    claim: str, broken: bool, runs: int, reached: int, came: str, because: str
) -> None:
    """As of other claims (tests/pages/test_said.py), but of runs of which it is given how many succeed."""
    switch = RATES[claim].breaks.options if broken else {}
    config = SeedsConfig(**{**RATES[claim].options, **switch, "runs": runs})
    verdicts, said = told_of(config, reached, runs)
    assert [(one.claim, came_to(one)) for one in verdicts] == [(claim, came)]
    for text in said.values() if claim == "learn-scale" else [said["curve"]]:
        held_to_verdicts(text, verdicts)
        assert f"{LEADS[came]}{because}" in text


def test_each_claim_about_many_runs_has_its_sentences_held() -> None:
    assert {*RATES} == {"learn-depth", "learn-tied", "learn-scale"}


@pytest.mark.slow
def test_whatever_is_set_and_comes_of_it_no_sentence_about_many_runs_denies_its_verdict() -> None:
    study = next(one for one in STUDIES if one.config is SeedsConfig)
    seen = set[tuple[str, str]]()
    for config in settings(study, "float32", 150, seed=5):
        for reached in (0, config.runs // 2, config.runs):
            verdicts, said = told_of(config, reached, config.runs)
            held_to_verdicts(said["curve"], verdicts)
            held_to_verdicts(said["proof"], [one for one in verdicts if one.claim == "learn-scale"])
            seen |= {(one.claim, came_to(one)) for one in verdicts}
    assert seen >= {
        (claim, came) for claim in ("learn-tied", "learn-scale") for came in ("holds", "fails", "undecided")
    }


def test_a_proof_says_what_the_best_without_order_and_what_guessing_gets() -> None:
    result = of("learning")
    history, score = dataclasses.replace(result.history, blind=0.4, chance=0.2), result.score
    told = proof(dataclasses.replace(result, history=history))[1].measured
    right = f"`{score.accuracy:.1%}` are right (standard error `{score.error:.1%}`)"
    assert told == f"On new sequences {right}; the best without order gets `40.0%`, guessing `20.0%`."


@pytest.mark.parametrize(
    ("gain", "triples", "better"), [(0.5, -0.1, True), (0.5, 0.1, False), (-0.5, -0.1, False), (0.0, -0.1, False)]
)
def test_counted_triples_are_said_to_be_better_where_pairs_are_beaten_and_they_are_not(
    gain: float, triples: float, better: bool
) -> None:
    result = of("a text")
    loss = result.run.held_out[-1]
    run = dataclasses.replace(result.run, counted=np.array([9.0, loss + gain, loss + triples]))
    view = text_view(dataclasses.replace(result, run=run, gain=Gain(mean=gain, error=0.01, sequences=40)))
    assert ("Counted triples foretell it better still." in view.summary) == better
    assert ("more than pairs" in view.summary) == (gain > 0)
