"""The app in Chinese as a browser draws it: its marks in a Chinese typeface, and words typed without spaces."""

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from pages._shared.core.language import worded_key
from attention_core.language import using
from tests.browser.conftest import open_drawer

NO_FONT = (
    not shutil.which("fc-list")
    or not subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, text=True, check=False).stdout
)
MARKS = "“‘—…’”"
# Words and marks in the typefaces of the page, each in a line of its own.
LINE = """(text) => {
  const line = document.createElement("p");
  line.id = "line";
  line.textContent = text;
  document.querySelector("[data-testid=stMarkdownContainer]").append(line);
}"""


def typeface(page: Any, text: str) -> tuple[str, int]:
    """The typeface that Chromium draws most of a text with, and how many characters."""
    page.evaluate(LINE, text)
    page.wait_for_function("document.fonts.status === 'loaded'")
    devtools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        devtools.send(f"{domain}.enable")
    root = devtools.send("DOM.getDocument")["root"]["nodeId"]
    node = devtools.send("DOM.querySelector", {"nodeId": root, "selector": "#line"})["nodeId"]
    found = devtools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    page.evaluate("document.getElementById('line').remove()")
    most = max(found, key=lambda font: font["glyphCount"])
    return most["familyName"], most["glyphCount"]


@pytest.mark.nightly
@pytest.mark.skipif(NO_FONT, reason="No Chinese typeface is installed.")
def test_quotes_dashes_and_dots_are_in_the_typeface_of_the_words(visit: Callable) -> None:
    page = visit("masks", "?lang=zh")
    (words, count), marks, (latin, _) = (typeface(page, text) for text in ("注意力", MARKS, "attention"))
    assert count == len("注意力")
    assert latin.startswith("SourceSans")
    assert marks == (words, len(MARKS))
    assert typeface(visit("masks", "?lang=en"), MARKS)[0] == latin


def test_a_bare_address_begins_in_the_browsers_language_and_what_is_opened_from_it_goes_on(
    visit: Callable, settled: Callable
) -> None:
    page = visit("masks", locale="zh-CN")
    assert "lang" not in page.url
    page.get_by_role("heading", name="掩码").wait_for()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="投影").click()
    page.get_by_role("heading", name="投影").wait_for()
    settled(page)
    open_drawer(page)
    with using("zh"):
        box = page.locator(f".st-key-{worded_key('projections_tokens')} input")
    assert box.input_value().startswith("狐狸 和 狗")
    assert "lang" not in page.url


def test_words_typed_without_spaces_are_cut_and_the_box_shows_where(visit: Callable, settled: Callable) -> None:
    page = visit("masks", "?lang=zh")
    with using("zh"):
        box = page.locator(f"[class*=st-key-{worded_key('masks_sentences')}] input")
    box.fill("我爱你｜你爱我吗？")
    box.press("Enter")
    page.get_by_text("文本中没有空格，所以每个字算一个词").wait_for()
    settled(page)
    assert box.input_value() == "我 爱 你 | 你 爱 我 吗 ？"
