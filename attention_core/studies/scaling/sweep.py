"""The scaling sweep: some queries at a time, every d_head, with autograd's gradients through the module."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.device import supported_dtypes
from attention_core.language import gettext_lazy as _
from attention_core.measuring.bounds import is_half
from attention_core.measuring.gradients import pull_back
from attention_core.measuring.step import Step
from attention_core.modules.dot_product import attention_scores, precise_scores, softmax_over_keys
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.projections import Identity
from attention_core.studies.scaling.curves import ROW_STATISTICS, ScalingCurves, summarise
from attention_core.studies.scaling.inputs import Inputs, chunks, pair_rows
from attention_core.studies.scaling.settings import CHUNK, D_HEADS, SCALED, UNSCALED, ScalingConfig
from attention_core.studies.scaling.stats import entropy, jacobian_norm, rest_of_row, row_norms, zeros_in

NORMED_ROWS: Final = 64  # at a time: 2 MB a tensor at d_head = 4096 in float64
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
    norm = RMSNorm(NORM_EPS) if config.qk_norm else False
    module = MultiHeadAttention(d_head, 1, projections=Identity(), scale=factor, qk_norm=norm, **target)
    return module.requires_grad_(False)


def products(inputs: Inputs, modules: Sequence[MultiHeadAttention]) -> Float[Tensor, "sizes chunk keys"]:
    """Dot products q·k at every d_head, before any factor and before they are rounded to half precision.

    Those of d_head are those of d_head / 2 and what the second half of the components adds: all sizes together cost
    what the largest does. QK-norm gives each size other queries and keys, and takes one product for each.

    Args:
        inputs: The chunk.
        modules: Made by ``head``, one for each d_head.
    """
    if modules[0].q_norm is not None:
        return torch.stack([_normalized_products(module, inputs) for module in modules])
    ends = [module.d_head for module in modules]
    parts = [slice(first, last) for first, last in zip([0, *ends], ends, strict=False)]
    added = [precise_scores(inputs.queries[:, part], inputs.keys[:, part], scale=1.0) for part in parts]
    return torch.stack(added).cumsum(0)


def _normalized_products(module: MultiHeadAttention, inputs: Inputs) -> Float[Tensor, "chunk keys"]:
    """Some queries at a time: a norm makes several copies of what it is given."""
    normed, keys = module.q_norm, met_keys(module, inputs)
    assert normed is not None
    some = inputs.queries[:, : module.d_head].split(NORMED_ROWS)
    return torch.cat([precise_scores(normed(queries), keys, scale=1.0) for queries in some])


def met_keys(module: MultiHeadAttention, inputs: Inputs) -> Float[Tensor, "keys d_head"]:
    """Keys as queries meet them in a module: after QK-norm, where there is one."""
    keys = inputs.keys[:, : module.d_head]
    return keys if module.k_norm is None else module.k_norm(keys)


def attend(
    scores: Float[Tensor, "sizes chunk keys"],
    inputs: Inputs,
    factor: Float[Tensor, " sizes"],
    lengths: "KeyLengths",
) -> tuple[Float[Tensor, "sizes chunk keys"], Float[Tensor, "sizes chunk"]]:
    """Weights of a chunk at every d_head, and the gradient that comes back to its queries.

    From ``∂L/∂weights ~ N(0, 1)`` autograd gives ``∂L/∂(q·k)``; ``∂L/∂q`` is its product with the keys. Queries are
    taken as they meet the keys: after QK-norm, where there is one.

    Args:
        scores: Made by ``products`` of the chunk.
        inputs: The chunk.
        factor: What the scores of each d_head are multiplied by.
        lengths: Of the same modules and keys.

    Returns:
        The weights in the run's precision, and ‖∂L/∂q‖ in float64 where the device has it.
    """
    with torch.inference_mode(False), torch.enable_grad():
        given = scores.detach().requires_grad_()
        weights = softmax_over_keys(given * factor[:, None, None].to(given), dtype=inputs.upstream.dtype)
        (gradient,) = pull_back(weights, given, inputs.upstream)
    return weights.detach(), lengths.of(gradient, inputs)


class KeyLengths:
    """From gradients of the products q·k to lengths of the queries' gradients, ``‖∂L/∂q‖ = ‖G K‖``.

    A rotation leaves every length as it is, so the keys of each d_head may be rotated until all but as many
    components as there are keys are 0: with ``Kᵀ = U R``, U's columns orthonormal, ``‖G K‖ = ‖G Rᵀ‖``. R is made
    once, and up to 4,096 components are at most 128. Half precision, in which ``∂L/∂q`` itself is rounded and may
    be lost, multiplies by the keys.

    Args:
        modules: Made by ``head``, one for each d_head.
        held: The device of the lengths, which has float64.
    """

    def __init__(self, modules: Sequence[MultiHeadAttention], held: torch.device | str) -> None:
        self._modules, self._held = modules, held
        self._turned: Tensor | None = None

    def of(self, gradient: Float[Tensor, "sizes chunk keys"], inputs: Inputs) -> Float[Tensor, "sizes chunk"]:
        """‖∂L/∂q‖ in float64, from ``∂L/∂(q·k)``; the keys are those of the first chunk, which are those of all."""
        if is_half(inputs.keys.dtype):
            keys = (met_keys(module, inputs) for module in self._modules)
            rounded = ((one @ each.float()).to(each.dtype) for one, each in zip(gradient, keys, strict=True))
            return torch.stack([row_norms(one.to(self._held)) for one in rounded])
        if self._turned is None:
            self._turned = self._turn(inputs)
        return row_norms(gradient.to(self._turned) @ self._turned)

    def _turn(self, inputs: Inputs) -> Float[Tensor, "sizes keys keys"]:
        """Rᵀ of each d_head, with columns of zeros where there are more keys than components."""
        count = len(inputs.keys)
        turned = torch.zeros(len(self._modules), count, count, device=self._held, dtype=torch.float64)
        for each, module in zip(turned, self._modules, strict=True):
            triangle = torch.linalg.qr(met_keys(module, inputs).to(each).mT, mode="r").R
            each[:, : len(triangle)] = triangle.mT
        return turned


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
    some, found = rows if module.q_norm is None else NORMED_ROWS, []
    for q, k in zip(*(part[:rows].split(some) for part in inputs.pairs), strict=True):
        q, k = (part.reshape(-1, 1, module.d_head) for part in (q, k))
        if module.q_norm is not None and module.k_norm is not None:
            q, k = module.q_norm(q), module.k_norm(k)
        found.append(attention_scores(q, k, scale=1.0).flatten())
    return torch.cat(found)


def moments(scores: Float[Tensor, " pairs"]) -> Float[Tensor, " moments"]:
    """How many scores there are, and their sums to the powers 1, 2 and 4."""
    scores = scores.double()
    squares = scores.square()
    return torch.stack([scores.new_full((), len(scores)), scores.sum(), squares.sum(), squares @ squares])


def steps_part(config: ScalingConfig) -> Generator[Step | ScalingPart]:
    """Measure the factors of a part, ``CHUNK`` queries at a time: a ``Step`` before each, last the ``ScalingPart``.

    Each query meets the same keys at every d_head, of which it takes the first d_head components, and every factor of
    the scores meets the same queries: the curves differ in d_head and factor alone.
    """
    series = factors(config)
    device = config.torch_device
    held = {"device": device if "float64" in supported_dtypes(device) else "cpu", "dtype": torch.float64}
    with torch.inference_mode(False):  # autograd refuses tensors that were made in inference mode
        modules = [head(config, d_head, 1.0) for d_head in D_HEADS]
        multiples = torch.tensor(list(series.values()), **held)
        rows = torch.empty(len(series), len(ROW_STATISTICS), len(D_HEADS), config.num_queries, **held)
        sums = torch.zeros(len(series), len(D_HEADS), 4, **held)
    inputs, lengths = chunks(config), KeyLengths(modules, rows.device)
    total = -(-config.num_queries // CHUNK)
    for done in range(total):
        at = slice(done * CHUNK, min((done + 1) * CHUNK, config.num_queries))
        doing = _(
            "queries {first:,} to {last:,} of {all:,}", first=at.start + 1, last=at.stop, all=config.num_queries
        )
        yield Step(done, total, doing)
        with torch.inference_mode(False), torch.no_grad():
            _add_chunk(next(inputs), modules, multiples, lengths, rows[..., at], sums)
    values, summed = rows.cpu().numpy(), sums.cpu().numpy()
    made = [summarise(name, series[name], values[i], summed[i], config.num_keys) for i, name in enumerate(series)]
    yield ScalingPart(
        curves=dict(zip(series, (exact for exact, _ in made), strict=True)),
        naive=dict(zip(series, (naive for _, naive in made), strict=True)),
    )


def _add_chunk(
    inputs: Inputs,
    modules: Sequence[MultiHeadAttention],
    multiples: Float[Tensor, "series sizes"],
    lengths: KeyLengths,
    rows: Float[Tensor, "series statistics sizes chunk"],
    sums: Float[Tensor, "series sizes moments"],
) -> None:
    """Measure some queries at every d_head: ``rows`` is filled, ``sums`` is added to."""
    scores = products(inputs, modules)
    for i, factor in enumerate(multiples):
        weights, gradients = attend(scores, inputs, factor, lengths)
        rows[i] = row_statistics(weights.to(rows.device), gradients)
    for size, module in enumerate(modules):
        found = pair_scores(module, inputs).to(rows.device)
        sums[:, size] += torch.stack([moments(found * factor) for factor in multiples[:, size]])
