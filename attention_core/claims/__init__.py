"""The ledger: every statement of the theory, where it is said, and the experiment that checks it here and now.

``python -m attention_core.claims`` checks all of it in a terminal.
"""

from attention_core.claims.claim import EXPECTED, FALSE, HOLDS, HOLDS_WHEN, SOURCES, Break, Claim, Correction
from attention_core.claims.ledger import (
    Checked,
    LedgerConfig,
    LedgerResult,
    Outcome,
    check,
    claims,
    each_check,
    statement,
    steps_ledger,
    tally,
)
from attention_core.claims.sources import DOCUMENTS, FURTHER, SAID, Document, Said

__all__ = [
    "DOCUMENTS",
    "EXPECTED",
    "FALSE",
    "FURTHER",
    "HOLDS",
    "HOLDS_WHEN",
    "SAID",
    "SOURCES",
    "Break",
    "Checked",
    "Claim",
    "Correction",
    "Document",
    "LedgerConfig",
    "LedgerResult",
    "Outcome",
    "Said",
    "check",
    "claims",
    "each_check",
    "statement",
    "steps_ledger",
    "tally",
]
