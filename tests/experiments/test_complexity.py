"""Complexity: every count held to its formula, every switch to what it breaks, and code that counts again."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode, flop_registry

from attention_core.experiments.anatomy import AnatomyConfig, run_anatomy
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.complexity import (
    TOKENS,
    WIDTHS,
    ComplexityConfig,
    TimesConfig,
    complexity_snippet,
    read_cell,
    run_complexity,
)
from attention_core.experiments.complexity.count import count
from attention_core.modules.multi_head import MultiHeadAttention
from tests.experiments.snippets import numbers, own_lines, run_snippets

KEYS = ("cplx-core.flops", "cplx-core.bytes", "cplx-mha", "cplx-heads", "cplx-bottleneck", "mha-reshape")
# Every size a different prime (times the heads), so that no transposition can pass.
PRIMES = {"num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5}


def test_every_claim_has_its_verdict_and_holds_by_default() -> None:
    result = run_complexity(ComplexityConfig())
    assert tuple(one.key for one in result.verdicts) == KEYS
    assert all(one.outcome == "holds" for one in result.verdicts)


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
    no_output=st.booleans(),
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
    assert all(not one.surprises for one in result.verdicts)


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
        ({"fused": True}, {"cplx-core", "cplx-mha", "cplx-heads"}, "counts it as 0"),
        ({"large_heads": True}, {"cplx-core", "cplx-mha"}, "twice"),
        ({"no_output": True}, {"cplx-mha", "cplx-heads", "cplx-bottleneck"}, "no W_O"),
        ({"mixed": True}, {"mha-reshape"}, "several tokens"),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_each_switch_breaks_what_it_says(switches: dict, broken: set, because: str, dtype: str) -> None:
    result = run_complexity(ComplexityConfig(**PRIMES, **switches, dtype=dtype, device="cpu"))
    assert all(not one.surprises for one in result.verdicts)
    failed = [one for one in result.verdicts if not one.holds]
    assert {one.claim for one in failed} == broken
    assert all(because in one.because for one in failed)


def test_changes_that_make_up_for_one_another_leave_the_sum() -> None:
    both = {"fused": True, "large_heads": True, "num_heads": 2}
    level = ComplexityConfig(num_queries=16, num_keys=16, d_model=8, **both, device="cpu")
    for config, holds in ((level, True), (replace(level, num_keys=17), False)):
        result = run_complexity(config)
        assert result.verdict("cplx-mha").outcome == ("holds" if holds else "fails")
        assert result.verdict("cplx-core.flops").outcome == "fails"
        assert "counts it as 0" in result.verdict("cplx-mha").because


@pytest.mark.parametrize("large_heads", [False, True])
def test_the_formula_of_each_line_spells_its_number(large_heads: bool) -> None:
    config = ComplexityConfig(**PRIMES, large_heads=large_heads)
    values = {"n_t": 11, "n_s": 13, "d": 35, "d²": 35**2, "h": 5, "d_head": 14 if large_heads else 7}
    for line in run_complexity(config).lines:
        if line.name != "weights":
            factors = line.formula.replace("·", " ").split()
            assert math.prod(values.get(one) or int(one) for one in factors) == line.flops, line.formula


def test_on_a_cpu_the_counter_sees_nothing_of_the_fused_core() -> None:
    result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
    assert result.core == 0
    assert result.total == 2 * (2 * 11 + 2 * 13) * 35 * 35
    assert sum(line.counted for line in result.lines) == result.total + 4 * 11 * 13 * 35


def test_another_fused_kernel_is_counted_as_the_counter_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on CUDA, where torch has formulas, and in half precision adds zeros until 8 divides the size of a head."""
    fused = F.scaled_dot_product_attention
    formula = flop_registry[torch.ops.aten._scaled_dot_product_flash_attention]
    monkeypatch.setitem(flop_registry, torch.ops.aten._scaled_dot_product_flash_attention_for_cpu, formula)

    def padded(*heads: Tensor | float | None, scale: float) -> Tensor:
        wider = [F.pad(one, (0, -one.shape[-1] % 8)) for one in heads[:3]]
        return fused(*wider, *heads[3:], scale=scale)[..., : heads[0].shape[-1]]

    for kernel, broken in ((fused, set()), (padded, {"cplx-core", "cplx-mha", "cplx-heads"})):
        monkeypatch.setattr("attention_core.modules.dot_product.F.scaled_dot_product_attention", kernel)
        result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
        assert result.core == 4 * 11 * 13 * 5 * (8 if broken else 7)
        assert not any(one.surprises for one in result.verdicts)
        assert {one.claim for one in result.verdicts if not one.holds} == broken
        assert all("the zeros behind 7 are counted" in one.because for one in result.verdicts if not one.holds)
        one = run_anatomy(AnatomyConfig(fused=True, heads=4, device="cpu")).verdict("cplx-core")
        assert one.outcome == ("fails" if broken else "holds")
    # With 14 keys the zeros cost what W_O would.
    level = {"num_queries": 7, "num_keys": 14, "d_model": 28, "num_heads": 7, "fused": True, "no_output": True}
    assert run_complexity(ComplexityConfig(**level, device="cpu")).verdict("cplx-heads").outcome == "holds"


def test_without_a_fused_kernel_the_counter_sees_all() -> None:
    with sdpa_kernel(SDPBackend.MATH):
        result = run_complexity(ComplexityConfig(**PRIMES, fused=True, device="cpu"))
    assert all(one.holds and not one.because for one in result.verdicts)


@pytest.mark.parametrize("d_model", [1, 7, 64, 1024])
def test_the_parts_cross_at_twice_the_width_and_without_an_output_matrix_at_one_and_a_half(d_model: int) -> None:
    sizes = {"num_queries": 3, "num_keys": 3, "d_model": d_model, "num_heads": 1}
    assert run_complexity(ComplexityConfig(**sizes)).crossing == 2 * d_model
    assert run_complexity(ComplexityConfig(**sizes, large_heads=True)).crossing == 2 * d_model
    without = run_complexity(ComplexityConfig(**sizes, no_output=True))
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
    broken = run_complexity(ComplexityConfig(mixed=True, dtype=dtype)).verdict("mha-reshape")
    assert broken.measured > least * broken.bound
    right = run_complexity(ComplexityConfig(dtype=dtype)).verdict("mha-reshape")
    assert right.measured <= right.bound


@pytest.mark.parametrize("sizes", [{"num_heads": 1}, {"num_queries": 1, "num_keys": 1}])
def test_the_mistake_does_not_show_with_one_head_or_one_token(sizes: dict) -> None:
    held = run_complexity(ComplexityConfig(mixed=True, **sizes)).verdict("mha-reshape")
    assert held.holds
    assert held.expected


def test_same_config_same_result_and_nothing_of_it_can_change() -> None:
    before = torch.get_rng_state()
    one, other = (run_complexity(ComplexityConfig(seed=5)) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert one.verdicts == other.verdicts
    assert one.lines == other.lines
    assert run_complexity(ComplexityConfig(seed=6)).verdict("mha-reshape") != one.verdict("mha-reshape")
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
        ({"sweep": "batch"}, "sweep = 'batch' is not possible: one of n, d_model, heads, shares is allowed."),
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
    ComplexityConfig(**PRIMES, mixed=True, seed=9),
    ComplexityConfig(**PRIMES, fused=True, dtype="float32"),
    ComplexityConfig(**PRIMES, no_output=True, large_heads=True),
    ComplexityConfig(num_queries=1, num_keys=70, d_model=6, num_heads=3, mixed=True, no_output=True),
    ComplexityConfig(num_queries=4096, num_keys=4096, d_model=64, num_heads=4, dtype="bfloat16"),
    ComplexityConfig(num_queries=70, num_keys=1, d_model=1, num_heads=1, fused=True),
]


def test_snippets_count_the_same_outside_the_project() -> None:
    printed = run_snippets([complexity_snippet(config) for config in SNIPPETS])
    for config, text in zip(SNIPPETS, printed, strict=True):
        core, total, weights_bytes, residual = numbers(text)
        result = run_complexity(config)
        assert int(core) == result.core
        assert int(total) == result.total
        assert int(weights_bytes) == result.weights_bytes
        held = result.verdict("mha-reshape")
        if held.holds:
            assert float(residual) <= held.bound
        else:
            assert float(residual) == pytest.approx(held.measured, rel=1e-3)
    assert printed[2] != printed[3], "another seed, and the heads mix other tokens; of what is exact nothing is left"


def test_a_snippet_is_short_and_stands_alone() -> None:
    assert all(len(own_lines(complexity_snippet(config))) <= 33 for config in SNIPPETS)
