"""What many tests rely on sees what it looks for: a request to others, and a page that is wider than its window."""

from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import sideways

WIDE = """() => {
  const wide = document.createElement("div");
  wide.style.cssText = `width: ${innerWidth + 10}px; height: 1px`;
  document.querySelector("h1").closest("[data-testid=stElementContainer]").append(wide);
}"""


def test_a_request_to_others_and_what_is_too_wide_are_seen(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    address = serve(Path(__file__).parent / "apps/asking_app.py")
    page.route("http://outside.test/**", lambda route: route.fulfill(status=200, content_type="image/png", body=b""))
    with page.expect_request("http://outside.test/**"):
        page.goto(address)
    page.wait_for_selector("h1")
    settled(page)
    assert page.outside == ["http://outside.test/pixel.png"]
    assert any(url.startswith("ws://127.0.0.1:") for url in page.asked), "WebSockets are seen too"
    page.outside.clear()
    assert sideways(page) == 0
    page.evaluate(WIDE)
    assert sideways(page) > 0
