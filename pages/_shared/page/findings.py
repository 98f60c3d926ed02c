"""What was found, below the picture: each claim in words, then its numbers, with icon and colour."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import streamlit as st

from pages._shared.core.text import escape_markdown, no_line_breaks
from attention_core.claims import statement
from attention_core.experiments.number_format import format_number
from attention_core.experiments.verdict import Verdict
from attention_core.language import ENGLISH, current, gettext_lazy, ngettext
from attention_core.language import gettext as _

LOOKS = {
    "surprises": (":material/error:", "orange", gettext_lazy("Differs from theory")),
    "fails": (":material/toggle_off:", "gray", gettext_lazy("Switched off")),
    "undecided": (":material/help:", "gray", gettext_lazy("Not decided here")),
    "holds": (":material/check_circle:", "green", gettext_lazy("Holds")),
}
NOT_ASKED = ":material/radio_button_unchecked:", "gray", gettext_lazy("Not in question here")


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
    rows = _rows(verdicts, aside)
    if not rows:
        return
    first = 0 if rows[0].aside else 1
    for row in rows[:first]:
        st.markdown(no_line_breaks(f":small[{row.line()}]"))
    folded, more = rows[first:] + rows[:first], len(rows) - first
    unlike = any(row.verdicts[0].outcome in ("surprises", "undecided") for row in rows[first:])
    with st.expander(_counted(more, unlike) if more else _("How it was measured")):
        st.markdown(no_line_breaks("  \n".join(row.all_lines() for row in folded)))


def _counted(more: int, unlike: bool) -> str:
    if unlike:
        return ngettext(
            "{count} more claim, and how all was measured", "{count} more claims, and how all was measured", more
        )
    return ngettext(
        "{count} more claim, as theory says, and how all was measured",
        "{count} more claims, as theory says, and how all was measured",
        more,
    )


class _Row(NamedTuple):
    """A claim and all that was measured of it, the worst first."""

    verdicts: list[Verdict]
    aside: bool

    def line(self) -> str:
        """Icon and colour say what the word says, and the number of the worst case stands behind."""
        verdict = self.verdicts[0]
        icon, colour, word = NOT_ASKED if self.aside else LOOKS[verdict.outcome]
        because = _("{because}.", because=capital(verdict.because)) if verdict.because else ""
        if verdict.surprises and not because:
            because = _("It holds, and should not here.") if verdict.holds else _("It should hold here.")
        parts = {
            "colour": colour, "icon": icon, "word": word, "because": because,
            "claim": escape_markdown(statement(verdict.claim), 200), "number": capital(number_in_words(verdict)),
        }  # fmt: skip
        if not because:
            return _(":{colour}[{icon} {word}.] {claim} {number}", **parts)
        if verdict.outcome == "fails" and not self.aside:  # the switch, before what it does away with
            return _(":{colour}[{icon} {word}: {because}] This fails: {claim} {number}", **parts)
        return _(":{colour}[{icon} {word}.] {claim} {because} {number}", **parts)

    def all_lines(self) -> str:
        """The same with each verdict, and how it was measured."""
        icons = (LOOKS[one.outcome][:2] for one in self.verdicts[1:])
        others = (
            f":{colour}[{icon}] {capital(number_in_words(one))}"
            for one, (icon, colour) in zip(self.verdicts[1:], icons, strict=True)
        )
        lines = zip((self.line(), *others), self.verdicts, strict=True)
        return "  \n".join(f"{line} {details(verdict)}" for line, verdict in lines)


def claim_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each claim, and below it one for each further verdict, with how it was measured."""
    return "  \n".join(row.all_lines() for row in _rows(verdicts, ()))


def _rows(verdicts: Iterable[Verdict], aside: Collection[str]) -> list[_Row]:
    claims: dict[str, list[Verdict]] = {}
    for verdict in in_order(verdicts):
        claims.setdefault(verdict.claim, []).append(verdict)
    rows = [_Row(row, claim in aside and row[0].outcome == "fails") for claim, row in claims.items()]
    return sorted(rows, key=lambda row: row.aside)


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
    if verdict.rounding and verdict.outcome == "holds" and verdict.measured >= 0:
        says = str(verdict.says).replace(_("by at most"), _("by"))
        if verdict.measured == 0:
            return _("{says} **nothing**.", says=says)
        number = _("nothing ({number}, rounding)", number=number)
    else:
        says = verdict.says
    return _("{says} **{number}**.", says=says, number=escape_markdown(number))


def capital(sentence: str) -> str:
    """The sentence with a capital, in English; a symbol stays as it is."""
    sentence = str(sentence)
    return sentence[:1].upper() + sentence[1:] if current() == ENGLISH and sentence[:1].isascii() else sentence


def details(verdict: Verdict) -> str:
    """How it was measured, small."""
    return f":small[:gray[{as_code(f'{verdict.claim} · {verdict.numbers} · {verdict.circumstances}')}]]"


def as_code(text: str) -> str:
    """A formula as Markdown that shows it as it is."""
    return "`" + text.replace("`", "ʼ") + "`"


def _unit(verdict: Verdict) -> str:
    return f" {verdict.unit}" if verdict.unit else ""
