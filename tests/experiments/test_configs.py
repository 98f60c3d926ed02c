"""Configs as scripts and files make them: NumPy's numbers, lists, JSON; and limits that are not a slider's."""

import importlib
import json
import math
import pkgutil
import random
from collections.abc import Iterator
from dataclasses import MISSING, asdict, fields, replace
from itertools import islice
from typing import Any

import numpy as np
import pytest
import torch

import attention_core
from attention_core.claims import LedgerConfig
from attention_core.experiments.anatomy import AnatomyConfig
from attention_core.experiments.biases import AfterNormConfig, BiasesConfig, BiasesSetting, MeanConfig
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.complexity import ComplexityConfig, TimesConfig
from attention_core.experiments.config import RunConfig
from attention_core.experiments.learning import Ablation, LearningConfig, MapConfig, SeedsConfig, Trained
from attention_core.experiments.masking import MaskingConfig
from attention_core.experiments.normalization import NormalizationConfig
from attention_core.experiments.permutation import ShuffleConfig
from attention_core.experiments.projections import ProjectionsConfig
from attention_core.experiments.receptive_field import ReceptiveFieldConfig
from attention_core.experiments.scaling import ScalingConfig
from attention_core.experiments.settings import OneOf, declared
from tests.studies import STUDIES, Study, settings

for module in pkgutil.walk_packages(attention_core.__path__, "attention_core."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)


def of(config: type[RunConfig]) -> Iterator[type[RunConfig]]:
    """A class and all that derive from it."""
    yield config
    for each in config.__subclasses__():
        yield from of(each)


CONFIGS = {
    f"{each.__module__}.{each.__name__}": each for each in of(RunConfig) if each.__module__.startswith("attention")
}
FURTHER = tuple(
    Study(each.__name__, each, lambda _: None, dtypes=("float32",))
    for each in (BiasesSetting, SeedsConfig, TimesConfig, MapConfig)
)


def exactly(value: Any) -> Any:
    """A value with the types of all its parts."""
    return type(value), tuple(map(exactly, value)) if isinstance(value, tuple) else value


def through_json(config: RunConfig) -> RunConfig:
    return type(config)(**json.loads(json.dumps(asdict(config))))


def by_numpy(value: Any) -> Any:
    """What a sweep makes of a value: NumPy's scalars, arrays without an axis, arrays and lists."""
    match value:
        case bool():
            return np.bool_(value)
        case int():
            return np.int64(value)
        case float():
            return np.float64(value)
        case str():
            return np.str_(value)
        case tuple() if value and all(isinstance(one, int) for one in value):
            return np.array(value)
        case tuple():
            return [by_numpy(one) for one in value]
    raise TypeError(type(value).__name__)


def assert_the_same(made: RunConfig, config: RunConfig) -> None:
    assert made == config
    assert hash(made) == hash(config)
    for each in fields(config):
        assert exactly(getattr(made, each.name)) == exactly(getattr(config, each.name)), each.name


def assert_every_way_leads_to(config: RunConfig) -> None:
    given = {each.name: getattr(config, each.name) for each in fields(config)}
    assert_the_same(through_json(config), config)
    assert_the_same(type(config)(**{name: by_numpy(value) for name, value in given.items()}), config)
    assert_the_same(replace(config), config)


def test_there_are_all_configs() -> None:
    assert len(CONFIGS) >= 21


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_default_config_comes_back_from_json_and_from_numpy(config: type[RunConfig]) -> None:
    assert all(each.default is not MISSING for each in fields(config))
    assert_every_way_leads_to(config())


@pytest.mark.parametrize("study", [*STUDIES, *FURTHER], ids=lambda study: study.name)
def test_any_config_comes_back_from_json_and_from_numpy(study: Study) -> None:
    for dtype in study.dtypes:
        for config in islice(settings(study, dtype, 5, seed=37), 5):
            assert_every_way_leads_to(config)


@pytest.mark.parametrize(
    ("config", "given", "stored"),
    [
        (ScalingConfig, {"std": np.float64(2.0)}, 2.0),
        (ScalingConfig, {"std": 2}, 2.0),
        (ScalingConfig, {"std": np.float32(0.3)}, 0.3),
        (ScalingConfig, {"mean": np.arange(0.1, 1, 0.1)[2]}, 0.3),
        (ScalingConfig, {"num_keys": np.int64(10)}, 10),
        (ScalingConfig, {"num_queries": np.uint16(2000)}, 2000),
        (ScalingConfig, {"qk_norm": np.bool_(True)}, True),
        (ScalingConfig, {"scale": np.str_("root")}, "root"),
        (ScalingConfig, {"temperature": np.longdouble(0.5)}, 0.5),
        (ScalingConfig, {"temperature": np.array(0.5)}, 0.5),
        (ScalingConfig, {"num_keys": torch.tensor(10)}, 10),
        (AnatomyConfig, {"tokens": ["a", "b"]}, ("a", "b")),
        (AnatomyConfig, {"tokens": np.array(["a", "b"])}, ("a", "b")),
        (AnatomyConfig, {"dropout": np.float16(0.5)}, 0.5),
        (ShuffleConfig, {"query_order": [1, 0, 2, 3, 4, 5]}, (1, 0, 2, 3, 4, 5)),
        (ShuffleConfig, {"key_order": np.array([1, 0, 2, 3, 4, 5])}, (1, 0, 2, 3, 4, 5)),
        (ShuffleConfig, {"key_order": torch.tensor([1, 0, 2, 3, 4, 5])}, (1, 0, 2, 3, 4, 5)),
        (MaskingConfig, {"sentences": [["a", "b"], ["c"]]}, (("a", "b"), ("c",))),
        (MeanConfig, {"input_mean": np.float64(0.5)}, 0.5),
        (MapConfig, {"runs": np.int32(1)}, 1),
        (ReceptiveFieldConfig, {"window": np.int8(3)}, 3),
        (LearningConfig, {"dtype": np.str_("float64")}, "float64"),
        (LedgerConfig, {"ids": ["bias-k"]}, ("bias-k",)),
        (NormalizationConfig, {"eps": 1}, 1.0),
    ],
)
def test_what_is_stored_is_pythons_own(config: type[RunConfig], given: dict[str, Any], stored: object) -> None:
    ((name, _),) = given.items()
    made = config(**given)
    assert exactly(getattr(made, name)) == exactly(stored)
    assert hash(made) == hash(config(**{name: stored}))


def test_heads_that_are_switched_off_may_come_as_arrays() -> None:
    trained = Trained(config=LearningConfig(heads=2, layers=2), weights={})
    assert Ablation(trained=trained, off=np.array([[0, 1], [1, 0]])).off == ((0, 1), (1, 0))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="off"):
        Ablation(trained=trained, off=[[2, 0]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("config", "name", "value"),
    [
        (ScalingConfig, "std", np.float64("nan")),
        (ScalingConfig, "std", np.float32("inf")),
        (ScalingConfig, "std", np.float64(4.1)),
        (ScalingConfig, "std", np.float64(1.05)),
        (ScalingConfig, "std", np.bool_(True)),
        (ScalingConfig, "std", np.complex128(1)),
        (ScalingConfig, "std", True),
        (ScalingConfig, "std", [1.0]),
        (ScalingConfig, "std", np.array([1.0])),
        (ScalingConfig, "std", 10**400),
        (ScalingConfig, "num_keys", np.float64(10)),
        (ScalingConfig, "num_keys", np.bool_(True)),
        (ScalingConfig, "num_keys", np.int64(129)),
        (ScalingConfig, "num_queries", np.bool_(True)),
        (ScalingConfig, "qk_norm", np.int64(1)),
        (ScalingConfig, "scale", np.bytes_(b"root")),
        (ScalingConfig, "seed", np.datetime64("2020-01-01")),
        (MeanConfig, "input_mean", np.float64("nan")),
        (MeanConfig, "input_mean", np.bool_(False)),
        (AnatomyConfig, "tokens", [["a"]]),
        (AnatomyConfig, "tokens", ["a", 1]),
        (AnatomyConfig, "tokens", [[[[["a"]]]]]),
        (AnatomyConfig, "tokens", "a b"),
        (ShuffleConfig, "query_order", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (ShuffleConfig, "query_order", np.eye(6)),
        (MaskingConfig, "sentences", ["a b", "c"]),
        (LedgerConfig, "ids", "bias-k"),
        (LedgerConfig, "ids", [[[["bias-k"]]]]),
        (LedgerConfig, "ids", [["bias-k"]]),
    ],
)
def test_what_is_not_possible_stays_refused(config: type[RunConfig], name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=" is not possible: "):
        config(**{name: value})


def test_what_lies_in_itself_is_refused_as_well() -> None:
    tokens: list[Any] = ["a"]
    tokens.append(tokens)
    with pytest.raises(ConfigError, match="a tuple of words is allowed"):
        AnatomyConfig(tokens=tokens)  # type: ignore[arg-type]


STEPS = [
    (config, name, one)
    for config in CONFIGS.values()
    for name, one in declared(config).items()
    if isinstance(one, OneOf)
]


@pytest.mark.parametrize(
    ("config", "name", "one"), STEPS, ids=lambda value: getattr(value, "__name__", str(value)[:20])
)
def test_a_config_takes_what_lies_between_the_steps_of_a_slider(
    config: type[RunConfig], name: str, one: OneOf
) -> None:
    chance = random.Random(name)
    low, high = one.values[0], one.values[-1]
    for _ in range(20):
        value = chance.randint(low, high) if isinstance(low, int) else chance.uniform(low, high)
        one.check(name, value)
        assert one.read(one.write(value)) == value
        assert one.say(value)
    wrong: list[object] = [low - 1, high + 1, math.nan, math.inf, True, str(low), None, (low,)]
    for value in wrong + [low + 0.5] * isinstance(low, int):
        with pytest.raises(ConfigError, match=f"^{name} = .*from .* to .* is allowed"):
            one.check(name, value)


@pytest.mark.parametrize(
    "config",
    [
        BiasesConfig(size=3.0),
        AfterNormConfig(size=3.0),
        NormalizationConfig(topic="length", eps=0.003, input_std=0.5),
        MaskingConfig(score_std=50),
        ProjectionsConfig(topic="rank", num_heads=3, d_head=5),
        ProjectionsConfig(topic="identity", num_heads=5, d_head=12),
        LearningConfig(learning_rate=0.02, d_model=30, batch=5, steps=7),
        ComplexityConfig(num_queries=100, num_keys=70, d_model=96, num_heads=3),
    ],
    ids=lambda config: type(config).__name__,
)
def test_what_lies_between_is_measured(config: RunConfig) -> None:
    verdicts = attention_core.run(config).verdicts
    assert verdicts or isinstance(config, LearningConfig)
    assert not [verdict.sentence() for verdict in verdicts if verdict.surprises]


def test_rotary_positions_need_pairs() -> None:
    with pytest.raises(ConfigError, match="d_head = 5 is not possible: rotary positions turn pairs"):
        ProjectionsConfig(d_head=5, positions="rotary")
