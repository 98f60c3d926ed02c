"""From a control to every changed picture, in a real browser, page by page: ``python -m tests.benchmarks.pages``.

Two things are changed on each page: the first control that one click or key changes, and the
first two presets, which set all controls at once. The end point is the same for all: every canvas and every Plotly
figure on the screen, 1440 × 900, that is going to change has changed. Results are cached on the server, as they are
once somebody has looked at them; each figure is the median of repeated changes. A machine's speed drifts by half
within minutes, so the reference app is measured anew right before and right after each page, and the ratio is that to
the median of both.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pages._shared.registry import PAGES

ROOT = Path(__file__).parents[2]
REPEATS = 15
SLIDER = "[data-testid=stSlider] :is(input, [role=slider])"
Change = Callable[[], None]
WARM_MS = 20_000  # what the first visitor sets off in the background is over by then
# Every canvas as it looks from afar, and the data of every Plotly figure. Looking has to be cheap: a canvas drawn to
# 48 × 48 pixels takes a fraction of a millisecond, as a PNG it takes longer than many a page.
PICTURES = """() => {
  const found = [];
  window.afar ??= new OffscreenCanvas(48, 48).getContext("2d", { willReadFrequently: true });
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches("canvas, .js-plotly-plot") && node.getBoundingClientRect().top >= innerHeight) continue;
      if (node.tagName === "CANVAS" && node.closest(".plot") && node.width && node.height) {
        window.afar.clearRect(0, 0, 48, 48);
        window.afar.drawImage(node, 0, 0, 48, 48);
        found.push(window.afar.getImageData(0, 0, 48, 48).data.join());
      }
      if (node.matches(".js-plotly-plot") && node.querySelector(".main-svg")) found.push(JSON.stringify(node.data));
      if (node.shadowRoot) walk(node.shadowRoot);
    }
  };
  walk(document);
  return found;
}"""
# Resolves with the milliseconds from the click until as many pictures differ from `before` as `expected`.
WATCH = f"""([before, expected]) => new Promise((resolve, reject) => {{
  const pictures = {PICTURES};
  const start = window.pressed;
  const look = () => {{
    const now = pictures();
    const most = Math.max(now.length, before.length);
    const changed = Array.from({{ length: most }}, (_, i) => now[i] !== before[i]).filter(Boolean).length;
    if (changed >= expected) return resolve(performance.now() - start);
    if (performance.now() - start > 20000) return reject(new Error(`only ${{changed}} of ${{expected}} changed`));
    requestAnimationFrame(look);
  }};
  look();
}})"""


@contextmanager
def serving(app: Path) -> Iterator[str]:
    """The app on a free port of this machine, with the project's configuration."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true"]
    command += ["--server.address=127.0.0.1", f"--server.port={port}"]
    server = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(10)


ON_PRESS = """() => ["pointerdown", "keydown"].forEach((kind) => document.addEventListener(
  kind, () => { window.pressed = performance.now(); }, true
))"""


def settle(page: Any) -> None:
    """Wait until the script is not running and the last animation has ended."""
    page.wait_for_timeout(100)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=90_000)
    page.wait_for_timeout(500)


def measure(page: Any, changes: list[Change]) -> list[float]:
    """Milliseconds from the press of each of ``changes`` in turn until all pictures have changed."""
    page.evaluate(ON_PRESS)
    times = []
    expected: dict[int, int] = {}
    for i in range(REPEATS + 2 * len(changes)):
        before = page.evaluate(PICTURES)
        changes[i % len(changes)]()
        if i < 2 * len(changes):
            # Two rounds first: they fill the cache and count the pictures that this change is going to change.
            settle(page)
            after = page.evaluate(PICTURES)
            expected[i % len(changes)] = sum(a != b for a, b in zip_longest(after, before))
            continue
        if expected[i % len(changes)]:
            times.append(page.evaluate(WATCH, [before, expected[i % len(changes)]]))
        settle(page)
    return times


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[page.name for page in PAGES], help="names of pages")
    names = parser.parse_args().only
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        heads = f"{'reference ms':>14}{'control ms':>12}{'ratio':>7}{'preset ms':>12}{'ratio':>7}"
        print(f"{'page':<18}{heads}   (budget 2.0)")
        with serving(ROOT / "tests/benchmarks/reference_app.py") as reference, serving(ROOT / "app.py") as url:
            page.goto(url)
            page.wait_for_timeout(WARM_MS)
            for name in names:
                beside = measure_reference(page, reference)
                took = []
                for find in (one_control, two_presets):
                    page.goto(f"{url}/{name}")
                    page.wait_for_selector("canvas, .js-plotly-plot .main-svg", timeout=90_000)
                    settle(page)
                    took.append(statistics.median(measure(page, find(page))))
                compared = statistics.median(beside + measure_reference(page, reference))
                ratios = "".join(f"{ms:>12.0f}{ms / compared:>7.2f}" for ms in took)
                print(f"{name:<18}{compared:>14.0f}{ratios}", flush=True)
        browser.close()


def click(page: Any, node: Any) -> Change:
    """Click the middle of ``node``."""

    def change() -> None:
        box = node.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    return change


def keys(page: Any, slider: Any) -> list[Change]:
    """Move a slider by a step and back."""

    def press(key: str) -> None:
        slider.focus()
        page.keyboard.press(key)

    return [partial(press, key) for key in ("ArrowRight", "ArrowLeft")]


def one_control(page: Any) -> list[Change]:
    """Two options of a row, a switch or a slider in turn: the first on the screen that changes a picture."""
    column = page.locator("[data-testid=stColumn]").last
    rows = [row.locator("[role=radio]").all()[:2] for row in column.locator("[role=radiogroup]").all()]
    switches = [[switch] for switch in column.locator("[data-testid=stCheckbox] label").all()]
    controls = [(nodes[-1], [click(page, node) for node in nodes]) for nodes in rows + switches]
    controls += [(slider, keys(page, slider)) for slider in column.locator(SLIDER).all()]
    for node, changes in controls:
        if node.bounding_box()["y"] < page.viewport_size["height"] - 40:
            before = page.evaluate(PICTURES)
            changes[-1]()
            settle(page)
            if page.evaluate(PICTURES) != before:
                return changes
            changes[0]()
            settle(page)
    raise RuntimeError(f"no control on the screen changes a picture of {page.url}")


def two_presets(page: Any) -> list[Change]:
    """The first two presets in turn."""
    return [click(page, preset) for preset in page.locator(".st-key-presets [role=radio]").all()[:2]]


def measure_reference(page: Any, url: str) -> list[float]:
    """The same for the reference's slider."""
    page.goto(url)
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=90_000)
    settle(page)
    return measure(page, keys(page, page.locator(SLIDER).first))


if __name__ == "__main__":
    main()
