"""Moves as browsers send them, one message each, with what a widget's own code never sends twice."""

from collections.abc import Iterator

import pytest

from pages._shared.registry import PAGES
from tests.load.client import Session
from tests.load.server import ROOT, Server, serving

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("server") / "log") as running:
        yield running


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_a_control_that_was_moved_there_and_back_in_one_go_leaves_a_page_that_goes_on(
    name: str, server: Server
) -> None:
    with Session(server.url) as visitor:
        toggles = [one for one in visitor.visit(name).widgets if one.kind == "checkbox" and one.key.startswith(name)]
        one = toggles[0]
        for value in (not one.proto.default, not one.proto.default, one.proto.default):
            run = visitor.change([one.state(value)])
            assert not run.failures
            assert [said for said in run.told if "went wrong" in said] == []
        assert run.messages
