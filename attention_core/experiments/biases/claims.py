"""What the claims about the biases are measured by: pairs of a number and the bound that rounding explains."""

import torch
import torch.nn.functional as F
from torch import Tensor

from attention_core.experiments.biases.bounds import (
    is_half,
    key_gradient_bound,
    output_bound,
    rounding,
    score_bound,
    weight_bound,
)
from attention_core.experiments.biases.config import D_MODEL, SHIFT, BiasesConfig
from attention_core.experiments.biases.module import BiasedAttention, bias_parameters
from attention_core.experiments.biases.result import double, largest
from attention_core.experiments.inputs import generator
from attention_core.modules.dot_product import softmax_over_keys
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention

Measured = dict[str, tuple[float, float]]


def changes(attention: BiasedAttention, full: AttentionTrace, other: AttentionTrace) -> dict[str, float]:
    """How far scores, weights and output of two passes differ, and how far the scores' change varies along a row."""
    added = visible(attention, double(full.scores[0]) - double(other.scores[0]))
    return {
        "scores": largest(double(full.scores) - double(other.scores)),
        "spread": float((added.amax(-1) - added.amin(-1)).max()) if added.numel() else 0.0,
        "weights": largest(double(full.weights) - double(other.weights)),
        "output": largest(double(full.output) - double(other.output)),
    }


def visible(attention: BiasedAttention, rows: Tensor) -> Tensor:
    """The rows of queries that see a token."""
    return rows[..., : rows.shape[-2] - attention.setting.masked_row, :]


def key_claims(module: MultiHeadAttention, full: AttentionTrace, other: AttentionTrace, moved: dict) -> Measured:
    """``bias-k``: weights, output, and the spread of the added scores, with and without b_K."""
    return {
        "weights": (moved["weights"], weight_bound(module, full, other)),
        "output": (moved["output"], output_bound(module, full, other)),
        "spread": (moved["spread"], 2 * score_bound(module, full, other)),
    }


def query_claims(
    terms: Tensor, module: MultiHeadAttention, full: AttentionTrace, other: AttentionTrace, moved: dict
) -> Measured:
    """``bias-q``: the output moves, by what adding ``scale·b_Q·k_j`` to column j of the scores does to it."""
    n, smallest = terms.shape[-1], torch.finfo(full.output.dtype).eps
    added = double(full.scores[0, :, :, :n]) - double(other.scores[0, :, :, :n])
    return {
        "query": (moved["output"], max(output_bound(module, full, other), smallest)),
        "column": (largest(added - double(terms[2]) - double(terms[3])), 2 * score_bound(module, full, other)),
    }


def value_claim(
    attention: BiasedAttention, config: BiasesConfig, module: MultiHeadAttention, other: MultiHeadAttention
) -> Measured:
    """``bias-v``: what b_V adds to the output, less W_O b_V; in training where dropout is on."""
    full, without = (attention.trace(each, dropout=config.dropout) for each in (module, other))
    assert module.o_weight is not None
    constant = F.linear(bias_parameters(module)["v"], module.o_weight)
    left = double(full.output) - double(without.output) - double(constant)
    return {"value": (largest(left), output_bound(module, full, without, scores_move=False))}


def term_claims(
    attention: BiasedAttention, terms: Tensor, module: MultiHeadAttention, full: AttentionTrace
) -> Measured:
    """``bias-terms``: the formula's four terms add up to the scores, and two of them are all the weights need."""
    n = terms.shape[-1]
    weights = double(softmax_over_keys(terms[0] + terms[2]))
    seen = visible(attention, double(full.weights[0, :, :, :n]) - weights)
    return {
        "formula": (
            largest(double(full.scores[0, :, :, :n]) - double(terms).sum(0)),
            2 * score_bound(module, full),
        ),
        "cancel": (largest(seen) if seen.numel() else 0.0, 2 * weight_bound(module, full)),
    }


def shift_claim(config: BiasesConfig, scores: Tensor) -> Measured:
    """``softmax-shift``: softmax of scores that are all larger by 1,000."""
    softmax = naive_softmax if config.naive_softmax else softmax_over_keys
    moved = largest(double(softmax(scores + SHIFT)) - double(softmax(scores)))
    return {"shift": (moved, shift_bound(scores, SHIFT))}


def naive_softmax(scores: Tensor) -> Tensor:
    """``exp(x) / Σ exp(x)`` as it is written, which over- and underflows; in float32 for half precision."""
    powers = scores.to(torch.float32 if is_half(scores.dtype) else scores.dtype).exp()
    return (powers / powers.sum(-1, keepdim=True)).to(scores.dtype)


def shift_bound(scores: Tensor, shift: float) -> float:
    """What rounding explains: x + δ is off by at most u·|x + δ|, and a weight by at most tanh of half that."""
    error = torch.finfo(scores.dtype).eps / 2 * (largest(scores) + abs(shift))
    terms = 1 if is_half(scores.dtype) else scores.shape[-1] + 3
    own = rounding(scores.dtype, scale=1.0, terms=terms)
    return float(torch.tensor(error / 2, dtype=torch.float64).tanh()) + own


def gradients(attention: BiasedAttention, config: BiasesConfig) -> tuple[dict[str, float], float]:
    """‖∂L/∂b‖ of each bias that is on, for L = Σ G·output with G ~ N(0, 1); and what rounding explains of b_K's."""
    draw = generator(config.seed, "biases", "upstream")
    upstream = torch.randn(1, len(config.tokens), D_MODEL, generator=draw, dtype=torch.float64)
    upstream = upstream.to(attention.device, attention.dtype)
    with torch.inference_mode(False), torch.enable_grad():
        module = attention.at(config.size)
        trace = attention.trace(module)
        biases = bias_parameters(module)
        found = torch.autograd.grad(trace.output, list(biases.values()), upstream) if biases else ()
    norms = {role: float(double(one).norm()) for role, one in zip(biases, found, strict=True)}
    with torch.no_grad():
        return norms, key_gradient_bound(module, trace, upstream)
