"""Trained models: the same questions, asked of learned weights."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.models import MAX_BYTES as MAX_BYTES
from attention_core.measuring.models import Brought as Brought
from attention_core.measuring.models import Head as Head
from attention_core.measuring.models import free_bytes as free_bytes
from attention_core.measuring.study import Study
from attention_core.studies.trained.accuracy import AccuracyConfig as AccuracyConfig
from attention_core.studies.trained.accuracy import AccuracyResult as AccuracyResult
from attention_core.studies.trained.accuracy import steps_accuracy as steps_accuracy
from attention_core.studies.trained.files import awaited as awaited
from attention_core.studies.trained.files import hold as hold
from attention_core.studies.trained.files import needed_bytes as needed_bytes
from attention_core.studies.trained.files import offered as offered
from attention_core.studies.trained.files import read_files as read_files
from attention_core.studies.trained.files import read_offered as read_offered
from attention_core.studies.trained.heads import HeadsConfig as HeadsConfig
from attention_core.studies.trained.heads import HeadsResult as HeadsResult
from attention_core.studies.trained.heads import run_heads as run_heads
from attention_core.studies.trained.heads import steps_heads as steps_heads
from attention_core.studies.trained.measure import run_trained as run_trained
from attention_core.studies.trained.measure import steps_trained as steps_trained
from attention_core.studies.trained.result import TrainedResult as TrainedResult
from attention_core.studies.trained.settings import BEGINNINGS as BEGINNINGS
from attention_core.studies.trained.settings import EXAMPLES as EXAMPLES
from attention_core.studies.trained.settings import FACTORS as FACTORS
from attention_core.studies.trained.settings import KINDS as KINDS
from attention_core.studies.trained.settings import MODELS as MODELS
from attention_core.studies.trained.settings import OWN as OWN
from attention_core.studies.trained.settings import ModelConfig as ModelConfig
from attention_core.studies.trained.settings import TrainedConfig as TrainedConfig
from attention_core.studies.trained.snippet import SHORTEST as SHORTEST
from attention_core.studies.trained.snippet import trained_snippet as trained_snippet
from attention_core.studies.trained.special import special as special

STUDY = Study(
    name="trained",
    title=_("trained models"),
    place=7,
    config=TrainedConfig,
    snippet=trained_snippet,
    shortest=SHORTEST,
)
