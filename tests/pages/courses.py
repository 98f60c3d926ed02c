"""Courses as they stand in a link, and small ones."""

import base64
import json
import zlib

from pages._shared.class_rooms.question import Kind
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.lessons.questions import PreparedQuestion

MINE = PreparedQuestion("Who is <b>asked</b>?", ("$q$", "k"), 1)
MINE_TEXT = "Who is <b>asked</b>?\n$q$\n* k"
OWN = "This page's question"


def written(*questions: PreparedQuestion) -> str:
    """Questions as a teacher writes them."""
    return "\n\n".join("\n".join([one.text or OWN, *_answers(one)]) for one in questions)


def _answers(one: PreparedQuestion) -> list[str]:
    match one.kind, one.right:
        case Kind.NUMBER, (value, within):
            return [f"= {value} ± {within}"]
        case Kind.NUMBER, _:
            return ["="]
        case Kind.WORDS, _:
            return ["____"]
    right = one.right if isinstance(one.right, tuple) else (one.right,)
    return [f"* {text}" if at in right else text for at, text in enumerate(one.answers)]


def packed(content: object) -> str:
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode().rstrip("=")


def small(*pages: str) -> Course:
    notes = (Lesson(note=f"Task {number}") for number, _ in enumerate(pages, 1))
    return Course(
        title="Ours", steps=tuple(Step(page=page, lesson=one) for page, one in zip(pages, notes, strict=True))
    )
