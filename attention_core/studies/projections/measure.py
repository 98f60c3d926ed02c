"""The projections experiment: one question about W_Q, W_K, W_V and W_O, answered by the module."""

from collections.abc import Callable
from typing import TypeAlias

import torch

from attention_core.studies.projections.collapse import CollapseResult, run_collapse
from attention_core.studies.projections.fixed import FixedResult, run_fixed
from attention_core.studies.projections.gauge import GaugeResult, run_gauge
from attention_core.studies.projections.identity import IdentityResult, run_identity
from attention_core.studies.projections.names import NamesResult, run_names
from attention_core.studies.projections.rank import RankResult, run_rank
from attention_core.studies.projections.settings import TOPICS, ProjectionsConfig
from attention_core.studies.projections.tying import TyingResult, run_tying

ProjectionsResult: TypeAlias = (
    IdentityResult | TyingResult | GaugeResult | RankResult | CollapseResult | NamesResult | FixedResult
)

_RUN: dict[str, Callable[[ProjectionsConfig], ProjectionsResult]] = dict(
    zip(TOPICS, (run_identity, run_tying, run_gauge, run_rank, run_collapse, run_names, run_fixed), strict=True)
)


def run_projections(config: ProjectionsConfig) -> ProjectionsResult:
    """Measure the claims of the config's question.

    Returns:
        The result of that question, in the order of ``TOPICS``: ``IdentityResult`` (``qkv-none``), ``TyingResult``
        (``qkv-tied``, ``qk-tied``), ``GaugeResult`` (``gauge``, ``scale-absorb``), ``RankResult`` (``low-rank``),
        ``CollapseResult`` (``rank-collapse``), ``NamesResult`` (``qkv-names``) or ``FixedResult`` (``fc-fixed``).
    """
    with torch.inference_mode():
        return _RUN[config.topic](config)
