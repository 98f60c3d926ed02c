"""What a verdict must not say: that a broken module holds, that a true claim fails, or what nothing showed."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_core.experiments import judge, permutation
from attention_core.experiments.config import RunConfig
from attention_core.experiments.normalization import NormalizationConfig, run_normalization
from attention_core.experiments.normalization.placement import place_verdicts
from attention_core.experiments.permutation import PermutationConfig, run_depth, steps_blocks, steps_order
from attention_core.experiments.run import run
from attention_core.modules import multi_head
from attention_core.modules.block import TransformerBlock

DTYPES = ("float64", "float32", "bfloat16", "float16")
HALVES = DTYPES[2:]


@contextmanager
def spoilt(owner: Any, name: str, spoil: Callable[[Any], Any]) -> Iterator[None]:
    """While a method answers something else."""
    right = getattr(owner, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, lambda *args, **options: spoil(right(*args, **options)))
        yield


def outcomes(result: Any, *claims: str) -> dict[str, str]:
    return {one.key: one.outcome for one in result.verdicts if not claims or one.claim in claims}


# The table and the one that runs it.

CLOSE = judge.Test("here", "≤", "it is off by at most", "max |off|")
FAR = judge.Test("far", "≥", "it moves by up to", "max |moved|")
CONFIG = RunConfig(dtype="float32")


def one(test: judge.Test, *found: Any, config: RunConfig = CONFIG, again: Any = None) -> Any:
    (verdict,) = judge.judge_all(config, [test], {test.key: judge.Found(*found)}, again)
    return verdict


def test_nan_never_holds_and_is_the_worst_of_several() -> None:
    for test in (CLOSE, FAR):
        assert one(test, math.nan, 1.0, "once").outcome == "surprises"
    assert one(CLOSE, math.nan, 1.0, "once", 0.1).outcome == "surprises", "a coarse bound does not excuse it"
    assert one(CLOSE, 0.0, math.nan, "once").outcome == "surprises"
    found = [judge.Found(measured, 1.0, "") for measured in (0.5, math.nan, 2.0)]
    assert math.isnan(judge.worst(found).measured)
    assert judge.worst([found[0], found[2]]) is found[2]
    assert math.isnan(judge.largest(torch.tensor([1.0, math.nan, 2.0])))
    assert math.isnan(judge.largest(1.0, math.nan, 3.0))
    assert judge.largest(torch.tensor([1.0, -4.0]), 3.0) == 4.0


@pytest.mark.parametrize(("bound", "outcome"), [(0.2, "holds"), (0.21, "undecided")])
def test_a_bound_above_a_fifth_of_the_thing_itself_shows_nothing(bound: float, outcome: str) -> None:
    verdict = one(CLOSE, 0.0, bound, "once", 1.0)
    assert verdict.outcome == outcome
    assert verdict.because == ("" if outcome == "holds" else "rounding alone may move it by 0.210 in float32")
    near = judge.Test("here", "in", "it is", "it")
    assert one(near, 1.0, (1 - bound, 1 + bound), "once", 1.0).outcome == outcome


def test_what_float64_finds_small_is_left_undecided_and_is_measured_once() -> None:
    asked = []

    def again(config: RunConfig) -> dict[str, judge.Found]:
        asked.append(config)
        return {"here": judge.Found(2.0, 1e-9, ""), "far": judge.Found(2.1, 1e-9, "")}

    broken = judge.Test("here", "≤", "", "", breaks=lambda _: "a switch")
    found = {"here": judge.Found(0.5, 1.0, ""), "far": judge.Found(2.1, 1.0, "")}
    verdicts = judge.judge_all(CONFIG, (broken, FAR), found, again)
    assert [one.outcome for one in verdicts] == ["undecided", "holds"]
    assert verdicts[0].because == "a switch, but it moves by less than float32 can tell"
    assert [config.dtype for config in asked] == ["float64"]
    assert not judge.judge_all(CONFIG, (broken,), {}, again), "nothing was measured for it"
    decided = judge.judge_all(RunConfig(dtype="float64"), (broken,), found, again)
    assert decided[0].outcome == "surprises"


def test_what_theory_foresees_near_the_bound_is_left_undecided() -> None:
    for size, outcome in ((2.0, "undecided"), (2.1, "surprises")):
        broken = judge.Test("here", "≤", "", "", breaks=lambda _: "a shift", foresees=lambda _, size=size: size)
        assert one(broken, 0.5, 1.0, "once").outcome == outcome


# A module that is wrong never holds, in any precision.


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_longer_layer_norm_is_noticed(dtype: str) -> None:
    config = NormalizationConfig(topic="length", dtype=dtype)
    assert set(outcomes(run_normalization(config)).values()) == {"holds"}
    with spoilt(nn.LayerNorm, "forward", lambda out: 1.4 * out):
        assert set(outcomes(run_normalization(config)).values()) == {"surprises"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_block_that_does_not_hand_its_input_on_is_noticed(dtype: str) -> None:
    config = NormalizationConfig(topic="block", dtype=dtype)
    with torch.no_grad():
        assert {one.outcome for one in place_verdicts(config)} == {"holds"}

    def shrunk(self: TransformerBlock, x: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        return 0.7 * right(self, x, norm, part)

    def elsewhere(self: TransformerBlock, x: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        return norm(x + part(x))

    right = TransformerBlock._with
    for wrong in (shrunk, elsewhere):
        with pytest.MonkeyPatch.context() as patch, torch.no_grad():
            patch.setattr(TransformerBlock, "_with", wrong)
            found = {one.key: one.outcome for one in place_verdicts(config)}
            assert found["norm-place.pre"] == found["norm-place.residual"] == "surprises"


@pytest.mark.parametrize("bias", ["q_bias", "k_bias", "v_bias", "o_bias"])
def test_nan_in_one_bias_is_not_lost_among_the_others(bias: str) -> None:
    def poison(module: nn.Module) -> nn.Module:
        if getattr(module, bias, None) is not None:
            getattr(module, bias).data.fill_(math.nan)
        return module

    with spoilt(permutation.module, "draw_parameters", poison):
        assert outcomes(run(PermutationConfig(), experiment=steps_blocks))["perm-bias"] == "surprises"


def test_nan_under_one_of_the_positions_is_not_lost_among_the_others() -> None:
    with spoilt(multi_head, "rotate_heads", lambda turned: turned * math.nan):
        found = outcomes(run(PermutationConfig(), experiment=steps_order))
    assert found == {"pe-order.without": "holds", "pe-order.with": "surprises"}


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary"])
def test_a_word_that_is_too_long_to_be_repeated_decides_nothing(positions: str) -> None:
    for letters, open_ in ((256, False), (257, True), (512, True)):
        found = run_depth(PermutationConfig(tokens=("x" * letters,), positions=positions)).verdict("count-blind")
        assert (found.outcome == "undecided") == open_
        assert not found.surprises


@pytest.mark.parametrize("dtype", HALVES)
def test_what_a_coarse_precision_cannot_tell_of_norms_it_does_not_claim(dtype: str) -> None:
    config = NormalizationConfig(topic="bias", dtype=dtype)
    for verdict in run_normalization(config).verdicts:
        assert verdict.outcome == "holds" if verdict.bound <= judge.TELLING else "undecided"
