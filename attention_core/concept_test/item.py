"""An item of the concept test: what is asked, four choices, and the measurements that say which of them is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from attention_core.claims.ledger import CLAIMS
from attention_core.measuring.claim import Claim

CHOICES: Final = 4
_CLAIMS: Final[Mapping[str, Claim]] = {claim.id: claim for claim in CLAIMS}


@dataclass(frozen=True, slots=True)
class Source:
    """Where people ask it, believe it or answered it.

    Attributes:
        title: Authors and title, or the question as it was asked.
        address: Where it stands in the web.
    """

    title: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Misconception:
    """What somebody believes who chooses one of the wrong answers.

    Attributes:
        id: What a table calls it.
        name: What a person calls it.
        belief: What is believed, in one sentence.
    """

    id: str
    name: str
    belief: str


@dataclass(frozen=True, slots=True)
class Case:
    """One measurement: a verdict of a claim, under the claim's settings, and what is changed of them.

    Attributes:
        key: The verdict's key, which begins with the claim's id.
        broken: Whether the switch that breaks the claim is on.
        options: Settings that differ from the claim's own.
    """

    key: str
    broken: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def claim(self) -> Claim:
        """The claim with the settings of this case.

        Raises:
            KeyError: If the ledger has no such claim.
        """
        claim = _CLAIMS[self.key.partition(".")[0]]
        return replace(claim, options={**claim.options, **self.options})

    @property
    def parameters(self) -> dict[str, str]:
        """What the claim's page needs in its link to show this."""
        return self.claim.parameters(broken=self.broken)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers.

    Attributes:
        text: The answer.
        misconception: Id of the belief that it stands for; empty for the one that theory says is right.
        when: Whether each of the item's verdicts has to hold for this answer to be the right one; None where no
            outcome of these measurements makes it so.
    """

    text: str
    misconception: str = ""
    when: tuple[bool, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question.

    Attributes:
        id: Its name, which stays as long as the question means the same.
        asked: What is asked.
        cases: What is measured.
        choices: Four answers. No two are right under the same outcomes, and one stands for no misconception.
        source: Where the question comes from.

    Raises:
        ValueError: If the choices are not such.
    """

    id: str
    asked: str
    cases: tuple[Case, ...]
    choices: tuple[Choice, ...]
    source: Source

    def __post_init__(self) -> None:
        patterns = [choice.when for choice in self.choices if choice.when is not None]
        if len(self.choices) != CHOICES:
            raise ValueError(f"{self.id} has {len(self.choices)} choices, {CHOICES} are needed.")
        if not patterns or len(set(patterns)) < len(patterns):
            raise ValueError(f"{self.id}: each outcome makes one choice right, and some outcome makes one.")
        if {len(pattern) for pattern in patterns} != {len(self.cases)}:
            raise ValueError(f"{self.id}: a choice says of each of {len(self.cases)} verdicts whether it holds.")
        if [choice.misconception for choice in self.choices].count("") != 1:
            raise ValueError(f"{self.id}: one choice stands for no misconception, and all others for one.")

    @property
    def by_theory(self) -> int:
        """The place of the choice that stands for no misconception: what theory says is right."""
        return next(place for place, choice in enumerate(self.choices) if not choice.misconception)

    def selected(self, outcomes: Sequence[bool | None]) -> int | None:
        """The place of the choice that some outcomes make right; None where one is not known, or none is.

        Args:
            outcomes: Of each case, whether its verdict holds; None where that cannot be told.
        """
        return next((place for place, choice in enumerate(self.choices) if choice.when == tuple(outcomes)), None)
