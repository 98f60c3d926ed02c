"""Biases: which of b_Q, b_K, b_V and b_O change what attention computes, and which cancel."""

from attention_core.language import gettext_lazy as _
from attention_core.measuring.study import Study
from attention_core.studies.biases.appendix import AppendixResult as AppendixResult
from attention_core.studies.biases.appendix import run_appendix as run_appendix
from attention_core.studies.biases.claims import CLAIMS
from attention_core.studies.biases.layers import AfterNormResult as AfterNormResult
from attention_core.studies.biases.layers import MeanResult as MeanResult
from attention_core.studies.biases.layers import run_after_norm as run_after_norm
from attention_core.studies.biases.layers import run_mean as run_mean
from attention_core.studies.biases.measure import BiasesResult as BiasesResult
from attention_core.studies.biases.measure import run_biases as run_biases
from attention_core.studies.biases.settings import KEY_SIZES as KEY_SIZES
from attention_core.studies.biases.settings import NAMES as NAMES
from attention_core.studies.biases.settings import NUM_HEADS as NUM_HEADS
from attention_core.studies.biases.settings import SHIFT as SHIFT
from attention_core.studies.biases.settings import SIZES as SIZES
from attention_core.studies.biases.settings import AfterNormConfig as AfterNormConfig
from attention_core.studies.biases.settings import AppendixConfig as AppendixConfig
from attention_core.studies.biases.settings import BiasesConfig as BiasesConfig
from attention_core.studies.biases.settings import BiasModuleConfig as BiasModuleConfig
from attention_core.studies.biases.settings import MeanConfig as MeanConfig
from attention_core.studies.biases.settings import TrainingConfig as TrainingConfig
from attention_core.studies.biases.sizes import BiasSizesResult as BiasSizesResult
from attention_core.studies.biases.sizes import run_bias_sizes as run_bias_sizes
from attention_core.studies.biases.snippet import SHORTEST as SHORTEST
from attention_core.studies.biases.snippet import biases_snippet as biases_snippet
from attention_core.studies.biases.snippet import headline
from attention_core.studies.biases.sweep import KeySweepResult as KeySweepResult
from attention_core.studies.biases.sweep import ShiftResult as ShiftResult
from attention_core.studies.biases.sweep import run_shift as run_shift
from attention_core.studies.biases.sweep import steps_size_sweep as steps_size_sweep
from attention_core.studies.biases.training import TrainingResult as TrainingResult
from attention_core.studies.biases.training import steps_training as steps_training

STUDY = Study(
    name="biases",
    title=_("biases"),
    place=3,
    config=BiasesConfig,
    snippet=biases_snippet,
    headline=headline,
    shortest=SHORTEST,
    claims=CLAIMS,
)
