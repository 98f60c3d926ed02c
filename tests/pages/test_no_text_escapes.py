"""A language that puts every text in brackets walks the app: what stands outside of them cannot be translated."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from pages._shared.core.pages import PAGES
from pages._shared.session.settings import TABS
from attention_core import language
from tests.pages.conftest import Open

EXPERIMENTS = [page.name for page in PAGES]
INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")
# Code, formulas, icons, colours, addresses and HTML are the same in all languages.
SIGNS = re.compile(
    r"`[^`]*`|\$[^$]*\$|:material/\w+:|:\w+\[|\]\([^)]*\)|https?://\S+|<style>.*?</style>|<[^>]*>|&\w+;", re.S
)
WORD = re.compile(r"[^\W\d_]{3,}")
# What Streamlit is told beside words.
NO_WORDS = {
    "id", "elementId", "formId", "key", "css", "url", "icon", "fragmentId", "componentName", "language", "format",
    "type", "gap", "kind", "colours", "block", "group", "role", "scale", "heightConfig", "widthConfig", "spec",
    "config", "imgs", "qr", "room", "page", "fileName", "mimeType", "appHash", "hash", "urlPathname",
}  # fmt: skip


class Bracketed:
    """Translates every text into itself, in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, one: str, many: str, count: int) -> str:
        return f"⟦{one if count == 1 else many}⟧"


@pytest.fixture(autouse=True)
def bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    english = language.catalogue(language.ENGLISH)
    monkeypatch.setattr(language, "catalogue", lambda spoken: english if spoken == language.ENGLISH else Bracketed())


def shown(at: AppTest) -> Iterator[tuple[str, str]]:
    """All texts that a page sends, each with where it stands."""

    def walk(node: Any) -> Iterator[tuple[str, str]]:
        if getattr(node, "proto", None) is not None:
            yield from texts(MessageToDict(node.proto), type(node).__name__)
        if isinstance(node, Block):
            for child in node.children.values():
                yield from walk(child)

    yield from walk(at._tree)


def texts(found: Any, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(found, dict):
        for name, part in found.items():
            if name == "json":
                yield from texts(json.loads(part), f"{where}.json")
            elif name not in NO_WORDS:
                yield from texts(part, f"{where}.{name}")
    elif isinstance(found, list):
        for part in found:
            yield from texts(part, where)
    elif isinstance(found, str):
        yield where, found


def escaped(at: AppTest) -> list[str]:
    """The words that stand outside of brackets, with where."""
    wrong = []
    for where, text in shown(at):
        bare = text
        while (shorter := INNERMOST.sub("", bare)) != bare:
            bare = shorter
        words = set(WORD.findall(SIGNS.sub(" ", bare))) - NAMES
        if words:
            wrong.append(f"{where}: {sorted(words)} in {text[:160]!r}")
    return wrong


NAMES = {
    "softmax", "LayerNorm", "BatchNorm", "RMSNorm", "head", "model", "float", "bfloat", "cpu", "max", "mean", "var", "Var", "ReLU", "GELU",
    "the", "cat", "sat", "mat", "NaN",
}  # fmt: skip


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_on_every_tab_of_every_page(open_page: Open, name: str, tab: str) -> None:
    at = open_page(name, lang="zh", **{f"{name}_tab": tab, f"{name}_answer": "skipped"})
    assert not at.exception
    assert escaped(at) == []
