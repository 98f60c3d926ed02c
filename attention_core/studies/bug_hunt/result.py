"""What the probes say of the eight, and what ``identify`` says."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attention_core.identify.design import Design
from attention_core.measuring.arrays import Record
from attention_core.measuring.verdict import Result
from attention_core.studies.bug_hunt.lineup import Drawn
from attention_core.studies.bug_hunt.settings import BugHuntConfig

BESIDE: Final = "beside"
PROBES: Final = ("shuffle", "later", "second", "padding", "size", "sums")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed(Record):
    """One probe of nine attentions: the right one (0), and the eight (1 … 8). All in float64.

    Attributes:
        name: ``beside``, where nothing is done and they stand beside the right one; or a name in ``PROBES``.
        tokens: The words as the probe has them.
        weights: Mean weights of all heads on these (9, words, words).
        weights_moved: How they differ from those before the probe, in the order as written; ``beside``: from those
            of the right one (9, tokens, tokens).
        outputs_moved: The same of the outputs (9, tokens, d_model).
        held: The words whose output is to stay (tokens,).
        change: The largest number that is to be 0 and is not (9,).
        bound: What rounding may make of it (9,).
    """

    name: str
    tokens: tuple[str, ...]
    weights: np.ndarray
    weights_moved: np.ndarray
    outputs_moved: np.ndarray
    held: np.ndarray
    change: np.ndarray
    bound: np.ndarray

    @property
    def stays(self) -> np.ndarray:
        """Of which attentions it says nothing against them (9,)."""
        return self.change <= self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class BugHuntResult(Result):
    """All probes of all attentions.

    Attributes:
        config: The settings.
        line: What the eight are.
        probed: ``beside``, and all of ``PROBES``.
    """

    config: BugHuntConfig
    line: tuple[Drawn, ...]
    probed: tuple[Probed, ...]

    def probe(self, name: str) -> Probed:
        """What a probe says."""
        return next(one for one in self.probed if one.name == name)

    def shows(self, letter: int) -> list[str]:
        """The probes that the right one passes, and this one does not; A is 1."""
        return [one.name for one in self.probed if one.stays[0] and not one.stays[letter]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedResult(Result):
    """What ``identify`` says of some of the eight.

    Attributes:
        letters: Which.
        found: What each is found to be; None where that is not known.
    """

    letters: str
    found: tuple[Design | None, ...]
