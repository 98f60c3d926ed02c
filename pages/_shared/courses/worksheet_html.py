"""The worksheet of a course as one HTML page to print: tasks with room to answer, or the solutions."""

from collections.abc import Iterable, Sequence
from typing import Final

from pages._shared.courses.worksheet import Pose
from pages._shared.lessons.course import Course, Step
from attention_core.figures.text import escape_xml

_STYLE: Final = """
@page { size: A4; margin: 16mm; }
body { font: 11pt/1.45 "Source Sans 3", "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1B1F27;
  margin: 0 auto; max-width: 178mm; padding: 8mm 0; }
h1 { font-size: 18pt; margin: 0 0 2mm; } h2 { font-size: 13pt; margin: 0 0 2mm; }
section { break-inside: avoid; border-top: 1px solid #C8CDD6; padding: 5mm 0 3mm; }
.quiet { color: #5A6270; font-size: 10pt; }
.pictures { display: flex; flex-wrap: wrap; gap: 2mm 4mm; }
.pictures svg { max-width: 100%; width: 56mm; height: auto; }
.pictures svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.pictures.few svg { width: 84mm; }
.lines { height: 26mm; background: repeating-linear-gradient(#0000 0 calc(8.6mm - 1px), #C8CDD6 0 8.6mm);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
ul { padding-left: 6mm; } .choose { list-style: "☐  "; }
@media print { body { padding: 0; } }
"""


def handout(course: Course, poses: Sequence[Pose], *, solved: bool) -> str:
    """The worksheet as HTML that needs nothing from elsewhere; all text is shown exactly as it is.

    Args:
        course: The course.
        poses: What was gathered of it.
        solved: Whether it is the sheet of solutions.
    """
    title = escape_xml(course.title or "Attention, step by step")
    kind = "Solutions" if solved else "Worksheet"
    steps = "".join(
        _section(at, step, [pose for pose in poses if pose.at == at], solved) for at, step in enumerate(course.steps)
    )
    name = "" if solved else '<p class="quiet">Name: ______________________________ &nbsp; Date: ______________</p>'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}: {kind.lower()}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f'<h1>{title}</h1><p class="quiet">{kind} · {course.minutes} minutes. Every picture was computed by the app; '
        f"a row is a query, a column a key, unless its axis says otherwise.</p>{name}{steps}</body></html>"
    )


def _section(at: int, step: Step, poses: Sequence[Pose], solved: bool) -> str:
    start, end = poses[0], poses[-1]
    parts = [f'<h2>{at + 1}. {escape_xml(step.title)} <span class="quiet">{step.minutes} min</span></h2>']
    parts += [f"<p>{escape_xml(step.lesson.note)}</p>"] if step.lesson.note else []
    parts += [_question(end, solved)] if end.question else []
    shown = end if solved else start
    if shown.pictures:
        caption = "Measured" if solved else "As it begins"
        few = " few" if len(shown.pictures) < 3 else ""
        parts.append(f'<p class="quiet">{caption}:</p><div class="pictures{few}">{"".join(shown.pictures)}</div>')
    else:
        parts.append('<p class="quiet">There is no picture of these settings.</p>')
    if solved:
        parts += [f"<p>{escape_xml(step.answer)}</p>"] if step.answer else []
        parts.append(_list(shown.found))
    else:
        parts.append('<div class="lines"></div>')
    return f"<section>{''.join(parts)}</section>"


def _question(pose: Pose, solved: bool) -> str:
    asked = f"<p><b>Predict.</b> {escape_xml(pose.question)}</p>"
    if not solved:
        return asked + _list(pose.options, "choose")
    return asked + f"<p>Measured: <b>{escape_xml(pose.truth or 'these settings cannot tell')}</b>.</p>"


def _list(items: Iterable[str], kind: str = "") -> str:
    return f'<ul class="{kind}">{"".join(f"<li>{escape_xml(item)}</li>" for item in items)}</ul>'
