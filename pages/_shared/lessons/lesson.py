"""A lesson: what shows of a page, what is fixed or hidden, a note, what is asked. A step of a course holds one."""

from dataclasses import dataclass, field
from typing import Any

from attention_core.language import gettext_lazy as _

MAX_NOTE = 280
PARTS = {
    "predict": _("Predict"),
    "presets": _("Presets"),
    "controls": _("Controls"),
    "break": _("What breaks it"),
    "why": _("Why"),
    "code": _("Code"),
    "data": _("Data"),
    "pin": _("Pin"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A page as a teacher hands it out."""

    parts: tuple[str, ...] = tuple(PARTS)  # the parts of a page that show, of ``PARTS``
    # What each fixed setting is set to, as a link spells it, by its key in the link.
    fixed: dict[str, Any] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()  # keys, of ``fixed``, that are not drawn at all
    predict_first: bool = False  # whether the picture waits for a prediction
    note: str = ""  # a short note to the class
    questions: str = ""  # what the teacher asks a live class, as ``questions.py`` reads it
