"""The bug hunt: the eight compute what loops compute, and what is drawn, shown and named is what they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import torch

from attention_core.identify import Design
from attention_core.measuring.run import run
from attention_core.studies.bug_hunt import BESIDE, LETTERS, PAIRS, BugHuntConfig, IdentifiedConfig, run_bug_hunt
from attention_core.studies.bug_hunt.lineup import FAULTS, OWN, UNSEEN, line_up, reference
from attention_core.studies.bug_hunt.measure import suspects
from attention_core.studies.bug_hunt.settings import D_HEAD, D_MODEL, NUM_HEADS, PLANTED
from attention_core.studies.bug_hunt.suspect import Suspect
from tests.identify.plain import Plain
from tests.sweeps import some_by_day

USUAL = {"mask": "causal"}
ROTARY = {"mask": "causal", "rotary": "halves:10000"}
# What a probe of A says where its fault is planted: known on paper.
SHOWN = {
    "softmax": {"shuffle", "later", "padding", "sums"},
    "nothing": {"sums"},
    "late": {"later", "padding", "sums"},
    "fill": {"later", "padding"},
    "cut": {"shuffle", "later", "padding"},
    "scale": {"size"},
    "sign": {"shuffle"},
    PAIRS: set(),
    "right": set(),
}


@contextmanager
def in_float64() -> Iterator[None]:
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(default)


@pytest.mark.parametrize("base", [USUAL, ROTARY], ids=["no positions", "rotary"])
@pytest.mark.parametrize(("choice", "value"), [*FAULTS, *OWN], ids=":".join)
def test_a_suspect_computes_what_loops_compute(choice: str, value: str, base: dict[str, str]) -> None:
    choices = base | {choice: value}
    suspect = Suspect(Design(**choices), D_HEAD)
    with in_float64(), torch.no_grad():
        plain = Plain(D_MODEL, NUM_HEADS, **choices)
        for role in "qkvo":
            getattr(suspect, role).load_state_dict(getattr(plain, f"{role}_proj").state_dict())
        x = torch.randn(2, 5, D_MODEL, generator=torch.Generator().manual_seed(3))
        assert torch.allclose(suspect(x), plain(x), rtol=0, atol=1e-12)


@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("seed", [0, 1, 77])
def test_one_is_right_one_a_design_of_its_own_and_six_have_a_fault_each(planted: str, seed: int) -> None:
    config = BugHuntConfig(planted=planted, seed=seed)
    usual, line = reference(config), line_up(config)
    faulty = [one.design for one in line if one.faulty]
    good = [one.design for one in line if not one.faulty]
    assert len(line) == len(LETTERS)
    assert len(faulty) == (0 if planted == "right" else 6)
    assert all(len(design.faults) == 1 for design in faulty)
    assert len({design.faults for design in faulty}) == len(faulty)
    assert good.count(usual) == 1
    assert not any(design.faults for design in good)
    assert len({str(one) for one in line}) == len(line)
    assert line_up(replace(config, seed=seed + 1)) != line


@pytest.mark.parametrize("planted", SHOWN)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_probe_shows_what_it_should_and_nothing_else(planted: str, seed: int) -> None:
    result = run_bug_hunt(BugHuntConfig(planted=planted, seed=seed, dtype="float64"))
    assert {*result.shows(1)} - {BESIDE} == SHOWN[planted]
    assert result.probe(BESIDE).stays[1] == (planted == "right")


def test_a_softmax_over_the_batch_alone_is_moved_by_a_second_sentence() -> None:
    for seed in range(12):
        config = BugHuntConfig(seed=seed, dtype="float64")
        mixed = [one.design.softmax == "batch" for one in line_up(config)]
        assert [not stays for stays in run_bug_hunt(config).probe("second").stays[1:]] == mixed
        if any(mixed):
            return
    pytest.fail("no seed draws it")


def test_probes_move_no_weights_of_the_eight() -> None:
    config = BugHuntConfig(seed=4)
    one, other = suspects(config), suspects(config, times=4)
    assert all(torch.equal(one[0].q.weight, each.q.weight) for each in one)
    assert other[0].q.weight.shape == (4 * D_MODEL, D_MODEL)


@pytest.mark.parametrize(
    ("letters", "given", "outcome"),
    [
        ("A", {"planted": "right"}, "id-right holds"),
        ("A", {"planted": "right", "meant": True}, "id-right fails"),
        ("A", {"planted": "late"}, "id-names holds"),
        ("A", {"unseen": True}, "id-names fails"),
        ("A", {"unseen": True, "planted": PAIRS}, "id-names holds"),
    ],
)
@pytest.mark.parametrize("dtype", some_by_day(["float64", "bfloat16"]))
def test_what_is_identified_comes_out_as_theory_says(
    letters: str, given: dict[str, object], outcome: str, dtype: str
) -> None:
    found = run(IdentifiedConfig(letters=letters, dtype=dtype, **given))  # type: ignore[arg-type]
    assert [f"{one.key} {one.outcome}" for one in found.verdicts] == [outcome]


@pytest.mark.nightly
@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("seed", [2, 3])
def test_all_of_a_line_up_are_identified(planted: str, seed: int) -> None:
    config = IdentifiedConfig(letters=LETTERS, planted=planted, seed=seed)
    found = run(config)
    assert {one.outcome for one in found.verdicts} == {"holds"}
    for drawn, design in zip(line_up(config), found.found, strict=True):
        assert dict(design.values_of_choices()) == dict(drawn.design.values_of_choices())


def test_the_fault_that_nothing_shows_is_none_of_those_that_are_drawn() -> None:
    assert UNSEEN not in {
        (key, value) for seed in range(40) for one in line_up(BugHuntConfig(seed=seed)) if one.faulty
        for key, value in one.design.values_of_choices() if key in one.design.faults
    }  # fmt: skip
