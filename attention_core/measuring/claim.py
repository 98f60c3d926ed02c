"""A claim of the ledger: its statement, its source, what measures it and what breaks it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from attention_core.language import gettext_lazy as _
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import Experiment, experiment_of
from attention_core.measuring.settings import declared

NOTES: Final = _("notes on attention bias")
REVIEW: Final = _("EECS 182 review")
CODE: Final = _("self-attention from source code")
OURS: Final = _("this project")
SOURCES: Final = (NOTES, REVIEW, CODE, OURS)
HOLDS: Final = "holds"
HOLDS_WHEN: Final = "conditional"
FALSE: Final = "false"
EXPECTED: Final = (HOLDS, HOLDS_WHEN, FALSE)
EXPECTED_WORDS: Final = {HOLDS: _("holds"), HOLDS_WHEN: _("conditional"), FALSE: _("false")}
Expected = Literal["holds", "conditional", "false"]
Part = Literal[
    "embedding", "positions", "projections", "biases", "heads", "keys and values", "scores", "scale", "mask",
    "softmax", "mixture", "self-attention", "causal attention", "cross-attention", "padding mask", "norm", "residual",
    "feed-forward", "layers", "what it learns",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """The switch that makes a claim fail.

    Attributes:
        by: What it does, in words that follow "with".
        options: Settings of the experiment that differ from the claim's own.
        link: What the page needs in its link beside these settings, by the names of its controls.
    """

    by: str
    options: Mapping[str, Any]
    link: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Where the measurement contradicts a source, told kindly.

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
        part: What of a transformer it is about.
        statement: The claim in one sentence.
        source: Where it is said: one of ``SOURCES``.
        place: Where in the source; empty for the whole of it.
        expected: What theory says of it: ``holds``, ``conditional`` or ``false``.
        when: For ``conditional`` what follows "when".
        instead: For ``false`` what is true instead, in one sentence.
        page: Name of the page that shows it: its study's.
        link: What that page needs in its link beside the experiment's settings, by the names of its controls.
        config: Class of the experiment's config.
        run: The experiment, where it is another than the one that the config is named after.
        options: Settings that measure the claim, beside precision, device and seed.
        breaks: What makes it fail; None where there is no such switch.
        correction: What a source says differently, if one does; a false claim has one.
    """

    id: str
    part: Part
    statement: str
    source: str
    place: str = ""
    expected: Expected = HOLDS
    when: str = ""
    instead: str = ""
    page: str = ""
    link: Mapping[str, Any] = field(default_factory=dict)
    config: type[RunConfig]
    run: Experiment | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    breaks: Break | None
    correction: Correction | None = None

    @property
    def experiment(self) -> Experiment:
        """The experiment that measures it: ``run_x`` or ``steps_x``."""
        return self.run or experiment_of(self.config)

    @property
    def said(self) -> str:
        """Its source and place: ``EECS 182 review, question 1``."""
        return _("{source}, {place}", source=self.source, place=self.place) if self.place else self.source

    @property
    def verdict(self) -> str:
        """The expected verdict in words: ``holds``, ``holds when`` with its condition, or what is true instead."""
        if self.expected == HOLDS_WHEN:
            return _("holds when {condition}", condition=self.when)
        if self.expected == FALSE and self.correction:
            return _("false: {found}", found=self.correction.found)
        return EXPECTED_WORDS[self.expected]

    @property
    def truth(self) -> str:
        """The true statement that its verdicts measure."""
        return self.instead or self.statement

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
        """The parameters of the page's link: the experiment's settings, and what the page needs beside them."""
        switch = self.breaks if broken else None
        known, shared = declared(self.config), declared(RunConfig)
        texts = {
            known[name].link or name: known[name].write(value)
            for name, value in (dict(self.options) | dict(switch.options if switch else {})).items()
            if name in known and name not in shared
        }
        beside = dict(self.link) | dict(switch.link if switch else {})
        texts |= {name: _text(value) for name, value in beside.items()}
        return {f"{self.page}_{name}": text for name, text in texts.items()}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
