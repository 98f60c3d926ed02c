"""A page on which somebody moves a control while it is being drawn is whole in the end, and nothing else is left."""

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.slow
# Presses what says so as soon as it stands in the document; whether a whole page's two links stood there already.
PRESS_AT_ONCE = """(text) => {
  window.whenPressed = new Promise((resolve) => {
    const press = () => {
      const buttons = [...document.querySelectorAll("[data-testid=stMain] button")];
      const found = buttons.find((one) => one.innerText === text);
      if (!found) return;
      observer.disconnect();
      resolve(document.querySelectorAll("[data-testid=stMain] [data-testid=stPageLink]").length === 2);
      found.click();
    };
    const observer = new MutationObserver(press);
    observer.observe(document, { subtree: true, childList: true });
  });
}"""


def test_a_control_moved_while_the_page_is_being_drawn(visit: Callable, settled: Callable) -> None:
    page = visit("permutation", "?seed=4711")
    page.evaluate(PRESS_AT_ONCE, "QK-norm")
    page.locator("[data-testid=stSidebarNavLink]", has_text="Scaling").click()
    if page.evaluate("() => window.whenPressed"):  # no result of this seed is known, but the browser may be slower
        pytest.skip("This browser drew all of the page at once: nobody could have moved anything before.")
    page.wait_for_url("**scaling_qk_norm=**")
    page.wait_for_selector(".st-key-finding")
    settled(page)
    assert page.locator("h1").inner_text() == "Scaling"
    links = page.locator("[data-testid=stMain] [data-testid=stPageLink]").all_inner_texts()
    assert len(links) == 2
    assert "Biases" in links[0]
    assert "Receptive field" in links[1]
    assert page.locator(".st-key-finding").count() == 1
    assert page.locator(".board").count() == 0
    assert page.locator("[role=tab]").count() == 4
