"""What was found, below the picture: each claim in words, then its numbers, with icon and colour."""

from collections.abc import Collection, Iterable

import streamlit as st

from pages._shared.core.text import escape_markdown, no_line_breaks
from attention_core.claims import statement
from attention_core.experiments.number_format import format_number
from attention_core.experiments.verdict import Verdict

LOOKS = {
    "surprises": (":material/error:", "orange", "Differs from theory"),
    "fails": (":material/toggle_off:", "gray", "Switched off"),
    "undecided": (":material/help:", "gray", "Not decided here"),
    "holds": (":material/check_circle:", "green", "Holds"),
}
NOT_ASKED = ":material/radio_button_unchecked:", "gray", "Not in question here"


def draw_sight(summary: str) -> None:
    """Draw the first line below a picture: what is seen there, without a verdict."""
    st.markdown(no_line_breaks(escape_markdown(summary, 500)))


def draw_finding(verdicts: Iterable[Verdict], *, aside: Collection[str] = ()) -> None:
    """Draw what was found of each claim, small: one claim in sight, the others folded.

    Formulas, cases, precision and device stand one click away.

    Args:
        verdicts: What was found.
        aside: Claims that are about other settings than the page's usual ones: where those switch them off they are
            not in question, and are folded.
    """
    claims: dict[str, list[Verdict]] = {}
    for verdict in in_order(verdicts):
        claims.setdefault(verdict.claim, []).append(verdict)
    rows = sorted(claims.values(), key=lambda row: _is_aside(row, aside))
    if not rows:
        return
    first = [] if _is_aside(rows[0], aside) else rows[0]
    if first:
        st.markdown(no_line_breaks(f":small[{_row(first)}]"))
    more = len(rows) - bool(first)
    unlike = any(row[0].outcome in ("surprises", "undecided") for row in rows[bool(first) :])
    counted = f"{more} more claim{'s' * (more > 1)}{'' if unlike else ', as theory says'}; how all was measured"
    with st.expander(counted if more else "How it was measured"):
        ordered = rows[bool(first) :] + [first] * bool(first)
        st.markdown(no_line_breaks("  \n".join(_measured(row, _is_aside(row, aside)) for row in ordered)))


def _is_aside(row: list[Verdict], aside: Collection[str]) -> bool:
    return row[0].claim in aside and row[0].outcome == "fails"


def _row(row: list[Verdict], *, aside: bool = False) -> str:
    """Markdown of a claim: icon and colour say what the word says, and the number of the worst case stands behind."""
    verdict = row[0]
    icon, colour, word = NOT_ASKED if aside else LOOKS[verdict.outcome]
    because = f" {capital(verdict.because)}." if verdict.because else ""
    if verdict.surprises and not because:
        because = " It holds, and should not here." if verdict.holds else " It should hold here."
    told = escape_markdown(statement(verdict.claim), 200)
    return f":{colour}[{icon} {word}.] {told}{because} {capital(number_in_words(verdict))}"


def _measured(row: list[Verdict], aside: bool) -> str:
    """The same with all that was measured of the claim, and how."""
    icons = (LOOKS[verdict.outcome][:2] for verdict in row[1:])
    others = (f":{colour}[{icon}] {capital(number_in_words(one))}" for one, (icon, colour) in zip(row[1:], icons))
    lines = [_row(row, aside=aside), *others]
    return "  \n".join(f"{line} {_details(verdict)}" for line, verdict in zip(lines, row, strict=True))


def verdict_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each verdict and how it was measured."""
    return "  \n".join(_measured([verdict], aside=False) for verdict in verdicts)


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Surprises, claims that fail, those undecided, the first of each claim that holds, then its others."""
    order = tuple(LOOKS)
    seen: dict[str, int] = {}
    ranked = []
    for verdict in verdicts:
        seen[verdict.claim] = seen.get(verdict.claim, 0) + 1
        ranked.append((order.index(verdict.outcome), seen[verdict.claim], verdict))
    return [verdict for *_, verdict in sorted(ranked, key=lambda rank: rank[:2])]


def number_in_words(verdict: Verdict) -> str:
    """What was measured, as a sentence that may follow a colon; what rounding leaves of nothing is called so."""
    number = format_number(verdict.measured) + _unit(verdict)
    if verdict.rounding and verdict.outcome == "holds":
        number = "nothing" if verdict.measured == 0 else f"nothing ({number}, rounding)"
        return f"{verdict.says.replace('by at most', 'by')} **{escape_markdown(number)}**."
    return f"{verdict.says} **{escape_markdown(number)}**."


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
