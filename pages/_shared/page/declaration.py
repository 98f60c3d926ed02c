"""A page's declarations: presets, its question, its controls, its results, its tabs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from attention_core.figures.proof import ProofStep
from attention_core.figures.table import Table
from attention_core.language import current
from attention_core.measuring.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of settings with one surprise."""

    name: str  # what its button says
    caption: str  # what to look for
    settings: dict[str, Any]  # settings by name; every other setting of the page goes to how it begins
    spoils: bool = False  # whether the surprise answers the page's question, and so waits until that is answered
    zh: dict[str, Any] = field(default_factory=dict)  # what is beside these, or otherwise, for readers of Chinese

    @property
    def wanted(self) -> dict[str, Any]:
        """The settings, in the reader's language."""
        return self.settings | (self.zh if current() == "zh" else {})


@dataclass(frozen=True, slots=True)
class BreakButton:
    """The switch that makes the page's first claim fail: a button beside the picture sets it, and sets it back."""

    name: str  # what it does, after "Break it: "
    settings: dict[str, Any]  # settings by name; all others stay


@dataclass(frozen=True, slots=True)
class Predict:
    """A question about a move not yet made, graded from the result once it is made."""

    question: str  # the question; it names what the move sets, from the settings that the page begins with
    options: tuple[str, ...]  # the answers to choose from
    move: dict[str, Any]  # the settings that answering sets; every other setting of the page goes to how it begins
    # From the new result to the option that is true for it; None where these settings cannot tell.
    grade: Callable[[Any], str | None]
    headline: str = ""  # what stands in place of the page's claim while the question does, where the claim answers it
    claim: str = ""  # the claim that says why the answer is what it is
    spoilers: tuple[str, ...] = ()  # the claims that answer it, of which nothing is said while the question stands


@dataclass(frozen=True, slots=True, eq=False)
class Faq:
    """What people ask, and where on the page its answer is seen."""

    id: str  # what a link calls it
    asked: str  # the question, in people's words
    also: str  # other words that they type for it
    claim: str  # the claim that is measured there, or the key of one verdict
    answer: str  # the answer, where this came of the claim:
    outcome: Literal["holds", "fails"] = "holds"
    settings: dict[str, Any] = field(default_factory=dict)  # by name; all others are as they begin
    on: tuple[str, ...] = ()  # other pages below whose proof it is asked, too


class Section(NamedTuple):
    """Controls in the drawer, one below the other."""

    names: tuple[str, ...]  # the settings
    title: str = ""  # what stands above them
    draw: Callable[..., None] | None = None  # draws them by widgets of its own, where the usual ones do not do


class Switches(NamedTuple):
    """The controls in the drawer that make the page's claims fail: folded, until one of them is on."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """A page's measured results."""

    main: Any  # the picture's result: the prediction is graded from it
    # The results whose verdicts are told, in their order; the main one's alone where none is named.
    told: tuple[Any, ...] = ()
    step: int = 0  # where the picture's sweep stands
    about: tuple[str, ...] | None = None  # the claims that the picture is about: see ``draw_finding``
    aside: tuple[str, ...] = ()  # claims about other settings than the usual ones: see there

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts of all results."""
        return [verdict for result in self.told or (self.main,) for verdict in result.verdicts]


class File(NamedTuple):
    """A file to download."""

    label: str  # what its button says
    ending: str  # the ending of its name
    mime: str  # its media type
    make: Callable[[], str | bytes]  # makes it; called when it is asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabs:
    """The content of the tabs below a picture."""

    why: tuple[ProofStep, ...]  # the proof, step by step
    table: Callable[[], Table]  # makes the table of the picture's numbers; called when it is looked at
    files: tuple[File, ...] = ()  # what else there is to take along
    # Makes the code that computes the headline quantity again, where the picture decides that too.
    snippet: Callable[[], str] | None = None
