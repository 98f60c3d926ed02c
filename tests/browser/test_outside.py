"""The check that no page asks outside does see a page that asks."""

from collections.abc import Callable
from pathlib import Path


def test_a_request_to_others_is_seen(serve: Callable, open_page: Callable, settled: Callable) -> None:
    page = open_page()
    address = serve(Path(__file__).parent / "apps/asking_app.py")
    page.route("http://outside.test/**", lambda route: route.fulfill(status=200, content_type="image/png", body=b""))
    with page.expect_request("http://outside.test/**"):
        page.goto(address)
    page.wait_for_selector("h1")
    settled(page)
    assert page.outside == ["http://outside.test/pixel.png"]
    assert any(url.startswith("ws://127.0.0.1:") for url in page.asked), "WebSockets are seen too"
    page.outside.clear()
