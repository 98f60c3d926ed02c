"""From a press to the picture and to all answers, for every control of every page, in a real browser.

``python -m benchmarks.pages`` moves each control of each page to a value that nobody has asked for (each round
opens the page with a seed of its own, so nothing is in the cache) and back again (which is), and chooses each preset,
in a window of 1440 × 780. A picture has changed once every canvas and Plotly figure in the window that is going to
change has begun to; the answers are there once the page's script is not running any more. Each figure is the median
of the rounds. A machine's speed drifts, so the reference app (one slider, one Plotly heatmap, torch imported) is
measured anew before and after each page, by the same clock, and ratios are to the median of both. The worst come
first.
"""

import argparse
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pages._shared.core.pages import PAGES
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.processes import ROOT, serving

ROUNDS = 5
PICTURE, ANSWERS, CACHED = 3.0, 10.0, 2.0  # budgets, as multiples of the reference
FIRST_SEED = 1_000
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
WARM_MS = 20_000  # what the first visitor sets off in the background is over by then
# Looking has to be cheap: a canvas drawn to 48 × 48 pixels takes a fraction of a millisecond; as a PNG, it takes more
# than many a page.
WATCH = """() => {
  const afar = new OffscreenCanvas(48, 48).getContext("2d", { willReadFrequently: true });
  const pictures = () => {
    const found = [];
    const walk = (root) => {
      for (const node of root.querySelectorAll("canvas, .js-plotly-plot, .stBidiComponent, [data-testid^=stBidi]")) {
        if (node.shadowRoot) walk(node.shadowRoot);
        const { top, bottom } = node.getBoundingClientRect();
        if (top >= innerHeight || bottom <= 0) continue;
        if (node.tagName === "CANVAS" && node.width && node.height) {
          afar.clearRect(0, 0, 48, 48);
          afar.drawImage(node, 0, 0, 48, 48);
          found.push(afar.getImageData(0, 0, 48, 48).data.join());
        }
        if (node.matches(".js-plotly-plot") && node.querySelector(".main-svg")) found.push(JSON.stringify(node.data));
      }
    };
    walk(document);
    return found;
  };
  const running = () => !document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]");
  for (const kind of ["pointerdown", "keydown"])
    document.addEventListener(kind, () => { window.pressed = performance.now(); }, true);
  window.watch = () => {
    let before = pictures();
    const changed = [];
    let ran = false, ended = 0, moved = 0;
    window.pressed = 0;
    window.watched = new Promise((resolve) => {
      const look = () => {
        const now = performance.now();
        if (!window.pressed) {
          before = pictures();
          return requestAnimationFrame(look);
        }
        pictures().forEach((picture, i) => {
          if (changed[i] === undefined && picture !== before[i]) { changed[i] = now; moved = now; }
        });
        if (running()) { ran = true; ended = 0; } else if (ran && !ended) ended = now;
        const still = now - Math.max(ended, moved, window.pressed) > 250;
        if (now - window.pressed > 60000 || (ran ? ended && still : now - window.pressed > 1500))
          return resolve([moved && moved - window.pressed, ended && ended - window.pressed]);
        requestAnimationFrame(look);
      };
      look();
    });
  };
}"""
Change = Callable[[], None]


@dataclass
class Row:
    """What was measured of one control or preset, in milliseconds, and the reference beside it."""

    page: str
    name: str
    picture: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    cached: list[float] = field(default_factory=list)
    reference: float = 0.0

    def ratio(self, times: list[float]) -> float:
        """The median as a multiple of the reference; 0 where no picture changed."""
        return statistics.median(times) / self.reference if times else 0.0

    def worst(self) -> float:
        """The largest ratio as a multiple of its budget."""
        times = ((self.picture, PICTURE), (self.answers, ANSWERS), (self.cached, CACHED))
        return max(self.ratio(measured) / budget for measured, budget in times)

    @property
    def missed(self) -> str:
        """The budgets it does not hold."""
        over = {
            "picture": self.ratio(self.picture) > PICTURE,
            "answers": self.ratio(self.answers) > ANSWERS,
            "cached": self.ratio(self.cached) > CACHED,
        }
        return ", ".join(name for name, is_over in over.items() if is_over)


def look_at(page: Any, url: str) -> None:
    """Open a page, and wait until all of it is there."""
    page.goto(url)
    page.wait_for_selector("canvas, .js-plotly-plot .main-svg", timeout=90_000)
    page.wait_for_selector(READY, timeout=90_000)
    page.wait_for_timeout(500)
    page.evaluate(WATCH)


def timed(page: Any, change: Change) -> tuple[float, float]:
    """Milliseconds from the press to the last picture that began to change, and to the end of the run; 0 for none."""
    page.evaluate("watch()")
    change()
    return tuple(page.evaluate("watched"))


def controls(page: Any, name: str) -> list[str]:
    """The keys of the widgets that ask for the page's settings, top to bottom."""
    return page.evaluate(
        """(name) => [...document.querySelectorAll(`[class*="st-key-${name}_"]`)].flatMap((node) => {
          const key = [...node.classList].find((one) => one.startsWith(`st-key-${name}_`));
          const asks = node.matches("[data-testid=stElementContainer]") && node.querySelector("input, button");
          return asks && node.getBoundingClientRect().height && !node.querySelector("iframe") ? [key] : [];
        })""",
        name,
    )


def keys_in_turn(page: Any, name: str) -> Iterator[str]:
    """Those in sight; then those of the drawer, which is opened for them and is empty until then."""
    in_sight = controls(page, name)
    yield from in_sight
    drawer = page.locator(".st-key-controls details:not([open]) > summary")
    if drawer.count():
        drawer.first.click()
        page.wait_for_selector(".st-key-controls details .stElementContainer")
        page.wait_for_selector(READY)
    yield from (key for key in controls(page, name) if key not in in_sight)


def unfold(page: Any, key: str) -> None:
    """Open what a widget is folded in; it folds again once nothing in it is on."""
    summary = page.locator(f"details:not([open]):has(.{key}) > summary")
    while summary.count():  # what breaks the claim
        summary.first.click()
        page.wait_for_timeout(300)  # it opens by and by
    page.locator(f".{key}").wait_for()


def there_and_back(page: Any, key: str) -> tuple[Change, Change] | None:
    """How a hand moves a widget to another value and back to the one it has; None if it has but one."""
    node = page.locator(f".{key}, [class*='{key}-']")  # a field that came back otherwise worded has a turn in its key
    slider = node.locator("[data-testid=stSlider] :is(input, [role=slider])")
    options = node.locator("[role=radio], [data-testid^=stBaseButton-segmented]")
    if slider.count():
        at, top = (float(slider.first.get_attribute(f"aria-value{what}") or 0) for what in ("now", "max"))
        ways = ("ArrowLeft", "ArrowRight") if at >= top else ("ArrowRight", "ArrowLeft")
        return tuple(partial(slider.first.press, way) for way in ways)
    if node.locator("[data-testid=stNumberInput]").count():
        ways = [node.locator(f"[data-testid=stNumberInputStep{way}]") for way in ("Up", "Down")]
        ways = ways if ways[0].is_enabled() else ways[::-1]
        return tuple(way.click for way in ways)
    if node.locator("[data-testid=stCheckbox]").count():
        label = node.locator("[data-testid=stCheckbox] label").first
        return partial(label.click, position={"x": 12, "y": 12}), partial(label.click, position={"x": 12, "y": 12})
    if options.count():
        chosen = options.evaluate_all(
            "all => all.findIndex(one => one.ariaChecked === 'true' || one.dataset.testid?.endsWith('Active'))"
        )
        if options.count() < 2:
            return None
        return options.nth((chosen + 1) % options.count()).click, options.nth(chosen).click
    if node.locator("[data-testid=stSelectbox]").count():
        box = node.locator("input").first
        here = box.input_value()

        def choose(*, back: bool) -> None:
            box.scroll_into_view_if_needed()
            page.wait_for_timeout(300)  # a page that still scrolls closes the list at once
            box.click()
            page.wait_for_selector("[role=option]")
            shown = page.locator("[role=option]")
            at = shown.all_text_contents().index(here)
            shown.nth(at if back else (at + 1) % shown.count()).click()

        return partial(choose, back=False), partial(choose, back=True)
    text = node.locator("input").first
    words = text.input_value()
    fewer = words.rsplit(" ", 1)[0]

    def write(what: str) -> None:
        text.fill(what)
        text.press("Enter")

    return (partial(write, fewer), partial(write, words)) if fewer != words else None


def measure_reference(page: Any, url: str, start: int, rounds: int) -> list[float]:
    """The same for the reference's slider, at values nobody has asked for."""
    look_at(page, f"{url}?step={start}")
    slider = page.locator("[data-testid=stSlider] :is(input, [role=slider])").first
    return [timed(page, partial(slider.press, "ArrowRight"))[0] for _ in range(rounds)]


def measure_page(page: Any, url: str, name: str, seed: int, rounds: int) -> list[Row]:
    """Each control of a page in rounds, and each preset."""
    rows: dict[str, Row] = {}
    for round_ in range(rounds):
        look_at(page, f"{url}/{name}?seed={seed + round_}")
        for key in keys_in_turn(page, name):
            unfold(page, key)
            ways = there_and_back(page, key)
            if ways is None:
                continue
            row = rows.setdefault(key, Row(name, key.removeprefix(f"st-key-{name}_")))
            for way, pictures in zip(ways, (row.picture, row.cached), strict=True):
                picture, answers = timed(page, way)
                if picture:
                    pictures.append(picture)
                if answers and pictures is row.picture:
                    row.answers.append(answers)
    look_at(page, f"{url}/{name}")
    presets = page.locator(".st-key-presets [role=radio]")
    names = presets.all_text_contents()
    for round_ in range(rounds + 1):
        for i, called in enumerate(names):
            picture, _ = timed(page, presets.nth(i).click)
            if round_ and picture:  # the first round fills the cache
                rows.setdefault(called, Row(name, f"preset: {called}")).cached.append(picture)
    return list(rows.values())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[page.name for page in PAGES], help="names of pages")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is moved; the median counts")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="of the first page's first round")
    asked = parser.parse_args()
    names, rounds = asked.only, asked.rounds
    from playwright.sync_api import sync_playwright

    rows: list[Row] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 780})
        with serving(ROOT / "benchmarks/reference_app.py") as reference, serving(ROOT / "app.py") as app:
            page.goto(app.url)
            page.wait_for_timeout(WARM_MS)
            for place, name in enumerate(names):
                beside = measure_reference(page, reference.url, 2 * ROUNDS * place % 80, ROUNDS)
                here = measure_page(page, app.url, name, asked.seed + rounds * place, rounds)
                compared = statistics.median(
                    beside + measure_reference(page, reference.url, (2 * place + 1) * ROUNDS % 80, ROUNDS)
                )
                for row in here:
                    row.reference = compared
                rows += here
                print(f"{name}: {len(here)} controls and presets, reference {compared:.0f} ms", flush=True)
        browser.close()
    show(rows)


def show(rows: list[Row]) -> None:
    """Print the table, the worst first."""
    print(f"\nMultiples of the reference; budgets: fresh {PICTURE:g} and {ANSWERS:g}, cached {CACHED:g}")
    print(f"{'page':<17}{'control':<34}{'fresh picture':>14}{'all answers':>14}{'cached picture':>16}  missed")
    for row in sorted(rows, key=Row.worst, reverse=True):
        cells = "".join(
            f"{row.ratio(times):>{width}.2f}" if times else f"{'–':>{width}}"
            for times, width in ((row.picture, 14), (row.answers, 14), (row.cached, 16))
        )
        print(f"{row.page:<17}{row.name:<34}{cells}  {row.missed}")
    print(f"{sum(bool(row.missed) for row in rows)} of {len(rows)} miss a budget")


if __name__ == "__main__":
    main()
