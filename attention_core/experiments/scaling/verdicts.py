"""What was measured against what is claimed, and whether theory expects the claim to hold with these settings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from attention_core.experiments.inputs import generator
from attention_core.experiments.scaling.absorb import absorb
from attention_core.experiments.scaling.config import D_HEADS, ScalingConfig, expected_scores
from attention_core.experiments.scaling.result import ScalingCurves
from attention_core.experiments.scaling.stats import jacobian_norm
from attention_core.experiments.scaling.summary import ERRORS, SATURATED
from attention_core.experiments.verdict import Verdict, tolerance

SMALL, LARGE = 64, D_HEADS[-1]  # the two sizes that scale-grad compares
COLLAPSE, KEPT = 0.01, 0.5  # a median this many times smaller has collapsed; a mean above this part has not
_MODEL_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Model:
    """What independent normal scores of the expected spread would give at one d_head.

    Attributes:
        weights: (rows, keys).
        max_weight: Mean largest weight.
        gradient_median: Median ‖∂L/∂q‖.
        gradient_mean: Mean ‖∂L/∂q‖.
    """

    weights: torch.Tensor
    max_weight: float
    gradient_median: float
    gradient_mean: float


def model(config: ScalingConfig, d_head: int, factor: float) -> Model:
    """What theory foresees at one d_head: decides what is expected, unless that lies too close to the bound.

    Rows of softmax(normal scores), and ``‖∂L/∂q‖ ≈ factor · |k| · ‖J u‖`` with u ~ N(0, I) for keys far apart.
    """
    expected = expected_scores(config, d_head)
    stream = generator(0, "scaling", "model", d_head)
    shape = (_MODEL_ROWS, config.num_keys)
    scores = expected.mean + expected.row_std * torch.randn(shape, generator=stream, dtype=torch.float64)
    scores[:, 0] += expected.lead
    weights = (factor * scores).to(config.torch_dtype).double().softmax(-1)
    upstream = torch.randn(shape, generator=stream, dtype=torch.float64)
    moved = weights * (upstream - (weights * upstream).sum(-1, keepdim=True))
    gradient = factor * expected.key_length * torch.linalg.vector_norm(moved, dim=-1)
    return Model(weights, float(weights.amax(-1).mean()), float(gradient.median()), float(gradient.mean()))


def verdicts(
    config: ScalingConfig, unscaled: ScalingCurves, scaled: ScalingCurves, chosen: ScalingCurves
) -> tuple[Verdict, ...]:
    """All verdicts: scale-var twice, scale-sat, scale-jac twice, scale-grad twice, scale-absorb."""

    def verdict(**given: Any) -> Verdict:
        return Verdict(dtype=config.dtype, device=str(config.torch_device), **given)

    return (
        *_variance(config, unscaled, scaled, verdict),
        _saturation(config, chosen, verdict),
        *_jacobian(config, tuple({id(one): one for one in (unscaled, scaled, chosen)}.values()), verdict),
        *_gradient(config, chosen, verdict),
        _absorbed(config, verdict),
    )


def _variance(
    config: ScalingConfig, unscaled: ScalingCurves, scaled: ScalingCurves, verdict: Callable[..., Verdict]
) -> list[Verdict]:
    because = _inputs_words(config)
    expected = (config.qk_norm or (config.std == 1 and not config.through_module)) and not (
        config.mean or config.correlation
    )
    made = []
    for curves, scores, claimed in ((unscaled, "q·k", "d_head"), (scaled, "q·k/√d_head", "1")):
        claim = np.square(curves.factor) * D_HEADS
        made.append(
            verdict(
                claim="scale-var",
                quantity=f"|E[s]| and |E[s²] − {claimed}|, s = {scores}, at most",
                measured=_standard_errors(config, curves, claim),
                relation="≤",
                bound=ERRORS,
                unit="standard errors",
                expected=expected,
                cases=f"{len(D_HEADS)} sizes",
                because=because,
            )
        )
    return made


def _standard_errors(config: ScalingConfig, curves: ScalingCurves, claim: np.ndarray[Any, Any]) -> float:
    """How far the mean and the mean square of the scores are from 0 and ``claim``, where they are farthest.

    What rounding explains, each score being a sum of d_head products, is not counted; nor is a mean square of scores
    that are all alike but for their sign (±1 at d_head = 1), which has no error to count in.
    """
    terms = zip(claim, D_HEADS, strict=True)
    rounding = np.array([tolerance(config.torch_dtype, scale=size, terms=d_head) for size, d_head in terms])
    off_square = np.maximum(np.abs(curves.score_square - claim) - rounding, 0)
    off_mean = np.abs(curves.score_mean) / np.sqrt(curves.score_square / curves.pairs)
    varies = curves.score_square_error > 1e-6 * curves.score_square
    error = np.where(varies, curves.score_square_error, np.inf)
    return float(max(off_mean.max(), (off_square / error).max()))


def _saturation(config: ScalingConfig, chosen: ScalingCurves, verdict: Callable[..., Verdict]) -> Verdict:
    measured = float(chosen.max_weight[-1])
    foreseen = model(config, LARGE, config.factor(LARGE)).max_weight
    unsure = 0.02 + 0.3 * expected_scores(config, LARGE).shared
    return verdict(
        claim="scale-sat",
        quantity=f"mean a_max at d_head = {LARGE:,}",
        measured=measured,
        relation="≥",
        bound=SATURATED,
        expected=measured >= SATURATED if abs(foreseen - SATURATED) < unsure else foreseen >= SATURATED,
        cases=f"{config.num_queries:,} queries, {_keys(config)}",
        because=_scale_words(config),
    )


def _jacobian(
    config: ScalingConfig, curves: tuple[ScalingCurves, ...], verdict: Callable[..., Verdict]
) -> list[Verdict]:
    rows = len(curves) * len(D_HEADS) * config.num_queries
    because = "ε is computed as 1 − a_max, which cancels once a_max rounds to 1" if config.naive_epsilon else ""
    made = []
    for name, times, counts in (
        ("nε", config.num_keys, [one.above_keys for one in curves]),
        ("2ε", 2, [one.above_two for one in curves]),
    ):
        made.append(
            verdict(
                claim="scale-jac",
                quantity=f"rows with ‖J‖_F > {name}",
                measured=float(sum(int(count.sum()) for count in counts)),
                relation="=",
                bound=0.0,
                expected=not (config.naive_epsilon and _cancels(config, curves, times)),
                cases=f"{rows:,} rows of {_keys(config)}",
                because=because,
            )
        )
    return made


def _cancels(config: ScalingConfig, curves: tuple[ScalingCurves, ...], times: int) -> bool:
    """Whether 1 − a_max falls below ‖J‖_F / times in rows of the model rounded to the run's precision."""
    for one in curves:
        for d_head, factor in zip(D_HEADS, one.factor.tolist(), strict=True):
            weights = model(config, d_head, factor).weights.to(config.torch_dtype)
            shares = weights.double() / weights.double().sum(-1, keepdim=True)
            if bool((jacobian_norm(shares) > times * (1 - weights.amax(-1)).double() * (1 + 1e-9)).any()):
                return True
    return False


def _gradient(config: ScalingConfig, chosen: ScalingCurves, verdict: Callable[..., Verdict]) -> list[Verdict]:
    small, large = (model(config, d_head, config.factor(d_head)) for d_head in (SMALL, LARGE))
    at = D_HEADS.index(SMALL)
    shared = 1 + 2 * expected_scores(config, LARGE).shared
    made = []
    for name, values, part, unsure, words, low, high in (
        (
            "median",
            chosen.gradient_median,
            COLLAPSE,
            2.5,
            "a hundredth",
            small.gradient_median,
            large.gradient_median,
        ),
        ("mean", chosen.gradient_mean, KEPT, 1.25, "half", small.gradient_mean, large.gradient_mean),
    ):
        measured, bound = float(values[-1]), part * float(values[at])
        falls = name == "median"
        close = part * low / (unsure * shared) < high < part * low * unsure * shared
        stays = (measured <= bound, high <= part * low) if falls else (measured >= bound, high >= part * low)
        made.append(
            verdict(
                claim="scale-grad",
                quantity=f"{name} ‖∂L/∂q‖ at {LARGE:,}, {words} of that at {SMALL}",
                measured=measured,
                relation="≤" if falls else "≥",
                bound=bound,
                expected=stays[0] if close else stays[1],
                cases=f"{config.num_queries:,} queries, {_keys(config)}",
                because=_scale_words(config),
            )
        )
    return made


def _absorbed(config: ScalingConfig, verdict: Callable[..., Verdict]) -> Verdict:
    residual, bound = absorb(config)
    words = ["QK-norm undoes any factor in W_Q"] if config.qk_norm else []
    if bound >= 1:
        words.append(f"rounding in {config.dtype} alone explains any difference between two weights")
    return verdict(
        claim="scale-absorb",
        quantity="max |weights − weights with W_Q/√d_head, b_Q/√d_head and scale 1|",
        measured=residual,
        relation="≤",
        bound=bound,
        expected=not config.qk_norm or bound >= 1,
        cases="8 heads of 8, 16 tokens",
        because="; ".join(words),
    )


def _keys(config: ScalingConfig) -> str:
    return "1 key" if config.num_keys == 1 else f"{config.num_keys:,} keys"


def _inputs_words(config: ScalingConfig) -> str:
    """Which settings take q and k away from independent components of mean 0 and variance 1."""
    words = []
    if config.std != 1 and not config.qk_norm:
        words.append(f"the standard deviation is {config.std:g}")
    if config.mean:
        words.append(f"the mean is {config.mean:g} standard deviations")
    if config.correlation:
        words.append(f"q and k are correlated by {config.correlation:g}")
    if config.through_module and not config.qk_norm:
        words.append(
            "W_Q and W_K as initialised have entries of variance 1/(3 d_model), so Var(q·k) is about d_head/9"
        )
    if config.qk_norm:
        words.append("QK-norm gives q and k mean square 1")
    return "; ".join(words)


def _scale_words(config: ScalingConfig) -> str:
    """What keeps softmax from saturating, or makes it saturate more."""
    words = [] if config.scale == "none" else [f"q·k is multiplied by {config.factor_name}"]
    if config.scale == "none" and config.temperature != 1:
        words.append(f"the temperature is {config.temperature:g}")
    if config.num_keys == 1:
        words.append("a single key always has weight 1 and passes no gradient on")
    inputs = _inputs_words(config)
    return "; ".join([*words, inputs] if inputs else words)
