"""The Receptive field page in a real browser: its views, and nodes that are chosen."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import pictures_of

pytestmark = pytest.mark.slow


def wait_for_choice(page: Any, node: str) -> None:
    """Until the graph says that this node is the one whose cone it shows."""
    page.locator(f'.st-key-figure [aria-label*="{node} sees"]').wait_for()


def test_a_node_that_is_chosen_is_in_the_link_and_lights_its_cone(visit: Callable, settled: Callable) -> None:
    page = visit("receptive_field")
    wait_for_choice(page, "token 32 of layer 3")
    page.locator(".st-key-figure .plot").first.focus()
    for key in (*["ArrowDown"] * 2, *["ArrowLeft"] * 12, "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**receptive_field_token=20**")
    settled(page)
    assert "receptive_field_level=1" in page.url
    wait_for_choice(page, "token 20 of layer 1")
    page.get_by_role("button", name="Reset", exact=True).click()
    wait_for_choice(page, "token 32 of layer 3")


def test_every_view_is_another_picture_and_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("receptive_field")
    views = ("graph", "matrix", "curve", "heads × layers")
    seen = set()
    for view in views:
        page.get_by_role("radio", name=view, exact=True).click()
        settled(page)
        seen.add(json.dumps(pictures_of(page)))
        figure = page.locator(".st-key-figure").bounding_box()
        assert figure["y"] + figure["height"] <= 900
    assert len(seen) == len(views)
