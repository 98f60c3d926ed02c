"""The object by which a folder of ``studies`` declares itself, and everything else finds it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from attention_core.measuring.claim import Claim
from attention_core.measuring.config import RunConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """One subject of attention.

    Attributes:
        name: Its folder, and the page that shows it.
        title: What it is called within a sentence: ``receptive field``.
        place: Where it stands among the others, in the ledger and in the app: the smallest first.
        config: The settings that its page measures with.
        snippet: From these settings to code, without this project, that computes the headline quantity again.
        headline: From a result to the numbers that this code prints, in its order, whole ones exactly. None where the
            code reads a file beside it.
        shortest: Code of about ten lines that makes its point, on random numbers of its own.
        claims: What is claimed of it, in the order of the ledger.
    """

    name: str
    title: str
    place: int
    config: type[RunConfig]
    snippet: Callable[[Any], str]
    headline: Callable[[Any], list[float]] | None = None
    shortest: str
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(replace(claim, page=self.name) for claim in self.claims))
