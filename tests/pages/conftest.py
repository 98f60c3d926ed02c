"""Drives the whole app in process, page by page."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest

from pages._shared.core.pages import FOLDER, HOME, PAGES
from pages._shared.lessons.course import Course, Step
from pages._shared.lessons.lesson import Lesson
from tests.processes import PATIENCE_S

MAIN = FOLDER / "_shared/main.py"
NAMES = (HOME.name, *(page.name for page in PAGES))


@pytest.fixture(scope="session", autouse=True)
def no_scan() -> Iterator[None]:
    """Spare every session the search of all installed packages for components: the app has only its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Compile a page for all sessions, as a server does; AppTest compiles it for each run, a quarter of the run."""
    shared = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        for where in ("app_test", "local_script_runner"):
            patch.setattr(f"streamlit.testing.v1.{where}.ScriptCache", lambda: shared)
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


@cache
def page_hashes() -> dict[str, str]:
    """What Streamlit calls each page, by its address; only a run of the app tells it."""
    pages = AppTest.from_file(str(MAIN), default_timeout=PATIENCE_S).run()._registered_pages
    return {page["url_pathname"] or HOME.name: page_hash for page_hash, page in pages.items()}


def go_to(at: AppTest, name: str) -> AppTest:
    """Have the next run draw a page; AppTest's ``switch_page`` knows only those that are files."""
    at._page_hash = page_hashes()[name]
    return at


def press(at: AppTest, key: str, page: str | None = None) -> AppTest:
    """Press a button that may lead to another page; AppTest stays on the page it was told."""
    at.button(key=key).click().run()
    if page:
        go_to(at, page)
    return at


def open_page(name: str, session: Mapping[str, Any] | None = None, /, **parameters: str) -> AppTest:
    """Open a page of the app by its name, with parameters in the link, in a session that has come to something.

    Its drawer is open, as that of any other page will be, unless the session says otherwise.
    """
    at = AppTest.from_file(str(MAIN), default_timeout=PATIENCE_S)
    for key, value in ({f"_{page.name}_more": True for page in PAGES} | dict(session or {})).items():
        at.session_state[key] = value
    if name != HOME.name:
        go_to(at, name)
    for key, value in parameters.items():
        at.query_params[key] = value
    return at.run()


@cache
def looked_at(name: str, **parameters: str) -> AppTest:
    """A page opened once for all tests that only look at it."""
    return open_page(name, **parameters)


def open_answered(name: str, session: Mapping[str, Any] | None = None, /, **parameters: str) -> AppTest:
    """Open a page whose question has been skipped, so that everything is said."""
    return open_page(name, session, **{f"{name}_answer": "skipped"} | parameters)


def lesson_text(page: str, lesson: Lesson, **settings: str) -> str:
    """What a link holds of a lesson: a course of one step."""
    return Course(steps=(Step(page=page, settings=settings, lesson=lesson),)).encode()
