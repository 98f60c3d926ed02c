"""What a page says: presets and the prediction it asks for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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
