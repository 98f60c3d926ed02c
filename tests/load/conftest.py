"""A server that visitors share who leave nothing behind."""

from collections.abc import Iterator

import pytest

from tests.processes import ROOT, Server, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("server") / "log") as running:
        yield running
