"""Where exact cancellation ends: the residual of the key bias and of softmax's shift, by size and precision."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch

from attention_core.device import DTYPES, supported_dtypes
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import shift_tolerance, weight_tolerance
from attention_core.measuring.judge import Measurement, judge_all, largest
from attention_core.measuring.number_format import format_number
from attention_core.measuring.step import Step
from attention_core.measuring.theory import Fails, Open
from attention_core.measuring.verdict import Result, Verdict
from attention_core.modules.dot_product import softmax_over_keys
from attention_core.studies.biases.measure import TESTS, naive_softmax
from attention_core.studies.biases.module import BiasedAttention
from attention_core.studies.biases.settings import KEY_SIZES, BiasModuleConfig

MARGIN = 1.1  # rounding moves a number by far less than a tenth of itself


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySweepResult(Result):
    """What a key bias of growing size does to the weights, in every precision the device has.

    Attributes:
        tokens: The sentence.
        dtypes: The precisions, most precise first.
        sizes: ‖b_K‖ at each step (steps,).
        weights: Weights with the key bias (dtypes, steps, heads, tokens, keys); NaN where a key overflows.
        plain: Weights without it (dtypes, heads, tokens, keys).
        residuals: Largest absolute change of a weight (dtypes, steps); NaN where a weight is NaN.
        bounds: What rounding alone explains of it (dtypes, steps).
        nan_shares: Share of weights that are NaN (dtypes, steps).
        judged: ``bias-k`` in each precision at each size (dtypes, steps).
    """

    tokens: tuple[str, ...]
    dtypes: tuple[str, ...]
    sizes: tuple[float, ...]
    weights: np.ndarray
    plain: np.ndarray
    residuals: np.ndarray
    bounds: np.ndarray
    nan_shares: np.ndarray
    judged: tuple[tuple[Verdict, ...], ...]

    def at(self, size: float) -> tuple[Verdict, ...]:
        """``bias-k`` in each precision at one of ``sizes``: where a slider stands."""
        step = self.sizes.index(size)
        return tuple(row[step] for row in self.judged)

    def first_nan(self, dtype: str) -> float | None:
        """The smallest size at which a weight is NaN; None where there is none."""
        found = np.flatnonzero(self.nan_shares[self.dtypes.index(dtype)] > 0)
        return self.sizes[found[0]] if found.size else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftResult(Result):
    """softmax(x + δ) beside softmax(x) for scores x of the module, in every precision the device has.

    Attributes:
        dtypes: The precisions, most precise first.
        shifts: δ at each step (steps,).
        residuals: Largest absolute change of a weight (dtypes, steps); NaN where a weight is NaN.
        naive: The same of exp(x) / Σ exp(x) as it is written.
        bounds: What rounding alone explains (dtypes, steps).
    """

    dtypes: tuple[str, ...]
    shifts: tuple[float, ...]
    residuals: np.ndarray
    naive: np.ndarray
    bounds: np.ndarray


def steps_size_sweep(setting: BiasModuleConfig) -> Iterator[Step | KeySweepResult]:
    """Compare the weights with and without b_K while ‖b_K‖ grows from 1e-3 to 1e6, precision by precision.

    Args:
        setting: A setting as ``BiasModuleConfig.key_sweep`` makes it: its precision plays no part.
    """
    dtypes = supported_dtypes(setting.torch_device)
    exact = _exactly(setting)
    rows: dict[str, list[torch.Tensor]] = {}
    judged = []
    for done, name in enumerate(dtypes):
        yield Step(done, len(dtypes), name)
        with torch.inference_mode():
            attention = BiasedAttention(setting, DTYPES[name])
            plain = attention.trace(attention.at(1.0, without=("k",)))
            traces = [(module, attention.trace(module)) for module in map(attention.at, KEY_SIZES)]
            weights, bare = on_cpu(torch.cat([trace.weights for _, trace in traces])), on_cpu(plain.weights[0])
            row = {
                "weights": weights,
                "plain": bare,
                "residuals": (weights - bare).abs().amax((1, 2, 3)),
                "bounds": _numbers(weight_tolerance(module, trace, plain) for module, trace in traces),
                "nan_shares": weights.isnan().double().mean((1, 2, 3)),
            }
        for kind, values in row.items():
            rows.setdefault(kind, []).append(values)
        measured = zip(row["residuals"].tolist(), row["bounds"].tolist(), strict=True)
        each, here = zip(KEY_SIZES, measured, exact, strict=True), replace(setting, dtype=name)
        judged.append(tuple(_verdict(here, size, *found, *known) for size, found, known in each))
    yield KeySweepResult.of(
        setting, tuple(row[-1] for row in judged), tokens=setting.tokens, dtypes=dtypes, sizes=KEY_SIZES,
        judged=tuple(judged), **{kind: torch.stack(values) for kind, values in rows.items()},
    )  # fmt: skip


def run_shift(setting: BiasModuleConfig) -> ShiftResult:
    """Shift all scores of the module by δ from 1e-3 to 1e6, with softmax as it is computed and as it is written."""
    dtypes = supported_dtypes(setting.torch_device)
    rows: dict[str, list[torch.Tensor]] = {"residuals": [], "naive": [], "bounds": []}
    shifts = _numbers(KEY_SIZES)[:, None, None, None]
    with torch.inference_mode():
        for name in dtypes:
            attention = BiasedAttention(setting, DTYPES[name])
            scores = attention.trace(attention.at(0.0)).scores
            shifted = scores + shifts.to(scores)
            for key, softmax in (("residuals", softmax_over_keys), ("naive", naive_softmax)):
                rows[key].append((on_cpu(softmax(shifted)) - on_cpu(softmax(scores))).abs().amax((1, 2, 3)))
            rows["bounds"].append(_numbers(shift_tolerance(scores, shift) for shift in KEY_SIZES))
    drawn = {kind: torch.stack(values) for kind, values in rows.items()}
    return ShiftResult.of(setting, dtypes=dtypes, shifts=KEY_SIZES, **drawn)


def _numbers(values: Iterable[float]) -> torch.Tensor:
    return torch.tensor(list(values), dtype=torch.float64)


def _exactly(setting: BiasModuleConfig) -> list[tuple[Measurement, float]]:
    """In float64, at each size: the residual with its bound, and a key's largest component."""
    attention = BiasedAttention(replace(setting, dtype="float64", device="cpu"))
    bare = BiasedAttention(replace(attention.setting, qk_norm=False))
    with torch.inference_mode():
        plain = attention.trace(attention.at(1.0, without=("k",)))
        found = []
        for size in KEY_SIZES:
            module = attention.at(size)
            trace = attention.trace(module)
            keys = bare.trace(bare.at(size)).k
            residual, bound = largest(trace.weights - plain.weights), weight_tolerance(module, trace, plain)
            found.append((Measurement(residual, bound, "", size=1.0), largest(keys)))
    return found


def _verdict(
    setting: BiasModuleConfig, size: float, measured: float, bound: float, exact: Measurement, largest_key: float
) -> Verdict:  # fmt: skip
    """``bias-k`` in one precision at one size, with what float64 says of overflow and of what breaks it."""
    limit = torch.finfo(setting.torch_dtype).max
    ends = {"dtype": setting.dtype, "limit": format_number(limit)}
    over, near = largest_key > limit * MARGIN, limit / MARGIN < largest_key <= limit * MARGIN
    theory = TESTS["bias-k.weights"].theory(setting)
    if over:
        theory = Fails(_("{dtype} ends at {limit}, and the largest key does not", **ends))
    if near:
        theory = Open(_("{dtype} ends at {limit}, and the largest key comes close to it", **ends))
    test = replace(TESTS["bias-k.weights"], key=f"bias-k.{setting.dtype}", theory=lambda _: theory)
    cases = f"‖b_K‖ = {format_number(size)}"
    if over:  # an infinite score makes a weight NaN, or moves it, and by no more than 1
        exact = exact._replace(measured=math.inf if math.isnan(measured) else 1.0)
    found = Measurement(measured, bound, cases, size=1.0, exact=exact)
    return judge_all(setting, (test,), {test.key: found})[0]
