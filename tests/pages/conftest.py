"""Drives the whole app in process, page by page."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages._shared.registry import HOME, PAGES

ROOT = Path(__file__).parents[2]
NAMES = (HOME.name, *(page.name for page in PAGES))
Open = Callable[..., AppTest]


@pytest.fixture
def open_page() -> Open:
    """Open a page of the app by its name, with parameters in the link."""

    def open_it(name: str, **parameters: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
        if name != HOME.name:
            # Only a run of the app tells AppTest its pages; a link is then opened in a session of its own.
            known = at.run().switch_page(f"pages/{name}.py")
            at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
            at._page_hash = known._page_hash
        for key, value in parameters.items():
            at.query_params[key] = value
        return at.run()

    return open_it
