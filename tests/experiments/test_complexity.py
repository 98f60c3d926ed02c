"""Complexity: every count held to its formula, every switch to what it breaks, and code that counts again."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from attention_core.experiments.complexity import (
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    ComplexityResult,
    TimesConfig,
    complexity_snippet,
    read_cell,
    run_complexity,
)
from attention_core.experiments.complexity.count import count
from attention_core.experiments.config import ConfigError
from attention_core.modules.multi_head import MultiHeadAttention
from tests.experiments.snippets import run_snippets

CLAIMS = ("cplx-core", "cplx-core", "cplx-mha", "cplx-bottleneck", "mha-reshape")
# Every size a different prime (times the heads), so that no transposition can pass.
PRIMES = {"num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5}


def verdict(result: ComplexityResult, claim: str, at: int = 0):
    return [one for one in result.verdicts if one.claim == claim][at]


def test_every_claim_has_its_verdict_and_holds_by_default() -> None:
    result = run_complexity(ComplexityConfig())
    assert tuple(one.claim for one in result.verdicts) == CLAIMS
    assert all(one.holds and one.as_expected for one in result.verdicts)


def test_lines_of_primes_counted_by_hand() -> None:
    result = run_complexity(ComplexityConfig(**PRIMES))
    assert [(line.name, line.counted, line.written) for line in result.lines] == [
        ("q", 2 * 11 * 35 * 35, 11 * 35 * 8),
        ("k", 2 * 13 * 35 * 35, 13 * 35 * 8),
        ("v", 2 * 13 * 35 * 35, 13 * 35 * 8),
        ("scores", 2 * 11 * 13 * 35, 5 * 11 * 13 * 8),
        ("weights", 0, 5 * 11 * 13 * 8),
        ("context", 2 * 11 * 13 * 35, 11 * 35 * 8),
        ("output", 2 * 11 * 35 * 35, 11 * 35 * 8),
    ]
    assert result.core == 4 * 11 * 13 * 35
    assert result.total == sum(line.counted for line in result.lines)
    assert result.weights_bytes == 5 * 11 * 13 * 8
    assert result.exponentials == 5 * 11 * 13
    assert result.softmax == 0


@settings(max_examples=10)
@given(
    num_queries=st.integers(1, 40),
    num_keys=st.integers(1, 40),
    heads=st.integers(1, 5),
    size=st.integers(1, 9),
    large_heads=st.booleans(),
    output_projection=st.booleans(),
    dtype=st.sampled_from(("float64", "float32", "bfloat16")),
)
def test_formula_and_counter_agree_on_any_layer(heads: int, size: int, **given: object) -> None:
    config = ComplexityConfig(num_heads=heads, d_model=heads * size, **given)
    result = run_complexity(config)
    for line in result.lines:
        assert (line.counted, line.written) == (line.flops, line.bytes), line.name
    assert result.core == config.core_flops
    assert result.total == config.flops == sum(line.counted for line in result.lines)
    assert (result.over_n == result.formula_over_n).all()
    assert all(one.as_expected for one in result.verdicts)


def test_counting_leaves_the_modules_of_other_threads_alone() -> None:
    hooks = torch.nn.modules.module._global_forward_pre_hooks
    seen = []
    count(lambda: seen.append(len(hooks)))
    assert seen == [len(hooks)]


def test_shapes_alone_count_what_the_device_counts() -> None:
    config = ComplexityConfig(**PRIMES)
    module = MultiHeadAttention(35, 5, dtype=torch.float64)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        module.trace(torch.ones(1, 11, 35, dtype=torch.float64), torch.ones(1, 13, 35, dtype=torch.float64))
    assert counter.get_total_flops() == run_complexity(config).total


@pytest.mark.parametrize(
    ("switches", "broken", "because"),
    [
        ({"fused": True}, {"cplx-core", "cplx-mha"}, "counts it as 0"),
        ({"large_heads": True}, {"cplx-core", "cplx-mha"}, "twice"),
        ({"output_projection": False}, {"cplx-mha", "cplx-bottleneck"}, "no W_O"),
        ({"mixed": True}, {"mha-reshape"}, "several tokens"),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_each_switch_breaks_what_it_says(switches: dict, broken: set, because: str, dtype: str) -> None:
    result = run_complexity(ComplexityConfig(**PRIMES, **switches, dtype=dtype, device="cpu"))
    assert all(one.as_expected for one in result.verdicts)
    failed = [one for one in result.verdicts if not one.holds]
    assert {one.claim for one in failed} == broken
    assert all(because in one.because for one in failed)


def test_on_a_cpu_the_counter_sees_nothing_of_the_fused_core() -> None:
    result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
    assert result.core == 0
    assert result.total == 2 * (2 * 11 + 2 * 13) * 35 * 35
    assert sum(line.counted for line in result.lines) == result.total + 4 * 11 * 13 * 35


@pytest.mark.parametrize("d_model", [1, 7, 64, 1024])
def test_the_parts_cross_at_twice_the_width_and_without_an_output_matrix_at_one_and_a_half(d_model: int) -> None:
    sizes = {"num_queries": 3, "num_keys": 3, "d_model": d_model, "num_heads": 1}
    assert run_complexity(ComplexityConfig(**sizes)).crossing == 2 * d_model
    assert run_complexity(ComplexityConfig(**sizes, large_heads=True)).crossing == 2 * d_model
    without = run_complexity(ComplexityConfig(**sizes, output_projection=False))
    assert without.crossing == math.ceil(1.5 * d_model)


def test_the_map_is_half_on_the_line_and_falls_to_either_side() -> None:
    result = run_complexity(ComplexityConfig(num_queries=64, num_keys=64, d_model=32))
    assert result.map_share.shape == (len(WIDTHS), len(TOKENS)) == (7, 9)
    for (row, column), share in np.ndenumerate(result.map_share):
        assert share == pytest.approx(TOKENS[column] / (TOKENS[column] + 2 * WIDTHS[row]))
    assert read_cell(1, 2) == {"d_model": 32, "num_queries": 64, "num_keys": 64}
    assert result.share == result.map_share[1, 2] == 0.5


@pytest.mark.parametrize(("dtype", "least"), [("float64", 1e9), ("float32", 1e3)])
def test_a_wrong_reshape_is_far_beyond_the_bound_of_a_right_one(dtype: str, least: float) -> None:
    broken = verdict(run_complexity(ComplexityConfig(mixed=True, dtype=dtype)), "mha-reshape")
    assert broken.measured > least * broken.bound
    right = verdict(run_complexity(ComplexityConfig(dtype=dtype)), "mha-reshape")
    assert right.measured <= right.bound


@pytest.mark.parametrize("sizes", [{"num_heads": 1}, {"num_queries": 1, "num_keys": 1}])
def test_the_mistake_does_not_show_with_one_head_or_one_token(sizes: dict) -> None:
    held = verdict(run_complexity(ComplexityConfig(mixed=True, **sizes)), "mha-reshape")
    assert held.holds
    assert held.expected


def test_same_config_same_result_and_nothing_of_it_can_change() -> None:
    before = torch.get_rng_state()
    one, other = (run_complexity(ComplexityConfig(seed=5)) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert one.verdicts == other.verdicts
    assert one.lines == other.lines
    assert verdict(run_complexity(ComplexityConfig(seed=6)), "mha-reshape") != verdict(one, "mha-reshape")
    for array in (one.map_core, one.map_projections, one.over_n, one.formula_over_n):
        assert not array.flags.writeable
    assert one.provenance.seed == 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"num_queries": 0}, "num_queries = 0 is not possible: a whole number from 1 to 4,096 is allowed."),
        ({"num_keys": 4097}, "num_keys = 4097"),
        ({"d_model": 1025}, "d_model = 1025 is not possible: a whole number from 1 to 1,024 is allowed."),
        ({"num_heads": 33}, "num_heads = 33"),
        ({"num_heads": 3}, "num_heads = 3 is not possible: a divisor of d_model = 128 is allowed."),
        ({"mixed": 1}, "mixed = 1 is not possible: True or False is allowed."),
        ({"num_queries": 4096, "num_keys": 4096, "d_model": 1024, "fused": True}, "with up to 8,589,934,592 FLOPs"),
        ({"dtype": "float8"}, "dtype = 'float8'"),
    ],
)
def test_what_is_not_possible_is_refused_in_words(given: dict, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        ComplexityConfig(**given)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sweep": "batch"}, "sweep = 'batch' is not possible: one of n, d_model, shares is allowed."),
        ({"num_tokens": 0}, "num_tokens = 0"),
        ({"d_model": 10}, "num_heads = 8 is not possible: a divisor of d_model = 10 is allowed."),
        ({"seconds": 21}, "seconds = 21 is not possible: a whole number from 2 to 20 is allowed."),
    ],
)
def test_what_cannot_be_timed_is_refused_in_words(given: dict, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        TimesConfig(**given)
    assert words in str(error.value)


SNIPPETS = [
    ComplexityConfig(),
    ComplexityConfig(seed=9),
    ComplexityConfig(**PRIMES, mixed=True),
    ComplexityConfig(**PRIMES, fused=True, dtype="float32"),
    ComplexityConfig(**PRIMES, output_projection=False, large_heads=True),
    ComplexityConfig(num_queries=1, num_keys=70, d_model=6, num_heads=3, mixed=True, output_projection=False),
    ComplexityConfig(num_queries=4096, num_keys=4096, d_model=64, num_heads=4, dtype="bfloat16"),
    ComplexityConfig(num_queries=70, num_keys=1, d_model=1, num_heads=1, fused=True),
]


def test_snippets_count_the_same_outside_the_project() -> None:
    printed = run_snippets([complexity_snippet(config) for config in SNIPPETS])
    for config, text in zip(SNIPPETS, printed, strict=True):
        words = text.split()
        said = dict(zip(words[::2], words[1::2], strict=True))
        result = run_complexity(config)
        assert int(said["core_flops"]) == result.core
        assert int(said["total_flops"]) == result.total
        assert int(said["weights_bytes"]) == result.weights_bytes
        held = verdict(result, "mha-reshape")
        if held.holds:
            assert float(said["reshape_residual"]) <= held.bound
        else:
            assert float(said["reshape_residual"]) == pytest.approx(held.measured, rel=1e-3)
    assert printed[0] != printed[1]


def test_a_snippet_is_short_and_stands_alone() -> None:
    code = complexity_snippet(ComplexityConfig())
    assert "attention_core" not in code
    assert code.count("\n") <= 32
