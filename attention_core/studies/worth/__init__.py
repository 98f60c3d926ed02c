"""What a weight is worth: weights beside what changes when an edge is cut."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.model_config import EXAMPLES as EXAMPLES
from attention_core.measuring.model_config import MODELS as MODELS
from attention_core.measuring.model_config import OWN as OWN
from attention_core.measuring.model_config import SHORT as SHORT
from attention_core.measuring.study import Study
from attention_core.studies.worth.claims import CLAIMS
from attention_core.studies.worth.claims import LONG as LONG
from attention_core.studies.worth.cut import CutConfig as CutConfig
from attention_core.studies.worth.cut import CutResult as CutResult
from attention_core.studies.worth.cut import run_cut as run_cut
from attention_core.studies.worth.edges import ranks as ranks
from attention_core.studies.worth.gate import NAMES as NAMES
from attention_core.studies.worth.gate import GateConfig as GateConfig
from attention_core.studies.worth.gate import GateResult as GateResult
from attention_core.studies.worth.gate import steps_gate as steps_gate
from attention_core.studies.worth.measure import run_worth as run_worth
from attention_core.studies.worth.measure import steps_worth as steps_worth
from attention_core.studies.worth.result import Cell as Cell
from attention_core.studies.worth.result import WorthResult as WorthResult
from attention_core.studies.worth.settings import RESTS as RESTS
from attention_core.studies.worth.settings import WorthConfig as WorthConfig
from attention_core.studies.worth.snippet import SHORTEST as SHORTEST
from attention_core.studies.worth.snippet import headline
from attention_core.studies.worth.snippet import worth_snippet as worth_snippet
from attention_core.studies.worth.texts import TEXTS as TEXTS
from attention_core.studies.worth.texts import TextsConfig as TextsConfig
from attention_core.studies.worth.texts import TextsResult as TextsResult
from attention_core.studies.worth.texts import steps_texts as steps_texts

STUDY = Study(
    name="worth",
    title=_("what a weight is worth"),
    place=8,
    config=WorthConfig,
    snippet=worth_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
