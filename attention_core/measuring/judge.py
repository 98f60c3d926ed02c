"""From measurements to verdicts: a table of tests, and what judges it."""

import math
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final, NamedTuple, TypeVar

from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.config import RunConfig
from attention_core.measuring.number_format import format_number
from attention_core.measuring.step import Step
from attention_core.measuring.theory import Fails, Holds, Open, Theory, always_holds
from attention_core.measuring.verdict import Relation, Result, Verdict

Config = TypeVar("Config", bound=RunConfig)
TELLING: Final = 0.05  # of what a number would be were the claim wrong: a bound above that shows nothing


class Measurement(NamedTuple):
    """A measured number and its bound.

    Attributes:
        measured: The number.
        bound: What it is held to.
        cases: What was tried.
        size: What the number would be were the claim wrong: for the largest difference of outputs, the largest of
            them. Where the claim should hold and the bound is more than a twentieth of that, keeping it shows
            nothing. Infinite where there is no such number, which ``rounds`` of the test says: the bound is none of
            rounding, but a threshold that the claim itself names.
        unit: Unit of ``measured``.
        note: What else is to be known where the claim does as theory says.
        exact: The same in float64, where it was measured beside it.
        shows: Whether what makes this differ was seen elsewhere, before something made it small: then to be small in
            float64 too is not to be missing.
    """

    measured: float
    bound: float | tuple[float, float]
    cases: str
    size: float = math.inf
    unit: str = ""
    note: str = ""
    exact: "Measurement | None" = None
    shows: bool = False

    @property
    def margin(self) -> float:
        """The bound; of a pair half of its width."""
        return (self.bound[1] - self.bound[0]) / 2 if isinstance(self.bound, tuple) else self.bound


NOTHING: Final = _("there is nothing that could move")


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """A row of a study's table: what a number means, and what theory says of it.

    Attributes:
        key: The verdict's name: the claim's id, and behind a dot what tells it from others on the same claim.
        relation: How the number must stand to its bound.
        says: What is measured, in plain words that stand before the number.
        quantity: What is measured, as a formula.
        theory: What theory says of the claim with these settings.
        rounds: Whether the bound of a ``≤`` is what rounding may leave, so that what is found must have a ``size``;
            else theory or the claim says how large the number may be.
    """

    key: str
    relation: Relation
    says: str
    quantity: str
    _: KW_ONLY
    theory: Callable[[Any], Theory] = always_holds
    rounds: bool = True


def judge_all(
    config: Config,
    tests: Iterable[ClaimTest],
    measurements: Mapping[str, Measurement],
    in_float64: Callable[[Config], Mapping[str, Measurement]] | None = None,
) -> tuple[Verdict, ...]:
    """The verdicts of a table of tests.

    What theory leaves open is undecided, and so are two things that it decides. Where it foresees a difference (a
    ``≤`` that fails, or a ``≥`` that holds) that is below twice the bound, rounding or chance may hide it. And where
    it foresees none, to keep a bound that comes near the size of the thing itself shows nothing; to exceed it does.
    NaN stands in no relation: it never holds.

    How large a difference is, float64 says. It does not excuse one that it cannot see either: where its own run
    surprises, the difference is not small but missing, and what was measured is held to the bound. It is small where
    what makes it is seen elsewhere.

    Args:
        config: The settings.
        tests: The table.
        measurements: The measurements, by the key of the test; tests without one are left out.
        in_float64: Measures the same with other settings: in float64, on the CPU, which every machine has. Called
            once at most, and not where None: then no difference is compared with the bound but one that theory
            foresees, or that was measured in float64 beside it.
    """
    precise: list[Mapping[str, Measurement]] = []

    def float64_of(key: str) -> Measurement | None:
        if in_float64 is None or config.dtype == "float64":
            return None
        if not precise:
            precise.append(in_float64(_as_float64(config)))
        return precise[0][key]

    return tuple(
        replace(verdict, rounding=in_float64 is not None and test.relation == "≤" and test.rounds)
        for test in tests
        if test.key in measurements
        for verdict in [_judge(config, test, measurements[test.key], float64_of)]
    )


Judged = TypeVar("Judged", bound=Result)
# What is found for the tests of a table, by their keys, and the result's fields beside its verdicts.
Measurements = tuple[Mapping[str, Measurement], dict[str, Any]]
Steps = Generator[Step, None, Measurements]


def run_tests(
    kind: type[Judged],
    config: Config,
    tests: Iterable[ClaimTest],
    measure: Callable[[Config], Measurements],
) -> Judged:
    """Run an experiment and judge its measurements."""
    measurements, values = measure(config)
    return kind.of(config, judge_all(config, tests, measurements, lambda other: measure(other)[0]), **values)


def run_tests_in_steps(
    kind: type[Judged], config: Config, tests: Iterable[ClaimTest], measure: Callable[[Config], Steps]
) -> Generator[Step | Judged]:
    """As ``run_tests``, for a measurement in steps: yields these, and last the result."""

    def in_float64(other: Config) -> Mapping[str, Measurement]:
        steps = measure(other)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value[0]

    measurements, values = yield from measure(config)
    yield kind.of(config, judge_all(config, tests, measurements, in_float64), **values)


def _judge(
    config: RunConfig, test: ClaimTest, measurement: Measurement, float64_of: Callable[[str], Measurement | None]
) -> Verdict:
    theory = _decidable(config, test, measurement, float64_of)
    return Verdict(
        key=test.key,
        says=test.says,
        quantity=test.quantity,
        measured=measurement.measured,
        relation=test.relation,
        bound=measurement.bound,
        expected=None if isinstance(theory, Open) else isinstance(theory, Holds),
        cases=measurement.cases,
        dtype=config.dtype,
        device=str(config.torch_device),
        unit=measurement.unit,
        because=measurement.note if isinstance(theory, Holds) else theory.because,
    )


def _decidable(
    config: RunConfig, test: ClaimTest, measurement: Measurement, float64_of: Callable[[str], Measurement | None]
) -> Theory:
    """What theory says; open where the bound cannot decide it."""
    theory = test.theory(config)
    if isinstance(theory, Open) or test.relation == "=":
        return theory
    hidden = _hidden(config, test, theory, measurement, float64_of)
    return Open(hidden) if hidden else theory


def _hidden(
    config: RunConfig,
    test: ClaimTest,
    theory: Holds | Fails,
    measurement: Measurement,
    float64_of: Callable[[str], Measurement | None],
) -> str:
    """Why the bound cannot decide whether the claim holds; empty where it can."""
    bound = measurement.margin
    fails = isinstance(theory, Fails)
    if isinstance(measurement.bound, tuple) or fails == (test.relation == "≥"):  # theory foresees no difference
        if not measurement.measured <= bound and not isinstance(measurement.bound, tuple):
            return ""
        if bound <= TELLING * measurement.size and measurement.size > 0:
            return ""
        reason = _("rounding alone may move it by {size} in {dtype}", size=format_number(bound), dtype=config.dtype)
        return reason if bound and measurement.size else NOTHING
    if theory.size is None:
        exact = measurement.exact or float64_of(test.key)
        if exact is None or not exact.measured <= 2 * bound:
            return ""
        if not exact.shows and _surprises(config, test, exact):
            return ""
        reason = _("it moves by less than {dtype} can tell", dtype=config.dtype)
    else:
        if not theory.size <= 2 * bound:
            return ""
        near = {"foreseen": format_number(theory.size), "bound": format_number(bound)}
        reason = _("theory foresees {foreseen}, too near {bound} to tell", **near)
    return _("{broken}, but {said}", broken=theory.because, said=reason) if fails else reason


def _as_float64(config: Config) -> Config:
    return replace(config, dtype="float64", device="cpu")


def _surprises(config: RunConfig, test: ClaimTest, exact: Measurement) -> bool:
    """Whether the measurement in float64 is not what theory says of it there."""
    return _judge(_as_float64(config), test, exact, lambda _: None).surprises


def largest(*parts: Tensor | float) -> float:
    """Largest absolute value of all parts; NaN if one is NaN, which Python's ``max`` would drop."""
    sizes = [float(part.abs().max()) if isinstance(part, Tensor) else abs(part) for part in parts]
    return math.nan if any(map(math.isnan, sizes)) else max(sizes)


def worst(measurements: Iterable[Measurement], relation: Relation = "≤") -> Measurement:
    """The measurement farthest beyond its bound, for ``≥`` least above it; NaN is worse than any number."""
    side = -1 if relation == "≥" else 1
    return max(measurements, key=lambda each: math.inf if math.isnan(excess(each)) else side * excess(each))


def excess(measurement: Measurement) -> float:
    """The measurement as a multiple of its bound."""
    return measurement.measured / measurement.margin
