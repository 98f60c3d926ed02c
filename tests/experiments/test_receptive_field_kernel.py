"""A layer of heads beside a convolution: equal where heads look a fixed distance back, and nowhere else."""

import numpy as np
import pytest

from attention_core.experiments.receptive_field import ReceptiveFieldConfig
from attention_core.experiments.receptive_field.kernel import kernel_verdict, measure_kernel


def measured(**settings: object) -> object:
    return measure_kernel(ReceptiveFieldConfig(**settings))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("heads", [1, 3, 8])
@pytest.mark.parametrize("residual", [True, False])
def test_built_heads_are_a_convolution(heads: int, residual: bool, dtype: str) -> None:
    for seed in range(5):
        config = ReceptiveFieldConfig(heads=heads, tokens=23, residual=residual, dtype=dtype, seed=seed)
        kernel = measure_kernel(config)
        assert kernel.compared == 23 - heads
        assert kernel.residual <= kernel.bound
        assert kernel_verdict(config, kernel).outcome == "holds"


def test_the_taps_are_where_the_heads_look() -> None:
    kernel = measured(heads=3, tokens=20)
    assert kernel.distances.tolist() == list(range(-10, 11))
    expected = (kernel.distances == np.arange(1, 4)[:, None]).astype(float)
    np.testing.assert_array_equal(kernel.weights, expected)
    assert not kernel.spread.any()


def test_weights_by_distance_are_those_of_the_matrix_counted_one_by_one() -> None:
    config = ReceptiveFieldConfig(heads=2, tokens=9, weights="random", seed=4)
    from attention_core.experiments.receptive_field.config import intended_targets

    targets, kernel = intended_targets(config)[0], measure_kernel(config)
    for head in range(2):
        for at, distance in enumerate(kernel.distances.tolist()):
            seen = [float(targets[head, i] == i - distance) for i in range(2, 9) if 0 <= i - distance < 9]
            assert kernel.weights[head, at] == pytest.approx(np.mean(seen) if seen else 0)
            assert kernel.spread[head, at] == (max(seen) - min(seen) if seen else 0)


@pytest.mark.parametrize("tokens", [1, 2])
def test_where_no_token_has_all_taps_nothing_is_decided(tokens: int) -> None:
    config = ReceptiveFieldConfig(heads=2, tokens=tokens)
    verdict = kernel_verdict(config, measure_kernel(config))
    assert (verdict.outcome, verdict.because) == ("undecided", "no token has every tap before it")


def test_the_comparison_is_with_every_tap() -> None:
    for head in range(3):
        config = ReceptiveFieldConfig(heads=3, tokens=12)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "attention_core.experiments.receptive_field.kernel.intended_targets",
                lambda config, head=head: _one_further(config, head),
            )
            kernel = measure_kernel(config)
        assert kernel.residual > 1000 * kernel.bound


def _one_further(config: ReceptiveFieldConfig, head: int) -> np.ndarray:
    from attention_core.experiments.receptive_field.config import intended_targets

    targets = intended_targets(config).copy()
    targets[0, head] = np.maximum(0, targets[0, head] - 1)
    return targets
