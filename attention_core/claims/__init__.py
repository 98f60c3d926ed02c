"""The ledger: every statement of the theory, where it is said, and the experiment that checks it here and now.

``python -m attention_core.claims`` checks all of it in a terminal.
"""

from attention_core.claims.ledger import Checked as Checked
from attention_core.claims.ledger import LedgerConfig as LedgerConfig
from attention_core.claims.ledger import LedgerResult as LedgerResult
from attention_core.claims.ledger import LedgerStep as LedgerStep
from attention_core.claims.ledger import Outcome as Outcome
from attention_core.claims.ledger import check as check
from attention_core.claims.ledger import claims as claims
from attention_core.claims.ledger import each_check as each_check
from attention_core.claims.ledger import statement as statement
from attention_core.claims.ledger import steps_ledger as steps_ledger
from attention_core.claims.ledger import tally as tally
from attention_core.claims.sources import DOCUMENTS as DOCUMENTS
from attention_core.claims.sources import FURTHER as FURTHER
from attention_core.claims.sources import SAID as SAID
from attention_core.claims.sources import Document as Document
from attention_core.claims.sources import Said as Said
from attention_core.measuring.claim import EXPECTED as EXPECTED
from attention_core.measuring.claim import EXPECTED_WORDS as EXPECTED_WORDS
from attention_core.measuring.claim import FALSE as FALSE
from attention_core.measuring.claim import HOLDS as HOLDS
from attention_core.measuring.claim import HOLDS_WHEN as HOLDS_WHEN
from attention_core.measuring.claim import SOURCES as SOURCES
from attention_core.measuring.claim import Break as Break
from attention_core.measuring.claim import Claim as Claim
from attention_core.measuring.claim import Correction as Correction
