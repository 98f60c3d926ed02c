"""The feed-forward network against NumPy: what depends on what, what lies outside of the values, what it holds."""

import math

import numpy as np
import pytest
import torch

from attention_core.measuring.inputs import draw
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.normalization import FeedForwardResult, NormalizationConfig, run_normalization

WORDS, D = 4, 6


def run(**settings: object) -> FeedForwardResult:
    return run_normalization(NormalizationConfig(topic="feed-forward", num_tokens=WORDS, d_model=D, **settings))


def parameter(name: str, *shape: int) -> np.ndarray:
    """As the seed 0 draws it: N(0, 1/columns) for a matrix, N(0, 0.5²) for a bias."""
    drawn = draw(shape, 0, "parameter", name).numpy()
    return drawn / math.sqrt(shape[-1]) if len(shape) == 2 else 0.5 * drawn


def contexts_and_values(x: np.ndarray, name: str = "self_attention.") -> tuple[np.ndarray, np.ndarray]:
    matrices = np.split(parameter(f"{name}in_weight", 3 * D, D), 3)
    biases = [parameter(f"{name}{role}_bias", D) for role in "qkv"]
    q, k, v = (x @ matrix.T + bias for matrix, bias in zip(matrices, biases, strict=True))
    weights = np.exp(q @ k.T / math.sqrt(D))
    return weights / weights.sum(1, keepdims=True) @ v, v


def feed(z: np.ndarray) -> np.ndarray:
    w1, b1 = parameter("feed_forward.widen.weight", 4 * D, D), parameter("feed_forward.widen.bias", 4 * D)
    w2, b2 = parameter("feed_forward.narrow.weight", D, 4 * D), parameter("feed_forward.narrow.bias", D)
    wide = z @ w1.T + b1
    return wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2 @ w2.T + b2


def attend(z: np.ndarray) -> np.ndarray:
    return contexts_and_values(z, "")[0] @ parameter("o_weight", D, D).T + parameter("o_bias", D)


def largest_slopes(function: object, x: np.ndarray) -> np.ndarray:
    """The largest |∂y_ij/∂x_kl| over j and l at [i, k], by differences."""
    slopes = np.zeros((WORDS, WORDS))
    for k in range(WORDS):
        for feature in range(D):
            step = np.zeros_like(x)
            step[k, feature] = 1e-5
            moved = np.abs(function(x + step) - function(x - step)) / 2e-5
            slopes[:, k] = np.maximum(slopes[:, k], moved.max(1))
    return slopes


@pytest.mark.parametrize("instead", [False, True])
def test_what_depends_on_what_is_what_differences_say(instead: bool) -> None:
    x = draw((1, WORDS, D), 0, "normalization", "tokens")[0].numpy()
    contexts, _values = contexts_and_values(x)
    first, second, places = run(attention_instead=instead).depends
    np.testing.assert_allclose(first, largest_slopes(lambda z: contexts_and_values(z)[0], x), atol=1e-8)
    np.testing.assert_allclose(second, largest_slopes(attend if instead else feed, contexts), atol=1e-8)
    np.testing.assert_allclose(places, np.abs(parameter("weight", WORDS, WORDS)), atol=1e-12)
    assert (second[~np.eye(WORDS, dtype=bool)] == 0).all() == (not instead)
    assert (np.diag(second) > 0.1).all()


def test_what_lies_outside_of_the_values_is_what_least_squares_leave() -> None:
    contexts, values = contexts_and_values(draw((1, WORDS, D), 0, "normalization", "tokens")[0].numpy())
    for column, vectors in enumerate((contexts, feed(contexts))):
        mixed = np.linalg.lstsq(values.T, vectors.T, rcond=None)[0]
        left = np.linalg.norm(vectors - (values.T @ mixed).T, axis=1) / np.linalg.norm(vectors, axis=1)
        np.testing.assert_allclose(run().outside[:, column], left, atol=1e-12)


@pytest.mark.parametrize("d_model", [6, 16])
def test_two_thirds_of_a_block_are_in_its_network(d_model: int) -> None:
    result = run_normalization(NormalizationConfig(topic="feed-forward", num_tokens=WORDS, d_model=d_model))
    d = d_model
    assert result.parameters == (4 * d * d + 4 * d, 2 * 4 * d * d + 4 * d + d, 2 * 2 * d)
    assert result.places == WORDS * WORDS + WORDS


def test_every_derivative_by_another_word_is_counted_in_each_of_three_draws() -> None:
    found = run().verdict("ffn-alone")
    assert (found.measured, found.cases) == (0, "3 draws of all weights")
    assert found.unit == f"of {3 * WORDS * (WORDS - 1) * D * D:,} cases"
    assert run(attention_instead=True).verdict("ffn-alone").measured == 3 * WORDS * (WORDS - 1) * D * D


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_a_context_that_is_no_mixture_is_noticed(dtype: str) -> None:
    right = MultiHeadAttention.trace

    def off(self: MultiHeadAttention, *given: torch.Tensor, **options: object) -> AttentionTrace:
        trace = right(self, *given, **options)
        return trace._replace(context=trace.context + 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MultiHeadAttention, "trace", off)
        assert run(dtype=dtype).verdict("ffn-span.context").outcome == "surprises"
    assert run(dtype=dtype).verdict("ffn-span.context").outcome == "holds"
