"""Where exact cancellation ends: the residual of the key bias and of softmax's shift, by size and precision."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch

from attention_core.device import DTYPES, supported_dtypes
from attention_core.experiments.biases.bounds import weight_bound
from attention_core.experiments.biases.claims import naive_softmax, shift_bound
from attention_core.experiments.biases.config import KEY_SIZES, BiasesConfig, BiasesSetting, breaks
from attention_core.experiments.biases.module import BiasedAttention
from attention_core.experiments.biases.result import double, frozen_array, largest
from attention_core.experiments.verdict import Provenance, Step, Verdict, format_number
from attention_core.modules.dot_product import softmax_over_keys

UNDECIDED: Final = 0.2  # Weights lie between 0 and 1: above this bound, rounding explains most of what can happen.
QUANTITY: Final = "max |weights − weights without b_K|"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySweepResult:
    """What a key bias of growing size does to the weights, in every precision the device has.

    Attributes:
        tokens: The sentence.
        dtypes: The precisions, most precise first.
        sizes: ‖b_K‖ at each step (steps,).
        weights: Weights with the key bias, float32 (dtypes, steps, heads, tokens, keys); NaN where it overflows.
        plain: Weights without it, float32 (dtypes, heads, tokens, keys).
        residuals: Largest absolute change of a weight, float64 (dtypes, steps); NaN where a weight is NaN.
        bounds: What rounding alone explains of it, float64 (dtypes, steps).
        nan_shares: Share of weights that are NaN, float64 (dtypes, steps).
        because: What brings the key bias back in this module, in words; empty where nothing does.
        verdicts: ``bias-k`` for each precision at the largest size.
        provenance: Where the numbers come from.
    """

    tokens: tuple[str, ...]
    dtypes: tuple[str, ...]
    sizes: tuple[float, ...]
    weights: np.ndarray
    plain: np.ndarray
    residuals: np.ndarray
    bounds: np.ndarray
    nan_shares: np.ndarray
    because: str
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    def verdict(self, dtype: str, size: float) -> Verdict:
        """``bias-k`` in one precision at one of ``sizes``: where a slider stands.

        Raises:
            ValueError: If the precision or the size is not in the sweep.
        """
        return _verdict(self, self.dtypes.index(dtype), self.sizes.index(size))

    def first_nan(self, dtype: str) -> float | None:
        """The smallest size at which a weight is NaN; None where there is none."""
        found = np.flatnonzero(self.nan_shares[self.dtypes.index(dtype)] > 0)
        return self.sizes[found[0]] if found.size else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftResult:
    """softmax(x + δ) beside softmax(x) for scores x of the module, in every precision the device has.

    Attributes:
        dtypes: The precisions, most precise first.
        shifts: δ at each step (steps,).
        residuals: Largest absolute change of a weight, float64 (dtypes, steps); NaN where a weight is NaN.
        naive: The same of exp(x) / Σ exp(x) as it is written.
        bounds: What rounding alone explains, float64 (dtypes, steps).
        verdicts: None of its own; ``softmax-shift`` is among those of ``run_biases``.
        provenance: Where the numbers come from.
    """

    dtypes: tuple[str, ...]
    shifts: tuple[float, ...]
    residuals: np.ndarray
    naive: np.ndarray
    bounds: np.ndarray
    verdicts: tuple[Verdict, ...] = ()
    provenance: Provenance


def steps_size_sweep(setting: BiasesSetting) -> Iterator[Step | KeySweepResult]:
    """Compare the weights with and without b_K while ‖b_K‖ grows from 1e-3 to 1e6, precision by precision.

    Args:
        setting: A setting as ``BiasesSetting.key_sweep`` makes it: its precision plays no part.
    """
    dtypes = supported_dtypes(setting.torch_device)
    found: dict[str, list[torch.Tensor]] = {"weights": [], "plain": []}
    numbers: dict[str, list[list[float]]] = {"residuals": [], "bounds": [], "nan_shares": []}
    for done, name in enumerate(dtypes):
        yield Step(done, len(dtypes), name)
        with torch.inference_mode():
            attention = BiasedAttention(setting, DTYPES[name])
            plain = attention.trace(attention.at(1.0, without=("k",)))
            row: dict[str, list[float]] = {key: [] for key in numbers}
            steps = []
            for size in KEY_SIZES:
                module = attention.at(size)
                trace = attention.trace(module)
                steps.append(double(trace.weights[0]))
                row["residuals"].append(largest(double(trace.weights) - double(plain.weights)))
                row["bounds"].append(weight_bound(module, trace, plain))
                row["nan_shares"].append(float(steps[-1].isnan().double().mean()))
        found["weights"].append(torch.stack(steps))
        found["plain"].append(double(plain.weights[0]))
        for key, values in row.items():
            numbers[key].append(values)
    yield _key_sweep(setting, dtypes, found, numbers)


def run_size_sweep(setting: BiasesSetting) -> KeySweepResult:
    """The result of :func:`steps_size_sweep`."""
    *_, result = steps_size_sweep(setting)
    assert isinstance(result, KeySweepResult)
    return result


def run_shift(setting: BiasesSetting) -> ShiftResult:
    """Shift all scores of the module by δ from 1e-3 to 1e6, with softmax as it is computed and as it is written.

    Args:
        setting: The module and its tokens; its biases are left out.
    """
    dtypes = supported_dtypes(setting.torch_device)
    rows: dict[str, list[list[float]]] = {"residuals": [], "naive": [], "bounds": []}
    with torch.inference_mode():
        for name in dtypes:
            attention = BiasedAttention(setting, DTYPES[name])
            scores = attention.trace(attention.at(0.0)).scores
            for key, softmax in (("residuals", softmax_over_keys), ("naive", naive_softmax)):
                before = double(softmax(scores))
                rows[key].append([largest(double(softmax(scores + shift)) - before) for shift in KEY_SIZES])
            rows["bounds"].append([shift_bound(scores, shift) for shift in KEY_SIZES])
    return ShiftResult(
        dtypes=dtypes,
        shifts=KEY_SIZES,
        residuals=_numbers(rows["residuals"]),
        naive=_numbers(rows["naive"]),
        bounds=_numbers(rows["bounds"]),
        provenance=Provenance.of(setting),
    )


def _key_sweep(
    setting: BiasesSetting,
    dtypes: tuple[str, ...],
    found: dict[str, list[torch.Tensor]],
    numbers: dict[str, list[list[float]]],
) -> KeySweepResult:
    config = BiasesConfig(**{name: getattr(setting, name) for name in BiasesSetting.__dataclass_fields__})
    drawn = {key: frozen_array(torch.stack(values)) for key, values in found.items()}
    counted = {
        key: frozen_array(torch.tensor(rows, dtype=torch.float64), np.float64) for key, rows in numbers.items()
    }
    bare = KeySweepResult(
        tokens=setting.tokens,
        dtypes=dtypes,
        sizes=KEY_SIZES,
        weights=drawn["weights"],
        plain=drawn["plain"],
        residuals=counted["residuals"],
        bounds=counted["bounds"],
        nan_shares=counted["nan_shares"],
        because=breaks(config, "weights"),
        verdicts=(),
        provenance=Provenance.of(setting),
    )
    last = len(KEY_SIZES) - 1
    return replace(bare, verdicts=tuple(_verdict(bare, row, last) for row in range(len(dtypes))))


def _numbers(rows: list[list[float]]) -> np.ndarray:
    return frozen_array(torch.tensor(rows, dtype=torch.float64), np.float64)


def _verdict(result: KeySweepResult, row: int, step: int) -> Verdict:
    dtype, size = result.dtypes[row], result.sizes[step]
    measured, bound = float(result.residuals[row, step]), float(result.bounds[row, step])
    because, expected = result.because, not result.because
    if result.nan_shares[row, step] > 0:
        limit = format_number(torch.finfo(DTYPES[dtype]).max)
        because, expected = f"{dtype} ends at {limit}, and the scores do not", False
    elif because and bound >= UNDECIDED:
        because, expected = (
            f"scores of this size are too coarse in {dtype} to tell rounding from an effect",
            measured <= bound,
        )
    return Verdict(
        claim="bias-k",
        quantity=QUANTITY,
        measured=measured,
        relation="≤",
        bound=bound,
        expected=expected,
        cases=f"‖b_K‖ = {format_number(size)}",
        dtype=dtype,
        device=result.provenance.device,
        because=because,
    )
