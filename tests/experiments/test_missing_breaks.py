"""A module without what should break a claim: the claim holds then, and every precision says that it should not."""

from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from torch import Tensor, nn

from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.modules import multi_head, projections
from attention_core.modules.added_position import AddedPosition
from attention_core.modules.stack import Decoder, Encoder
from attention_core.studies.biases import BiasesConfig, steps_size_sweep
from attention_core.studies.biases.module import BiasedAttention
from attention_core.studies.masks import MasksConfig, run_forcing, run_length
from attention_core.studies.permutation import (
    PermutationConfig,
    ShuffleConfig,
    run_along,
    run_depth,
    run_shuffle,
    steps_blocks,
)
from attention_core.studies.permutation import module as permutation_module
from attention_core.studies.projections import ProjectionsConfig
from attention_core.studies.variants import VariantsConfig
from attention_core.studies.variants.additive import SumOfTwo
from tests.sweeps import some_by_day

DTYPES = ("float64", "float32", "bfloat16", "float16")
Patch = tuple[Any, str, Callable[..., Any]]
LAWS, ORDER = ("perm-kv", "perm-q", "perm-self"), (2, 0, 5, 1, 4, 3)


def as_it_is(z: Tensor, *_: Any, **__: Any) -> Tensor:
    return z


def without_biases(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, _, **options: right(self, 0.0, **options)


NO_ROTATION: Patch = (projections, "rotate_heads", as_it_is)
NO_PLACE: Patch = (AddedPosition, "forward", lambda _, x, *__, **___: x)
NO_MASK: Patch = (permutation_module, "attention_mask", lambda *_, **__: None)
NO_NORM: Patch = (nn.RMSNorm, "forward", lambda _, x: x)
NO_BIAS: Patch = (BiasedAttention, "at", without_biases(BiasedAttention.at))
LOOKS_BACK: Patch = (Encoder, "forward", Decoder.forward)
WITH_TANH: Patch = (SumOfTwo, "scores", multi_head.MultiHeadAttention.scores)
FELT = ("bias-k.weights", "bias-k.output", "bias-k.spread", "bias-k-grad")
# What is taken away, where it should break something, and what.
MISSING: list[tuple[Patch, RunConfig, Any, tuple[str, ...]]] = [
    (NO_ROTATION, PermutationConfig(positions="rotary"), None, LAWS),
    (NO_ROTATION, PermutationConfig(positions="rotary"), steps_blocks, ("perm-pool", "perm-bias", "perm-block")),
    (NO_ROTATION, PermutationConfig(positions="rotary"), run_depth, ("nope-depth.one",)),
    (NO_ROTATION, ShuffleConfig(positions="rotary", query_order=ORDER), run_shuffle, ("perm-q",)),
    (NO_ROTATION, BiasesConfig(rotary=True), None, (*FELT, "bias-terms.cancel")),
    (NO_ROTATION, ProjectionsConfig(topic="gauge", positions="rotary"), None, ("gauge",)),
    (NO_ROTATION, VariantsConfig(positions="rotary", restart=True), None,
     ("cache-exact.token", "cache-exact.block", "perm-self.full", "bias-k.full", "bias-k.grouped")),
    (WITH_TANH, VariantsConfig(no_tanh=True), None,
     ("additive-rank.sum", "additive-cost.tanh", "additive-cost.alive")),
    (NO_PLACE, PermutationConfig(positions="learned"), None, LAWS),
    (NO_PLACE, PermutationConfig(positions="sinusoidal"), run_depth, ("nope-depth.one", "count-blind")),
    (NO_PLACE, PermutationConfig(positions="sinusoidal"), run_along, ("rope-relative", "rope-relative.added")),
    (NO_MASK, PermutationConfig(mask="causal"), None, LAWS),
    (NO_MASK, PermutationConfig(mask="window"), steps_blocks, ("perm-pool", "perm-bias", "perm-block")),
    (NO_NORM, ProjectionsConfig(topic="gauge", qk_norm=True), None, ("gauge", "scale-absorb")),
    (NO_NORM, BiasesConfig(qk_norm=True), None, FELT),
    (NO_BIAS, BiasesConfig(), None, ("bias-q.output",)),
    (NO_BIAS, BiasesConfig(tied_query_key=True), None, FELT[:3]),  # a gradient comes to a bias that is 0, too
    (LOOKS_BACK, MasksConfig(), run_forcing, ("forcing", "forcing.later")),
    (NO_PLACE, MasksConfig(positions="learned"), run_length, ("any-length",)),
]  # fmt: skip


# Each in float64, and in one of the coarser precisions, which come in turn.
SAMPLED = [
    (*row, dtype) for row, coarse in zip(MISSING, cycle(DTYPES[1:]), strict=False) for dtype in ("float64", coarse)
]


@pytest.mark.parametrize(
    ("patch", "config", "experiment", "keys", "dtype"), some_by_day(SAMPLED, of=3),
    ids=[f"{patch[1]} in {type(config).__name__} in {dtype}" for patch, config, *_, dtype in SAMPLED],
)  # fmt: skip
def test_a_break_that_is_missing_surprises_in_every_precision(
    patch: Patch, config: RunConfig, experiment: Any, keys: tuple[str, ...], dtype: str
) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setattr(*patch)
        found = run(replace(config, dtype=dtype), experiment=experiment)
    assert {key: found.verdict(key).outcome for key in keys} == dict.fromkeys(keys, "surprises")


def test_a_rotation_that_is_missing_surprises_at_every_size_of_the_key_bias() -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setattr(*NO_ROTATION)
        found = run(BiasesConfig(rotary=True).key_sweep(), experiment=steps_size_sweep)
    for size in (0.001, 0.1, 5.0):
        assert [one.outcome for one in found.at(size)] == ["surprises"] * len(found.dtypes)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_mask_that_no_attention_obeys_surprises_in_every_precision(dtype: str) -> None:
    right = multi_head.MultiHeadAttention._prepare

    def deaf(self: multi_head.MultiHeadAttention, *given: Any, **options: Any) -> Any:
        q, k, v, _mask, _causal = right(self, *given, **options)
        return q, k, v, None, False

    with pytest.MonkeyPatch.context() as here:
        here.setattr(multi_head.MultiHeadAttention, "_prepare", deaf)
        found = run(MasksConfig(dtype=dtype))
    assert {found.verdict(key).outcome for key in ("mask-encoder", "mask-encoder.grid")} == {"surprises"}
