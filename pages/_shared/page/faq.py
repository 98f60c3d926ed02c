"""*What do you want to know?* One box finds what people ask of attention, and leads to where it is measured.

What is asked stands with each page (``Page.faq``). Who comes by a question finds the answer above the picture, chosen
by what is measured there, whatever the settings are by then.
"""

import re
from difflib import SequenceMatcher
from functools import cache, lru_cache, partial
from math import log
from typing import Final, Literal, NamedTuple
from unicodedata import normalize

import streamlit as st

from pages._shared.compute.gate import gate
from pages._shared.core.pages import PAGES, module_of
from pages._shared.core.text import escape_markdown, plain_markdown
from pages._shared.core.visitor_state import visit_state
from pages._shared.page.declaration import Faq
from pages._shared.page.page import Look, Page
from pages._shared.page.prediction import picture_hidden
from pages._shared.page.words import word_line, words_in
from pages._shared.session import address, notices
from pages._shared.session.links import link_to
from pages._shared.session.settings import SKIPPED
from pages._shared.session.widget_keys import renew, widget_key
from attention_core.claims import statement
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.said import outcome, undone
from attention_core.language import LANGUAGES, using
from attention_core.language import gettext as _

_MOST_TYPED: Final = 200  # characters of a question that are looked at
_MOST_NEAR: Final = 5
_ALIKE: Final = 0.45  # share of what was typed that a question has to hold to be near it
_HALF_ALIKE: Final = 0.25  # the same where what it holds is as much as two words that a dozen questions have
_MUCH: Final = 2 * log(1 + 128 / 13)
_LEAST_LETTERS: Final = 3  # of a word that is only like another
_SPELLED_LIKE: Final = 0.8
# Words that say nothing of what a question is about.
_OF_NO_WEIGHT: Final = {
    "a", "actually", "all", "an", "and", "any", "are", "at", "be", "better", "between", "but", "by", "can",
    "difference", "do", "does", "for", "from", "get", "gets", "has", "have", "how", "i", "in", "instead", "is", "it",
    "just", "many", "my", "need", "not", "of", "on", "one", "only", "or", "s", "should", "so", "t", "than", "that",
    "the", "then", "there", "they", "this", "to", "up", "us", "use", "used", "versus", "vs", "was", "we", "what",
    "when", "where", "which", "why", "with", "work", "works", "would", "you",
}  # fmt: skip
# The same in a script that has no spaces: what stands on either side of them is no word.
_APART: Final = re.compile("为什么|为何|什么|怎么|怎样|如何|区别|哪个|哪些|的|吗|呢|是|和|与|了")
_LEAST_KNOWN: Final = 4  # questions: a word that fewer have, or none has, weighs no more than if so many had it


class Place(NamedTuple):
    """A question, and the page that answers it."""

    page: Page
    faq: Faq

    def link(self) -> dict[str, str]:
        """What a link holds to where it is answered."""
        extras = self.page.extras.spelled({"asked": self.faq.id, "answer": SKIPPED})
        return link_to(self.page.spec.name, self.page.settings.spelled(self.faq.settings) | extras)


@cache
def places() -> tuple[Place, ...]:
    """All questions, as the pages come."""
    pages = [module_of(spec.name).page for spec in PAGES]
    return tuple(Place(page, faq) for page in pages for faq in page.faq)


def near(text: str) -> list[Place]:
    """The questions that hold what was typed, in any language, the nearest first; none where nothing is near.

    A word counts for more the fewer questions have it, down to a few, and one that begins another, or is spelled much
    like it, for a part of that. Of two that are as near, the one comes first that says least beside it.
    """
    typed = _words(text[:_MOST_TYPED])
    typed = typed - _OF_NO_WEIGHT or typed
    known = dict.fromkeys(places(), frozenset[str]())
    held = dict.fromkeys(places(), 0.0)
    for language in LANGUAGES:
        with using(language):
            known = {place: words | _words(f"{place.faq.asked} {place.faq.also}") for place, words in known.items()}
            held = {place: max(share, _held(place.faq, typed)) for place, share in held.items()}
    likeness = {
        word: {place: max(map(partial(_likeness, word), words)) for place, words in known.items()} for word in typed
    }
    rarity = {word: log(1 + len(known) / (1 + max(_LEAST_KNOWN, sum(by.values())))) for word, by in likeness.items()}
    whole = sum(rarity.values()) or 1.0
    alike = {place: sum(rarity[word] * likeness[word][place] for word in typed) for place in known}
    found = [
        place for place, much in alike.items()
        if much >= _ALIKE * whole or (much >= _MUCH and much >= _HALF_ALIKE * whole)
    ]  # fmt: skip
    found.sort(key=lambda place: (-alike[place], -held[place]))
    return found[:_MOST_NEAR]


def _held(faq: Faq, typed: frozenset[str]) -> float:
    """The share of a question's own words that was typed, or something like it."""
    own = _words(str(faq.asked)) - _OF_NO_WEIGHT
    return sum(max((_likeness(word, other) for word in typed), default=0.0) for other in own) / max(1, len(own))


@lru_cache(512)
def _words(text: str) -> frozenset[str]:
    """The words of a text, d_k as dk; of a script that has no spaces each two signs side by side."""
    told = _APART.sub(" ", normalize("NFKC", text).casefold().replace("_", ""))
    words = re.findall(r"[a-z0-9]+|[^\Wa-z0-9_]+", told)
    pairs = ((word, len(word) if word.isascii() else 2) for word in words)
    return frozenset(word[at : at + size] for word, size in pairs for at in range(max(1, len(word) - size + 1)))


def _likeness(word: str, other: str) -> float:
    """1 for the same word, 0 for another.

    Args:
        word: What was typed. It may be the beginning of any longer one, which is half typed; a longer one that begins
            as a word of a question is like it only if that is half of it, as "exp" is not of "explanation".
        other: A word of a question.
    """
    if word == other:
        return 1.0
    short, long = sorted((word, other), key=len)
    if len(short) < _LEAST_LETTERS:
        return 0.0
    if long.startswith(short) and (short is word or len(long) <= 2 * len(short)):
        return 0.8
    if word[0] != other[0] or len(long) > len(short) + 2:  # which is quick, and leaves few
        return 0.0
    ratio = SequenceMatcher(None, word, other).ratio()
    return ratio if ratio >= _SPELLED_LIKE else 0.0


def draw_box(name: str, placeholder: str = "") -> None:
    """Draw the box; what it finds is drawn by ``draw_found``.

    Args:
        name: What tells this box from the others on a page.
        placeholder: What stands in it, where the whole question has no room.
    """
    key = widget_key(name)
    st.text_input(
        _("What do you want to know?"), key=key, on_change=_ask, args=(name, key), max_chars=_MOST_TYPED,
        placeholder=placeholder or _("What do you want to know?"), label_visibility="collapsed",
        icon=":material/search:",
    )  # fmt: skip


def draw_found(*names: str) -> None:
    """Draw the questions that are near what was typed into one of some boxes, and the words that it holds.

    Args:
        names: What the boxes are called.
    """
    text = next((visit_state().searched[name] for name in names if name in visit_state().searched), None)
    if text is None:
        return
    found, words, typed = near(text), words_in(text), escape_markdown(text, 80)
    with st.container(border=True, gap="xsmall", key="found"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="found_row"):
            if found:
                st.markdown(_("Near “{typed}”:", typed=typed), width="content")
            elif words:
                st.markdown(_("The glossary says of “{typed}”:", typed=typed), width="content")
            else:
                st.markdown(_("Nobody has asked “{typed}” here yet, nor anything like it.", typed=typed))
            for place in found:
                _draw_way(place, f"{names[0]}_{place.page.spec.name}", "secondary")
            label = _("Close")
            st.button(
                label, icon=":material/close:", key=f"{names[0]}_close_asked", help=label, on_click=forget,
                type="tertiary",
            )  # fmt: skip
        for word in words:
            st.markdown(set_markdown(word_line(word)))


def forget() -> None:
    """Empty the boxes."""
    for name in visit_state().searched:
        renew(name)
    visit_state().searched = {}


def _draw_way(place: Place, key: str, kind: Literal["secondary", "tertiary"] = "tertiary") -> None:
    asked = set_markdown(place.faq.asked)
    st.button(asked, key=f"{key}_{place.faq.id}", on_click=_go, args=(place,), type=kind)


def _ask(name: str, key: str) -> None:
    text = st.session_state.get(key)
    if key == widget_key(name):
        visit_state().searched = {name: text.strip()} if isinstance(text, str) and text.strip() else {}


def _go(place: Place) -> None:
    forget()
    with gate().hold():
        address.visit(place.page.spec.name, place.link())


def check_link(page: Page) -> None:
    """Leave out a question that the link asks and the page does not have, and say so."""
    if page.extras["asked"] and _asked(page) is None:
        notices.add(_("The link asks a question that this page does not have; it is left out."))
        page.extras.set(asked="")
        page.write_link()


def _asked(page: Page) -> Faq | None:
    """The question by which the visitor came to a page, and has not closed."""
    here = page.extras["asked"]
    return next((faq for faq in page.faq if faq.id == here), None)


def claim_asked(page: Page) -> str:
    """The claim on which the answer stands that the visitor came for; empty where none was asked."""
    faq = _asked(page)
    return faq.claim.partition(".")[0] if faq else ""


def draw_answer(page: Page, look: Look) -> None:
    """Draw the question and its answer under these settings; nothing where none was asked."""
    faq = _asked(page)
    if faq is None or picture_hidden(page):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="faq_answer"):
        st.markdown(f"**{set_markdown(faq.asked)}** {answer(faq, look)}", width="stretch")
        label = _("Close the question")
        st.button(
            label, icon=":material/close:", help=label, key=page.session_key("close_asked"), on_click=_close,
            args=(page,), type="tertiary",
        )  # fmt: skip


def answer(faq: Faq, look: Look) -> str:
    """Markdown of the answer that is true of what was measured."""
    results, claim = look.results, faq.claim
    came = outcome(results, claim)
    if came == faq.outcome:
        return set_markdown(faq.answer)
    if came == "holds":
        said = plain_markdown(statement(claim.partition(".")[0]), 200)
        return _(":gray[:material/swap_horiz: With these settings it is otherwise:] {said}", said=said)
    why = set_markdown(undone(results, claim))
    if came == "fails":
        return _(":gray[:material/swap_horiz: With these settings it is otherwise.] {why}", why=why)
    return _(":gray[:material/help: These settings cannot tell.] {why}", why=why)


def _close(page: Page) -> None:
    page.extras.set(asked="")
    page.write_link()
    st.rerun()  # of the whole page: its question may stand again


def draw_questions(page: Page) -> None:
    """Draw what people ask here, below the tabs: what this page answers, then what another does."""
    asked = [Place(page, faq) for faq in page.faq]
    asked += [place for place in places() if page.spec.name in place.faq.on]
    if not asked:
        return
    st.markdown(_("**What people ask**"))
    with st.container(horizontal=True, key="faq"):
        for place in asked:
            _draw_way(place, page.session_key(f"faq_{place.page.spec.name}"))
