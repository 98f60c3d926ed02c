"""What each study measures and says in a few telling settings, and what is declared of every setting: approved once.

What is only rounding counts as 0, since another machine leaves another; what was trained in float32 is not approved.
"""

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core.measuring import choices
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Verdict
from attention_core.studies import STUDIES as ALL
from attention_core.studies import (
    anatomy,
    biases,
    complexity,
    learning,
    masks,
    normalization,
    permutation,
    projections,
    receptive_field,
    scaling,
    trained,
    variants,
)
from tests.approved import RESIDUAL, lines
from tests.configs import CONFIGS
from tests.declarations import declarations

ABC, ABA = ("a", "b", "c"), ("a", "b", "a")
PRIMES = {"num_queries": 11, "num_keys": 13, "d_model": 35, "num_heads": 5}
SHORT = {"tokens": ABC, "num_heads": 2, "d_head": 2}
SHUFFLED = {"tokens": ABC, "query_order": (2, 0, 1), "key_order": (2, 0, 1)}
RESULTS: dict[str, tuple[RunConfig, Any]] = {
    "anatomy in training, wrongly cut": (
        anatomy.AnatomyConfig(tokens=ABC, dropout=0.5, weights="random", no_transpose=True, biases=False), None,
    ),
    "permutation": (permutation.PermutationConfig(tokens=ABC, positions="alibi"), None),
    "permutation, blocks": (permutation.PermutationConfig(tokens=ABC, mask="causal"), permutation.steps_blocks),
    "permutation, order": (permutation.PermutationConfig(tokens=ABC), permutation.steps_order),
    "permutation, depth": (permutation.PermutationConfig(tokens=ABC, mask="causal"), permutation.run_depth),
    "permutation, terms": (permutation.ShuffleConfig(**SHUFFLED, without_block=True), permutation.run_terms),
    "permutation, places moved on": (permutation.PermutationConfig(tokens=ABC), permutation.run_along),
    "one shuffle": (permutation.ShuffleConfig(**SHUFFLED, positions="rotary"), None),
    "one shuffle of a block": (permutation.ShuffleConfig(**SHUFFLED, model="post", mask="window"), None),
    "biases": (biases.BiasesConfig(tokens=ABC, rotary=True, masked_row=True, size=1.0), None),
    "biases of every size": (biases.BiasModuleConfig(tokens=ABC, zero_sink=True), biases.run_bias_sizes),
    "biases before norms": (biases.AfterNormConfig(tokens=ABC), None),
    "bias and mean": (biases.MeanConfig(doublings=8, input_mean=0.5), None),
    "identity": (projections.ProjectionsConfig(topic="identity", spread=0.5, temperature=0.5, **SHORT), None),
    "tied": (projections.ProjectionsConfig(topic="tied", biases="one", **SHORT), None),
    "gauge": (projections.ProjectionsConfig(topic="gauge", qk_norm=True, **SHORT), None),
    "rank": (projections.ProjectionsConfig(topic="rank", causal=True, **SHORT), None),
    "collapse": (projections.ProjectionsConfig(topic="collapse", residual=True, **SHORT), None),
    "names": (projections.ProjectionsConfig(topic="names", one_side=True, **SHORT), None),
    "fixed": (projections.ProjectionsConfig(topic="fixed", frozen=True, causal=True, **SHORT), None),
    "dependence": (normalization.NormalizationConfig(evaluation=True, num_tokens=3, d_model=3), None),
    "length": (normalization.NormalizationConfig(topic="length", own_gammas=True, eps=0.01, gamma=-2.0), None),
    "what is left of a bias": (normalization.NormalizationConfig(topic="bias", num_tokens=3, d_model=3), None),
    "norms in a block": (normalization.NormalizationConfig(topic="block", num_tokens=6, slot_weights=True), None),
    "feed-forward": (normalization.NormalizationConfig(topic="feed-forward", num_tokens=3, d_model=4), None),
    "masks": (masks.MasksConfig(stack="encoder-decoder", side="left", window=1), None),
    "one pass": (masks.MasksConfig(stack="decoder", sentences=(("a", "b", "a"),)), masks.run_forcing),
    "text length": (masks.MasksConfig(positions="learned"), masks.run_length),
    "receptive field": (receptive_field.ReceptiveFieldConfig(layers=2, tokens=9), None),
    "random heads": (receptive_field.ReceptiveFieldConfig(weights="random", layers=2, tokens=9), None),
    "complexity": (complexity.ComplexityConfig(**PRIMES | {"num_queries": 101}, no_output=True), None),
    "complexity of large heads": (complexity.ComplexityConfig(**PRIMES, large_heads=True, fused=True), None),
    "variants": (variants.VariantsConfig(tokens=ABC, positions="rotary", restart=True, length=1024), None),
    "scaling": (scaling.ScalingConfig(num_keys=3, num_queries=2000, temperature=2.0), None),
    "scaling, more keys": (scaling.ScalingConfig(scale="head", temperature=0.5), scaling.run_lengths),
    "scaling, drawn": (scaling.ScalingConfig(num_keys=3, scale="head"), scaling.run_picture),
    "trained": (trained.TrainedConfig(off=((1, 2),), factor=2.0), None),
    "trained in Chinese": (trained.TrainedConfig(model="chinese"), None),
    "heads": (trained.HeadsConfig(model="induction"), None),
}  # fmt: skip
PICKED = {type(config) for config, _ in RESULTS.values()} | {learning.LearningConfig}  # which is trained in float32
RESULTS |= {str(study.title): (study.config(), None) for study in ALL if study.config not in PICKED}


def without_rounding(what: Any) -> Any:
    """What was measured, with 0 for what rounding may have left; a part of a few numbers or words is a line."""
    match what:
        case np.ndarray() if what.dtype.kind == "f":
            return np.where(np.abs(what) < RESIDUAL, 0.0, what)
        case float():
            return 0.0 if abs(what) < RESIDUAL else what
        case tuple():
            return tuple(map(without_rounding, what))
        case _ if dataclasses.is_dataclass(what):
            parts = without_rounding(fields_of(what))
            small = not any(isinstance(one, np.ndarray | dict) for one in parts.values())
            return "; ".join(f"{name} {lines(one)}" for name, one in parts.items()) if small else parts
        case dict():
            return {name: without_rounding(one) for name, one in what.items()}
    return what


def fields_of(what: Any, *left_out: str) -> dict[str, Any]:
    return {one.name: getattr(what, one.name) for one in dataclasses.fields(what) if one.name not in left_out}


def line_of(verdict: Verdict) -> str:
    """A verdict in a line: what came of it, what is said, the number where it is not rounding's, and why."""
    rounding = verdict.relation == "≤" and verdict.holds and verdict.rounding
    number = f"{verdict.quantity} ≤ rounding" if rounding else verdict.numbers
    said = verdict.says if rounding else f"{verdict.says} {verdict.number}"
    return " · ".join(map(str, (verdict.key, verdict.outcome, said, number, verdict.cases, verdict.because)))


def summary_of(result: Any) -> str:
    """Its verdicts, and what was measured beside them."""
    told = [
        *map(line_of, getattr(result, "verdicts", ())),
        *in_lines(fields_of(result, "verdicts", "provenance", "config")),
    ]
    return lines("\n".join(told))


def in_lines(parts: dict[str, Any]) -> Iterator[str]:
    """Five of the parts in a line, of those that are large what tells them from others; what has parts is apart."""
    short = []
    for name, one in parts.items():
        text = lines(without_rounding(one))
        large = re.fullmatch(r"(\S+ \S+:) .* (Σ .*)", text)
        if dataclasses.is_dataclass(one):
            yield from (f"{name}.{line}" for line in in_lines(fields_of(one)))
        elif "\n" in text:
            yield f"{name}: {text}"
        else:
            short.append(f"{name} {' '.join(large.groups()) if large else text}")
    yield from ("; ".join(short[at : at + 5]) for at in range(0, len(short), 5))


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_measured_and_said(name: str, approved: SnapshotAssertion) -> None:
    config, experiment = RESULTS[name]
    result = run(dataclasses.replace(config, dtype="float64", device="cpu"), experiment=experiment)
    assert summary_of(result) == approved


def ticking() -> Any:
    """A clock that goes on by 20 ms with each look."""
    ticks = itertools.count()
    return lambda: 0.02 * next(ticks)


@pytest.mark.parametrize(
    ("steps", "config"),
    [
        (complexity.steps_times, complexity.TimesConfig(sweep="heads", d_model=48, num_tokens=16, seconds=5)),
        (complexity.steps_times, complexity.TimesConfig(sweep="shares", seconds=20)),
        (variants.steps_crossing, variants.CrossingConfig(seconds=4)),
    ],
    ids=["heads", "shares", "crossing"],
)
def test_what_is_timed_and_its_steps(steps: Any, config: RunConfig, approved: SnapshotAssertion) -> None:
    *done, result = steps(dataclasses.replace(config, dtype="float64", device="cpu"), ticking())
    assert "\n".join([*some_of(done), summary_of(result)]) == approved


def some_of(steps: Iterable[Step]) -> list[str]:
    """The first step, the last, and every 32nd between."""
    words = [str(step) for step in steps]
    return [*words[:-1:32], words[-1]]


def test_the_steps_of_a_study_say_what_it_does(approved: SnapshotAssertion) -> None:
    small = {"tokens": 4, "kinds": 3, "d_model": 8, "batch": 2, "steps": 12, "layers": 2, "heads": 2, "device": "cpu"}
    alone = learning.LearningConfig(**small)
    trained_model = run(alone).trained
    asked: dict[str, tuple[Any, Any]] = {
        "learning": (alone, None),
        "learning, several seeds": (learning.SeedsConfig(runs=2, **small), None),
        "a map": (learning.MapConfig(steps=1, device="cpu"), None),
        "heads off": (learning.Ablation(trained=trained_model, off=((0, 1),)), None),
        "accuracy": (trained.AccuracyConfig(model="reverse", device="cpu"), None),
        "trained": (trained.TrainedConfig(device="cpu"), None),
        "random heads": (receptive_field.ReceptiveFieldConfig(weights="random", layers=1, device="cpu"), None),
        "blocks": (permutation.PermutationConfig(tokens=ABC, device="cpu"), permutation.steps_blocks),
        "order": (permutation.PermutationConfig(tokens=ABC, device="cpu"), permutation.steps_order),
        "biases, growing": (biases.BiasesConfig(tokens=ABC).key_sweep(), biases.steps_size_sweep),
    }
    said: dict[str, list[str]] = {}
    for name, (config, experiment) in asked.items():
        steps: list[Step] = []
        run(config, steps.append, experiment=experiment)
        assert steps, name
        said[name] = some_of(steps)
    assert lines(said) == approved


def test_what_each_id_stands_for(approved: SnapshotAssertion) -> None:
    tables = {
        "positions": choices.POSITIONS, "projections": choices.PROJECTIONS, "placements": choices.PLACEMENTS,
        "learning's placements": learning.settings.PLACEMENTS, "norms": normalization.settings.NORMS,
        "activations": normalization.settings.ACTIVATIONS, "models of a shuffle": permutation.settings.BLOCKS,
        "learning rates of the map": learning.map.RATES, "examples": trained.EXAMPLES, "kinds": trained.KINDS,
        "claims of a stack": {stack: masks.MasksConfig(stack=stack).claim for stack in masks.STACKS},
    }  # fmt: skip
    assert (
        lines({name: [f"{key}: {one}" for key, one in table.items()] for name, table in tables.items()}) == approved
    )


def test_what_is_declared_of_every_setting(approved: SnapshotAssertion) -> None:
    kinds = sorted(CONFIGS, key=lambda kind: f"{kind.__module__}.{kind.__name__}")
    assert "\n".join(line for kind in kinds for line in (kind.__name__, *declarations(kind))) == approved
