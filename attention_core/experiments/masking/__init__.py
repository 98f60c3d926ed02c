"""Masks: who may look at whom, in encoders, decoders and both."""

from attention_core.experiments.masking.config import STACKS as STACKS
from attention_core.experiments.masking.config import MaskingConfig as MaskingConfig
from attention_core.experiments.masking.measure import MaskingResult as MaskingResult
from attention_core.experiments.masking.measure import ModuleMasks as ModuleMasks
from attention_core.experiments.masking.measure import run_masking as run_masking
from attention_core.experiments.masking.snippet import SHORTEST as SHORTEST
from attention_core.experiments.masking.snippet import masking_snippet as masking_snippet
from attention_core.experiments.masking.stack import PAD as PAD
