"""The findings below the picture: each claim in words, then its numbers, with icon and colour."""

from collections.abc import Collection, Iterable, Sequence
from typing import Literal, NamedTuple

import streamlit as st

from pages._shared.core.text import escape_markdown, no_line_breaks, plain_markdown
from attention_core.claims import statement
from attention_core.figures.mathematics import set_markdown, tex
from attention_core.figures.theme import ROLE_COLOURS
from attention_core.language import ENGLISH, SEMICOLON, current, gettext_lazy, joined, ngettext, pgettext_lazy
from attention_core.language import gettext as _
from attention_core.measuring.outcomes import OF_A_VERDICT, OutcomeStyle
from attention_core.measuring.verdict import Verdict

_ZERO = pgettext_lazy("how much", "nothing")
NOT_ASKED = OutcomeStyle(word=gettext_lazy("Not in question here"), icon="radio_button_unchecked", colour="gray")


def draw_sight(summary: str, law: str = "") -> None:
    """Draw the first line below a picture: what is seen there, without a verdict, and the law behind it.

    Args:
        summary: The line.
        law: Markdown of the page's law; see ``set_law``.
    """
    with st.container():  # both may have to stand in one place
        st.markdown(no_line_breaks(plain_markdown(summary, 500)))
        if law:
            st.container(key="law").markdown(law)


def set_law(law: str, mode: Literal["light", "dark"]) -> str:
    """A law as Markdown, its letters in the colours of their roles."""
    return f"${tex(law, ROLE_COLOURS[mode])}$"


def draw_finding(
    verdicts: Iterable[Verdict], *, about: Sequence[str] | None = None, aside: Collection[str] = (),
    hidden: Collection[str] = (), question: str = "", asked: str = "",
) -> None:  # fmt: skip
    """Draw the verdict on each claim, small: one claim in sight, the others folded.

    In sight is what differs from theory, else the claim that was asked about, else what does not hold here, else a
    claim that the picture is about, if there is one. Formulas, precision and device stand one click away.

    Args:
        verdicts: The verdicts.
        about: Claims that the picture is about, first the one that is told first among equals; None for all.
        aside: Claims that are about other settings than the page's usual ones: where they do not hold they are not in
            question, and are folded.
        hidden: Claims of which nothing is said yet, but that they wait for an answer to ``question``.
        question: See there.
        asked: The claim on which the answer stands that is drawn above the picture; it is never aside.
    """
    verdicts = tuple(verdicts)
    told = (verdict for verdict in verdicts if verdict.claim not in hidden)
    rows = _rows(told, about, set(aside) - {asked}, asked)
    in_sight = int(bool(rows) and rows[0].seen)
    for row in rows[:in_sight]:
        st.markdown(no_line_breaks(f":small[{row.line()}]"))
    if rows:
        with st.expander(_counted(rows[in_sight:])):
            st.markdown(no_line_breaks("  \n".join(row.all_lines() for row in rows[in_sight:] + rows[:in_sight])))
    if waiting := len({verdict.claim for verdict in verdicts if verdict.claim in hidden}):
        waits = ngettext(
            "Predict or skip “{question}” first: {count} claim about it waits.",
            "Predict or skip “{question}” first: {count} claims about it wait.",
            waiting,
            question=question,
        )
        st.markdown(f":small[:gray[{waits}]]")


def _counted(folded: Sequence["_Row"]) -> str:
    """The label of the folded claims: how many, whether as theory says, how many not in question."""
    more = [row for row in folded if not row.aside]
    unlike = any(row.verdicts[0].outcome in ("surprises", "undecided") for row in more)
    parts = []
    if more and unlike:
        parts.append(ngettext("{count} more claim", "{count} more claims", len(more)))
    elif more:
        parts.append(ngettext("{count} more claim, as theory says", "{count} more claims, as theory says", len(more)))
    if aside := len(folded) - len(more):
        parts.append(_("{count} not in question here", count=aside))
    return joined(SEMICOLON, (_("How it was measured"), *parts))


class _Row(NamedTuple):
    """A claim's verdicts, the worst first."""

    verdicts: list[Verdict]
    seen: bool  # whether it may stand in sight
    aside: bool

    def line(self) -> str:
        """Markdown of the worst verdict: icon, word, claim, number."""
        verdict = self.verdicts[0]
        style = NOT_ASKED if self.aside else OF_A_VERDICT[verdict.outcome]
        parts = {
            "colour": style.colour, "icon": f":material/{style.icon}:", "word": style.word,
            "because": set_markdown(verdict.because),
            "claim": plain_markdown(statement(verdict.claim), 200), "number": capital(number_in_words(verdict)),
        }  # fmt: skip
        if verdict.because and verdict.outcome == "fails" and not self.aside:  # the reason, before what it undoes
            return _(":{colour}[{icon} {word}, because {because}:] “{claim}” {number}", **parts)
        because = _("{because}.", because=capital(set_markdown(verdict.because))) if verdict.because else ""
        if verdict.surprises and not because:
            because = _("It holds, and should not here.") if verdict.holds else _("It should hold here.")
        if not because:
            return _(":{colour}[{icon} {word}.] {claim} {number}", **parts)
        return _(":{colour}[{icon} {word}.] {claim} {because} {number}", **parts | {"because": because})

    def all_lines(self) -> str:
        """Markdown of all verdicts, with how each was measured."""
        came = ((verdict, OF_A_VERDICT[verdict.outcome]) for verdict in self.verdicts[1:])
        others = (
            f":{style.colour}[:material/{style.icon}:] {capital(number_in_words(verdict))}" for verdict, style in came
        )
        lines = zip((self.line(), *others), self.verdicts, strict=True)
        return "  \n".join(f"{line} {details(verdict)}" for line, verdict in lines)


def claim_lines(verdicts: Iterable[Verdict]) -> str:
    """Markdown with a line for each claim and for each further verdict, with how it was measured."""
    return "  \n".join(row.all_lines() for row in _rows(verdicts, None, ()))


def _rows(
    verdicts: Iterable[Verdict], about: Sequence[str] | None, aside: Collection[str], asked: str = ""
) -> list[_Row]:
    claims: dict[str, list[Verdict]] = {}
    for verdict in in_order(verdicts, about or ()):
        claims.setdefault(verdict.claim, []).append(verdict)
    rows = []
    for claim, row in claims.items():
        beside = claim in aside and row[0].outcome == "fails"
        wanted = about is None or claim in about or claim == asked or row[0].outcome in ("surprises", "fails")
        seen = not beside and wanted
        rows.append(_Row(row, seen, beside))

    def rank(row: _Row) -> tuple[bool, ...]:
        worst = row.verdicts[0]
        return not worst.surprises, worst.claim != asked, not row.seen, row.aside

    return sorted(rows, key=rank)


def in_order(verdicts: Iterable[Verdict], about: Sequence[str] = ()) -> list[Verdict]:
    """Sort verdicts: surprises, failures, undecided, the first of each claim that holds, then its others.

    Among equals claims come as in ``about``, and others after them as they came.
    """
    order = tuple(OF_A_VERDICT)
    place = {claim: at for at, claim in enumerate(about)}
    counts: dict[str, int] = {}
    ranked = []
    for verdict in verdicts:
        counts[verdict.claim] = counts.get(verdict.claim, 0) + 1
        rank = order.index(verdict.outcome), counts[verdict.claim], place.get(verdict.claim, len(place))
        ranked.append((rank, verdict))
    return [verdict for _, verdict in sorted(ranked, key=lambda pair: pair[0])]


def number_in_words(verdict: Verdict) -> str:
    """The measured number and its cases, as a sentence that may follow a colon.

    What rounding leaves of nothing is called so. The cases are often more than a picture shows: its own numbers may
    then be smaller.
    """
    parts = {
        "says": set_markdown(verdict.says),
        "number": escape_markdown(verdict.number),
        "cases": plain_markdown(str(verdict.cases or ""), 200),
    }
    if verdict.rounding and verdict.outcome == "holds" and verdict.measured >= 0:
        parts["says"] = parts["says"].replace(_("by at most"), _("by"))
        if verdict.measured:
            if verdict.cases:
                return _("{says} **nothing ({number}, rounding)** :gray[({cases})].", **parts)
            return _("{says} **nothing ({number}, rounding)**.", **parts)
        parts["number"] = str(_ZERO)
    return (
        _("{says} **{number}** :gray[({cases})].", **parts) if verdict.cases else _("{says} **{number}**.", **parts)
    )


def capital(sentence: str) -> str:
    """The sentence with a capital, in English; a symbol stays as it is."""
    sentence = str(sentence)
    return sentence[:1].upper() + sentence[1:] if current() == ENGLISH and sentence[:1].isascii() else sentence


def details(verdict: Verdict) -> str:
    """Small Markdown of how a verdict was measured."""
    return f":small[:gray[{as_code(f'{verdict.claim} · {verdict.numbers} · {verdict.dtype} · {verdict.device}')}]]"


def as_code(text: str) -> str:
    """A formula as Markdown that shows it as it is."""
    return "`" + text.replace("`", "ʼ") + "`"
