"""What a page says: presets, the prediction it asks for, and the steps of its proof."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Preset:
    """A named setting with one surprise.

    Attributes:
        name: What its button says.
        surprise: What to look for.
        settings: Values by control name; every other control goes to its default.
    """

    name: str
    surprise: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Predict:
    """A question about a move not yet made, graded from the result once it is made.

    Attributes:
        question: The question.
        options: The answers to choose from.
        move: The settings that answering sets.
        grade: From the new result to the option that is true for it.
    """

    question: str
    options: tuple[str, ...]
    move: dict[str, Any]
    grade: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Why:
    """One step of the proof beside the measured quantity it speaks of.

    Attributes:
        step: The argument, in Markdown.
        measured: What was measured for it, in Markdown.
    """

    step: str
    measured: str
