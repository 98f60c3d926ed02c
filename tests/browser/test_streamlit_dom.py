"""What our styles and scripts lean on of Streamlit's page, which documents only the classes of keys: all of it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pages._shared.core.pages import FOLDER
from tests.browser.locators import ALERT, ASKED, POPOVER
from tests.sweeps import some_by_day

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
# Names of Streamlit's by the page on which a browser is to find each: test ids, classes, attributes.
EVERYWHERE = (
    "[data-testid=stApp]", ".stApp", "[data-test-connection-state=CONNECTED]", "[data-testid=stMain]",
    "[data-testid=stMainBlockContainer]", "[data-testid=stHeader]", "[data-testid=stMainMenuButton]",
    "[data-testid=stSidebar]", "[data-testid=stSidebarHeader]", "[data-testid=stSidebarCollapseButton] button",
    "[data-testid=stSidebarNav]", "[data-testid=stSidebarNavLink]", "[data-testid=stNavSectionHeader]",
    "[data-testid=stElementContainer]", ".stElementContainer", "[data-testid=stLayoutWrapper]", ".stMarkdown",
    "[data-testid=stMarkdown]", "[data-testid=stMarkdownContainer]",
)  # fmt: skip
EXPERIMENT = (
    "[data-testid=stButtonGroup] button", "[data-testid=stTooltipIcon]", "[data-testid=stPopoverButton]",
    "[data-testid=stBidiComponentIsolated]", "[data-testid=stTab]", "[data-testid=stPageLink-NavLink]",
    "[data-testid=stWidgetLabel]", "[data-testid=stTextInput]", "[data-testid=stTextInputRootElement]",
    "[data-testid=stSelectbox] [role=group]", ".stButtonGroup", ".stPopover", ".stTextInput",
    ".stExpander > details > summary",
)  # fmt: skip
WHERE: dict[tuple[str, str], tuple[str, ...]] = {
    ("permutation", "?permutation_tab=code&nothing=1"): (
        *EVERYWHERE,
        *EXPERIMENT,
        "[data-testid=stCode]",
        "[data-testid=stToast]",
    ),
    ("anatomy", ""): (".st-key-figure [role=radiogroup] [aria-checked=true]",),
    ("masks", "?masks_tab=data"): (".stDataFrame > [data-testid=stElementToolbar]",),
    ("home", ""): (
        "[data-testid=InputInstructions]",
        "[data-testid=stPopoverBody] button",
        "[data-testid=stAlertContainer]",
    ),
    ("claims", "?course=order"): ("[data-testid=stProgress] > div", "[data-testid=stProgress] [role=progressbar]"),
    ("biases", ""): (
        ".stCheckbox",
        "[data-testid=stCheckbox] label > span + div > div",
        "[data-testid=stCheckbox] label:has(input:checked)",
        "[data-testid=stTab] > [data-rac]",
    ),
    ("scaling", ""): (
        ".stSlider",
        "[data-testid=stSlider] [role=group] > [data-rac] > div:first-child",
        "[data-testid=stSlider] [data-rac]:has(> div > input) [data-testid=stSliderThumbValue]",
        "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]",
    ),
}
# Names of what is there only at times, each found by a test of its own below.
SOMETIMES = {
    "stExpandSidebarButton", "stStatusWidget", "stStatusWidgetRunningIcon", "stTooltipContent", "role=option",
}  # fmt: skip
NAME = re.compile(r"data-testid=([\w-]+)|\.(st[A-Z]\w+)|(data-test-[\w-]+)|(role=\w+)")


def names(text: str) -> set[str]:
    """What a text names of Streamlit's page."""
    return {next(filter(None, found)) for found in NAME.findall(text)}


def test_styles_and_scripts_name_nothing_else() -> None:
    files = [path for path in Path(FOLDER / "_shared").rglob("*") if path.suffix in (".css", ".js")]
    assert len(files) > 40
    used = {name for path in files for name in names(path.read_text(encoding="utf-8"))}
    listed = {name for selectors in WHERE.values() for selector in selectors for name in names(selector)}
    assert used - SOMETIMES == listed


@pytest.mark.parametrize("where", some_by_day((where,) for where in WHERE), ids="".join)
def test_it_is_there(where: tuple[str, str], visit: Callable[..., Any], settled: Callable[..., None]) -> None:
    page = visit("" if where[0] == "home" else where[0], where[1])
    if where[0] == "home":
        page.get_by_role("button", name="Join a class").click()
        key = page.get_by_label("Key of your class")
        key.fill("no")
        page.get_by_role("button", name="Join", exact=True).click()
        page.locator(f"{POPOVER} {ALERT}").wait_for()
        key.fill("not")  # what may be typed is said while it is
        settled(page)
    assert [selector for selector in WHERE[where] if page.locator(selector).count() == 0] == []


@pytest.mark.nightly
def test_what_computes_is_shown_in_the_header(visit: Callable[..., Any]) -> None:
    page = visit("claims")
    page.get_by_role("button", name="Check all").click()
    page.locator(".stStatusWidget[data-testid=stStatusWidget] [data-testid=stStatusWidgetRunningIcon]").wait_for(
        state="attached"
    )
    page.locator(".st-key-_claims_stop button").click()


@pytest.mark.nightly
def test_a_phone_has_a_button_that_opens_the_sidebar(visit: Callable[..., Any]) -> None:
    assert visit("masks", **PHONE).locator("[data-testid=stExpandSidebarButton]").is_visible()


def test_a_list_has_options_and_a_hint_opens(visit: Callable[..., Any]) -> None:
    page = visit("masks")
    page.locator("[data-testid=stTooltipIcon]").filter(visible=True).first.hover()
    page.locator("[data-testid=stTooltipContent]").wait_for()
    page.locator(f"{ASKED} [data-testid=stSelectbox] [role=group]").first.click()
    page.locator("[role=option]").first.wait_for()
