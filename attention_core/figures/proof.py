"""A step of a proof, with its measurement."""

from collections import Counter
from dataclasses import dataclass

from attention_core.language import sentences
from attention_core.measuring.number_format import format_number
from attention_core.measuring.verdict import Result


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A step of a proof, and the numbers it rests on, both as Markdown.

    Attributes:
        argument: The step.
        measured: The numbers.
        here: What undoes it with these settings, as a sentence; empty where nothing does.
    """

    argument: str
    measured: str
    here: str = ""

    @property
    def text(self) -> str:
        """The step, and what undoes it here."""
        return str(sentences((self.argument, self.here)))


def code(value: float) -> str:
    """A number as Markdown's code, with three significant digits."""
    return f"`{format_number(float(value))}`"


def measured(result: Result, *claims: str) -> str:
    """The measured numbers of some claims, or of all: a line each.

    Where a formula stands on several lines, words before it tell them apart.
    """
    verdicts = result.about(*claims).verdicts if claims else result.verdicts
    often = Counter(str(verdict.quantity) for verdict in verdicts)
    says = (f"{verdict.says} " if often[str(verdict.quantity)] > 1 else "" for verdict in verdicts)
    return "  \n".join(f"{prefix}`{verdict.numbers}`" for prefix, verdict in zip(says, verdicts, strict=True))
