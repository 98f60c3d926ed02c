"""Formulas are set wherever they are in sight, in each language: no ``_`` and no ``^`` of one is read."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from pages._shared.core.pages import HOME, LEDGER, PAGES
from attention_core.figures.mathematics import parts
from attention_core.figures.theme import ROLE_COLOURS
from attention_core.language import LANGUAGES, using
from tests.pages.conftest import looked_at, open_answered, open_page
from tests.pages.read import QUICK, link_of, page_of, sent
from tests.sweeps import some_by_day

EXPERIMENTS = [page.name for page in PAGES]
MARK = re.compile(r"(?<![A-Za-z0-9_])[A-Za-zα-ω∇Σ]_[A-Za-z0-9{]|[‖)]_[A-Za-z0-9]|\^")
# What Markdown does not show as it stands: formulas of TeX, code, and where a link goes.
SET = re.compile(r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)")
# Of what a page sends, what is in sight as Markdown or as it is.
WORDS = {"body", "label", "help", "content", "options", "placeholder"}
CODE = {"Code", "Json", "Dataframe", "Table"}


def worded(node: Any) -> Iterator[str]:
    """All Markdown and labels that a page sends, but for its code and tables."""
    if getattr(node, "proto", None) is not None and type(node).__name__ not in CODE:
        yield from strings(MessageToDict(node.proto), "")
    if isinstance(node, Block):
        for child in node.children.values():
            yield from worded(child)


def strings(found: Any, name: str) -> Iterator[str]:
    if isinstance(found, dict):
        for key, part in found.items():
            yield from strings(part, key)
    elif isinstance(found, list):
        for part in found:
            yield from strings(part, name)
    elif isinstance(found, str) and name in WORDS and not found.startswith("<style>"):
        yield found


def drawn(view: dict[str, Any]) -> Iterator[str]:
    """All that a view draws with formulas set, and its other labels as they are."""
    own = [view["summary"], *((view["sweep"]["label"], *view["sweep"]["values"]) if view["sweep"] else ())]
    for panel in view["panels"]:
        own += [panel.get(name) for name in ("title", "note", "quantity", "unit", "x_title", "y_title")]
        own += [panel.get("overlay_name"), panel.get("hidden_as")]
        own += [
            one["name"] for name in ("series", "edges", "nodes") for one in panel.get(name) or () if "name" in one
        ]
        for axis in (panel.get(name) for name in ("rows", "columns", "labels", "layers", "tokens")):
            if axis:
                own.append(axis["title"])
                if axis["formulas"]:
                    own += axis["labels"]
                else:
                    yield from (*axis["labels"], *axis["groups"])
    for text in filter(None, own):
        yield from (part.text for part in parts(text))


def unset(at: AppTest) -> list[str]:
    """The texts of a page in which a formula stands as code writes it."""
    assert not at.exception
    shown = [SET.sub("", text) for text in worded(at._tree)]
    shown += [text for view in sent(at, "matrix_view/view") for text in drawn(view)]
    assert shown
    return [text for text in shown if MARK.search(text)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_on_every_page_with_its_question_answered(name: str, lang: str) -> None:
    assert unset(looked_at(name, lang=lang)) == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", [HOME.name, LEDGER.name])
def test_on_the_other_pages(name: str, lang: str) -> None:
    assert unset(open_page(name, lang=lang)) == []


@pytest.mark.parametrize(
    ("name", "lang"), some_by_day(((name, lang) for lang in LANGUAGES for name in EXPERIMENTS), 1, of=8, mark="slow")
)
def test_with_every_preset_and_with_the_question_asked(name: str, lang: str) -> None:
    found = unset(open_page(name, lang=lang, **QUICK.get(name, {})))
    for preset in page_of(name).presets:
        found += unset(open_answered(name, lang=lang, **QUICK.get(name, {}) | link_of(name, preset.settings)))
    assert found == []


LAWS = {
    "projections": r"$\textcolor{QUERY}{q} \cdot  \textcolor{KEY}{k} = "
    r"x^{\top} \textcolor{QUERY}{W_{Q}}^{\top} \textcolor{KEY}{W_{K}} y$",
    "scaling": r"$\operatorname{Var}(\textcolor{QUERY}{q} \cdot  \textcolor{KEY}{k}) = d_{\text{head}}$",
    "masks": r"$e^{-\infty } = 0$",
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_stands_once_below_the_picture_but_not_while_it_answers_the_question(name: str) -> None:
    law = LAWS[name].replace("QUERY", ROLE_COLOURS["light"]["query"]).replace("KEY", ROLE_COLOURS["light"]["key"])
    answered, asked = ([item.value for item in at.markdown] for at in (open_answered(name), looked_at(name)))
    assert answered.count(law) == 1
    assert asked.count(law) == (0 if page_of(name).predict.headline else 1)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_a_widget_calls_itself_is_words(name: str) -> None:
    """Labels and options are also read aloud, and shown by lists that set nothing."""
    page = page_of(name)
    for lang in LANGUAGES:
        with using(lang):
            said = [one.label for one in page.settings.declared.values()]
            said += [text for one in page.settings.declared.values() for text in getattr(one, "options", {}).values()]
            said += [page.predict.question, *page.predict.options, *(preset.name for preset in page.presets)]
            assert [str(text) for text in said if MARK.search(str(text))] == []
