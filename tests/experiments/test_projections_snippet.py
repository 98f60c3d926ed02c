"""The code of every question about projections, run as a visitor would run it."""

import numpy as np
import pytest

from attention_core.experiments.projections import TOPICS, ProjectionsConfig, projections_snippet, run_projections
from tests.experiments.snippets import numbers, run_snippets

pytestmark = pytest.mark.slow

HOSTILE = ("<b>", '"""', "'); import os #", "%{z}", "$x$", "\\n{}", "🙂", "a", "b", "c")


def headline(topic: str, result: object) -> tuple[float, ...]:
    match topic:
        case "identity":
            return (result.lead,)
        case "tied":
            return (result.verdict("qk-tied").measured, result.asymmetry[0])
        case "gauge":
            return (result.moved, result.changed)
        case "rank":
            return (
                result.verdict("low-rank.scores").measured,
                float(np.linalg.svd(result.weights[0], compute_uv=False)[0]),
            )
        case _:
            return tuple(result.apart[:, -1])


SNIPPETS = [
    {},
    {"seed": 7, "tokens": HOSTILE, "positions": "alibi", "causal": True, "residual": True},
    {"positions": "rotary", "qk_norm": True, "spread": 0.5, "biases": "one"},
    {"positions": "alibi", "num_heads": 3, "d_head": 5},
    {"whole_norms": True, "biases": "none", "temperature": 0.5, "num_heads": 2, "d_head": 16, "dtype": "float32"},
]


def test_the_snippets_compute_the_same_numbers_outside_the_project() -> None:
    configs = [ProjectionsConfig(topic=topic, **settings) for topic in TOPICS for settings in SNIPPETS]
    for config, printed in zip(configs, run_snippets([projections_snippet(c) for c in configs]), strict=True):
        rounding = 1e-3 if config.dtype == "float32" else 1e-12
        for said, measured in zip(numbers(printed), headline(config.topic, run_projections(config)), strict=True):
            assert float(said) == pytest.approx(measured, rel=5e-3, abs=rounding), (config, printed)


def test_a_new_seed_changes_what_a_snippet_prints() -> None:
    configs = [ProjectionsConfig(topic=topic, seed=seed) for topic in TOPICS for seed in (1, 2)]
    printed = run_snippets([projections_snippet(config) for config in configs])
    for topic, first, second in zip(TOPICS, printed[::2], printed[1::2], strict=True):
        assert first != second, topic
