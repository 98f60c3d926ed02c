"""The exactness experiment: one form of computing the same otherwise, beside the plain one."""

from dataclasses import dataclass
from typing import Final

import torch

from attention_core.measuring.judge import Measurements, run_tests
from attention_core.measuring.verdict import Result
from attention_core.studies.exactness import batch, latent, pairs, speculation, tiles
from attention_core.studies.exactness.settings import ExactnessConfig

Part = tiles.Tiles | batch.Batch | pairs.Pairs | latent.Latent | speculation.Speculation
_MEASURE: Final = {
    "tiles": tiles.measure_tiles,
    "batch": batch.measure_batch,
    "pairs": pairs.measure_pairs,
    "latent": latent.measure_latent,
    "speculation": speculation.measure_speculation,
}
TESTS: Final = (*tiles.TESTS, *batch.TESTS, *pairs.TESTS, *latent.TESTS, *speculation.TESTS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExactnessResult(Result):
    """One form beside the plain one.

    Attributes:
        config: The settings.
        part: What that form gave.
    """

    config: ExactnessConfig
    part: Part


def run_exactness(config: ExactnessConfig) -> ExactnessResult:
    """Measure the form that is asked for."""
    return run_tests(ExactnessResult, config, TESTS, _measure)


@torch.no_grad()
def _measure(config: ExactnessConfig) -> Measurements:
    found, part = _MEASURE[config.form](config)
    return found, {"config": config, "part": part}
