"""Any config is run in one way, and what comes of it has a short ``repr``."""

import dataclasses

import pytest

from attention_core import run
from attention_core.experiments import biases, permutation, projections, scaling
from attention_core.experiments.config import RunConfig
from attention_core.experiments.learning import Ablation, LearningConfig

SMALL = {"batch": 4, "steps": 3, "feed_forward": False}


def test_an_experiment_that_shares_its_config_is_named() -> None:
    config, steps = permutation.PermutationConfig(tokens=("a", "b", "c")), []
    order = run(config, steps.append, experiment=permutation.steps_order)
    assert isinstance(order, permutation.OrderResult)
    assert len(steps) == 7
    assert isinstance(run(config), permutation.PermutationResult)


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
