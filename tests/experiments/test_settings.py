"""What is declared beside a field is checked, written into links and read from them, each kind in its way."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.experiments.checks import ConfigError
from attention_core.experiments.config import RunConfig
from attention_core.experiments.settings import (
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
    defaults,
    setting,
)

POINT = Coded(lambda text: tuple(map(int, text.split("."))), lambda at: ".".join(map(str, at)), label="Point")
KINDS: list[tuple[Setting, st.SearchStrategy[object]]] = [
    (Whole(-3, 7, label="Whole"), st.integers(-3, 7)),
    (Real(0.5, 2.0, 0.1, label="Real"), st.floats(0.5, 2.0)),
    (Switch(label="Switch"), st.booleans()),
    (Choice({"a": "An A", "b-2": "A B"}, label="Choice", formerly={"An A": "a"}), st.sampled_from(["a", "b-2"])),
    (OneOf((1, 4, 16), label="One"), st.sampled_from([1, 4, 16])),
    (OneOf((0.25, 1e6), label="One"), st.sampled_from([0.25, 1e6])),
    (Words(label="Words"), st.lists(st.text("abc<>$ß", min_size=1, max_size=5), min_size=1, max_size=9).map(tuple)),
    (Order(label="Order"), st.permutations(range(5)).map(tuple)),
    (POINT, st.tuples(st.integers(0, 9), st.integers(0, 9))),
]


@pytest.mark.parametrize(("one", "values"), KINDS, ids=lambda one: type(one).__name__)
def test_what_is_possible_comes_back_from_a_link(one: Setting, values: st.SearchStrategy[object]) -> None:
    @given(values)
    def holds(value: object) -> None:
        one.check("field", value)
        assert one.read(one.write(value)) == value
        assert one.say(value)

    holds()


@pytest.mark.parametrize(("one", "_"), KINDS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "wrong", [None, object(), "nonsense", -99, 10**400, float("nan"), (), ("",), (0, 0), [1], True]
)
def test_what_is_not_possible_is_refused_with_a_sentence(one: Setting, _: object, wrong: object) -> None:
    if (wrong is True and isinstance(one, Switch)) or (wrong in ((), (0, 0)) and isinstance(one, Order | Coded)):
        pytest.skip("possible for this kind")
    with pytest.raises(ConfigError, match=r"^field = .* is not possible: .*\.$"):
        one.check("field", wrong)


@pytest.mark.parametrize(("one", "_"), KINDS, ids=lambda one: type(one).__name__)
def test_text_that_stands_for_nothing_is_refused(one: Setting, _: object) -> None:
    for text in ("", "nan", "inf", "1e999", "0.5,0.5", "9" * 5000, "true false"):
        try:
            value = one.read(text)
            one.check("field", value)
        except (ValueError, OverflowError):
            continue
        assert isinstance(one, Words | Order), f"{text!r} is taken as {value!r}"


def test_a_choice_reads_what_older_links_hold_and_shows_its_label() -> None:
    choice = KINDS[3][0]
    assert choice.read("An A") == "a"
    assert choice.say("a") == "An A"
    assert choice.write("a") == "a"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(RunConfig):
    """A config with a declared field and one that is nobody's to set."""

    size: int = setting(2, Whole(1, 4, label="Size"))
    note: str = ""


def test_a_config_checks_what_it_declares_and_lists_it_once() -> None:
    assert list(declared(Config)) == ["dtype", "device", "seed", "size"]
    assert defaults(Config)["size"] == 2
    assert Config(size=4).size == 4
    with pytest.raises(ConfigError, match="size = 5 is not possible: a whole number from 1 to 4 is allowed"):
        Config(size=5)
    with pytest.raises(ConfigError, match="seed"):
        Config(seed=-1)
