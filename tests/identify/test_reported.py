"""Faults as they are reported in public, in other styles than ours, are named; and what is not faulty is not
accused."""

import pytest
import torch
from torch import nn

from attention_core.identify import identify
from tests.identify.reported import REPORTED
from tests.sweeps import some_by_day


@pytest.mark.parametrize("kind", some_by_day(REPORTED, of=2), ids=lambda kind: kind.__name__)
def test_a_reported_fault_is_named(kind: type[nn.Module]) -> None:
    torch.manual_seed(3)
    found = identify(kind(32, 4), 32, 4, max_seconds=600)
    assert found.design is not None, found.sentence()
    named = {(fault.choice, getattr(found.design, fault.choice) if fault.choice else "") for fault in found.faults}
    assert named == REPORTED[kind], found.sentence()


def test_there_are_fifteen_of_them() -> None:
    assert len(REPORTED) >= 15
