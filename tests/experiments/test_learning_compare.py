"""Models that differ in one thing: each is the run of its own settings, at its length and at others."""

from typing import Any

import numpy as np
import pytest
import torch

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.run import run
from attention_core.studies.learning import CompareConfig, CompareStep, LearningConfig, rebuild
from attention_core.studies.learning.draw import compare_said, compare_table, compare_view

SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 20, "feed_forward": False}


def test_each_is_the_run_of_its_settings_and_seed() -> None:
    config = CompareConfig(runs=2, seed=3, heads=4, d_head=2, **SMALL)
    result = run(config)
    assert result.names == ("1", "2", "4", "8")
    for name, curves in zip(result.names, result.at_lengths, strict=True):
        for seed, shares in zip((3, 4), curves, strict=True):
            alone = run(LearningConfig(heads=int(name), seed=seed, **SMALL))
            assert alone.trained.config.head_size == 16 // int(name), "together as wide as one"
            assert shares[result.trained_at] == pytest.approx(alone.score.accuracy, rel=1e-12)


def test_at_another_length_it_is_asked_for_the_task_of_that_length() -> None:
    result = run(CompareConfig(varies="positions", runs=2, **SMALL))
    assert result.names == ("learned", "sinusoidal", "rotary", "alibi")
    assert result.lengths.tolist() == [3, 4, 6, 8, 9, 12]
    assert np.isnan(result.at_lengths[0, :, 3:]).all(), "a table ends"
    assert np.isfinite(result.at_lengths[0, :, :3]).all()
    assert np.isfinite(result.at_lengths[1:]).all()
    model = rebuild(run(LearningConfig(positions="rotary", seed=1, **SMALL)).trained)
    inputs = torch.randint(5, (4000, 9), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        right = (model(inputs).argmax(-1) == inputs.flip(1)).double().mean()
    assert abs(result.at_lengths[2, 1, 4] - float(right)) < 0.03, "held-out sequences, of 512"


def test_a_step_has_what_there_is_so_far() -> None:
    config = CompareConfig(runs=2, **SMALL)
    steps: list[CompareStep] = []
    run(config, steps.append)
    assert [step.done for step in steps] == list(range(8))
    assert [int(np.isfinite(step.at_lengths[..., 0]).sum()) for step in steps] == list(range(8))
    assert str(steps[5].doing) == "2 heads, run 2 of 2"
    for step in (steps[0], steps[5]):
        view = compare_view(config, step)
        assert view.summary.startswith("They learn: ")
        assert not any(panel.warning for panel in view.panels)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"d_model": 15, "heads": 1, "positions": "none"}, "d_model = 15 is not possible: a multiple of 2 is"),
        ({"varies": "depth"}, "varies = 'depth' is not possible"),
        ({"steps": 4000, "batch": 256, "tokens": 64}, "steps = '12 runs of 4,000 steps"),
    ],
)
def test_what_is_not_possible_is_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        CompareConfig(**settings)


def test_models_that_are_not_possible_are_left_out() -> None:
    odd = CompareConfig(d_model=12, positions="rotary")
    assert tuple(odd.variants) == ("1", "2"), "rotary positions turn pairs, and 12 is no multiple of 8"
    assert tuple(CompareConfig(varies="positions", d_model=9).variants) == ("learned", "sinusoidal", "alibi")
    assert CompareConfig(task="copy", back=4, tokens=6).lengths == (6, 8, 9, 12)


DEPTH = {"task": "induction", "tokens": 16, "kinds": 8, "d_model": 24, "steps": 300, "feed_forward": False}


@pytest.mark.nightly
def test_small_heads_continue_what_one_large_head_cannot() -> None:
    result = run(CompareConfig(**DEPTH))
    said, ends = compare_said(result), np.median(result.at_lengths[:, :, result.trained_at], axis=1)
    assert ends[0] < 0.6 < 0.8 < ends[-1]
    assert "8 small heads look at several places at once" in said


@pytest.mark.slow
def test_what_is_said_is_what_was_measured() -> None:
    result = run(CompareConfig(varies="positions", task="copy", runs=2, batch=16, feed_forward=False))
    said, shares = compare_said(result), np.median(result.at_lengths, axis=1)
    assert shares[1, 2] > 0.95 > 0.8 > shares[1, -1]
    assert f"sines and cosines {shares[1, 2]:.0%}, and {shares[1, -1]:.0%} of 24 tokens" in said
    assert "ALiBi" not in said, "which has not learned to copy"
    assert said.endswith("A table of learned positions has none beyond 12 tokens.")
    rows = compare_table(result).rows
    assert (len(rows), rows[0][:2], rows[-1][0]) == (8, ("learned", 0), "alibi")
    reverse = compare_said(run(CompareConfig(runs=2, steps=60, batch=16, feed_forward=False)))
    assert reverse.startswith("A head has one softmax")
