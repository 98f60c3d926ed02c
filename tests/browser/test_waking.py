"""What the first visitor of a process sees while the pages are imported."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes import start_app, stop

SLEEPING = Path(__file__).parent / "apps/sleeping_app.py"


@pytest.fixture
def asleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """Address of the app in a process that has not imported its pages, and the file that lets it."""
    awake = tmp_path / "awake"
    monkeypatch.setenv("AWAKE", str(awake))
    server = start_app(SLEEPING, tmp_path / "server.log")
    yield server.url, awake
    awake.touch()
    stop(server.process)


def test_the_first_visitor_is_told_at_once_that_the_app_is_waking(
    asleep: tuple[str, Path], open_page: Callable, settled: Callable
) -> None:
    url, awake = asleep
    link = f"{url}/permutation?permutation_positions=rotary"
    page = open_page()
    page.goto(link)
    waking = page.get_by_text("Waking up")
    waking.wait_for()
    assert page.locator("h1").count() == 0, "it is said before there is a page"
    assert page.get_by_role("link", name="Permutation").first.is_visible()
    awake.touch()
    page.wait_for_selector("canvas")
    settled(page)
    assert waking.count() == 0
    assert page.url == link
    later = open_page()
    later.goto(url)
    later.wait_for_selector("h1")
    assert later.get_by_text("Waking up").count() == 0
