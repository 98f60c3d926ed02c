"""Frames of a picture that moves, in a real browser without a graphics card.

``python -m benchmarks.motion`` shuffles tokens and chooses presets in a window of 1440 × 900, and takes the time from
each frame to the next, from the first in which a picture is painted to the last. The budget is 33 ms for 95 of 100
frames. Beside it stand the time that painting takes of a frame, and the same of a page on which nothing moves: what
the machine gives just then.
"""

import argparse
import statistics
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from benchmarks.pages import READY, WARM_MS
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.processes import ROOT, serving

ROUNDS = 5
BUDGET_MS = 33.0
REST_MS, MOVE_MS = 1_000, 2_000
# When each frame came for so many milliseconds, and how long a picture was painted in it.
WATCH = """(ms) => new Promise((done) => {
  const frames = [];
  const begun = performance.now();
  const look = (now) => {
    frames.push([now, window.painted]);
    window.painted = 0;
    if (now - begun < ms) requestAnimationFrame(look);
    else done(frames);
  };
  requestAnimationFrame(look);
})"""
# What a view does in a frame lies between the frame's beginning and the last thing that it told a canvas.
SPY = """
window.painted = 0;
const frame = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (drawn) => frame((now) => {
  const from = performance.now();
  window.cleared = false;
  drawn(now);
  if (window.cleared) window.painted += performance.now() - from;
});
const clear = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...given) {
  window.cleared = true;
  clear.apply(this, given);
};
"""
TWELVE = "permutation_tokens=a+quick+brown+fox+jumps+over+the+lazy+dog+and+runs+away"


def tool(page: Any, name: str) -> None:
    """Press a button of the token board."""
    page.locator(f".board [name={name}]").first.click()


CASES: dict[str, tuple[str, Callable[[Any, int], None]]] = {
    "six tokens are shuffled": ("permutation", lambda page, _: tool(page, "Shuffle")),
    "twelve tokens are shuffled": (f"permutation?{TWELVE}", lambda page, _: tool(page, "Shuffle")),
    "a preset is chosen": (
        "trained",
        lambda page, turn: page.locator(".st-key-presets [role=radio]").nth((turn + 1) % 3).click(),
    ),
}


def moved(frames: list[list[float]]) -> tuple[list[float], list[float]]:
    """Milliseconds from frame to frame while a picture moves, and those that painting took."""
    at = [i for i, (_, painted) in enumerate(frames) if painted]
    if len(at) < 2:
        return [], []
    inside = range(at[0], at[-1])
    return [frames[i + 1][0] - frames[i][0] for i in inside], [frames[i][1] for i in at]


def most(times: list[float], share: float = 0.95) -> float:
    """What so large a share of the times is at most."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] if times else 0.0


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each picture is moved")
    rounds = parser.parse_args().rounds
    from playwright.sync_api import sync_playwright

    heads = f"{'frames':>8}{'median':>9}{'95 %':>9}{'painting':>10}{'at rest':>9}"
    print(f"{'':<30}{heads}   in ms; 95 % within {BUDGET_MS:g}")
    with sync_playwright() as playwright, serving(ROOT / "app.py") as app:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(SPY)
        page.goto(app.url)
        page.wait_for_timeout(WARM_MS)
        for name, (place, change) in CASES.items():
            page.goto(f"{app.url}/{place}")
            page.wait_for_selector(READY, timeout=90_000)
            page.wait_for_timeout(2_000)
            rest = [frame for frame, _ in page.evaluate(WATCH, REST_MS)]
            still = [after - before for before, after in pairwise(rest)]
            times, painting = list[float](), list[float]()
            for turn in range(rounds):
                page.evaluate(f"() => {{ window.watched = ({WATCH})({MOVE_MS}) }}")
                change(page, turn)
                between, painted = moved(page.evaluate("watched"))
                times += between
                painting += painted
                page.wait_for_selector(READY)
            print(
                f"{name:<30}{len(times):>8}{statistics.median(times or [0]):>9.1f}{most(times):>9.1f}"
                f"{most(painting):>10.1f}{most(still):>9.1f}   {'' if most(times) <= BUDGET_MS else 'missed'}"
            )
        browser.close()


if __name__ == "__main__":
    main()
