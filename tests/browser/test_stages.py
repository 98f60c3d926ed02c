"""A page on which somebody moves a control while it is being drawn is whole in the end, and nothing else is left."""

from collections.abc import Callable

from tests.browser.conftest import APP, Line
from tests.browser.locators import FINDING, LINKS


def test_a_control_moved_while_the_page_is_being_drawn(
    serve: Callable, open_page: Callable, settled: Callable
) -> None:
    page = open_page(reduced_motion="reduce")
    line = Line(page)
    page.goto(f"{serve(APP)}/permutation")
    page.locator("canvas").first.wait_for()
    settled(page)
    links = page.locator("[data-testid=stMain] [data-testid=stPageLink]")
    assert links.count() == 2
    line.hold(after=b"As initialised")
    page.locator(LINKS, has_text="Scaling").click()
    page.locator(".st-key-presets button", has_text="As initialised").click()
    assert links.count() == 0, "what comes after the control is not there yet"
    line.let_go()
    page.wait_for_url("**scaling_through_module=**")
    page.wait_for_selector(FINDING)
    settled(page)
    assert page.locator("h1").inner_text() == "Scaling"
    texts = links.all_inner_texts()
    assert len(texts) == 2
    assert "Biases" in texts[0]
    assert "Receptive field" in texts[1]
    assert page.locator(FINDING).count() == 1
    assert page.locator(".board").count() == 0
    assert page.locator("[role=tab]").count() == 4


def test_what_follows_a_picture_stays_where_it_is_when_that_comes_late(serve: Callable, open_page: Callable) -> None:
    page, held = open_page(reduced_motion="reduce"), []
    page.route("**/matrix_view/view.js*", lambda route: held.append(route))  # noqa: PLW0108
    with page.expect_request("**/matrix_view/view.js*"):
        page.goto(f"{serve(APP)}/masks")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning] .st-key-finding p")
    top = page.locator(".st-key-finding").bounding_box()["y"]
    assert page.locator("canvas").count() == 0
    held[0].continue_()
    page.locator("canvas").first.wait_for()
    assert abs(page.locator(".st-key-finding").bounding_box()["y"] - top) < 100, "a jump was 500 pixels and more"
