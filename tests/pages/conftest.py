"""Drives the whole app in process, page by page."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.registry import HOME, PAGES

ROOT = Path(__file__).parents[2]
NAMES = (HOME.name, *(page.name for page in PAGES))
Open = Callable[..., AppTest]


@pytest.fixture(scope="session", autouse=True)
def no_scan() -> Iterator[None]:
    """Spare every session the search of all installed packages for components: the app has only its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_warm_up() -> Iterator[None]:
    """Nothing is imported in the background: a process that ends meanwhile is aborted by torch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages._shared.warm.warm_up", lambda: None)
        yield


@cache
def _page_hash(name: str) -> str:
    # Only a run of the app tells AppTest its pages.
    return (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run().switch_page(f"pages/{name}.py")._page_hash
    )


@pytest.fixture
def open_page() -> Open:
    """Open a page of the app by its name, with parameters in the link, in a session of its own."""

    def open_it(name: str, **parameters: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if name != HOME.name:
            at._page_hash = _page_hash(name)
        for key, value in parameters.items():
            at.query_params[key] = value
        return at.run()

    return open_it
