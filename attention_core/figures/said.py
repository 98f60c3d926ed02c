"""Sentences about claims, chosen by their outcome, so that none contradicts the verdict beside it."""

from typing import Literal

from attention_core.language import SEMICOLON, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.outcomes import OF_A_VERDICT
from attention_core.measuring.verdict import Result, Verdict


def outcome(result: Result, *keys: str) -> Literal["holds", "fails", "undecided"]:
    """The outcome of some verdicts together: one that fails undoes all, one that is undecided leaves all open.

    What surprises counts as it was measured.

    Args:
        result: A result.
        keys: Keys of its verdicts; a claim's id stands for all of the claim's. None that was measured is undecided.
    """
    about = _verdicts(result, keys)
    decided = [verdict for verdict in about if verdict.outcome != "undecided"]
    if not all(verdict.holds for verdict in decided):
        return "fails"
    return "holds" if about and decided == about else "undecided"


def said(result: Result, *keys: str, holds: str, fails: str, undecided: str) -> str:
    """The one of three sentences that is true of some verdicts; see ``outcome``."""
    return {"holds": holds, "fails": fails, "undecided": undecided}[outcome(result, *keys)]


def undone(result: Result, *keys: str) -> str:
    """A sentence why some claims fail or are undecided at these settings; empty where they hold.

    Args:
        result: A result.
        keys: As in ``outcome``; of what was not measured nothing is said.
    """
    about = _verdicts(result, keys)
    failing, undecided = (_reasons(about, outcome) for outcome in ("fails", "undecided"))
    surprises = [verdict for verdict in about if verdict.surprises]
    return str(
        sentences(
            (
                str(OF_A_VERDICT["fails"].argued).format(reasons=failing) if failing else "",
                str(OF_A_VERDICT["undecided"].argued).format(reasons=undecided) if undecided else "",
                _("It should hold here, and does not.") if not all(verdict.holds for verdict in surprises) else "",
                _("It holds here, and should not.") if any(verdict.holds for verdict in surprises) else "",
            )
        )
    )


def _verdicts(result: Result, keys: tuple[str, ...]) -> list[Verdict]:
    return [verdict for verdict in result.verdicts if verdict.key in keys or verdict.claim in keys]


def _reasons(verdicts: list[Verdict], outcome: str) -> str:
    """The reasons of verdicts with an outcome, each once."""
    return str(
        joined(SEMICOLON, dict.fromkeys(str(verdict.because) for verdict in verdicts if verdict.outcome == outcome))
    )
