"""The pages in learning order, found by themselves: each file of ``pages`` that declares a ``SPEC`` is one.

A visitor sees titles before torch is imported, which the pages' modules need. So a ``SPEC``, and the place that its
study takes among the others, are read from the files' text; a module is imported once its page is asked for.
"""

import ast
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pages._shared.core.visitor_state import visit_state
import attention_core
from attention_core.language import gettext_lazy as _

FOLDER = Path(__file__).parents[2]
STUDIES = Path(attention_core.__file__).parent / "studies"
ICON = Path(__file__).parents[1] / "icon.svg"


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One page of the app."""

    name: str  # of its module in ``pages``; also its address and the prefix of its settings in the link
    title: str  # title in the navigation and on the page
    icon: str  # material symbol
    section: str  # heading it stands under in the navigation
    claim: str  # what the page shows, in one sentence


HOME = PageSpec("home", _("Home"), ":material/home:", "", _("Every claim about attention, measured as you watch."))

# fmt: off
LEDGER = PageSpec(
    "claims", _("Claims"), ":material/fact_check:", _("Is it all true?"),
    _("What this app claims of attention, where it is said, and what this machine measures of it, now."),
)

COURSE = PageSpec(
    "course", _("Course"), ":material/route:", _("To teach with"),
    _("Pages in an order, each with a task and minutes: in one link for a class, in a file to keep, and on paper."),
)

TEST = PageSpec(
    "concept_test", _("Concept test"), ":material/quiz:", _("To teach with"),
    _("Ten questions on attention, whose answers are measured, and the page that shows why."),
)
# fmt: on


def keywords_in(path: Path, name: str) -> dict[str, ast.expr]:
    """The keywords of the call that a file assigns to ``name`` at its top; none where there is no such call."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=found)], value=ast.Call(keywords=given))
                | ast.AnnAssign(target=ast.Name(id=found), value=ast.Call(keywords=given))
            ) if found == name:
                return {one.arg: one.value for one in given if one.arg}
    return {}


def read_spec(path: Path) -> PageSpec | None:
    """The ``SPEC`` of a page's file, whose keywords are literals and texts to translate; None where it has none."""
    given = keywords_in(path, "SPEC")
    return PageSpec(**{name: _literal(value) for name, value in given.items()}) if given else None


def _literal(value: ast.expr) -> Any:
    if isinstance(value, ast.Call) and ast.unparse(value.func) in ("_", "gettext_lazy"):
        return _(ast.literal_eval(value.args[0]))
    return ast.literal_eval(value)


def place_of(name: str) -> int:
    """Where a page's study stands among the others: the number in its ``STUDY``."""
    return ast.literal_eval(keywords_in(STUDIES / name / "__init__.py", "STUDY")["place"])


PAGES = tuple(sorted(filter(None, map(read_spec, FOLDER.glob("*.py"))), key=lambda page: place_of(page.name)))
EVERY = (HOME, *PAGES, LEDGER, COURSE, TEST)


def neighbours(name: str) -> tuple[PageSpec | None, PageSpec | None]:
    """The pages before and after ``name`` in the learning order."""
    names = [page.name for page in PAGES]
    index = names.index(name)
    return (PAGES[index - 1] if index else None, PAGES[index + 1] if index + 1 < len(PAGES) else None)


def module_of(name: str) -> Any:
    """The module of a page, which is imported once and serves all visitors."""
    return import_module(f"pages.{name}")


def target(name: str) -> Any:
    """The session's ``st.Page`` of a page, for ``st.page_link`` and ``st.switch_page``."""
    return visit_state().pages[1][name]
