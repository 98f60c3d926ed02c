"""The normalization experiment: one question about norms, answered by the modules."""

from collections.abc import Callable
from typing import TypeAlias

import torch

from attention_core.studies.normalization.bias import NormBiasResult, run_bias
from attention_core.studies.normalization.block import NormBlockResult, run_block
from attention_core.studies.normalization.dependence import DependenceResult, run_dependence
from attention_core.studies.normalization.feed_forward import FeedForwardResult, run_feed_forward
from attention_core.studies.normalization.length import LengthResult, run_length
from attention_core.studies.normalization.settings import TOPICS, NormalizationConfig

NormalizationResult: TypeAlias = (
    DependenceResult | LengthResult | NormBiasResult | NormBlockResult | FeedForwardResult
)

_RUN: dict[str, Callable[[NormalizationConfig], NormalizationResult]] = dict(
    zip(TOPICS, (run_dependence, run_length, run_bias, run_block, run_feed_forward), strict=True)
)


def run_normalization(config: NormalizationConfig) -> NormalizationResult:
    """Measure the claims of the config's question.

    Returns:
        The result of that question, in the order of ``TOPICS``: ``DependenceResult`` (``ln-deps``), ``LengthResult``
        (``ln-norm``), ``NormBiasResult`` (``bias-norm``), ``NormBlockResult`` (``perm-block``, ``norm-place``) or
        ``FeedForwardResult`` (``ffn-alone``, ``ffn-span``).
    """
    with torch.no_grad():
        return _RUN[config.topic](config)
