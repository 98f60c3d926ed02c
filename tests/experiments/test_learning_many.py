"""Several seeds, the map, models as files, and the code that trains without this project."""

import dataclasses
import json
import struct

import numpy as np
import pytest

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.run import run
from attention_core.studies.learning import (
    D_HEADS,
    LearningConfig,
    MapConfig,
    MapStep,
    SeedsConfig,
    SeedsStep,
    SuccessRate,
    answer,
    keep,
    load_kept,
    steps_map,
    steps_seeds,
)
from attention_core.studies.learning.checkpoint import FORMAT
from attention_core.studies.learning.result import Score
from attention_core.studies.learning.seeds import _share
from attention_core.studies.learning.verdicts import learns

SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 12}
DEPTH = {"task": "induction", "tokens": 16, "kinds": 8, "d_model": 24, "layers": 2, "causal": True, "steps": 300}
DESCENT = {"optimizer": "sgd", "learning_rate": 0.3, "steps": 200}


@pytest.mark.parametrize(
    ("reached", "runs", "low", "high"),
    [(8, 8, 0.6756, 1.0), (0, 8, 0.0, 0.3244), (4, 8, 0.2152, 0.7848), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_of_a_share_is_wilsons(reached: int, runs: int, low: float, high: float) -> None:
    share = SuccessRate(reached=reached, runs=runs)
    assert (share.low, share.high) == pytest.approx((low, high), abs=1e-4)


def test_a_run_succeeds_that_gets_just_what_is_asked_of_it() -> None:
    just, below = (Score(accuracy=share, error=0.0, above_blind=0.0, blind_error=0.0) for share in (0.95, 0.949))
    assert _share([just, below]) == SuccessRate(reached=1, runs=2)


def test_each_of_several_runs_is_the_run_of_its_seed() -> None:
    config = SeedsConfig(runs=3, seed=999_998, **SMALL)
    *steps, result = steps_seeds(config)
    assert config.seeds == (999_998, 999_999, 0)
    for seed, score in zip(config.seeds, result.scores, strict=True):
        assert run(LearningConfig(seed=seed, **SMALL)).score == score
    assert all(isinstance(step, SeedsStep) for step in steps)
    assert [step.done for step in steps] == list(range(len(steps)))
    assert {step.total for step in steps} == {len(steps)}
    assert result.moments[[0, -1]].tolist() == [0, 12]
    assert np.isnan(steps[0].accuracy[0, 1:]).all()
    np.testing.assert_array_equal(steps[-1].accuracy, result.accuracy)
    assert result.share == SuccessRate(reached=0, runs=3)
    assert run(config).scores == result.scores


def test_a_run_that_ends_early_leaves_the_rest_of_its_curve_empty() -> None:
    result = run(SeedsConfig(runs=2, optimizer="sgd", learning_rate=100.0, **SMALL | {"steps": 60}))
    assert np.isfinite(result.accuracy[:, 0]).all()
    assert np.isnan(result.accuracy[:, -1]).all()
    assert result.share.reached == 0
    assert SeedsConfig(runs=8).seconds == pytest.approx(8 * LearningConfig().seconds)


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"positions": "learned", "batch": 16, "feed_forward": False},
        {"task": "copy", "projections": "tied-kv", "feed_forward": False},
        {"scale": "none", "start": 0.25, "d_head": 256, "batch": 16, **DESCENT},
        DEPTH,
    ],
)  # fmt: skip
def test_what_is_said_to_be_learned_is(settings: dict) -> None:
    config = LearningConfig(seed=77, **settings)
    assert learns(config)
    assert run(config).score.accuracy >= 0.95


def test_what_starts_far_apart_does_not_learn_with_the_factor_either() -> None:
    with_factor = LearningConfig(seed=5, start=4.0, batch=16, feed_forward=False, **DESCENT)
    assert with_factor.score_spread == 16
    assert run(with_factor).score.accuracy < 0.5


def test_the_map_fills_cell_by_cell() -> None:
    *steps, result = steps_map(MapConfig(steps=2, optimizer="sgd"))
    assert len(steps) == 32
    assert all(isinstance(step, MapStep) for step in steps)
    for done, step in enumerate(steps):
        assert (step.done, step.total) == (done, 32)
        assert np.isfinite(step.accuracy).sum() == done
    assert result.accuracy.shape == (2, 4, 4)
    config = result.config.cell(1, 2, 3)
    assert (config.scale, config.learning_rate, config.d_head) == ("none", 0.3, 1024)
    assert run(config).score.accuracy == result.accuracy[1, 2, 3]
    np.testing.assert_allclose(result.spread, [[1, 1, 1, 1], np.sqrt(D_HEADS)])


@pytest.fixture(scope="module")
def kept() -> bytes:
    return keep(run(LearningConfig(projections="tied-qk", dtype="float64", **SMALL)).trained)


def rewritten(content: bytes, change: object) -> bytes:
    """The file with its header changed."""
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    change(header)  # type: ignore[operator]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content[8 + length :]


def test_a_kept_model_comes_back_as_it_was(kept: bytes) -> None:
    trained = run(LearningConfig(projections="tied-qk", dtype="float64", **SMALL)).trained
    loaded = load_kept(kept)
    assert loaded.config == dataclasses.replace(trained.config, device="auto")
    assert {name: each.tobytes() for name, each in loaded.weights.items()} == {
        name: each.tobytes() for name, each in trained.weights.items()
    }
    first, second = (answer(each, tuple("abcde")) for each in (trained, loaded))
    assert first.said == second.said
    assert first.probabilities.tobytes() == second.probabilities.tobytes()
    assert keep(loaded) == kept


def test_what_is_no_kept_model_is_refused(kept: bytes) -> None:
    def config(header: dict, **changed: object) -> None:
        metadata = header["__metadata__"]
        metadata[FORMAT] = json.dumps(json.loads(metadata[FORMAT]) | changed)

    broken = np.frombuffer(kept, np.uint8).copy()
    broken[-8:] = np.frombuffer(np.float64("nan").tobytes(), np.uint8)
    for content, sentence in (
        (b"", "safetensors file has more than 8"),
        (broken.tobytes(), "finite numbers in float64"),
        (rewritten(kept, lambda header: header.pop("__metadata__")), "kept here is needed"),
        (rewritten(kept, lambda header: header.update(more=header.pop("table"))), "names and shapes"),
        (rewritten(kept, lambda header: config(header, d_model=256)), "names and shapes"),
        (rewritten(kept, lambda header: config(header, d_model=10**9)), "d_model"),
        (rewritten(kept, lambda header: config(header, more=1)), "exactly the settings"),
        (rewritten(kept, lambda header: header["__metadata__"].update({FORMAT: "{"})), "settings as JSON"),
        (rewritten(kept, lambda header: config(header, dtype="float32")), "finite numbers in float32"),
    ):
        with pytest.raises(ConfigError, match=sentence):
            load_kept(content)
