"""What stands between Streamlit and each of our components: one of a kind for as long as its place is there."""

from collections.abc import Callable

# A component that only counts, where Streamlit would put it; `draw` is what Streamlit calls with every description.
BEGIN = """async (url) => {
  const { component } = await import(`${url}base/component.js`);
  [window.made, window.told, window.ended] = [0, 0, 0];
  class Counted {
    constructor() { made += 1; }
    update() { told += 1; }
    destroy() { ended += 1; }
  }
  const draw = await component(Counted, `${url}matrix_view/view.js`);
  window.host = document.createElement("div");
  document.body.append(host);
  const root = host.attachShadow({ mode: "open" });
  window.describe = () => { window.leave = draw({ data: { language: "en" }, parentElement: root }); };
}"""
LOADED = "performance.getEntriesByType('resource').map((one) => one.name)"
FOLDER = f"{LOADED}.map((name) => name.match(/(.*)base.component.js$/)?.[1]).find(Boolean)"
LONG_MS = 60_000  # longer than any phone takes from one description to the next


def test_it_lives_as_long_as_its_place(visit: Callable) -> None:
    page = visit("masks")
    folder = page.evaluate(FOLDER)
    page.clock.install()
    page.goto(f"{folder}base/component.js")  # a document of the same server that nothing else runs in

    def counts_after(*steps: str) -> list[int]:
        page.evaluate(BEGIN, folder)
        for step in steps:
            page.evaluate(step)
            page.clock.run_for(LONG_MS)
        return page.evaluate("[made, told, ended]")

    assert counts_after("describe()", "void leave()", "describe()") == [1, 2, 0], "however long the next one takes"
    late = "describe(); const first = leave; describe(); first()"
    assert counts_after(late) == [1, 2, 0], "cleaned up after it"
    assert counts_after(late, "host.remove(); leave()") == [1, 2, 1], "once"
    assert counts_after("describe()", "host.remove(); leave()") == [1, 1, 1]
    assert counts_after("describe()", "leave(); host.remove()") == [1, 1, 1]
