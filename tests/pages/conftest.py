"""Drives the whole app in process, page by page."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from pages._shared.classes.page_questions import page_question
from pages._shared.core.pages import FOLDER, HOME, PAGES
from pages._shared.core.session_keys import SETTINGS
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from pages._shared.page.findings import _LOOKS
from tests.processes import PATIENCE_S

MAIN = FOLDER / "_shared/main.py"
NAMES = (HOME.name, *(page.name for page in PAGES))
Open = Callable[..., AppTest]
OUTCOMES = {icon: outcome for outcome, (icon, *_) in _LOOKS.items()}


@pytest.fixture(scope="session", autouse=True)
def no_scan() -> Iterator[None]:
    """Spare every session the search of all installed packages for components: the app has only its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


class KnownPages(PagesManager):
    """A server knows a session's pages from the run before when a callback runs; AppTest forgets them."""

    known: ClassVar[dict[str, Any]] = {}

    def get_pages(self) -> dict[str, Any]:
        found = super().get_pages()
        if any("url_pathname" in page for page in found.values()):
            KnownPages.known = found
        return KnownPages.known or found


@pytest.fixture(scope="session", autouse=True)
def known_pages() -> Iterator[None]:
    """Let callbacks go to a page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.testing.v1.app_test.PagesManager", KnownPages)
        yield


def page_path(name: str) -> str:
    """Where a page lies, as AppTest's ``switch_page`` wants it: relative to the visitors' script."""
    return f"../{name}.py"


def pictures(at: AppTest) -> list[Any]:
    """Views and boards of a page in their order, without what every page has and second looks."""
    found = at.main.get("bidi_component")
    return [one for one in found if not one.key.startswith("_") and not one.key.endswith("_second")]


def outcomes(at: AppTest) -> set[tuple[str, str]]:
    """Claim and outcome of each verdict on a page, read from its icon, whatever the words are."""
    lines = [line for item in at.markdown for line in item.value.replace("\N{WORD JOINER}", "").splitlines()]
    found = [re.search(r"(:material/\w+:).*`([\w-]+) · ", line) for line in lines]
    return {(one[2], OUTCOMES[one[1]]) for one in found if one and one[1] in OUTCOMES}


def surprises(at: AppTest) -> set[str]:
    """Claims that came out otherwise than theory says; a page without any verdict is none to ask."""
    found = outcomes(at)
    assert found
    return {claim for claim, outcome in found if outcome == "surprises"}


@cache
def _page_hash(name: str) -> str:
    # Only a run of the app tells AppTest its pages.
    return AppTest.from_file(str(MAIN), default_timeout=PATIENCE_S).run().switch_page(page_path(name))._page_hash


@pytest.fixture
def open_page() -> Open:
    """Open a page of the app by its name, with parameters in the link, in a session of its own."""

    def open_it(name: str, **parameters: str) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=PATIENCE_S)
        if name != HOME.name:
            at._page_hash = _page_hash(name)
        for key, value in parameters.items():
            at.query_params[key] = value
        return at.run()

    return open_it


@pytest.fixture
def open_answered(open_page: Open) -> Open:
    """Open a page whose question has been skipped, so that everything is said."""
    return lambda name, **parameters: open_page(name, **{f"{name}_answer": "skipped"} | parameters)


def lesson_text(page: str, lesson: Lesson, **settings: str) -> str:
    """What a link holds of a lesson: a course of one step."""
    return Course(steps=(Step(page=page, settings=settings, lesson=lesson),)).encode()


def held(at: AppTest, name: str) -> dict[str, str]:
    """What the address holds of the page's settings, by their names; not what surrounds the picture."""
    own = {key.removeprefix(f"{name}_"): text for key, text in at.query_params.items() if key.startswith(f"{name}_")}
    return {key: text for key, text in own.items() if key not in ("tab", "answer", "pin")}


def answer(at: AppTest, name: str, option: str) -> None:
    """Have the page's question answered, without the move that goes with it."""
    options = page_question(name).answers
    at.session_state[SETTINGS] = {**at.session_state[SETTINGS], f"{name}_answer": str(options.index(option) + 1)}
