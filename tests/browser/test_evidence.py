"""A test that fails in the browser leaves what its pages showed, and says where."""

from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import keep_evidence

ASKING = Path(__file__).parent / "apps/asking_app.py"


def test_what_a_page_showed_and_said_is_kept(serve: Callable, open_page: Callable, tmp_path: Path) -> None:
    page = open_page()
    page.route("http://outside.test/**", lambda route: route.fulfill(status=200, content_type="image/png", body=b""))
    page.goto(serve(ASKING))
    page.wait_for_selector("h1")
    page.evaluate("document.querySelector('h1').setAttribute('role', 'alert')")
    title = page.locator("h1").inner_text()
    with page.expect_console_message():
        page.evaluate("console.log('a message')")
    said = keep_evidence("tests/browser/test_x.py::test_y[1440-light]", [page], tmp_path)
    (folder,) = tmp_path.iterdir()
    assert str(folder) in said
    assert (folder / "page-1.png").read_bytes().startswith(b"\x89PNG")
    text = (folder / "page-1.txt").read_text(encoding="utf-8")
    assert text.startswith("http://127.0.0.1:")
    assert f"alert: {title}\n" in text
    assert "log: a message\n" in text
    assert all(line in said for line in text.splitlines())
    gone = page.context.new_page()
    gone.messages = []
    gone.close()
    assert "not to be seen" in keep_evidence("gone", [gone], tmp_path)
    page.outside.clear()
