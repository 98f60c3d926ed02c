"""How far a long experiment has come."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """How far a long experiment has come: ``done`` of ``total`` steps, and what is done next.

    Attributes:
        done: Finished steps.
        total: All steps.
        doing: What the next step does, in a few words.
    """

    done: int
    total: int
    doing: str = ""

    def __str__(self) -> str:
        return f"{self.doing or 'measuring'}, {self.done + 1} of {self.total}"
