"""Which lengths of text a stack takes, with every kind of positions."""

import numpy as np
import pytest
import torch

from attention_core.modules.stack import Encoder
from attention_core.studies.masks import STACKS, LengthResult, MasksConfig, run_length

LENGTHS = (2, 16, 63, 64, 65, 128, 256)


@pytest.mark.parametrize("stack", STACKS)
def test_a_table_of_64_positions_takes_64_words_and_all_else_any_number(stack: str) -> None:
    result = run_length(MasksConfig(stack=stack))
    assert result.kinds == ("none", "sinusoidal", "learned", "rotary", "alibi")
    for kind, taken in zip(result.kinds, result.taken, strict=True):
        assert taken.tolist() == [kind != "learned" or length <= 64 for length in LENGTHS]


def test_parameters_are_counted_by_their_shapes() -> None:
    """Two layers, 16 numbers for a word: four matrices with biases, 64 numbers in between, two norms."""
    layer = 4 * (16 * 16 + 16) + (64 * 16 + 64) + (16 * 64 + 16) + 2 * 2 * 16
    assert run_length(MasksConfig()).parameters.tolist() == [2 * layer + (64 * 16) * (kind == 2) for kind in range(5)]


def test_what_is_refused_is_counted_for_the_positions_of_the_settings_alone() -> None:
    found = [run_length(MasksConfig(positions=name)).verdict("any-length") for name in ("none", "slot", "learned")]
    assert [(one.measured, one.outcome) for one in found] == [(0, "holds"), (0, "holds"), (3, "fails")]
    assert found[0].unit == "of 7 lengths"


def spoilt(name: str, value: object) -> LengthResult:
    right = Encoder.forward

    def wrong(self: Encoder, x: torch.Tensor, **masks: object) -> torch.Tensor:
        return right(self, x, **masks) if x.shape[1] < 128 else value(right(self, x, **masks))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Encoder, name, wrong)
        return run_length(MasksConfig())


def test_what_comes_out_as_no_numbers_or_for_other_words_has_not_come_out() -> None:
    for spoil in (lambda out: out * np.nan, lambda out: out[:, 1:]):
        (found,) = spoilt("forward", spoil).verdicts
        assert (found.measured, found.outcome) == (2, "surprises")
