"""Every study and every claim on a pretended accelerator, with float64 as CUDA has it, and without, as Metal.

``python -m pytest tests/accelerated.py``: in a process of its own, which is how ``test_device.py`` runs it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_core import device
from attention_core.claims import Checked, Claim, LedgerConfig, check, claims, each_check
from attention_core.device import available_devices, resolve_device
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.clock import seconds_of
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import run
from attention_core.measuring.settings import Whole
from attention_core.modules import projections
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned, NoPosition, Position, RelativeKey, Rotary, Sinusoidal
from attention_core.studies import (
    anatomy,
    biases,
    complexity,
    learning,
    permutation,
    scaling,
    trained,
    variants,
    worth,
)
from attention_core.studies.worth import gate
from tests.experiments.shown import SHOWN, with_file
from tests.pretended import NAME, accelerator
from tests.studies import STUDIES, Tried, settings

TRAINED = ("learn-order", "learn-depth", "learn-scale", "learn-tied", "text-pairs", "text-copy", "sink-gate")
MEASURED = tuple(claim for claim in claims() if claim.id not in TRAINED)


@pytest.fixture(autouse=True, params=[True])
def has_double(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether the device has float64."""
    accelerator.has_double = request.param
    device._supported_dtypes.cache_clear()
    yield request.param
    device._supported_dtypes.cache_clear()


metal = pytest.mark.parametrize("has_double", [False], ids=["metal"], indirect=True)
with_and_without = pytest.mark.parametrize(
    "has_double", [pytest.param(True, marks=pytest.mark.slow), False], ids=["float64", "metal"], indirect=True
)


def counted(compute: Callable[[], object]) -> dict[str, int]:
    """Copies and waits of a computation."""
    accelerator.counts.clear()
    compute()
    return {name: count for name, count in accelerator.counts.items() if count and name != "operations"}


def test_what_is_on_two_devices_is_refused_but_for_numbers_copies_and_indices() -> None:
    here, there, weight = torch.ones(2, 3), torch.ones(2, 3, device=NAME), torch.ones(3, 3, requires_grad=True)
    mixtures: list[Callable[[], object]] = [
        lambda: here + there, lambda: there + here, lambda: there.add_(here), lambda: here.mul_(there),
        lambda: there @ weight, lambda: F.linear(there, weight), lambda: torch.cat((here, there)),
        lambda: torch.stack((there[0], here[0])), lambda: F.embedding(torch.tensor([0]), there),
        lambda: there.masked_fill(here > 0, 0.0), lambda: torch.where(here > 0, there, 0.0),
        lambda: torch.tensor(1.0).add_(there[0, 0]), lambda: here + there[0],
        lambda: torch.randn(3, generator=torch.Generator(), device=NAME),
        lambda: F.scaled_dot_product_attention(there[None], there[None], here[None]),
    ]  # fmt: skip
    for number, mixture in enumerate(mixtures):
        for mode in (torch.enable_grad, torch.inference_mode):
            with mode(), pytest.raises(RuntimeError, match="Expected"):
                pytest.fail(f"mixture {number} gives {mixture()}")
    assert (there * torch.tensor(2.0)).tolist() == [[2.0] * 3] * 2
    assert there[torch.tensor([1])].device == there.device == torch.device(NAME, 0)
    with pytest.raises(RuntimeError):
        there.numpy()


def test_copies_and_waits_are_counted() -> None:
    there = torch.ones(2, 3).to(NAME)
    assert counted(lambda: (there @ there.mT).softmax(-1)) == {}
    assert counted(lambda: torch.ones(2).to(NAME)) == counted(lambda: torch.tensor([1.0], device=NAME)) == {"to": 1}
    assert counted(lambda: there[torch.tensor([0])]) == {"to": 1}
    assert counted(there.cpu) == counted(lambda: torch.ones(2, 3).copy_(there)) == {"back": 1}
    assert counted(lambda: there.sum().item()) == counted(lambda: bool((there > 0).all())) == {"waits": 1}


@pytest.mark.parametrize(
    "position",
    [NoPosition(), Sinusoidal(), Learned(9), Rotary(), Rotary(halves=True), Alibi(), RelativeKey(4)],
    ids=repr,
)
def test_a_forward_waits_for_nothing(position: Position) -> None:
    x, slots = torch.randn(2, 5, 8, device=NAME), torch.arange(5, device=NAME)
    padding = torch.arange(5, device=NAME) > torch.tensor([[4], [2]], device=NAME)
    module = MultiHeadAttention(8, 2, position=position, device=NAME)
    given: list[dict[str, Any]] = [{}, {"is_causal": True, "key_padding_mask": padding}, {"query_positions": slots}]
    for options in given:
        for call in (module, module.trace):
            # The slopes of ALiBi come from the CPU; of a tensor of a class of its own nothing is kept.
            found = counted(lambda call=call, options=options: call(x, **options))
            assert found == ({"to": 1} if isinstance(position, Alibi) else {})


def test_it_computes_what_the_cpu_does_gradients_too() -> None:
    torch.manual_seed(0)
    here, x = MultiHeadAttention(8, 2, q_bias=True), torch.randn(2, 5, 8)
    there = MultiHeadAttention(8, 2, q_bias=True)
    there.load_state_dict(here.state_dict())
    there.to(NAME)
    for module, given in ((here, x), (there, x.to(NAME))):
        module.trace(given).output.square().sum().backward()
    for (name, one), other in zip(here.named_parameters(), there.parameters(), strict=True):
        assert other.device.type == NAME, name
        torch.testing.assert_close(one.grad, other.grad.cpu())


@metal
def test_devices_and_precisions_are_found_there() -> None:
    assert available_devices() == (NAME, "cpu")
    assert resolve_device() == torch.device(NAME)
    assert RunConfig(device=f"{NAME}:1").torch_device == torch.device(NAME, 1)
    with pytest.raises(ConfigError, match=f"'{NAME}:2' is not possible: one of auto, {NAME}, cpu is allowed"):
        RunConfig(device=f"{NAME}:2")


@metal
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_without_float64_every_default_config_can_be_built(study: Tried) -> None:
    config = study.config()
    assert (config.dtype, config.torch_device.type) == ("float32", NAME)
    assert config == study.config(dtype="float32")
    assert study.config(device="cpu").dtype == ("float32" if study.name.startswith("learning") else "float64")


@metal
def test_without_float64_a_claim_is_checked_as_the_readme_does() -> None:
    one = check("bias-k")
    assert one.outcome == "agrees"
    assert {(verdict.dtype, verdict.device) for verdict in one.verdicts} == {("float32", NAME)}


@with_and_without
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_runs_and_nothing_surprises(study: Tried, has_double: bool) -> None:
    least = {name: one.low for name, one in study.limits.items() if isinstance(one, Whole)}
    drawn = settings(study, "float32", int(study.name != "scaling"))  # its sweep takes over a second
    few = {"steps": 3, "runs": 2} if study.config is learning.SeedsConfig else {}  # what is learned: below
    for config in (study.config(**least | few), *(replace(one, device=NAME, **few) for one in drawn)):
        assert config.torch_device.type == NAME
        result = study.run(config)
        assert result.provenance.device == NAME
        assert not [verdict.sentence() for verdict in result.verdicts if verdict.surprises], config


@metal
def test_without_float64_the_cpu_says_that_a_break_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "rotate_heads", lambda z, *_, **__: z)
    for dtype in ("auto", "bfloat16"):
        result = run(permutation.PermutationConfig(positions="rotary", dtype=dtype, device=NAME))
        assert result.provenance.dtype == ("float32" if dtype == "auto" else dtype)
        assert [one.outcome for one in result.verdicts] == ["surprises"] * 3


@pytest.mark.slow
@with_and_without
@pytest.mark.parametrize("name", SHOWN)
def test_code_of_a_page_runs(name: str, has_double: bool, capsys: pytest.CaptureFixture[str]) -> None:
    study = SHOWN[name]
    config = study.config(**{"steps": 2} if name == "learning" else {})
    exec(with_file(study.snippet(config), config), {})
    assert re.search(r"\d", capsys.readouterr().out)


@pytest.mark.slow
@with_and_without
def test_what_else_is_measured_runs() -> None:
    ran = [
        anatomy.time_heads(anatomy.AnatomyConfig()).batched,
        biases.run_bias_sizes(biases.BiasesConfig().without_size()),
        scaling.run_picture(scaling.ScalingConfig()),
        run(complexity.TimesConfig(sweep="heads", d_model=16, num_tokens=16, seconds=2)),
        run(variants.CrossingConfig(seconds=2)),
        trained.run_heads(trained.HeadsConfig()),
        run(trained.AccuracyConfig(model="induction")),
    ]
    assert all(ran)
    learned = run(learning.LearningConfig(steps=2, layers=2, heads=2)).trained
    whole, less = (learning.answer(learned, "abcdefghijab", off=off) for off in ((), ((1, 0),)))
    assert not np.array_equal(whole.probabilities, less.probabilities)


def test_what_is_timed_begins_and_ends_with_an_idle_device() -> None:
    accelerator.counts.clear()
    done = []
    seconds_of(lambda: done.append(accelerator.counts["synchronized"]), torch.device(NAME), 2)
    assert (done, accelerator.counts["synchronized"]) == ([1, 1], 2)


@metal
@pytest.mark.parametrize("claim", [claim for claim in claims() if claim.id in TRAINED], ids=lambda claim: claim.id)
def test_the_claims_about_training_run_and_learn_what_they_do_on_the_cpu(
    claim: Claim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a few steps: it is the CPU that computes, and until then rounding has moved no answer."""
    monkeypatch.setattr(gate, "STEPS", 3)  # no setting: the others are told by theirs
    answers = {learning.TextResult: lambda one: one.run.written, worth.GateResult: lambda one: one.right}
    for broken in (False, True):
        config: Any = claim.settings(broken=broken)
        few = {name: count for name, count in (("steps", 3), ("runs", 2)) if hasattr(config, name)}
        there, here = (run(replace(config, device=where, **few)) for where in (NAME, "cpu"))
        answered = answers.get(type(there), lambda one: one.accuracy)
        np.testing.assert_array_equal(answered(there), answered(here))


@pytest.fixture(scope="module")
def checked() -> dict[bool, dict[str, Checked]]:
    """What was found of each claim that trains nothing, with float64 and without."""
    found = {}
    for has_double in (True, False):
        accelerator.has_double = has_double
        device._supported_dtypes.cache_clear()
        items = each_check(LedgerConfig(ids=tuple(claim.id for claim in MEASURED)))
        found[has_double] = {item.claim.id: item for item in items if isinstance(item, Checked)}
    return found


@pytest.mark.slow
@with_and_without
@pytest.mark.parametrize("claim", [claim.id for claim in MEASURED])
def test_every_claim_agrees(claim: str, has_double: bool, checked: dict[bool, dict[str, Checked]]) -> None:
    one = checked[has_double][claim]
    if claim == "bias-appendix" and not has_double:  # it is about float64
        assert one.refused.endswith("a device with float64 is needed.")
        return
    assert one.outcome == "agrees", (one.failed, one.refused, one.reasons, one.surprising)
    assert {verdict.device for verdict in one.verdicts} == {NAME}
