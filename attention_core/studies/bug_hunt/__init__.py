"""Bug hunt: eight attentions with the same weights, six of them faulty, and what tells them apart."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.bug_hunt.claims import CLAIMS
from attention_core.studies.bug_hunt.identified import IdentifiedConfig as IdentifiedConfig
from attention_core.studies.bug_hunt.identified import steps_identified as steps_identified
from attention_core.studies.bug_hunt.lineup import in_words as in_words
from attention_core.studies.bug_hunt.lineup import kind_of as kind_of
from attention_core.studies.bug_hunt.lineup import reference as reference
from attention_core.studies.bug_hunt.measure import run_bug_hunt as run_bug_hunt
from attention_core.studies.bug_hunt.result import BESIDE as BESIDE
from attention_core.studies.bug_hunt.result import PROBES as PROBES
from attention_core.studies.bug_hunt.result import BugHuntResult as BugHuntResult
from attention_core.studies.bug_hunt.result import IdentifiedResult as IdentifiedResult
from attention_core.studies.bug_hunt.result import Probed as Probed
from attention_core.studies.bug_hunt.settings import LETTERS as LETTERS
from attention_core.studies.bug_hunt.settings import PAIRS as PAIRS
from attention_core.studies.bug_hunt.settings import BugHuntConfig as BugHuntConfig
from attention_core.studies.bug_hunt.snippet import AT_HOME as AT_HOME
from attention_core.studies.bug_hunt.snippet import SHORTEST, bug_hunt_snippet, headline

STUDY = Study(
    name="bug_hunt",
    title=_("bug hunt"),
    place=14,
    config=BugHuntConfig,
    snippet=bug_hunt_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
