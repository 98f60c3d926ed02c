"""Trained models: the same questions, asked of learned weights."""

from attention_core.experiments.trained.accuracy import AccuracyConfig as AccuracyConfig
from attention_core.experiments.trained.accuracy import AccuracyResult as AccuracyResult
from attention_core.experiments.trained.accuracy import steps_accuracy as steps_accuracy
from attention_core.experiments.trained.config import EXAMPLES as EXAMPLES
from attention_core.experiments.trained.config import FACTORS as FACTORS
from attention_core.experiments.trained.config import KINDS as KINDS
from attention_core.experiments.trained.config import MODELS as MODELS
from attention_core.experiments.trained.config import OWN as OWN
from attention_core.experiments.trained.config import ModelConfig as ModelConfig
from attention_core.experiments.trained.config import TrainedConfig as TrainedConfig
from attention_core.experiments.trained.files import hold as hold
from attention_core.experiments.trained.files import offered as offered
from attention_core.experiments.trained.files import read_files as read_files
from attention_core.experiments.trained.files import read_offered as read_offered
from attention_core.experiments.trained.heads import HeadsConfig as HeadsConfig
from attention_core.experiments.trained.heads import HeadsResult as HeadsResult
from attention_core.experiments.trained.heads import run_heads as run_heads
from attention_core.experiments.trained.measure import run_trained as run_trained
from attention_core.experiments.trained.measure import steps_trained as steps_trained
from attention_core.experiments.trained.models import MAX_BYTES as MAX_BYTES
from attention_core.experiments.trained.models import Brought as Brought
from attention_core.experiments.trained.models import Head as Head
from attention_core.experiments.trained.result import TrainedResult as TrainedResult
from attention_core.experiments.trained.snippet import SHORTEST as SHORTEST
from attention_core.experiments.trained.snippet import trained_snippet as trained_snippet
