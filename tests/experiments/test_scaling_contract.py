"""What the scaling experiment promises: one config one result, settings refused in words, code that repeats it."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.config import ConfigError
from attention_core.experiments.scaling import (
    D_HEADS,
    ScalingConfig,
    ScalingResult,
    run_scaling,
    scaling_snippet,
    steps_scaling,
)
from attention_core.experiments.scaling.inputs import chunks
from attention_core.experiments.verdict import Step
from tests.experiments.scaling_runs import ARRAYS, run
from tests.experiments.snippets import run_snippets


def test_same_config_same_result_bit_for_bit() -> None:
    state = torch.get_rng_state()
    torch.manual_seed(99)
    before = torch.get_rng_state()
    with torch.inference_mode():
        again = run_scaling(ScalingConfig(num_keys=3, qk_norm=True))
    assert torch.equal(torch.get_rng_state(), before)
    torch.set_rng_state(state)
    first = run(num_keys=3, qk_norm=True)
    assert again.verdicts == first.verdicts
    for one, other in zip(again.curves, first.curves, strict=True):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
    assert all(np.array_equal(getattr(again.view, name), getattr(first.view, name)) for name in first.view.__slots__)
    assert run(num_keys=3, qk_norm=True, seed=1).verdicts != first.verdicts


def test_one_seed_is_one_input_in_every_precision() -> None:
    exact, rough = (next(chunks(ScalingConfig(dtype=dtype))) for dtype in ("float64", "bfloat16"))
    for name in exact.__slots__:
        assert torch.equal(getattr(exact, name).bfloat16(), getattr(rough, name))


def test_results_cannot_be_changed() -> None:
    result = run()
    for array in (result.d_heads, result.view.jacobian, *(getattr(result.chosen, name) for name in ARRAYS)):
        assert not array.flags.writeable
    assert result.provenance.seed == 0
    assert result.chosen is result.unscaled
    assert result.curves == (result.unscaled, result.scaled)


def test_the_chosen_factor_is_known_by_its_value() -> None:
    assert run(scale="1/sqrt(d_head)").chosen.name == "1/√d_head"
    third = run(scale="d_head^-alpha", alpha=0.4)
    assert len(third.curves) == 3
    assert third.chosen.name == "d_head^−0.4"
    np.testing.assert_allclose(third.chosen.factor, np.array(D_HEADS) ** -0.4)
    assert ScalingConfig(scale="1/d_head", temperature=2).factor(8) == 1 / 16


def test_the_picture_is_of_one_real_query() -> None:
    result = run()
    view = result.view
    np.testing.assert_allclose(view.weights.sum(1), 1, rtol=1e-6)
    stable = np.exp(view.scores - view.scores.max(1, keepdims=True).astype(np.float64))
    np.testing.assert_allclose(view.weights, stable / stable.sum(1, keepdims=True), rtol=1e-3, atol=1e-30)
    exact = view.weights.astype(np.float64)
    textbook = np.einsum("si,ij->sij", exact, np.eye(64)) - exact[:, :, None] * exact[:, None, :]
    np.testing.assert_allclose(view.jacobian, textbook, atol=1e-6)
    np.testing.assert_allclose(view.score_shares.sum(1), 1, atol=0.02)
    assert np.abs(view.weights.max(1) - result.chosen.max_weight).mean() < 0.1
    middle = view.normal_x.shape[1] // 2
    width = view.score_edges[:, 1] - view.score_edges[:, 0]
    np.testing.assert_allclose(view.normal_shares[:, middle], width / np.sqrt(2 * np.pi * np.array(D_HEADS)))


def test_only_the_64_heaviest_of_many_keys_are_shown() -> None:
    view = run(num_keys=80).view
    assert view.keys.shape == (64,)
    assert (np.diff(view.keys) > 0).all()
    assert view.jacobian.shape == (13, 64, 64)
    assert view.weights[-1].sum() > 0.999


def test_one_key_leaves_nothing_to_choose() -> None:
    result = run(num_keys=1)
    for curves in result.curves:
        assert (curves.max_weight == 1).all()
        for name in ("entropy", "jacobian", "bound_two", "gradient_median", "gradient_mean", "gradient_top_share"):
            assert (getattr(curves, name) == 0).all()
    assert "single key" in next(v.because for v in result.verdicts if v.claim == "scale-grad")


def test_steps_count_up_and_end_in_the_result() -> None:
    *steps, result = steps_scaling(ScalingConfig(num_keys=2, num_queries=2000))
    assert all(isinstance(step, Step) for step in steps)
    assert [step.done for step in steps] == list(range(9))
    assert {step.total for step in steps} == {9}
    assert steps[7].doing == "queries 1,793 to 2,000 of 2,000"
    assert isinstance(result, ScalingResult)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_keys": 0}, "num_keys = 0 is not possible: a whole number from 1 to 1,024 is allowed."),
        ({"num_queries": 1999}, "num_queries = 1999 is not possible: a whole number from 2,000 to 8,192 is allowed."),
        ({"num_keys": 1024}, "d_head × queries × keys up to 2,147,483,648 is allowed, this is 8,589,934,592"),
        ({"scale": "√d"}, "scale = '√d' is not possible: one of none, 1/sqrt(d_head), 1/d_head, d_head^-alpha is"),
        ({"alpha": 2.1}, "alpha = 2.1 is not possible: a number from 0 to 2 is allowed."),
        ({"alpha": math.nan}, "alpha = nan"),
        ({"temperature": 0}, "temperature = 0 is not possible: a number from 0.1 to 100 is allowed."),
        ({"inputs": "cauchy"}, "inputs = 'cauchy'"),
        ({"std": 1.05}, "std = 1.05 is not possible: a number from 0.1 to 4 in tenths is allowed."),
        ({"mean": -2.1}, "mean = -2.1"),
        ({"correlation": 1.1}, "correlation = 1.1"),
        ({"qk_norm": 1}, "qk_norm = 1 is not possible: True or False is allowed."),
        ({"through_module": True, "mean": 0.5}, "with W_Q and W_K, mean 0 and correlation 0 are allowed"),
        ({"dtype": "float16", "std": 4.0, "mean": 2.0}, "with these inputs, float16 ends at 65,504"),
        ({"seed": -1}, "seed = -1"),
        ({"dtype": "float8"}, "dtype = 'float8'"),
    ],
    ids=str,
)
def test_bad_settings_are_refused_in_words(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        ScalingConfig(**settings)
    assert words in str(refusal.value)


@pytest.mark.parametrize("d_head", [0, 3, 8192, 64.0])
def test_only_steps_of_the_sweep_can_be_looked_at(d_head: object) -> None:
    with pytest.raises(ConfigError, match="a power of two from 1 to 4,096 is allowed"):
        scaling_snippet(ScalingConfig(), d_head)
    with pytest.raises(ConfigError):
        run().at("max_weight", d_head)


SNIPPETS = [
    ({}, 64),
    ({}, 4096),
    ({"scale": "1/sqrt(d_head)"}, 1),
    ({"scale": "d_head^-alpha", "alpha": 0.4}, 256),
    ({"temperature": 20.0}, 512),
    ({"mean": 0.1, "inputs": "uniform"}, 32),
    ({"correlation": 0.1, "inputs": "signs"}, 16),
    ({"through_module": True}, 2048),
    ({"qk_norm": True, "std": 3.0, "dtype": "float32"}, 128),
    ({"inputs": "uniform", "dtype": "bfloat16", "seed": 8, "num_keys": 16}, 8),
    ({"num_keys": 1}, 2),
]


def printed(snippets: list[str]) -> list[dict[str, float]]:
    lines = [text.splitlines() for text in run_snippets(snippets)]
    return [{name: float(value) for name, value in (line.split() for line in text)} for text in lines]


def test_snippets_print_what_was_measured() -> None:
    answers = printed([scaling_snippet(ScalingConfig(**settings), d_head) for settings, d_head in SNIPPETS])
    names = {"mean_max_weight": "max_weight", "median_gradient": "gradient_median", "mean_gradient": "gradient_mean"}
    for (settings, d_head), answer in zip(SNIPPETS, answers, strict=True):
        rough = 0.03 if settings.get("dtype") == "bfloat16" else 1e-3
        assert answer == pytest.approx(
            {name: run(**settings).at(quantity, d_head) for name, quantity in names.items()}, rel=rough, abs=1e-200
        )


def test_a_snippet_is_short_and_another_seed_prints_something_else() -> None:
    for settings, d_head in SNIPPETS:
        code = scaling_snippet(ScalingConfig(**settings), d_head)
        assert "attention_core" not in code
        assert code.count("\n") <= 32
        assert max(map(len, code.splitlines())) <= 118
    first, second = printed([scaling_snippet(ScalingConfig(seed=seed)) for seed in (0, 1)])
    assert all(first[name] != second[name] for name in first)
