"""The code that the page shows repeats the measurement, outside the project."""

import pytest

from attention_core.experiments.biases import BiasesConfig, biases_snippet, run_biases
from tests.experiments.snippets import own_lines, run_snippets

SHOWN = [
    BiasesConfig(),
    BiasesConfig(seed=7),
    BiasesConfig(tokens=('"""', "<b>", "$x$", "🙂", "\\n'{0}", ":red[x]"), dtype="float32"),
    BiasesConfig(rotary=True, zero_sink=True, size=1.0, direction="coordinate"),
    BiasesConfig(qk_norm=True, tied_query_key=True, masked_row=True, direction="equal", dtype="float32"),
    BiasesConfig(tied_query_key=True, q_bias=False, dropout=True, seed=3),
    BiasesConfig(rotary=True, qk_norm=True, tied_query_key=True, zero_sink=True, masked_row=True, dropout=True),
    BiasesConfig(tokens=("a",), k_bias=False, o_bias=False),
    BiasesConfig(q_bias=False, k_bias=False, v_bias=False, o_bias=False),
]


def test_snippets_repeat_the_measurement_outside_the_project() -> None:
    printed = run_snippets([biases_snippet(config) for config in SHOWN])
    assert printed[0] != printed[1]
    for config, out in zip(SHOWN, printed, strict=True):
        result, lines = run_biases(config), out.splitlines()
        assert float(lines[0].split(": ")[1]) == pytest.approx(result.largest_weight, rel=6e-3)
        for effect, line in zip(result.effects, lines[1:], strict=False):
            words = line.replace(",", "").split()
            for shown, measured, bound in (
                (float(words[5]), effect.weights, result.weight_bound),
                (float(words[9]), effect.output, result.output_bound),
            ):
                assert shown == pytest.approx(measured, rel=6e-3, abs=bound), line
        if config.dropout:
            verdict = result.verdict("bias-v")
            assert float(lines[-1].split(": ")[1]) == pytest.approx(verdict.measured, rel=6e-3)


def test_the_snippet_is_short_and_holds_no_result() -> None:
    assert all(len(own_lines(biases_snippet(config))) <= 30 for config in SHOWN)
    assert biases_snippet(BiasesConfig(tokens=('"); import os #',))).count("import os") == 1
