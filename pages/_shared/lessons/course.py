"""A course: pages in an order, each with settings, a task and minutes, as one text that a link or a file holds.

Whoever made that text may have made it by hand, with an older or a newer version of this app, or in order to break
it. So reading takes what it can and says of the rest, step by step, what it left out.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pages._shared.core.pages import HOME, LEDGER, PAGES, TEST
from pages._shared.core.text import escape_markdown
from pages._shared.lessons.lesson import MAX_NOTE, PARTS, Lesson
from pages._shared.lessons.questions import LONGEST, PreparedQuestion, askable, parse
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy
from attention_core.typed import normalised

FORMAT: Final = 2
MAX_STEPS: Final = 40
MAX_BYTES: Final = 2_000_000
MAX_TITLE: Final = 80
MAX_ANSWER: Final = 600
MAX_MINUTES: Final = 240
MAX_VALUE: Final = 600
MAX_SETTINGS: Final = 64
TITLES: Final = {page.name: page.title for page in (HOME, *PAGES, LEDGER, TEST)}
ASKING: Final = {page.name for page in PAGES}  # pages that have a question of their own
SHARED: Final = ("dtype", "seed")
_COURSE_NAMES: Final = ("version", "title", "steps")
_STEP_NAMES: Final = (
    "page", "settings", "note", "answer", "minutes", "predict_first", "parts", "fixed", "hidden", "claims",
    "questions",
)  # fmt: skip
_MOST_NAMES: Final = 5  # that are not known, and told


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a course."""

    page: str  # name of the page
    # What is not as the page begins, as a link spells it, by its key in the link.
    settings: Mapping[str, str] = field(default_factory=dict)
    # Which parts show, what is fixed or hidden, whether the prediction comes first, what a class is asked; its note
    # is the task.
    lesson: Lesson = field(default_factory=Lesson)
    answer: str = ""  # a short answer to unfold; none where empty
    minutes: int = 3  # how long it takes
    claims: tuple[str, ...] = ()  # Ids of the ledger's claims that it speaks of

    @property
    def title(self) -> str:
        """The title of its page."""
        return TITLES[self.page]

    @property
    def questions(self) -> list[PreparedQuestion]:
        """The questions for a class that can be asked."""
        return parse(self.lesson.questions, asks=self.page in ASKING)[0]

    @property
    def holds_answers(self) -> bool:
        """Whether a question for a class has a right answer with it."""
        return any(question.right is not None for question in self.questions)

    def for_students(self) -> "Step":
        """The step without its questions for a class, which hold the right answers."""
        return replace(self, lesson=replace(self.lesson, questions=""))

    def handed_out(self) -> "Step":
        """The step without questions that cannot be asked."""
        questions = askable(self.lesson.questions, asks=self.page in ASKING)
        return replace(self, lesson=replace(self.lesson, questions=questions))

    def plain(self) -> dict[str, Any]:
        """The step as plain JSON values; defaults are left out."""
        lesson = self.lesson
        content = {
            "page": self.page,
            "settings": dict(self.settings),
            "note": lesson.note,
            "answer": self.answer,
            "minutes": self.minutes,
            "predict_first": lesson.predict_first,
            "parts": None if lesson.parts == tuple(PARTS) else list(lesson.parts),
            "fixed": lesson.fixed,
            "hidden": list(lesson.hidden),
            "claims": list(self.claims),
            "questions": lesson.questions,
        }
        return {name: value for name, value in content.items() if value or name in ("page", "minutes")} | (
            {"parts": []} if not lesson.parts else {}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """Steps in an order."""

    title: str = ""  # what it is called
    steps: tuple[Step, ...] = ()  # the steps

    @property
    def minutes(self) -> int:
        """The minutes of all steps."""
        return sum(step.minutes for step in self.steps)

    def for_students(self) -> "Course":
        """The course as a class's students are given it: without what they are asked, and which answers are right."""
        return replace(self, steps=tuple(step.for_students() for step in self.steps))

    def plain(self) -> dict[str, Any]:
        """The course as plain JSON values."""
        return {"version": FORMAT, "title": self.title, "steps": [step.plain() for step in self.steps]}

    def to_json(self) -> str:
        """The course as a file to keep."""
        return json.dumps(self.plain(), ensure_ascii=False, indent=2) + "\n"

    def encode(self) -> str:
        """The course as text that an address can hold, without questions that cannot be asked."""
        steps = tuple(step.handed_out() for step in self.steps)
        plain = json.dumps(replace(self, steps=steps).plain(), ensure_ascii=False, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def letters_of(text: str) -> str:
    """The characters of a link's course that can be its own: no full stop, no line ends of a mail."""
    return re.sub(r"[^\w-]", "", normalised(text), flags=re.ASCII)


def decode(text: str) -> tuple[Course, list[str]]:
    """Read a course from a link; a sentence tells each thing that was left out.

    Raises:
        ValueError: If it holds none.
    """
    cut, unpacker = (
        _("This link's course cannot be read: it may have been cut when it was copied."),
        zlib.decompressobj(),
    )
    try:
        letters = letters_of(text)
        letters = letters[:-1] if len(letters) % 4 == 1 else letters  # one alone is no byte
        packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        plain = unpacker.decompress(packed, MAX_BYTES)  # which ends where the course does, whatever follows
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(cut) from error
    if unpacker.unconsumed_tail:
        raise ValueError(_too_large())
    if not unpacker.eof:
        raise ValueError(cut)
    return from_json(plain)


def from_json(text: str | bytes) -> tuple[Course, list[str]]:
    """Read a course from a file; a sentence tells each thing that was left out.

    Raises:
        ValueError: If it holds none.
    """
    if len(text) > MAX_BYTES:
        raise ValueError(_too_large())
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(_("This is no course: it is not written as JSON.")) from error
    steps = content.get("steps") if isinstance(content, dict) else None
    if not isinstance(steps, list):
        raise ValueError(_("This is no course: it has no list of steps."))
    remarks: list[str] = []
    if len(steps) > MAX_STEPS:
        remarks.append(
            _(
                "The course has {count:,} steps, of which the first {most} are used: step {next} and all that follow "
                "are left out.",
                count=len(steps),
                most=MAX_STEPS,
                next=MAX_STEPS + 1,
            )
        )
    steps_read = [_Reader(number, remarks).step(raw) for number, raw in enumerate(steps[:MAX_STEPS], 1)]
    title = _clean(content.get("title"))[:MAX_TITLE]
    course = Course(title=title, steps=tuple(step for step in steps_read if step is not None))
    return course, _unknown(content, steps[:MAX_STEPS]) + remarks


def _unknown(content: Mapping[str, Any], steps: Iterable[object]) -> list[str]:
    """One sentence if this version does not know a course's version, or some names in it."""
    version = content.get("version")
    if type(version) is int and version > FORMAT:
        return [_("The course was made by a newer version of this app; what is not known here is left out.")]
    if type(version) is not int or version != FORMAT:
        return [
            _("The course was made by something else than a version of this app; what is not known here is left out.")
        ]
    unknown = [name for name in content if name not in _COURSE_NAMES]
    unknown += [name for step in steps if isinstance(step, dict) for name in step if name not in _STEP_NAMES]
    if not unknown:
        return []
    names = list(dict.fromkeys(unknown))
    shown = [f"“{escape_markdown(_clean(name))}”" for name in names[:_MOST_NAMES]]
    shown += ["…"] * (len(names) > _MOST_NAMES)
    return [_("The course holds {names}, which this version does not know; it is left out.", names=", ".join(shown))]


def changed(step: Step, **raw: Any) -> Step:
    """The step with some of its JSON values changed; impossible values are left out."""
    return _Reader(1, []).step(step.plain() | raw) or step


def _too_large() -> str:
    return _(
        "This course is larger than {most:,} characters, which no course needs; it is not opened.", most=MAX_BYTES
    )


def _clean(raw: object) -> str:
    """Text in one line, with nothing that cannot be sent."""
    return " ".join(raw.encode("utf-8", "replace").decode().split()) if isinstance(raw, str) else ""


def _clean_lines(raw: object) -> str:
    """Text in lines, with nothing that cannot be sent."""
    return "\n".join(map(_clean, raw.splitlines())).strip() if isinstance(raw, str) else ""


_LEFT_OUT: Final = gettext_lazy("it is left out")


class _Reader:
    """Reads one step, and adds a remark for each thing that it leaves out."""

    def __init__(self, number: int, remarks: list[str]) -> None:
        self.number, self.remarks = number, remarks

    def step(self, raw: object) -> Step | None:
        if not isinstance(raw, dict):
            return self._skip(_("is no step"))
        page = raw.get("page")
        if not isinstance(page, str) or page not in TITLES:
            shown_page = escape_markdown(_clean(str(page)[:60]))
            return self._skip(_("asks for the page “{page}”, which there is not", page=shown_page))
        fixed = self._settings(page, raw.get("fixed"))
        lesson = Lesson(
            parts=self._some("parts", raw.get("parts"), PARTS) if raw.get("parts") is not None else tuple(PARTS),
            fixed=fixed,
            hidden=self._some("hidden", raw.get("hidden"), fixed),
            predict_first=raw.get("predict_first") is True,
            note=self._text(_("task"), raw.get("note"), MAX_NOTE),
            questions=self._questions(page, raw.get("questions")),
        )
        claims = raw.get("claims")
        return Step(
            page=page, settings=self._settings(page, raw.get("settings")), lesson=lesson,
            answer=self._text(_("answer"), raw.get("answer"), MAX_ANSWER),
            minutes=self._minutes(raw.get("minutes", 3)),
            claims=tuple(_clean(claim)[:40] for claim in claims[:20]) if isinstance(claims, list) else (),
        )  # fmt: skip

    def _remark(self, what: str, done: str = _LEFT_OUT) -> None:
        self.remarks.append(_("Step {number} {what}; {done}.", number=self.number, what=what, done=done))

    def _skip(self, what: str) -> None:
        self._remark(what, _("the step is left out"))

    def _text(self, name: str, raw: object, most: int, clean: Callable[[object], str] = _clean) -> str:
        text = clean(raw)
        if raw is not None and not isinstance(raw, str):
            self._remark(_("has something else than text as its {name}", name=name))
        if len(text) > most:
            remark = _("has more than {most} characters as its {name}", most=most, name=name)
            self._remark(remark, _("the rest is cut"))
        return text[:most]

    def _minutes(self, raw: object) -> int:
        if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw <= MAX_MINUTES:
            return raw
        self._remark(_("has minutes that are not possible"), _("3 are taken"))
        return 3

    def _settings(self, page: str, raw: object) -> dict[str, str]:
        if raw is None:
            return {}
        if not isinstance(raw, dict):
            self._remark(_("has settings that are none"), _("they are left out"))
            return {}
        read: dict[str, str] = {}
        for key, value in list(raw.items())[:MAX_SETTINGS]:
            if not (key.startswith(f"{page}_") or key in SHARED) or key == f"{page}_tab":
                named = escape_markdown(_clean(key))
                self._remark(_("sets “{key}”, which {page} does not know", key=named, page=TITLES[page]))
            elif not isinstance(value, str) or len(value) > MAX_VALUE:
                self._remark(_("sets “{key}” to what no setting can be", key=escape_markdown(_clean(key))))
            else:
                read[key] = value.encode("utf-8", "replace").decode()
        if len(raw) > MAX_SETTINGS:
            self._remark(_("sets more than {most} controls", most=MAX_SETTINGS), _("the rest is left out"))
        return read

    def _questions(self, page: str, raw: object) -> str:
        text = self._text(_("questions"), raw, LONGEST, _clean_lines)
        if error := parse(text, asks=page in ASKING)[1]:
            sentence = escape_markdown(error, len(error))
            self.remarks.append(_("Step {number}: {sentence}", number=self.number, sentence=sentence))
        return text

    def _some(self, name: str, raw: object, known: Iterable[str]) -> tuple[str, ...]:
        wanted = [item for item in raw[:MAX_SETTINGS] if isinstance(item, str)] if isinstance(raw, list) else []
        for item in wanted:
            if item not in known:
                shown = escape_markdown(_clean(item))
                self._remark(_("has “{one}” among its {name}, which there is not", one=shown, name=name))
        return tuple(item for item in known if item in wanted)
