"""What the snippets that pages show have to print, and the shortest of each page."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.studies import STUDIES as ALL
from attention_core.studies import (
    anatomy,
    biases,
    complexity,
    learning,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    variants,
)
from attention_core.studies import masks as masking
from tests.studies import STUDIES, settings
from tests.texts import TOKENS

SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 12}


ORDER = (2, 0, 5, 1, 4, 3)


BOTH = {"query_order": ORDER, "key_order": ORDER}


TOKEN = tuple(token for token in TOKENS if " " not in token)


def of_biases(result: Any) -> list[float]:
    effects = [number for one in result.effects for number in (one.weights, one.output)]
    carried = [one for one in result.verdicts if one.key == "bias-v"]
    return [result.largest_weight, *effects, *(one.measured for one in carried if "dropout" in one.because)]


def of_norms(result: Any) -> list[float]:
    measured = [verdict.measured for verdict in result.verdicts if verdict.claim != "norm-place"]
    if hasattr(result, "jacobians"):
        return [measured[0], measured[2], abs(result.jacobians[0, 0, 0, 0, 0])]
    return measured[:2] if hasattr(result, "lengths") else measured


def of_projections(result: Any) -> list[float]:
    match result:
        case projections.IdentityResult():
            return [result.lead]
        case projections.TyingResult():
            return [result.verdict("qk-tied").measured, result.asymmetry[0]]
        case projections.GaugeResult():
            return [result.moved, result.changed]
        case projections.RankResult():
            largest = np.linalg.svd(result.weights[0], compute_uv=False)[0]
            return [result.verdict("low-rank.scores").measured, float(largest)]
    return list(result.apart[:, -1])


def of_reach(result: Any) -> list[float]:
    counts = (result.paths[-1] > result.config.seen_above * result.config.paths(result.config.layers)).sum(-1)
    assert len(result.chosen) == result.config.tokens
    return [int(counts[-1]), int(counts.sum())]


def of_variants(result: Any) -> list[float]:
    at = variants.KV_HEADS.index(result.config.num_kv_heads)
    size = int(result.cache_bytes(result.config.length)[at])
    return [result.config.length, size, result.moved.max(), result.distances[at], result.linear_distance]


@dataclass(frozen=True)
class Shown:
    """What is tried of a study's code.

    Attributes:
        config: The study's settings.
        snippet: Its code.
        headline: What it prints, from the result; whole numbers are exact.
        drawn: How many random settings are tried in float64, and in float32.
        varies: Settings under which another seed prints another number.
        further: Settings that are tried beside these and the random ones.
        rounding: What the order of sums may do to a number beside its precision.
        halves: How many are tried in each half precision.
    """

    config: type[Any]
    snippet: Callable[[Any], str]
    headline: Callable[[Any], list[float]]
    drawn: int
    varies: dict[str, Any]
    further: tuple[dict[str, Any], ...] = ()
    rounding: float = 0
    halves: int = 2

    def configs(self) -> list[Any]:
        """All that are tried, the first two by their seed alone apart."""
        study = next(study for study in STUDIES if study.config is self.config)
        found = [self.config(**self.varies, seed=seed) for seed in (1, 2)]
        found += [self.config(**one) for one in (*([{}] if self.varies else []), *self.further)]
        for dtype, seed in (("float64", 7), ("float32", 8)):
            found += settings(study, dtype, self.drawn, seed)
        for dtype in ("float16", "bfloat16"):
            if dtype in study.dtypes:
                found += settings(study, dtype, self.halves, 77)
        if hasattr(found[0], "topic"):
            topics = {"normalization": normalization.TOPICS, "projections": projections.TOPICS}[study.name]
            return [replace(one, topic=topic) for topic in topics for one in found]
        return (
            [replace(one, tokens=min(one.tokens, 64)) for one in found] if study.name == "receptive field" else found
        )


SHOWN = {
    "anatomy": Shown(
        anatomy.AnatomyConfig, anatomy.anatomy_snippet,
        lambda one: [one.mean_max_weight, one.verdict("mha-reshape").measured], 6,
        {"weights": "random"},
        ({"tokens": TOKEN}, {"positions": "rotary", "no_transpose": True}, {"positions": "alibi"},
         {"positions": "rotary", "projections": "tied-qk"}, {"positions": "rotary", "projections": "tied-kv"}),
    ),
    "biases": Shown(
        biases.BiasesConfig, biases.biases_snippet, of_biases, 5, {},
        ({"tokens": TOKEN}, {"dropout": True}, {"dropout": True, "v_bias": False}),
    ),
    "complexity": Shown(
        complexity.ComplexityConfig, complexity.complexity_snippet,
        lambda one: [one.core, one.total, one.weights_bytes, one.verdict("mha-reshape").measured], 2,
        {"no_transpose": True, "num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5},
    ),
    "learning": Shown(
        learning.LearningConfig, learning.learning_snippet,
        lambda one: [round(one.score.accuracy, 3), 512], 0, SMALL,
        (
            {"task": "copy", "positions": "rotary", "projections": "tied-kv", "placement": "residual", **SMALL},
            {"task": "induction", "positions": "alibi", "causal": True, "biases": False, "heads": 4, **SMALL},
            {"optimizer": "sgd", "scale": "none", "start": 0.5, **SMALL},
        ),
        rounding=0.004,  # a close call or two among 512 sequences
    ),
    "masking": Shown(
        masking.MaskingConfig, masking.masking_snippet, lambda one: [one.leak, one.leak_masked], 4, {},
        ({"sentences": (TOKEN[:7], TOKEN[7:10], ("a",))}, {"stack": "encoder-decoder", "window": 2}),
    ),
    "normalization": Shown(
        normalization.NormalizationConfig, normalization.normalization_snippet, of_norms, 2,
        {"causal": True, "eps": 0.01},
    ),
    "permutation": Shown(
        permutation.ShuffleConfig, permutation.permutation_snippet, lambda one: [one.moved], 8,
        {"query_order": ORDER, "positions": "rotary"},
        (
            {"tokens": TOKEN[:6], "mask": "causal", **BOTH},
            {"context": ("a", "b"), "query_order": ORDER, "mask": "window"},
            *({"model": model, "positions": "learned", **BOTH} for model in permutation.MODELS),
            *({"model": model, "positions": "alibi", "mask": "causal", **BOTH} for model in permutation.MODELS),
        ),
    ),
    "projections": Shown(
        projections.ProjectionsConfig, projections.projections_snippet, of_projections, 2, {},
        ({"tokens": TOKEN, "positions": "rotary"},
         {"dtype": "float16", "spread": 1.0}),  # where scores are above 65,504 before they are scaled
    ),
    "receptive_field": Shown(
        receptive_field.ReceptiveFieldConfig, receptive_field.receptive_field_snippet, of_reach, 4,
        {"weights": "random", "tokens": 64}, ({"mask": "window", "window": 5}, {"residual": False, "wrap": True}),
    ),
    "scaling": Shown(
        scaling.ScalingConfig, scaling.scaling_snippet,
        lambda one: [one.at(of, 64) for of in ("max_weight", "gradient_median", "gradient_mean")], 0, {},
        ({"through_module": True}, {"dtype": "bfloat16", "temperature": 0.1},
         {"correlation": 0.6, "mean": 0.5, "std": 0.5, "num_keys": 5}), halves=1,
    ),
    "variants": Shown(
        variants.VariantsConfig, variants.variants_snippet, of_variants, 4, {"num_kv_heads": 1},
        ({"tokens": TOKEN, "positions": "rotary"}, {"positions": "alibi", "causal": True},
         {"positions": "rotary", "restart": True}),
    ),
}  # fmt: skip


def printable_anywhere(code: str) -> bool:
    """Whether what it prints of its own can be written whatever a terminal's encoding is."""
    prints = [line for line in code.splitlines() if "print(" in line]
    return bool(prints) and all(map(str.isascii, prints))


def found(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"(?<![\w√])-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|inf\b|nan\b)", text)]


SHORTEST = {study.name: study.shortest for study in ALL}
