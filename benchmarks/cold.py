"""From the start of a process to its first page drawn, in a real browser: ``python -m benchmarks.cold``.

The reference is one slider and one Plotly heatmap with torch imported, in the same run; the two take turns.
"""

import statistics
import time
from pathlib import Path
from typing import Any

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.processes import ROOT, serving

REPEATS = 5
DRAWN = "canvas, .js-plotly-plot .main-svg"
REFERENCE, APP = ROOT / "benchmarks/reference_app.py", ROOT / "app.py"


def measure(browser: Any, app: Path) -> float:
    """Seconds from starting the server until a visitor, who opens it at once, sees the first picture."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    start = time.perf_counter()
    with serving(app) as server:
        page.goto(server.url)
        page.wait_for_selector(DRAWN, timeout=90_000)
        elapsed = time.perf_counter() - start
    page.close()
    return elapsed


def main() -> None:
    """Print both medians and their ratio."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        turns = [(measure(browser, REFERENCE), measure(browser, APP)) for _ in range(REPEATS)]
        browser.close()
    reference, app = map(statistics.median, zip(*turns, strict=True))
    print(
        f"{'':<18}{'median s':>10}{'ratio':>8}   (budget 1.3)\n"
        f"{'reference app':<18}{reference:>10.2f}{1:>8.2f}\n"
        f"{'app':<18}{app:>10.2f}{app / reference:>8.2f}"
    )


if __name__ == "__main__":
    main()
