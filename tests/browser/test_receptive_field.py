"""The Receptive field page in a real browser: its views, and nodes chosen by a click."""

import json
from collections.abc import Callable
from typing import Any

from tests.browser.conftest import LOADED, PICTURES

# Where on the screen the node of a token stands in a layer.
NODE = """([token, layer]) => {
  const plot = document.querySelector(".st-key-figure .js-plotly-plot");
  const { xaxis, yaxis } = plot._fullLayout;
  const { left, top } = plot.getBoundingClientRect();
  return [left + xaxis._offset + xaxis.l2p(token), top + yaxis._offset + yaxis.l2p(layer)];
}"""


def chosen(page: Any) -> list[float]:
    """Token and layer of the node that is drawn as the chosen one."""
    return page.evaluate(
        """() => {
          const traces = document.querySelector(".st-key-figure .js-plotly-plot")._fullData;
          const { x, y } = traces.find((trace) => trace.name === "chosen token");
          return [x[0], y[0]];
        }"""
    )


def test_a_click_on_a_node_chooses_it(visit: Callable, settled: Callable) -> None:
    page = visit("receptive_field")
    assert chosen(page) == [32, 3]
    page.mouse.click(*page.evaluate(NODE, [20, 1]))
    page.wait_for_url("**receptive_field_token=20**", timeout=LOADED)
    settled(page)
    assert "receptive_field_level=1" in page.url
    page.wait_for_timeout(500)
    assert chosen(page) == [20, 1]
    page.get_by_role("button", name="Reset", exact=True).click()
    settled(page)
    page.wait_for_timeout(500)
    assert chosen(page) == [32, 3]


def test_every_view_is_another_picture_and_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("receptive_field")
    views = ("graph", "matrix", "curve", "heads × layers")
    seen = set()
    for view in views:
        page.get_by_role("radio", name=view, exact=True).click()
        settled(page, LOADED)
        page.wait_for_timeout(500)
        seen.add(json.dumps(page.evaluate(PICTURES)))
        verdicts = page.locator(".st-key-verdicts").bounding_box()
        assert verdicts["y"] + verdicts["height"] <= 900
    assert len(seen) == len(views)
