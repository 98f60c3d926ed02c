"""What comes from another process is looked at before it is kept; and every study says what it gives."""

import inspect
import pkgutil
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from pages._shared.compute.result_check import RESULT_BYTES, WrongResult, checked, freeze, result_types
import attention_core.studies
from attention_core.claims.ledger import steps_ledger
from attention_core.measuring.step import Step
from attention_core.studies.learning import LearningConfig, LearningResult, LearningStep, steps_learning
from tests.pages.cluster_studies import Answer, OtherAnswer, Question, steps_asked

QUESTION = Question("nowhere")
STUDIES = {steps_ledger} | {
    function
    for module in pkgutil.iter_modules(attention_core.studies.__path__)
    if module.ispkg
    for name, function in vars(import_module(f"attention_core.studies.{module.name}")).items()
    if name.startswith("steps_") and inspect.isgeneratorfunction(function)
}


@pytest.mark.parametrize("function", sorted(STUDIES, key=lambda one: one.__name__))
def test_every_study_says_what_it_gives(function: Any) -> None:
    kinds = result_types(function)
    assert kinds
    assert not any(issubclass(kind, Step) for kind in kinds)


def test_only_a_result_of_this_study_and_this_config_is_taken() -> None:
    right = Answer(np.zeros(3), QUESTION)
    assert checked(steps_asked, QUESTION, right) is right
    assert result_types(steps_learning) == (LearningResult,)
    for wrong, said in (
        (None, "gave NoneType"),
        (OtherAnswer(np.zeros(3)), "gave OtherAnswer"),
        (Answer(np.zeros(3), Question("nowhere", 1)), "of another config"),
        (Answer(np.zeros(RESULT_BYTES // 8), QUESTION), f"bytes, {RESULT_BYTES:,} are allowed"),
    ):
        with pytest.raises(WrongResult, match=said):
            checked(steps_asked, QUESTION, wrong)
    with pytest.raises(WrongResult):
        checked(steps_learning, LearningConfig(), LearningStep(0, 1, history=None))  # pyright: ignore


def test_its_arrays_cannot_be_changed() -> None:
    result = freeze(Answer(np.zeros(3), QUESTION))
    assert not result.values.flags.writeable
