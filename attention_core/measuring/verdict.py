"""Verdicts, and the results that hold them: one for each claim, with where the numbers come from."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.metadata import version
from typing import Any, Literal, Self

from attention_core.measuring.arrays import Record
from attention_core.measuring.config import RunConfig
from attention_core.measuring.number_format import format_number
from attention_core.measuring.outcomes import OF_A_VERDICT

Relation = Literal["≤", "≥", "=", "in"]
Outcome = Literal["holds", "fails", "surprises", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a claim: what was measured, and whether it holds.

    Attributes:
        key: Its name among the verdicts of a result, by which words, snippets and tests find it: the claim's id, and
            behind a dot what tells it from others on the same claim: ``scale-grad.median``.
        says: What was measured, in plain words that stand before the number: ``the outputs differ by at most``
            (``by`` where rounding is all that the number is).
        quantity: What was measured, as a formula: ``max |f(σX) − σf(X)|``.
        measured: Its value.
        relation: How ``measured`` must stand to ``bound``: ``≤``, ``≥``, ``=`` or ``in`` (inclusive interval).
        bound: The number, or for ``in`` the pair of numbers, it is held to.
        unit: Unit of ``measured``; empty for pure numbers.
        expected: Whether theory says that the claim holds with the switches as they are; None where it does not
            decide here, because the settings lie too near a threshold, the precision cannot tell, or nothing can
            move. It depends on ``measured`` in one case only: to keep a bound that is too coarse to tell is
            undecided, to exceed it surprises.
        cases: What was tried: ``all 5,040 orders``.
        dtype: Name of the precision.
        device: Name of the device.
        because: What makes the claim fail or hold here, or leaves it undecided, in words; empty when nothing is
            switched.
        rounding: Whether ``bound`` is what rounding alone may leave, so that on paper the number is 0.
        counted: What was counted, in words, where ``measured`` is only what this tells of more: ``6 of 6``.
    """

    key: str
    says: str
    quantity: str
    measured: float
    relation: Relation
    bound: float | tuple[float, float]
    expected: bool | None
    cases: str
    dtype: str
    device: str
    unit: str = ""
    because: str = ""
    rounding: bool = False
    counted: str = ""

    def __post_init__(self) -> None:
        if (self.relation == "in") != isinstance(self.bound, tuple):
            raise ValueError(f"bound = {self.bound} does not fit the relation {self.relation!r}: 'in' takes a pair.")
        if self.expected is None and not self.because:
            raise ValueError(f"because is empty: what leaves {self.key!r} undecided must be said.")

    @property
    def claim(self) -> str:
        """The claim's id, such as ``perm-kv``."""
        return self.key.partition(".")[0]

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
    def outcome(self) -> Outcome:
        """The outcome: as theory says, it ``holds`` or ``fails``; ``surprises``; or is ``undecided``."""
        if self.expected is None:
            return "undecided"
        if self.holds != self.expected:
            return "surprises"
        return "holds" if self.holds else "fails"

    @property
    def surprises(self) -> bool:
        """Whether the outcome is not what theory says of these settings."""
        return self.outcome == "surprises"

    @property
    def numbers(self) -> str:
        """The measured number and its bound: ``max |f(σX) − σf(X)| = 8.9e-16 ≤ 5.1e-14``.

        Equal numbers are written once.
        """
        if isinstance(self.bound, tuple):
            relation = f" {'∈' if self.holds else '∉'} [{', '.join(map(format_number, self.bound))}]"
        elif self.relation == "=" and self.holds:
            relation = ""
        else:
            failed = {"≤": ">", "≥": "<", "=": "≠"}[self.relation]
            relation = f" {self.relation if self.holds else failed} {format_number(self.bound)}"
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.quantity} = {format_number(self.measured)}{unit}{relation}"

    @property
    def number(self) -> str:
        """The text behind ``says``: what was counted, or the number with its unit."""
        return str(self.counted) or f"{format_number(self.measured)} {self.unit}".strip()

    @property
    def circumstances(self) -> str:
        """The cases, the precision and the device."""
        return " · ".join(str(part) for part in (self.cases, self.dtype, self.device) if part)

    def sentence(self) -> str:
        """The verdict as one line: ``max |f(σX) − σf(X)| = 8.9e-16 ≤ 5.1e-14 · holds · … · float64 · cpu``."""
        came_to = "undecided" if self.expected is None else "holds" if self.holds else "fails"
        return f"{self.numbers} · {OF_A_VERDICT[came_to].brief} · {self.circumstances}"

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        return f"<Verdict {self.key}: {self.numbers} · {self.outcome}>"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the outcome, the measurement in words and numbers, the cases."""
        why = f" ({escape(str(self.because))})" if self.because else ""
        return (
            f"<p><strong>{OF_A_VERDICT[self.outcome].word}</strong>{why}: {escape(str(self.says))} "
            f"{escape(self.number)}<br/>"
            f"{escape(self.numbers)} · {escape(self.circumstances)}</p>"
        )


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    return tuple((name, version(name)) for name in ("torch", "numpy"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a result's numbers come from: enough to compute them again.

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
        """The provenance of an experiment with these settings."""
        return cls(seed=config.seed, dtype=config.dtype, device=str(config.torch_device))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result(Record):
    """Base of all results: a record with verdicts.

    Attributes:
        verdicts: The verdicts, one or more for each claim.
        provenance: Where the numbers come from.
    """

    verdicts: tuple[Verdict, ...] = ()
    provenance: Provenance

    @classmethod
    def of(cls, config: RunConfig, verdicts: tuple[Verdict, ...] = (), /, **values: Any) -> Self:
        """The result of an experiment with these settings."""
        return cls(verdicts=verdicts, provenance=Provenance.of(config), **values)

    def _brief(self) -> str:
        """The outcomes, counted, with precision, device and seed."""
        outcomes = Counter(verdict.outcome for verdict in self.verdicts)
        counts = ", ".join(f"{outcome} {count}" for outcome, count in outcomes.items())
        source = self.provenance
        return f"{counts or 'no verdict'} · {source.dtype} · {source.device} · seed {source.seed}"

    def verdict(self, key: str) -> Verdict:
        """The verdict with a key.

        Raises:
            KeyError: If there is none.
        """
        try:
            return next(verdict for verdict in self.verdicts if verdict.key == key)
        except StopIteration:
            raise KeyError(f"{key} is none of {', '.join(verdict.key for verdict in self.verdicts)}") from None

    def about(self, *claims: str) -> "SomeVerdicts":
        """A result with the verdicts on some claims alone."""
        verdicts = tuple(verdict for verdict in self.verdicts if verdict.claim in claims)
        return SomeVerdicts(verdicts=verdicts, provenance=self.provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class SomeVerdicts(Result):
    """Some of a result's verdicts."""
