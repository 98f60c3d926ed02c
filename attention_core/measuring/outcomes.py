"""The outcomes of verdicts and claims: words, sentences, icon and colour of each, for all who show them."""

from dataclasses import dataclass
from typing import Final

from attention_core.language import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeStyle:
    """Words and looks of an outcome.

    Attributes:
        word: The outcome in words.
        reported: A sentence about it on paper, with places for ``{claim}``, ``{says}`` and ``{number}``.
        argued: What a proof says of a step that it concerns, with a place for ``{reasons}``; empty where it says so.
        brief: The outcome at the end of a line of numbers.
        icon: Its Material symbol.
        colour: Its colour in Streamlit's Markdown.
        counted: What follows a number of claims that came to this; empty where there is another sentence for them.
        name: What it is called in a row of names.
        sign: One letter for a terminal.
    """

    word: str
    icon: str
    colour: str
    reported: str = ""
    argued: str = ""
    brief: str = ""
    counted: str = ""
    name: str = ""
    sign: str = ""


# Of a verdict, the worst first.
OF_A_VERDICT: Final = {
    "surprises": OutcomeStyle(
        word=_("Differs from theory"), icon="error", colour="orange",
        reported=_("“{claim}” is not as theory says: {says} {number}."),
    ),
    "fails": OutcomeStyle(
        word=_("Not so here, and theory agrees"), icon="do_not_disturb_on", colour="gray",
        reported=_("“{claim}” does not hold here: {says} {number}."), argued=_("Not so here: {reasons}."),
        brief=_("does not hold"),
    ),
    "undecided": OutcomeStyle(
        word=_("Not decided here"), icon="help", colour="gray",
        reported=_("“{claim}” cannot be decided here: {says} {number}."), argued=_("Not decided here: {reasons}."),
        brief=_("not decided here"),
    ),
    "holds": OutcomeStyle(
        word=_("Holds"), icon="check_circle", colour="green", reported=_("“{claim}” holds: {says} {number}."),
        brief=_("holds"),
    ),
}  # fmt: skip
# Of a claim in the ledger, which was measured with its switch off and on.
OF_A_CLAIM: Final = {
    "agrees": OutcomeStyle(
        word=_("holds, and its switch breaks it"), icon="check_circle", colour="green", name=_("agrees"), sign="✓"
    ),
    "surprises": OutcomeStyle(
        word=_("differs from theory"), icon="error", colour="orange",
        counted=_("not so"), name=_("surprises"), sign="✗",
    ),
    "undecided": OutcomeStyle(
        word=_("not decided with these settings"), icon="help", colour="gray",
        counted=_("not decided"), name=_("undecided"), sign="?",
    ),
    "refused": OutcomeStyle(
        word=_("not measured"), icon="block", colour="gray",
        counted=_("not measured"), name=_("refused"), sign="–",
    ),
    "failed": OutcomeStyle(
        word=_("failed to run"), icon="report", colour="red",
        counted=_("failed to run"), name=_("failed"), sign="!",
    ),
}  # fmt: skip
