"""The code that pages show: it stands alone, is short, and prints outside the project what was measured within."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pages._shared.core.pages import PAGES
from attention_core.experiments import (
    anatomy,
    biases,
    complexity,
    learning,
    masking,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    variants,
)
from attention_core.experiments.run import run
from tests.experiments.snippets import own_lines, run_snippets
from tests.studies import STUDIES, settings
from tests.texts import TOKENS

OWN_LINES = 60  # of a study, beside the functions that all of them share
SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 12}
ORDER = (2, 0, 5, 1, 4, 3)
BOTH = {"query_order": ORDER, "key_order": ORDER}
ROUNDING = {"float64": 1e-12, "float32": 1e-3, "bfloat16": 0.03, "float16": 0.03}
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
        found += [self.config(**one) for one in ({}, *self.further)]
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
        ({"through_module": True}, {"dtype": "bfloat16", "temperature": 0.1}),
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


@pytest.mark.parametrize("name", SHOWN)
def test_the_code_prints_what_was_measured(name: str) -> None:
    shown = SHOWN[name]
    configs = shown.configs()
    codes = [shown.snippet(one) for one in configs]
    for code in codes:
        assert "attention_core" not in code
        assert len(own_lines(code)) <= OWN_LINES
        assert printable_anywhere(code)
    printed = run_snippets(codes)
    for config, text in zip(configs, printed, strict=True):
        numbers = shown.headline(run(config))
        half = config.dtype in ("float16", "bfloat16")
        exactly = shown.headline(run(replace(config, dtype="float64", device="cpu"))) if half else numbers
        for said, measured, exact in zip(found(text), numbers, exactly, strict=True):
            # Two sums of half precision that differ in their order are as far apart as either is from the number.
            rounding = np.nanmax([ROUNDING[config.dtype], shown.rounding, 4 * abs(measured - exact)])
            near = pytest.approx(measured, rel=6e-3, abs=rounding, nan_ok=True)
            assert said == (measured if isinstance(measured, int) else near), (config, text)
    assert printed[0] != printed[1], "another seed"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("topic", projections.TOPICS)
def test_code_in_half_precision_takes_the_steps_of_the_module_and_comes_to_its_digits(topic: str, dtype: str) -> None:
    """Through twelve layers one rounding more, or sums in another order, end as other first digits."""
    study = next(study for study in STUDIES if study.name == "projections")
    told_apart = {"seed": 486995, "tokens": ("x", "Wort", "c", "c"), "spread": 0.8, "whole_norms": True}
    configs = [replace(one, topic=topic) for one in settings(study, dtype, 6, seed=9)]
    configs.append(projections.ProjectionsConfig(topic=topic, dtype=dtype, device="cpu", biases="none", **told_apart))
    for config, text in zip(configs, run_snippets(list(map(projections.projections_snippet, configs))), strict=True):
        assert found(text) == [float(f"{number:.3g}") for number in of_projections(run(config))], config


# ---- the shortest code of each page ----

EXPERIMENT = {page.name: page.name for page in PAGES} | {"masks": "masking"}  # where a page's numbers come from
SHORTEST = {
    page: import_module(f"attention_core.experiments.{experiment}").SHORTEST
    for page, experiment in EXPERIMENT.items()
}


def test_the_shortest_code_is_short_and_its_numbers_make_the_point() -> None:
    printed = dict(zip(SHORTEST, run_snippets(list(SHORTEST.values())), strict=True))
    for name, code in SHORTEST.items():
        assert len([line for line in code.splitlines() if line]) <= 15, name
        assert max(map(len, code.splitlines())) <= 118, name
        assert printable_anywhere(code), name
        for line in printed[name].splitlines():
            assert len(re.findall(r"[a-z]{3,}", line)) >= 2, line
            assert found(line), line
    last = {name: [found(line)[-1] for line in text.splitlines()] for name, text in printed.items()}
    assert all(value < 1e-14 for value in last["permutation"])
    query, key, value = last["biases"]
    assert key < 1e-13 < 0.1 < min(query, value)
    unscaled, scaled = last["scaling"][::2], last["scaling"][1::2]
    assert unscaled == sorted(unscaled)
    assert unscaled[-1] > 0.9 > 0.2 > max(scaled)
    assert [found(line)[-2] for line in printed["receptive_field"].splitlines()] == [3, 9, 27]
    assert last["learning"][0] > 90
    counts = [found(line)[-2:] for line in printed["complexity"].splitlines()]
    assert [projections > scores for projections, scores in counts] == [True, False, False]
    assert last["masks"][0] == 0 < last["masks"][1]
    assert last["normalization"][1] < 1e-5
    assert found(printed["projections"].splitlines()[0])[0] == 6
    words = [found(line) for line in printed["variants"].splitlines()]
    assert [(kept, whole) for _, kept, whole, _ in words] == [(64 * i, 256 * i) for i in range(1, 7)]
    assert max(last["variants"]) < 1e-5
