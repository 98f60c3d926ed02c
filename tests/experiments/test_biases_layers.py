"""What norms, averages, training and a published experiment make of a bias."""

import math

import numpy as np
import pytest

from attention_core.experiments.biases import (
    AfterNormConfig,
    AppendixConfig,
    MeanConfig,
    TrainingConfig,
    run_after_norm,
    run_appendix,
    run_mean,
)
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.run import run


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_survives_is_a_thousand_times_what_rounding_explains(dtype: str) -> None:
    result = run_after_norm(AfterNormConfig(dtype=dtype))
    layer, batch, rms = (result.survival(name) for name in ("LayerNorm", "BatchNorm", "RMSNorm"))
    assert layer is not None
    assert batch is not None
    assert rms is not None
    assert layer.mean_part <= layer.bound
    assert layer.rest >= 1000 * layer.bound
    assert batch.whole <= batch.bound
    assert rms.mean_part >= 100 * rms.bound
    broken = run_after_norm(AfterNormConfig(dtype=dtype, batch_norm_eval=True)).verdict("bias-norm.batch")
    assert broken.measured >= 1000 * broken.bound  # type: ignore[operator]
    assert not broken.expected


def test_layer_norm_cancels_a_constant_bias_whole() -> None:
    result = run_after_norm(AfterNormConfig(direction="equal"))
    layer = result.survival("LayerNorm")
    assert layer is not None
    assert layer.whole <= layer.bound
    assert [verdict.holds for verdict in result.verdicts] == [True, True, False, True]
    assert not any(verdict.surprises for verdict in result.verdicts)


def test_batch_norm_of_one_token_is_refused_in_words() -> None:
    result = run_after_norm(AfterNormConfig(tokens=("alone",)))
    assert result.survival("BatchNorm") is None
    assert "more than one token" in result.refusal
    assert run_after_norm(AfterNormConfig(tokens=("alone",), batch_norm_eval=True)).refusal == ""


def test_the_mean_of_a_linear_layer_is_its_bias() -> None:
    for seed in range(5):
        result = run_mean(MeanConfig(seed=seed))
        assert result.verdicts[0].holds
        ratio = result.errors / result.expected_errors
        assert 0.3 < ratio.min() < ratio.max() < 3
        # The error falls with the root of the number of samples.
        slope = np.polyfit(np.log(result.samples), np.log(result.errors), 1)[0]
        assert slope == pytest.approx(-0.5, abs=0.12)
    broken = run_mean(MeanConfig(input_mean=0.5)).verdicts[0]
    assert not broken.holds
    assert not broken.expected
    assert broken.measured > 50


def test_the_mean_does_not_depend_on_how_samples_are_cut() -> None:
    short, long = run_mean(MeanConfig(doublings=10)), run_mean(MeanConfig(doublings=15))
    steps = len(short.samples)
    assert np.array_equal(short.means, long.means[:steps])


def test_the_published_numbers_come_out_again() -> None:
    result = run_appendix(AppendixConfig())
    assert len(result.verdicts) == 5
    assert all(verdict.holds and verdict.expected for verdict in result.verdicts)
    for row in result.rows:
        assert 0.5 <= row.float32 / row.published <= 2
        assert row.float64 < 1e-7 * row.float32  # float64 shows that the rest is rounding
    other = run_appendix(AppendixConfig(seed=1))
    assert [verdict.dtype for verdict in other.verdicts] == ["float64", "float64"]
    assert other.rows[0].float32 != result.rows[0].float32


def test_training_leaves_the_key_bias_without_a_signal() -> None:
    result = run(TrainingConfig(dtype="float32", steps=200))
    assert result.verdicts[0].holds
    assert result.norms.shape == (2, 201, 4)
    assert result.key_bias("SGD") < 1e-7
    # Adam makes steps of what is nothing but rounding.
    assert result.key_bias("Adam") > 100 * result.key_bias("SGD")
    assert (result.norms[:, -1, [0, 2, 3]] > 0.01).all()
    assert run(TrainingConfig(dtype="float64", steps=50)).key_bias("SGD") < 1e-16


def test_impossible_settings_are_refused() -> None:
    for make in (
        lambda: MeanConfig(doublings=40),
        lambda: MeanConfig(input_mean=math.nan),
        lambda: TrainingConfig(steps=10**6),
        lambda: AfterNormConfig(size=1e9),
        lambda: AppendixConfig(seed=10**9),
    ):
        with pytest.raises(ConfigError):
            make()
