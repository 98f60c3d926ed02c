"""Claims: what this app says of attention, where it is said, and what this machine measures of it, now."""

import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages._shared.claims.chart import draw_chart
from pages._shared.claims.results import ledger
from pages._shared.claims.sources import draw_sources
from pages._shared.compute.progress import compute
from pages._shared.core.compat import Redrawable
from pages._shared.core.pages import LEDGER, PAGES, target
from pages._shared.core.text import no_line_breaks, plain_markdown
from pages._shared.page import Controls, draw_notices, draw_title
from pages._shared.page.findings import as_code, capital, number_in_words
from pages._shared.page.tabs import open_tab
from pages._shared.session import notices
from pages._shared.session.links import link_to
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import SKIPPED, run_settings
from attention_core.claims import (
    EXPECTED,
    EXPECTED_WORDS,
    FALSE,
    SOURCES,
    Checked,
    Claim,
    LedgerConfig,
    LedgerStep,
    claims,
    steps_ledger,
)
from attention_core.language import SEMICOLON, gettext, joined
from attention_core.language import gettext_lazy as _
from attention_core.measuring.outcomes import OF_A_CLAIM, OutcomeStyle
from attention_core.measuring.settings import Choice, setting
from attention_core.measuring.verdict import Verdict

# By what the link holds.
EXPECTATIONS = dict(zip(("holds", "when", "false"), EXPECTED, strict=True))
PLACES = dict(zip(("bias", "review", "code", "ours"), SOURCES, strict=True))
TITLES = {page.name: page.title for page in PAGES}
OF_SOURCES = {"sources": _("Sources")}
UNCHECKED = OutcomeStyle(word=_("not checked yet"), icon="radio_button_unchecked", colour="gray")
UNTRUE = OutcomeStyle(word=_("a myth, refuted"), icon="gavel", colour="violet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which claims are listed."""

    verdict: str = setting(
        "all",
        Choice(
            {"all": _("all"), **{name: EXPECTED_WORDS[expected] for name, expected in EXPECTATIONS.items()}},
            label=_("What theory says"),
            listed=False,
        ),
    )
    source: str = setting("anywhere", Choice({"anywhere": _("anywhere"), **PLACES}, label=_("Source")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabs:
    """Which page's claims are told in full, or what the sources say."""

    tab: str = setting(PAGES[0].name, Choice(TITLES | OF_SOURCES, label=_("the page")))


state = PageState(LEDGER, (Chosen,), surroundings=Tabs)
controls = Controls(state.settings, state.write_link)


def ask_for(ids: tuple[str, ...]) -> None:
    """Have these claims checked in the coming run; all where there are none."""
    st.session_state[state.session_key("asked")] = ids


def text(sentence: str) -> str:
    return plain_markdown(str(sentence), 500)


def came_to(claim: Claim, one: Checked | None) -> OutcomeStyle:
    """What has been found of a claim."""
    if one is None:
        return UNCHECKED
    return UNTRUE if one.outcome == "agrees" and claim.expected == FALSE else OF_A_CLAIM[one.outcome]


def draw_glance(of_page: dict[str, list[Claim]], now: LedgerConfig) -> str | None:
    """All claims on one axis, each as what has been found of it looks; the id of the one whose row was pressed."""
    found = ledger().checked(now)
    came = {claim.id: came_to(claim, found.get(claim.id)) for entries in of_page.values() for claim in entries}
    told = {name: (one.colour, str(one.word)) for name, one in came.items()}
    sections = [(str(TITLES[name]), entries) for name, entries in of_page.items()]
    return draw_chart(sections, found, told, key=state.session_key("chart"))


def measured(claim: Claim, one: Checked) -> list[tuple[str, Verdict]]:
    """The first number, all where a source is corrected, the first that shows the break, and all that are not so.

    Each with what stands before it.
    """
    told = [("", verdict) for verdict in (one.verdicts if claim.correction else one.verdicts[:1])]
    failed = [verdict for verdict in one.broken if not verdict.holds]
    if claim.breaks:
        told += [(gettext("With {switch}: ", switch=text(claim.breaks.by)), verdict) for verdict in failed[:1]]
    return told + [(gettext(":orange[Differs from theory:] "), verdict) for verdict in one.surprising]


def draw_claim(claim: Claim, one: Checked | None) -> None:
    """One entry: the statement, its verdict and numbers, and on the right where to see it."""
    came = came_to(claim, one)
    words = str(came.word)
    if one and (one.refused or one.failed):
        words = gettext("{outcome}: {reason}", outcome=words, reason=text(one.refused or one.failed))
    elif one and one.outcome == "agrees" and claim.expected != FALSE:
        words = text(claim.verdict)
    status = f":{came.colour}[:material/{came.icon}: {capital(words)}]"
    lines = [f"**{text(claim.statement)}**", f":small[{status} :gray[· {text(claim.said)}]]"]
    numbers = measured(claim, one) if one else []
    lines += [f":small[{capital(before + number_in_words(verdict))}]" for before, verdict in numbers]
    if one and one.outcome == "undecided":
        reasons = text(joined(SEMICOLON, one.reasons))
        lines.append(gettext(":small[:gray[Not decided: {reasons}.]]", reasons=reasons))
    if claim.correction and (one or claim.expected == FALSE):
        lines += [
            gettext(":small[**What is said:** {said}.]", said=text(claim.correction.says)),
            gettext(":small[**What is measured:** {found}.]", found=text(claim.correction.found)),
            gettext(":small[**Why:** {reason}.]", reason=text(claim.correction.why)),
        ]
    exactly = (as_code(claim.id), *(before + as_code(verdict.numbers) for before, verdict in numbers))
    st.markdown(no_line_breaks("  \n".join(lines)), width="stretch", help="  \n".join(exactly))
    page = next(page for page in PAGES if page.name == claim.page)
    # Who comes to see a claim is not asked first what it says.
    asked = {f"{page.name}_answer": SKIPPED}
    way = link_to(page.name, claim.parameters() | asked)
    st.page_link(target(page.name), label=gettext("See it"), icon=page.icon, query_params=way)
    if claim.breaks:
        way = link_to(page.name, claim.parameters(broken=True) | asked)
        st.page_link(target(page.name), label=gettext("Break it"), icon=":material/bolt:", query_params=way)
    key = state.session_key(f"check_{claim.id}")
    st.button(gettext("Check"), key=key, on_click=ask_for, args=((claim.id,),), type="tertiary")


def draw_line() -> None:
    """What the page is, beside its title."""
    st.markdown(
        gettext("Everything this app says of attention, measured twice on this machine: as it is, and broken."),
        width="content",
    )


def score(now: LedgerConfig) -> str:
    """How many claims are as theory says, of those that were checked, and where that was measured."""
    told = ledger().counts(len(claims()), now)
    if not told:
        return gettext("Nothing is checked yet with this precision and seed.")
    where = [now.dtype, str(now.torch_device), gettext("seed {seed}", seed=now.seed)]
    if seconds := ledger().seconds(now):
        where.append(gettext("{seconds} s", seconds=f"{seconds:.0f}"))
    return f"{told}  \n:small[:gray[{' · '.join(where)}]]"


def draw_run(chosen: list[Claim], now: LedgerConfig, *, idle: bool) -> tuple[Any, Any]:
    """The score, and what starts a run of the chosen claims; returns where the score and its progress are shown."""
    with st.container(horizontal=True, vertical_alignment="center", key="claims_run"):
        told = st.empty()
        told.markdown(score(now), width="stretch")
        whole = len(chosen) == len(claims())
        count = len(chosen)
        if not whole:
            label = gettext("Check these {count}", count=count)
        elif len(ledger().checked(now)) == count:
            label = gettext("Check again")
        else:
            label = gettext("Check all {count}", count=count)
        ids = () if whole else tuple(claim.id for claim in chosen)
        disabled = not (chosen and idle)
        with st.popover(gettext("Which claims"), icon=":material/filter_list:", type="tertiary"):
            for name in state.settings:
                controls.show(name)
        if not idle:
            st.button(gettext("Stop"), key=state.session_key("stop"), icon=":material/stop:")
        st.button(
            label, key=state.session_key("all"), on_click=ask_for, args=(ids,), disabled=disabled, type="primary"
        )
    return told, st.container(key="claims_progress")


def draw() -> None:
    """Draw the page."""
    # Any other click ends a run, as changing a control does on every page.
    asked: tuple[str, ...] | None = st.session_state.pop(state.session_key("asked"), None)
    now = LedgerConfig(**run_settings())
    found = ledger().checked(now)
    state.take_link()
    draw_title(str(LEDGER.title), beside=draw_line)
    draw_notices(notices.pop())
    expected, source = EXPECTATIONS.get(state.settings["verdict"]), PLACES.get(state.settings["source"])
    chosen = [one for one in claims() if expected in (None, one.expected) and source in (None, one.source)]
    told, progress = draw_run(chosen, now, idle=asked is None)
    of_page = {name: entries for name in TITLES if (entries := [one for one in chosen if one.page == name])}
    chart = Redrawable()
    if of_page:
        with chart.redrawn():
            pressed = draw_glance(of_page, now)
        if pressed is not None:
            state.extras.set(tab=next(claim.page for claim in chosen if claim.id == pressed))
            state.write_link()
    else:
        st.info(gettext("No claim is of this kind and from there: choose another source or verdict."))
    name, tab = open_tab(
        state,
        {name: str(title) for name, title in (TITLES | OF_SOURCES).items() if name in of_page or name in OF_SOURCES},
    )
    with tab:
        if name in OF_SOURCES:
            draw_sources(SOURCES if source is None else (source,))
        for claim in of_page.get(name, ()):
            with st.container(key=f"claim_{claim.id}", horizontal=True, gap="small", vertical_alignment="center"):
                draw_claim(claim, found.get(claim.id))

    st.markdown(
        gettext(
            ":small[Each claim is measured under the settings in which it should hold, and with the switch that "
            "breaks it. What was found is kept on this machine, for all who use it. The tab Sources tells of the "
            "texts that are named beside a claim. The same list runs in a terminal: "
            "`python -m attention_core.claims`.]"
        )
    )

    if asked is not None:
        config = LedgerConfig(ids=asked, **run_settings())

        def tell(step: LedgerStep) -> None:
            """Show what has been found so far, where it is new."""
            if any(one.claim.id not in ledger().checked(now) for one in step.checked):
                ledger().keep(config, step)
                told.markdown(score(now), width="stretch")
                with chart.redrawn():
                    draw_glance(of_page, now)

        with progress:
            # One alone is soon over.
            begun = time.monotonic()
            result = compute(steps_ledger, config, tell if len(config.claims) > 1 else None)
            ledger().keep(config, result, time.monotonic() - begun)
        st.rerun()
