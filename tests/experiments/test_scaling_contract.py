"""What the scaling experiment promises: one config one result, settings refused in words, code that repeats it."""

import numpy as np
import pytest
import torch

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.inputs import generator
from attention_core.experiments.scaling import (
    D_HEADS,
    SCALES,
    ScalingConfig,
    scaling_snippet,
)
from attention_core.experiments.scaling.inputs import PAIR_ROWS, chunks, unit_draw
from tests.experiments.scaling_runs import ARRAYS, picture, run


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


@pytest.mark.parametrize("d_head", [0, 3, 8192, 64.0])
def test_only_steps_of_the_sweep_can_be_looked_at(d_head: object) -> None:
    assert run().at("max_weight", np.int64(64)) == run().at("max_weight", 64)
    with pytest.raises(ConfigError, match="a power of two from 1 to 4,096 is allowed"):
        scaling_snippet(ScalingConfig(), d_head)
    with pytest.raises(ConfigError):
        run().at("max_weight", d_head)


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
