"""Links and lessons made by earlier versions go on opening with the settings they were made for.

``recorded_links.json`` holds, for each page, the config of its bare link (``defaults``); links that move one control,
several, a preset, an answered question or a claim (``links``: the values that the controls must have, and the fields
of the config that differ from the page's defaults); and lessons (``lessons``: what they say, and the fields that
differ where they are opened with their link, and ``alone``, as after a switch of pages). It was written by the code
of its day and only ever grows; ``WAS`` translates fields whose names have changed.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
import torch
from streamlit.testing.v1 import AppTest

from pages._shared.lesson import Lesson
from pages._shared.registry import HOME, LEDGER
from pages._shared.sheet import Sheet
from pages._shared.values import Values, shared
from attention_core.experiments.settings import Choice, declared
from tests.pages.conftest import NAMES, Open

RECORDED = json.loads((Path(__file__).parent / "recorded_links.json").read_text(encoding="utf-8"))
DEFAULTS = {entry["page"]: entry["config"] for entry in RECORDED["defaults"]}
NAMES = tuple(name for name in (*NAMES, LEDGER.name) if name in DEFAULTS)
# What a field was called when the links were recorded, and what it held, where that is not what it holds now.
WAS = {
    "output_projection": lambda config: not config["no_output"],
}
OPENED: list[Sheet] = []


@pytest.fixture(autouse=True)
def only_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page is drawn up to its first experiment; on the device and precisions that the links were recorded with."""
    begun = Sheet.__init__

    def begin(self: Sheet, *given: Any, **more: Any) -> None:
        OPENED[:] = [self]
        begun(self, *given, **more)

    monkeypatch.setattr(Sheet, "__init__", begin)
    monkeypatch.setattr("pages._shared.frame.result_of", lambda *_: st.stop())
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda **_: None)


def plain(value: Any) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (tuple, list)) else value


def all_values(at: AppTest) -> list[Values]:
    """The settings of the page that was opened last, and those that all pages share."""
    (sheet,) = OPENED
    return [sheet.values, sheet.around, shared()]


def is_as_recorded(one: Any, now: Any, was: Any) -> bool:
    """Whether a setting's value is what was recorded: the value itself, or the id of the words that stood for it."""
    if isinstance(one, Choice) and isinstance(was, str):
        return now == one.read(was)
    return plain(now) == was or (isinstance(was, str) and plain(now) == plain(one.read(was)))


def settings(at: AppTest, page: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of the page's config by their names, and the declarations of those that are declared."""
    state = at.session_state
    if page in (HOME.name, LEDGER.name):
        return {}, {}
    config = state[f"_{page}_good"][0]
    found = asdict(config)
    found |= {name: was(found) for name, was in WAS.items() if name == "output_projection" and "no_output" in found}
    return found, declared(type(config))


def differences(at: AppTest, page: str, config: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """What is not as it was recorded: a sentence for each."""
    if page not in (HOME.name, LEDGER.name) and f"_{page}_good" not in at.session_state:
        at.pills(key=f"_{page}_option").set_value("Skip").run()  # where the question comes before the picture
    said = [item.value for item in (*at.exception, *at.error, *at.warning)]
    if said:
        return said
    found, fields = settings(at, page)
    wrong = []
    for name, was in (DEFAULTS[page] | config).items() if found else ():
        if name not in found:
            wrong.append(f"{name} is gone")
        elif not (is_as_recorded(fields[name], found[name], was) if name in fields else plain(found[name]) == was):
            wrong.append(f"{name}: {found[name]!r}, not {was!r}")
    return wrong + [f"{key}: not {was!r}" for key, was in values.items() if not _stands_at(at, key, was)]


def _stands_at(at: AppTest, key: str, was: Any) -> bool:
    state: dict[str, Any] = dict(at.session_state["_values"]) if "_values" in at.session_state else {}
    for values in all_values(at):
        for name, one in values.settings.items():
            if values.key(name) == key:
                return is_as_recorded(one, state.get(key, values.defaults[name]), was)
    return False


def opened(kind: str, page: str) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    for entry in RECORDED[kind]:
        if entry["page"] == page:
            yield entry, dict(parse_qsl(entry["link"], keep_blank_values=True))


@pytest.mark.parametrize("page", NAMES)
def test_a_bare_link_opens_with_the_recorded_defaults(page: str, open_page: Open) -> None:
    assert not differences(open_page(page), page, {}, {})


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_link_opens_with_its_settings(page: str, open_page: Open) -> None:
    wrong = {}
    for entry, parameters in opened("links", page):
        found = differences(open_page(page, **parameters), page, entry["config"], entry["values"])
        if found:
            wrong[entry["made_by"], entry["link"]] = found
    assert not wrong


@pytest.mark.parametrize("page", NAMES)
def test_a_recorded_lesson_opens_with_its_settings_with_its_link_and_alone(page: str, open_page: Open) -> None:
    for entry, parameters in opened("lessons", page):
        lesson = parameters["lesson"]
        assert plain(asdict(Lesson.decode(lesson))) == {"questions": []} | entry["lesson"]
        assert not differences(open_page(page, **parameters), page, entry["config"], {}), entry["made_by"]
        assert not differences(open_page(page, lesson=lesson), page, entry["alone"], {}), entry["made_by"]
