"""Complexity: what each line of attention costs in FLOPs and bytes, which part dominates, and how long it takes."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.clock import SECONDS as SECONDS
from attention_core.measuring.study import Study
from attention_core.studies.complexity.claims import CLAIMS
from attention_core.studies.complexity.measure import run_complexity as run_complexity
from attention_core.studies.complexity.result import ComplexityResult as ComplexityResult
from attention_core.studies.complexity.result import Fit as Fit
from attention_core.studies.complexity.result import TimeCurves as TimeCurves
from attention_core.studies.complexity.result import Times as Times
from attention_core.studies.complexity.result import TimeShares as TimeShares
from attention_core.studies.complexity.settings import SWEEPS as SWEEPS
from attention_core.studies.complexity.settings import TOKENS as TOKENS
from attention_core.studies.complexity.settings import WIDTHS as WIDTHS
from attention_core.studies.complexity.settings import ComplexityConfig as ComplexityConfig
from attention_core.studies.complexity.settings import TimesConfig as TimesConfig
from attention_core.studies.complexity.settings import read_cell as read_cell
from attention_core.studies.complexity.snippet import SHORTEST as SHORTEST
from attention_core.studies.complexity.snippet import complexity_snippet as complexity_snippet
from attention_core.studies.complexity.snippet import headline
from attention_core.studies.complexity.times import steps_times as steps_times

STUDY = Study(
    name="complexity",
    title=_("complexity"),
    place=9,
    config=ComplexityConfig,
    snippet=complexity_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
