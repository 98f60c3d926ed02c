"""What becomes of the largest weight as there are more and more keys (``dilute``)."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, run_tests
from attention_core.measuring.number_format import format_number
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.dot_product import precise_scores
from attention_core.studies.scaling.curves import Counts, Floats
from attention_core.studies.scaling.inputs import many_keys
from attention_core.studies.scaling.settings import ScalingConfig, expected_scores
from attention_core.studies.scaling.sweep import head

LENGTHS: Final = tuple(2**i for i in range(1, 13))  # 2 … 4096 keys
MOST: Final = LENGTHS[-1]
D_HEAD: Final = 64
QUERIES: Final = 128
_TELLS: Final = 0.2  # a bound above this part of all weight says little of how it is shared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dilution(Record):
    """What one factor of the scores does as there are more keys; each array is (12,).

    Attributes:
        name: The factor as a formula: ``1/√d_head`` or ``ln n/√d_head``.
        largest: Mean over the queries of the largest weight.
        bound: Mean of ``min(1, e^D / n)``, with D how far a query's best score is above their mean at most, at any
            number of keys and without what grows with it.
        above: Queries whose largest weight is above that, with any of the numbers of keys.
    """

    name: str
    largest: Floats
    bound: Floats
    above: Counts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LengthsResult(Result):
    """The largest weight over the number of keys.

    Attributes:
        config: The settings.
        lengths: How many keys there are (12,).
        chosen: With the chosen factor; one of the next two where it is theirs.
        steady: With 1/√d_head.
        growing: With ln n/√d_head.
    """

    config: ScalingConfig
    lengths: Counts
    chosen: Dilution
    steady: Dilution
    growing: Dilution


@torch.no_grad()
def run_lengths(config: ScalingConfig) -> LengthsResult:
    """The largest weight of some queries with 2, 4, 8 … 4096 keys, each time the first ones of the same."""
    return run_tests(LengthsResult, config, TESTS, _measure)


def _measure(config: ScalingConfig) -> Measurements:
    inputs = many_keys(config, D_HEAD, QUERIES, MOST)
    plain = replace(config, temperature=1.0)
    kinds = (config, replace(plain, scale="root"), replace(plain, scale="log"))
    made = {one.factor_name: one for one in kinds}
    curves = {name: _curve(one, *inputs) for name, one in made.items()}
    chosen, steady, growing = (curves[one.factor_name] for one in kinds)
    cases = _("{queries} queries, {lengths} numbers of keys", queries=QUERIES, lengths=len(LENGTHS))
    rows = _("of {rows:,} rows", rows=QUERIES * len(LENGTHS))
    words = _("{queries} queries", queries=QUERIES)
    found = {
        "dilute.row": Measurement(int(chosen.above.sum()), 0, cases, unit=rows),
        "dilute.most": Measurement(float(chosen.largest[-1]), float(chosen.bound[-1]) * (1 + _slack(config)), words),
    }
    return found, {
        "config": config, "lengths": np.array(LENGTHS), "chosen": chosen, "steady": steady, "growing": growing,
    }  # fmt: skip


def _curve(config: ScalingConfig, queries: Tensor, keys: Tensor) -> Dilution:
    leads, largest = [], []
    for length in LENGTHS:
        module = head(config, D_HEAD, config.factor(D_HEAD, length))
        weights = module.trace_weights(queries[None], keys[None, :length]).weights[0, 0]
        leads.append(_lead(config, queries, keys[:length]))
        largest.append(on_cpu(weights.amax(-1)))
    weight, lead, n = torch.stack(largest), torch.stack(leads).amax(0), torch.tensor(LENGTHS)[:, None]
    bound = (lead.exp() / n).clamp(max=1.0)
    return Dilution(
        name=config.factor_name,
        largest=weight.mean(1).numpy(),
        bound=bound.mean(1).numpy(),
        above=(~(weight <= bound * (1 + _slack(config)))).sum(1).numpy(),  # NaN is above any bound
    )


def _lead(config: ScalingConfig, queries: Tensor, keys: Tensor) -> Tensor:
    """How far the best score of each query is above their mean, without what grows with the number of keys."""
    module = head(config, D_HEAD, _steady(config).factor(D_HEAD))
    query = queries if module.q_norm is None else module.q_norm(queries)
    key = keys if module.k_norm is None else module.k_norm(keys)
    scores = on_cpu(precise_scores(query, key, scale=module.scale))
    return scores.amax(-1) - scores.mean(-1)


def _steady(config: ScalingConfig) -> ScalingConfig:
    """The settings without what grows with the number of keys."""
    return replace(config, scale="root") if config.scale == "log" else config


def _slack(config: ScalingConfig) -> float:
    """By which share rounding may take a largest weight above its bound: n are added up, and one is stored."""
    return tolerance(config.torch_dtype, scale=1, terms=1) + tolerance(
        torch.promote_types(config.torch_dtype, torch.float32), scale=1, terms=MOST + D_HEAD
    )


def _foreseen(config: ScalingConfig) -> float:
    """About how far the best of 4,096 normal scores is above their mean, without what grows with their number.

    Of n normal numbers the largest lies at √(2 ln n) deviations at most, but for chance.
    """
    expected, factor = expected_scores(config, D_HEAD), _steady(config).factor(D_HEAD)
    return factor * (expected.row_std * math.sqrt(2 * math.log(MOST)) + expected.lead)


def _diluted(config: ScalingConfig) -> Theory:
    """Of n scores whose mean is m the exponentials add up to n eᵐ or more (Jensen), so a_max ≤ e^(s_max − m) / n."""
    lead = _foreseen(config)
    if math.exp(min(lead, 700.0)) > _TELLS * MOST:
        far = _(
            "the best of {keys:,} scores is about {lead} above their mean, and e to that says little of its weight",
            keys=MOST, lead=format_number(lead),
        )  # fmt: skip
        return Open(far)
    if config.scale != "log":
        return Holds()
    if lead * (math.log(MOST) - 1) / 2 < math.log(2):
        return Open(_("scores lie so close together that their weights are nearly equal with either factor"))
    return Fails(_("the scores grow with the logarithm of the number of keys"))


TESTS: Final = (
    ClaimTest("dilute.row", "=", _("above e to the lead of the best score, divided by the number of keys, are"),
              _("rows with a_max > eᴰ/n, D = max s − mean s"), theory=_diluted),
    ClaimTest("dilute.most", "≤", _("of {keys:,} keys the largest weight is on average", keys=MOST),
              _("mean a_max of {keys:,} keys", keys=MOST), theory=_diluted, rounds=False),
)  # fmt: skip
