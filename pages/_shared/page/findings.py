"""What was found, below the picture: each claim in words, then its numbers, with icon and colour."""

from collections.abc import Iterable

import streamlit as st

from pages._shared.core.text import escape_markdown, no_line_breaks
from attention_core.claims import statement
from attention_core.experiments.number_format import format_number
from attention_core.experiments.verdict import Verdict

MOST = 3
_LOOKS = {
    "holds": (":material/check_circle:", "green", "holds"),
    "fails": (":material/do_not_disturb_on:", "orange", "does not hold"),
    "undecided": (":material/help:", "gray", "not decided here"),
    "surprises": (":material/error:", "red", ""),
}


def draw_finding(verdicts: Iterable[Verdict]) -> None:
    """Draw what was found of each claim: surprises and broken claims first, all but the first few folded.

    Formulas, cases, precision and device stand one click away.
    """
    said = in_order(verdicts)
    if not said:
        return
    first, more = said[:MOST], said[MOST:]
    st.markdown(no_line_breaks(finding_lines(first)))
    agree = all(verdict.outcome in ("holds", "fails") for verdict in more)
    counted = f"{len(more)} more finding{'s' * (len(more) > 1)}{', as theory expects' if agree else ''}"
    with st.expander(f"{counted}; how all was measured" if more else "How it was measured"):
        st.markdown(no_line_breaks(verdict_lines(more + first)))


def finding_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each claim, once, and all that was measured of it."""
    lines: dict[str, list[str]] = {}
    for verdict in verdicts:
        lines.setdefault(_claim(verdict), []).append(capital(number_in_words(verdict)))
    return "  \n".join(f"{claim} {' '.join(found)}" for claim, found in lines.items())


def verdict_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each verdict and how it was measured; colour and icon say what the words say."""
    return "  \n".join(f"{finding_lines([verdict])} {_details(verdict)}" for verdict in verdicts)


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Surprises, claims that fail, those undecided, the first of each claim that holds, then its others."""
    order = ("surprises", "fails", "undecided", "holds")
    seen: dict[str, int] = {}
    ranked = []
    for verdict in verdicts:
        seen[verdict.claim] = seen.get(verdict.claim, 0) + 1
        ranked.append((order.index(verdict.outcome), seen[verdict.claim], verdict))
    return [verdict for *_, verdict in sorted(ranked, key=lambda rank: rank[:2])]


def _claim(verdict: Verdict) -> str:
    icon, colour, word = _LOOKS[verdict.outcome]
    if verdict.surprises:
        word = "holds, though theory says it should not here" if verdict.holds else "does not hold, though it should"
    because = f": {verdict.because}" if verdict.because else ""
    return f":{colour}[{icon} **{escape_markdown(statement(verdict.claim), 200)}** {word}{because}.]"


def number_in_words(verdict: Verdict) -> str:
    """What was measured, as a sentence that may follow a colon."""
    number = escape_markdown(format_number(verdict.measured) + _unit(verdict))
    return f"{verdict.says} **{number}**."


def capital(sentence: str) -> str:
    """The sentence with a capital."""
    return sentence[:1].upper() + sentence[1:]


def _details(verdict: Verdict) -> str:
    return f":small[:gray[{as_code(f'{verdict.claim} · {verdict.numbers} · {verdict.circumstances}')}]]"


def as_code(text: str) -> str:
    """A formula as Markdown that shows it as it is."""
    return "`" + text.replace("`", "ʼ") + "`"


def _unit(verdict: Verdict) -> str:
    return f" {verdict.unit}" if verdict.unit else ""
