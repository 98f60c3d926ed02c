"""Masks: what each stack needs, true and broken; −10000; rows without keys."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_core.measuring.judge import judge_all
from attention_core.studies.masks import (
    MasksConfig,
    MasksResult,
    run_masks,
)
from attention_core.studies.masks.rows import BLIND_TESTS, blind_found, through_layers
from attention_core.studies.masks.stack import make_batch, padded_labels

FULL = ("mask-full", "mask-full.output", "mask-full.nan", "mask-full.gradient")
SHORT = (("a", "b", "c"), ("d", "e"))


def run(**settings: object) -> MasksResult:
    return run_masks(MasksConfig(**settings))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("stack", ["encoder", "decoder", "encoder-decoder"])
def test_what_rounding_explains_of_a_sentence_alone_is_near_to_what_it_does(stack: str, dtype: str) -> None:
    found = run(stack=stack, dtype=dtype).verdict(f"{MasksConfig(stack=stack).claim}.alone")
    assert 0 < found.measured <= found.bound < 100 * found.measured


def test_the_grid_is_what_the_weights_obeyed_in_every_head_and_layer() -> None:
    result = run(stack="encoder-decoder", side="right")
    encoder, decoder, cross = result.modules
    assert [module.kinds for module in result.modules] == [("key padding",), ("causal",), ("key padding",)]
    lengths = [6, 3, 2]
    for i, length in enumerate(lengths):
        assert (encoder.seen[i] == (np.arange(6) < length)).all()
        assert (cross.seen[i] == (np.arange(6) < length)).all()
        assert (decoder.seen[i] == np.tril(np.ones((5, 5)))).all()
    assert [module.counted for module in result.modules] == [2 * 2 * 3 * size for size in (36, 25, 30)]
    first, second = ("猫", "坐", "在", "垫子", "上"), ("狗", "睡着", "了", "·", "·")
    assert cross.queries == (first, second, ("鸟儿", "歌唱", "·", "·", "·"))
    fewer = MasksConfig(stack="encoder-decoder", targets=SHORT)
    assert fewer.decoded == (*SHORT, SHORT[0]), "the first comes again"
    assert cross.keys[2] == ("birds", "sing", "·", "·", "·", "·")
    for module in result.modules:
        assert (module.seen == module.needed).all()
        assert (module.weights[~module.needed] == 0).all()
        np.testing.assert_allclose(module.weights.sum(-1), 1, atol=1e-12)
        np.testing.assert_allclose(module.unmasked.sum(-1), 1, atol=1e-12)
    assert (encoder.unmasked[2, :2, 2:] > 0).all()
    left = run(stack="decoder", side="left").modules[0]
    assert left.kinds == ("key padding", "causal")
    assert (left.seen[1] == np.tril(np.ones((6, 6))) * (np.arange(6) >= 3)).all()
    window = run(window=1).modules[0]
    assert (window.seen[0] == (np.abs(np.arange(6)[:, None] - np.arange(6)) <= 1)).all()


def test_what_a_missing_mask_lets_through_is_counted_cell_by_cell() -> None:
    open_ = run(unmasked=True)
    (module,) = open_.modules
    assert module.seen.min() == 1
    padded = (6 * 3 + 6 * 4) * 2 * 2
    assert module.wrong_weights == open_.verdict("mask-encoder.grid").measured == padded
    assert not run(sentences=(("a", "b"), ("c", "d")), unmasked=True).modules[0].wrong_weights, (
        "nothing there to hide"
    )


def test_padding_is_where_there_is_no_word() -> None:
    assert padded_labels(SHORT, "left") == (("a", "b", "c"), ("·", "d", "e"))
    config = MasksConfig(sentences=SHORT, side="left", positions="word")
    batch = make_batch(config, SHORT)
    assert batch.padding.tolist() == [[False, False, False], [True, False, False]]
    assert batch.positions.tolist() == [[0, 1, 2], [0, 0, 1]]
    other = make_batch(config, SHORT, filler="another")
    assert torch.equal(other.x[~batch.padding], batch.x[~batch.padding])
    assert not torch.equal(other.x[batch.padding], batch.x[batch.padding])
    assert make_batch(config, SHORT, filler="NaN").x[batch.padding].isnan().all()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_minus_10000_hides_until_scores_are_that_large_and_rows_without_keys_are_nan_in_half_too(dtype: str) -> None:
    assert all(one.outcome == "holds" for one in run(dtype=dtype, score_std=1000).verdicts)
    large = run(dtype=dtype, score_std=100_000, naive=True)
    found = large.verdict("mask-additive")
    assert found.outcome == "fails"
    assert found.measured >= 1000 * found.bound or math.isnan(found.measured)
    assert [large.verdict(key).outcome for key in FULL] == ["fails"] * 4


@pytest.mark.parametrize(("seed", "dtype"), [(4501, "float64"), (4501, "bfloat16"), (4083, "bfloat16")])
def test_where_scores_lie_as_far_apart_as_the_mask_nothing_is_decided(seed: int, dtype: str) -> None:
    found = run(seed=seed, dtype=dtype, score_std=10_000).verdict("mask-additive")
    assert found.outcome == "undecided"
    assert "as far apart" in found.because
    assert run(seed=4083, score_std=10_000).verdict("mask-additive").outcome == "holds"


def test_a_row_hidden_by_minus_10000_looks_everywhere() -> None:
    additive = run().additive
    row, uniform = (dict(zip(additive.dtypes, values, strict=True)) for values in (additive.row, additive.uniform))
    assert row["float64"] < 1e-10
    assert row["float32"] < 1e-2
    assert uniform["float64"] > 0.1
    for half in ("bfloat16", "float16"):
        assert uniform[half] == 0
        assert row[half] > 0.1
    assert np.isnan(additive.difference[additive.dtypes.index("float16"), -1])
    assert np.isfinite(additive.difference[additive.dtypes.index("float64")]).all()


def test_a_row_without_keys_is_nan_by_hand_and_zero_here() -> None:
    result = run(naive=True)
    naive, ours = result.blind_naive, result.blind
    assert np.isnan(naive.weights[0, -1]).all()
    assert np.isfinite(naive.weights[0, :-1]).all()
    assert np.isnan(naive.weights[1]).all()
    assert np.isfinite(ours.weights).all()
    assert (ours.weights[:, -1] == 0).all()
    assert ours.context.shape == ours.output.shape == (2, 16)
    assert [result.verdict(key).measured for key in FULL[:3]] == [32, 32, 6 + 36]


def test_equal_weights_in_a_row_without_keys_are_no_nan_and_do_not_pass() -> None:
    config, bias = MasksConfig(), torch.full((16,), 0.5, dtype=torch.float64)

    def equal(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        weights = torch.full((1, 2, 6, 6), 1 / 6, dtype=torch.float64)
        context = weights @ x.unflatten(-1, (2, 8)).transpose(1, 2)
        return weights, context, context.transpose(1, 2).flatten(2) + bias

    x = make_batch(config, config.sentences).x[:1]
    row = through_layers(equal, x, bias, gradient=(0, 96))
    found = judge_all(config, BLIND_TESTS, blind_found(row))
    assert [one.outcome for one in found] == ["surprises", "surprises", "holds", "holds"]


# ---- which way round True is: each row of the table of conventions, against the library it speaks of ----
# What it says of this project is held to loops over numbers, in tests/modules/test_multi_head.py.


def test_true_means_may_attend_in_torchs_function() -> None:
    q = torch.eye(2, dtype=torch.float64)[None]
    mask = torch.tensor([[True, False], [True, True]])
    out = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert torch.equal(out[0, 0], q[0, 0])
    added = torch.zeros(2, 2, dtype=torch.float64).masked_fill(~mask, -math.inf)
    torch.testing.assert_close(F.scaled_dot_product_attention(q, q, q, attn_mask=added), out)


def test_true_means_may_not_attend_in_torchs_module() -> None:
    module, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.randn(1, 2, 4)
    hides = torch.tensor([[False, True], [False, False]])
    assert module(x, x, x, attn_mask=hides)[1][0, 0].tolist() == [1.0, 0.0]
    assert module(x, x, x, key_padding_mask=torch.tensor([[False, True]]))[1][0, :, 1].tolist() == [0.0, 0.0]
    added = torch.zeros(2, 2).masked_fill(hides, -math.inf)
    torch.testing.assert_close(module(x, x, x, attn_mask=added)[1], module(x, x, x, attn_mask=hides)[1])


@pytest.mark.parametrize(
    ("name", "shape", "hidden", "reader"),
    [
        ("src_mask", (3, 3), "encoder.layers.0.self_attn", 3), ("tgt_mask", (2, 2), "decoder.layers.0.self_attn", 2),
        ("memory_mask", (2, 3), "decoder.layers.0.multihead_attn", 2),
        ("src_key_padding_mask", (1, 3), "encoder.layers.0.self_attn", 3),
        ("tgt_key_padding_mask", (1, 2), "decoder.layers.0.self_attn", 2),
        ("memory_key_padding_mask", (1, 3), "decoder.layers.0.multihead_attn", 2),
    ],
)  # fmt: skip
def test_true_hides_in_torchs_transformer(name: str, shape: tuple[int, int], hidden: str, reader: int) -> None:
    """Of ``src_len`` = 3 and ``tgt_len`` = 2, the last key: hidden in the attention that the name is about alone."""
    model = torch.nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)  # in training, without shortcuts
    x, y = torch.randn(1, 3, 8), torch.randn(1, 2, 8)
    mask = torch.zeros(shape, dtype=torch.bool)
    mask[:, -1] = True
    attentions = {key: one for key, one in model.named_modules() if isinstance(one, torch.nn.MultiheadAttention)}
    added = torch.zeros(shape).masked_fill(mask, -math.inf)
    weights: dict[str, list[torch.Tensor]] = {key: [] for key in attentions}
    with pytest.MonkeyPatch.context() as patch:
        for key, module in attentions.items():

            def told(*given: object, key: str = key, right: object = module.forward, **options: object) -> object:
                out = right(*given, **options | {"need_weights": True})
                weights[key].append(out[1])
                return out

            patch.setattr(module, "forward", told)
        outputs = [model(x, y, **{name: one}) for one in (mask, added)]
    torch.testing.assert_close(*outputs)
    for key, seen in weights.items():
        for one in seen:
            assert (one[..., -1] == 0).all() == (key == hidden)
            assert (one[..., :-1] > 0).all()
    assert weights[hidden][0].shape == (1, reader, shape[1])


def test_one_means_a_word_in_hugging_faces_model() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        attn_implementation="eager",
    )  # fmt: skip
    model = transformers.BertModel(config).eval()
    with torch.no_grad():
        out = model(torch.tensor([[3, 4, 5]]), attention_mask=torch.tensor([[1, 1, 0]]), output_attentions=True)
    assert float(out.attentions[0][..., 2].abs().max()) == 0
    assert float(out.attentions[0][..., 1].min()) > 0


def test_true_means_padding_in_source_c() -> None:
    """Source C's line of code: ``s.masked_fill(key_padding_mask.unsqueeze(1).to(torch.bool), float("-inf"))``."""
    scores, padding = torch.zeros(1, 2, 3), torch.tensor([[0, 0, 1]])
    weights = F.softmax(scores.masked_fill(padding.unsqueeze(1).to(torch.bool), float("-inf")), dim=-1)
    assert weights[0, :, 2].tolist() == [0.0, 0.0]
