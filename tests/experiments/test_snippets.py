"""The code that pages show: it stands alone, is short, and prints outside the project what was measured within."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from attention_core.measuring.run import run
from attention_core.studies import STUDIES as ALL
from attention_core.studies import projections
from tests.experiments.shown import SHOWN, TRIALS, configs_of, numbers_in, printable_anywhere, trial_of, with_file
from tests.experiments.snippets import own_lines, run_snippets
from tests.studies import STUDIES, settings
from tests.sweeps import slow_of, some_by_day

OWN_LINES = 60  # of a study, beside the functions that all of them share
ROUNDING = {"float64": 1e-12, "float32": 1e-3, "bfloat16": 0.03, "float16": 0.03}


SHORTEST = {study.name: study.shortest for study in ALL}


def test_what_the_code_of_every_study_prints_is_held_to_what_was_measured() -> None:
    assert {*SHORTEST} - {*SHOWN} == {"trained"}, "its code prints words: tests/experiments/test_trained.py"
    assert {*TRIALS} <= {*SHOWN}


@pytest.mark.parametrize("most", [1, pytest.param(8, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "name", slow_of(SHOWN, "exactness", "images", "learning", "normalization", "scaling", "worth")
)
def test_the_code_prints_what_was_measured(name: str, most: int) -> None:
    study = SHOWN[name]
    configs, trial = configs_of(study, most), trial_of(study)
    codes = [study.snippet(one) for one in configs]
    for code in codes:
        assert "attention_core" not in code
        assert len(own_lines(code)) <= OWN_LINES
        assert printable_anywhere(code)
    printed = run_snippets(list(map(with_file, codes, configs)))
    for config, text in zip(configs, printed, strict=True):
        numbers = study.headline(run(config))
        half = config.dtype in ("float16", "bfloat16")
        exactly = study.headline(run(replace(config, dtype="float64", device="cpu"))) if half else numbers
        for said, measured, exact in zip(numbers_in(text), numbers, exactly, strict=True):
            # Two sums of half precision that differ in their order are as far apart as either is from the number.
            rounding = np.nanmax([ROUNDING[config.dtype], trial.rounding, 4 * abs(measured - exact)])
            near = pytest.approx(measured, rel=6e-3, abs=rounding, nan_ok=True)
            assert said == (measured if isinstance(measured, int) else near), (config, text)
    assert printed[0] != printed[1], "another seed: where default settings print the same, a Trial says what varies"


@pytest.mark.parametrize(("topic", "dtype"), some_by_day(product(projections.TOPICS, ["float16", "bfloat16"]), of=3))
def test_code_in_half_precision_takes_the_steps_of_the_module_and_comes_to_its_digits(topic: str, dtype: str) -> None:
    """Through twelve layers one rounding more, or sums in another order, end as other first digits."""
    study = next(study for study in STUDIES if study.name == "projections")
    told_apart = {"seed": 486995, "tokens": ("x", "Wort", "c", "c"), "spread": 0.8, "whole_norms": True}
    configs = [replace(one, topic=topic) for one in settings(study, dtype, 6, seed=9)]
    configs.append(projections.ProjectionsConfig(topic=topic, dtype=dtype, device="cpu", biases="none", **told_apart))
    for config, text in zip(configs, run_snippets(list(map(projections.projections_snippet, configs))), strict=True):
        assert numbers_in(text) == [
            float(f"{number:.3g}") for number in SHOWN["projections"].headline(run(config))
        ], config


# ---- the shortest code of each page ----


def test_the_shortest_code_is_short_and_its_numbers_make_the_point() -> None:
    printed = dict(zip(SHORTEST, run_snippets(list(SHORTEST.values())), strict=True))
    for name, code in SHORTEST.items():
        assert len([line for line in code.splitlines() if line]) <= 15, name
        assert max(map(len, code.splitlines())) <= 118, name
        assert printable_anywhere(code), name
        for line in printed[name].splitlines():
            assert len(re.findall(r"[a-z]{3,}", line)) >= 2, line
            assert numbers_in(line), line
    last = {name: [numbers_in(line)[-1] for line in text.splitlines()] for name, text in printed.items()}
    assert all(value < 1e-14 for value in last["permutation"])
    query, key, value = last["biases"]
    assert key < 1e-13 < 0.1 < min(query, value)
    unscaled, scaled = last["scaling"][::2], last["scaling"][1::2]
    assert unscaled == sorted(unscaled)
    assert unscaled[-1] > 0.9 > 0.2 > max(scaled)
    assert [numbers_in(line)[-2] for line in printed["receptive_field"].splitlines()] == [3, 9, 27]
    assert last["learning"][0] > 90
    counts = [numbers_in(line)[-2:] for line in printed["complexity"].splitlines()]
    assert [projections > scores for projections, scores in counts] == [True, False, False]
    assert last["masks"][0] == 0 < last["masks"][1]
    assert last["normalization"][1] < 1e-5
    assert numbers_in(printed["projections"].splitlines()[0])[0] == 6
    words = [numbers_in(line) for line in printed["variants"].splitlines()]
    assert [(kept, whole) for _, kept, whole, _ in words] == [(64 * i, 256 * i) for i in range(1, 7)]
    assert max(last["variants"]) < 1e-5
