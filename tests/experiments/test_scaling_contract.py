"""What the scaling experiment promises: one config one result, settings refused in words, code that repeats it."""

import math

import numpy as np
import pytest
import torch

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.inputs import generator
from attention_core.experiments.scaling import (
    D_HEADS,
    SCALES,
    ScalingConfig,
    ScalingResult,
    run_picture,
    scaling_snippet,
    steps_scaling,
)
from attention_core.experiments.scaling.inputs import PAIR_ROWS, chunks, unit_draw
from attention_core.experiments.verdict import Step
from tests.experiments.scaling_runs import ARRAYS, picture, run
from tests.experiments.snippets import numbers, own_lines, run_snippets


def test_on_the_cpu_same_config_same_result_bit_for_bit() -> None:
    same = {"num_keys": 3, "qk_norm": True, "device": "cpu"}
    state = torch.get_rng_state()
    torch.manual_seed(99)
    before = torch.get_rng_state()
    with torch.inference_mode():
        *_, again = steps_scaling(ScalingConfig(**same))
    assert torch.equal(torch.get_rng_state(), before)
    torch.set_rng_state(state)
    first = run(**same)
    assert again.verdicts == first.verdicts
    for one, other in zip(again.curves, first.curves, strict=True):
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
    sides = [run_picture(ScalingConfig(**same)).chosen, picture(**same).chosen]
    for name in ("scores", "weights", "jacobian", "shares", "normal"):
        assert np.array_equal(*(getattr(side, name) for side in sides))
    assert run(**same, seed=1).verdicts != first.verdicts


def test_one_seed_is_one_input_in_every_precision() -> None:
    exact, rough = (next(chunks(ScalingConfig(dtype=dtype, num_keys=5))) for dtype in ("float64", "bfloat16"))
    for name in ("queries", "keys", "upstream"):
        assert torch.equal(getattr(exact, name).bfloat16(), getattr(rough, name))


def test_how_the_queries_are_cut_does_not_change_them() -> None:
    config = ScalingConfig(num_keys=3, num_queries=2001)
    cut = list(chunks(config))
    whole = unit_draw("normal")(2001, 4096, generator=generator(0, "scaling", "query"))
    assert torch.equal(torch.cat([one.queries for one in cut]), whole.double())
    assert sum(len(one.upstream) for one in cut) == 2001
    assert sum(len(one.pairs[0]) for one in cut if one.pairs) == PAIR_ROWS


def test_a_part_is_measured_with_nothing_that_it_does_not_depend_on() -> None:
    """What moves only the chosen factor leaves the other curves as they are, in the cache too."""
    plain = ScalingConfig()
    assert plain.parts == ScalingConfig(scale="root").parts == ScalingConfig(naive_epsilon=True).parts == (plain,)
    assert ScalingConfig(alpha=0.7).drawn == plain
    other = ScalingConfig(temperature=3.0, alpha=1.0, naive_epsilon=True)
    assert other.parts == (plain, ScalingConfig(temperature=3.0))
    assert ScalingConfig(scale="power", alpha=0.5).parts == (plain,)
    assert ScalingConfig(std=2.0).base == ScalingConfig(std=2.0)
    assert run(temperature=3.0).unscaled is run().unscaled


def test_results_cannot_be_changed() -> None:
    result = run()
    drawn = picture()
    for array in (drawn.keys, drawn.chosen.jacobian, *(getattr(result.chosen, name) for name in ARRAYS)):
        assert not array.flags.writeable
    assert result.provenance.seed == 0
    assert result.chosen is result.unscaled
    assert result.curves == (result.unscaled, result.scaled)


def test_the_chosen_factor_is_known_by_its_value() -> None:
    assert run(scale="root").chosen.name == "1/√d_head"
    assert run(scale="power", alpha=0.5).chosen is run().scaled
    third = run(scale="power", alpha=0.4)
    assert len(third.curves) == 3
    assert third.chosen.name == "d_head^−0.4"
    np.testing.assert_allclose(third.chosen.factor, np.array(D_HEADS) ** -0.4)
    assert ScalingConfig(scale="head", temperature=2.0).factor(8) == 1 / 16


@pytest.mark.parametrize("scale", SCALES)
def test_the_picture_is_of_one_real_query_with_two_factors(scale: str) -> None:
    drawn, result = picture(scale=scale, num_keys=24), run(scale=scale, num_keys=24)
    beside = result.unscaled if scale == "root" else result.scaled
    for side, curves in ((drawn.chosen, result.chosen), (drawn.beside, beside)):
        assert side.name == curves.name
        np.testing.assert_allclose(side.weights.sum(1), 1, rtol=1e-6)
        stable = np.exp(side.scores - side.scores.max(1, keepdims=True))
        np.testing.assert_allclose(side.weights, stable / stable.sum(1, keepdims=True), rtol=1e-9)
        textbook = side.weights[:, :, None] * (np.eye(24) - side.weights[:, None, :])
        np.testing.assert_allclose(side.jacobian, textbook, atol=1e-12)
        # The first 256 of 2,048 queries: their mean is that of all but for their share of the scatter.
        assert np.abs(side.max_weight - curves.max_weight).max() < 5 * 0.3 / 16
    np.testing.assert_allclose(
        drawn.chosen.scores / drawn.chosen.scores[:, :1], drawn.beside.scores / drawn.beside.scores[:, :1]
    )


def test_the_histogram_keeps_its_scale_and_the_claimed_density_lies_over_it() -> None:
    for side in (picture().chosen, picture().beside):
        assert side.edges.ndim == 1
        middles = (side.edges[1:] + side.edges[:-1]) / 2
        for step in range(5, len(D_HEADS)):
            claimed = np.interp(middles, side.normal_x[step], side.normal[step], left=0, right=0)
            assert np.abs(side.shares[step] - claimed).max() < 0.12
    unscaled, scaled = ((side.shares > 0.3).sum(1) for side in (picture().chosen, picture().beside))
    assert unscaled[0] == 1 < unscaled[-1] / 20, "it grows from one bar to a wide bell"
    assert np.ptp(scaled[4:]) <= 4, "and does not, scaled"


def test_only_the_32_heaviest_of_many_keys_are_shown() -> None:
    drawn = picture(num_keys=80)
    assert drawn.keys.shape == (32,)
    assert (np.diff(drawn.keys) > 0).all()
    assert drawn.chosen.jacobian.shape == (13, 32, 32)
    assert drawn.chosen.weights[-1].sum() > 0.999


def test_one_key_leaves_nothing_to_choose() -> None:
    result = run(num_keys=1)
    for curves in result.curves:
        assert (curves.max_weight == 1).all()
        for name in ("entropy", "jacobian", "bound_two", "gradient_median", "gradient_mean", "gradient_top_share"):
            assert (getattr(curves, name) == 0).all()
    assert "single key" in result.verdict("scale-grad.mean").because


def test_steps_count_up_through_all_parts_and_end_in_the_result() -> None:
    *steps, result = steps_scaling(ScalingConfig(num_keys=2, num_queries=2000, temperature=2.0))
    assert all(isinstance(step, Step) for step in steps)
    assert [step.done for step in steps] == list(range(16))
    assert {step.total for step in steps} == {16}
    assert steps[15].doing == "queries 1,793 to 2,000 of 2,000"
    assert isinstance(result, ScalingResult)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"num_keys": 0}, "num_keys = 0 is not possible: a whole number from 1 to 128 is allowed."),
        ({"num_queries": 1999}, "num_queries = 1999 is not possible: a whole number from 2,000 to 8,192 is allowed."),
        ({"scale": "√d"}, "scale = '√d' is not possible: one of none, root, head, power is"),
        ({"alpha": 2.1}, "alpha = 2.1 is not possible: a number from 0 to 2 is allowed."),
        ({"alpha": math.nan}, "alpha = nan"),
        ({"temperature": 0}, "temperature = 0 is not possible: a number from 0.1 to 10 is allowed."),
        ({"inputs": "cauchy"}, "inputs = 'cauchy'"),
        ({"std": 1.05}, "std = 1.05 is not possible: a number in tenths is allowed."),
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
    assert run().at("max_weight", np.int64(64)) == run().at("max_weight", 64)
    with pytest.raises(ConfigError, match="a power of two from 1 to 4,096 is allowed"):
        scaling_snippet(ScalingConfig(), d_head)
    with pytest.raises(ConfigError):
        run().at("max_weight", d_head)


SNIPPETS = [
    ({}, 64),
    ({}, 4096),
    ({"scale": "root"}, 1),
    ({"scale": "power", "alpha": 0.4}, 256),
    ({"temperature": 10.0}, 512),
    ({"mean": 0.1, "inputs": "uniform"}, 32),
    ({"correlation": 0.1, "inputs": "signs"}, 16),
    ({"through_module": True}, 2048),
    ({"qk_norm": True, "std": 3.0, "dtype": "float32"}, 128),
    ({"inputs": "uniform", "dtype": "bfloat16", "seed": 8, "num_keys": 16}, 8),
    ({"num_keys": 1}, 2),
]


def printed(snippets: list[str]) -> list[list[float]]:
    return [list(map(float, numbers(text))) for text in run_snippets(snippets)]


@pytest.mark.slow
def test_snippets_print_what_was_measured() -> None:
    answers = printed([scaling_snippet(ScalingConfig(**settings), d_head) for settings, d_head in SNIPPETS])
    quantities = ("max_weight", "gradient_median", "gradient_mean")
    for (settings, d_head), answer in zip(SNIPPETS, answers, strict=True):
        rough = 0.03 if settings.get("dtype") == "bfloat16" else 1e-3
        assert answer == pytest.approx(
            [run(**settings).at(quantity, d_head) for quantity in quantities], rel=rough, abs=1e-200
        )


def test_a_snippet_is_short_and_another_seed_prints_something_else() -> None:
    for settings, d_head in SNIPPETS:
        assert len(own_lines(scaling_snippet(ScalingConfig(**settings), d_head))) <= 32
    first, second = printed([scaling_snippet(ScalingConfig(seed=seed)) for seed in (0, 1)])
    assert all(one != other for one, other in zip(first, second, strict=True))


def test_no_gradient_is_not_said_to_last_where_none_is_left_to_begin_with() -> None:
    """float16 drops weights below 6e-8, and with them the gradient at both sizes: 0 is no part of 0."""
    options = {"num_keys": 19, "std": 2.5, "mean": 0.9, "correlation": 0.9}
    result = run(dtype="float16", seed=624396, **options)
    for key in ("scale-grad.median", "scale-grad.mean"):
        assert result.verdict(key).measured == 0
        assert result.verdict(key).outcome == "undecided"
    far = run(dtype="bfloat16", seed=724605, inputs="signs", std=2.4, correlation=0.9)
    assert far.verdict("scale-grad.mean").measured == 0
    assert far.verdict("scale-grad.mean").outcome == "undecided"
    assert run().verdict("scale-grad.median").outcome == "holds"
