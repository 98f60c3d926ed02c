"""Exactness: the same computed in another way, and what decides whether a word changes."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.exactness.batch import ALONE as ALONE
from attention_core.studies.exactness.batch import WAYS as WAYS
from attention_core.studies.exactness.batch import Batch as Batch
from attention_core.studies.exactness.claims import CLAIMS
from attention_core.studies.exactness.latent import SHARING as SHARING
from attention_core.studies.exactness.latent import Latent as Latent
from attention_core.studies.exactness.measure import ExactnessResult as ExactnessResult
from attention_core.studies.exactness.measure import run_exactness as run_exactness
from attention_core.studies.exactness.pairs import Pairs as Pairs
from attention_core.studies.exactness.settings import BLOCKS as BLOCKS
from attention_core.studies.exactness.settings import D_HEAD as D_HEAD
from attention_core.studies.exactness.settings import FORMS as FORMS
from attention_core.studies.exactness.settings import TURNED_NAMES as TURNED_NAMES
from attention_core.studies.exactness.settings import ExactnessConfig as ExactnessConfig
from attention_core.studies.exactness.snippet import SHORTEST as SHORTEST
from attention_core.studies.exactness.snippet import exactness_snippet as exactness_snippet
from attention_core.studies.exactness.snippet import headline
from attention_core.studies.exactness.speculation import Speculation as Speculation
from attention_core.studies.exactness.tiles import LENGTHS as LENGTHS
from attention_core.studies.exactness.tiles import Tiles as Tiles
from attention_core.studies.exactness.writing import BEGUN as BEGUN

STUDY = Study(
    name="exactness",
    title=_("same or not"),
    place=15,
    config=ExactnessConfig,
    snippet=exactness_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
