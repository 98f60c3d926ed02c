"""A model learns in front of one's eyes: one canvas, whose picture moves while it trains and can be scrubbed then."""

from collections.abc import Callable

import pytest

# Every picture that was drawn while the progress bar stood, and the first canvas.
WATCH = """() => {
  [window.seen, window.first] = [new Set(), probe.canvases()[0]];
  probe.onDraw(() => {
    if (document.querySelector(".st-key-finding [data-testid=stProgress]"))
      seen.add(probe.canvases().map((one) => one.toDataURL()).join());
  });
}"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
def test_one_canvas_moves_while_it_learns_and_is_scrubbed_afterwards(
    width: int, visit: Callable, settled: Callable
) -> None:
    page = visit("learning", f"?learning_steps=1500&seed={width}", viewport={"width": width, "height": 844})
    page.evaluate(WATCH)
    page.locator("label", has_text="Causal mask").first.click()
    page.wait_for_url("**learning_causal=**")
    settled(page)
    assert page.evaluate("seen.size") > 1, "it was seen to learn"
    assert page.evaluate("first.isConnected"), "the canvas was taken down in between"
    slider = page.locator(".st-key-figure input[type=range]")
    assert slider.get_attribute("max") == "63"
    end = page.evaluate("first.toDataURL()")
    slider.evaluate("one => { one.value = 0; one.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert page.evaluate("first.toDataURL()") != end
    settled(page)
    assert "learning_step=" not in page.url, "dragging alone sends nothing"


@pytest.mark.slow
def test_on_a_projector_the_curve_takes_the_room_that_the_matrix_leaves(visit: Callable) -> None:
    page = visit(
        "learning", "?present=true&learning_answer=skipped&learning_steps=10", viewport={"width": 1280, "height": 720}
    )
    matrix, curve = (panel.bounding_box() for panel in page.locator(".st-key-figure .panel").all())
    assert 0 < curve["x"] - (matrix["x"] + matrix["width"]) < 60
    assert curve["width"] > 640
