"""Drives the whole app in process, page by page."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.compute.process import process
from pages._shared.core.pages import FOLDER, HOME, PAGES

MAIN = FOLDER / "_shared/main.py"
NAMES = (HOME.name, *(page.name for page in PAGES))
Open = Callable[..., AppTest]
PATIENCE_S = 240  # the longest training allowed takes 20 s of a core to itself, and several times that of a busy one


@pytest.fixture(scope="session", autouse=True)
def no_scan() -> Iterator[None]:
    """Spare every session the search of all installed packages for components: the app has only its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


def page_path(name: str) -> str:
    """Where a page lies, as AppTest's ``switch_page`` wants it: relative to the visitors' script."""
    return f"../{name}.py"


def pictures(at: AppTest) -> list[Any]:
    """Views and boards of a page in their order, without what every page has: the shelf, and what paper shows."""
    return [one for one in at.main.get("bidi_component") if not one.key.startswith("_")]


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


def held(at: AppTest, name: str) -> dict[str, str]:
    """What the address holds of the page's settings, by their names; not what surrounds the picture."""
    own = {key.removeprefix(f"{name}_"): text for key, text in at.query_params.items() if key.startswith(f"{name}_")}
    return {key: text for key, text in own.items() if key not in ("tab", "answer", "pin")}


def answer(at: AppTest, name: str, option: str) -> None:
    """Have the page's question answered, without the move that goes with it."""
    options = process().questions[name].answers
    at.session_state["_values"] = {**at.session_state["_values"], f"{name}_answer": str(options.index(option) + 1)}
