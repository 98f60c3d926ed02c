"""From a control to every changed picture, in a real browser, page by page: ``python -m tests.benchmarks.pages``.

The end point is the same for all: every canvas and every Plotly figure on the screen, 1440 × 900, that is going to
change has changed. Results are cached on the server, as they are once somebody has looked at them; each figure is the
median of repeated changes. A machine's speed drifts by half within minutes, so the reference app is measured anew
right before and right after each page, and the ratio is that to the median of both.
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
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from pages._shared.registry import PAGES

ROOT = Path(__file__).parents[2]
REPEATS = 15
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
  const start = window.clicked;
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


ON_CLICK = """(node) => node.addEventListener(
  "pointerdown", () => { window.clicked = performance.now(); }, { once: true, capture: true }
)"""


def settle(page: Any) -> None:
    """Wait until the script is not running and the last animation has ended."""
    page.wait_for_timeout(100)
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=90_000)
    page.wait_for_timeout(500)


def measure(page: Any, controls: list[Any]) -> list[float]:
    """Milliseconds from a click on one of ``controls`` in turn until all pictures have changed."""
    times = []
    changes: dict[int, int] = {}
    for i in range(REPEATS + 2 * len(controls)):
        control, before = controls[i % len(controls)], page.evaluate(PICTURES)
        control.evaluate(ON_CLICK)
        box = control.bounding_box()
        if i < 2 * len(controls):
            # Two rounds first: they fill the cache and count the pictures that this change is going to change.
            control.click()
            settle(page)
            after = page.evaluate(PICTURES)
            changes[i % len(controls)] = sum(a != b for a, b in zip_longest(after, before))
            continue
        expected = changes[i % len(controls)]
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if expected:
            times.append(page.evaluate(WATCH, [before, expected]))
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
        print(f"{'page':<18}{'median ms':>10}{'reference ms':>14}{'ratio':>8}   (budget 2.0)")
        with serving(ROOT / "tests/benchmarks/reference_app.py") as reference, serving(ROOT / "app.py") as url:
            page.goto(url)
            page.wait_for_timeout(WARM_MS)
            for name in names:
                beside = measure_reference(page, reference)
                page.goto(f"{url}/{name}")
                page.wait_for_selector("canvas, .js-plotly-plot .main-svg", timeout=90_000)
                settle(page)
                presets = page.locator(".st-key-presets [role=radio]")
                median = statistics.median(measure(page, [presets.nth(0), presets.nth(1)]))
                compared = statistics.median(beside + measure_reference(page, reference))
                print(f"{name:<18}{median:>10.0f}{compared:>14.0f}{median / compared:>8.2f}", flush=True)
        browser.close()


def measure_reference(page: Any, url: str) -> list[float]:
    """The same for the reference's slider, moved by the arrow keys: it sends on each press."""
    page.goto(url)
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=90_000)
    settle(page)
    page.locator("[data-testid=stSlider] :is(input, [role=slider])").first.focus()
    page.evaluate("document.addEventListener('keydown', () => { window.clicked = performance.now(); }, true)")
    times = []
    for i in range(REPEATS // 2 + 2):
        before = page.evaluate(PICTURES)
        page.keyboard.press("ArrowRight")
        elapsed = page.evaluate(WATCH, [before, 1])
        times += [elapsed] if i >= 2 else []
        settle(page)
    return times


if __name__ == "__main__":
    main()
