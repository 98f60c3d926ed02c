"""The pages in learning order: the one place that lists them.

What stands on them is in the module of each, which needs torch and is imported once it is asked for.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import streamlit as st

from pages._shared.core.session_keys import PAGES as PAGES_MADE
from attention_core.language import gettext_lazy as _

FOLDER = Path(__file__).parents[2]
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
PAGES = (
    PageSpec(
        "anatomy", _("Anatomy"), ":material/grid_on:", _("What attention is"),
        _("One forward pass, number by number: a weight is the share a :blue[query] takes of a :green[value]."),
    ),
    PageSpec(
        "permutation", _("Permutation"), ":material/shuffle:", _("What attention sees"),
        _("Attention has no order: shuffle the keys and values and nothing changes, "
          "shuffle the queries and the rows follow."),
    ),
    PageSpec(
        "biases", _("Biases"), ":material/exposure_plus_1:", _("What attention sees"),
        _("Softmax cancels the :orange[key] bias, the :green[value] bias passes straight through, "
          "and only the :blue[query] bias changes who is looked at."),
    ),
    PageSpec(
        "scaling", _("Scaling"), ":material/tune:", _("How it trains"),
        _("Unscaled scores grow with the size of a head, softmax saturates, and the typical gradient vanishes."),
    ),
    PageSpec(
        "receptive_field", _("Receptive field"), ":material/account_tree:", _("How it trains"),
        _("With one :orange[key] per head a token sees exponentially far with depth."),
    ),
    PageSpec(
        "learning", _("Learning"), ":material/school:", _("How it trains"),
        _("A model learns while you watch: what its attention turns to, and which switches keep it from learning."),
    ),
    PageSpec(
        "trained", _("Trained models"), ":material/psychology:", _("How it trains"),
        _("What training left in the heads: which of them looks where, and what the model is worth without it."),
    ),
    PageSpec(
        "complexity", _("Complexity"), ":material/timer:", _("What it costs"),
        _("Short texts pay for the projections, long ones for the scores: twice the text, four times the scores."),
    ),
    PageSpec(
        "variants", _("Variants"), ":material/alt_route:", _("What it costs"),
        _("Heads can share :orange[keys] and :green[values], and a cache can keep them; without softmax the cost "
          "grows like the text."),
    ),
    PageSpec(
        "masks", _("Masks"), ":material/visibility_off:", _("What it is made of"),
        _("Which mask goes where: too few let padding speak, too many leave a word nothing to look at."),
    ),
    PageSpec(
        "normalization", _("Normalization"), ":material/straighten:", _("What it is made of"),
        _("LayerNorm looks at each token alone, brings all to one length, and leaves a block blind to order."),
    ),
    PageSpec(
        "projections", _("Projections"), ":material/transform:", _("What it is made of"),
        _("Without projections a word looks most at itself, if norms are equal in each head; with them, "
          "anywhere."),
    ),
)

LEDGER = PageSpec(
    "claims", _("Claims"), ":material/fact_check:", _("Is it all true?"),
    _("What this app claims of attention, where it is said, and what this machine measures of it, now."),
)

COURSE = PageSpec(
    "course", _("Course"), ":material/route:", _("To teach with"),
    _("Pages in an order, each with a task and minutes: in one link for a class, in a file to keep, and on paper."),
)
# fmt: on


EVERY = (HOME, *PAGES, LEDGER, COURSE)


def spec_of(name: str) -> PageSpec:
    """The page of a name.

    Raises:
        LookupError: If there is none.
    """
    found = [page for page in EVERY if page.name == name]
    if not found:
        raise LookupError(f"There is no page {name!r}.")
    return found[0]


def neighbours(name: str) -> tuple[PageSpec | None, PageSpec | None]:
    """The pages before and after ``name`` in the learning order."""
    names = [page.name for page in PAGES]
    here = names.index(name)
    return (PAGES[here - 1] if here else None, PAGES[here + 1] if here + 1 < len(PAGES) else None)


def module_of(name: str) -> Any:
    """The module of a page, which is imported once and serves all visitors."""
    return import_module(f"pages.{name}")


def target(name: str) -> Any:
    """What ``st.page_link`` and ``st.switch_page`` take to lead to a page: Streamlit's own, of this session."""
    return st.session_state[PAGES_MADE][1][name]
