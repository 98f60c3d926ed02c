"""Tied matrices: what W_K = W_V saves (``qkv-tied``), and what W_Q = W_K does to scores (``qk-tied``)."""

from dataclasses import dataclass

import numpy as np
import torch

from attention_core.experiments.bounds import product_tolerance
from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.projections.config import ProjectionsConfig, breaks
from attention_core.experiments.projections.parts import attention, mask, words
from attention_core.experiments.verdict import Provenance, Result, Verdict
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey


@dataclass(frozen=True, slots=True, kw_only=True)
class TyingResult(Result):
    """One module with W_Q = W_K, and what tying saves.

    Attributes:
        scores: Scores as softmax sees them, with W_Q = W_K (heads, tokens, tokens); −∞ where the mask hides a key.
        weights: Their softmax, the same shape.
        hidden: Which cells the mask hides (tokens, tokens).
        asymmetry: ‖A − Aᵀ‖ of each head's weights A (heads,).
        parameters: Parameters of the modules with W_Q, W_K, W_V of their own, W_K = W_V, and W_Q = W_K.
        saved: The first of them less the second.
        formula: What W_K = W_V saves on paper.
        verdicts: ``qkv-tied`` (count, keys are values) and ``qk-tied``.
        provenance: Where the numbers come from.
    """

    scores: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    asymmetry: np.ndarray
    parameters: tuple[int, int, int]
    saved: int
    formula: int
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_tying(config: ProjectionsConfig) -> TyingResult:
    """Tie W_K = W_V and W_Q = W_K in the module, count, and compare.

    Args:
        config: The settings.
    """
    x, causal = words(config), mask(config)
    full, tied_kv, tied_qk = (_module(config, kind) for kind in (Full(), TiedKeyValue(), TiedQueryKey()))
    counts = [sum(parameter.numel() for parameter in module.parameters()) for module in (full, tied_kv, tied_qk)]
    formula = config.d_model**2 + (config.d_model if config.biases != "none" else 0)
    trace, other = tied_qk.trace(x, attn_mask=causal), tied_kv.trace(x, attn_mask=causal)
    scores, weights = on_cpu(trace.masked_scores)[0], on_cpu(trace.weights)[0]
    apart = float((on_cpu(other.k) - on_cpu(other.v)).abs().max())
    heads = f"{config.num_heads} {'head' if config.num_heads == 1 else 'heads'}"
    said = (f"d_model = {config.d_model}", f"all tokens, {heads}", f"all pairs, {heads}")
    verdicts = (
        judge(config, "qkv-tied.count", counts[0] - counts[1], "=", formula,
              says="the parameters that one matrix for both saves are", quantity="parameters saved", cases=said[0],
              broken=breaks(config, "qkv-tied")),
        judge(config, "qkv-tied.same", apart, "≤", 0.0, says="keys and values differ by at most",
              quantity="max |k − v|", cases=said[1], broken=breaks(config, "keys are values")),
        judge(config, "qk-tied", _asymmetry(trace), "≤", float(product_tolerance(trace, tied_qk.scale).max()),
              says="a score and its mirror image differ by at most", quantity="max |S − Sᵀ|", cases=said[2],
              broken=breaks(config, "qk-tied"), exact=_exact_asymmetry),
    )  # fmt: skip
    return TyingResult(
        scores=array(scores),
        weights=array(weights),
        hidden=np.zeros(scores.shape[1:], bool) if causal is None else ~causal.cpu().numpy(),
        asymmetry=array(torch.linalg.matrix_norm(weights - weights.mT)),
        parameters=(counts[0], counts[1], counts[2]),
        saved=counts[0] - counts[1],
        formula=formula,
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


def _module(config: ProjectionsConfig, kind: Projections) -> MultiHeadAttention:
    """A module of which, with biases on one side only, the second of the tied pair has none."""
    if config.biases != "one":
        return attention(config, kind)
    missing = "k_bias" if isinstance(kind, TiedQueryKey) else "v_bias"
    return attention(config, kind, **{missing: False})


def _asymmetry(trace: AttentionTrace) -> float:
    scores = on_cpu(trace.masked_scores)[0]
    return float((scores - scores.mT).nan_to_num(nan=0.0, posinf=torch.inf, neginf=-torch.inf).abs().max())


def _exact_asymmetry(config: ProjectionsConfig) -> float:
    return _asymmetry(_module(config, TiedQueryKey()).trace(words(config), attn_mask=mask(config)))
