"""Configs as scripts and files make them: NumPy's numbers, lists, JSON; and limits that are not a slider's."""

import dataclasses
import json
from dataclasses import MISSING, asdict, fields, replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings

from attention_core import run
from attention_core.claims import LedgerConfig
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import OneOf, declared, defaults
from attention_core.studies import biases, permutation, projections, scaling
from attention_core.studies.anatomy import AnatomyConfig
from attention_core.studies.biases import MeanConfig
from attention_core.studies.learning import Ablation, LearningConfig, MapConfig, Trained
from attention_core.studies.masks import MasksConfig
from attention_core.studies.normalization import NormalizationConfig
from attention_core.studies.permutation import ShuffleConfig
from attention_core.studies.receptive_field import ReceptiveFieldConfig
from attention_core.studies.scaling import ScalingConfig
from tests.configs import CONFIGS
from tests.strategies import config
from tests.sweeps import some_by_day


def exactly(value: Any) -> Any:
    """A value with the types of all its parts."""
    return type(value), tuple(map(exactly, value)) if isinstance(value, tuple) else value


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


def assert_every_way_leads_to(made: RunConfig) -> None:
    values = {each.name: getattr(made, each.name) for each in fields(made)}
    for name, one in declared(type(made)).items():
        assert one.read(one.write(values[name])) == values[name]
        assert one.say(values[name]) or values[name] == ()
    assert_the_same(type(made)(**json.loads(json.dumps(asdict(made)))), made)
    assert_the_same(type(made)(**{name: by_numpy(value) for name, value in values.items()}), made)
    assert_the_same(replace(made), made)


@pytest.mark.parametrize("kind", some_by_day(CONFIGS, of=3), ids=lambda kind: kind.__name__)
def test_a_config_comes_back_from_json_and_from_numpy(kind: type[RunConfig]) -> None:
    assert all(each.default is not MISSING for each in fields(kind))
    assert_every_way_leads_to(kind())
    # Of some kinds most of what is drawn is refused: models that take too long, all together.
    drawn = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
    drawn(given(config(kind))(assert_every_way_leads_to))()


@pytest.mark.parametrize("kind", CONFIGS, ids=lambda kind: kind.__name__)
def test_a_setting_begins_with_a_value_that_is_offered(kind: type[RunConfig]) -> None:
    offered = {name: one.values for name, one in declared(kind).items() if isinstance(one, OneOf)}
    assert {name: values for name, values in offered.items() if defaults(kind)[name] not in values} == {}


@pytest.mark.parametrize(
    ("kind", "values", "stored"),
    [
        (ScalingConfig, {"std": np.float64(2.0)}, 2.0), (ScalingConfig, {"std": 2}, 2.0),
        (ScalingConfig, {"std": np.float32(0.3)}, 0.3), (ScalingConfig, {"mean": np.arange(0.1, 1, 0.1)[2]}, 0.3),
        (ScalingConfig, {"num_keys": np.int64(10)}, 10), (ScalingConfig, {"num_queries": np.uint16(2000)}, 2000),
        (ScalingConfig, {"qk_norm": np.bool_(True)}, True), (ScalingConfig, {"scale": np.str_("root")}, "root"),
        (ScalingConfig, {"temperature": np.longdouble(0.5)}, 0.5),
        (ScalingConfig, {"temperature": np.array(0.5)}, 0.5), (ScalingConfig, {"num_keys": torch.tensor(10)}, 10),
        (AnatomyConfig, {"tokens": ["a", "b"]}, ("a", "b")),
        (AnatomyConfig, {"tokens": np.array(["a", "b"])}, ("a", "b")),
        (AnatomyConfig, {"dropout": np.float16(0.5)}, 0.5),
        (ShuffleConfig, {"query_order": [1, 0, 2, 3, 4, 5]}, (1, 0, 2, 3, 4, 5)),
        (ShuffleConfig, {"key_order": np.array([1, 0, 2, 3, 4, 5])}, (1, 0, 2, 3, 4, 5)),
        (ShuffleConfig, {"key_order": torch.tensor([1, 0, 2, 3, 4, 5])}, (1, 0, 2, 3, 4, 5)),
        (MasksConfig, {"sentences": [["a", "b"], ["c"]]}, (("a", "b"), ("c",))),
        (MeanConfig, {"input_mean": np.float64(0.5)}, 0.5), (MapConfig, {"runs": np.int32(1)}, 1),
        (ReceptiveFieldConfig, {"window": np.int8(3)}, 3),
        (LearningConfig, {"dtype": np.str_("float64")}, "float64"),
        (LedgerConfig, {"ids": ["bias-k"]}, ("bias-k",)), (NormalizationConfig, {"eps": 1}, 1.0),
    ],
)  # fmt: skip
def test_what_is_stored_is_pythons_own(kind: type[RunConfig], values: dict[str, Any], stored: object) -> None:
    ((name, _),) = values.items()
    made = kind(**values)
    assert exactly(getattr(made, name)) == exactly(stored)
    assert hash(made) == hash(kind(**{name: stored}))


def test_heads_that_are_switched_off_may_come_as_arrays() -> None:
    trained = Trained(config=LearningConfig(heads=2, layers=2), weights={}, words=())
    assert Ablation(trained=trained, off=np.array([[0, 1], [1, 0]])).off == ((0, 1), (1, 0))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="off"):
        Ablation(trained=trained, off=[[2, 0]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        (ScalingConfig, "std", np.float64("nan")), (ScalingConfig, "std", np.float32("inf")),
        (ScalingConfig, "std", np.float64(4.1)), (ScalingConfig, "std", np.float64(1.05)),
        (ScalingConfig, "std", np.bool_(True)), (ScalingConfig, "std", np.complex128(1)),
        (ScalingConfig, "std", [1.0]), (ScalingConfig, "std", np.array([1.0])),
        (ScalingConfig, "num_keys", np.float64(10)),
        (ScalingConfig, "num_keys", np.bool_(True)), (ScalingConfig, "num_keys", np.int64(129)),
        (ScalingConfig, "num_queries", np.bool_(True)), (ScalingConfig, "qk_norm", np.int64(1)),
        (ScalingConfig, "scale", np.bytes_(b"root")), (ScalingConfig, "seed", np.datetime64("2020-01-01")),
        (MeanConfig, "input_mean", np.float64("nan")), (MeanConfig, "input_mean", np.bool_(False)),
        (AnatomyConfig, "tokens", ["a", 1]), (AnatomyConfig, "tokens", [[[[["a"]]]]]),
        (ShuffleConfig, "query_order", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), (ShuffleConfig, "query_order", np.eye(6)),
        (MasksConfig, "sentences", ["a b", "c"]), (LedgerConfig, "ids", "bias-k"),
        (LedgerConfig, "ids", [[[["bias-k"]]]]), (LedgerConfig, "ids", [["bias-k"]]),
    ],
)  # fmt: skip
def test_what_is_not_possible_stays_refused(kind: type[RunConfig], name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=" is not possible: "):
        kind(**{name: value})


def test_what_lies_in_itself_is_refused_as_well() -> None:
    tokens: list[Any] = ["a"]
    tokens.append(tokens)
    with pytest.raises(ConfigError, match="a tuple of words is allowed"):
        AnatomyConfig(tokens=tokens)  # type: ignore[arg-type]


# ---- any config is run in one way ----


def test_an_experiment_that_shares_its_config_is_named() -> None:
    config, steps = permutation.PermutationConfig(tokens=("a", "b", "c")), []
    order = run(config, steps.append, experiment=permutation.steps_order)
    assert isinstance(order, permutation.OrderResult)
    assert len(steps) == 7
    assert isinstance(run(config), permutation.PermutationResult)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MyConfig(projections.ProjectionsConfig):
    """Someone's own, with a default of its own."""

    topic: str = "rank"


def test_a_config_of_ones_own_is_run_as_what_it_derives_from() -> None:
    assert isinstance(run(MyConfig()), projections.RankResult)


@pytest.mark.parametrize(
    "config", [None, {"std": 2.0}, scaling.ScalingConfig, biases.BiasModuleConfig(), RunConfig()]
)
def test_what_no_experiment_is_named_after_is_refused(config: object) -> None:
    with pytest.raises(TypeError, match="No experiment is named after"):
        run(config)
