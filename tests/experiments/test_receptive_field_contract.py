"""The receptive field as an experiment: any settings, the same twice, refused where impossible, and its code."""

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.receptive_field import (
    MASKS,
    WEIGHTS,
    ReceptiveFieldConfig,
    ReceptiveFieldResult,
    receptive_field_snippet,
    run_table,
    steps_receptive_field,
)
from attention_core.experiments.receptive_field.config import MAX_SOFT_CELLS
from attention_core.experiments.receptive_field.verdicts import final_targets
from attention_core.experiments.verdict import Step
from tests.experiments.receptive_field_runs import run_all
from tests.experiments.snippets import own_lines, run_snippets

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


@pytest.mark.parametrize("weights", ["constructed", "random", "soft"])
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_on_the_cpu_the_same_config_gives_the_same_result_bit_for_bit(weights: str, dtype: str) -> None:
    config = ReceptiveFieldConfig(weights=weights, dtype=dtype, device="cpu", seed=11, layers=2)
    first, second = run_all(config), run_all(config)
    for holder, again in ((first, second), (first.kernel, second.kernel)):
        for field in dataclasses.fields(holder):
            one, other = getattr(holder, field.name), getattr(again, field.name)
            if isinstance(one, np.ndarray):
                assert one.tobytes() == other.tobytes()
                assert not one.flags.writeable
            elif field.name not in ("random", "kernel"):
                assert one == other
    assert (first.random is None) == (weights != "random")


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


def test_steps_count_up_and_end_with_the_result() -> None:
    for weights, total in (("constructed", 1), ("random", 4)):
        *steps, result = steps_receptive_field(ReceptiveFieldConfig(weights=weights, layers=1, heads=1, tokens=4))
        assert all(isinstance(step, Step) for step in steps)
        assert [step.done for step in steps] == list(range(total))
        assert {step.total for step in steps} == {total}
        assert isinstance(result, ReceptiveFieldResult)


def test_the_table_holds_every_size() -> None:
    table = run_table(ReceptiveFieldConfig(tokens=100))
    sizes = (np.arange(1, 9)[:, None] + 1) ** np.arange(1, 9)
    np.testing.assert_array_equal(table.counts, np.minimum(sizes, 100))
    fewer = run_table(ReceptiveFieldConfig(tokens=100, residual=False, wrap=True, layers=2))
    np.testing.assert_array_equal(fewer.counts[:3, :3], [[1, 1, 1], [2, 4, 8], [3, 9, 27]])
    assert ReceptiveFieldConfig(heads=5, layers=1, weights="soft", threshold=0.1, seed=3).tabled == (
        ReceptiveFieldConfig().tabled
    )


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"heads": 0}, "1 to 8"),
        ({"heads": 9}, "1 to 8"),
        ({"heads": True}, "heads"),
        ({"layers": 9}, "layers"),
        ({"tokens": 0}, "1 to 256"),
        ({"tokens": 257}, "1 to 256"),
        ({"weights": "hard"}, "constructed"),
        ({"mask": ""}, "causal"),
        ({"window": -1}, "window"),
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"threshold": 1.5}, "threshold"),
        ({"wrap": 1}, "wrap"),
        ({"residual": None}, "residual"),
        ({"write_positions": True, "mask": "window"}, "another mask"),
        ({"seed": -1}, "seed"),
        ({"dtype": "int8"}, "dtype"),
    ],
)
def test_impossible_settings_are_refused(given: dict, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        ReceptiveFieldConfig(**given)


def test_the_combined_cost_is_refused_with_the_room_there_is() -> None:
    with pytest.raises(
        ConfigError, match=r"up to 2,097,152 .* soft heads and this is 4,194,304; 8 heads and 8 layers .* 181 tokens"
    ):
        ReceptiveFieldConfig(heads=8, layers=8, tokens=256, weights="soft")
    assert 64 * ReceptiveFieldConfig(heads=8, layers=8, tokens=181).tokens ** 2 <= MAX_SOFT_CELLS


def said(result: ReceptiveFieldResult) -> str:
    counts = (result.paths[-1] > result.config.seen_above * result.config.paths(result.config.layers)).sum(-1)
    assert len(result.chosen) == result.config.tokens
    return f"the last token sees {counts[-1]} inputs; all tokens together {counts.sum()}"


def fuzzed() -> list[ReceptiveFieldConfig]:
    """Settings of all kinds, the same on every run; up to 64 tokens, so that autograd is asked for all of them."""
    random = np.random.default_rng(5)
    configs = [ReceptiveFieldConfig(), ReceptiveFieldConfig(tokens=1, layers=1, heads=1, mask="causal")]
    for weights, mask, dtype in itertools.islice(itertools.product(WEIGHTS, MASKS, DTYPES), 0, None, 2):
        heads, layers, tokens, window, seed = (int(random.integers(1, most)) for most in (9, 6, 48, 12, 1000))
        wrap, residual, writes = (bool(random.integers(2)) for _ in range(3))
        configs.append(
            ReceptiveFieldConfig(
                heads=heads, layers=layers, tokens=tokens, weights=weights, mask=mask, window=window, wrap=wrap,
                residual=residual, write_positions=writes and mask != "window", seed=seed, temperature=0.15,
                threshold=0.0 if dtype == "float16" else 0.003, dtype="float32" if weights == "soft" else dtype,
            )
        )  # fmt: skip
    return configs


@pytest.mark.slow
def test_the_snippets_count_the_same() -> None:
    configs = fuzzed()
    snippets = [receptive_field_snippet(config) for config in configs]
    assert all(len(own_lines(code)) <= 30 for code in snippets)
    for config, printed in zip(configs, run_snippets(snippets), strict=True):
        assert printed.strip() == said(run_all(config)), config


def test_another_seed_changes_what_the_snippet_prints() -> None:
    configs = [ReceptiveFieldConfig(weights="random", tokens=64, seed=seed) for seed in (0, 1)]
    first, second = run_snippets([receptive_field_snippet(config) for config in configs])
    assert first != second
