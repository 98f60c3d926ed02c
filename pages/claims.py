"""Claims: every statement of the theory, where it is said, and what this machine measures of it, now."""

import streamlit as st

from pages._shared import link
from pages._shared.controls import RUN_SETTINGS, Controls
from pages._shared.ledger import ledger
from pages._shared.registry import LEDGER, PAGES
from pages._shared.run import runner
from pages._shared.shell import shared
from pages._shared.tabs import open_tab
from pages._shared.words import literal
from attention_core.claims import EXPECTED, FALSE, SOURCES, Checked, Claim, LedgerConfig, claims, steps_check
from attention_core.experiments.verdict import Verdict

ASKED = "_claims_asked"
ANY, ANYWHERE = "all", "anywhere"

control, settings = Controls(LEDGER.name), shared()
run = {name: settings.values[name] for name in RUN_SETTINGS}
now = LedgerConfig(**run)
found = ledger().found(now)
# Any other click ends a run, as changing a control does on every page.
asked: tuple[str, ...] | None = st.session_state.pop(ASKED, None)


def ask(ids: tuple[str, ...]) -> None:
    """Have these claims checked in the coming run; all where there are none."""
    st.session_state[ASKED] = ids


def text(sentence: str) -> str:
    return literal(sentence, 500)


def look(claim: Claim, one: Checked | None) -> tuple[str, str, str]:
    """Colour, icon and meaning of what has been found of a claim."""
    if one is None:
        return "gray", "radio_button_unchecked", "not checked yet"
    if one.refused:
        return "gray", "block", "not measured"
    if one.differs:
        return "red", "error", "not as theory says"
    if claim.expected == FALSE:
        return "orange", "do_not_disturb_on", "is false"
    return "green", "check_circle", "holds"


def glance(of_page: dict[str, list[Claim]]) -> str:
    """All claims by name, each with the look of what has been found of it, and what these looks mean."""
    looks = {claim.id: look(claim, found.get(claim.id)) for entries in of_page.values() for claim in entries}
    meant = (f":{colour}[:material/{icon}: {meaning}]" for colour, icon, meaning in sorted(set(looks.values())))
    lines = [f"Legend: {' '.join(meant)}"]
    for title, entries in of_page.items():
        names = (":{}[:material/{}:&nbsp;{}]".format(*looks[claim.id][:2], claim.id) for claim in entries)
        lines.append(f"**{title}** {' '.join(names)}")
    return "  \n".join(f":small[{line}]" for line in lines)


def number(verdict: Verdict) -> str:
    """What was measured, and what it is held to."""
    return "`" + verdict.sentence().partition(" · ")[0].replace("`", "ʼ") + "`"


def measured(claim: Claim, one: Checked) -> list[str]:
    """The first number, all where a source is corrected, the first that shows the break, and all that are not so."""
    lines = [number(verdict) for verdict in (one.verdicts if claim.correction else one.verdicts[:1])]
    failed = [verdict for verdict in one.broken if not verdict.holds]
    if claim.breaks:
        lines += [f"With {text(claim.breaks.by)}: {number(verdict)}" for verdict in failed[:1]]
    wrong = [verdict for verdict in (*one.verdicts, *one.broken) if not verdict.as_expected]
    return lines + [f":red[Not as theory says:] {number(verdict)}" for verdict in wrong]


def draw(claim: Claim) -> None:
    """One entry: the statement, its verdict and numbers, and on the right where to see it."""
    one = found.get(claim.id)
    colour, icon, words = look(claim, one)
    if one and one.refused:
        words = f"not measured: {text(one.refused)}"
    elif words == "holds":
        words = text(claim.verdict)
    status = f":{colour}[:material/{icon}: **{claim.id}** {words}]"
    lines = [f"**{text(claim.statement)}**", f":small[{status} :gray[· {text(claim.said)}]]"]
    lines += [f":small[{line}]" for line in (measured(claim, one) if one else ())]
    if claim.correction and (one or claim.expected == FALSE):
        told = {"said": claim.correction.says, "measured": claim.correction.found}
        lines += [f":small[**What is {name}:** {text(words)}.]" for name, words in told.items()]
        lines.append(f":small[**Why:** {text(claim.correction.why)}.]")
    st.markdown("  \n".join(lines), width="stretch")
    page = next(page for page in PAGES if page.name == claim.page)
    kept = {name: st.query_params[name] for name in (*RUN_SETTINGS, "present") if name in st.query_params}
    st.page_link(page.file, label="See it", icon=page.icon, query_params=claim.parameters() | kept)
    if claim.breaks:
        broken = claim.parameters(broken=True) | kept
        st.page_link(page.file, label="Break it", icon=":material/bolt:", query_params=broken)
    st.button("Check", key=f"_claims_check_{claim.id}", on_click=ask, args=((claim.id,),), type="tertiary")


st.title(LEDGER.title)
st.markdown(
    f"{LEDGER.claim} Each is measured twice: under the settings in which it should hold, and with the switch that "
    "breaks it. The same list runs in a terminal: `python -m attention_core.claims`."
)
left, right = st.columns(2)
with left:
    expected = control.choice("verdict", "What theory says", (ANY, *EXPECTED), ANY)
with right:
    source = control.select("source", "Where it is said", (ANYWHERE, *SOURCES), ANYWHERE)
chosen = [claim for claim in claims() if expected in (ANY, claim.expected) and source in (ANYWHERE, claim.source)]
with st.container(horizontal=True, vertical_alignment="center", key="claims_run"):
    whole = len(chosen) == len(claims())
    label = f"Check all {len(chosen)}" if whole else f"Check these {len(chosen)}"
    ids = () if whole else tuple(claim.id for claim in chosen)
    idle = asked is None
    st.button(label, key="_claims_all", on_click=ask, args=(ids,), disabled=not (chosen and idle))
    if not idle:
        st.button("Stop", key="_claims_stop", icon=":material/stop:")
    st.markdown(ledger().score(now) or "Nothing is checked yet with this precision and seed.", width="content")
progress = st.container(key="claims_progress")
of_page = {page.title: entries for page in PAGES if (entries := [one for one in chosen if one.page == page.name])}
tab = {f"{LEDGER.name}_tab": lambda raw: (raw in of_page, "the page", next(iter(of_page), "none"))}
for sentence in link.note_unused(control.taken | settings.taken | tab, LEDGER.name):
    st.warning(sentence)
if of_page:
    with st.container(key="claims_glance"):
        st.markdown(glance(of_page))
    title, place = open_tab(LEDGER.name, list(of_page))
    with place:
        for claim in of_page[title]:
            with st.container(key=f"claim_{claim.id}", horizontal=True, gap="small", vertical_alignment="center"):
                draw(claim)
else:
    st.info("No claim is of this kind and from there: choose another source or verdict.")

if asked is not None:
    config = LedgerConfig(ids=asked, **run)
    with progress:
        ledger().keep(config, runner().run(steps_check, config))
    st.rerun()
