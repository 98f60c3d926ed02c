"""Every permutation claim, where theory says it holds and where a switch breaks it."""

import dataclasses
import itertools

import numpy as np
import pytest
import torch

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.choices import position_of
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.measuring.run import run
from attention_core.modules import projections
from attention_core.modules.added_position import AddedPosition
from attention_core.modules.block import PreNorm
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import BatchNorm
from attention_core.modules.stack import Encoder
from attention_core.studies.permutation import (
    ALL_NAMES,
    PermutationConfig,
    ShuffleConfig,
    another_order,
    order_for,
    order_of,
    run_along,
    run_depth,
    run_permutation,
    run_shuffle,
    run_terms,
    steps_blocks,
    steps_order,
)
from attention_core.studies.permutation.module import Attention
from attention_core.studies.permutation.settings import BIAS_STD, D_MODEL, NUM_HEADS
from tests.sweeps import some_by_day

HALVES = ("bfloat16", "float16")


@pytest.mark.parametrize("dtype", ["float32", *HALVES])
def test_the_bound_lies_within_a_small_multiple_of_the_errors_of_a_pass(dtype: str) -> None:
    """A pass is off from float64 on the same numbers by a tenth to four tenths of what two may be off."""
    shares = []
    for seed in range(8):
        one = Attention(PermutationConfig(dtype=dtype, seed=seed))
        exact = Attention(PermutationConfig(seed=seed))
        exact.module.load_state_dict({name: value.double() for name, value in one.module.state_dict().items()})
        exact.x, exact.y = one.x.double(), one.y.double()
        here = torch.arange(6)[None]
        with torch.inference_mode():
            shares.append(float((one.outputs(here, here) - exact.outputs(here, here)).abs().max()) / one.bound())
    assert max(shares) < 0.5
    assert dtype == "float32" or min(shares) > 0.05


@pytest.mark.parametrize(
    ("settings", "same", "in_place"),
    [
        ({"key_order": (5, 4, 3, 2, 1, 0)}, True, True), ({"query_order": (5, 4, 3, 2, 1, 0)}, True, False),
        ({"query_order": (5, 4, 3, 2, 1, 0), "tokens": ("a",) * 6}, True, True),
        ({"key_order": (5, 4, 3, 2, 1, 0), "positions": "rotary"}, False, False),
        ({"key_order": (5, 4, 3, 2, 1, 0), "keys_alone": True}, False, False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_whether_the_output_is_the_same_under_any_seed(
    settings: dict, same: bool, in_place: bool, dtype: str
) -> None:
    for seed in range(2):
        result = run_shuffle(ShuffleConfig(**settings, dtype=dtype, seed=seed))
        assert (result.same, result.same_in_place) == (same, in_place)


def test_a_precision_that_finds_no_difference_does_not_call_it_the_same() -> None:
    close = ShuffleConfig(dtype="bfloat16", seed=1, positions="alibi", key_order=(0, 1, 3, 2, 4, 5))
    assert run_shuffle(close).same is None
    assert run_shuffle(dataclasses.replace(close, dtype="float64")).same is False


def test_one_order_is_judged_by_what_theory_says_of_it() -> None:
    here, turned = (0, 1, 2), (2, 1, 0)

    def outcome(order: tuple[int, ...], **switches: object) -> str:
        config = ShuffleConfig(**{"tokens": ("a", "b", "c"), "query_order": order, "key_order": order} | switches)
        return run_shuffle(config).verdict("perm-self").outcome

    for switches in ({"positions": "sinusoidal"}, {"positions": "rotary"}, {"mask": "causal"}, {"keys_alone": True}):
        assert outcome(here, **switches) == "undecided"
        assert outcome(turned, **switches) == "fails"
    for switches in ({"positions": "alibi"}, {"mask": "window"}):
        assert outcome(here, **switches) == "undecided"
        assert outcome(turned, **switches) == "undecided"
    assert outcome(turned, positions="alibi", carried=True) == "holds"
    assert outcome((1, 0, 2), positions="learned", tokens=("a", "a", "b")) == "undecided"


def test_the_residuals_are_those_of_a_loop_over_the_orders() -> None:
    config = PermutationConfig(tokens=("a", "b", "c", "d"), positions="learned", mask="causal", seed=7)
    module = MultiHeadAttention(D_MODEL, NUM_HEADS, position=position_of("learned", 8), dtype=torch.float64)
    draw_parameters(module, 7, bias_std=BIAS_STD)
    x = embed(config.tokens, D_MODEL, 7)
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    with torch.no_grad():
        before = module(x[None], attn_mask=mask)[0]
        expected = [
            float((module(x[list(order)][None], attn_mask=mask)[0] - before[list(order)]).abs().max())
            for order in itertools.permutations(range(4))
        ]
    result = run_permutation(config)
    measured = result.residuals[result.claims.index("perm-self")]
    assert len(measured) == 24
    np.testing.assert_allclose(measured, expected, atol=result.bound, rtol=0)


def test_of_one_word_and_padding_only_what_is_added_to_the_word_tells_the_places_apart() -> None:
    for positions, outcome in (("sinusoidal", "fails"), ("rotary", "undecided")):
        *_, result = steps_blocks(PermutationConfig(tokens=("a",), positions=positions))
        verdict = result.verdict("perm-pool")
        assert verdict.outcome == outcome, positions


def test_more_than_seven_tokens_are_sampled_and_said_so() -> None:
    result = run_permutation(PermutationConfig(tokens=tuple("abcdefgh")))
    assert {verdict.cases for verdict in result.verdicts} == {"256 random orders"}
    assert run_permutation(PermutationConfig(tokens=tuple("abcdefg"))).verdicts[0].cases == "all 5,040 orders"


def test_one_seed_is_one_input_in_every_precision() -> None:
    fine = run_shuffle(ShuffleConfig(dtype="float64")).output_before
    for dtype, digits in (("float32", 1e-5), ("bfloat16", 0.15), ("float16", 2e-2)):
        np.testing.assert_allclose(run_shuffle(ShuffleConfig(dtype=dtype)).output_before, fine, atol=digits)


def test_undoing_puts_rows_and_columns_back() -> None:
    config = ShuffleConfig(query_order=(2, 0, 1), key_order=(1, 2, 0), tokens=("a", "b", "c"))
    result = run_shuffle(config)
    np.testing.assert_array_equal(result.weights_after[:, 0, 1], result.weights_undone[:, 2, 2])
    np.testing.assert_array_equal(result.output_after[0], result.output_undone[2])
    np.testing.assert_allclose(result.weights_undone, result.weights_before, atol=1e-6)
    assert result.moved_in_place > 0.1 > result.moved


def test_orders() -> None:
    assert order_of("reversed", 3, 0) == (2, 1, 0)
    assert order_of("rotated", 3, 0) == (1, 2, 0)
    assert all(sorted(order_of("random", n, s)) == list(range(n)) for n in (1, 2, 9) for s in range(20))
    assert all(order_of("random", 2, seed) == (1, 0) for seed in range(20))
    assert order_of("random", 6, 1) != order_of("random", 6, 2)
    with pytest.raises(ConfigError, match="order"):
        order_of("alphabetical", 3, 0)


# ---- pooling, biases, whole blocks and depth ----


ORDER = (2, 0, 5, 1, 4, 3)


def test_a_block_is_measured_on_the_real_module() -> None:
    """One order of one pre-norm block, by hand."""
    words, order = ("a", "b", "c"), [2, 1, 0]
    encoder = Encoder(D_MODEL, NUM_HEADS, 1, placement=PreNorm(), dtype=torch.float64)
    draw_parameters(encoder, 5, bias_std=BIAS_STD)
    x, mask = embed(words, D_MODEL, 5)[None], torch.ones(3, 3, dtype=torch.bool).tril()
    with torch.no_grad():
        moved = (encoder(x[:, order], attn_mask=mask) - encoder(x, attn_mask=mask)[:, order]).abs().max()
    shuffle = ShuffleConfig(tokens=words, mask="causal", seed=5, query_order=order, key_order=order, model="pre")
    assert run_shuffle(shuffle).moved == pytest.approx(float(moved), rel=1e-9)


def test_batch_norm_takes_each_order_for_a_batch_of_its_own() -> None:
    config = PermutationConfig(tokens=("a", "b", "c"), mask="causal")
    encoder = Encoder(D_MODEL, NUM_HEADS, 1, placement=PreNorm(), norm=BatchNorm(), dtype=torch.float64).train()
    draw_parameters(encoder, 0, bias_std=BIAS_STD)
    x, mask = embed(config.tokens, D_MODEL, 0)[None], torch.ones(3, 3, dtype=torch.bool).tril()
    with torch.no_grad():
        here = encoder(x, attn_mask=mask)
        orders = ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0])
        moved = max(float((encoder(x[:, o], attn_mask=mask) - here[:, o]).abs().max()) for o in orders)
    blocks = run(config, experiment=steps_blocks).blocks
    case = next(c for c in blocks if (c.placement, c.norm) == ("pre-norm", "BatchNorm over tokens"))
    assert case.residual == pytest.approx(moved, rel=1e-9)


def test_edges_one_token_sixty_four_and_a_second_sentence() -> None:
    alone = run(PermutationConfig(tokens=("a",)), experiment=steps_blocks)
    assert {case.norm for case in alone.blocks} == {"LayerNorm"}
    long = run_depth(PermutationConfig(tokens=("x" * 500,)))
    assert long.verdicts[-1].cases == "1 to 1 times the same token"
    cross = run(PermutationConfig(context=("a", "b")), experiment=steps_blocks)
    assert [verdict.claim for verdict in cross.verdicts] == ["perm-bias"]
    assert cross.blocks == ()


def test_what_brings_order_in_is_the_same_whatever_the_picture_has() -> None:
    config = PermutationConfig(positions="rotary", carried=True, mask="causal", context=("a", "b"))
    assert config.plain == PermutationConfig()
    assert run(config, experiment=steps_order) == run(PermutationConfig(), experiment=steps_order)


@pytest.mark.parametrize("mask", ["none", "causal", "window"])
def test_a_word_said_several_times_is_a_sentence_of_that_length(mask: str) -> None:
    """The first of sixteen equal tokens are, with their part of the mask, the sentence that is as long as they."""
    many, three = (Attention(PermutationConfig(tokens=("a",) * n, mask=mask, positions="alibi")) for n in (16, 3))
    here = torch.arange(3)[None]
    assert torch.equal(many.outputs(here, here), three.outputs(here, here))
    assert many.bound(3) == three.bound()


def test_another_order_is_neither_this_one_nor_the_one_as_written() -> None:
    for count in range(3, 7):
        here = tuple(range(count))
        for order in (here, here[::-1], here[1:] + here[:1]):
            made = [another_order(order) for _ in range(50)]
            assert all(sorted(one) == list(here) for one in made)
            assert not {order, here} & set(made)
    assert [another_order(order) for order in ((0, 1), (1, 0), (0,), ())] == [(1, 0), (0, 1), (0,), ()]


def test_an_order_of_other_tokens_goes_on_with_those_it_named() -> None:
    assert order_for((2, 0, 1), 3, 0) == (2, 0, 1)
    assert order_for((2, 0, 1), 5, 0) == (2, 0, 1, 3, 4)
    assert order_for((3, 2, 1, 0), 2, 0) == (1, 0)
    assert order_for((0, 1, 2), 3, 0) == (0, 1, 2), "as written is an order too"
    assert order_for((0, 1, 2), 5, 0) != (0, 1, 2, 3, 4), "but nothing is left of it for others"


def test_positions_are_turned_on_and_off_and_those_that_are_there_stay() -> None:
    plain, rotary = ShuffleConfig(), ShuffleConfig(positions="rotary", carried=True)
    assert plain.with_positions(on=True) == ShuffleConfig(positions="sinusoidal")
    assert rotary.with_positions(on=True) is rotary
    assert rotary.with_positions(on=False) == plain
    alone = ShuffleConfig(keys_alone=True, carried=True)
    assert alone.with_positions(on=True).positions == "sinusoidal", "where a key carries no position along"


@pytest.mark.parametrize("model", ["attention", "two"])
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize(("positions", "carried"), [("none", False), ("rotary", True), ("sinusoidal", False)])
def test_a_picture_is_only_reordered_where_it_is_said_so(
    model: str, mask: str, positions: str, carried: bool
) -> None:
    order = (3, 1, 5, 0, 4, 2)
    config = ShuffleConfig(
        model=model, mask=mask, positions=positions, carried=carried, query_order=order, key_order=order,
        dtype="float64",
    )  # fmt: skip
    found = run_shuffle(config)
    rows = list(order)
    far = max(
        np.abs(found.weights_after - found.weights_before[:, rows][:, :, rows]).max(),
        np.abs(found.output_after - found.output_before[rows]).max(),
    )
    assert far < 1e-12 if config.only_reorders else far > 1e-3
    assert config.only_reorders == (mask == "none" and positions != "sinusoidal")
    assert not dataclasses.replace(config, model="attention", keys_alone=True).only_reorders


# ---- positions that are added ----


def sinusoids(place: int) -> np.ndarray:
    """sin and cos of place / 10000^(2i / 32), by turns."""
    angles = [place / 10000 ** (2 * i / 32) for i in range(16)]
    return np.array([turn(angle) for angle in angles for turn in (np.sin, np.cos)])


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize(("context", "key_order"), [((), (2, 0, 1)), (("d", "e"), (1, 0))])
def test_the_four_terms_and_their_sum_are_those_of_loops(
    context: tuple[str, ...], key_order: tuple[int, ...], carried: bool
) -> None:
    words, order = ("a", "b", "c"), (2, 0, 1)
    config = ShuffleConfig(
        tokens=words, context=context, query_order=order, key_order=key_order, positions="sinusoidal",
        carried=carried, seed=4, dtype="float64",
    )  # fmt: skip
    module = draw_parameters(MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64), 4, bias_std=BIAS_STD)
    W_Q, W_K, b_Q, b_K = (
        getattr(module, name).detach().numpy() for name in ("q_weight", "k_weight", "q_bias", "k_bias")
    )
    result = run_terms(config)
    x, y = embed(words, D_MODEL, 4).numpy(), embed(context or words, D_MODEL, 4).numpy()
    for head in range(NUM_HEADS):
        rows = slice(8 * head, 8 * head + 8)
        for slot, i in enumerate(order):
            p = sinusoids(i if carried else slot)
            for place, j in enumerate(key_order):
                r = sinusoids(j if carried else place)
                q_word, k_word = W_Q[rows] @ x[i] + b_Q[rows], W_K[rows] @ y[j] + b_K[rows]
                q_place, k_place = W_Q[rows] @ p, W_K[rows] @ r
                terms = [a @ b / np.sqrt(8) for a in (q_word, q_place) for b in (k_word, k_place)]
                np.testing.assert_allclose(result.terms[:, head, slot, place], terms, rtol=1e-12, atol=1e-12)
                whole = (W_Q[rows] @ (x[i] + p) + b_Q[rows]) @ (W_K[rows] @ (y[j] + r) + b_K[rows]) / np.sqrt(8)
                np.testing.assert_allclose(result.scores[head, slot, place], whole, rtol=1e-12, atol=1e-12)
                np.testing.assert_allclose(result.beside[head, slot, place], whole, rtol=1e-12, atol=1e-12)


def test_words_that_move_leave_what_places_say_of_places() -> None:
    here, moved = (run_terms(ShuffleConfig(query_order=order, key_order=order)) for order in ((), ORDER))
    rows = list(ORDER)
    bound = here.verdict("pe-add.terms").bound
    np.testing.assert_allclose(moved.terms[0], here.terms[0][:, rows][:, :, rows], atol=bound, rtol=0)
    np.testing.assert_array_equal(moved.terms[3], here.terms[3])
    assert np.abs(moved.terms[0] - here.terms[0]).max() > 0.1
    assert np.abs(moved.terms[1] - here.terms[1][:, rows]).max() <= bound, "its columns are places"


@pytest.mark.parametrize("dtype", ["float64", "float32", *HALVES])
def test_a_block_that_is_left_out_takes_two_terms_along_and_nothing_else(dtype: str) -> None:
    whole, without = (run_terms(ShuffleConfig(dtype=dtype, without_block=one)) for one in (False, True))
    np.testing.assert_array_equal(without.terms[[0, 2]], whole.terms[[0, 2]])
    assert not without.terms[[1, 3]].any()
    np.testing.assert_array_equal(without.scores, whole.scores)
    assert without.moved == pytest.approx(np.abs(whole.terms[1] + whole.terms[3]).max(), rel=0.02)
    assert {one.outcome for one in without.verdicts} == {"fails"}


@pytest.mark.parametrize("context", [(), ("d", "e")])
def test_scores_at_places_moved_on_are_those_of_turned_numbers_and_of_sums(context: tuple[str, ...]) -> None:
    words = ("a", "b", "c")
    module = draw_parameters(MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64), 4, bias_std=BIAS_STD)
    W_Q, W_K, b_Q, b_K = (
        getattr(module, name).detach().numpy() for name in ("q_weight", "k_weight", "q_bias", "k_bias")
    )
    result = run_along(PermutationConfig(tokens=words, context=context, positions="rotary", seed=4))
    assert (result.positions, result.offsets) == (("rotary", "sinusoidal"), (16, 16))
    x, y = embed(words, D_MODEL, 4).numpy(), embed(context or words, D_MODEL, 4).numpy()
    speeds = 10_000.0 ** -(np.arange(4) / 4)
    for head, (i, a), (j, b) in itertools.product(range(NUM_HEADS), enumerate(x), enumerate(y)):
        rows = slice(8 * head, 8 * head + 8)
        q, k = W_Q[rows] @ a + b_Q[rows], W_K[rows] @ b + b_K[rows]
        # Pairs as complex numbers: q's times the other of k's, turned by what lies between the two places.
        turned = (q[::2] + 1j * q[1::2]) * (k[::2] - 1j * k[1::2]) * np.exp(1j * (i - j) * speeds)
        for found in (result.here, result.there):
            assert found[0, head, i, j] == pytest.approx(turned.real.sum() / np.sqrt(8), abs=1e-12)
        for found, offset in ((result.here, 0), (result.there, 16)):
            p, r = sinusoids(i + offset), sinusoids(j + offset)
            score = (W_Q[rows] @ (a + p) + b_Q[rows]) @ (W_K[rows] @ (b + r) + b_K[rows]) / np.sqrt(8)
            assert found[1, head, i, j] == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("positions", "dtype"),
    some_by_day(itertools.product(sorted(ALL_NAMES.keys() - {"none"}), ["float64", "float32", *HALVES]), of=3),
)
def test_relative_scores_stay_and_others_do_not_in_every_precision(positions: str, dtype: str) -> None:
    comes = "fails" if positions in ("sinusoidal", "learned", "rotary-ntk") else "holds"
    told = set()
    for seed in range(12):
        found = run_along(PermutationConfig(positions=positions, dtype=dtype, seed=seed))
        own, other = (one.outcome for one in found.verdicts)
        told.add(own)
        assert other == "holds"
        far = found.moved[0] <= found.verdicts[0].bound / 2
        assert far or comes == "fails", "the bound is not reached by far"
    assert comes in told
    assert told <= ({comes, "undecided"} if dtype == "bfloat16" else {comes})


@pytest.mark.parametrize(
    ("positions", "tokens", "context", "comes"),
    [("rotary-ntk", 1, 0, "holds"), ("rotary-ntk", 2, 0, "fails"), ("rotary-ntk", 1, 2, "fails"),
     ("rotary-longrope", 4, 0, "fails"), ("rotary-longrope", 5, 0, "holds"), ("rotary-longrope", 3, 5, "holds"),
     ("rotary-longrope", 1, 0, "holds")],
)  # fmt: skip
def test_angles_that_know_how_far_places_reach_move_scores_where_the_reach_changes_them(
    positions: str, tokens: int, context: int, comes: str
) -> None:
    words = tuple("abcdefgh")
    config = PermutationConfig(tokens=words[:tokens], context=words[:context], positions=positions)
    assert run_along(config).verdict("rope-relative").outcome == comes


@pytest.mark.parametrize("dtype", ["float64", "float32", *HALVES])
def test_a_rotation_that_knows_where_a_word_stands_is_noticed(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries turn twice as fast as keys, so that no distance is left."""
    right, calls = projections.rotate_heads, itertools.count()

    def faster(x: torch.Tensor, positions: torch.Tensor, *given: object, **options: object) -> torch.Tensor:
        return right(x, positions * (2 - next(calls) % 2), *given, **options)

    monkeypatch.setattr(projections, "rotate_heads", faster)
    found = run_along(PermutationConfig(positions="rotary", dtype=dtype))
    assert found.verdict("rope-relative").outcome == "surprises"


@pytest.mark.parametrize("dtype", ["float64", "float32", *HALVES])
def test_a_module_that_adds_something_else_is_noticed(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the place is added, and all of it set beside the word."""
    right = AddedPosition.forward

    def half(self: AddedPosition, x: torch.Tensor, positions: torch.Tensor | None = None) -> torch.Tensor:
        added = right(self, x, positions)
        return (x + added) / 2 if x.any() else added

    monkeypatch.setattr(AddedPosition, "forward", half)
    assert {one.outcome for one in run_terms(ShuffleConfig(dtype=dtype)).verdicts} == {"surprises"}


@pytest.mark.parametrize("positions", ["rotary-linear", "rotary-yarn"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_positions_that_are_stretched_tell_the_order_unless_they_travel(positions: str, dtype: str) -> None:
    order = (2, 0, 1, 3, 5, 4)
    shuffled = ShuffleConfig(positions=positions, query_order=order, key_order=order, dtype=dtype)
    assert run_shuffle(shuffled).verdict("perm-self").outcome == "fails"
    assert run_shuffle(dataclasses.replace(shuffled, carried=True)).verdict("perm-self").outcome == "holds"
