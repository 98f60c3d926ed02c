"""What each page says, asks and offers, as it was approved: as it begins, answered, with each preset."""

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from syrupy.assertion import SnapshotAssertion

from pages._shared.claims.results import ledger
from pages._shared.core import network
from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES, TEST
from pages._shared.core.visitor_state import CLASS, DRAFT, VISIT, ClassState, DraftState, VisitState
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.session.course_position import CoursePosition, Prediction
from tests.approved import lines, on_any_machine
from tests.declarations import declarations
from tests.pages.conftest import lesson_text, open_answered, open_page
from tests.pages.courses import MINE_TEXT, OWN
from tests.pages.read import QUICK, link_of, page_of
from tests.sweeps import slow_of

# Whose presets compute for long.
LONG = ("biases", "bug_hunt", "images", "permutation", "receptive_field", "scaling", "trained", "worth")
NAMES = [page.name for page in PAGES]
TIMED = re.compile(r"`[\d.]+ [µm]?s`")
COURSE_OF = re.compile(r"(?<=course=)eN[\w-]+")  # compressed: another zlib writes it otherwise
HERE = "10.0.0.7"
MACHINES = "Device"  # its options are the machine's
OTHERS = [HOME.name, LEDGER.name, COURSE.name, TEST.name]
PROSE = ("markdown", "caption", "html")
# What a visitor sees of an element beside its label, by Streamlit's names of it.
SEEN = (
    "body", "code_text", "options", "value", "raw_value", "raw_values", "default", "min", "max", "step", "max_chars",
    "max_upload_size_mb", "type", "icon", "expanded", "disabled", "placeholder", "help", "page", "query_string",
    "url", "text", "message", "alt",
)  # fmt: skip
USUAL = ("", False, "secondary", None, [])  # nothing is told of these
UNTOLD = ("language", "summary", "leads", "block", "at", "follows")  # of what components are told
DRAWN = ("kind", "title", "quantity", "y_title", "x_title", "marked", "unfolds")  # of a panel
SHORT = 160  # characters of what is told; what is longer are numbers and pictures


def elements(block: Any) -> Iterator[str]:
    """A line for each element, in their order: its kind, its label, and what else is seen of it; prose as it is."""
    proto, kind = block.proto, block.type
    if kind == "bidi_component":
        told = json.loads(proto.json or "{}")
        drawn = [" ".join(str(one[key]) for key in DRAWN if key in one) for one in told.pop("panels", ())]
        parts = [
            f"{key} {json.dumps(value, ensure_ascii=False)}"
            for key, value in told.items()
            if key not in UNTOLD and value not in USUAL
        ]
        yield "; ".join((proto.component_name, *drawn, *(one for one in parts if len(one) <= SHORT)))
    elif kind in PROSE:
        yield from written(proto.body).splitlines()
    elif hasattr(proto, "ListFields"):
        own = proto.popover if kind == "popover" else proto
        fields = {field.name: value for field, value in own.ListFields()}
        names = (name for name in SEEN if fields.get(name) not in USUAL and is_seen(kind, name, fields[name]))
        seen = [f"{name} {shown(fields[name])}" for name in names]
        if (label := fields.get("label")) != MACHINES and (label or seen):
            yield written(f"{kind}: " + "; ".join([label, *seen] if label else seen)).replace("\n", " ")
    for child in getattr(block, "children", {}).values():
        yield from elements(child)


def is_seen(kind: str, name: str, value: Any) -> bool:
    """Whether a field is for eyes: no number that stands for a kind; code and pages' claims stand elsewhere."""
    elsewhere = (kind, name) in (("page_link", "help"), ("download_button", "url"))
    own_test = elsewhere or (name == "code_text" and "\n" in value)
    is_value = name != "default" or kind in ("number_input", "multiselect", "text_area")
    return not own_test and is_value and not (name == "type" and isinstance(value, int))


def shown(value: Any) -> str:
    """A value of an element; of several each."""
    if isinstance(value, str | bool | int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return " | ".join(getattr(one, "content", "") or shown(one) for one in value)


def written(text: str) -> str:
    """Markdown without the signs that nobody sees."""
    return text.replace("\\", "").replace("\N{WORD JOINER}", "").replace("\N{NO-BREAK SPACE}", " ")


def texts(at: AppTest) -> list[str]:
    """All that a page shows on any machine, line by line."""
    shown = (*elements(at.main), *elements(at.sidebar), *(f"toast: {one.value}" for one in at.toast))
    return [*map(on_any_machine, shown)]


@cache
def everywhere() -> frozenset[str]:
    """What stands on every page: it is approved with the page that makes a course."""
    return frozenset(texts(open_page(COURSE.name))) & {*texts(open_page(LEDGER.name))}


@cache
def usual_of(name: str) -> frozenset[str]:
    """What a page shows whose question was skipped."""
    return frozenset(texts(open_answered(name, **QUICK.get(name, {}))))


def beyond(said: list[str], known: Collection[str], usual: Collection[str] = ()) -> str:
    """The lines that are not known already, but for what was timed here, and how many of the usual ones are gone."""
    more = [line for line in said if line not in known and line not in usual and not TIMED.search(line)]
    less = [line for line in usual if line not in said and not TIMED.search(line)]
    told = "\n".join(more + [f"(lines less: {len(less)})"] * bool(less))
    return lines(COURSE_OF.sub("…", told) or "nothing more")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine's address is, and whatever other tests have checked in this process."""
    monkeypatch.setattr(network, "network_address", lambda: HERE)
    ledger.cache_clear()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    """But for the numbers of a model that is trained in float32: machines round it differently, step after step."""
    begins = texts(open_page(name, **QUICK.get(name, {})))
    answered = texts(open_answered(name, **QUICK.get(name, {})))
    if name in QUICK:
        begins, answered = ([re.sub(r"\d[\d.,]*", "#", line) for line in said] for said in (begins, answered))
    assert beyond(begins, everywhere()) == approved(name="as it begins")
    assert beyond(answered, (), {*begins}) == approved(name="answered")


@pytest.mark.parametrize("name", slow_of([name for name in NAMES if name not in QUICK], *LONG))
def test_a_preset_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    for preset in page_of(name).presets:
        said = texts(open_answered(name, **link_of(name, preset.settings)))
        assert beyond(said, (), usual_of(name)) == approved(name=str(preset.name))


def test_what_is_declared_of_every_view(approved: SnapshotAssertion) -> None:
    """What a page shows is set beside what its study measures; some of it is offered in one view alone."""
    views = {name: [*declarations(page_of(name).view)] for name in NAMES}
    assert sum(map(len, views.values())) > 20
    assert "\n".join(line for name, every in views.items() for line in (name, *every)) == approved


@pytest.mark.parametrize("name", OTHERS)
def test_what_leads_to_the_pages_says_what_was_approved(name: str, approved: SnapshotAssertion) -> None:
    assert beyond(texts(open_page(name)), everywhere() if name != COURSE.name else ()) == approved


# ---- what stands around a picture, on one page each ----

LESSON = Lesson(
    parts=("presets", "controls", "data"), fixed={"scaling_scale": "root", "scaling_num_keys": "32"},
    hidden=("scaling_num_keys",), note="Look *here*", questions=f"{MINE_TEXT}\n\n{OWN}",
)  # fmt: skip
STEP = Step(page="masks", settings={"masks_stack": "decoder"}, answer="Because *so*.", minutes=5)
HELD = Step(page="scaling", lesson=LESSON)
WALK = Course(title="Mine", steps=(STEP, HELD, STEP)).encode()
MOVED = {"masks_stack": "decoder", "masks_show": "padding", "masks_unmasked": "true"}
STATES = {
    "share": ("scaling", {"scaling_tab": "share"}),
    "data": ("masks", {"masks_tab": "data"}),
    "code": ("masks", {"masks_tab": "code"}),
    "a slide with a question": ("masks", {"present": "true", "masks_answer": ""}),
    "a slide": ("masks", {"present": "true", "masks_stack": "decoder", "masks_side": "left"}),
    "the last slide": ("masks", {"present": "true"} | {"masks_show": "additive", "masks_score_size": "100000"}),
    "pinned": ("masks", {"masks_pin": "masks_unmasked=true"}),
    "wrong": ("masks", MOVED | {"masks_answer": "2"}),
    "not as the claim": ("receptive_field", {"receptive_field_residual": "false", "receptive_field_answer": "3"}),
    "broken": ("scaling", {"scaling_std": "2.0"}),
    "not possible": ("permutation", {"permutation_context": "a b", "permutation_model": "two"}),
    "nonsense": ("masks", {"masks_side": "up", "masks_odd": "1", "seed": "-1"}),
    "a lesson": ("scaling", {"course": lesson_text("scaling", LESSON)}),
    "a course": ("masks", {"course": WALK, "step": "1"}),
    "a course on a slide": ("masks", {"course": WALK, "step": "3", "present": "true"}),
    "a step elsewhere": ("masks", {"course": WALK, "step": "2"}),
    "the end": ("masks", {"course": WALK, "step": "4"}),
    "in a class": ("masks", {"class": "BCDFG-0123456789abcdef"}),
}


END = CoursePosition(Course(title="Mine", steps=(STEP,) * 5), "", 5, None, {
    0: Prediction("Which?", "This *one*", "This *one*", {}), 1: Prediction("Which?", "This *one*", "Another", {}),
    2: Prediction("Which?", "This *one*", None, {}), 3: Prediction("Which?", "This *one*", None, {}, "It is *odd*."),
    4: Prediction("Which?", "Skip", "Another", {}),
})  # fmt: skip
SESSIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "what was predicted on the way": ("masks", {VISIT: VisitState(course=END)}),
    "a course that is made": (
        COURSE.name,
        {
            DRAFT: DraftState(
                Course(title="Mine", steps=(STEP, HELD, Step(page="home"))), open_step=1, removed=(2, STEP)
            )
        },
    ),
    "a teacher's class": ("masks", {CLASS: ClassState("BCDFG", teaches=True)}),
    "a key that was refused": (HOME.name, {CLASS: ClassState(refused="There is no such class.")}),
}


@pytest.mark.parametrize("state", SESSIONS)
def test_what_a_session_has_come_to_is_shown_as_approved(state: str, approved: SnapshotAssertion) -> None:
    name, session = SESSIONS[state]
    at = open_answered(name, session)
    assert beyond(texts(at), everywhere(), usual_of(name)) == approved


@pytest.mark.parametrize("state", STATES)
def test_what_stands_around_a_picture_is_as_approved(state: str, approved: SnapshotAssertion) -> None:
    name, link = STATES[state]
    assert beyond(texts(open_answered(name, **link)), everywhere(), usual_of(name)) == approved
