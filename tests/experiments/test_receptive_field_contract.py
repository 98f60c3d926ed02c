"""The receptive field as an experiment: any settings, the same twice, refused where impossible, and its code."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.experiments.receptive_field import (
    ReceptiveFieldConfig,
    run_table,
)
from attention_core.experiments.receptive_field.verdicts import final_targets
from tests.experiments.receptive_field_runs import run_all

DTYPES = ("float64", "float32", "bfloat16", "float16")


@settings(max_examples=25)
@given(
    heads=st.integers(1, 8),
    layers=st.integers(1, 8),
    tokens=st.integers(1, 40),
    weights=st.sampled_from(["constructed", "soft"]),
    temperature=st.floats(0.05, 2),
    threshold=st.sampled_from([0.0, 1e-4, 0.01, 0.1, 0.2]),
    mask=st.sampled_from(["none", "causal", "window"]),
    window=st.integers(0, 40),
    wrap=st.booleans(),
    residual=st.booleans(),
    writes=st.booleans(),
    dtype=st.sampled_from(DTYPES),
)
def test_verdicts_do_what_the_switches_say(writes: bool, **chosen: object) -> None:
    config = ReceptiveFieldConfig(write_positions=writes and chosen["mask"] != "window", **chosen)
    result = run_all(config)
    assert [verdict.sentence() for verdict in result.verdicts if verdict.surprises] == []
    np.testing.assert_array_equal(result.edges, final_targets(config))
    np.testing.assert_array_equal(result.paths.sum(-1) > 0, True)
    if config.dtype in ("float64", "float32"):
        np.testing.assert_allclose(result.paths.sum(-1)[-1], config.paths(config.layers), rtol=1e-4)


def test_one_seed_is_one_graph_in_every_precision() -> None:
    results = [run_all(ReceptiveFieldConfig(weights="random", dtype=dtype, layers=2)) for dtype in DTYPES]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].edges, other.edges)
        assert other.shares[0].mean == results[0].shares[0].mean
    another = run_all(ReceptiveFieldConfig(weights="random", layers=2, seed=1))
    assert not (another.edges == results[0].edges).all()


@pytest.mark.parametrize("weights", ["constructed", "random", "soft"])
def test_one_token_one_head_one_layer(weights: str) -> None:
    result = run_all(ReceptiveFieldConfig(heads=1, layers=1, tokens=1, weights=weights))
    assert result.reach_graph.tolist() == [[1]]
    assert result.reach_autograd.tolist() == [[1]]
    assert result.paths.tolist() == [[[2.0]]]
    assert not any(verdict.surprises for verdict in result.verdicts)
    assert "1 tokens" not in result.verdicts[0].sentence()


def test_the_table_holds_every_size() -> None:
    table = run_table(ReceptiveFieldConfig(tokens=100))
    sizes = (np.arange(1, 9)[:, None] + 1) ** np.arange(1, 9)
    np.testing.assert_array_equal(table.counts, np.minimum(sizes, 100))
    fewer = run_table(ReceptiveFieldConfig(tokens=100, residual=False, wrap=True, layers=2))
    np.testing.assert_array_equal(fewer.counts[:3, :3], [[1, 1, 1], [2, 4, 8], [3, 9, 27]])
    assert ReceptiveFieldConfig(heads=5, layers=1, weights="soft", threshold=0.1, seed=3).tabled == (
        ReceptiveFieldConfig().tabled
    )
