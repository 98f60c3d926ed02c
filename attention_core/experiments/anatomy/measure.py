"""Anatomy: one sentence, one forward pass, every number kept.

Claims: ``mha-reshape`` heads by reshape = a loop over heads; ``mha-divisible`` d_model is a multiple of the heads;
``drop-rows`` dropout keeps rows at 1 only on average; ``convex-hull`` a head's context lies among its values;
``cplx-core`` scores and weighted sum take 4 n² d operations.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.anatomy import claims
from attention_core.experiments.anatomy.config import AnatomyConfig
from attention_core.experiments.anatomy.module import (
    SeededDropout,
    attention_module,
    miscut_trace,
    word_vectors,
)
from attention_core.experiments.anatomy.result import AnatomyResult, HeadTimes
from attention_core.experiments.bounds import output_tolerance
from attention_core.experiments.verdict import Provenance, Verdict
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.head_loop import loop_over_heads
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention
from attention_core.modules.projections import merge_heads

TIMED_PASSES = 50


def run_anatomy(config: AnatomyConfig) -> AnatomyResult:
    """One pass of the sentence, and the five claims measured on it.

    Args:
        config: The sentence and the module.
    """
    with torch.inference_mode():
        module, x = attention_module(config), _inputs(config)
        honest = module.trace(x, is_causal=config.causal)
        still = miscut_trace(module, x, honest) if config.miscut else honest
        looped = loop_over_heads(module, x, is_causal=config.causal)
        residual = float((still.output - looped).abs().max())
        bound = output_tolerance(module, honest)
        operations = claims.core_flops(module, x, is_causal=config.causal, fused=config.fused)
        passes, shown = honest, still
        if config.dropout:
            passes = claims.training_passes(config, module, x, is_causal=config.causal)
            shown = AttentionTrace(*(getattr(passes, name)[:1] for name in AttentionTrace.__slots__))
            if config.miscut:
                with SeededDropout(config.seed):
                    shown = miscut_trace(module, x, honest)
        verdicts = _verdicts(config, residual, bound, operations, honest, passes)
        return _result(config, module, x, still, shown, verdicts, (residual, bound, operations))


def time_heads(config: AnatomyConfig) -> HeadTimes:
    """Time one pass with all heads in one product, and one with a loop over heads.

    Args:
        config: The sentence and the module.
    """
    with torch.inference_mode():
        module, x = attention_module(config), _inputs(config)
        ways = (
            lambda: module(x, is_causal=config.causal),
            lambda: loop_over_heads(module, x, is_causal=config.causal),
        )
        batched, loop = (statistics.median(_timed(way, x.device) for _ in range(TIMED_PASSES)) for way in ways)
    return HeadTimes(batched=batched, loop=loop, passes=TIMED_PASSES)


def _timed(way: Callable[[], object], device: torch.device) -> float:
    started = time.perf_counter()
    way()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - started


def _inputs(config: AnatomyConfig) -> Tensor:
    return word_vectors(config.tokens, config.seed).to(config.torch_device, config.torch_dtype)[None]


def _verdicts(
    config: AnatomyConfig,
    residual: float,
    bound: float,
    operations: int,
    still: AttentionTrace,
    passes: AttentionTrace,
) -> tuple[Verdict, ...]:
    n = len(config.tokens)
    applied, weights = (trace.weights.to("cpu", torch.float64) for trace in (passes, still))
    core = claims.verdict(
        config, "cplx-core", "operations of QKᵀ and AV", operations, "=", 4 * n * n * config.width,
        f"4 n² d with n = {n}, d = {config.width}",
    )  # fmt: skip
    counted = f"{config.heads} head" + "s" * (config.heads > 1)
    return (
        claims.verdict(config, "mha-reshape", "max |f(X) − loop over heads|", residual, "≤", bound, counted),
        claims.divisible(config),
        *claims.rows(config, applied, weights[0]),
        claims.hull(config, passes),
        core,
    )


def _result(
    config: AnatomyConfig, module: MultiHeadAttention, x: Tensor, still: AttentionTrace, shown: AttentionTrace,
    verdicts: tuple[Verdict, ...], measured: tuple[float, float, int],
) -> AnatomyResult:  # fmt: skip
    place = module.added_position
    embedded = x if place is None else place(x)
    vocabulary = tuple(dict.fromkeys(config.tokens))
    rows = [merge_heads(heads) for heads in module.into_heads(embedded, embedded, embedded)]
    merged = shown.context.reshape(1, len(config.tokens), -1) if config.miscut else merge_heads(shown.context)
    parameters = {
        name: _array(torch.zeros(size) if (held := getattr(module, name)) is None else held)
        for name, size in (
            ("q_weight", 0), ("k_weight", 0), ("v_weight", 0), ("o_weight", 0),
            ("q_bias", config.width), ("k_bias", config.width), ("v_bias", config.width), ("o_bias", x.shape[-1]),
        )
    }  # fmt: skip
    return AnatomyResult(
        vocabulary=vocabulary,
        one_hot=_array(torch.tensor([[float(token == word) for word in vocabulary] for token in config.tokens])),
        words=_array(x[0]),
        slots=_array(embedded[0].double() - x[0].double()),
        embedded=_array(embedded[0]),
        **parameters,
        q_rows=_array(rows[0][0]),
        k_rows=_array(rows[1][0]),
        v_rows=_array(rows[2][0]),
        q=_array(shown.q[0]),
        k=_array(shown.k[0]),
        v=_array(shown.v[0]),
        products=_array(attention_scores(shown.q, shown.k, scale=1.0)[0]),
        scores=_array(shown.scores[0]),
        masked=_array(shown.masked_scores[0]),
        weights=_array(still.weights[0]),
        applied=_array(shown.weights[0]),
        context=_array(shown.context[0]),
        merged=_array(merged[0]),
        output=_array(shown.output[0]),
        scale=module.scale,
        mean_max_weight=float(still.weights.to(torch.float64).amax(-1).mean()),
        row_bound=claims.row_bound(config),
        loop_residual=measured[0],
        loop_bound=measured[1],
        core_flops=measured[2],
        core_formula=4 * len(config.tokens) ** 2 * config.width,
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


def _array(values: Tensor) -> np.ndarray:
    array = values.detach().to("cpu", torch.float64).numpy().copy()
    array.flags.writeable = False
    return array
