"""What a page declares: presets, the prediction it asks for, and what it measures of its settings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
class Break:
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

    def truth(self, look: "Look") -> str | None:
        """The option that is true for what is measured there; None where these settings cannot tell."""
        return self.grade(look.results.main)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What a page measures with some settings."""

    main: Any  # the picture's result: the prediction is graded from it
    # The results whose verdicts are told, in their order; the main one's alone where none is named.
    told: tuple[Any, ...] = ()
    step: int = 0  # where the picture's sweep stands
    about: tuple[str, ...] | None = None  # the claims that the picture is about: see ``draw_finding``
    aside: tuple[str, ...] = ()  # claims about other settings than the usual ones: see there

    @property
    def verdicts(self) -> list[Verdict]:
        """What was found."""
        return [one for result in self.told or (self.main,) for one in result.verdicts]


@dataclass(frozen=True, slots=True)
class Look:
    """A page at settings that are possible together; where they are not, there is a ``ConfigError`` in its place.

    Whatever says an answer asks a look for its results, so it is measured under these settings or not at all.
    """

    config: Any  # what the experiment takes of the settings
    view: Any  # what the picture takes of them
    measure: Callable[[Any, Any], Results]  # from these two to what is measured

    @property
    def results(self) -> Results:
        """What is measured: known already, or waited for."""
        return self.measure(self.config, self.view)
