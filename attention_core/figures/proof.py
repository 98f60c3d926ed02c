"""A step of a proof beside what was measured for it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A step of a proof, and the numbers it rests on, both as Markdown.

    Attributes:
        argument: The step.
        measured: The numbers.
    """

    argument: str
    measured: str
