"""Keys of the concept test: each is measured, theory's choice comes out of all of them, and a fault changes them."""

from typing import Any

import pytest

from attention_core.concept_test import ITEMS, Case, Item, KeyConfig, KeyResult, steps_key
from attention_core.concept_test import key as measuring
from attention_core.device import DTYPES
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.run import run
from attention_core.modules.multi_head import MultiHeadAttention

NAMES = [item.id for item in ITEMS]
# As the right answers read in the bank, which no outcome says: what a textbook would have them be.
RIGHT = {
    "self-shuffle": "Each word has the same output as before, in its new place.",
    "causal-depth": "That of the second layer.",
    "padding-side": "On the left only.",
    "reach": "On 27: three times as many with each layer.",
    "slice": "Of all 16.",
    "key-bias": "Neither weights nor outputs, but for rounding.",
    "rotated-bias": "Yes: at each place it is rotated otherwise.",
    "bias-before-norm": "BatchNorm, and not LayerNorm.",
    "gradient": "It vanishes for most queries, and is huge for a few.",
    "heads": "As many as before.",
    "shared-keys": "A quarter.",
    "sink": "To 1: it has to look somewhere.",
}


def key_of(name: str, dtype: str = "float64", seed: int = 0) -> KeyResult:
    return run(KeyConfig(item=name, dtype=dtype, device="cpu", seed=seed))


def item_of(name: str) -> Item:
    return next(item for item in ITEMS if item.id == name)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_measured_makes_one_choice_right(name: str) -> None:
    found = key_of(name)
    assert not found.refused
    assert found.right is not None, [verdict.sentence() for verdict in found.verdicts]
    assert not item_of(name).choices[found.right].misconception, "a measurement agrees with a misconception"
    assert not found.overturned
    assert [verdict.key for verdict in found.verdicts] == [case.key for case in item_of(name).cases]


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_choice_is_the_textbooks(name: str) -> None:
    assert str(item_of(name).choices[key_of(name).right or 0].text) == RIGHT[name]


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_no_seed_and_no_precision_overturns_a_key(name: str, dtype: str) -> None:
    """Where a precision cannot tell there is no key; where it can, it is everywhere the same."""
    found = [key_of(name, dtype, seed) for seed in range(20)]
    assert [one.provenance.seed for one in found if one.overturned] == []
    assert {one.right for one in found} <= {item_of(name).by_theory, None}
    assert dtype != "float64" or all(one.right is not None for one in found)


@pytest.mark.parametrize("name", ["self-shuffle", "padding-side", "bias-before-norm", "other-weights"])
def test_half_precision_does_not_overturn_a_key(name: str) -> None:
    found = key_of(name, "bfloat16", seed=1)
    assert not found.overturned
    assert found.right in (item_of(name).by_theory, None)


@pytest.mark.parametrize(
    ("fault", "name", "becomes"),
    [
        ("looks ahead", "one-pass", "leaks"),
        ("looks ahead", "padding-side", "mask-all"),
        ("looks back only", "self-shuffle", "order"),
        ("looks back only", "block", "mixes"),
    ],
)
def test_a_fault_in_a_module_changes_the_key(
    fault: str, name: str, becomes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys follow what modules do, for nobody has written them down."""
    sound = MultiHeadAttention._prepare

    def faulty(self: MultiHeadAttention, *given: Any, **named: Any) -> Any:
        return sound(self, *given[:5], fault == "looks back only", *given[6:], **named)

    monkeypatch.setattr(MultiHeadAttention, "_prepare", faulty)
    found = key_of(name)
    assert found.overturned
    assert found.right is not None
    assert item_of(name).choices[found.right].misconception == becomes


def test_an_item_whose_choices_say_otherwise_is_overturned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other switch: what holds under one fails under the other."""
    item = item_of("self-shuffle")
    turned = Item(
        id=item.id, asked=item.asked, choices=item.choices, source=item.source,
        cases=(Case("perm-self", broken=True),),
    )  # fmt: skip
    monkeypatch.setitem(measuring.BY_ID, item.id, turned)
    assert key_of(item.id).overturned


def test_a_case_that_theory_leaves_open_selects_nothing() -> None:
    found = key_of("rank", "bfloat16")
    assert [verdict.expected for verdict in found.verdicts] == [None]
    assert found.right is None
    assert not found.overturned


def test_what_cannot_be_measured_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    item = item_of("heads")
    refused = Item(
        id=item.id, asked=item.asked, choices=item.choices, source=item.source,
        cases=(item.cases[0], Case(item.cases[1].key, options={"num_heads": 7})),
    )  # fmt: skip
    monkeypatch.setitem(measuring.BY_ID, item.id, refused)
    found = key_of(item.id)
    assert found.right is None
    assert "num_heads" in found.refused
    assert not found.overturned


def test_cases_of_the_same_settings_share_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, real = [], measuring.items

    def counting(experiment: Any, config: Any) -> Any:
        ran.append(config)
        return real(experiment, config)

    monkeypatch.setattr(measuring, "items", counting)
    for _item in steps_key(KeyConfig(item="key-bias", dtype="float64", device="cpu")):
        pass
    assert len(ran) == 1


def test_there_is_no_key_of_what_nobody_asks() -> None:
    with pytest.raises(ConfigError, match=r"item = 'none' is not possible: one of self-shuffle, .* is allowed"):
        KeyConfig(item="none")
