"""What every experiment reports: a verdict for each claim it tests, and where the numbers come from."""

import math
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Literal, Protocol, runtime_checkable

import torch

from attention_core.experiments.config import RunConfig

Relation = Literal["≤", "≥", "=", "in"]

# A sum of n rounded terms is off by at most LAMBDA·√n·u·Σ|terms| but with probability 2n·exp(−LAMBDA²/2), which is
# 3e-14·n for 8: Higham & Mary (2019), "A New Approach to Probabilistic Rounding Error Analysis", Theorem 2.4.
LAMBDA = 8.0


def tolerance(dtype: torch.dtype, *, scale: float, terms: int) -> float:
    """Largest difference that rounding alone explains between two ways of computing one number.

    ``tolerance = 2 · 8 · √terms · u · scale`` with the unit roundoff ``u = eps / 2``: each way may be off by
    ``8 · √terms · u · scale`` (Higham & Mary 2019, Theorem 2.4; all but 3e-14 · terms of cases), and the two errors
    may point in opposite directions.

    Args:
        dtype: The precision the numbers were computed in.
        scale: A bound of the sum of the absolute values that were added up, in the unit of the number.
        terms: How many roundings the number went through: the lengths of the sums on its way, added up.

    Raises:
        ValueError: If ``scale`` is negative or not finite, or ``terms`` is below 1.
    """
    if not (math.isfinite(scale) and scale >= 0):
        raise ValueError(f"scale = {scale} is not possible: a finite number ≥ 0 is needed.")
    if terms < 1:
        raise ValueError(f"terms = {terms} is not possible: at least one rounding is needed.")
    return LAMBDA * math.sqrt(terms) * torch.finfo(dtype).eps * scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One claim, what was measured for it, and whether it held.

    Attributes:
        claim: The claim's id, such as ``perm-kv``.
        quantity: What was measured, as a formula: ``max |f(σX) − σf(X)|``.
        measured: Its value.
        relation: How ``measured`` must stand to ``bound``: ``≤``, ``≥``, ``=`` or ``in`` (inclusive interval).
        bound: The number, or for ``in`` the pair of numbers, it is held to.
        unit: Unit of ``measured``; empty for pure numbers.
        expected: Whether theory says that the claim holds with the switches as they are.
        cases: What was tried: ``all 5,040 orders``.
        dtype: Name of the precision.
        device: Name of the device.
        because: What makes the claim fail or hold here, in words; empty when nothing is switched.
    """

    claim: str
    quantity: str
    measured: float
    relation: Relation
    bound: float | tuple[float, float]
    expected: bool
    cases: str
    dtype: str
    device: str
    unit: str = ""
    because: str = ""

    def __post_init__(self) -> None:
        if (self.relation == "in") != isinstance(self.bound, tuple):
            raise ValueError(f"bound = {self.bound} does not fit the relation {self.relation!r}: 'in' takes a pair.")

    @property
    def holds(self) -> bool:
        """Whether ``measured`` stands to ``bound`` as ``relation`` says; never for NaN."""
        if isinstance(self.bound, tuple):
            return self.bound[0] <= self.measured <= self.bound[1]
        match self.relation:
            case "≤":
                return self.measured <= self.bound
            case "≥":
                return self.measured >= self.bound
            case _:
                return self.measured == self.bound

    @property
    def as_expected(self) -> bool:
        """Whether the claim did what theory says it does under these settings."""
        return self.holds == self.expected

    def sentence(self) -> str:
        """The verdict as one line: ``max |f(σX) − σf(X)| = 8.9e-16 ≤ 5.1e-14 · holds · … · float64 · cpu``."""
        if isinstance(self.bound, tuple):
            relation = (
                f"{'∈' if self.holds else '∉'} [{format_number(self.bound[0])}, {format_number(self.bound[1])}]"
            )
        else:
            failed = {"≤": "> ", "≥": "< ", "=": "≠ "}[self.relation]
            relation = (f"{self.relation} " if self.holds else failed) + format_number(self.bound)
        unit = f" {self.unit}" if self.unit else ""
        held = "holds" if self.holds else "does not hold"
        parts = (
            f"{self.quantity} = {format_number(self.measured)}{unit} {relation}",
            held,
            self.cases,
            self.dtype,
        )
        return " · ".join(part for part in (*parts, self.device) if part)


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in ("torch", "numpy"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the numbers of a result come from: enough to compute them again.

    Attributes:
        seed: Seed of every random draw.
        dtype: Name of the precision.
        device: Name of the device the module ran on.
        versions: Pairs of package and version.
    """

    seed: int
    dtype: str
    device: str
    versions: tuple[tuple[str, str], ...] = field(default_factory=_versions)

    @classmethod
    def of(cls, config: RunConfig) -> "Provenance":
        """That of an experiment with these settings."""
        return cls(seed=config.seed, dtype=config.dtype, device=str(config.torch_device))


@runtime_checkable
class Result(Protocol):
    """What all results have in common."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One verdict for each claim that was tested."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Where the numbers come from."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """How far a long experiment has come: ``done`` of ``total`` steps, and what is done next.

    Attributes:
        done: Finished steps.
        total: All steps.
        doing: What the next step does, in a few words.
    """

    done: int
    total: int
    doing: str = ""


def format_number(value: float) -> str:
    """Three significant digits, with thousands separated: ``0.0123``, ``1.23e-15``, ``5,040``, ``NaN``, ``∞``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) < 1e6:
        text = f"{int(value):,}"
    elif 1e-3 <= abs(value) < 1e6:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{digits}f}"
    else:
        text = f"{value:.2e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    return text.replace("-", "−") if text.startswith("-") else text
