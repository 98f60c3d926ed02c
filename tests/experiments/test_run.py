"""Any config is run in one way, and what comes of it has a short ``repr``."""

import dataclasses

import pytest

from attention_core import claims, run
from attention_core.experiments import biases, complexity, permutation, projections, receptive_field, scaling
from attention_core.experiments.config import RunConfig
from attention_core.experiments.learning import Ablation, LearningConfig, MapConfig, SeedsConfig
from attention_core.experiments.run import experiment_of
from attention_core.experiments.verdict import Step
from tests.experiments.test_configs import CONFIGS
from tests.studies import STUDIES

SMALL = {"batch": 4, "steps": 3, "feed_forward": False}
QUICK = {  # where a default config takes long
    LearningConfig: LearningConfig(**SMALL),
    SeedsConfig: SeedsConfig(runs=2, **SMALL),
    MapConfig: MapConfig(steps=1),
    biases.TrainingConfig: biases.TrainingConfig(steps=10),
    biases.MeanConfig: biases.MeanConfig(doublings=8),
    complexity.TimesConfig: complexity.TimesConfig(seconds=2),
    claims.LedgerConfig: claims.LedgerConfig(ids=("qk-tied",)),
}
NAMED = [config for config in CONFIGS.values() if config not in (RunConfig, biases.BiasesSetting)]


@pytest.mark.parametrize("config", NAMED, ids=lambda config: config.__name__)
def test_every_config_is_run_and_its_result_is_short_to_read(config: type[RunConfig]) -> None:
    steps: list[Step] = []
    result = run(QUICK.get(config) or config(), steps.append)
    assert result.provenance.seed == config().seed
    assert type(result).__name__ in repr(result)
    assert len(repr(result)) < 120
    assert all(type(step).__mro__[-2] is Step for step in steps)
    assert all(len(repr(step)) < 200 and str(step).endswith(f" of {step.total}") for step in steps)
    has_steps = experiment_of(config).__name__.startswith("steps")
    assert bool(steps) == has_steps


def test_every_study_is_there() -> None:
    assert {study.config for study in STUDIES} <= set(NAMED)


def test_an_experiment_that_shares_its_config_is_named() -> None:
    config, steps = permutation.PermutationConfig(tokens=("a", "b", "c")), []
    order = run(config, steps.append, experiment=permutation.steps_order)
    assert isinstance(order, permutation.OrderResult)
    assert len(steps) == 7
    assert isinstance(run(config), permutation.PermutationResult)
    table = run(receptive_field.ReceptiveFieldConfig(), experiment=receptive_field.run_table)
    picture = run(scaling.ScalingConfig(), experiment=scaling.run_picture)
    for found in (table, picture):
        assert len(repr(found)) < 120


def test_the_result_is_that_of_the_experiment() -> None:
    config = projections.ProjectionsConfig(topic="gauge", seed=3)
    assert [one.measured for one in run(config).verdicts] == [
        one.measured for one in projections.run_projections(config).verdicts
    ]


def test_a_trained_model_is_run_without_a_head() -> None:
    trained = run(LearningConfig(heads=2, **SMALL)).trained
    found = run(Ablation(trained=trained, off=((0, 1),)))
    assert found.each.shape == (1, 2)
    assert max(len(repr(found)), len(repr(trained)), len(str(trained))) < 120


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MyConfig(projections.ProjectionsConfig):
    """Someone's own, with a default of its own."""

    topic: str = "rank"


def test_a_config_of_ones_own_is_run_as_what_it_derives_from() -> None:
    assert isinstance(run(MyConfig()), projections.RankResult)


@pytest.mark.parametrize("config", [None, {"std": 2.0}, scaling.ScalingConfig, biases.BiasesSetting(), RunConfig()])
def test_what_no_experiment_is_named_after_is_refused(config: object) -> None:
    with pytest.raises(TypeError, match="No experiment is named after"):
        run(config)
