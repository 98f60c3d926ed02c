"""What an entry of the ledger is: a statement, where it is said, what measures it and what breaks it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from attention_core.experiments.config import RunConfig

NOTES: Final = "notes on attention bias"
REVIEW: Final = "EECS 182 review"
CODE: Final = "self-attention from source code"
OURS: Final = "this project"
SOURCES: Final = (NOTES, REVIEW, CODE, OURS)
HOLDS: Final = "holds"
HOLDS_WHEN: Final = "holds when …"
FALSE: Final = "false"
EXPECTED: Final = (HOLDS, HOLDS_WHEN, FALSE)
Expected = Literal["holds", "holds when …", "false"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The switch that makes a claim fail.

    Attributes:
        by: What it does, in words that follow "fails with".
        options: Settings of the experiment that differ from the claim's own.
        link: Settings of the page that differ from the claim's own, by the names of its controls.
    """

    by: str
    options: Mapping[str, Any]
    link: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Where a source and the measurement part, told kindly.

    Attributes:
        says: What the source says, in our words.
        found: What is measured.
        why: Why the two differ.
    """

    says: str
    found: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One entry of the ledger.

    Attributes:
        id: The claim of the verdicts that measure it, such as ``perm-kv``.
        statement: The claim in one sentence.
        source: Where it is said: one of ``SOURCES``.
        place: Where in the source; empty for the whole of it.
        expected: What theory says of it: ``holds``, ``holds when …`` or ``false``.
        when: For ``holds when …`` what follows "when".
        page: Name of the page that shows it.
        link: Settings of that page that show it, by the names of its controls.
        run: The experiment, ``run_x`` or ``steps_x``.
        config: Class of its config.
        options: Settings that measure the claim, beside precision, device and seed.
        breaks: What makes it fail; None where there is no such switch.
        correction: What a source says differently, if one does; a false claim has one.
    """

    id: str
    statement: str
    source: str
    place: str = ""
    expected: Expected = HOLDS
    when: str = ""
    page: str
    link: Mapping[str, Any] = field(default_factory=dict)
    run: Callable[[Any], Any]
    config: type[RunConfig]
    options: Mapping[str, Any] = field(default_factory=dict)
    breaks: Break | None
    correction: Correction | None = None

    @property
    def said(self) -> str:
        """Where it is said: ``EECS 182 review, question 1``."""
        return f"{self.source}, {self.place}" if self.place else self.source

    @property
    def verdict(self) -> str:
        """The expected verdict in words: ``holds``, ``holds when …`` with its condition, or what is true instead."""
        if self.expected == HOLDS_WHEN:
            return f"holds when {self.when}"
        if self.expected == FALSE and self.correction:
            return f"false: {self.correction.found}"
        return self.expected

    def settings(self, *, broken: bool = False, **run: Any) -> RunConfig:
        """The config that measures the claim, or with ``broken`` the one in which it fails.

        Args:
            broken: Whether the switch that breaks the claim is on.
            run: ``dtype``, ``device`` and ``seed``.

        Raises:
            ConfigError: If the experiment does not take them.
        """
        switched = self.breaks.options if broken and self.breaks else {}
        return self.config(**run | dict(self.options) | dict(switched))

    def parameters(self, *, broken: bool = False) -> dict[str, str]:
        """The page's settings as its link spells them."""
        switched = self.breaks.link if broken and self.breaks else {}
        return {f"{self.page}_{name}": _text(value) for name, value in (dict(self.link) | dict(switched)).items()}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
