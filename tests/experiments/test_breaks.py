"""What each switch breaks and what nothing could break, known before anything is measured; and the reasons, approved.

What cannot move is known by hand: a shuffle of equal words gives attention what it was given before; one key has
weight 1 whatever its score; equal values have one mean whatever the weights; one head is not cut; without padding
there is nothing to hide.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import Experiment, run
from attention_core.measuring.settings import declared
from attention_core.measuring.study import Study
from attention_core.measuring.verdict import Verdict
from attention_core.studies import STUDIES as ALL
from attention_core.studies.anatomy import AnatomyConfig
from attention_core.studies.biases import AfterNormConfig, BiasesConfig, MeanConfig, steps_size_sweep
from attention_core.studies.complexity import ComplexityConfig
from attention_core.studies.masks import MasksConfig, run_forcing, run_length
from attention_core.studies.normalization import NormalizationConfig
from attention_core.studies.permutation import (
    PermutationConfig,
    ShuffleConfig,
    run_along,
    run_depth,
    run_shuffle,
    run_terms,
    steps_blocks,
    steps_order,
)
from attention_core.studies.projections import ProjectionsConfig
from attention_core.studies.receptive_field import ReceptiveFieldConfig
from attention_core.studies.scaling import ScalingConfig
from attention_core.studies.trained import TrainedConfig
from attention_core.studies.variants import VariantsConfig
from attention_core.studies.worth import LONG, WorthConfig
from tests.approved import lines
from tests.strategies import few
from tests.sweeps import slow_of, some_by_day

# Every size a different prime (times the heads), so that no transposition can pass.
PRIMES = {"num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5, "device": "cpu"}
DEEP = {"heads": 2, "layers": 4, "tokens": 90}  # more than 3⁴
LEFT = {"stack": "decoder", "side": "left"}
LAWS, BLOCKS = "perm-kv perm-q perm-self", "perm-pool perm-bias perm-block"
UNSHARED = "?kv-repeat ?kv-bytes.weights"
SAME = "?cache-exact.* ?linear-order ?perm-self.* ?bias-k.* ?additive-order.*"  # of one word, or of equal ones
LINEAR = "bias-k.linear"  # only a softmax cancels what is the same for all keys
SUMS = "additive-order.*"  # additive attention has no rotary positions
SEEN = f"{LINEAR} no-q-cache.kept"  # and without a causal mask earlier words see later ones
ALL_AT_ONCE = {"positions": "rotary", "causal": True, "restart": True, "softmax": True}
ROTARY = "bias-k.* bias-k-grad bias-q.column bias-terms.*"

PIECES = "edge-sum weight-effect"
BUILT = "?head-sees-all.numbers"  # weights that were built by hand are 0 where a head is not to look

# Settings, and the keys of the verdicts that fail with them, and behind a "?" of those that nothing could break: what
# theory leaves undecided. All others hold.
STUDIES: dict[type[RunConfig], list[tuple[dict[str, Any], str]]] = {
    AnatomyConfig: [
        ({}, BUILT), ({"no_transpose": True}, f"mha-reshape {BUILT}"), ({"d_head": 8}, f"mha-divisible {BUILT}"),
        ({"dropout": 0.1}, f"drop-rows convex-hull soft-lookup {BUILT}"),
        ({"fused": True, "device": "cpu"}, f"cplx-core {BUILT}"), ({"weights": "random"}, ""),
        ({"weights": "random", "positions": "rotary", "heads": 8, "projections": "tied-qk"}, ""),
        ({"weights": "random", "cut": True}, "head-sees-all.numbers"),
        ({"cut": True}, "head-sees-all.numbers ?heads-several"),
    ],
    BiasesConfig: [
        ({}, ""), ({"rotary": True}, ROTARY), ({"qk_norm": True}, ROTARY),
        ({"tied_query_key": True}, "bias-k.* bias-k-grad bias-q.column"),
        ({"zero_sink": True}, "bias-k.* bias-k-grad bias-terms.cancel bias-v"), ({"masked_row": True}, "bias-v"),
        ({"dropout": True}, "bias-v"), ({"naive_softmax": True}, "softmax-shift"),
    ],
    AfterNormConfig: [
        ({}, ""), ({"batch_norm_eval": True}, "bias-norm.batch"), ({"direction": "equal"}, "bias-norm.layer-rest"),
    ],
    MeanConfig: [({}, ""), ({"input_mean": 0.5}, "bias-mean")],
    ComplexityConfig: [
        ({}, ""), ({**PRIMES}, ""), ({**PRIMES, "fused": True}, "cplx-core.flops cplx-mha cplx-heads"),
        ({**PRIMES, "large_heads": True}, "cplx-core.flops cplx-mha"),
        ({**PRIMES, "no_output": True}, "cplx-mha cplx-heads cplx-bottleneck"),
        ({**PRIMES, "no_transpose": True}, "mha-reshape"), ({"no_transpose": True, "num_heads": 1}, "?mha-reshape"),
        ({"no_transpose": True, "num_queries": 1, "num_keys": 1}, "?mha-reshape"),
    ],
    MasksConfig: [
        ({}, ""), ({"stack": "decoder"}, ""), ({"stack": "encoder-decoder"}, ""),
        ({"unmasked": True}, "mask-encoder mask-encoder.alone mask-encoder.grid"),
        ({"stack": "encoder-decoder", "unmasked": True}, "mask-encdec mask-encdec.alone mask-encdec.grid"),
        ({"stack": "decoder", "unmasked": True}, ""),
        ({**LEFT, "unmasked": True, "positions": "none"}, "mask-decoder mask-decoder.alone mask-decoder.grid"),
        ({**LEFT}, "mask-decoder.alone"), ({**LEFT, "positions": "word"}, ""),
        ({"positions": "learned"}, ""), ({**LEFT, "positions": "learned"}, "mask-decoder.alone"),
        ({**LEFT, "positions": "none", "window": 2}, ""), ({"window": 1}, ""),
        ({"batch_norm": True}, "mask-encoder mask-encoder.alone"), ({"padding": "not-a-number"}, "mask-encoder"),
        ({"sentences": (("a", "b"), ("c", "d")), "unmasked": True}, "?mask-encoder ?mask-encoder.alone"),
        ({"score_std": 1000}, ""),
        ({"score_std": 100_000}, "mask-additive"), ({"naive": True}, "mask-full mask-full.*"),
    ],
    WorthConfig: [
        ({}, ""), ({"rest": "renormalised"}, PIECES), ({"rest": "mean"}, PIECES),
        ({"plus_one": True}, "sink-forced.one"),
        ({"text": LONG}, ""), ({"text": LONG, "any_direction": True}, "weight-free"), ({"any_direction": True}, ""),
    ],
    NormalizationConfig: [
        ({}, ""), ({"evaluation": True}, "ln-deps.pairs ln-deps.padding ln-deps.neighbours"),
        ({"topic": "length"}, ""),
        ({"topic": "length", "eps": 0.01, "input_std": 0.1}, "ln-norm.sphere"),
        ({"topic": "length", "eps": 0.01, "constant": True}, "ln-norm.sphere"),
        ({"topic": "length", "own_gammas": True}, "ln-norm.sphere"), ({"topic": "bias"}, ""),
        ({"topic": "bias", "evaluation": True}, "bias-norm.batch"), ({"topic": "block"}, ""),
        ({"topic": "block", "norm": "RMSNorm", "activation": "relu"}, ""),
        ({"topic": "block", "positions": True}, "perm-block.*"),
        ({"topic": "block", "causal": True}, "perm-block.*"),
        ({"topic": "block", "slot_weights": True}, "perm-block.* norm-place.post"),
        ({"topic": "block", "norm": "BatchNorm"}, "norm-place.post"),
        ({"topic": "feed-forward"}, ""), ({"topic": "feed-forward", "activation": "relu", "d_model": 12}, ""),
        ({"topic": "feed-forward", "attention_instead": True}, "ffn-alone"),
        ({"topic": "feed-forward", "num_tokens": 8}, "ffn-span.leaves ?ffn-span.context"),
    ],
    PermutationConfig: [
        ({}, ""), ({"biases": False}, ""), ({"positions": "sinusoidal"}, LAWS), ({"positions": "learned"}, LAWS),
        ({"positions": "rotary"}, LAWS), ({"positions": "alibi"}, LAWS), ({"mask": "causal"}, LAWS),
        ({"mask": "window"}, LAWS), ({"keys_alone": True}, "perm-kv perm-self"),
        ({"positions": "rotary", "carried": True}, ""), ({"positions": "sinusoidal", "carried": True}, ""),
    ],
    ProjectionsConfig: [
        ({}, ""), ({"spread": 0.6}, "qkv-none"), ({"whole_norms": True}, "qkv-none"),
        ({"spread": 1.0, "qk_norm": True}, ""), ({"num_heads": 1, "whole_norms": True}, ""),
        ({"topic": "tied"}, ""), ({"topic": "tied", "biases": "one"}, "qk-tied qkv-tied.*"),
        ({"topic": "tied", "causal": True}, "qk-tied"), ({"topic": "tied", "qk_norm": True}, "qkv-tied.same"),
        ({"topic": "gauge"}, ""), ({"topic": "gauge", "positions": "rotary"}, "gauge"),
        ({"topic": "gauge", "positions": "alibi"}, "gauge"),
        ({"topic": "gauge", "qk_norm": True}, "gauge scale-absorb"), ({"topic": "rank"}, ""),
        ({"topic": "gauge", "one_side": True}, "gauge"),
        ({"topic": "rank", "positions": "alibi"}, "low-rank.*"), ({"topic": "rank", "causal": True}, "low-rank.*"),
        ({"topic": "rank", "positions": "alibi", "d_head": 16}, "?low-rank.*"), ({"topic": "collapse"}, ""),
        ({"topic": "collapse", "residual": True}, "rank-collapse.left ?rank-collapse.alike"),
        ({"topic": "names"}, ""), ({"topic": "names", "causal": True, "positions": "alibi"}, ""),
        ({"topic": "names", "qk_norm": True, "positions": "rotary"}, ""),
        ({"topic": "names", "one_side": True}, "qkv-names.*"), ({"topic": "fixed"}, ""),
        ({"topic": "fixed", "causal": True, "positions": "rotary"}, ""),
        ({"topic": "fixed", "frozen": True}, "fc-fixed.attention fc-fixed.any-length"),
    ],
    ReceptiveFieldConfig: [
        ({**DEEP}, ""), ({**DEEP, "wrap": True}, ""), ({**DEEP, "mask": "causal"}, ""),
        ({**DEEP, "residual": False}, "rf-tight.*"), ({**DEEP, "mask": "window", "window": 5}, "rf-tight.*"),
        ({**DEEP, "write_positions": True}, "rf-tight.*"),
        ({"heads": 4, "layers": 1, "tokens": 20, "write_positions": True}, ""),
        ({"mask": "window", "heads": 6}, "rf-tight.* head-tap ?rf-bound.most"),
        ({"weights": "random", "layers": 2, "heads": 3}, "head-tap"),
        ({"weights": "random", "layers": 3, "mask": "causal"}, "rf-random.* head-tap"),
        ({"weights": "soft", "heads": 1, "tokens": 24}, "rf-bound.* head-tap"),
    ],
    VariantsConfig: [
        ({"tiled": True}, f"kv-repeat* {SEEN}"), ({"tiled": True, "num_kv_heads": 1}, SEEN),
        ({"tiled": True, "num_kv_heads": 8}, f"{SEEN} {UNSHARED}"),
        ({"repeated": True}, f"kv-bytes.cache {SEEN}"),
        ({"repeated": True, "num_kv_heads": 8}, f"{SEEN} {UNSHARED}"), ({"restart": True}, SEEN),
        ({"restart": True, "positions": "rotary"}, f"cache-exact* perm-self.full perm-self.grouped bias-k.* {SEEN}"),
        ({"restart": True, "positions": "alibi"}, f"cache-exact* perm-self.full perm-self.grouped {SUMS} {SEEN}"),
        ({"positions": "alibi", "tokens": ("a", "b")}, f"additive-order.keys {SEEN}"),
        ({"positions": "rotary", "tokens": ("a", "b")}, f"perm-self.full perm-self.grouped bias-k.* {SEEN}"),
        ({"quadratic": True}, f"linear-cost* {SEEN}"), ({"softmax": True}, f"linear-order* {SEEN}"),
        ({"no_tanh": True}, f"additive-rank.sum additive-cost.* {SEEN}"),
        ({"causal": True, "tokens": ("a", "b")}, f"perm-self.* {SUMS} {LINEAR}"),
        ({**ALL_AT_ONCE, "tokens": ("a",)}, f"{SAME} ?no-q-cache.*"),
        ({**ALL_AT_ONCE, "tokens": ("a", "a", "a")}, SAME),
    ],
}  # fmt: skip
FURTHER: dict[Experiment, list[tuple[dict[str, Any], str]]] = {  # of a PermutationConfig
    steps_blocks: [
        ({}, ""), ({"biases": False}, ""), ({"positions": "learned"}, BLOCKS), ({"positions": "rotary"}, BLOCKS),
        ({"positions": "alibi"}, BLOCKS), ({"mask": "causal"}, BLOCKS), ({"mask": "window"}, BLOCKS),
        ({"keys_alone": True}, "perm-pool perm-bias"), ({"positions": "rotary", "carried": True}, ""),
        ({"positions": "learned", "tokens": tuple(f"w{i}" for i in range(64))}, BLOCKS),
    ],
    run_depth: [
        ({}, ""), ({"positions": "learned"}, "nope-depth.one count-blind"),
        ({"positions": "alibi"}, "nope-depth.one"), ({"positions": "learned", "carried": True}, "count-blind"),
        ({"mask": "causal"}, ""), ({"tokens": ("a", "a", "b")}, "nope-depth.two ?nope-depth.one"),
    ],
    steps_order: [({}, "")],
}  # fmt: skip
ROWS = [(kind(**given), None, broken) for kind, rows in STUDIES.items() for given, broken in rows]
ROWS += [(PermutationConfig(**given), one, broken) for one, rows in FURTHER.items() for given, broken in rows]
ROWS += [
    (ShuffleConfig(**given), run_terms, broken)
    for given, broken in (
        ({}, ""), ({"positions": "learned", "carried": True}, ""), ({"tokens": ("a",), "context": ("b", "b")}, ""),
        ({"without_block": True}, "pe-add.*"), ({"without_block": True, "tokens": ("a",)}, "pe-add.*"),
    )
]  # fmt: skip
ROWS += [
    (PermutationConfig(**given), run_along, broken)
    for given, broken in (
        ({}, ""), ({"positions": "rotary"}, ""), ({"positions": "alibi", "context": ("b", "c")}, ""),
        ({"positions": "learned"}, "rope-relative"), ({"positions": "sinusoidal", "tokens": ("a",)}, "rope-relative"),
        ({"positions": "learned", "tokens": ("a",) * 64}, "?rope-relative ?rope-relative.added"),
    )
]  # fmt: skip
FORCING: list[tuple[dict[str, Any], str]] = [
    ({"stack": "decoder"}, ""), ({"stack": "encoder-decoder"}, ""), ({**LEFT, "unmasked": True, "window": 2}, ""),
    ({}, "forcing*"), ({"window": 1, "positions": "none"}, "forcing*"), ({**LEFT, "batch_norm": True}, "forcing*"),
]  # fmt: skip
ROWS += [(MasksConfig(**given), run_forcing, broken) for given, broken in FORCING]
ROWS += [
    (MasksConfig(positions="word", stack="encoder-decoder"), run_length, ""),
    (MasksConfig(positions="learned", batch_norm=True), run_length, "any-length"),
]


ONE, EQUAL, TWO = ("a",), ("a", "a", "a"), ("a", "b")
BACK = {"query_order": (2, 1, 0), "key_order": (2, 1, 0)}
SWAP = {"query_order": (1, 0), "key_order": (1, 0)}
BOTH = [ONE, EQUAL]
UNFELT = "bias-k.* bias-k-grad bias-terms.cancel"
KEY_BIAS = f"{UNFELT} softmax-shift"
STILL_WORDS = SAME.replace("?", "")
Row = tuple[RunConfig, Any, str]


def rows(
    kind: type[RunConfig], of: list[tuple[str, ...]], still: str, experiment: Any = None, **more: Any
) -> list[Row]:
    return [(kind(tokens=tokens, **more), experiment, still) for tokens in of]


# Settings, the experiment, and the keys of what is undecided; all others hold or fail.
STILL: list[Row] = [
    *rows(AnatomyConfig, [ONE], "mha-reshape head-sees-all.numbers"),
    *rows(AnatomyConfig, [TWO], "mha-reshape head-sees-all.*", heads=1),
    *rows(AnatomyConfig, [TWO], "mha-reshape head-sees-all.*", heads=1, no_transpose=True, cut=True),
    *rows(AnatomyConfig, [ONE], "mha-reshape", no_transpose=True, weights="random"),
    *rows(AnatomyConfig, [EQUAL], "mha-reshape head-sees-all.numbers", no_transpose=True, positions="none"),
    (ComplexityConfig(num_heads=1), None, "mha-reshape"),
    (ComplexityConfig(num_queries=1, num_keys=1), None, "mha-reshape"), (ComplexityConfig(num_keys=1), None, ""),
    *rows(PermutationConfig, BOTH, "perm-kv perm-q perm-self"),
    *rows(PermutationConfig, [ONE], "perm-kv perm-q perm-self", positions="learned", mask="causal", keys_alone=True),
    *rows(PermutationConfig, [EQUAL], "perm-kv perm-q perm-self", positions="rotary", mask="window"),
    *rows(PermutationConfig, [EQUAL], "perm-kv", positions="learned"),
    *rows(PermutationConfig, [TWO], "", positions="rotary"),
    *rows(PermutationConfig, [EQUAL], "", positions="learned", carried=True), *rows(PermutationConfig, [TWO], ""),
    *rows(PermutationConfig, [ONE], "perm-q", context=TWO), *rows(PermutationConfig, [EQUAL], "perm-q", context=TWO),
    *rows(PermutationConfig, [TWO], "perm-kv perm-q", context=EQUAL),
    *rows(PermutationConfig, [TWO], "perm-q", context=("a", "a", "b"), mask="causal"),
    *rows(PermutationConfig, BOTH, "perm-pool perm-bias perm-block", steps_blocks),
    *rows(PermutationConfig, [ONE], "perm-bias", steps_blocks, context=ONE),
    *rows(PermutationConfig, [ONE], "", steps_blocks, context=TWO),
    *rows(PermutationConfig, BOTH, "pe-order.without", steps_order),
    *rows(PermutationConfig, [*BOTH, TWO, ("a", "a", "b")], "nope-depth.one", run_depth),
    *rows(ShuffleConfig, [EQUAL], "perm-self", run_shuffle, **BACK),
    *rows(ShuffleConfig, [EQUAL], "perm-block", run_shuffle, model="pre", **BACK),
    *rows(ShuffleConfig, [("a", "b", "a")], "perm-self", run_shuffle, **BACK),
    *rows(ShuffleConfig, [("a", "b", "a")], "", run_shuffle, positions="rotary", carried=True, **BACK),
    *rows(ShuffleConfig, [("a", "b", "c")], "", run_shuffle, **BACK),
    *rows(ShuffleConfig, [TWO], "", run_shuffle, **SWAP),
    *rows(ShuffleConfig, [TWO], "perm-kv", run_shuffle, key_order=(0, 1), positions="rotary"),
    *rows(BiasesConfig, BOTH, KEY_BIAS), *rows(BiasesConfig, BOTH, KEY_BIAS, qk_norm=True, tied_query_key=True),
    *rows(BiasesConfig, [EQUAL], "bias-k.output bias-k-grad", rotary=True),
    *rows(BiasesConfig, [ONE], f"{UNFELT} bias-q.output", masked_row=True, zero_sink=True),
    *rows(BiasesConfig, [TWO], "bias-terms.cancel", k_bias=False),
    *rows(BiasesConfig, [TWO], "bias-terms.*", k_bias=False, q_bias=False), *rows(BiasesConfig, [TWO], ""),
    (BiasesConfig(tokens=EQUAL).key_sweep(), steps_size_sweep, "bias-k.float64 bias-k.float32 bias-k.bfloat16"),
    *rows(AfterNormConfig, [EQUAL], "bias-norm.batch"), *rows(AfterNormConfig, [ONE, TWO], ""),
    *rows(ProjectionsConfig, BOTH, "qkv-none"), *rows(ProjectionsConfig, BOTH, "qkv-none", spread=1.0),
    *rows(ProjectionsConfig, BOTH, "qk-tied", topic="tied"),
    *rows(ProjectionsConfig, BOTH, "qk-tied", topic="tied", biases="one"),
    *rows(ProjectionsConfig, [EQUAL], "", topic="tied", positions="rotary"),
    *rows(ProjectionsConfig, BOTH, "scale-absorb", topic="gauge"),
    *rows(ProjectionsConfig, BOTH, "scale-absorb", topic="gauge", qk_norm=True),
    *rows(ProjectionsConfig, [*BOTH, TWO], "low-rank.*", topic="rank"),
    *rows(ProjectionsConfig, [("a", "b", "c", "d")], "low-rank.weights", topic="rank", d_head=3),
    *rows(ProjectionsConfig, [TWO * 5], "low-rank.*", topic="rank", d_head=4),
    *rows(ProjectionsConfig, [TWO * 5], "", topic="rank", d_head=4, positions="rotary"),
    *rows(ProjectionsConfig, BOTH, "rank-collapse.left rank-collapse.alike", topic="collapse"),
    *rows(ProjectionsConfig, BOTH, "rank-collapse.left rank-collapse.alike", topic="collapse", residual=True),
    *rows(ProjectionsConfig, BOTH, "qkv-names.*", topic="names"),
    *rows(ProjectionsConfig, BOTH, "qkv-names.output", topic="names", one_side=True),
    *rows(ProjectionsConfig, [TWO], "", topic="names", causal=True),
    *rows(ProjectionsConfig, BOTH, "fc-fixed.full fc-fixed.attention", topic="fixed"),
    *rows(ProjectionsConfig, BOTH, "fc-fixed.full", topic="fixed", frozen=True),
    (ProjectionsConfig(topic="collapse", num_heads=1, d_head=2), None, "rank-collapse.*"),
    (ProjectionsConfig(topic="collapse", num_heads=1, d_head=2, residual=True), None, "rank-collapse.*"),
    (ProjectionsConfig(topic="collapse", spread=1.0), None, "rank-collapse.left rank-collapse.alike"),
    (ScalingConfig(num_keys=1), None, "scale-sat scale-jac.* scale-grad.*"),
    (ReceptiveFieldConfig(tokens=1), None, "rf-bound.* rf-tight.* head-tap"),
    (ReceptiveFieldConfig(tokens=27), None, "rf-bound.most"), (ReceptiveFieldConfig(tokens=28), None, ""),
    (MasksConfig(sentences=(TWO, TWO)), None, "mask-encoder mask-encoder.alone"),
    (MasksConfig(sentences=(TWO,), stack="decoder"), None, "mask-decoder mask-decoder.alone"),
    (MasksConfig(sentences=(ONE, ONE)), None, "mask-encoder mask-encoder.*"),
    (MasksConfig(sentences=(ONE,), targets=(ONE,), stack="encoder-decoder"), None, "mask-encdec mask-encdec.*"),
    (MasksConfig(sentences=(ONE, TWO), unmasked=True, stack="decoder"), None, ""),
    (MasksConfig(sentences=(ONE,), stack="decoder"), run_forcing, "forcing*"),
    (MasksConfig(sentences=(EQUAL, TWO), positions="none"), run_forcing, "forcing"),
    (MasksConfig(sentences=(EQUAL, TWO)), run_forcing, ""),
    (MasksConfig(sentences=(TWO,), batch_norm=True), run_forcing, "forcing"),
    (NormalizationConfig(topic="length", gamma=0.0), None, "ln-norm.*"),
    (NormalizationConfig(topic="length", gamma=0.0, beta=1.0, own_gammas=True, eps=1.0), None, "ln-norm.*"),
    (NormalizationConfig(topic="length", gamma=0.1), None, ""),
    *rows(VariantsConfig, [ONE], f"no-q-cache.* {STILL_WORDS}"),
    *rows(VariantsConfig, [EQUAL], STILL_WORDS),
    *rows(VariantsConfig, [TWO], "kv-repeat kv-bytes.weights", num_kv_heads=8),
    *rows(VariantsConfig, [TWO], "", num_kv_heads=1),
    (TrainedConfig(text=("the", "dog")), None, "perm-self.*"), (TrainedConfig(), None, ""),
]  # fmt: skip


def matches(key: str, patterns: str, mark: str = "") -> bool:
    return any(fnmatchcase(key, one.removeprefix(mark)) for one in patterns.split() if one.startswith(mark or one[0]))


def settings_of(config: RunConfig) -> str:
    """What differs from the settings that a study begins with."""
    changed = {
        one.name: getattr(config, one.name) for one in fields(config) if getattr(config, one.name) != one.default
    }
    return ", ".join(f"{name}={value}" for name, value in changed.items() if name not in ("dtype", "device"))


def reasons(config: RunConfig, found: Iterable[Verdict], known: set[str]) -> list[str]:
    """The settings, and each reason with what it is given for, where that is not known from other settings."""
    given: dict[str, list[str]] = {}
    for one in found:
        if one.because:
            given.setdefault(str(one.because), []).append(f"{one.key} {one.outcome}")
    named = {re.sub(r"\d+", "", why) + ", ".join(of): f"{', '.join(of)}: {why}" for why, of in given.items()}
    new = [line for name, line in named.items() if name not in known]
    known.update(named)
    return [f"{settings_of(config) or 'as it begins'} → {new[0]}", *(f"  → {one}" for one in new[1:])] if new else []


def check_outcomes(found: Iterable[Verdict], broken: str) -> None:
    """Those that are named fail, by far, or behind a "?" are undecided; all others hold."""
    for one in found:
        fails, still = matches(one.key, broken), matches(one.key, broken, "?")
        assert one.outcome == ("fails" if fails else "undecided" if still else "holds"), (one.key, one.sentence())
        assert one.because or not fails
        if fails and one.relation == "≤" and one.bound < 0.01 and one.measured == one.measured:  # rounding, no NaN
            assert one.measured >= 1000 * one.bound, one.sentence()


def check_undecided(found: Iterable[Verdict], still: str) -> None:
    """Those that are named are undecided; all others hold or fail."""
    for one in found:
        assert (one.outcome == "undecided") == matches(one.key, still), (one.key, one.sentence(), one.because)
        assert one.outcome != "surprises", (one.key, one.sentence())


TABLE = [(*row, check_outcomes) for row in ROWS] + [(*row, check_undecided) for row in STILL]
KINDS = list(dict.fromkeys(type(config) for config, *_ in TABLE))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_switch_breaks_its_claims_by_far_and_where_nothing_can_move_nothing_holds(
    kind: type[RunConfig], approved: SnapshotAssertion
) -> None:
    known, given = set[str](), list[str]()
    for config, experiment, keys, check in TABLE:
        if type(config) is kind:
            found = run(replace(config, dtype="float64", device="cpu"), experiment=experiment).verdicts
            assert all(any(fnmatchcase(one.key, key.removeprefix("?")) for one in found) for key in keys.split()), (
                keys
            )
            check(found, keys)
            given += reasons(config, found, known)
    assert lines("\n".join(given)) == approved


@pytest.mark.parametrize(
    ("config", "experiment", "broken"), some_by_day(ROWS, of=9), ids=lambda one: type(one).__name__
)
def test_single_precision_decides_as_double_does(config: RunConfig, experiment: Any, broken: str) -> None:
    check_outcomes(run(replace(config, dtype="float32"), experiment=experiment).verdicts, broken)


# ---- what is found by itself ----

TRAINING = ("learning", "scaling", "images")  # a run takes seconds
USUAL = {"dtype": "float64", "device": "cpu"}


def alone(kind: type[RunConfig]) -> Iterator[tuple[str, RunConfig]]:
    """Each setting of a study moved alone, a few values of it, for each question that the study asks."""
    settings = {name: one for name, one in declared(kind).items() if name not in declared(RunConfig)}
    topics = few(settings.pop("topic")) if "topic" in settings else [None]
    for topic, (name, one) in product(topics, settings.items()):
        of = {} if topic is None else {"topic": topic}
        for value in few(one):
            with suppress(ConfigError):
                yield ", ".join([*of.values(), f"{name}={one.write(value)}"]), kind(**USUAL, **of, **{name: value})


@pytest.mark.parametrize(
    "study",
    [
        *slow_of((study for study in ALL if study.name not in TRAINING), "exactness", "normalization", "projections"),
        *(pytest.param(study, id=study.name, marks=pytest.mark.nightly) for study in ALL if study.name == "images"),
    ],
)
def test_each_setting_alone_breaks_what_was_approved_and_nothing_surprises(
    study: Study, approved: SnapshotAssertion
) -> None:
    told, unfelt = [], []
    for moved, config in alone(study.config):
        found = run(config).verdicts
        assert not [one.sentence() for one in found if one.surprises], moved
        if undone := [f"{one.key} {one.outcome}" for one in found if one.outcome != "holds"]:
            told.append(f"{moved} → {', '.join(undone)}")
        else:
            unfelt.append(moved)
    assert "\n".join([*told, f"all hold: {'; '.join(unfelt)}"]) == approved
