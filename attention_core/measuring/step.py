"""The steps that a long experiment reports."""

from dataclasses import dataclass

from attention_core.language import gettext as _


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a long experiment: ``done`` of ``total`` are finished, and what comes next.

    Attributes:
        done: Finished steps.
        total: All steps.
        doing: What the next step does, in a few words.
    """

    done: int
    total: int
    doing: str = ""

    def __str__(self) -> str:
        doing = self.doing or _("measuring")
        return _("{doing}, {number} of {total}", doing=doing, number=self.done + 1, total=self.total)
