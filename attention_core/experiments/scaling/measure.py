"""Running the scaling experiment: all queries, 256 at a time, then curves, pictures and verdicts."""

from collections.abc import Generator

import numpy as np
import torch

from attention_core.experiments.scaling.config import D_HEADS, ScalingConfig
from attention_core.experiments.scaling.inputs import CHUNK
from attention_core.experiments.scaling.result import ScalingResult
from attention_core.experiments.scaling.summary import frozen, picture, summarise
from attention_core.experiments.scaling.sweep import SCALED, UNSCALED, Sweep, chosen_name
from attention_core.experiments.scaling.verdicts import verdicts
from attention_core.experiments.verdict import Provenance, Step


def run_scaling(config: ScalingConfig) -> ScalingResult:
    """Measure everything for one config; the same config gives the same result, bit for bit."""
    *_, result = steps_scaling(config)
    assert isinstance(result, ScalingResult)
    return result


def steps_scaling(config: ScalingConfig) -> Generator[Step | ScalingResult]:
    """The sweep in steps of 256 queries: a ``Step`` before each, and last the ``ScalingResult``.

    Each query meets the same keys at every d_head, of which it takes the first d_head components, and every factor of
    the scores meets the same queries: the curves differ in d_head and factor alone.
    """
    with torch.inference_mode(False):  # autograd refuses tensors that were made in inference mode
        sweep = Sweep(config)
    chunks = range(0, config.num_queries, CHUNK)
    for done, first in enumerate(chunks):
        last = min(first + CHUNK, config.num_queries)
        yield Step(done, len(chunks) + 1, f"queries {first + 1:,} to {last:,} of {config.num_queries:,}")
        sweep.add_chunk()
    yield Step(len(chunks), len(chunks) + 1, "verdicts")
    yield _result(sweep)


def _result(sweep: Sweep) -> ScalingResult:
    config = sweep.config
    curves = {
        name: summarise(name, values, sweep.rows[i], sweep.moments[i], config.num_keys)
        for i, (name, values) in enumerate(sweep.factors.items())
    }
    unscaled, scaled, chosen = curves[UNSCALED], curves[SCALED], curves[chosen_name(config)]
    assert sweep.scores is not None
    assert sweep.weights is not None
    return ScalingResult(
        config=config,
        d_heads=frozen(D_HEADS, np.int64),
        unscaled=unscaled,
        scaled=scaled,
        chosen=chosen,
        view=picture(config, sweep.scores, sweep.weights, chosen.max_weight, sweep.edges, sweep.counts),
        verdicts=verdicts(config, unscaled, scaled, chosen),
        provenance=Provenance.of(config),
    )
