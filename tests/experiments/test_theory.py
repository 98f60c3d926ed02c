"""What theory says of a claim, with and without a size, is what is expected; and it is given nothing but settings."""

import inspect
import math
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_type_hints

import pytest

from attention_core import studies
from attention_core.measuring import judge
from attention_core.measuring.config import RunConfig
from attention_core.measuring.theory import Fails, Holds, Open, Theory, always_holds
from attention_core.measuring.verdict import Relation, Verdict
from attention_core.studies import learning, masks, normalization, permutation, projections, receptive_field
from attention_core.studies.anatomy import AnatomyConfig
from attention_core.studies.anatomy import verdicts as anatomy
from attention_core.studies.biases import AfterNormConfig, BiasesConfig, layers
from attention_core.studies.biases import measure as biases
from attention_core.studies.learning import key_bias
from attention_core.studies.masks.theory import TESTS as MASK_TESTS
from attention_core.studies.normalization import length
from attention_core.studies.permutation import depth
from attention_core.studies.permutation import measure as orders
from attention_core.studies.projections import collapse, tying
from attention_core.studies.receptive_field import kernel

CONFIG = RunConfig(dtype="float32")
NOTE = "as it should be"


def verdict(theory: Theory, relation: Relation, measured: float, exact: float | None = None) -> Verdict:
    """Of a number that is held to 1 in float32; in float64, where it is measured, to 1e-9."""

    def again(_: RunConfig) -> dict[str, judge.Measurement]:
        assert exact is not None, "float64 is not asked"
        return {"here": judge.Measurement(exact, 1e-9, "")}

    test = judge.ClaimTest("here", relation, "it is", "it", theory=lambda _: theory)
    found = judge.Measurement(measured, 1.0, "", size=100.0, note=NOTE)
    return judge.judge_all(CONFIG, (test,), {"here": found}, again)[0]


# What theory says, the relation, what is measured here and in float64 (None: it must not be); outcome and reason.
SAID: list[tuple[Theory, Relation, float, float | None, str, str]] = [
    (Holds(), "≤", 0.5, None, "holds", NOTE),
    (Holds(), "≤", 1.5, None, "surprises", NOTE),
    (Holds(), "≥", 1.5, 5.0, "holds", NOTE),
    (Holds(), "≥", 0.5, 5.0, "surprises", NOTE),
    (Holds(), "≥", 1.5, 1.9, "undecided", "it moves by less than float32 can tell"),
    (Holds(), "=", 1.0, None, "holds", NOTE),
    (Holds(2.0), "≥", 1.5, None, "undecided", "theory foresees 2, too near 1 to tell"),
    (Holds(2.1), "≥", 1.5, None, "holds", NOTE),
    (Holds(2.1), "≥", 0.5, None, "surprises", NOTE),
    (Fails("a switch"), "≤", 1.5, 5.0, "fails", "a switch"),
    (Fails("a switch"), "≤", 0.5, 5.0, "surprises", "a switch"),
    (Fails("a switch"), "≤", 0.5, 1.9, "undecided", "a switch, but it moves by less than float32 can tell"),
    (Fails("a switch"), "=", 2.0, None, "fails", "a switch"),
    (
        Fails("a switch", 2.0),
        "≤",
        1.5,
        None,
        "undecided",
        "a switch, but theory foresees 2, too near 1 to tell",
    ),
    (Fails("a switch", 2.1), "≤", 1.5, None, "fails", "a switch"),
    (Fails("a switch", 2.1), "≤", 0.5, None, "surprises", "a switch"),
    (Fails("a switch", math.nan), "≤", math.nan, None, "fails", "a switch"),
    (Fails("a switch"), "≥", 0.5, None, "fails", "a switch"),
    *(
        (Open("one key"), relation, measured, None, "undecided", "one key")
        for relation in ("≤", "≥", "=")
        for measured in (0.0, 1.0, 5.0, math.nan)
    ),
]


@pytest.mark.parametrize(("theory", "relation", "measured", "exact", "outcome", "because"), SAID, ids=str)
def test_a_verdict_is_what_theory_says_as_far_as_the_bound_can_tell(
    theory: Theory, relation: Relation, measured: float, exact: float | None, outcome: str, because: str
) -> None:
    told = verdict(theory, relation, measured, exact)
    assert (told.outcome, str(told.because)) == (outcome, because)


@pytest.mark.parametrize("kind", [Fails, Open])
def test_what_fails_or_is_open_has_a_reason(kind: Any) -> None:
    with pytest.raises(ValueError, match="because is empty"):
        kind("")


def test_only_what_rounding_may_leave_is_called_rounding() -> None:
    for relation, rounds, told in (("≤", True, True), ("≤", False, False), ("≥", True, False)):
        test = judge.ClaimTest("here", relation, "it is", "it", rounds=rounds)
        found = {"here": judge.Measurement(1.0, 1.0, "", size=100.0, exact=judge.Measurement(5.0, 1.0, ""))}
        assert judge.judge_all(CONFIG, (test,), found, lambda _: {})[0].rounding == told
        assert not judge.judge_all(CONFIG, (test,), found)[0].rounding, "nothing says what float64 leaves of it"


# Tables, a test's key, settings of which two things may be said, a change that leaves only the second, and the first.
EQUAL, ONE, LONG = ("a", "a", "a"), ("a",), ("x" * 257,)
SAID_FIRST: list[tuple[Any, str, RunConfig, dict[str, Any], Theory]] = [
    # What leaves a claim open is said before what breaks it.
    (depth.TESTS, "count-blind", permutation.PermutationConfig(tokens=LONG, positions="learned"), {"tokens": ONE},
     Open("there is room for 512 letters, so a word of more than half as many is not repeated")),
    (kernel.TEST, "head-tap", receptive_field.ReceptiveFieldConfig(tokens=2, heads=3, weights="random"),
     {"tokens": 20}, Open("no token has every tap before it")),
    (key_bias.TESTS, "learn-key-bias.moved",
     learning.LearningConfig(optimizer="sgd", learning_rate=2.0, positions="rotary"), {"learning_rate": 0.3},
     Open("with so large a learning rate each step makes another model, whose rounding is not known")),
    (collapse.TESTS, "rank-collapse.left",
     projections.ProjectionsConfig(topic="collapse", num_heads=1, d_head=2, residual=True), {"d_head": 8},
     Open("with 2 numbers for a token a draw of random weights may do anything")),
    (anatomy.TESTS, "mha-reshape", AnatomyConfig(heads=1, no_transpose=True), {"heads": 2},
     Open("there is one head, so nothing is cut")),
    # What breaks it before why nothing else could.
    (layers.TESTS, "bias-norm.batch", AfterNormConfig(tokens=EQUAL, batch_norm_eval=True),
     {"batch_norm_eval": False}, Fails("running statistics know nothing of the bias")),
    (biases.TESTS, "softmax-shift", BiasesConfig(tokens=ONE, naive_softmax=True), {"naive_softmax": False},
     Fails("exp overflows where the largest score is not subtracted first")),
    (biases.TESTS, "bias-terms.sum", BiasesConfig(q_bias=False, k_bias=False, qk_norm=True), {"qk_norm": False},
     Fails("QK-norm divides each key by its own length, b_K included")),
    (length.TESTS, "ln-norm.formula", normalization.NormalizationConfig(topic="length", gamma=0.0, constant=True),
     {"constant": False}, Fails("a constant token and ε = 0 leave 0 ÷ 0")),
    (MASK_TESTS, "mask-encoder.alone", masks.MasksConfig(sentences=(("a", "b"), ("c", "d")), batch_norm=True),
     {"batch_norm": False}, Fails("BatchNorm takes its statistics over all tokens")),
    (orders.TESTS, "perm-self", permutation.PermutationConfig(tokens=EQUAL, positions="learned"),
     {"positions": "none"}, Fails("positions stay with the slot")),
    (tying.TESTS, "qk-tied", projections.ProjectionsConfig(tokens=EQUAL, causal=True), {"causal": False},
     Fails("the causal mask hides one of each pair")),
]  # fmt: skip


def rows_of(table: Any) -> Iterator[judge.ClaimTest]:
    """The tests of a table, however it is held."""
    if isinstance(table, judge.ClaimTest):
        yield table
    elif isinstance(table, (tuple, dict)):
        for one in table.values() if isinstance(table, dict) else table:
            yield from rows_of(one)


@pytest.mark.parametrize(
    ("table", "key", "config", "mended", "first"), SAID_FIRST, ids=[row[1] for row in SAID_FIRST]
)
def test_open_comes_before_what_breaks_and_that_before_what_could_not_move(
    table: Any, key: str, config: RunConfig, mended: dict[str, Any], first: Theory
) -> None:
    (test,) = (one for one in rows_of(table) if one.key == key)
    assert test.theory(config) == first
    assert type(test.theory(replace(config, **mended))) is (Fails if isinstance(first, Open) else Open)


def takes_settings_alone(theory: Any) -> bool:
    """Whether it is called with a config and nothing else."""
    first, *others = inspect.signature(theory).parameters.values()
    kind = get_type_hints(getattr(theory, "func", theory))[first.name]
    return issubclass(kind, RunConfig) and all(one.default is not one.empty for one in others)


def test_every_theory_is_given_settings_and_nothing_that_was_measured() -> None:
    modules = [import_module(found.name) for found in walk_packages(studies.__path__, f"{studies.__name__}.")]
    every = {id(test): test for module in modules for one in vars(module).values() for test in rows_of(one)}
    assert len(every) > 70
    for test in every.values():
        assert takes_settings_alone(test.theory), test.key

    def peeks(config: RunConfig, measured: float) -> Theory:
        return Holds() if measured < config.seed else Fails("so it came out")

    assert not takes_settings_alone(peeks)


def test_theory_is_asked_of_the_settings_of_each_precision() -> None:
    given = []

    def theory(*asked: Any) -> Theory:
        given.append(asked)
        return Fails("a switch")

    test = judge.ClaimTest("here", "≤", "it is", "it", theory=theory)
    found = {"here": judge.Measurement(0.5, 1.0, "", size=100.0)}
    judge.judge_all(CONFIG, (test,), found, lambda _: {"here": judge.Measurement(0.0, 1e-9, "")})
    assert given == [(CONFIG,), (replace(CONFIG, dtype="float64", device="cpu"),)]


def test_a_claim_that_no_setting_breaks_holds() -> None:
    test = judge.ClaimTest("here", "≤", "it is", "it")
    assert test.theory(CONFIG) == always_holds(CONFIG) == Holds()
