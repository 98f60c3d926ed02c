"""A language that puts every text in brackets walks the app: what stands outside of them cannot be translated."""

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from pages._shared.core.pages import COURSE, HOME, LEDGER, PAGES, TEST
from pages._shared.session.settings import TABS
from attention_core import language
from attention_core.device import available_devices
from attention_core.figures.table import FORMATS
from attention_core.shipped import grammar
from tests.pages.conftest import open_page
from tests.pages.read import link_of, page_of
from tests.sweeps import some_by_day

EXPERIMENTS = [page.name for page in PAGES]
INNERMOST = re.compile(r"⟦[^⟦⟧]*⟧")
CUT_OFF = re.compile(r"⟦[^⟦⟧\n]*$", re.MULTILINE)  # a text of which a page shows the first sentence
# Code, formulas, icons, colours, addresses and HTML are the same in all languages.
SIGNS = re.compile(
    r"`[^`]*`|\$[^$]*\$|:material/\w+:|:\w+\[|\]\([^)]*\)|https?://\S+|<style>.*?</style>|<[^>]*>|&\w+;", re.DOTALL
)
WORD = re.compile(r"[A-Za-z]{3,}")
# What Streamlit and components are told beside words.
NO_WORDS = {
    "id", "elementId", "formId", "key", "css", "url", "icon", "fragmentId", "componentName", "language", "format",
    "type", "gap", "kind", "colours", "block", "group", "role", "roles", "scale", "cells", "heightConfig",
    "widthConfig", "spec", "config", "imgs", "qr", "room", "page", "fileName", "mimeType", "appHash", "hash",
    "urlPathname", "gapSize", "align", "justify", "direction", "labelVisibility", "textAlignmentConfig",
    "elementType", "style", "dataType", "iconPosition", "pageScriptHash", "jsContent", "stroke", "ribbons",
    "hidden", "arrowData", "columns.data", "filename", "codeText", "autocomplete", "href", "queryString",
    "deferredFileId", "state", "clickMode", "boxes", "UnknownElement.json.text", "Dataframe.columns",
}  # fmt: skip
# Names that are the same in all languages.
NAMES = {
    "softmax", "LayerNorm", "BatchNorm", "RMSNorm", "QK", "norm", "Norm", "ALiBi", "AdamW", "Adam", "SGD", "Dropout",
    "English", "RoPE", "ReLU", "GELU", "float", "bfloat", "max", "mean", "Var", "NaN", "FLOPs", "Transformer",
    "torch", "reshape", "head", "model", "safetensors", "exp", "min", "KiB", "MiB", "GiB", "PNG", "SVG",
    "HTML", *(one.label for one in FORMATS), *available_devices(),
}  # fmt: skip
# Words that a person has typed, or a model says.
VOCABULARY = {*grammar.WORDS, "dog", "fox", "and", "ran", "one", "big", "hill", "mat", "sat", "the", "cat"}


class Bracketed:
    """Translates every text into itself, in brackets."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def pgettext(self, _: str, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, one: str, many: str, count: int) -> str:
        return f"⟦{one if count == 1 else many}⟧"


@pytest.fixture(autouse=True)
def bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    english = language.catalogue(language.ENGLISH)
    monkeypatch.setattr(
        language, "catalogue", cache(lambda spoken: english if spoken == language.ENGLISH else Bracketed())
    )


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
            elif NO_WORDS.isdisjoint((name, f"{where}.{name}")):
                yield from texts(part, f"{where}.{name}")
    elif isinstance(found, list):
        for part in found:
            yield from texts(part, where)
    elif isinstance(found, str):
        yield where, found


def escaped(at: AppTest) -> list[str]:
    """The words that stand outside of brackets, with where."""
    typed = {word for box in at.text_input for word in str(box.value).split()}
    wrong = []
    for where, text in shown(at):
        bare = text
        while (shorter := INNERMOST.sub("", bare)) != bare:
            bare = shorter
        bare = CUT_OFF.sub("", bare)
        words = set(WORD.findall(SIGNS.sub(" ", bare))) - NAMES - VOCABULARY - typed
        if words:
            wrong.append(f"{where}: {sorted(words)} in {text[:160]!r}")
    return wrong


@pytest.mark.parametrize(("name", "tab"), some_by_day(product(EXPERIMENTS, TABS), of=3))
def test_on_every_tab_of_every_page(name: str, tab: str) -> None:
    at = open_page(name, lang="zh", **{f"{name}_tab": tab, f"{name}_answer": "skipped"})
    assert not at.exception
    assert escaped(at) == []


@pytest.mark.parametrize("name", some_by_day(EXPERIMENTS, 2, mark="slow"))
def test_with_every_preset_and_with_the_question_asked_and_answered(name: str) -> None:
    page, wrong = page_of(name), list[str]()
    moves = [preset.settings for preset in page.presets] + [page.predict.move]
    for answer, move in ("", {}), *(("skipped" if move is not moves[-1] else "1", move) for move in moves):
        at = open_page(name, lang="zh", **link_of(name, move), **{f"{name}_answer": answer})
        assert not at.exception
        wrong += escaped(at)
    assert wrong == []


@pytest.mark.parametrize("name", [HOME.name, LEDGER.name, COURSE.name, TEST.name])
def test_on_the_other_pages(name: str) -> None:
    at = open_page(name, lang="zh")
    assert not at.exception
    assert escaped(at) == []
