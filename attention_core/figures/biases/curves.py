"""The curves and bars of the bias experiments: residuals by size, what norms leave, means, training."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.biases import (
    NAMES,
    AfterNormConfig,
    AfterNormResult,
    AppendixConfig,
    AppendixResult,
    BiasesConfig,
    KeySweepResult,
    MeanConfig,
    MeanResult,
    ShiftResult,
    TrainingConfig,
    TrainingResult,
    run_after_norm,
    run_appendix,
    run_biases,
    run_mean,
    run_shift,
    steps_size_sweep,
    steps_training,
)
from attention_core.experiments.config import RunConfig
from attention_core.experiments.number_format import format_number
from attention_core.figures.biases.bars import appendix_bars, norm_bars
from attention_core.figures.biases.view import GRADIENTS, ROLE_OF
from attention_core.figures.biases.words import curve_summary
from attention_core.figures.matrix import LinesPanel, MatrixView, Series
from attention_core.figures.plot import Mode, drawn_once, escape
from attention_core.figures.theme import Role

CurveResult = KeySweepResult | ShiftResult | AfterNormResult | MeanResult | TrainingResult | AppendixResult
CURVES: Final = {
    "gradients": GRADIENTS,
    "key-size": "Key bias from 0.001 to 1,000,000",
    "shift": "Softmax of shifted scores",
    "norms": "What a norm leaves",
    "mean": "Mean of Wx + b",
    "training": "Training",
    "appendix": "Published and measured",
}
PRECISION_ROLES: Final[dict[str, Role]] = {
    "float64": "query",
    "float32": "value",
    "bfloat16": "output",
    "float16": "key",
}


def residual_view(result: KeySweepResult, *, at: float | None = None) -> MatrixView:
    """Largest change of a weight against ‖b_K‖ in each precision, with its bound dashed; NaN and 0 are named.

    Args:
        result: The sweep over ‖b_K‖.
        at: Where a line marks the size that is looked at, one of the sweep's; None marks nothing.
    """
    measured = _by_precision(result.dtypes, result.residuals)
    bounds = tuple(
        Series(name=f"{dtype}, bound", values=bound, role=PRECISION_ROLES[dtype], dashed=True, listed=False)
        for dtype, bound in zip(result.dtypes, result.bounds, strict=True)
    )
    return _view(
        result,
        CURVES["key-size"],
        (result.sizes, "‖b_K‖"),
        ((*measured, *bounds), "largest change of a weight (dashed: bound)"),
        marked=None if at is None else result.sizes.index(at),
        note=_left_out(result.dtypes, result.sizes, result.residuals, "‖b_K‖"),
    )


def shift_view(result: ShiftResult, *, naive: bool = False) -> MatrixView:
    """Largest |softmax(x + δ) − softmax(x)| against δ in each precision; NaN and 0 are named.

    Crosses mark where softmax as it is written, without subtracting the largest score first, gives its last number.

    Args:
        result: The shifts.
        naive: Whether softmax is drawn as it is written.
    """
    values = result.naive if naive else result.residuals
    series, said = list(_by_precision(result.dtypes, values)), [_left_out(result.dtypes, result.shifts, values, "δ")]
    if not naive:
        for dtype, row, unsafe in zip(result.dtypes, result.residuals, result.naive, strict=True):
            finite = np.flatnonzero(np.isfinite(unsafe))
            ends = (
                np.where(np.arange(row.size) == finite[-1], row, np.nan) if finite.size else np.full(row.size, np.nan)
            )
            role = PRECISION_ROLES[dtype]
            series.append(Series(name=f"{dtype}, naive ends", values=ends, role=role, crosses=True, listed=False))
        said.append("Crosses: naive softmax ends. " + _left_out(result.dtypes, result.shifts, result.naive, "δ"))
    return _view(
        result,
        CURVES["shift"],
        (result.shifts, "δ"),
        (tuple(series), "largest change of a weight"),
        note=" ".join(said).strip(),
    )


def mean_view(result: MeanResult) -> MatrixView:
    """Root mean square of mean − b_Q against the number of samples, beside its standard error."""
    measured = Series(name="measured", values=result.errors, role="query")
    expected = Series(name="standard error", values=result.expected_errors, dashed=True)
    return _view(result, CURVES["mean"], (result.samples, "samples"), ((measured, expected), "error of the mean"))


def training_view(result: TrainingResult) -> MatrixView:
    """‖b‖ of each bias after each step, for each optimizer; only values above 0 can be drawn on the log axis."""
    series = tuple(
        Series(name=f"{NAMES[role]}, {optimizer}", values=result.norms[i, :, j], role=ROLE_OF[role], dashed=i > 0)
        for i, optimizer in enumerate(result.optimizers)
        for j, role in enumerate(ROLE_OF)
    )
    return _view(result, CURVES["training"], (range(result.norms.shape[1]), "step"), (series, "‖b‖"), log_x=False)


def curve_view(result: CurveResult, *, naive: bool = False, key_size: float | None = None) -> MatrixView | None:
    """The curve of a result for the screen; None for those that are bars.

    Args:
        result: What the curve is drawn from.
        naive: Whether the curve of a shift is that of softmax as it is written.
        key_size: The ‖b_K‖ that is looked at, where one is.
    """
    match result:
        case KeySweepResult():
            return residual_view(result, at=key_size)
        case ShiftResult():
            return shift_view(result, naive=naive)
        case MeanResult():
            return mean_view(result)
        case TrainingResult():
            return training_view(result)
    return None


def source(
    curve: str, config: BiasesConfig, *, batch_norm_eval: bool = False, input_mean: float = 0.0
) -> tuple[Callable[[Any], Any], RunConfig]:
    """What measures a curve, and its config: the same module and tokens as in ``config``.

    The training is in float32, where rounding is large enough for Adam to see it, and the appendix has its own seed.

    Args:
        curve: One of ``CURVES``.
        config: The module and its tokens.
        batch_norm_eval: As in ``AfterNormConfig``.
        input_mean: As in ``MeanConfig``.
    """
    run: dict[str, Any] = {"device": config.device, "seed": config.seed}
    same: dict[str, Any] = run | {"dtype": config.dtype}
    match curve:
        case "key-size":
            return steps_size_sweep, config.key_sweep()
        case "shift":
            return run_shift, config.without_size()
        case "norms":
            same |= {"tokens": config.tokens, "size": config.size, "direction": config.direction}
            return run_after_norm, AfterNormConfig(**same, batch_norm_eval=batch_norm_eval)
        case "mean":
            return run_mean, MeanConfig(**same, input_mean=input_mean)
        case "training":
            return steps_training, TrainingConfig(**run, dtype="float32")
        case "appendix":
            return run_appendix, AppendixConfig(device=config.device)
        case _:
            return run_biases, config


@drawn_once
def bars_figure(result: AfterNormResult | AppendixResult, *, mode: Mode = "light") -> go.Figure:
    """The bars of a result under their title."""
    if isinstance(result, AfterNormResult):
        name, figure = CURVES["norms"], norm_bars(result, mode=mode)
    else:
        name, figure = CURVES["appendix"], appendix_bars(result, mode=mode)
    title = {"text": escape(name), "y": 0.98, "yref": "container", "yanchor": "top"}
    return figure.update_layout(title=title, margin={"t": 84})


def _view(
    result: CurveResult, title: str, x: tuple[Sequence[float], str], y: tuple[tuple[Series, ...], str], *,
    log_x: bool = True, marked: int | None = None, note: str = "",
) -> MatrixView:  # fmt: skip
    panel = LinesPanel(
        title=title,
        x=np.array(x[0]),
        x_title=x[1],
        series=y[0],
        y_title=y[1],
        log_x=log_x,
        log_y=True,
        marked=marked,
        note=note,
    )
    return MatrixView(panels=(panel,), summary=curve_summary(result))


def _by_precision(dtypes: Sequence[str], values: np.ndarray) -> tuple[Series, ...]:
    return tuple(
        Series(name=dtype, values=row, role=PRECISION_ROLES[dtype]) for dtype, row in zip(dtypes, values, strict=True)
    )


def _left_out(dtypes: Sequence[str], x: Sequence[float], values: np.ndarray, name: str) -> str:
    """A sentence naming what a log axis cannot show."""
    said = []
    for dtype, row in zip(dtypes, values, strict=True):
        broken = np.flatnonzero(np.isnan(row))
        if broken.size:
            said.append(f"{dtype} is NaN from {name} = {format_number(x[int(broken[0])])}")
        if (row == 0).any():
            said.append(f"{dtype} is exactly 0 at {int((row == 0).sum())} of {row.size} sizes")
    return "; ".join(said) + "." if said else ""
