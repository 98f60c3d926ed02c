"""What every experiment promises, and every config: one contract for all of them."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.claims import LedgerConfig
from attention_core.device import DTYPES
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.model_config import SourceConfig
from attention_core.measuring.run import Experiment, experiment_of, run
from attention_core.measuring.settings import Choice, OneOf, Real, Setting, Switch, Whole, Words, declared
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.studies import biases, complexity, permutation, receptive_field, scaling, trained, variants, worth
from attention_core.studies.anatomy import AnatomyConfig
from attention_core.studies.learning import CompareConfig, LearningConfig, MapConfig, SeedsConfig
from attention_core.studies.masks import MasksConfig
from attention_core.studies.masks.settings import Sentences
from attention_core.studies.projections import ProjectionsConfig
from attention_core.studies.worth import gate
from tests.configs import CONFIGS
from tests.studies import STUDIES
from tests.sweeps import some_by_day
from tests.texts import UNSHOWN


def is_named_after(kind: type[RunConfig]) -> bool:
    """Whether an experiment is: the others are what several configs share."""
    try:
        return experiment_of(kind) is not None
    except TypeError:
        return False


NAMED = [each for each in CONFIGS if is_named_after(each)]
SMALL = {"batch": 4, "steps": 3, "feed_forward": False}
QUICK: dict[type[RunConfig], dict[str, Any]] = {  # where a default config takes long
    LearningConfig: SMALL,
    SeedsConfig: SMALL | {"runs": 2},
    CompareConfig: SMALL | {"runs": 2},
    MapConfig: {"steps": 1},
    biases.TrainingConfig: {"steps": 10},
    biases.MeanConfig: {"doublings": 8},
    complexity.TimesConfig: {"seconds": 2},
    variants.CrossingConfig: {"seconds": 2},
    receptive_field.ReceptiveFieldConfig: {"layers": 2, "weights": "random"},
    scaling.ScalingConfig: {"num_keys": 3, "num_queries": 2000, "alpha": 0.3, "scale": "power"},
    LedgerConfig: {"ids": ("qk-tied",)},
    trained.AccuracyConfig: {"model": "induction"},
    worth.GateConfig: {"runs": 2},
}
CARRIED = {"carried": True, "positions": "learned"}
ORDER = (2, 0, 5, 1, 4, 3)
WORDS = {"tokens": ("a", "b", "c")}
FURTHER: list[tuple[RunConfig, Experiment]] = [  # that share the config of another
    (permutation.PermutationConfig(**WORDS), permutation.steps_blocks),
    (permutation.PermutationConfig(**WORDS), permutation.steps_order),
    (permutation.PermutationConfig(**WORDS), permutation.run_depth),
    (permutation.ShuffleConfig(**WORDS), permutation.run_terms),
    (biases.BiasModuleConfig(), biases.run_bias_sizes),
    (biases.BiasModuleConfig(), biases.run_shift),
    (biases.BiasesConfig(rotary=True, dropout=True).key_sweep(), biases.steps_size_sweep),
    (receptive_field.ReceptiveFieldConfig(), receptive_field.run_table),
    (receptive_field.ReceptiveFieldConfig(weights="random"), receptive_field.run_attended_keys),
    (scaling.ScalingConfig(num_keys=3), scaling.run_picture),
    (scaling.ScalingConfig(scale="root"), scaling.run_lengths),
    (trained.TrainedConfig(without="agreement"), trained.run_trained),
    (worth.WorthConfig(text=worth.LONG), worth.run_worth),
]


def topics(kind: type[RunConfig]) -> list[dict[str, str]]:
    """The settings that choose what a study asks, if it asks several things."""
    found = {name: one for name, one in declared(kind).items() if name in ("topic", "stack")}
    return [{name: choice} for name, one in found.items() for choice in one.options] or [{}]  # type: ignore[attr-defined]


CASES = [(kind(**QUICK.get(kind, {}), **topic), experiment_of(kind)) for kind in NAMED for topic in topics(kind)]
CASES += FURTHER


def leaves(found: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All that a result holds, by where it lies."""
    if dataclasses.is_dataclass(found):
        parts = {each.name: getattr(found, each.name) for each in dataclasses.fields(found)}
    elif isinstance(found, Mapping):
        parts = found
    elif isinstance(found, tuple | list):
        parts = dict(enumerate(found))
    else:
        yield path, found
        return
    for name, part in parts.items():
        yield from leaves(part, f"{path}.{name}")


def bits(found: Any) -> dict[str, object]:
    arrays = {path: part.tobytes() if isinstance(part, np.ndarray) else repr(part) for path, part in leaves(found)}
    return {path: part for path, part in arrays.items() if not path.startswith((".config", ".provenance"))}


@pytest.mark.parametrize(
    ("asked", "experiment"),
    some_by_day(CASES, of=6),
    ids=lambda one: getattr(one, "__name__", type(one).__name__),
)
def test_an_experiment_keeps_its_promises(
    asked: RunConfig, experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "STEPS", 30)  # no setting
    steps: list[Step] = []
    torch.manual_seed(1)
    result = run(asked, steps.append, experiment=experiment)
    for path, part in leaves(result):
        assert not (isinstance(part, np.ndarray) and part.flags.writeable), path
    if isinstance(result, Result):
        assert (result.provenance.seed, result.provenance.dtype) == (asked.seed, asked.dtype)
        own = experiment not in (biases.run_appendix, biases.steps_size_sweep)  # which compare precisions
        assert {verdict.dtype for verdict in result.verdicts} <= ({asked.dtype} if own else set(DTYPES))
    assert type(result).__name__ in repr(result)
    assert len(repr(result)) < 120
    assert bool(steps) == experiment.__name__.startswith("steps")
    assert all(0 <= step.done <= step.total and str(step).endswith(f" of {step.total}") for step in steps)
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert all(len(repr(step)) < 200 for step in steps)
    if isinstance(asked, complexity.TimesConfig | variants.CrossingConfig):
        return  # a clock
    assert len({step.total for step in steps}) <= 1
    torch.manual_seed(2)
    with torch.inference_mode(mode=isinstance(asked, LearningConfig | scaling.ScalingConfig)):
        again = run(asked, experiment=experiment)
    assert bits(again) == bits(result)
    if experiment not in (receptive_field.run_table, complexity.run_complexity, worth.run_cut):
        other = run(dataclasses.replace(asked, seed=asked.seed + 1), experiment=experiment)
        assert bits(other) != bits(result)


def test_every_study_is_there() -> None:
    assert {RunConfig, SourceConfig, biases.BiasModuleConfig, trained.ModelConfig} == {*CONFIGS} - {*NAMED}
    assert len(NAMED) >= 21
    assert {study.config for study in STUDIES} <= set(NAMED)


# ---- what a config takes ----


def beyond(one: Setting) -> list[Any]:
    """What a declaration does not allow."""
    match one:
        case Whole(low=low, high=high):
            return [low - 1, high + 1, low + 0.5, str(low), True, float(low)]
        case Real(low=low, high=high):
            return [low - 1, high + 1, float("inf"), str(low), True]
        case Switch():
            return [0, 1, "true", "yes"]
        case Choice(options=options):
            return ["", "?", "None", *[name.upper() for name in options if name.upper() not in options]]
        case OneOf(values=values):
            return [values[0] - 1, values[-1] + 1, str(values[0]), True]
        case Sentences():
            hidden = [(("a", f"b{character}"),) for character in UNSHOWN]
            return [(), ((),), (("a",),) * 7, (("w",) * 40,) * 2, (("w" * 300,),) * 2, ("a b", "c"), "a", *hidden]
        case Words(least=least):
            few = [()] * least + [("w",) * 65, ("w" * 513,), "a", ("a", ""), ("a", 1), (("a",),)]
            return [*few, *(("a", f"b{character}") for character in UNSHOWN)]
    return ["abacus", "", 3]  # a device


@pytest.mark.parametrize("kind", CONFIGS, ids=lambda kind: kind.__name__)
def test_a_field_refuses_all_else_by_its_name(kind: type[RunConfig]) -> None:
    for name, one in declared(kind).items():
        for wrong in (None, object(), float("nan"), 10**400, (None,), [[["a"]]], *beyond(one)):
            with pytest.raises(ConfigError, match=rf"^{name} = (?s:.*) is not possible: .+\.$") as refused:
                kind(**{name: wrong})
            assert refused.value.field == name


LARGE = {"layers": 6, "heads": 8, "d_model": 256, "d_head": 1024, "tokens": 64, "batch": 256}
RULES: list[tuple[type[RunConfig], dict[str, Any], str, str]] = [
    (AnatomyConfig, {"heads": 3}, "heads", "a divisor of the width 16"),
    (AnatomyConfig, {"d_head": 3, "positions": "rotary"}, "d_head", "even"),
    (biases.MeanConfig, {"input_mean": 10.5}, "input_mean", "from -10 to 10"),
    (complexity.ComplexityConfig, {"num_heads": 3}, "num_heads", "a divisor of the width 128"),
    (complexity.ComplexityConfig, {"num_queries": 4096, "num_keys": 4096, "d_model": 1024, "fused": True}, "fused",
     "with up to 8,589,934,592 FLOPs"),
    (complexity.TimesConfig, {"d_model": 10}, "num_heads", "a divisor of the width 10"),
    (complexity.TimesConfig, {"seconds": 21}, "seconds", "from 2 to 20"),
    (LearningConfig, {"dtype": "bfloat16"}, "dtype", "float32, float64"),
    (LearningConfig, {"heads": 3}, "d_model", "multiple of the 3 heads"),
    (LearningConfig, {"positions": "rotary", "d_head": 5}, "d_head", "even number"),
    (LearningConfig, {"task": "copy", "back": 12}, "back", "at most 11"),
    (LearningConfig, {"task": "induction", "tokens": 3}, "tokens", "at least 4"),
    (LearningConfig, {"task": "induction", "tokens": 24}, "kinds", "periods of up to 12"),
    (LearningConfig, LARGE, "steps", "smaller sizes will do"),
    (SeedsConfig, {"runs": 16, "steps": 1000}, "steps", "at most [0-9,]+ steps"),
    (MapConfig, {"steps": 1000}, "steps", "more than 20 seconds"), (MapConfig, {"runs": 9}, "runs", "from 1 to 8"),
    (MapConfig, {"optimizer": "Adam"}, "optimizer", "adamw"), (MapConfig, {"dtype": "float16"}, "dtype", "float32"),
    (MapConfig, {"start": 5.0}, "start", "from 0 to 4"),
    (LedgerConfig, {"ids": ("bias",)}, "id", "one of mha-reshape, "),
    (MasksConfig, {"sentences": (("a",), ("b", "c")), "batch_norm": True}, "batch_norm", "two words"),
    (permutation.PermutationConfig, CARRIED | {"keys_alone": True}, "keys_alone", "switch one of the two off"),
    (permutation.ShuffleConfig, {"query_order": (0, 0, 1, 2, 3, 4)}, "query_order", "an order of 0 … 5, each once"),
    (permutation.ShuffleConfig, {"key_order": (0, 1)}, "key_order", "an order of 0 … 5, each once"),
    (permutation.ShuffleConfig, {"key_order": (True, 0, 2, 3, 4, 5)}, "key_order", "an order of 0 … 5, each once"),
    (permutation.ShuffleConfig, {"model": "pre", "key_order": ORDER}, "model", "the same tokens ask and answer"),
    (permutation.ShuffleConfig, {"model": "pre", "context": ("a",)}, "model", "the same tokens ask and answer"),
    (permutation.ShuffleConfig, {"model": "pre", "keys_alone": True}, "model", "the same tokens ask and answer"),
    (ProjectionsConfig, {"num_heads": 8, "d_head": 64}, "d_head", "with 8 heads at most 32 is"),
    (ProjectionsConfig, {"positions": "rotary", "d_head": 7}, "d_head", "rotary positions turn pairs"),
    (receptive_field.ReceptiveFieldConfig, {"heads": 8, "layers": 8, "tokens": 256, "weights": "soft"}, "tokens",
     "up to 2,097,152 .* soft heads and this is 4,194,304; 8 heads and 8 layers .* 181 tokens"),
    (receptive_field.ReceptiveFieldConfig, {"write_positions": True, "mask": "window"}, "write_positions", "another"),
    (receptive_field.ReceptiveFieldConfig, {"window": -1}, "window", "from 0 to 256"),
    (scaling.ScalingConfig, {"num_queries": 1999}, "num_queries", "from 2,000 to 8,192"),
    (scaling.ScalingConfig, {"std": 1.05}, "std", "a number in tenths"),
    (scaling.ScalingConfig, {"through_module": True, "mean": 0.5}, "through_module", "mean 0 and correlation 0"),
    (scaling.ScalingConfig, {"dtype": "float16", "std": 4.0, "mean": 2.0}, "dtype", "float16 ends at 65,504"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "field", "allowed"), RULES)
def test_what_does_not_go_together_is_refused_in_words(
    kind: type[RunConfig], given: dict[str, Any], field: str, allowed: str
) -> None:
    with pytest.raises(ConfigError, match=allowed) as refused:
        kind(**given)
    assert refused.value.field == field
