"""Sentences about claims, chosen by what came of them, so that none denies the verdict beside it."""

from typing import Literal

from attention_core.language import SEMICOLON, joined, sentences
from attention_core.language import gettext as _
from attention_core.measuring.outcomes import OF_A_VERDICT
from attention_core.measuring.verdict import Result, Verdict


def outcome(result: Result, *keys: str) -> Literal["holds", "fails", "undecided"]:
    """What came of some verdicts together: one that fails undoes all, and one that is undecided leaves all open.

    What surprises counts as it was measured.

    Args:
        result: A result.
        keys: Keys of its verdicts; a claim's id stands for all of the claim's. None that was measured is undecided.
    """
    about = _verdicts(result, keys)
    decided = [one for one in about if one.outcome != "undecided"]
    if not all(one.holds for one in decided):
        return "fails"
    return "holds" if about and decided == about else "undecided"


def said(result: Result, *keys: str, holds: str, fails: str, undecided: str) -> str:
    """The one of three sentences that is true of what came of some verdicts; see ``outcome``."""
    return {"holds": holds, "fails": fails, "undecided": undecided}[outcome(result, *keys)]


def undone(result: Result, *keys: str) -> str:
    """Where some claims fail or are undecided with these settings, a sentence why; empty where they hold.

    Args:
        result: A result.
        keys: As in ``outcome``; of what was not measured nothing is said.
    """
    about = _verdicts(result, keys)
    failing, undecided = (_reasons(about, came) for came in ("fails", "undecided"))
    surprises = [one for one in about if one.surprises]
    return str(
        sentences(
            (
                str(OF_A_VERDICT["fails"].argued).format(reasons=failing) if failing else "",
                str(OF_A_VERDICT["undecided"].argued).format(reasons=undecided) if undecided else "",
                _("It should hold here, and does not.") if not all(one.holds for one in surprises) else "",
                _("It holds here, and should not.") if any(one.holds for one in surprises) else "",
            )
        )
    )


def _verdicts(result: Result, keys: tuple[str, ...]) -> list[Verdict]:
    return [one for one in result.verdicts if one.key in keys or one.claim in keys]


def _reasons(verdicts: list[Verdict], came: str) -> str:
    """Why verdicts came out so, each reason once."""
    return str(joined(SEMICOLON, dict.fromkeys(str(one.because) for one in verdicts if one.outcome == came)))
