"""Links, lessons, courses and classes of earlier versions go on opening with the settings they were made for.

``recorded_links.json`` holds, for each page, the config of its bare link (``defaults``); links that move one control,
several, a preset, an answered question or a claim (``links``: the values that the controls must have, and the fields
of the config that differ from the page's defaults); lessons (``lessons``: what they say, and the fields that
differ where they are opened with their link, and ``alone``, as after a switch of pages); steps of courses
(``courses``: all that the course says, and the fields that differ where its link is opened); and pages in a class
(``classes``: its key). It was written by the code of its day and only ever grows; ``WAS`` translates fields whose
names have changed.

Every link is read as its page reads it, without a picture; of each kind one is opened.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
import torch
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import LEDGER, PAGES
from pages._shared.lessons.course import decode
from pages._shared.lessons.lesson import Lesson
from pages._shared.page.state import ExperimentState
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import shared
from attention_core.experiments.config import RunConfig
from attention_core.experiments.settings import Choice, Setting, declared
from tests.pages.conftest import NAMES, Open

RECORDED = json.loads((Path(__file__).parent / "recorded_links.json").read_text(encoding="utf-8"))
DEFAULTS = {entry["page"]: entry["config"] for entry in RECORDED["defaults"]}
NAMES = (*NAMES, LEDGER.name)
# What a field was called when the links were recorded, and what it held, where that is not what it holds now.
WAS = {
    "output_projection": lambda config: not config["no_output"],
}
OPENED: list[PageState] = []


@dataclass(frozen=True)
class Stands:
    """What the controls stand at, by their keys in the link; and the config, where the page has one of settings."""

    values: Mapping[str, Any]
    config: Any


@pytest.fixture(autouse=True)
def only_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is drawn up to its first experiment; on the device and precisions that the links were recorded with."""
    begun = PageState.__init__

    def begin(self: PageState, *given: Any, **more: Any) -> None:
        OPENED[:] = [self]
        begun(self, *given, **more)

    monkeypatch.setattr(PageState, "__init__", begin)
    monkeypatch.setattr("pages._shared.page.page.run_with_progress", lambda *_: st.stop())
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda **_: None)


def controls() -> Iterator[tuple[str, Setting, Any]]:
    """Key, declaration and default of every setting of the page that was opened last, and of those of all pages."""
    (sheet,) = OPENED
    for values in (sheet.settings, sheet.extras, shared()):
        for name, one in values.declared.items():
            yield values.key(name), one, values.defaults[name]


def read(sheet: PageState, parameters: Mapping[str, str]) -> Stands:
    """What a link means on a page."""
    own, every = sheet.settings.read(parameters), shared().read(parameters)
    values = {
        one.key(name): value
        for one, found in ((sheet.settings, own), (sheet.extras, sheet.extras.read(parameters)), (shared(), every))
        for name, value in found.items()
    }
    run = {name: every[name] for name in declared(RunConfig)}
    return Stands(values, sheet.build(own, run)[0] if isinstance(sheet, ExperimentState) else None)


def shown(at: AppTest, page: str) -> Stands:
    """What an opened page shows."""
    state = at.session_state
    moved = dict(state["_values"]) if "_values" in state else {}
    config = state[f"_{page}_good"][0] if page in {one.name for one in PAGES} else None
    return Stands({key: moved.get(key, default) for key, _, default in controls()}, config)


def plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def is_as_recorded(one: Any, now: Any, was: Any) -> bool:
    """Whether a setting's value is what was recorded: the value itself, or the id of the words that stood for it."""
    if isinstance(one, Choice) and isinstance(was, str):
        return now == one.read(was)
    return plain(now) == was or (isinstance(was, str) and plain(now) == plain(one.read(was)))


def fields(config: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of a config by their names, and the declarations of those that are declared."""
    if config is None:
        return {}, {}
    found = asdict(config)
    found |= {name: was(found) for name, was in WAS.items() if name == "output_projection" and "no_output" in found}
    return found, declared(type(config))


def differences(stands: Stands, config: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """What is not as it was recorded: a sentence for each.

    Args:
        stands: What stands now.
        config: What the config's fields were.
        values: What controls stood at.
    """
    found, known = fields(stands.config)
    wrong = []
    for name, was in config.items() if found else ():
        if name not in found:
            wrong.append(f"{name} is gone")
        elif not (is_as_recorded(known[name], found[name], was) if name in known else plain(found[name]) == was):
            wrong.append(f"{name}: {found[name]!r}, not {was!r}")
    ones = {key: one for key, one, _ in controls()}
    return wrong + [
        f"{key}: not {was!r}"
        for key, was in values.items()
        if key not in ones or not is_as_recorded(ones[key], stands.values[key], was)
    ]


def opens_as(at: AppTest, page: str, config: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """What an opened page says against its link, or shows otherwise than was recorded."""
    if page in {one.name for one in PAGES} and f"_{page}_good" not in at.session_state:
        at.pills(key=f"_{page}_option").set_value("Skip").run()  # where the question comes before the picture
    said = [item.value for item in (*at.exception, *at.error, *at.warning)]
    return said or differences(shown(at, page), DEFAULTS[page] | config, values)


def recorded(kind: str, page: str) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """What was recorded of a page, with the parameters of each link; a page without it has been forgotten."""
    found = [(one, dict(parse_qsl(one["link"], keep_blank_values=True))) for one in RECORDED[kind]]
    mine = [(one, parameters) for one, parameters in found if one["page"] == page]
    assert mine, f"of {page} there are no {kind}"
    return mine


@pytest.mark.parametrize("page", NAMES)
def test_a_bare_link_opens_with_the_recorded_defaults(page: str, open_page: Open) -> None:
    assert not opens_as(open_page(page), page, {}, {})


@pytest.mark.parametrize("page", NAMES)
def test_every_recorded_link_is_read_as_it_was(page: str, open_page: Open) -> None:
    open_page(page)
    (sheet,) = OPENED
    known, wrong = {key for key, _, _ in controls()}, {}
    for entry, parameters in recorded("links", page):
        found = differences(read(sheet, parameters), DEFAULTS[page] | entry["config"], entry["values"])
        if unknown := parameters.keys() - known:
            found.append(f"unknown: {unknown}")
        if found:
            wrong[entry["made_by"], entry["link"]] = found
    assert not wrong


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_link_of_each_kind_opens_with_its_settings(page: str, open_page: Open) -> None:
    kinds = {}
    for entry, parameters in recorded("links", page):
        kind = entry["made_by"] if entry["made_by"].startswith("several") else entry["made_by"].split()[0]
        if kind in ("several all", "several half", "preset", "claim", "prediction"):
            kinds.setdefault(kind, (entry, parameters))
    assert len(kinds) == (5 if page in {one.name for one in PAGES} else 2)
    for kind, (entry, parameters) in kinds.items():
        assert not opens_as(open_page(page, **parameters), page, entry["config"], entry["values"]), kind


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_lesson_opens_with_its_settings_with_its_link_and_alone(page: str, open_page: Open) -> None:
    for entry, parameters in recorded("lessons", page):
        lesson = parameters["lesson"]
        assert plain(asdict(Lesson.decode(lesson))) == {"questions": []} | entry["lesson"]
        assert not opens_as(open_page(page, **parameters), page, entry["config"], {}), entry["made_by"]
        assert not opens_as(open_page(page, lesson=lesson), page, entry["alone"], {}), entry["made_by"]


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_step_of_a_course_opens_with_its_settings(page: str, open_page: Open) -> None:
    for entry, parameters in recorded("courses", page):
        course, left_out = decode(parameters["course"])
        assert not left_out
        assert [plain(asdict(step)) for step in course.steps] == entry["steps"]
        at = open_page(page, **parameters)
        assert not opens_as(at, page, entry["config"], entry["values"]), entry["made_by"]
        assert at.query_params["course"] == parameters["course"]
        assert at.query_params["step"] == entry["step"]


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_page_in_a_class_opens_with_its_settings_and_in_the_class(page: str, open_page: Open) -> None:
    for entry, parameters in recorded("classes", page):
        at = open_page(page, **parameters)
        assert not opens_as(at, page, entry["config"], entry["values"]), entry["made_by"]
        assert at.query_params["class"] == entry["class"]
