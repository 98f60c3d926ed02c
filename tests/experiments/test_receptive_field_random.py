"""Random heads: what they reach over many draws, against every choice there is and against the exact expectation."""

import itertools

import numpy as np
import pytest

from attention_core.experiments.receptive_field import ReceptiveFieldConfig
from attention_core.experiments.receptive_field.draws import expected_reach, measure_random, measure_share
from tests.experiments.receptive_field_runs import outcomes, run_all, seen_by_walking


@pytest.mark.parametrize(("heads", "layers"), [(1, 4), (2, 3), (3, 3), (7, 2)])
def test_random_heads_reach_most_of_the_paths(heads: int, layers: int) -> None:
    config = ReceptiveFieldConfig(heads=heads, layers=layers, tokens=8, weights="random", seed=7)
    one, sixteen = (measure_share(config, room) for room in (1, 16))
    assert 0.55 <= one.mean <= 0.66
    assert 0.95 <= sixteen.mean <= 0.98
    assert one.low < one.mean < one.high
    assert one.tokens == (heads + 1) ** one.layers
    assert sixteen.tokens == 16 * (heads + 1) ** sixteen.layers


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rf_random_holds_for_any_seed(seed: int, dtype: str) -> None:
    result = run_all(ReceptiveFieldConfig(weights="random", seed=seed, dtype=dtype, heads=3, layers=2))
    assert outcomes(result) == dict.fromkeys(
        ("rf-bound.most", "rf-bound.agree", "rf-random.1", "rf-random.16"), "holds"
    )
    assert result.random is not None
    assert (np.diff(result.random.mean) > 0).all()
    assert ((result.random.low <= result.random.median) & (result.random.median <= result.random.high)).all()


@pytest.mark.parametrize(
    "switch", [{"mask": "causal"}, {"residual": False}, {"write_positions": True}, {"mask": "window"}]
)
@pytest.mark.parametrize("heads", [1, 2])
def test_random_heads_reach_less_where_less_is_open_to_them(switch: dict, heads: int) -> None:
    result = run_all(ReceptiveFieldConfig(weights="random", heads=heads, tokens=20, **switch))
    for share in result.shares:
        verdict = result.verdict(f"rf-random.{share.room}")
        assert not verdict.surprises
        assert verdict.because or share.layers < 3
        if verdict.because:
            assert share.mean < share.exact - 5 * share.error


def test_tokens_that_look_at_the_same_keys_are_no_further_evidence() -> None:
    """Seen once: the 32 draws' own spread put their mean 6 standard errors off."""
    config = ReceptiveFieldConfig(weights="random", seed=600343, tokens=59, dtype="float32", write_positions=True)
    assert run_all(config).verdict("rf-random.16").outcome == "holds"
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
