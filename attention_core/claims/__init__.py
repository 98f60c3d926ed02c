"""The ledger: every statement of the theory, where it is said, and the experiment that checks it here and now.

``python -m attention_core.claims`` checks all of it in a terminal.
"""

from attention_core.claims.claim import EXPECTED, FALSE, HOLDS, HOLDS_WHEN, SOURCES, Break, Claim, Correction
from attention_core.claims.ledger import (
    Checked,
    LedgerConfig,
    LedgerResult,
    check,
    claims,
    each_check,
    steps_check,
)

__all__ = [
    "EXPECTED",
    "FALSE",
    "HOLDS",
    "HOLDS_WHEN",
    "SOURCES",
    "Break",
    "Checked",
    "Claim",
    "Correction",
    "LedgerConfig",
    "LedgerResult",
    "check",
    "claims",
    "each_check",
    "steps_check",
]
