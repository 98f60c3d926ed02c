"""What a page declares: presets, the prediction it asks for, and what it measures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attention_core.experiments.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of settings with one surprise.

    Attributes:
        name: What its button says.
        caption: What to look for.
        settings: Settings by name; every other setting of the page goes to how it begins.
        spoils: Whether the surprise answers the page's question, and so waits until that is answered.
    """

    name: str
    caption: str
    settings: dict[str, Any]
    spoils: bool = False


@dataclass(frozen=True, slots=True)
class Predict:
    """A question about a move not yet made, graded from the result once it is made.

    Attributes:
        question: The question. It names what the move sets, from the settings that the page begins with.
        options: The answers to choose from.
        move: The settings that answering sets; every other setting of the page goes to how it begins.
        grade: From the new result to the option that is true for it; None where these settings cannot tell.
        headline: What stands in place of the page's claim while the question does, where the claim answers it.
        spoilers: The claims that answer it, of which nothing is said while the question stands.
    """

    question: str
    options: tuple[str, ...]
    move: dict[str, Any]
    grade: Callable[[Any], str | None]
    headline: str = ""
    spoilers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """What a page measures with some settings.

    Attributes:
        main: The picture's result: the prediction is graded from it.
        told: The results whose verdicts are told, in their order; the main one's alone where none is named.
        step: Where the picture's sweep stands.
        aside: Claims about other settings than the page's usual ones: see ``draw_finding``.
    """

    main: Any
    told: tuple[Any, ...] = ()
    step: int = 0
    aside: tuple[str, ...] = ()

    @property
    def verdicts(self) -> list[Verdict]:
        """What was found."""
        return [one for result in self.told or (self.main,) for one in result.verdicts]
