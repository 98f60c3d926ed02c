"""The worksheet of a course as one HTML page to print: tasks with room to answer, or the solutions."""

from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.questions import PreparedQuestion
from pages._shared.page.way_back import Code
from attention_core.figures.text import escape_xml
from attention_core.language import current
from attention_core.language import gettext as _

_STYLE: Final = """
@page { size: A4; margin: 14mm 16mm; }
body { font: 10.5pt/1.4 "Source Sans 3", "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1B1F27;
  margin: 0 auto; max-width: 178mm; padding: 8mm 0; }
h1 { font-size: 17pt; margin: 0 0 1mm; } h2 { font-size: 13pt; margin: 0 0 1mm; } p { margin: 0 0 1.5mm; }
section { box-sizing: border-box; break-inside: avoid; border-top: 1px solid #C8CDD6; padding: 3mm 0 2mm; }
.task { display: flex; flex-direction: column; min-height: 118mm; }
.quiet { color: #5A6270; font-size: 9.5pt; }
.code { float: right; margin: 0 0 1mm 4mm; } .code img { width: 19mm; display: block; }
.picture svg { max-width: 100%; height: auto; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.lines { flex: 1 0 25.5mm; height: 25.5mm; overflow: hidden; }
.lines div { height: 8.5mm; box-sizing: border-box; border-bottom: 1px solid #A4ABBA; }
ol, ul { margin: 0 0 1.5mm; padding-left: 7mm; } .right { font-weight: 700; }
ol { display: flex; flex-wrap: wrap; column-gap: 11mm; }
@media print { body { padding: 0; } }
"""
_LINES: Final = 14  # of which as many are seen as have room


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A step on paper."""

    picture: str = ""  # as it begins, as SVG; empty where it would give an answer away
    problem: str = ""  # why there is none; empty where there is one
    solved: str = ""  # likewise after the move of the page's question; as it begins where nothing is asked
    unsolved: str = ""  # why there is none
    findings: tuple[str, ...] = ()  # what was measured, in sentences
    question: str = ""  # what the page asks, where the step has it asked
    options: tuple[str, ...] = ()  # the answers to choose from
    truth: str | None = None  # the one that is true; None where the settings cannot tell
    asked: tuple[PreparedQuestion, ...] = ()  # what a class is asked beside it
    code: Code | None = None  # the way back; None where there is none


def handout(course: Course, sheets: Sequence[Sheet], *, solved: bool) -> str:
    """The worksheet as one self-contained HTML page; all text is escaped."""
    title = escape_xml(course.title or _("Attention, step by step"))
    head = _("{title}: solutions", title=title) if solved else _("{title}: worksheet", title=title)
    subtitle = _(
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
        f'<h1>{title}</h1><p class="quiet">{subtitle}</p>{name}{steps}</body></html>'
    )


def _section(number: int, step: Step, sheet: Sheet, solved: bool) -> str:
    minutes = _("{minutes} min", minutes=step.minutes)
    top = [f'<h2>{number}. {escape_xml(str(step.title))} <span class="quiet">{minutes}</span></h2>']
    top += [f"<p>{escape_xml(step.lesson.note)}</p>"] if step.lesson.note else []
    top += [_question(sheet, solved)] if sheet.question else []
    if solved:
        below = [f"<p>{escape_xml(step.answer)}</p>"] if step.answer else []
        below += [f"<ul>{''.join(f'<li>{escape_xml(sentence)}</li>' for sentence in sheet.findings)}</ul>"]
    else:
        top = [_code(sheet.code) if sheet.code else "", *top]
        below = [f'<div class="lines">{"<div></div>" * _LINES}</div>']
    if solved and not sheet.unsolved:
        drawn = _drawn(sheet.solved, sheet.problem, _("Measured:"))
    else:
        drawn = _drawn(sheet.picture, sheet.problem, _("As it begins:") if solved else "")
    asked = [_asked(question, solved) for question in sheet.asked]
    kind = "" if solved else ' class="task"'
    return f"<section{kind}><div>{''.join([*top, drawn, *asked])}</div>{''.join(below)}</section>"


def _code(code: Code) -> str:
    picture = b64encode(code.picture.encode()).decode()
    name = escape_xml(_("The way back to this step"))
    return (
        f'<a class="code" href="{escape_xml(code.address)}"><img alt="{name}" '
        f'src="data:image/svg+xml;base64,{picture}"></a>'
    )


def _drawn(picture: str, problem: str, caption: str = "") -> str:
    if problem or not picture:
        return f'<p class="quiet">{escape_xml(problem)}</p>' if problem else ""
    said = f'<p class="quiet">{caption}</p>' if caption else ""
    return f'{said}<div class="picture">{picture}</div>'


def _question(sheet: Sheet, solved: bool) -> str:
    question = _("<p><b>Predict.</b> {question}</p>", question=escape_xml(str(sheet.question)))
    if not solved:
        return question + _answers(sheet.options)
    if sheet.unsolved:
        return question + _("<p>Not measured. {reason}</p>", reason=escape_xml(sheet.unsolved))
    truth = escape_xml(str(sheet.truth or _("these settings cannot tell")))
    return question + _("<p>Measured: <b>{truth}</b>.</p>", truth=truth)


def _asked(question: PreparedQuestion, solved: bool) -> str:
    text, right = f"<p>{escape_xml(question.text)}</p>", question.right if solved else None
    if question.kind.chooses:
        return text + _answers(question.answers, right if isinstance(right, tuple) else (right,))
    if solved:
        return text + (f"<p><b>{right[0]:g} ± {right[1]:g}</b></p>" if isinstance(right, tuple) else "")
    return f"{text}<p>{'_' * 30}</p>"


def _answers(answers: Iterable[str], right: Collection[float | None] = ()) -> str:
    """Answers under letters, as on the phones; in the key the right ones stand out."""
    items = (
        f'<li class="right">{escape_xml(str(answer))} ✓</li>'
        if at in right
        else f"<li>{escape_xml(str(answer))}</li>"
        for at, answer in enumerate(answers)
    )
    return f'<ol type="A">{"".join(items)}</ol>'
