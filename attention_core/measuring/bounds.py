"""Bounds for rounding: how far it alone may move each measured residual, derived once."""

import math

import torch
from torch import Tensor

from attention_core.measuring.arrays import on_cpu
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention
from attention_core.modules.positions import Alibi, RelativeKey, Rotary

# A sum of n rounded terms is off by at most LAMBDA·√n·u·Σ|terms| but with probability 2n·exp(−LAMBDA²/2), which is
# 3e-14·n for 8: Higham & Mary (2019), "A New Approach to Probabilistic Rounding Error Analysis", Theorem 2.4.
LAMBDA = 8.0


def tolerance(dtype: torch.dtype, *, scale: float, terms: int) -> float:
    """Largest difference that rounding alone explains between two ways of computing one number.

    ``tolerance = 2 · 8 · √terms · u · scale`` with the unit roundoff ``u = eps / 2``: each way may be off by
    ``8 · √terms · u · scale`` (Higham & Mary 2019, Theorem 2.4; all but 3e-14 · terms of cases), and the two errors
    may point in opposite directions.

    Args:
        dtype: The precision the numbers were computed in.
        scale: A bound of the sum of the absolute values that were added up, in the unit of the number.
        terms: How many roundings the number went through: the lengths of the sums on its way, added up.

    Raises:
        ValueError: If ``scale`` is negative or not finite, or ``terms`` is below 1.
    """
    if not (math.isfinite(scale) and scale >= 0):
        raise ValueError(f"scale = {scale} is not possible: a finite number ≥ 0 is needed.")
    if terms < 1:
        raise ValueError(f"terms = {terms} is not possible: at least one rounding is needed.")
    return LAMBDA * math.sqrt(terms) * torch.finfo(dtype).eps * scale


def sum_tolerance(dtype: torch.dtype, *, scale: float, terms: int, rounded: float) -> float:
    """As ``tolerance``; in half precision, where sums are added up in float32, and what is stored is rounded.

    Args:
        dtype: The precision.
        scale: As in ``tolerance``.
        terms: As in ``tolerance``.
        rounded: How many eps the roundings to half precision move the number by, all together.
    """
    if is_half(dtype):
        return tolerance(torch.float32, scale=scale, terms=terms) + rounded * torch.finfo(dtype).eps
    return tolerance(dtype, scale=scale, terms=terms)


def is_half(dtype: torch.dtype) -> bool:
    """Whether sums of this precision are added up in float32 and rounded once, at the end."""
    return dtype in (torch.float16, torch.bfloat16)


def spacing(values: Tensor, dtype: torch.dtype) -> Tensor:
    """Distance from each value to the next larger one that ``dtype`` can hold: rounding moves it by half of that."""
    limits = torch.finfo(dtype)
    exponent = torch.frexp(values.abs().clamp(min=limits.smallest_normal, max=limits.max)).exponent - 1
    return limits.eps * torch.exp2(exponent.to(torch.float64))


def variance(
    values: Tensor, dtype: torch.dtype, *, terms: int, squares: Tensor | None = None, roundings: int = 1
) -> Tensor:
    """Variance of the rounding errors of numbers, each a sum.

    Rounding errors have random signs. In half precision a sum is added up in float32 and its result rounded, so the
    error is spread evenly over one spacing, whose variance is a twelfth of its square. In the others each of the
    ``terms`` additions is off by up to u of what it has added up: together by at most ``√terms · u`` times the root
    sum of squares of the terms (Higham & Mary 2020, "Sharper Probabilistic Backward Error Analysis for Basic Linear
    Algebra Kernels with Random Data").

    Args:
        values: The numbers, in float64.
        dtype: The precision they were computed in.
        terms: How many terms each sum has.
        squares: The sum of the squares of these terms; the square of the number itself when None.
        roundings: How often a number was rounded in half precision, by steps that hardly change it.
    """
    if is_half(dtype):
        return spacing(values, dtype).square() * (roundings / 12)
    return (values.square() if squares is None else squares) * (terms * (torch.finfo(dtype).eps / 2) ** 2)


def output_variance(
    module: MultiHeadAttention, trace: AttentionTrace, dtype: torch.dtype, *, new_matrices: bool = False,
    scores_move: bool = True,
) -> Tensor:  # fmt: skip
    """Variance of the rounding error of each output before its last rounding (batch, q_len, d_model).

    A score is off by δ_ij, its weight by a_ij δ_ij, less what the row has in common: that moves the context by
    Σ_j a_ij δ_ij (v_j − context_i). The errors of values and weights and of the sum over the keys come on top, and
    W_O carries all of it to the output.

    Args:
        module: The module.
        trace: A trace of it, in any precision.
        dtype: The precision whose rounding is meant.
        new_matrices: Whether the matrices too were rounded, rather than the same numbers in both passes.
        scores_move: Whether the scores are rounded differently in the two passes.
    """
    v, weights, context = (on_cpu(part) for part in (trace.v, trace.weights, trace.context))
    kv_len, squares = v.shape[-2], weights.square()
    at_v = variance(v, dtype, terms=module.d_model, roundings=1 + new_matrices)
    at_weights = variance(weights, dtype, terms=kv_len + 3)
    at_context = squares @ at_v + at_weights @ v.square()
    at_context += variance(context, dtype, terms=kv_len, squares=squares @ v.square())
    if scores_move:
        moved = squares * _score_variance(module, trace, dtype, new_matrices=new_matrices)
        # Σ_j m_ij (v_j − c_i)² = Σ m v² − 2 c Σ m v + c² Σ m
        spread = moved @ v.square() - 2 * context * (moved @ v) + context.square() * moved.sum(-1, keepdim=True)
        at_context += spread.clamp(min=0)
    merged, sums = (part.transpose(-3, -2).flatten(-2) for part in (at_context, context.square()))
    if module.o_weight is None:
        return merged
    matrix = on_cpu(module.o_weight)
    at_output = merged @ matrix.square().mT
    if new_matrices and is_half(dtype):
        at_output += sums @ variance(matrix, dtype, terms=1).mT
    if not is_half(dtype):
        bias = 0.0 if module.o_bias is None else on_cpu(module.o_bias).square()
        at_output += variance(at_output, dtype, terms=sums.shape[-1], squares=sums @ matrix.square().mT + bias)
    return at_output


def output_tolerance(
    module: MultiHeadAttention, *traces: AttentionTrace, new_matrices: bool = False, scores_move: bool = True
) -> float:
    """Largest difference of two outputs that rounding explains, for passes like those of ``traces``.

    ``8 √2`` standard deviations of one output's error, for two passes that err independently; and in half precision
    one spacing of the largest output, since the last rounding of both may fall to opposite sides.

    Args:
        module: The module.
        traces: Traces of it; the one that may be off furthest counts.
        new_matrices: Whether the matrices too were rounded, rather than the same numbers in both passes.
        scores_move: Whether the scores are rounded differently in the two passes.
    """
    tolerances = []
    for trace in traces:
        dtype = trace.output.dtype
        error = output_variance(module, trace, dtype, new_matrices=new_matrices, scores_move=scores_move)
        last = float(spacing(on_cpu(trace.output), dtype).max()) if is_half(dtype) else 0.0
        tolerances.append(LAMBDA * math.sqrt(2 * float(error.max())) + last)
    return max(tolerances)


def score_tolerance(module: MultiHeadAttention, *traces: AttentionTrace) -> float:
    """Largest difference of two scores that rounding explains, for passes like those of ``traces``.

    A score goes through the sums of length d_model that make q and k and the one of length d_head over their product.
    """
    errors = (_score_variance(module, trace, trace.scores.dtype) for trace in traces)
    return LAMBDA * math.sqrt(2 * max(float(error.max()) for error in errors))


def weight_tolerance(module: MultiHeadAttention, *traces: AttentionTrace) -> float:
    """Largest difference of two weights that rounding explains, for passes like those of ``traces``.

    Scores that move by at most δ move a weight by at most ``tanh(δ/2)``: the odds a/(1 − a) change by a factor of at
    most e^(2δ). Softmax adds its own rounding.
    """
    return math.tanh(score_tolerance(module, *traces) / 2) + softmax_tolerance(traces[0].weights)


def softmax_tolerance(weights: Tensor) -> float:
    """Largest difference of two weights that the rounding of softmax itself explains, from the same scores."""
    return sum_tolerance(weights.dtype, scale=1.0, terms=weights.shape[-1] + 3, rounded=0.5)


def product_tolerance(trace: AttentionTrace, scale: float) -> Tensor:
    """Largest error of each score (heads, q_len, kv_len) that rounding explains, given the stored q and k.

    Σ|q k|·scale, rounded as it adds up. In half precision the sum accumulates in float32; rounded are the sum, its
    product with the factor, and the sum with a penalty, by half an eps each.
    """
    q, k, masked = (on_cpu(x)[0] for x in (trace.q, trace.k, trace.masked_scores))
    seen = torch.maximum(masked.masked_fill(masked.isinf(), 0.0).abs(), on_cpu(trace.scores)[0].abs())
    dtype = trace.output.dtype
    if is_half(dtype):
        return 1.5 * torch.finfo(dtype).eps * seen
    sizes = torch.maximum(q.abs() @ k.abs().mT * abs(scale), seen)
    return tolerance(dtype, scale=1.0, terms=q.shape[-1] + 2) * sizes


def key_gradient_tolerance(trace: AttentionTrace, upstream: Tensor, scale: float) -> float:
    """Largest ‖∂L/∂b_K‖ that rounding explains.

    ``∂L/∂b_K = Σ_j ∂L/∂k_j`` with ``∂L/∂k_j = scale · Σ_i ∂L/∂scores_ij q_i``, and ``∂L/∂scores_ij = a_ij (g_ij −
    Σ_l a_il g_il)`` with ``g_ij = ∂L/∂context_i · v_j``: rows of it sum to 0, but for the rounding of its entries,
    of their product with the scale, and of each ∂L/∂k_j. A vector of errors is no longer than the root of the sum of
    their variances plus 8 times the largest standard deviation among them.

    Args:
        trace: A trace of the module.
        upstream: ∂L/∂context (batch, heads, q_len, d_head).
        scale: Factor of the scores.
    """
    dtype, (weights, v, q) = trace.output.dtype, (on_cpu(part) for part in (trace.weights, trace.v, trace.q))
    to_weights = on_cpu(upstream) @ v.mT
    to_scores = weights * (to_weights - (weights * to_weights).sum(-1, keepdim=True))
    size = weights * (to_weights.abs() + (weights * to_weights.abs()).sum(-1, keepdim=True))
    sums, kv_len = size.square(), weights.shape[-1]
    to_keys = scale * to_scores.mT @ q  # (batch, heads, kv_len, d_head)
    at_scores = variance(to_scores, dtype, terms=4 * kv_len, squares=sums) * scale**2
    at_scores += variance(scale * to_scores, dtype, terms=1)
    at_keys = at_scores.mT @ q.square()
    at_keys += variance(to_keys, dtype, terms=q.shape[-1], squares=scale**2 * sums.mT @ q.square())
    at_bias = at_keys.sum((0, 2))  # (heads, d_head)
    return math.sqrt(float(at_bias.sum())) + LAMBDA * math.sqrt(float(at_bias.max()))


def shift_tolerance(scores: Tensor, shift: float) -> float:
    """Largest change of a weight that rounding explains when ``shift`` is added to all scores.

    A score is rounded by at most half of the spacing of numbers as large as the sum, and a weight moves by at most
    ``tanh`` of half of that.
    """
    largest = on_cpu(scores).abs().max() + abs(shift)
    error = float(spacing(largest, scores.dtype)) / 2
    return math.tanh(error / 2) + softmax_tolerance(torch.empty(scores.shape[-1:], dtype=scores.dtype))


def _score_variance(
    module: MultiHeadAttention, trace: AttentionTrace, dtype: torch.dtype, *, new_matrices: bool = False
) -> Tensor:
    """Variance of each score's error (batch, heads, q_len, kv_len); what overflowed counts as the largest number."""
    most = torch.finfo(dtype).max
    q, k, scores, masked = (
        on_cpu(part).nan_to_num(nan=most, posinf=most, neginf=-most)
        for part in (trace.q, trace.k, trace.scores, trace.masked_scores)
    )
    roundings = 1 + new_matrices + isinstance(module.position, Rotary) + 2 * (module.q_norm is not None)
    at_q, at_k = (variance(part, dtype, terms=module.d_model, roundings=roundings) for part in (q, k))
    if module.q_norm is not None or isinstance(module.position, Rotary):
        at_q, at_k = (part.mean(-1, keepdim=True).expand_as(part) for part in (at_q, at_k))
    if module.score_weight is not None:
        return _additive_variance(module, q, k, at_q, at_k, scores, dtype)
    products = q.square() @ k.square().mT
    inherited = at_q @ k.square().mT + q.square() @ at_k.mT
    error = module.scale**2 * inherited
    error += variance(scores, dtype, terms=q.shape[-1] + 2, squares=module.scale**2 * products, roundings=2)
    seen = trace.masked_scores.isfinite().cpu()
    if isinstance(module.position, Alibi | RelativeKey):
        error += variance(masked.where(seen, 0.0), dtype, terms=1)
    if module.relative_keys is not None:
        sizes, inherited = _of_distances(module, q, at_q)
        if module.relative_keys.position.both:
            of_keys = _of_distances(module, k, at_k)
            sizes, inherited = sizes + of_keys[0].mT, inherited + of_keys[1].mT
        added = (masked - scores).where(seen, 0.0)
        error += inherited + variance(added, dtype, terms=q.shape[-1] + 3, squares=sizes, roundings=3)
    return error


def _of_distances(module: MultiHeadAttention, x: Tensor, at_x: Tensor) -> tuple[Tensor, Tensor]:
    """What ``RelativeKey`` adds for each of these, at most: the sum of its terms' squares, and what it inherits.

    Each term is taken with the largest number that any distance's vector has there.
    """
    assert module.relative_keys is not None
    largest = on_cpu(module.relative_keys.table).square().amax(0) * module.scale**2  # (d_head,)
    return (x.square() @ largest)[..., None], (at_x @ largest)[..., None]  # (batch, heads, tokens, 1) each


def _additive_variance(
    module: MultiHeadAttention, q: Tensor, k: Tensor, at_q: Tensor, at_k: Tensor, scores: Tensor, dtype: torch.dtype
) -> Tensor:
    """The same of ``Σ w tanh(q + k) · scale``.

    A tanh is off by its slope times what its argument is off by, in single precision and above also by the rounding
    of that sum, and by that of its own value; the sum of d_head such terms by that of its additions.
    """
    assert module.score_weight is not None
    weight = on_cpu(module.score_weight).square()[:, None, None] * module.scale**2  # (heads, 1, 1, d_head)
    pairs, error = q[..., :, None, :] + k[..., None, :, :], at_q[..., :, None, :] + at_k[..., None, :, :]
    values = pairs.tanh().square()
    if not is_half(dtype):
        error = error + variance(pairs, dtype, terms=1)
    found = (weight * (1 - values).square() * error).sum(-1)
    return found + variance(scores, dtype, terms=q.shape[-1] + 4, squares=(weight * values).sum(-1), roundings=2)
