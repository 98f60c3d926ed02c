"""The scaling sweep: some queries at a time, every d_head and scale, with autograd's gradients through the module."""

import math
from dataclasses import dataclass
from typing import Final

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.experiments.scaling.config import D_HEADS, ScalingConfig, expected_scores
from attention_core.experiments.scaling.inputs import Inputs, chunks
from attention_core.experiments.scaling.stats import entropy, jacobian_norm, rest_of_row, row_norms
from attention_core.modules.dot_product import attention_scores
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import Identity

UNSCALED: Final = "1"
SCALED: Final = "1/√d_head"
BINS: Final = 40
MAX_PAIRS: Final = 8192  # independent pairs a chunk and d_head, where d_head leaves so many
NORM_EPS: Final = 1e-30  # the norm's own ε of up to 0.008 would shorten the vectors of d_head = 1 and 2
ROW_STATISTICS: Final = (
    "max_weight",
    "entropy",
    "jacobian",
    "epsilon",
    "gradient",
    "float16_zeros",
    "bfloat16_zeros",
)


@dataclass(frozen=True, slots=True)
class Attended:
    """What one scale makes of one chunk at one d_head.

    Attributes:
        scores: (chunk, keys) in the run's precision and on its device, like
        weights: (chunk, keys) and
        gradient: (chunk, d_head), ∂L/∂q.
    """

    scores: Float[Tensor, "chunk keys"]
    weights: Float[Tensor, "chunk keys"]
    gradient: Float[Tensor, "chunk d_head"]


def head(config: ScalingConfig, d_head: int, factor: float | None) -> MultiHeadAttention:
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


def attend(module: MultiHeadAttention, inputs: Inputs) -> Attended:
    """One pass of a chunk through the module, and back to its queries.

    From ``∂L/∂context ~ N(0, 1)/√d_head``, which makes ``∂L/∂weights ~ N(0, 1)``, autograd gives ``∂L/∂q`` of the
    queries as they meet the keys: after QK-norm, where there is one.
    """
    d_head = module.d_head
    with torch.inference_mode(False), torch.enable_grad():
        queries = inputs.queries[:, :d_head].clone().requires_grad_()
        trace = module.trace(queries[None], inputs.keys[None, :, :d_head], inputs.values[None, :, :d_head])
        upstream = inputs.upstream[None, None, :, :d_head] / math.sqrt(d_head)
        (gradient,) = torch.autograd.grad(trace.context, trace.q, upstream)
    return Attended(trace.scores.detach()[0, 0], trace.weights.detach()[0, 0], gradient[0, 0])


def row_statistics(attended: Attended, *, naive_epsilon: bool) -> Float[Tensor, "statistics chunk"]:
    """``ROW_STATISTICS`` of each query, in float64 on the CPU.

    The Jacobian and ε are those of the weights divided by their sum, which in half precision is not quite 1.
    """
    weights = attended.weights.to("cpu", torch.float64)
    gradient = attended.gradient.to("cpu", torch.float64)
    shares = weights / weights.sum(-1, keepdim=True)
    largest = weights.amax(-1)
    epsilon = (1 - attended.weights.amax(-1)).to("cpu", torch.float64) if naive_epsilon else rest_of_row(shares)
    zeros = [(weights.to(half) == 0).double().mean(-1) for half in (torch.float16, torch.bfloat16)]
    return torch.stack([
        largest, entropy(weights), jacobian_norm(shares), epsilon, row_norms(gradient), *zeros
    ])  # fmt: skip


def pair_moments(module: MultiHeadAttention, inputs: Inputs) -> Float[Tensor, " moments"]:
    """How many independent pairs a chunk holds, and the sums of their scores to the powers 1, 2 and 4.

    All components of a row are independent, so 4,096 of them make 4,096 / d_head pairs. Scores of queries that share
    keys depend on one another: an interval from them would be far too narrow.
    """
    rows = min(inputs.pair_keys.shape[0], max(1, MAX_PAIRS * module.d_head // D_HEADS[-1]))
    pairs = [part[:rows].reshape(-1, 1, module.d_head) for part in (inputs.pair_queries, inputs.pair_keys)]
    if module.q_norm is not None and module.k_norm is not None:
        pairs = [module.q_norm(pairs[0]), module.k_norm(pairs[1])]
    scores = attention_scores(pairs[0], pairs[1], scale=module.scale).to("cpu", torch.float64).flatten()
    squares = scores.square()
    return torch.stack([torch.tensor(float(len(scores))).double(), scores.sum(), squares.sum(), squares @ squares])


def histogram_edges(config: ScalingConfig) -> Float[Tensor, "d_heads edges"]:
    """Borders of the score histogram's bins at each d_head: 4.5 standard deviations around 0, claimed or expected."""
    rows = []
    for d_head in D_HEADS:
        expected = expected_scores(config, d_head)
        half = 4.5 * max(math.sqrt(d_head), expected.std) + abs(expected.mean) + expected.lead
        rows.append(torch.linspace(-1, 1, BINS + 1, dtype=torch.float64) * half * config.factor(d_head))
    return torch.stack(rows)


def factors(config: ScalingConfig) -> dict[str, list[float]]:
    """The factors of the scores by their formula: none, the module's own 1/√d_head, and last the chosen one.

    Where the chosen one is one of the first two, there are only these.
    """
    series = {UNSCALED: [1.0] * len(D_HEADS), SCALED: [1 / math.sqrt(d_head) for d_head in D_HEADS]}
    if chosen_name(config) not in series:
        series[config.factor_name] = [config.factor(d_head) for d_head in D_HEADS]
    return series


def chosen_name(config: ScalingConfig) -> str:
    """Which of ``factors`` the config's scale and temperature are."""
    if config.temperature == 1 and config.scale == "d_head^-alpha" and config.alpha in (0, 0.5):
        return SCALED if config.alpha else UNSCALED
    return config.factor_name


class Sweep:
    """The measurements so far, of each query and summed over all of them.

    Attributes:
        factors: The factors of the scores by their formula.
        rows: (factors, 13, statistics, queries) ``ROW_STATISTICS`` of each query.
        moments: (factors, 13, 4) sums over independent pairs, see ``pair_moments``.
        edges: (13, bins + 1) borders of the bins of the histogram of scores with the chosen factor.
        counts: (13, bins) how many scores fell into each.
        scores: (13, chunk, keys) of the first chunk with the chosen factor, float64; None before it.
        weights: (13, chunk, keys) likewise.
    """

    def __init__(self, config: ScalingConfig) -> None:
        self.config = config
        self.factors = factors(config)
        sizes = (len(self.factors), len(D_HEADS))
        self.rows = torch.empty(*sizes, len(ROW_STATISTICS), config.num_queries, dtype=torch.float64)
        self.moments = torch.zeros(*sizes, 4, dtype=torch.float64)
        self.edges = histogram_edges(config)
        self.counts = torch.zeros(len(D_HEADS), BINS, dtype=torch.float64)
        self.scores: Tensor | None = None
        self.weights: Tensor | None = None
        self._modules = [
            [head(config, d_head, None if name == SCALED else by_d_head[i]) for i, d_head in enumerate(D_HEADS)]
            for name, by_d_head in self.factors.items()
        ]
        self._chunks = chunks(config)
        self._done = 0

    def add_chunk(self) -> None:
        """Measure the next 256 queries at every d_head with every factor."""
        with torch.inference_mode(False), torch.no_grad():
            inputs = next(self._chunks)
            queries = slice(self._done, self._done + len(inputs.queries))
            shown: list[Attended] = []
            for series, name in enumerate(self.factors):
                for size, module in enumerate(self._modules[series]):
                    attended = attend(module, inputs)
                    self.rows[series, size, :, queries] = row_statistics(
                        attended, naive_epsilon=self.config.naive_epsilon
                    )
                    self.moments[series, size] += pair_moments(module, inputs)
                    if name == chosen_name(self.config):
                        shown.append(attended)
            self._count(shown)
            self._done = queries.stop

    def _count(self, shown: list[Attended]) -> None:
        scores = torch.stack([one.scores for one in shown]).to("cpu", torch.float64)
        if self.scores is None:
            self.scores = scores
            self.weights = torch.stack([one.weights for one in shown]).to("cpu", torch.float64)
        low, high = self.edges[:, :1], self.edges[:, -1:]
        bins = ((scores.flatten(1) - low) / (high - low) * BINS).floor().long()
        inside = (bins >= 0) & (bins < BINS)
        self.counts.scatter_add_(1, bins.clamp(0, BINS - 1), inside.double())
