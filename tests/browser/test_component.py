"""What stands between Streamlit and each of our components: one of a kind for as long as its place is there."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.slow

# A component that only counts, where Streamlit would put it; `draw` is what Streamlit calls with every description.
BEGIN = """async (url) => {
  const { component } = await import(`${url}shared.js`);
  [window.made, window.told, window.ended] = [0, 0, 0];
  class Counted {
    constructor() { made += 1; }
    update() { told += 1; }
    destroy() { ended += 1; }
  }
  const draw = await component(Counted, `${url}matrix_view/matrix_view.js`);
  window.host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({ mode: "open" });
  window.describe = () => { window.leave = draw({ parentElement: root }); };
}"""
FOLDER = "performance.getEntriesByType('resource').map(({ name }) => name.match(/(.*)shared.js$/)?.[1]).find(Boolean)"
COUNTS = "[made, told, ended]"
A_WHILE_MS = 500  # what would end it looks every 100 ms: nothing else tells that it does not


@pytest.fixture
def page(visit: Callable) -> Any:
    page = visit("masks")
    page.evaluate(BEGIN, page.evaluate(FOLDER))
    return page


def test_it_stays_however_long_the_next_description_takes(page: Any) -> None:
    page.evaluate("describe()")
    page.evaluate("void leave()")
    page.wait_for_timeout(A_WHILE_MS)
    page.evaluate("describe()")
    page.wait_for_timeout(A_WHILE_MS)
    assert page.evaluate(COUNTS) == [1, 2, 0]


def test_it_stays_where_the_last_description_is_cleaned_up_after_the_next(page: Any) -> None:
    page.evaluate("describe(); const first = leave; describe(); first()")
    page.wait_for_timeout(A_WHILE_MS)
    assert page.evaluate(COUNTS) == [1, 2, 0]


@pytest.mark.parametrize("leaves", ["host.remove(); leave()", "leave(); host.remove()"])
def test_it_ends_with_its_place(leaves: str, page: Any) -> None:
    page.evaluate("describe()")
    page.evaluate(leaves)
    page.wait_for_function("ended === 1")
    assert page.evaluate(COUNTS) == [1, 1, 1]
