"""What was measured against what is claimed, and whether theory expects the claim to hold with these settings.

What is expected comes from the settings alone: from what probability theory says of q·k, and from a model of rows of
weights made of it. Where the model lies too near a threshold to foresee on which side a sample falls, nothing is
expected.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.experiments.bounds import tolerance
from attention_core.experiments.inputs import generator
from attention_core.experiments.judge import judge
from attention_core.experiments.scaling.config import D_HEADS, ScalingConfig, expected_scores
from attention_core.experiments.scaling.curves import ERRORS, SATURATED, ScalingCurves
from attention_core.experiments.scaling.stats import jacobian_norm
from attention_core.experiments.verdict import Verdict, format_number

SMALL, LARGE = 64, D_HEADS[-1]  # the two sizes that scale-grad compares
COLLAPSE, KEPT = 0.01, 0.5  # a median this many times smaller has collapsed; a mean above this part has not
_MODEL_ROWS: Final = 4096
_KURTOSIS: Final = {"normal": 3.0, "uniform": 1.8, "signs": 1.0}
_SURELY: Final = 20  # rows of a quarter of the model: that none of a run's twice as many rows does it is past belief
_MOST: Final = 0.65  # of the rows: the median of a sample is then surely one of theirs
_DEAD: Final = f"at d_head = {SMALL} already, the precision leaves too few queries any weight but the largest"
_ONE_KEY: Final = "a single key always has weight 1, so there is nothing to saturate and no gradient"


@dataclass(frozen=True, slots=True)
class Model:
    """What independent normal scores of the expected spread would give at one d_head.

    Attributes:
        max_weight: Mean largest weight.
        gradient_median: Median ‖∂L/∂q‖, and
        gradient_middle: its 35 % and 65 % quantiles: where about half of the rows have no gradient in half precision,
            the median of a sample may be either of two very different numbers.
        gradient_mean: Mean ‖∂L/∂q‖.
        alive: Share of the rows in which the precision leaves more than one weight above 0; others have no gradient.
    """

    max_weight: float
    gradient_median: float
    gradient_middle: tuple[float, float]
    gradient_mean: float
    alive: float


def _model_weights(config: ScalingConfig, d_head: int, factor: float, rows: int = _MODEL_ROWS) -> Tensor:
    """Rows of softmax(factor · normal scores) in float64."""
    expected = expected_scores(config, d_head)
    stream = generator(0, "scaling", "model", d_head)
    deviations = torch.randn(rows, config.num_keys, generator=stream).double()
    if config.correlation:
        own, spread = own_keys(config, d_head, deviations[:, 0], torch.randn(2, rows, generator=stream).double())
        scores = expected.mean + expected.row_std * spread[:, None] * deviations
        scores[:, 0] = expected.mean + own
    else:
        scores = expected.mean + expected.row_std * deviations
    return (factor * scores).softmax(-1)


def own_keys(config: ScalingConfig, d_head: int, along: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """How far queries' own keys are ahead, and how wide their other scores are, where q and k are correlated.

    But for its mean and deviation a query is ``q = ρ k + √(1 − ρ²) z``. Of the part ``a ~ N(0, 1)`` of z along k come
    ``q·k = |k| (ρ |k| + √(1 − ρ²) a)`` and ``|q|² = (ρ |k| + √(1 − ρ²) a)² + (1 − ρ²) |z|²``, with which the variance
    of the other scores goes. ``|k|²`` and ``|z|²`` have mean d and, for components of kurtosis κ, variance
    ``d (κ − 1)``; they are drawn as Wilson and Hilferty (1931) approximate gamma variables: χ² for normal components,
    d for ±1.

    Args:
        config: Settings.
        d_head: Size of the head.
        along: (rows,) standard normal, the a.
        lengths: (2, rows) standard normal: how long k and z are.

    Returns:
        The lead over the others' mean, and their standard deviation in units of the expected one; (rows,) each.
    """
    rho, fresh = config.correlation, math.sqrt(1 - config.correlation**2)
    width = (_KURTOSIS[config.inputs] - 1) / d_head
    key, rest = d_head * (1 - width / 9 + lengths * math.sqrt(width) / 3).clamp(min=0) ** 3
    shared = rho * key.sqrt() + fresh * along
    query = shared**2 + fresh**2 * rest
    if config.qk_norm:
        own, query = d_head * shared / query.sqrt().clamp(min=1e-30), torch.full_like(query, d_head)
    else:
        own = key.sqrt() * shared
    variance = expected_scores(config, d_head).lead / (rho * d_head)
    return variance * own, (query / d_head).sqrt()


def model(config: ScalingConfig, d_head: int, factor: float) -> Model:
    """What theory foresees at one d_head: ``‖∂L/∂q‖ ≈ factor · |k| · ‖J u‖`` with u ~ N(0, I), for keys far apart.

    Args:
        config: Settings.
        d_head: Size of the head.
        factor: Factor of the scores.
    """
    weights = _model_weights(config, d_head, factor)
    stream = generator(0, "scaling", "model", "upstream", d_head)
    upstream = torch.randn(weights.shape, generator=stream).double()
    moved = weights * (upstream - (weights * upstream).sum(-1, keepdim=True))
    gradient = factor * expected_scores(config, d_head).key_length * torch.linalg.vector_norm(moved, dim=-1)
    low, median, high = gradient.quantile(gradient.new_tensor([0.35, 0.5, 0.65])).tolist()
    alive = float(((weights.to(config.torch_dtype) > 0).sum(-1) > 1).double().mean())
    return Model(float(weights.amax(-1).mean()), median, (low, high), float(gradient.mean()), alive)


def verdicts(
    config: ScalingConfig, unscaled: ScalingCurves, scaled: ScalingCurves, chosen: ScalingCurves
) -> tuple[Verdict, ...]:
    """The verdicts on scale-var (unscaled, scaled), scale-sat, scale-jac (keys, two) and scale-grad (median, mean).

    Args:
        config: Settings.
        unscaled: Curves without a factor.
        scaled: Curves with 1/√d_head.
        chosen: Curves with the chosen factor.
    """
    every = tuple({id(one): one for one in (unscaled, scaled, chosen)}.values())
    small, large = (model(config, d_head, config.factor(d_head)) for d_head in (SMALL, LARGE))
    return (
        _variance(config, unscaled, "unscaled", "q·k", "d_head"),
        _variance(config, scaled, "scaled", "q·k/√d_head", "1"),
        _saturation(config, chosen, large.max_weight),
        _jacobian(config, every, "keys"),
        _jacobian(config, every, "two"),
        _median_gradient(config, chosen, small, large),
        _mean_gradient(config, chosen, small, large),
    )


def _variance(config: ScalingConfig, curves: ScalingCurves, part: str, scores: str, claimed: str) -> Verdict:
    words = _inputs_words(config)
    as_claimed = (config.qk_norm or (config.std == 1 and not config.through_module)) and not (
        config.mean or config.correlation
    )
    claim = np.square(curves.factor) * D_HEADS
    foreseen = _standard_errors(config, curves, claim, *_expected_moments(config, curves))
    undecided = ""
    if not as_claimed and foreseen < 2 * ERRORS:  # a sample is at most as far from theory as it may be from the claim
        undecided = f"{words}; theory foresees {format_number(foreseen)} standard errors, too near {ERRORS:g} to tell"
    return judge(
        config,
        f"scale-var.{part}",
        _standard_errors(config, curves, claim, curves.score_mean, curves.score_square),
        "≤",
        ERRORS,
        says=f"mean and mean square of s = {scores} differ from 0 and {claimed} by at most",
        quantity=f"max of |E[s]| and |E[s²] − {claimed}|",
        cases=f"{len(D_HEADS)} sizes, {int(curves.pairs.min()):,} or more independent pairs each",
        unit="standard errors",
        broken="" if as_claimed else words,
        undecided=undecided,
        note=words,
    )


def _expected_moments(config: ScalingConfig, curves: ScalingCurves) -> tuple[np.ndarray, np.ndarray]:
    """Mean and mean square of the scores of queries and their keys, as probability theory has them."""
    scores = [expected_scores(config, d_head) for d_head in D_HEADS]
    mean = np.array([one.mean + one.lead for one in scores])
    square = mean**2 + np.array([one.std for one in scores]) ** 2
    return curves.factor * mean, np.square(curves.factor) * square


def _standard_errors(
    config: ScalingConfig, curves: ScalingCurves, claim: np.ndarray, mean: np.ndarray, square: np.ndarray
) -> float:
    """How far a mean and a mean square of the scores are from 0 and ``claim``, where they are farthest.

    The errors are those of the sample that ``curves`` are from. What rounding explains, each score being a sum of
    d_head products, is not counted; nor is a mean square of scores that are all alike but for their sign (±1 at
    d_head = 1), which has no error to count in.
    """
    terms = zip(claim, D_HEADS, strict=True)
    rounding = np.array([tolerance(config.torch_dtype, scale=size, terms=d_head) for size, d_head in terms])
    off_square = np.maximum(np.abs(square - claim) - rounding, 0)
    off_mean = np.abs(mean) / np.sqrt(curves.score_square / curves.pairs)
    varies = curves.score_square_error > 1e-6 * curves.score_square
    error = np.where(varies, curves.score_square_error, np.inf)
    return float(max(off_mean.max(), (off_square / error).max()))


def _saturation(config: ScalingConfig, chosen: ScalingCurves, foreseen: float) -> Verdict:
    words, below = _scale_words(config), 1 - float(chosen.saturated[-1])
    undecided = ""
    if config.num_keys == 1:
        undecided = _ONE_KEY
    elif abs(foreseen - SATURATED) < 0.02 + 0.3 * expected_scores(config, LARGE).shared:
        undecided = f"theory foresees {format_number(foreseen)}, too near {SATURATED:g} to tell"
    typical = f"in probability: {below:.1%} of the queries give no key {SATURATED:g}"
    return judge(
        config,
        "scale-sat",
        float(chosen.max_weight[-1]),
        "≥",
        SATURATED,
        says=f"at d_head = {LARGE:,} the largest of a query's weights is on average",
        quantity=f"mean a_max at {LARGE:,}",
        cases=_cases(config),
        undecided=undecided,
        broken="" if foreseen >= SATURATED else words or "scores this close together leave every key some weight",
        note="; ".join(filter(None, (typical, words))),
    )


def _jacobian(config: ScalingConfig, curves: tuple[ScalingCurves, ...], part: str) -> Verdict:
    rows = len(curves) * len(D_HEADS) * config.num_queries
    name, times = ("nε", config.num_keys) if part == "keys" else ("2ε", 2)
    counts = [one.above_keys if part == "keys" else one.above_two for one in curves]
    cancels = "ε is computed as 1 − a_max, which cancels once a_max rounds to 1"
    broken = undecided = ""
    if config.naive_epsilon and config.num_keys > 1:
        if _cancel(config, curves, times, slack=0.0, sharper=1.0) >= _SURELY:
            broken = cancels
        elif _cancel(config, curves, times, slack=4 * torch.finfo(config.torch_dtype).eps, sharper=1.3):
            undecided = "ε is computed as 1 − a_max, and whether that cancels in any row is left to chance here"
    return judge(
        config,
        f"scale-jac.{part}",
        float(sum(int(count.sum()) for count in counts)),
        "=",
        0.0,
        says=f"above the bound {name} are",
        quantity=f"rows with ‖J‖_F > {name}",
        unit=f"of {rows:,} rows",
        cases=f"{len(curves)} factors, {len(D_HEADS)} sizes, {_cases(config)}",
        broken=broken,
        undecided=undecided,
        note="with a single key both are 0" if config.num_keys == 1 else "",
    )


def _cancel(
    config: ScalingConfig, curves: tuple[ScalingCurves, ...], times: int, *, slack: float, sharper: float
) -> int:
    """In how many rows of the model, rounded to the run's precision, 1 − a_max falls below ‖J‖_F / times.

    Counting ends where there are enough to be sure.

    Args:
        config: Settings.
        curves: The factors.
        times: What ε is multiplied by in the bound.
        slack: What rounding may take off 1 − a_max besides.
        sharper: What the scores are multiplied by, for rows rarer than the model's.
    """
    found = 0
    for one in curves:
        for d_head, factor in zip(D_HEADS, one.factor.tolist(), strict=True):
            weights = _model_weights(config, d_head, sharper * factor, rows=_MODEL_ROWS // 4).to(config.torch_dtype)
            shares = weights.double() / weights.double().sum(-1, keepdim=True)
            naive = (1 - weights.amax(-1)).double() - slack
            found += int((jacobian_norm(shares) > times * naive * (1 + 1e-9)).sum())
            if found >= _SURELY:
                return found
    return found


def _median_gradient(config: ScalingConfig, chosen: ScalingCurves, small: Model, large: Model) -> Verdict:
    bound = COLLAPSE * float(chosen.gradient_median[D_HEADS.index(SMALL)])
    words, undecided = _undecided(config, large.gradient_middle, COLLAPSE * small.gradient_median, unsure=2.5)
    if small.alive < _MOST and config.num_keys > 1:
        undecided = _DEAD
    collapses = large.gradient_median <= COLLAPSE * small.gradient_median
    return judge(
        config,
        "scale-grad.median",
        float(chosen.gradient_median[-1]),
        "≤",
        bound,
        says=f"at d_head = {LARGE:,} the typical gradient, the median over queries, is",
        quantity=f"median ‖∂L/∂q‖ at {LARGE:,}",
        cases=f"a hundredth of that at {SMALL} or less; {_cases(config)}",
        undecided=undecided,
        broken="" if collapses else words or "scores this close together keep softmax from saturating",
        note=words,
    )


def _mean_gradient(config: ScalingConfig, chosen: ScalingCurves, small: Model, large: Model) -> Verdict:
    bound = KEPT * float(chosen.gradient_mean[D_HEADS.index(SMALL)])
    least, mean = KEPT * small.gradient_mean, large.gradient_mean
    words, undecided = _undecided(config, (mean, mean), least, unsure=1.4)
    if small.alive < _SURELY / _MODEL_ROWS and config.num_keys > 1:
        undecided = _DEAD
    return judge(
        config,
        "scale-grad.mean",
        float(chosen.gradient_mean[-1]),
        "≥",
        bound,
        says="there the mean over all queries is",
        quantity=f"mean ‖∂L/∂q‖ at {LARGE:,}",
        cases=f"half of that at {SMALL} or more; {_cases(config)}",
        undecided=undecided,
        broken="" if mean >= least else words or "even queries whose best keys tie pass less on",
        note=words,
    )


def _undecided(
    config: ScalingConfig, foreseen: tuple[float, float], bound: float, *, unsure: float
) -> tuple[str, str]:
    """Words for the settings, and why nothing is expected: the model is within ``unsure`` times of the bound."""
    words = _scale_words(config)
    if config.num_keys == 1:
        return words, _ONE_KEY
    unsure *= 1 + 2 * expected_scores(config, LARGE).shared
    if bound / unsure < foreseen[1] and foreseen[0] < bound * unsure:
        said = f"theory foresees about {format_number(sum(foreseen) / 2)}"
        said += f" beside {format_number(bound)}, too near to tell"
        return words, f"{words}; {said}" if words else said
    return words, ""


def _cases(config: ScalingConfig) -> str:
    keys = "1 key" if config.num_keys == 1 else f"{config.num_keys:,} keys"
    return f"{config.num_queries:,} queries, {keys}"


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
        square = expected_scores(config, 1).std ** 2
        share = "d_head/9" if config.std == 1 and not config.mean else f"{format_number(square)} d_head"
        words.append(
            f"W_Q and W_K as initialised have entries of variance 1/(3 d_model), so Var(q·k) is about {share}"
        )
    if config.qk_norm:
        words.append("QK-norm gives q and k mean square 1")
    return "; ".join(words)


def _scale_words(config: ScalingConfig) -> str:
    """What keeps softmax from saturating, or makes it saturate more."""
    words = [] if config.scale == "none" else [f"q·k is multiplied by {config.factor_name}"]
    if config.scale == "none" and config.temperature != 1:
        words.append(f"the temperature is {config.temperature:g}")
    inputs = _inputs_words(config)
    return "; ".join([*words, inputs] if inputs else words)
