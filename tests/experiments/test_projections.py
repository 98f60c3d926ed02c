"""Every claim about projections, where theory says it holds and where a switch breaks it."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.projections import (
    TOPICS,
    ProjectionsConfig,
    run_projections,
)
from attention_core.studies.projections.parts import attention, words

IDENTITY, TIED, GAUGE, RANK, COLLAPSE, NAMES, FIXED = TOPICS
DTYPES = ("float64", "float32", "bfloat16", "float16")
MANY = tuple(f"w{i}" for i in range(64))


def run(topic: str, **settings: object) -> object:
    return run_projections(ProjectionsConfig(topic=topic, **settings))


def test_a_word_looks_at_itself_as_much_as_the_formula_says() -> None:
    result = run(IDENTITY, tokens=MANY, num_heads=1, seed=1)
    own = dict(zip(result.sizes.tolist(), result.own[0], strict=True))
    assert own[2] == pytest.approx(0.04, abs=0.01)
    assert own[16] == pytest.approx(0.35, abs=0.03)
    assert own[64] == pytest.approx(0.97, abs=0.01)
    np.testing.assert_allclose(result.own[0][2:], result.predicted[2:], atol=0.03)
    assert result.lost_queries == 0
    half = run(IDENTITY, dtype="float16", seed=0, d_head=2, num_heads=8)
    assert 0 < half.lead <= half.verdict("qkv-none").bound
    assert half.lost_queries == 0, "what rounding alone puts ahead is not lost_queries"
    assert (result.own[1] < 0.1).all(), "with random projections nobody looks at himself for certain"


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_beside_a_collapse_in_half_precision_stands_what_float64_comes_to(dtype: str) -> None:
    settings = {"seed": 486995, "spread": 0.8}
    result = run(COLLAPSE, dtype=dtype, **settings)
    exact = run(COLLAPSE, dtype="float64", device="cpu", **settings)
    if dtype in ("float32", "float64"):
        assert result.exact is None
    else:
        np.testing.assert_array_equal(result.exact, [exact.apart[:, -1], exact.left[:, -1]])
        assert (result.exact != [result.apart[:, -1], result.left[:, -1]]).all()


@pytest.mark.parametrize(
    ("settings", "because"),
    [
        ({}, "all words are equal, and so are the scores of all pairs"),
        ({"positions": "alibi"}, "a score tells only how far two slots are apart, the same both ways"),
        ({"positions": "alibi", "biases": "one"}, "a score tells only how far two slots are apart"),
        ({"positions": "alibi", "tokens": ("a",)}, "there is one word"), ({"tokens": ("a",)}, "there is one word"),
    ],
)  # fmt: skip
def test_equal_scores_are_only_called_so_where_they_are(settings: dict, because: str) -> None:
    result = run(TIED, **{"tokens": ("a", "a", "a"), **settings})
    verdict = result.verdict("qk-tied")
    assert verdict.outcome == "undecided"
    assert because in str(verdict.because)
    differ = any(not np.allclose(head, head[0, 0]) for head in result.scores)
    assert ("the scores of all pairs" in str(verdict.because)) == (not differ and len(result.scores[0]) > 1)


def test_weights_without_projections_are_softmax_of_plain_dot_products() -> None:
    config = ProjectionsConfig(topic=IDENTITY, spread=0.4, temperature=0.5, num_heads=2, d_head=4, device="cpu")
    x = words(config)[0].unflatten(-1, (2, 4)).transpose(0, 1).numpy()
    result = run_projections(config)
    for head in range(2):
        for i in range(len(config.tokens)):
            scores = np.array([x[head, i] @ x[head, j] for j in range(len(config.tokens))]) / (0.5 * math.sqrt(4))
            exponentials = np.exp(scores - scores.max())
            np.testing.assert_allclose(result.weights[0, head, i], exponentials / exponentials.sum(), atol=1e-14)
    np.testing.assert_allclose(result.norms, np.linalg.norm(x, axis=-1))


def test_equal_norms_before_the_heads_are_cut_are_not_enough() -> None:
    result = run(IDENTITY, tokens=MANY, num_heads=8, d_head=4, whole_norms=True)
    np.testing.assert_allclose(np.sqrt((result.norms**2).sum(0)), math.sqrt(32))
    assert 0.5 < result.lost_queries / result.queries < 0.9


@pytest.mark.parametrize(("biases", "saved"), [("both", 32 * 32 + 32), ("none", 32 * 32)])
def test_tying_keys_and_values_saves_what_the_formula_says(biases: str, saved: int) -> None:
    result = run(TIED, biases=biases)
    assert result.parameters == (result.parameters[0], result.parameters[0] - saved, result.parameters[0] - saved)
    assert result.saved == result.formula == saved


def test_scores_are_symmetric_and_weights_are_not() -> None:
    result = run(TIED)
    np.testing.assert_allclose(result.scores, result.scores.swapaxes(1, 2), atol=1e-13)
    assert (result.asymmetry > 0.1).all()
    difference = result.weights - result.weights.swapaxes(1, 2)
    np.testing.assert_allclose(result.asymmetry, np.sqrt((difference**2).sum((1, 2))))


def test_all_parameters_change_and_the_function_does_not() -> None:
    result = run(GAUGE)
    assert 2 < result.changed < 4
    assert result.moved < 1e-13
    assert not np.allclose(result.q_weight_before, result.q_weight_after, atol=0.1)
    exact = attention(ProjectionsConfig(topic=GAUGE, device="cpu"))
    np.testing.assert_array_equal(result.q_weight_before.reshape(32, 32), exact.q_weight.detach().numpy())


def test_scores_have_the_rank_of_a_head_and_weights_have_all() -> None:
    result = run(RANK)
    sizes, n = result.sizes, 10
    np.testing.assert_array_equal(result.ranks[0], np.minimum(sizes, n))
    np.testing.assert_array_equal(result.ranks[1], np.minimum(sizes + 1, n))
    np.testing.assert_array_equal(result.ranks[2], n)
    for head in range(4):
        assert np.linalg.matrix_rank(result.scores[head]) == 8
        assert np.linalg.matrix_rank(result.weights[head]) == n


def test_attention_alone_collapses_and_the_residual_prevents_it() -> None:
    result = run(COLLAPSE)
    assert result.apart[0, 0] == result.apart[1, 0] > 0.8
    assert result.left[:, 0].tolist() == [1, 1]
    assert result.apart[0, -1] < 1e-14
    assert result.left[1, -1] > 0.5
    assert not result.verdict("rank-collapse.left").rounding, "a tenth may be left"
    assert result.distances[0, 0].max() == 1
    assert result.distances[0, -1].max() < 1e-14
    assert result.distances[1, -1].max() > 0.5
    slowed = run(COLLAPSE, causal=True)
    assert slowed.apart[0, 4] > 1e3 * result.apart[0, 4]
    assert slowed.verdict("rank-collapse.left").holds
    assert slowed.verdict("rank-collapse.left").outcome == "undecided", "twelve layers may not be enough"
    assert run(COLLAPSE, residual=True).verdict("rank-collapse.left").outcome == "fails"


@pytest.mark.parametrize("residual", [False, True])
def test_a_module_that_answers_nothing_passes_neither_the_collapse_nor_its_break(
    residual: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MultiHeadAttention, "forward", lambda _, x, **__: torch.zeros_like(x))
    assert run(COLLAPSE, residual=residual).verdict("rank-collapse.alive").surprises


# ---- query and key exchanged ----


def plain(config: ProjectionsConfig) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries, keys and values by NumPy (heads, tokens, d_head), with the parameters and words of the settings."""
    module, x = attention(config), words(config)[0].numpy()
    rows = [getattr(module, f"{role}_weight").detach().numpy() for role in "qkv"]
    shifts = [getattr(module, f"{role}_bias").detach().numpy() for role in "qkv"]
    made = [x @ weight.T + bias for weight, bias in zip(rows, shifts, strict=True)]
    q, k, v = (one.reshape(len(x), config.num_heads, config.d_head).transpose(1, 0, 2) for one in made)
    return q, k, v


def shares(scores: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("causal", [False, True])
def test_with_query_and_key_exchanged_softmax_over_columns_gives_the_same_output(causal: bool) -> None:
    config = ProjectionsConfig(topic=NAMES, causal=causal, num_heads=2, d_head=4, device="cpu", seed=3)
    (q, k, v), result = plain(config), run_projections(config)
    n, module = len(config.tokens), attention(config)
    np.testing.assert_allclose(result.scores, q @ k.swapaxes(1, 2) / 2, atol=1e-13)
    np.testing.assert_allclose(result.exchanged, k @ q.swapaxes(1, 2) / 2, atol=1e-13)
    later = np.tril(np.full((n, n), -np.inf), -1) if causal else 0  # a column is a query now, and sees no later row
    weights = shares(k @ q.swapaxes(1, 2) / 2 + later, axis=1)
    context = np.einsum("hji,hjd->ihd", weights, v).reshape(n, -1)
    output = context @ module.o_weight.detach().numpy().T + module.o_bias.detach().numpy()
    np.testing.assert_allclose(result.output, output, atol=1e-12)
    np.testing.assert_allclose(result.output_exchanged, output, atol=1e-12)
    assert result.moved == np.abs(result.output - result.output_exchanged).max()


def test_of_one_side_alone_keys_meet_keys() -> None:
    config = ProjectionsConfig(topic=NAMES, one_side=True, num_heads=2, d_head=4, device="cpu")
    k, result = plain(config)[1], run_projections(config)
    np.testing.assert_allclose(result.exchanged, k @ k.swapaxes(1, 2) / 2, atol=1e-13)
    np.testing.assert_array_equal(result.scores, run(NAMES, num_heads=2, d_head=4, device="cpu").scores)
    assert result.moved > 0.1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
def test_names_are_free_in_every_precision_and_one_of_them_alone_is_not(dtype: str, positions: str) -> None:
    for seed in range(3):
        settings = {"dtype": dtype, "positions": positions, "seed": seed, "causal": seed == 1, "qk_norm": seed == 2}
        free, alone = (run(NAMES, one_side=one, **settings) for one in (False, True))
        assert {one.outcome for one in free.verdicts} <= {"holds", "undecided"}
        assert {one.outcome for one in alone.verdicts} == {"fails"}
        assert free.verdict("qkv-names.scores").outcome == "holds" or dtype == "bfloat16"


def test_a_layer_that_knows_which_is_the_query_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MultiHeadAttention.into_heads

    def turned(self: MultiHeadAttention, *given: torch.Tensor, **options: bool) -> tuple[torch.Tensor, ...]:
        q, k, v = right(self, *given, **options)
        return q.abs(), k, v

    monkeypatch.setattr(MultiHeadAttention, "into_heads", turned)
    assert {one.outcome for one in run(NAMES).verdicts} == {"surprises"}


# ---- attention or a full layer ----


def test_a_full_layers_weights_over_places_are_its_matrix_and_attentions_are_of_the_words() -> None:
    config = ProjectionsConfig(topic=FIXED, tokens=("a", "b", "c", "b"), num_heads=2, d_head=4, device="cpu", seed=5)
    result = run_projections(config)
    assert result.moved_words == ("b", "a", "b", "c")
    np.testing.assert_array_equal(result.full[0], result.full[1])
    assert np.linalg.matrix_rank(result.full[0]) == 4
    q, k, _ = plain(config)
    weights = shares(q @ k.swapaxes(1, 2) / 2, axis=2)
    np.testing.assert_allclose(result.weights[0], weights, atol=1e-13)
    back = [3, 0, 1, 2]  # which word stands at each place after the move
    np.testing.assert_allclose(result.weights[1], weights[:, back][:, :, back], atol=1e-13)
    assert result.change == pytest.approx(np.abs(weights[:, back][:, :, back] - weights).max(), rel=1e-12)


@pytest.mark.parametrize(
    ("tokens", "lengths"), [(("a", "b", "c"), (1, 3, 4, 6)), (("a",), (1, 2)), (("a", "b"), (1, 2, 3, 4))]
)
def test_a_full_layer_takes_its_own_length_alone_and_attention_all(
    tokens: tuple[str, ...], lengths: tuple[int, ...]
) -> None:
    for frozen, taken in ((False, len(lengths)), (True, 1)):
        result = run(FIXED, tokens=tokens, frozen=frozen)
        assert (result.lengths, result.taken) == (lengths, (1, taken))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("settings", [{}, {"causal": True}, {"positions": "rotary", "qk_norm": True}])
def test_attentions_weights_move_with_words_unless_they_are_kept(dtype: str, settings: dict) -> None:
    free, frozen = (run(FIXED, dtype=dtype, frozen=one, **settings) for one in (False, True))
    assert {one.outcome for one in free.verdicts} == {"holds"}
    assert frozen.change == 0
    np.testing.assert_array_equal(frozen.weights[0], free.weights[0])
    outcomes = {one.key: one.outcome for one in frozen.verdicts}
    assert outcomes["fc-fixed.any-length"] == "fails"
    assert outcomes["fc-fixed.attention"] in (("fails",) if dtype.startswith("float") else ("fails", "undecided"))
    assert outcomes["fc-fixed.full"] == outcomes["fc-fixed.one-length"] == "holds"


def test_a_full_layer_that_looks_at_its_words_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = nn.Linear.forward
    monkeypatch.setattr(
        nn.Linear, "forward", lambda self, x: right(self, x) * (1 + x.mean(-1, keepdim=True)[..., :1])
    )
    assert run(FIXED).verdict("fc-fixed.full").outcome == "surprises"


def test_an_attention_that_looks_at_no_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MultiHeadAttention.trace

    def deaf(self: MultiHeadAttention, *given: torch.Tensor, **options: torch.Tensor) -> object:
        trace = right(self, *given, **options)
        return trace._replace(weights=torch.full_like(trace.weights, 0.1))

    monkeypatch.setattr(MultiHeadAttention, "trace", deaf)
    assert run(FIXED).verdict("fc-fixed.attention").outcome == "surprises"
