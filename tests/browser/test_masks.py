"""Masks in a real browser: the picture follows the stack, its side and its view."""

import json
from collections.abc import Callable

import pytest

from tests.browser.conftest import pictures_of

pytestmark = pytest.mark.slow


def test_every_view_is_another_picture_and_ends_above_the_fold(visit: Callable, settled: Callable) -> None:
    page = visit("masks")
    seen = set()
    for view in ("masks", "weights", "pad test", "−10000 or −∞", "a row without keys"):
        page.get_by_role("radio", name=view, exact=True).click()
        settled(page)
        seen.add(json.dumps(pictures_of(page)))
        verdicts = page.locator(".st-key-finding").bounding_box()
        assert verdicts["y"] + verdicts["height"] <= 900, view
    assert len(seen) == 5


def test_the_side_of_the_padding_moves_the_mask(visit: Callable, settled: Callable) -> None:
    page = visit("masks", "?masks_stack=decoder&masks_unmasked=true")
    before = pictures_of(page)
    assert "does not hold" not in page.locator(".st-key-finding").inner_text()
    page.get_by_role("radio", name="left", exact=True).click()
    settled(page)
    assert "does not hold" in page.locator(".st-key-finding").inner_text()
    assert "masks_side=left" in page.url
    assert pictures_of(page) != before


def test_the_grid_of_an_encoder_decoder_has_three_parts_and_the_conventions_are_a_table(
    visit: Callable, settled: Callable
) -> None:
    page = visit("masks", "?masks_stack=encoder-decoder")
    assert page.locator("canvas").count() == 3
    page.get_by_role("radio", name="conventions", exact=True).click()
    page.get_by_role("cell", name="key_padding_mask").nth(2).wait_for()


def test_cells_of_sentences_of_any_length_are_of_one_size(visit: Callable) -> None:
    page = visit("masks", "?masks_sentences=extraordinarily+long+words+here+|+a+b")
    plots = page.locator(".st-key-figure .plot")
    sizes = plots.evaluate_all("all => all.map((one) => one.dataset.cell)")
    assert len(sizes) == 2
    assert len(set(sizes)) == 1
