"""How narrow heads limit the scores, and how softmax escapes (``low-rank``)."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import product_tolerance, tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.studies.projections.parts import attention, hidden_cells, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig, compared_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class RankResult(Result):
    """Singular values of scores, their softmax and its logarithm.

    Attributes:
        scores: As softmax sees them (heads, tokens, tokens); −∞ where the mask hides a key.
        weights: Their softmax, the same shape.
        hidden: Which cells the mask hides (tokens, tokens).
        score_values: Singular values of each head's scores, the largest as 1 (heads, tokens); NaN under a mask.
        weight_values: Those of the weights, likewise.
        sizes: The sizes of a head that are compared, ascending (sizes,).
        ranks: Largest numerical rank over the heads of scores, log weights and weights for each size (3, sizes);
            NaN under a mask for the first two.
    """

    scores: np.ndarray
    weights: np.ndarray
    hidden: np.ndarray
    score_values: np.ndarray
    weight_values: np.ndarray
    sizes: np.ndarray
    ranks: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spectra:
    """Singular values of each head, and by how much rounding may move them (Weyl: at most ‖error‖_F)."""

    trace: AttentionTrace
    scores: Tensor
    logs: Tensor
    weights: Tensor
    score_error: Tensor
    log_error: Tensor
    weight_error: Tensor

    def found(self, config: ProjectionsConfig) -> dict[str, Measurement]:
        """How large the first singular value too many is beside the largest, and the last that there may be."""
        n, d = len(config.tokens), config.d_head
        cases = _("{count} tokens, d_head = {size}", count=n, size=d)
        parts = (("scores", d, self.scores, self.score_error), ("weights", d + 1, self.logs, self.log_error))
        found = {}
        for name, allowed, values, error in parts:
            if values.isnan().any():
                found[f"low-rank.{name}"] = Measurement(torch.inf, 0.0, cases, size=torch.inf)
            elif allowed >= n:
                found[f"low-rank.{name}"] = Measurement(0.0, 0.0, cases, size=0.0)
            else:
                relative, rounding = values / values[:, :1], error / values[:, 0]
                worst = int(relative[:, allowed].argmax())
                last, first_over = relative[worst, allowed - 1 : allowed + 1].tolist()
                found[f"low-rank.{name}"] = Measurement(first_over, float(rounding[worst]), cases, size=last)
        return found

    def ranks(self) -> tuple[float, float, float]:
        """Numerical rank of scores, log weights and weights: how many singular values rounding does not explain."""
        pairs = ((self.scores, self.score_error), (self.logs, self.log_error), (self.weights, self.weight_error))
        found = [(values > error[:, None]).sum(-1).max() + 0.0 * values.max() for values, error in pairs]
        return float(found[0]), float(found[1]), float(found[2])


def run_rank(config: ProjectionsConfig) -> RankResult:
    """Take the singular values of every head's scores and weights, for the config's size of a head and all others."""
    return run_tests(RankResult, config, _tests(config), _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    here, sizes = _spectra(config, config.d_head), compared_sizes(config)
    return here.found(config), {
        "scores": on_cpu(here.trace.masked_scores)[0],
        "weights": on_cpu(here.trace.weights)[0],
        "hidden": hidden_cells(config),
        "score_values": here.scores / here.scores[:, :1],
        "weight_values": here.weights / here.weights[:, :1],
        "sizes": np.array(sizes),
        "ranks": np.array([_spectra(config, size).ranks() for size in sizes]).T,
    }


def _tests(config: ProjectionsConfig) -> tuple[ClaimTest, ...]:
    most = config.d_head
    return (
        ClaimTest("low-rank.scores", "≤",
                  _("singular value {number} of the scores, divided by the largest, is", number=most + 1),
                  _("σ_{number}/σ_1 of the scores", number=most + 1), theory=partial(_low_rank, allowed=most)),
        ClaimTest("low-rank.weights", "≤",
                  _("singular value {number} of the log weights, divided by the largest, is", number=most + 2),
                  _("σ_{number}/σ_1 of the log weights", number=most + 2),
                  theory=partial(_low_rank, allowed=most + 1)),
    )  # fmt: skip


def _low_rank(config: ProjectionsConfig, allowed: int) -> Theory:
    """Equal words have equal rows of scores, but for their positions; so no rank is above the number of words."""
    n = len(config.tokens)
    if config.causal and n > 1:
        return Fails(_("the causal mask adds −∞, which no product of narrow matrices holds"))
    if config.positions == "alibi" and n > allowed:
        return Fails(_("ALiBi adds a matrix of full rank"))
    rows = n if config.positions != "none" else len(set(config.tokens))
    most = {"rows": rows, "allowed": allowed}
    few = _("no matrix of {rows} different rows has a rank above {allowed}", **most)
    return Open(few) if rows <= allowed else Holds()


def _spectra(config: ProjectionsConfig, d_head: int) -> _Spectra:
    module = attention(config, d_head=d_head)
    trace = module.trace(words(config, d_head), attn_mask=mask(config))
    scores, weights = on_cpu(trace.masked_scores)[0], on_cpu(trace.weights)[0]
    logs = scores.log_softmax(-1)  # the weights' logarithm also where a weight is too small for its precision
    errors = product_tolerance(trace, module.scale)
    exact = tolerance(torch.float64, scale=1.0, terms=len(config.tokens)) * (1 + logs.abs())
    # A weight carries its score's error as a relative one, and is rounded itself.
    relative = torch.expm1(2 * errors) + tolerance(config.torch_dtype, scale=1.0, terms=len(config.tokens))
    return _Spectra(
        trace=trace,
        scores=_singular(scores),
        logs=_singular(logs),
        weights=_singular(weights),
        score_error=torch.linalg.matrix_norm(errors),
        log_error=torch.linalg.matrix_norm(errors + exact.masked_fill(exact.isinf(), 0.0)),
        weight_error=torch.linalg.matrix_norm(weights * relative),
    )


def _singular(values: Tensor) -> Tensor:
    """Singular values of each head; NaN where there are none because a mask put −∞ into the matrix."""
    if not values.isfinite().all():
        return torch.full(values.shape[:2], torch.nan, dtype=torch.float64)
    return torch.linalg.svdvals(values)
