"""Every claim about norms, where theory says it holds and where a switch breaks it."""

from functools import cache

import numpy as np
import pytest
import torch

from attention_core.measuring.bias_after_norm import Left, cases
from attention_core.measuring.inputs import draw
from attention_core.studies.normalization import (
    TOPICS,
    NormalizationConfig,
    read_cell,
    run_normalization,
)

DEPENDENCE, LENGTH, BIAS, BLOCK, _ = TOPICS


@cache
def run(topic: str, **settings: object) -> object:
    return run_normalization(NormalizationConfig(topic=topic, **settings))


def test_derivatives_of_layer_norm_are_those_of_its_formula() -> None:
    result = run(DEPENDENCE)
    epsilon, n, d = 1e-5, 5, 6
    # y = (x − mean)/s with s² = var + ε: ∂y_j/∂x_l = (δ_jl − 1/d − y_j y_l/d) / s, where y comes from the map itself.
    layer = result.jacobians[0]
    for i in range(n):
        block = layer[i, :, i]
        s_inverse = np.linalg.eigvalsh((block + block.T) / 2).max()
        np.testing.assert_allclose(block, block.T, atol=1e-13)
        np.testing.assert_allclose(block.sum(0), 0, atol=1e-13)
        remainder = np.eye(d) - 1 / d - block / s_inverse
        assert np.linalg.matrix_rank(remainder, tol=1e-8) == 1
        assert 0 < np.trace(remainder) <= 1 + epsilon
        assert not layer[i, :, np.arange(n) != i].any()


def test_who_depends_on_whom() -> None:
    training, evaluation = run(DEPENDENCE), run(DEPENDENCE, evaluation=True)
    assert training.names == ("LayerNorm", "RMSNorm", "BatchNorm")
    assert training.across == (5, 5, 25)
    assert evaluation.across == (5, 5, 5)
    assert np.count_nonzero(training.jacobians[2, 1, 2]) == 5
    assert np.count_nonzero(evaluation.jacobians[2, 1, 2]) == 1
    assert np.count_nonzero(training.jacobians[0, 1, 2]) == 6


def drawn(*what: object) -> np.ndarray:
    return draw(what[1:], 0, "normalization", what[0]).numpy().reshape(-1, what[-1])


def normed(rows: np.ndarray, past: np.ndarray | None = None) -> np.ndarray:
    """BatchNorm, by the statistics of these rows in training, else by those of others."""
    if past is None:
        return (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-5)
    return (rows - past.mean(0)) / np.sqrt(past.var(0, ddof=1) + 1e-5)


def test_padding_neighbours_and_the_mode_enter_batch_norm_alone() -> None:
    n, d, x = 5, 6, drawn("tokens", 1, 5, 6)
    past = drawn("past", 1, 4 * n, d)
    apart = [
        normed(np.vstack((x, drawn(f"some {what}", 1, count, d))))[:n]
        - normed(np.vstack((x, drawn(f"other {what}", 1, count, d))))[:n]
        for what, count in (("padding", 2), ("neighbours", n))
    ]
    apart.append(normed(x) - normed(x, past))
    largest = [np.abs(one).max() for one in apart]
    assert min(largest) > 0.1
    training, evaluation = run(DEPENDENCE), run(DEPENDENCE, evaluation=True)
    np.testing.assert_allclose(training.moved, [[0] * 3, [0] * 3, largest], atol=1e-12)
    np.testing.assert_allclose(evaluation.moved, [[0] * 3, [0] * 3, [0, 0, largest[2]]], atol=1e-12)
    assert training.verdict("ln-deps.apart").unit == "of 90 numbers"
    assert [evaluation.verdict(f"ln-deps.{key}").outcome for key in ("apart", "padding", "neighbours", "modes")] == [
        "holds", "fails", "fails", "holds",
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_norm_that_takes_statistics_of_the_batch_is_no_layer_norm(dtype: str) -> None:
    """What stands behind a sentence enters a LayerNorm that subtracts the batch's mean first, in every precision."""
    right = torch.nn.LayerNorm.forward

    def mixing(self: torch.nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
        return right(self, x - x.mean((0, 1)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn.LayerNorm, "forward", mixing)
        found = run_normalization(NormalizationConfig(dtype=dtype))
    assert found.verdict("ln-deps.apart").outcome == "surprises"


@pytest.mark.parametrize(("gamma", "beta", "eps", "std"), [(1.0, 0.0, 0.0, 1.0), (-2.0, 1.5, 1.0, 0.1)])
def test_lengths_are_those_of_the_formula(gamma: float, beta: float, eps: float, std: float) -> None:
    result = run(LENGTH, gamma=gamma, beta=beta, eps=eps, input_std=std, d_model=4)
    x = result.before
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    np.testing.assert_allclose(result.after, gamma * (x - mean) / np.sqrt(variance + eps) + beta, atol=1e-12)
    np.testing.assert_allclose(result.lengths, np.linalg.norm(result.after - beta, axis=1), atol=1e-12)
    np.testing.assert_allclose(result.centred.sum(1), 0, atol=1e-12)
    assert result.radius == pytest.approx(abs(gamma) * 2)


def test_a_constant_token_becomes_beta_or_is_undefined() -> None:
    result = run(LENGTH, constant=True, eps=0.01, beta=2.0)
    np.testing.assert_array_equal(result.after, 2.0)
    undefined = run(LENGTH, constant=True, eps=0.0)
    assert np.isnan(undefined.after).all()
    for verdict in undefined.verdicts:
        assert not verdict.holds
        assert verdict.because == "a constant token and ε = 0 leave 0 ÷ 0"


def test_the_order_that_changes_nothing_leaves_only_rounding() -> None:
    broken = run(BLOCK, causal=True)
    bounds = [verdict.bound for verdict in broken.about("perm-block").verdicts]
    assert (broken.residuals[:, 0] <= bounds).all(), "all orders are one batch, and what they are held to is another"
    assert (broken.residuals[:, -1] > 0.1).all()


def test_a_link_asks_for_a_cell_that_may_exist() -> None:
    assert read_cell("2.15") == (2, 15)
    for raw in ("1", "1.2.3", "8.0", "0.16", "-1.0", "a.b", ""):
        with pytest.raises(ValueError, match=r"."):
            read_cell(raw)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("switch", [{"norm": "BatchNorm"}, {"slot_weights": True}])
def test_half_precision_tells_lengths_apart(switch: dict[str, object], dtype: str) -> None:
    assert run(BLOCK, dtype=dtype, seed=1, **switch).verdict("norm-place.post").outcome == "fails"


def test_what_a_norm_leaves_is_held_to_the_part_that_is_in_question() -> None:
    left = Left(torch.arange(3.0)[:, None, None], 1.0, (0.1, 0.2, 0.3))  # of the mean, of the rest, of all
    found = cases(dict.fromkeys(("BatchNorm", "LayerNorm", "RMSNorm"), left))
    assert {key: (float(moved), size) for key, (moved, _, size) in found.items()} == {
        "bias-norm.batch": (2.0, 0.3), "bias-norm.layer-mean": (0.0, 0.1), "bias-norm.layer-rest": (1.0, 0.3),
        "bias-norm.rms": (2.0, 0.3),
    }  # fmt: skip
