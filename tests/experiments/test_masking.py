"""Masks: what each stack needs, true and broken; −10000; rows without keys."""

import itertools
import math

import numpy as np
import pytest
import torch

from attention_core.experiments.config import ConfigError
from attention_core.experiments.masking import (
    PADDINGS,
    POSITIONS,
    SIDES,
    STACKS,
    MaskingConfig,
    MaskingResult,
    masking_snippet,
    run_masking,
)
from attention_core.experiments.masking.batch import make_batch, padded_labels
from tests.experiments.snippets import run_snippets

CONTENT, ALONE, GRID = (
    "max |f(padding replaced) − f|",
    "max |f(batch) − f(sentence alone)|",
    "attention modules given",
)
SHORT = (("a", "b", "c"), ("d", "e"))


def run(**settings: object) -> MaskingResult:
    return run_masking(MaskingConfig(**settings))


def verdict(result: MaskingResult, quantity: str) -> object:
    return next(v for v in result.verdicts if v.quantity.startswith(quantity))


@pytest.mark.parametrize("stack", STACKS)
def test_with_its_masks_no_stack_sees_the_padding(stack: str) -> None:
    result = run(stack=stack)
    assert all(v.holds and v.expected for v in result.verdicts), [v.sentence() for v in result.verdicts]
    assert result.pad_moved == 0
    assert {v.claim for v in result.verdicts} == {MaskingConfig(stack=stack).claim, "mask-additive", "mask-full"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        ({"unmasked": True}, {CONTENT, ALONE, GRID}),
        ({"stack": "encoder-decoder", "unmasked": True}, {CONTENT, ALONE, GRID}),
        ({"stack": "decoder", "unmasked": True}, set()),
        ({"stack": "decoder", "side": "left", "unmasked": True, "positions": "none"}, {CONTENT, ALONE, GRID}),
        ({"stack": "decoder", "side": "left"}, {ALONE}),
        ({"stack": "decoder", "side": "left", "positions": "from the first word"}, set()),
        ({"batch_norm": True}, {CONTENT, ALONE}),
        ({"padding": "NaN"}, {CONTENT}),
        ({"window": 1}, set()),
        ({"stack": "decoder", "window": 2, "side": "left", "positions": "none"}, set()),
        ({"sentences": (("a", "b"), ("c", "d")), "unmasked": True}, {GRID}),
    ],
)
def test_what_breaks_a_stack_breaks_it_by_far(settings: dict, broken: set, dtype: str) -> None:
    result = run(dtype=dtype, **settings)
    for quantity in (CONTENT, ALONE, GRID):
        found = verdict(result, quantity)
        assert found.holds == (quantity not in broken), found.sentence()
        assert found.as_expected, found.sentence()
        if found.relation == "≤" and quantity in broken:
            assert found.measured >= 1000 * found.bound


@pytest.mark.parametrize(("stack", "side"), list(itertools.product(STACKS, SIDES)))
def test_theory_foresees_every_verdict(stack: str, side: str) -> None:
    chosen = itertools.product(POSITIONS, (False, True), PADDINGS, (False, True))
    for seed, (positions, unmasked, padding, batch_norm) in enumerate(chosen):
        dtype = ("float64", "bfloat16")[(seed + seed // 2 + seed // 4) % 2]
        result = run(
            sentences=SHORT, stack=stack, side=side, positions=positions, unmasked=unmasked, padding=padding,
            batch_norm=batch_norm, dtype=dtype, seed=seed, window=seed % 3,
        )  # fmt: skip
        for found in result.verdicts:
            assert found.as_expected, (found.sentence(), found.because)


def test_the_grid_is_what_the_modules_were_given() -> None:
    result = run(stack="encoder-decoder", side="right")
    encoder, decoder, cross = result.modules
    assert [module.kinds for module in result.modules] == [("key padding",), ("causal",), ("key padding",)]
    lengths = [6, 3, 2]
    for i, length in enumerate(lengths):
        assert (encoder.mask[i] == (np.arange(6) < length)).all()
        assert (cross.mask[i] == (np.arange(6) < length)).all()
        assert (decoder.mask[i] == np.tril(np.ones((4, 4), bool))).all()
    first, second = ("il", "gatto", "dorme", "·"), ("un", "cane", "abbaia", "forte")
    assert cross.queries == (first, second, first)
    assert cross.keys[2] == ("birds", "sing", "·", "·", "·", "·")
    for module in result.modules:
        assert (module.weights[~module.mask] == 0).all()
        np.testing.assert_allclose(module.weights.sum(-1), 1, atol=1e-6)
        np.testing.assert_allclose(module.unmasked.sum(-1), 1, atol=1e-6)
    assert (encoder.unmasked[2, :2, 2:] > 0).all()
    left = run(stack="decoder", side="left").modules[0]
    assert left.kinds == ("key padding", "causal")
    composed = np.tril(np.ones((6, 6), bool)) & (np.arange(6) >= 3)
    assert (left.mask[1] == composed).all()
    window = run(window=1).modules[0]
    distance = np.abs(np.arange(6)[:, None] - np.arange(6))
    assert (window.mask[0] == (distance <= 1)).all()


def test_padding_is_where_there_is_no_word() -> None:
    assert padded_labels(SHORT, "left") == (("a", "b", "c"), ("·", "d", "e"))
    config = MaskingConfig(sentences=SHORT, side="left", positions="from the first word")
    batch = make_batch(config, SHORT)
    assert batch.padding.tolist() == [[False, False, False], [True, False, False]]
    assert batch.positions.tolist() == [[0, 1, 2], [0, 0, 1]]
    other = make_batch(config, SHORT, filler="another")
    assert torch.equal(other.x[~batch.padding], batch.x[~batch.padding])
    assert not torch.equal(other.x[batch.padding], batch.x[batch.padding])
    assert make_batch(config, SHORT, filler="NaN").x[batch.padding].isnan().all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_minus_10000_hides_until_scores_are_that_large(dtype: str) -> None:
    for size in (0.1, 1.0, 100.0, 1000.0):
        found = verdict(run(dtype=dtype, score_std=size), "max |weights(−10000)")
        assert found.holds
        assert found.expected
        assert found.measured == 0
    found = verdict(run(dtype=dtype, score_std=20000.0), "max |weights(−10000)")
    assert not found.holds
    assert not found.expected
    assert found.measured >= 1000 * found.bound or math.isnan(found.measured)


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


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_a_row_without_keys_is_nan_by_hand_and_zero_here(dtype: str) -> None:
    result = run(dtype=dtype)
    empty = result.empty
    assert np.isnan(empty.naive[0, -1]).all()
    assert np.isfinite(empty.naive[0, :-1]).all()
    assert np.isnan(empty.naive[1]).all()
    assert np.isfinite(empty.ours).all()
    assert (empty.ours[:, -1] == 0).all()
    assert empty.context == 0
    assert empty.gradients[0] == 0
    assert empty.gradients[1] > 0
    naive = verdict(run(dtype=dtype, naive=True), "NaN among")
    assert not naive.holds
    assert not naive.expected
    assert naive.measured == 6 + 36


def test_same_config_same_result() -> None:
    one, other = run(stack="encoder-decoder", seed=2), run(stack="encoder-decoder", seed=2)
    assert one.verdicts == other.verdicts
    assert np.array_equal(one.modules[2].weights, other.modules[2].weights)
    assert run(seed=3).leak != run(seed=2).leak
    assert [v.claim for v in one.said("mask-full").verdicts] == ["mask-full"]
    assert not one.moved.flags.writeable
    assert run(dtype="float32", seed=1).provenance.dtype == "float32"


@pytest.mark.parametrize(
    ("settings", "field", "says"),
    [
        ({"sentences": ()}, "sentences", "1 to 6 sentences"),
        ({"sentences": (("a",),) * 7}, "sentences", "1 to 6 sentences"),
        ({"sentences": ((),)}, "sentences", "1 to 64 tokens"),
        ({"sentences": (("w",) * 40, ("w",) * 40)}, "sentences", "1 to 64 tokens"),
        ({"targets": ()}, "targets", "1 to 6 sentences"),
        ({"stack": "transformer"}, "stack", "encoder, decoder"),
        ({"side": "middle"}, "side", "right, left"),
        ({"window": -1}, "window", "from 0 to 8"),
        ({"positions": "rotary"}, "positions", "by slot"),
        ({"padding": "zeros"}, "padding", "NaN"),
        ({"score_std": math.inf}, "score_std", "from 0.1"),
        ({"naive": 1}, "naive", "True or False"),
        ({"sentences": (("a",), ("b", "c")), "batch_norm": True}, "batch_norm", "two words"),
    ],
)
def test_impossible_settings_are_refused_in_words(settings: dict, field: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as refused:
        MaskingConfig(**settings)
    assert refused.value.field == field


def test_code_repeats_the_measurement_outside_the_project() -> None:
    fuzzed = [
        {}, {"seed": 5}, {"dtype": "float32", "side": "left"}, {"stack": "decoder", "side": "left"},
        {"stack": "decoder"}, {"stack": "encoder-decoder", "window": 2}, {"batch_norm": True, "positions": "none"},
        {"unmasked": True, "side": "left", "positions": "from the first word"},
        {"sentences": (('"""', "<b>"), ("$x$", "%{z}", "\\", ":red[x]"), ("'",))},
    ]  # fmt: skip
    configs = [MaskingConfig(**settings) for settings in fuzzed]
    printed = run_snippets([masking_snippet(config) for config in configs])
    for config, text in zip(configs, printed, strict=True):
        result = run_masking(config)
        assert text.split() == [f"{result.leak:.3g}", f"{result.leak_masked:.3g}"], config
    assert printed[0] != printed[1]
