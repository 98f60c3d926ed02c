"""The worksheet of a course as one HTML page to print: tasks with room to answer, or the solutions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pages._shared.lessons.course import Course, Step
from attention_core.figures.text import escape_xml
from attention_core.language import current
from attention_core.language import gettext as _

_STYLE: Final = """
@page { size: A4; margin: 16mm; }
body { font: 11pt/1.45 "Source Sans 3", "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1B1F27;
  margin: 0 auto; max-width: 178mm; padding: 8mm 0; }
h1 { font-size: 18pt; margin: 0 0 2mm; } h2 { font-size: 13pt; margin: 0 0 2mm; }
section { break-inside: avoid; border-top: 1px solid #C8CDD6; padding: 5mm 0 3mm; }
.quiet { color: #5A6270; font-size: 10pt; }
.pictures { display: flex; flex-wrap: wrap; gap: 2mm 4mm; }
.pictures svg { max-width: 100%; width: 56mm; height: auto; }
.pictures.one svg { width: 120mm; }
.pictures svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.pictures.few svg { width: 86mm; }
.lines { height: 26mm; background: repeating-linear-gradient(#0000 0 calc(8.6mm - 1px), #C8CDD6 0 8.6mm);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
ul { padding-left: 6mm; } .choose { list-style: "☐  "; }
@media print { body { padding: 0; } }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A step on paper."""

    pictures: tuple[str, ...] = ()  # the panels of its picture as it begins, as SVG
    problem: str = ""  # why there are none; empty where there are
    # Likewise after the move of the page's question; as it begins where nothing is asked.
    solved: tuple[str, ...] = ()
    unsolved: str = ""  # why there are none
    found: tuple[str, ...] = ()  # what was measured, in sentences
    question: str = ""  # what the page asks, where the step has it asked
    options: tuple[str, ...] = ()  # the answers to choose from
    truth: str | None = None  # the one that is true; None where the settings cannot tell


def handout(course: Course, sheets: Sequence[Sheet], *, solved: bool) -> str:
    """The worksheet as HTML that needs nothing from elsewhere; all text is shown exactly as it is."""
    title = escape_xml(course.title or _("Attention, step by step"))
    head = _("{title}: solutions", title=title) if solved else _("{title}: worksheet", title=title)
    told = _(
        "{kind} · {minutes} minutes. Every picture was computed by the app; a row is a query, a column a key, unless "
        "its axis says otherwise.",
        kind=_("Solutions") if solved else _("Worksheet"),
        minutes=course.minutes,
    )
    steps = "".join(
        _section(number, step, sheet, solved)
        for number, (step, sheet) in enumerate(zip(course.steps, sheets, strict=True), 1)
    )
    name = _("Name: ______________________________ &nbsp; Date: ______________")
    name = "" if solved else f'<p class="quiet">{name}</p>'
    return (
        f'<!doctype html><html lang="{current()}"><head><meta charset="utf-8"><title>{head}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f'<h1>{title}</h1><p class="quiet">{told}</p>{name}{steps}</body></html>'
    )


def _section(number: int, step: Step, sheet: Sheet, solved: bool) -> str:
    minutes = _("{minutes} min", minutes=step.minutes)
    parts = [f'<h2>{number}. {escape_xml(str(step.title))} <span class="quiet">{minutes}</span></h2>']
    parts += [f"<p>{escape_xml(step.lesson.note)}</p>"] if step.lesson.note else []
    parts += [_question(sheet, solved)] if sheet.question else []
    if solved and not sheet.unsolved:
        parts.append(_drawn(_("Measured:"), sheet.solved, sheet.problem))
    else:
        parts.append(_drawn(_("As it begins:"), sheet.pictures, sheet.problem))
    if solved:
        parts += [f"<p>{escape_xml(step.answer)}</p>"] if step.answer else []
        parts.append(_list(sheet.found))
    else:
        parts.append('<div class="lines"></div>')
    return f"<section>{''.join(parts)}</section>"


def _drawn(caption: str, pictures: tuple[str, ...], problem: str) -> str:
    if not pictures:
        return f'<p class="quiet">{escape_xml(problem)}</p>'
    few = {1: " one", 2: " few"}.get(len(pictures), "")
    return f'<p class="quiet">{caption}</p><div class="pictures{few}">{"".join(pictures)}</div>'


def _question(sheet: Sheet, solved: bool) -> str:
    asked = _("<p><b>Predict.</b> {question}</p>", question=escape_xml(str(sheet.question)))
    if not solved:
        return asked + _list(sheet.options, "choose")
    if sheet.unsolved:
        return asked + _("<p>Not measured. {reason}</p>", reason=escape_xml(sheet.unsolved))
    truth = escape_xml(str(sheet.truth or _("these settings cannot tell")))
    return asked + _("<p>Measured: <b>{truth}</b>.</p>", truth=truth)


def _list(items: Iterable[str], kind: str = "") -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{escape_xml(str(item))}</li>" for item in items)}</ul>'
