"""Tied matrices: what W_K = W_V saves (``qkv-tied``), and what W_Q = W_K does to scores (``qk-tied``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import product_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Full, Projections, TiedKeyValue, TiedQueryKey
from attention_core.studies.projections.parts import attention, hidden_cells, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig


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
    """

    scores: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    asymmetry: np.ndarray
    parameters: tuple[int, int, int]
    saved: int
    formula: int


def run_tying(config: ProjectionsConfig) -> TyingResult:
    """Tie W_K = W_V and W_Q = W_K in the module, count, and compare."""
    return run_tests(TyingResult, config, TESTS, _measure)


def _module(config: ProjectionsConfig, kind: Projections) -> MultiHeadAttention:
    """A module of which, with biases on one side only, the second of the tied pair has none."""
    if config.biases != "one":
        return attention(config, kind)
    missing = "k_bias" if isinstance(kind, TiedQueryKey) else "v_bias"
    return attention(config, kind, **{missing: False})


def _measure(config: ProjectionsConfig) -> Measurements:
    x, causal = words(config), mask(config)
    modules = [_module(config, kind) for kind in (Full(), TiedKeyValue(), TiedQueryKey())]
    counts = tuple(sum(parameter.numel() for parameter in module.parameters()) for module in modules)
    other, trace = (module.trace(x, attn_mask=causal) for module in modules[1:])
    scores, weights = on_cpu(trace.masked_scores)[0], on_cpu(trace.weights)[0]
    hidden = scores.isneginf() & scores.mT.isneginf()
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.num_heads)
    bound, size = largest(product_tolerance(trace, modules[2].scale)), largest(on_cpu(trace.scores))
    saved, formula = counts[0] - counts[1], config.d_model * (config.d_model + (config.biases != "none"))
    found = {
        "qkv-tied.count": Measurement(saved, formula, f"d_model = {config.d_model}"),
        "qkv-tied.same": Measurement(
            largest(on_cpu(other.k) - on_cpu(other.v)),
            0.0,
            _("all tokens, {heads}", heads=heads),
            size=largest(on_cpu(other.k), on_cpu(other.v)),
        ),
        "qk-tied": Measurement(
            largest((scores - scores.mT).masked_fill(hidden, 0.0)), bound, _("all pairs, {heads}", heads=heads), size
        ),
    }
    return found, {
        "scores": scores,
        "weights": weights,
        "hidden": hidden_cells(config),
        "asymmetry": torch.linalg.matrix_norm(weights - weights.mT),
        "parameters": counts,
        "saved": saved,
        "formula": formula,
    }


def _saved(config: ProjectionsConfig) -> Theory:
    return Fails(_ONE_SIDE) if config.biases == "one" else Holds()


def _same(config: ProjectionsConfig) -> Theory:
    """Keys are values."""
    if config.biases == "one":
        return Fails(_ONE_SIDE)
    if config.positions == "rotary" and len(config.tokens) > 1:
        return Fails(_("rotary positions turn keys, not values"))
    return Fails(_("QK-norm rescales keys, not values")) if config.qk_norm else Holds()


def _symmetric(config: ProjectionsConfig) -> Theory:
    """Two words look at each other with one score."""
    several = len(config.tokens) > 1
    turned = config.positions == "rotary" and several
    if config.causal and several:
        return Fails(_("the causal mask hides one of each pair"))
    if config.biases == "one" and (config.differ or turned):
        return Fails(_("only the queries have a bias"))
    if config.differ or turned:
        return Holds()
    if not several:
        return Open(_("there is one word, and no other that could look back at it"))
    if config.positions == "alibi":
        return Open(_("all words are equal, so a score tells only how far two slots are apart, the same both ways"))
    return Open(_("all words are equal, and so are the scores of all pairs"))


_ONE_SIDE: Final = _("only one of the two tied sides has a bias")
TESTS: Final = (
    ClaimTest("qkv-tied.count", "=", _("the parameters that one matrix for both saves are"), _("parameters saved"),
              theory=_saved),
    ClaimTest("qkv-tied.same", "≤", _("keys and values differ by at most"), "max |k − v|", theory=_same),
    ClaimTest("qk-tied", "≤", _("a score and its mirror image differ by at most"), "max |S − Sᵀ|",
              theory=_symmetric),
)  # fmt: skip
