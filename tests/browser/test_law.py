"""A letter of the page's law leads to what is drawn of its role."""

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.locators import PANEL


def test_pointing_at_a_letter_of_the_law_leaves_its_matrix_bright(visit: Callable) -> None:
    page = visit("anatomy")
    faint = page.locator(f"{PANEL}.faint .title")
    for letter, bright in (("q", "Queries"), ("k", "Keys"), ("v", "Values")):
        page.locator(".st-key-law .katex-html").get_by_text(letter, exact=True).last.hover()
        expect(faint).to_have_count(7)
        assert bright not in faint.all_inner_texts()
    page.locator("h1").first.hover()
    expect(faint).to_have_count(0)
