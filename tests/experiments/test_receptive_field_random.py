"""Random heads: what they reach over many draws, against every choice there is and against the exact expectation."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_core.measuring.run import run
from attention_core.studies.receptive_field import ReceptiveFieldConfig
from attention_core.studies.receptive_field.draws import expected_reach, measure_random, measure_share
from attention_core.studies.receptive_field.kernel import kernel_verdict, measure_kernel
from attention_core.studies.receptive_field.settings import intended_targets
from tests.experiments.receptive_field_runs import seen_by_walking


@pytest.mark.parametrize(("heads", "layers"), [(1, 4), (2, 3), (3, 3), (7, 2)])
def test_random_heads_reach_most_of_the_paths(heads: int, layers: int) -> None:
    config = ReceptiveFieldConfig(heads=heads, layers=layers, tokens=8, weights="random", seed=7)
    one, sixteen = (measure_share(config, room) for room in (1, 16))
    assert 0.55 <= one.mean <= 0.66
    assert 0.95 <= sixteen.mean <= 0.98
    assert one.low < one.mean < one.high
    assert one.tokens == (heads + 1) ** one.layers
    assert sixteen.tokens == 16 * (heads + 1) ** sixteen.layers


@pytest.mark.parametrize(
    "switch", [{"mask": "causal"}, {"residual": False}, {"write_positions": True}, {"mask": "window"}]
)
@pytest.mark.parametrize("heads", [1, 2])
def test_random_heads_reach_less_where_less_is_open_to_them(switch: dict, heads: int) -> None:
    result = run(ReceptiveFieldConfig(weights="random", heads=heads, tokens=20, **switch))
    for share in result.shares:
        verdict = result.verdict(f"rf-random.{share.tokens_per_path}")
        assert not verdict.surprises
        assert verdict.because or share.layers < 3
        if verdict.because:
            assert share.mean < share.exact - 5 * share.error


def test_tokens_that_look_at_the_same_keys_are_no_further_evidence() -> None:
    """Seen once: the 32 draws' own spread put their mean 6 standard errors off."""
    config = ReceptiveFieldConfig(weights="random", seed=600343, tokens=59, dtype="float32", write_positions=True)
    result = run(config)
    assert result.verdict("rf-random.16").outcome == "holds"
    assert "with as many tokens as paths" in str(result.verdict("rf-random.1").says)
    assert "with 16 × as many tokens as paths" in str(result.verdict("rf-random.16").says)
    share = measure_share(config, 16)
    assert share.error == pytest.approx(expected_reach(2, 2, 144)[1] / np.sqrt(share.draws) / 9)


@pytest.mark.parametrize(("heads", "layers", "tokens"), [(1, 1, 2), (2, 1, 3), (1, 2, 3), (2, 2, 2)])
def test_expected_reach_is_the_mean_over_all_choices(heads: int, layers: int, tokens: int) -> None:
    counts = []
    for choice in itertools.product(range(tokens), repeat=heads * layers * tokens):
        targets = np.array(choice).reshape(layers, heads, tokens)
        counts.append(len(seen_by_walking(targets, True, layers, 0)))
    mean, deviation = expected_reach(heads, layers, tokens)
    assert mean == pytest.approx(np.mean(counts), rel=1e-12)
    assert deviation == pytest.approx(np.std(counts), rel=1e-9)


def test_expected_reach_where_it_can_be_looked_up() -> None:
    assert expected_reach(1, 1, 2)[0] == pytest.approx(1.5)
    assert expected_reach(3, 4, 1) == (1.0, 0.0)
    for heads, layers, low, high in ((1, 8, 0.55, 0.56), (1, 2, 0.64, 0.65), (3, 4, 0.59, 0.6), (8, 2, 0.61, 0.62)):
        paths = (heads + 1) ** layers
        assert low <= expected_reach(heads, layers, paths)[0] / paths <= high


def test_fewer_draws_where_they_are_dear() -> None:
    config = ReceptiveFieldConfig(weights="random", heads=1)
    assert measure_random(config, 1, 2).draws == 512
    assert measure_random(config, 1, 256).draws == 32
    assert measure_random(config, 3, 1024).draws == 2**25 // (3 * 1024**2)


def test_one_seed_is_one_graph_in_every_precision() -> None:
    asked = ReceptiveFieldConfig(weights="random", layers=2)
    first, *others = (run(replace(asked, dtype=dtype)) for dtype in ("float64", "float32", "float16"))
    for other in others:
        np.testing.assert_array_equal(first.edges, other.edges)
        assert other.shares[0].mean == first.shares[0].mean


# ---- a layer of heads beside a convolution: equal where heads look a fixed distance back ----


@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize(("heads", "residual"), [(1, True), (3, False), (8, True)])
def test_built_heads_are_a_convolution(heads: int, residual: bool, dtype: str) -> None:
    for seed in range(5):
        config = ReceptiveFieldConfig(heads=heads, tokens=23, residual=residual, dtype=dtype, seed=seed)
        kernel = measure_kernel(config)
        assert kernel.compared == 23 - heads
        assert kernel.residual <= kernel.bound
        assert kernel_verdict(config, kernel).outcome == "holds"


def test_the_taps_are_where_the_heads_look() -> None:
    kernel = measure_kernel(ReceptiveFieldConfig(heads=3, tokens=20))
    assert kernel.distances.tolist() == list(range(-10, 11))
    expected = (kernel.distances == np.arange(1, 4)[:, None]).astype(float)
    np.testing.assert_array_equal(kernel.weights, expected)
    assert not kernel.spread.any()


def test_weights_by_distance_are_those_of_the_matrix_counted_one_by_one() -> None:
    config = ReceptiveFieldConfig(heads=2, tokens=9, weights="random", seed=4)
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


@pytest.mark.parametrize("head", range(3))
def test_the_comparison_is_with_every_tap(head: int, monkeypatch: pytest.MonkeyPatch) -> None:
    config = ReceptiveFieldConfig(heads=3, tokens=12)
    further = intended_targets(config).copy()
    further[0, head] = np.maximum(0, further[0, head] - 1)
    monkeypatch.setattr("attention_core.studies.receptive_field.kernel.intended_targets", lambda _: further)
    kernel = measure_kernel(config)
    assert kernel.residual > 1000 * kernel.bound
