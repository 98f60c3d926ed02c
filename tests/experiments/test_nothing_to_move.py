"""Settings in which nothing could break a claim, over all studies: it is undecided there, and the reason is said.

What cannot move is known by hand: a shuffle of equal words gives attention what it was given before; one key has
weight 1 whatever its score; equal values have one mean whatever the weights; one head is not cut; without padding
there is nothing to hide.
"""

from fnmatch import fnmatchcase
from typing import Any

import pytest

from attention_core.experiments import scaling
from attention_core.experiments.anatomy import AnatomyConfig
from attention_core.experiments.biases import AfterNormConfig, BiasesConfig, steps_size_sweep
from attention_core.experiments.complexity import ComplexityConfig
from attention_core.experiments.config import RunConfig
from attention_core.experiments.masking import MaskingConfig
from attention_core.experiments.normalization import NormalizationConfig
from attention_core.experiments.permutation import (
    PermutationConfig,
    ShuffleConfig,
    run_depth,
    run_shuffle,
    steps_blocks,
    steps_order,
)
from attention_core.experiments.projections import ProjectionsConfig
from attention_core.experiments.receptive_field import ReceptiveFieldConfig
from attention_core.experiments.run import run
from attention_core.experiments.trained import TrainedConfig
from attention_core.experiments.variants import VariantsConfig

ONE, EQUAL, TWO = ("a",), ("a", "a", "a"), ("a", "b")
BACK = {"query_order": (2, 1, 0), "key_order": (2, 1, 0)}
SWAP = {"query_order": (1, 0), "key_order": (1, 0)}
BOTH = [ONE, EQUAL]
UNFELT = "bias-k.* bias-k-grad bias-terms.cancel"
KEY_BIAS = f"{UNFELT} softmax-shift"
Row = tuple[RunConfig, Any, str]


def rows(
    kind: type[RunConfig], of: list[tuple[str, ...]], still: str, experiment: Any = None, **more: Any
) -> list[Row]:
    return [(kind(tokens=tokens, **more), experiment, still) for tokens in of]


# Settings, the experiment, and the keys of what is undecided; all others hold or fail.
STILL: list[Row] = [
    *rows(AnatomyConfig, [ONE], "mha-reshape"), *rows(AnatomyConfig, [TWO], "mha-reshape", heads=1),
    *rows(AnatomyConfig, [ONE], "mha-reshape", no_transpose=True),
    *rows(AnatomyConfig, [EQUAL], "mha-reshape", no_transpose=True, positions="none"),
    (ComplexityConfig(num_heads=1), None, "mha-reshape"),
    (ComplexityConfig(num_queries=1, num_keys=1), None, "mha-reshape"), (ComplexityConfig(num_keys=1), None, ""),
    *rows(PermutationConfig, BOTH, "perm-kv perm-q perm-self"),
    *rows(PermutationConfig, [ONE], "perm-kv perm-q perm-self", positions="learned", mask="causal", keys_alone=True),
    *rows(PermutationConfig, [EQUAL], "perm-kv perm-q perm-self", positions="rotary", mask="window"),
    *rows(PermutationConfig, [EQUAL], "perm-kv", positions="learned"),
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
    (ProjectionsConfig(topic="collapse", num_heads=1, d_head=2), None, "rank-collapse.*"),
    (ProjectionsConfig(topic="collapse", num_heads=1, d_head=2, residual=True), None, "rank-collapse.*"),
    (ProjectionsConfig(topic="collapse", spread=1.0), None, "rank-collapse.left rank-collapse.alike"),
    (scaling.ScalingConfig(num_keys=1), None, "scale-sat scale-jac.* scale-grad.*"),
    (ReceptiveFieldConfig(tokens=1), None, "rf-bound.* rf-tight.* head-tap"),
    (ReceptiveFieldConfig(tokens=27), None, "rf-bound.most"), (ReceptiveFieldConfig(tokens=28), None, ""),
    (MaskingConfig(sentences=(TWO, TWO)), None, "mask-encoder mask-encoder.alone"),
    (MaskingConfig(sentences=(TWO,), stack="decoder"), None, "mask-decoder mask-decoder.alone"),
    (MaskingConfig(sentences=(ONE, ONE)), None, "mask-encoder mask-encoder.*"),
    (MaskingConfig(sentences=(ONE,), targets=(ONE,), stack="encoder-decoder"), None, "mask-encdec mask-encdec.*"),
    (MaskingConfig(sentences=(ONE, TWO), unmasked=True, stack="decoder"), None, ""),
    (NormalizationConfig(topic="length", gamma=0.0), None, "ln-norm.*"),
    (NormalizationConfig(topic="length", gamma=0.0, beta=1.0, own_gammas=True, eps=1.0), None, "ln-norm.*"),
    (NormalizationConfig(topic="length", gamma=0.1), None, ""),
    *rows(VariantsConfig, BOTH, "cache-exact.* linear-order perm-self.* bias-k.*"),
    *rows(VariantsConfig, [TWO], "kv-repeat kv-bytes.weights", num_kv_heads=8),
    *rows(VariantsConfig, [TWO], "", num_kv_heads=1),
    (TrainedConfig(text=("the", "dog")), None, "perm-self.*"), (TrainedConfig(), None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("config", "experiment", "still"), STILL)
def test_where_nothing_can_move_nothing_holds(config: RunConfig, experiment: Any, still: str) -> None:
    found = run(config, experiment=experiment).verdicts
    for pattern in still.split():
        assert any(fnmatchcase(one.key, pattern) for one in found), pattern
    for one in found:
        undecided = any(fnmatchcase(one.key, pattern) for pattern in still.split())
        assert (one.outcome == "undecided") == undecided, (one.key, one.sentence(), one.because)
        assert one.outcome != "surprises", (one.key, one.sentence())
        assert one.because or not undecided
