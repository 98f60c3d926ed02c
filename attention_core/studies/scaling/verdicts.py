"""What was measured against what is claimed, and whether theory expects the claim to hold with these settings.

What is expected comes from the settings alone: from what probability theory says of q·k, and from a model of rows of
weights made of it. Where the model lies too near a threshold to foresee on which side a sample falls, nothing is
expected.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import SEMICOLON, Text, joined, ngettext_lazy
from attention_core.language import gettext_lazy as _
from attention_core.measuring.bounds import tolerance
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.number_format import format_number
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Verdict
from attention_core.studies.scaling.curves import ERRORS, SATURATED, ScalingCurves
from attention_core.studies.scaling.inputs import pairs_of
from attention_core.studies.scaling.settings import D_HEADS, SCALED, UNSCALED, ScalingConfig, expected_scores
from attention_core.studies.scaling.stats import jacobian_norm

SMALL, LARGE = 64, D_HEADS[-1]  # the two sizes that scale-grad compares
COLLAPSE, KEPT = 0.01, 0.5  # a median this many times smaller has collapsed; a mean above this part has not
_MODEL_ROWS: Final = 4096
_KURTOSIS: Final = {"normal": 3.0, "uniform": 1.8, "signs": 1.0}
_SURELY: Final = 20  # of the model's 1,024 rows: the chance that none of a run's 2,048 does it is about e⁻⁴⁰
_MOST: Final = 0.65  # of the rows: if so many have a gradient, so has the median row
_DEAD: Final = _(
    "at d_head = {size} already, the precision leaves too few queries any weight but the largest", size=SMALL
)
_ONE_KEY: Final = _("a single key always has weight 1, so there is nothing to saturate and no gradient")


@dataclass(frozen=True, slots=True)
class Model:
    """What independent normal scores of the expected spread would give at one d_head.

    Attributes:
        max_weight: Mean largest weight.
        gradient_median: Median ‖∂L/∂q‖, and
        gradient_middle: its 35 % and 65 % quantiles: where about half of the rows have no gradient in half precision,
            the median of a sample may be either of two very different numbers.
        gradient_mean: Mean ‖∂L/∂q‖, and
        gradient_share: ``E[g]²/E[g²]``, as if this share of the rows had one gradient and the others none.
        alive: Share of the rows in which the precision leaves more than one weight above 0; others have no gradient.
    """

    max_weight: float
    gradient_median: float
    gradient_middle: tuple[float, float]
    gradient_mean: float
    gradient_share: float
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
    """What theory foresees at one d_head: ``‖∂L/∂q‖ ≈ factor · |k| · ‖J u‖`` with u ~ N(0, I), for keys far apart."""
    weights = _model_weights(config, d_head, factor)
    stream = generator(0, "scaling", "model", "upstream", d_head)
    upstream = torch.randn(weights.shape, generator=stream).double()
    moved = weights * (upstream - (weights * upstream).sum(-1, keepdim=True))
    gradient = factor * expected_scores(config, d_head).key_length * torch.linalg.vector_norm(moved, dim=-1)
    low, median, high = gradient.quantile(gradient.new_tensor([0.35, 0.5, 0.65])).tolist()
    alive = float(((weights.to(config.torch_dtype) > 0).sum(-1) > 1).double().mean())
    mean, square = float(gradient.mean()), float(gradient.square().mean())
    share = max(mean**2 / square if square else 0.0, 1 / _MODEL_ROWS)
    return Model(float(weights.amax(-1).mean()), median, (low, high), mean, share, alive)


def verdicts(
    config: ScalingConfig, unscaled: ScalingCurves, scaled: ScalingCurves, chosen: ScalingCurves
) -> tuple[Verdict, ...]:
    """scale-var (unscaled, scaled), scale-sat, scale-jac (keys, two) and scale-grad (median, mean)."""
    every = tuple({id(one): one for one in (unscaled, scaled, chosen)}.values())
    rows = _("of {rows:,} rows", rows=len(every) * len(D_HEADS) * config.num_queries)
    everywhere = _(
        "{factors} factors, {sizes} sizes, {cases}", factors=len(every), sizes=len(D_HEADS), cases=_cases(config)
    )
    words, small = _scale_words(config), D_HEADS.index(SMALL)
    keys, two = (int(sum(getattr(one, name).sum() for one in every)) for name in ("above_keys", "above_two"))
    typical = _(
        "in probability: {share:.1%} of the queries give no key {weight:g}",
        share=1 - float(chosen.saturated[-1]),
        weight=SATURATED,
    )
    least_median, least_mean = COLLAPSE * chosen.gradient_median[small], KEPT * chosen.gradient_mean[small]
    found = {
        "scale-var.unscaled": _moments(config, unscaled),
        "scale-var.scaled": _moments(config, scaled),
        "scale-sat": Measurement(
            float(chosen.max_weight[-1]), SATURATED, _cases(config), note=joined(SEMICOLON, (typical, words))
        ),
        "scale-jac.keys": Measurement(keys, 0, everywhere, unit=rows, note=THEOREM),
        "scale-jac.two": Measurement(two, 0, everywhere, unit=rows, note=THEOREM),
        "scale-grad.median": Measurement(
            float(chosen.gradient_median[-1]), float(least_median),
            _("claimed: at most a hundredth of that at {size}; {cases}", size=SMALL, cases=_cases(config)),
            note=words,
        ),
        "scale-grad.mean": Measurement(
            float(chosen.gradient_mean[-1]), float(least_mean),
            _("claimed: at least half of that at {size}; {cases}", size=SMALL, cases=_cases(config)), note=words,
        ),
    }  # fmt: skip
    return judge_all(config, _tests(config), found)


def _tests(config: ScalingConfig) -> tuple[ClaimTest, ...]:
    """The table, with what the model foresees at the two sizes that are compared."""
    small, large = (model(config, d_head, config.factor(d_head)) for d_head in (SMALL, LARGE))
    return (
        *(
            ClaimTest(f"scale-var.{part}", "≤",
                      _("mean and mean square of s = {scores} differ from 0 and {claimed} by at most",
                   scores=scores, claimed=claimed),
                      _("max of |E[s]| and |E[s²] − {claimed}|", claimed=claimed),
                      theory=partial(_as_drawn, factors=FACTORS[part]), rounds=False)
            for part, scores, claimed in (("unscaled", "q·k", "d_head"), ("scaled", "q·k/√d_head", "1"))
        ),
        ClaimTest("scale-sat", "≥",
                  _("at d_head = {size:,} the largest of a query's weights is on average", size=LARGE),
                  _("mean a_max at {size:,}", size=LARGE), theory=partial(_saturates, foreseen=large.max_weight)),
        *(
            ClaimTest(f"scale-jac.{part}", "=", _("above the bound {bound} are", bound=name),
                      _("rows with ‖J‖_F > {bound}", bound=name), theory=partial(_bounded, times=times))
            for part, name, times in (("keys", "nε", config.num_keys), ("two", "2ε", 2))
        ),
        ClaimTest("scale-grad.median", "≤",
                  _("at d_head = {size:,} the typical gradient, the median over queries, is", size=LARGE),
                  _("median ‖∂L/∂q‖ at {size:,}", size=LARGE),
                  theory=partial(_median_collapses, small=small, large=large), rounds=False),
        ClaimTest("scale-grad.mean", "≥", _("at d_head = {size:,} the mean gradient over all queries is", size=LARGE),
                  _("mean ‖∂L/∂q‖ at {size:,}", size=LARGE), theory=partial(_mean_lasts, small=small, large=large)),
    )  # fmt: skip


THEOREM: Final = _(
    "a theorem of any shares that add up to 1: what may fail is how the weight that is left is computed"
)
FACTORS: Final = {"unscaled": np.ones(len(D_HEADS)), "scaled": np.array(D_HEADS) ** -0.5}


def _as_drawn(config: ScalingConfig, factors: np.ndarray) -> Theory:
    """Scores have the moments that are claimed; with QK-norm only a mean or a correlation changes them."""
    as_claimed = config.qk_norm or (config.std == 1 and not config.through_module)
    if as_claimed and not (config.mean or config.correlation):
        return Holds()
    return Fails(_inputs_words(config), size=_foreseen_errors(config, factors))


def _moments(config: ScalingConfig, curves: ScalingCurves) -> Measurement:
    """How far mean and mean square of independent scores are from what is claimed, in errors of the sample."""
    claim = np.square(curves.factor) * D_HEADS
    error = np.sqrt(curves.score_square / curves.pairs)
    off = _standard_errors(config, claim, curves.score_mean, curves.score_square, error, curves.score_square_error)
    cases = _(
        "{sizes} sizes, {pairs:,} or more independent pairs each", sizes=len(D_HEADS), pairs=int(curves.pairs.min())
    )
    return Measurement(off, ERRORS, cases, unit=_("standard errors"), note=_inputs_words(config))


def _foreseen_errors(config: ScalingConfig, factors: np.ndarray) -> float:
    """The same of theory's moments, in the errors that theory gives a sample of as many pairs.

    A score is a sum of d_head products p of two components, whose moments are exact sums over the nodes of a
    quadrature: E[s⁴] comes from the central moments of p, as that of any sum of independent terms.
    """
    one, rho = expected_scores(config, 1), config.correlation
    nodes, shares = _nodes("normal" if config.through_module else config.inputs)
    key, other = one.key_length * nodes, one.key_length * nodes[:, None]
    shift = math.sqrt(one.mean)
    products = (shift + rho * key + math.sqrt(1 - rho**2) * other) * (shift + key)
    weights, d = shares * shares[:, None], np.array(D_HEADS)
    mean = float((weights * products).sum())
    second, third, fourth = (float((weights * (products - mean) ** power).sum()) for power in (2, 3, 4))
    variance, skew, tail = d * second, d * third, d * fourth + 3 * d * (d - 1) * second**2
    square = (d * mean) ** 2 + variance
    spread = (d * mean) ** 4 + 6 * (d * mean) ** 2 * variance + 4 * d * mean * skew + tail - square**2
    pairs = np.array([pairs_of(d_head) for d_head in D_HEADS])
    return _standard_errors(
        config, np.square(factors) * d, factors * d * mean, np.square(factors) * square,
        factors * np.sqrt(square / pairs), np.square(factors) * np.sqrt(np.maximum(spread, 0) / pairs),
    )  # fmt: skip


def _nodes(inputs: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a component of variance 1 may lie, and with which probabilities; moments up to the 15th are exact."""
    if inputs == "signs":
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    uniform = inputs == "uniform"
    nodes, shares = (np.polynomial.legendre.leggauss if uniform else np.polynomial.hermite_e.hermegauss)(8)
    return nodes * (math.sqrt(3) if uniform else 1), shares / shares.sum()


def _standard_errors(
    config: ScalingConfig, claim: np.ndarray, mean: np.ndarray, square: np.ndarray, *errors: np.ndarray
) -> float:
    """How many errors a mean and a mean square of the scores are from 0 and ``claim``, where they are farthest.

    What rounding explains, each score being a sum of d_head products, is not counted; nor is a mean square of scores
    that are all alike but for their sign (±1 at d_head = 1), which has no error to count in.
    """
    terms = zip(claim, D_HEADS, strict=True)
    rounding = np.array([tolerance(config.torch_dtype, scale=size, terms=d_head) for size, d_head in terms])
    off_square = np.maximum(np.abs(square - claim) - rounding, 0)
    error = np.where(errors[1] > 1e-6 * square, errors[1], np.inf)
    return float(np.max([(np.abs(mean) / errors[0]).max(), (off_square / error).max()]))


def _saturates(config: ScalingConfig, foreseen: float) -> Theory:
    """One key takes most of the weight."""
    if config.num_keys == 1:
        return Open(_ONE_KEY)
    if abs(foreseen - SATURATED) < 0.02 + 0.3 * expected_scores(config, LARGE).shared:
        said = {"foreseen": format_number(foreseen), "bound": SATURATED}
        return Open(_("theory foresees {foreseen}, too near {bound:g} to tell", **said))
    close = _scale_words(config) or _("scores this close together leave every key some weight")
    return Holds() if foreseen >= SATURATED else Fails(close)


def _bounded(config: ScalingConfig, times: int) -> Theory:
    """A theorem, but ε may be computed in a way that cancels."""
    if config.num_keys == 1:
        return Open(_("with a single key both are 0"))
    if not config.naive_epsilon:
        return Holds()
    if _cancel(config, times, slack=0.0, sharper=1 / _leeway(config)) >= _SURELY:
        return Fails(_("ε is computed as 1 − a_max, which cancels once a_max rounds to 1"))
    slack = 4 * torch.finfo(config.torch_dtype).eps
    may = _cancel(config, times, slack=slack, sharper=1.3 * _leeway(config))
    left = _("ε is computed as 1 − a_max, and whether that cancels in any row is left to chance here")
    return Open(left) if may else Holds()


def _leeway(config: ScalingConfig) -> float:
    """How many times wider or narrower scores may be than foreseen: what all queries share is drawn once for all."""
    return 1 + 2 * expected_scores(config, LARGE).shared


def _cancel(config: ScalingConfig, times: int, *, slack: float, sharper: float) -> int:
    """In how many rows of the model, rounded to the run's precision, 1 − a_max falls below ‖J‖_F / times.

    Counting ends where there are enough to be sure.

    Args:
        config: Settings.
        times: What ε is multiplied by in the bound.
        slack: What rounding may take off 1 − a_max besides.
        sharper: What the scores are multiplied by, for rows rarer than the model's.
    """
    found = 0
    chosen = {UNSCALED: FACTORS["unscaled"], SCALED: FACTORS["scaled"]}
    chosen |= {config.factor_name: np.array([config.factor(d_head) for d_head in D_HEADS])}
    for factors in chosen.values():
        for d_head, factor in zip(D_HEADS, factors.tolist(), strict=True):
            weights = _model_weights(config, d_head, sharper * factor, rows=_MODEL_ROWS // 4).to(config.torch_dtype)
            shares = weights.double() / weights.double().sum(-1, keepdim=True)
            naive = (1 - weights.amax(-1)).double() - slack
            found += int((jacobian_norm(shares) > times * naive * (1 + 1e-9)).sum())
            if found >= _SURELY:
                return found
    return found


def _median_collapses(config: ScalingConfig, small: Model, large: Model) -> Theory:
    if small.alive < _MOST and config.num_keys > 1:
        return Open(_DEAD)
    bound = COLLAPSE * small.gradient_median
    if near := _near(config, large.gradient_middle, bound, unsure=2.5):
        return near
    close = _scale_words(config) or _("scores this close together keep softmax from saturating")
    return Holds() if large.gradient_median <= bound else Fails(close)


def _mean_lasts(config: ScalingConfig, small: Model, large: Model) -> Theory:
    if small.alive < _SURELY / _MODEL_ROWS and config.num_keys > 1:
        return Open(_DEAD)
    # Of the ratio, sample and model. Rows whose scores share a part ρ of their variance have gradients that correlate
    # by ρ at most (Gebelein 1941): the variance of their mean is no more than ρ + 1/n of one row's.
    mean, rows = large.gradient_mean, expected_scores(config, LARGE).shared + 1 / config.num_queries + 1 / _MODEL_ROWS
    error = math.sqrt(sum(rows / size.gradient_share for size in (small, large)))
    bound = KEPT * small.gradient_mean
    if near := _near(config, (mean, mean), bound, unsure=max(1.4, math.exp(4 * error))):
        return near
    tie = _scale_words(config) or _("even queries whose best keys tie pass less on")
    return Holds() if mean >= bound else Fails(tie)


def _near(config: ScalingConfig, foreseen: tuple[float, float], bound: float, *, unsure: float) -> Open | None:
    """Why nothing is expected where the model is within ``unsure`` times of the bound."""
    if config.num_keys == 1:
        return Open(_ONE_KEY)
    unsure *= _leeway(config)
    if not (bound / unsure < foreseen[1] and foreseen[0] < bound * unsure):
        return None
    said = _(
        "theory foresees about {foreseen} beside {bound}, too near to tell",
        foreseen=format_number(sum(foreseen) / 2),
        bound=format_number(bound),
    )
    return Open(joined(SEMICOLON, (_scale_words(config), said)))


def _cases(config: ScalingConfig) -> Text:
    keys = ngettext_lazy("{count:,} key", "{count:,} keys", config.num_keys)
    return _("{queries:,} queries, {keys}", queries=config.num_queries, keys=keys)


def _inputs_words(config: ScalingConfig) -> Text:
    """Which settings take q and k away from independent components of mean 0 and variance 1."""
    words = []
    if config.std != 1 and not config.qk_norm:
        words.append(_("the standard deviation is {std:g}", std=config.std))
    if config.mean:
        words.append(_("the mean is {mean:g} standard deviations", mean=config.mean))
    if config.correlation:
        words.append(_("q and k are correlated by {rho:g}", rho=config.correlation))
    if config.through_module and not config.qk_norm:
        square = expected_scores(config, 1).std ** 2
        share = "d_head/9" if config.std == 1 and not config.mean else f"{format_number(square)} d_head"
        words.append(
            _(
                "W_Q and W_K as initialised have entries of variance 1/(3 d_model), so Var(q·k) is about {share}",
                share=share,
            )
        )
    if config.qk_norm:
        words.append(_("QK-norm gives q and k mean square 1"))
    return joined(SEMICOLON, words)


def _scale_words(config: ScalingConfig) -> Text:
    """What keeps softmax from saturating, or makes it saturate more."""
    words: list[str] = []
    if config.scale != "none":
        words.append(_("q·k is multiplied by {factor}", factor=config.factor_name))
    elif config.temperature != 1:
        words.append(_("the temperature is {temperature:g}", temperature=config.temperature))
    return joined(SEMICOLON, (*words, _inputs_words(config)))
