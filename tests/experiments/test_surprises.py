"""Random settings of every registered experiment, in every precision; the benchmark draws hundreds of them."""

import pytest

from tests.studies import STUDIES, Study, surprises

COMMON = ("float32", "bfloat16")  # what most run, and what tells least


@pytest.mark.parametrize(
    ("study", "dtype"),
    [
        pytest.param(study, dtype, id=f"{study.name}-{dtype}", marks=[pytest.mark.nightly] * (dtype not in COMMON))
        for study in STUDIES
        for dtype in study.dtypes
    ],
)
def test_no_verdict_surprises(study: Study, dtype: str) -> None:
    outcomes, found = surprises(study, dtype, 1 if study.name == "scaling" else 2)  # its sweep takes over a second
    assert sum(outcomes.values())
    assert not found, [f"{verdict.key}: {verdict.sentence()} {config}" for config, verdict in found]
