"""What is declared beside a field is checked, written into links and read from them, each kind in its way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.settings import (
    AUTO,
    AutoSwitch,
    Choice,
    Coded,
    OneOf,
    Order,
    Real,
    Setting,
    Switch,
    Whole,
    Words,
    declared,
)
from attention_core.studies.biases import MeanConfig
from tests.strategies import value
from tests.texts import NONSENSE

POINT = Coded(lambda text: tuple(map(int, text.split("."))), lambda at: ".".join(map(str, at)), label="Point")
CHOICE = Choice({"a": "An A", "b-2": "A B"}, label="Choice")
KINDS: tuple[Setting, ...] = (
    Whole(-3, 7, label="Whole"), Real(0.5, 2.0, 0.1, label="Real"), Switch(label="Switch"), CHOICE,
    OneOf((1, 4, 16), label="One"), OneOf((0.25, 1e6), between=True, label="One"), Words(label="Words"),
    Order(label="Order"), POINT,
)  # fmt: skip


@pytest.mark.parametrize("one", KINDS, ids=lambda one: type(one).__name__)
def test_what_is_possible_comes_back_from_a_link_and_all_else_is_refused_with_a_sentence(one: Setting) -> None:
    @given(st.tuples(st.integers(0, 9), st.integers(0, 9)) if one is POINT else value(one))
    def comes_back(given: object) -> None:
        one.check("field", given)
        assert one.read(one.write(given)) == given
        assert one.say(given)

    comes_back()
    for wrong in (None, object(), "nonsense", -99, 10**400, float("nan"), (), ("",), (0, 0), [1], True):
        if (wrong is True and isinstance(one, Switch)) or (wrong in ((), (0, 0)) and isinstance(one, Order | Coded)):
            continue
        with pytest.raises(ConfigError, match=r"^field = .* is not possible: .*\.$"):
            one.check("field", wrong)
    for text in NONSENSE:
        try:
            read = one.read(text)
            one.check("field", read)
        except (ValueError, OverflowError):
            continue
        assert isinstance(one, Words | Order | Coded) or read == -1, f"{text!r} is taken as {read!r}"


def test_a_switch_that_others_decide_is_on_off_or_left_to_them() -> None:
    one = AutoSwitch(label="Mask", decided=lambda values: values["task"] == "next", auto="as the task asks")
    for chosen, text, said in ((True, "true", "on"), (False, "false", "off"), (AUTO, "auto", "as the task asks")):
        one.check("mask", chosen)
        assert (one.write(chosen), one.read(text), one.say(chosen)) == (text, chosen, said)
    assert [one.decided({"task": task}) for task in ("next", "sort")] == [True, False]
    for wrong in (None, 0, 1, "on", "Auto", float("nan")):
        with pytest.raises(ConfigError, match=r"^mask = .* is not possible: .*\.$"):
            one.check("mask", wrong)


def test_what_is_nobodys_to_set_is_not_declared() -> None:
    assert list(declared(MeanConfig)) == ["dtype", "device", "seed", "doublings"]
