"""The scaling sweep: some queries at a time, every d_head, with autograd's gradients through the module."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.device import supported_dtypes
from attention_core.experiments.bounds import is_half
from attention_core.experiments.scaling.config import D_HEADS, SCALED, UNSCALED, ScalingConfig
from attention_core.experiments.scaling.curves import ROW_STATISTICS, ScalingCurves, summarise
from attention_core.experiments.scaling.inputs import CHUNK, Inputs, chunks, pair_rows
from attention_core.experiments.scaling.stats import entropy, jacobian_norm, rest_of_row, row_norms, zeros_in
from attention_core.experiments.step import Step
from attention_core.modules.dot_product import attention_scores, precise_scores, softmax_over_keys
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Identity

NORM_EPS: Final = 1e-30  # the norm's own ε of up to 0.008 would shorten the vectors of d_head = 1 and 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingPart:
    """What was measured for some factors of the scores.

    Attributes:
        curves: Of each factor by its formula, and
        naive: the same with ε computed as 1 − a_max.
    """

    curves: dict[str, ScalingCurves]
    naive: dict[str, ScalingCurves]


@dataclass(frozen=True, slots=True)
class Attended:
    """What one factor makes of one chunk at one d_head, in the run's precision and on its device.

    Attributes:
        scores: (chunk, keys).
        weights: (chunk, keys).
        gradient: (chunk, d_head), ∂L/∂q.
    """

    scores: Float[Tensor, "chunk keys"]
    weights: Float[Tensor, "chunk keys"]
    gradient: Float[Tensor, "chunk d_head"]


def factors(config: ScalingConfig) -> dict[str, list[float]]:
    """The factors that a part is measured with, by their formula.

    They are the chosen one; but without a factor and with 1/√d_head, which every result is compared with, in one go.
    """
    if config == config.for_reference:
        return {UNSCALED: [1.0] * len(D_HEADS), SCALED: [head(config, d_head).scale for d_head in D_HEADS]}
    return {config.factor_name: [config.factor(d_head) for d_head in D_HEADS]}


def head(config: ScalingConfig, d_head: int, factor: float | None = None) -> MultiHeadAttention:
    """The module with one head and no projections: queries, keys and values are what it is given.

    Args:
        config: Settings.
        d_head: Size of the head.
        factor: Factor of the scores; the module's own ``1/√d_head`` when None.
    """
    target = {"device": config.torch_device, "dtype": config.torch_dtype}
    module = MultiHeadAttention(d_head, 1, projections=Identity(), scale=factor, qk_norm=config.qk_norm, **target)
    for norm in (module.q_norm, module.k_norm):
        if norm is not None:
            norm.eps = NORM_EPS
    return module.requires_grad_(False)


def attend(module: MultiHeadAttention, inputs: Inputs, multiples: Sequence[float] = (1.0,)) -> list[Attended]:
    """One pass of a chunk through the module up to its weights, and back to its queries for each of some factors.

    The product of queries and keys is the dearest step, and no factor changes it: the module makes it once. From
    ``∂L/∂weights ~ N(0, 1)`` autograd gives ``∂L/∂q`` of the queries as they meet the keys: after QK-norm, where
    there is one.

    Args:
        module: Made by ``head``.
        inputs: The chunk.
        multiples: What the module's scores are multiplied by: a module with factor 1 serves every factor.
    """
    found = []
    with torch.inference_mode(False), torch.enable_grad():
        queries = inputs.queries[None, :, : module.d_head].detach().requires_grad_()
        own = module.trace_weights(queries, inputs.keys[None, :, : module.d_head])
        dtype, exact = own.q.dtype, own.scores
        if is_half(dtype):  # the module's scores before they were rounded
            exact = precise_scores(own.q, own.k, scale=module.scale)
        for multiple in multiples:
            scores = exact if multiple == 1 else exact * multiple
            weights = own.weights if multiple == 1 else softmax_over_keys(scores, dtype=dtype)
            upstream = inputs.upstream[None, None]
            (gradient,) = torch.autograd.grad(weights, own.q, upstream, retain_graph=True)
            found.append(Attended(scores.detach()[0, 0].to(dtype), weights.detach()[0, 0], gradient[0, 0]))
    return found


def row_statistics(
    weights: Float[Tensor, "*sizes chunk keys"], gradients: Float[Tensor, "*sizes chunk"]
) -> Float[Tensor, "statistics *sizes chunk"]:
    """``ROW_STATISTICS`` of each query, in float64.

    The Jacobian and ε are those of the weights divided by their sum, which in half precision is not quite 1.

    Args:
        weights: In the run's precision, on a device that has float64.
        gradients: ``‖∂L/∂q‖``.
    """
    naive = (1 - weights.amax(-1)).double()
    weights = weights.double()
    shares = weights / weights.sum(-1, keepdim=True)
    zeros = [zeros_in(half, weights) for half in (torch.float16, torch.bfloat16)]
    return torch.stack([
        weights.amax(-1), entropy(weights), jacobian_norm(shares), rest_of_row(shares), naive, gradients, *zeros
    ])  # fmt: skip


def pair_scores(module: MultiHeadAttention, inputs: Inputs) -> Float[Tensor, " pairs"]:
    """Dot products q·k of independent pairs in the run's precision; none where the chunk has no pairs.

    All components of a row are independent, so 4,096 of them make 4,096 / d_head pairs. Scores of queries that share
    keys depend on one another: an interval from them would be far too narrow.
    """
    if inputs.pairs is None:
        return inputs.queries.new_empty(0)
    rows = min(len(inputs.pairs[0]), pair_rows(module.d_head))
    q, k = (part[:rows].reshape(-1, 1, module.d_head) for part in inputs.pairs)
    if module.q_norm is not None and module.k_norm is not None:
        q, k = module.q_norm(q), module.k_norm(k)
    return attention_scores(q, k, scale=1.0).flatten()


def moments(scores: Float[Tensor, " pairs"]) -> Float[Tensor, " moments"]:
    """How many scores there are, and their sums to the powers 1, 2 and 4."""
    scores = scores.double()
    squares = scores.square()
    return torch.stack([scores.new_full((), len(scores)), scores.sum(), squares.sum(), squares @ squares])


def steps_part(config: ScalingConfig) -> Generator[Step | ScalingPart]:
    """Measure the factors of a part, 256 queries at a time: a ``Step`` before each, and last the ``ScalingPart``.

    Each query meets the same keys at every d_head, of which it takes the first d_head components, and every factor of
    the scores meets the same queries: the curves differ in d_head and factor alone.
    """
    series = factors(config)
    device = config.torch_device
    held = {"device": device if "float64" in supported_dtypes(device) else "cpu", "dtype": torch.float64}
    with torch.inference_mode(False):  # autograd refuses tensors that were made in inference mode
        modules = [head(config, d_head, 1.0) for d_head in D_HEADS]
        rows = torch.empty(len(series), len(ROW_STATISTICS), len(D_HEADS), config.num_queries, **held)
        sums = torch.zeros(len(series), len(D_HEADS), 4, **held)
    inputs = chunks(config)
    total = -(-config.num_queries // CHUNK)
    for done in range(total):
        at = slice(done * CHUNK, min((done + 1) * CHUNK, config.num_queries))
        yield Step(done, total, f"queries {at.start + 1:,} to {at.stop:,} of {config.num_queries:,}")
        with torch.inference_mode(False), torch.no_grad():
            _add_chunk(next(inputs), modules, list(series.values()), rows[..., at], sums)
    values, summed = rows.cpu().numpy(), sums.cpu().numpy()
    made = [summarise(name, series[name], values[i], summed[i], config.num_keys) for i, name in enumerate(series)]
    yield ScalingPart(
        curves=dict(zip(series, (exact for exact, _ in made), strict=True)),
        naive=dict(zip(series, (naive for _, naive in made), strict=True)),
    )


def _add_chunk(
    inputs: Inputs, modules: list[MultiHeadAttention], series: list[list[float]], rows: Tensor, sums: Tensor
) -> None:
    """Measure some queries at every d_head: ``rows`` is filled, ``sums`` is added to."""
    weights: list[list[Tensor]] = [[] for _ in series]
    gradients: list[list[Tensor]] = [[] for _ in series]
    for size, module in enumerate(modules):
        here = [each[size] for each in series]
        for i, attended in enumerate(attend(module, inputs, here)):
            weights[i].append(attended.weights.to(rows.device))
            gradients[i].append(row_norms(attended.gradient.to(rows.device)))
        scores = pair_scores(module, inputs).to(rows.device)
        for i, factor in enumerate(here):
            sums[i, size] += moments(scores * factor)
    for i in range(len(series)):
        rows[i] = row_statistics(torch.stack(weights[i]), torch.stack(gradients[i]))
