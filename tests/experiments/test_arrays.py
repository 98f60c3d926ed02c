"""Arrays of results hold what they show and nothing else: results are kept by the hundred."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.measuring.arrays import Record
from attention_core.studies.anatomy import AnatomyConfig, run_anatomy
from attention_core.studies.scaling import ScalingConfig, run_picture


@dataclass(frozen=True, slots=True)
class Kept(Record):
    values: Any


def held_bytes(array: np.ndarray) -> int:
    """Bytes that an array keeps alive."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    owner = array.base
    return owner.untyped_storage().nbytes() if isinstance(owner, torch.Tensor) else array.nbytes


def test_a_part_of_a_tensor_does_not_keep_the_whole() -> None:
    whole = torch.zeros(1000, 1000, dtype=torch.float64)
    part, same = Kept(whole[0]), Kept(whole)
    assert held_bytes(part.values) == part.values.nbytes == 8_000
    assert held_bytes(same.values) == 8_000_000
    assert np.shares_memory(same.values, whole.numpy()), "what is whole is not copied"


@pytest.mark.parametrize("result", [run_anatomy(AnatomyConfig()), run_picture(ScalingConfig()).chosen], ids=repr)
def test_results_keep_nothing_but_their_arrays(result: Any) -> None:
    found = [one for each in fields(result) if isinstance(one := getattr(result, each.name), np.ndarray)]
    assert found
    assert sum(map(held_bytes, found)) <= 2 * sum(one.nbytes for one in found)
