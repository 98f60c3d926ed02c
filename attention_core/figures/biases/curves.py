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
from attention_core.experiments.verdict import format_number
from attention_core.figures.biases.bars import appendix_bars, norm_bars, say
from attention_core.figures.biases.view import GRADIENTS, ROLE_OF
from attention_core.figures.plot import NUMBER, Mode, axis, base_figure, drawn_once, escape
from attention_core.figures.theme import INK, MUTED, ROLE_COLOURS, Role

CurveResult = KeySweepResult | ShiftResult | AfterNormResult | MeanResult | TrainingResult | AppendixResult
RESIDUAL: Final = "Key bias from 1e-3 to 1e6"
SHIFT: Final = "Softmax of shifted scores"
NORMS: Final = "What a norm leaves"
MEAN: Final = "Mean of Wx + b"
TRAINING: Final = "Training"
APPENDIX: Final = "Published and measured"
TITLES: Final = (GRADIENTS, RESIDUAL, SHIFT, NORMS, MEAN, TRAINING, APPENDIX)
PRECISION_ROLES: Final[dict[str, Role]] = {
    "float64": "query",
    "float32": "value",
    "bfloat16": "output",
    "float16": "key",
}


def residual_curve(result: KeySweepResult, *, at: float | None = None, mode: Mode = "light") -> go.Figure:
    """Largest change of a weight against ‖b_K‖ in each precision, with its bound dotted; NaN and 0 are named.

    Args:
        result: The sweep over ‖b_K‖.
        at: Where a line marks the size that is looked at; None marks nothing.
        mode: Light or dark.
    """
    figure = base_figure(mode=mode)
    for i, dtype in enumerate(result.dtypes):
        _residuals(figure, result.sizes, result.residuals[i], dtype, mode)
        _residuals(figure, result.sizes, result.bounds[i], dtype, mode, bound=True)
    _log_axes(figure, "‖b_K‖", "largest change of a weight (dotted: bound)", mode)
    if at is not None:
        figure.add_vline(x=at, line={"color": MUTED[mode], "width": 1.5, "dash": "dot"})
    return say(figure, _left_out(result.dtypes, result.sizes, result.residuals, "‖b_K‖"))


def shift_curve(result: ShiftResult, *, naive: bool = False, mode: Mode = "light") -> go.Figure:
    """Largest |softmax(x + δ) − softmax(x)| against δ in each precision; NaN and 0 are named.

    Crosses mark where softmax as it is written, without subtracting the largest score first, gives its last number.

    Args:
        result: The shifts.
        naive: Whether softmax is drawn as it is written.
        mode: Light or dark.
    """
    figure = base_figure(mode=mode)
    values = result.naive if naive else result.residuals
    for i, dtype in enumerate(result.dtypes):
        _residuals(figure, result.shifts, values[i], dtype, mode)
    said = [_left_out(result.dtypes, result.shifts, values, "δ")]
    if not naive:
        lasts = [int(np.flatnonzero(np.isfinite(row))[-1]) for row in result.naive if np.isfinite(row).any()]
        figure.add_scatter(
            x=np.array([result.shifts[last] for last in lasts]),
            y=np.array([row[last] for row, last in zip(result.residuals, lasts, strict=False)]),
            name="naive softmax ends",
            mode="markers",
            marker={"symbol": "x", "size": 11, "color": INK[mode]},
            hovertemplate="naive softmax is NaN beyond %{x}<extra></extra>",
        )
        said.append("Naive softmax: " + _left_out(result.dtypes, result.shifts, result.naive, "δ"))
    _log_axes(figure, "δ", "largest change of a weight", mode)
    return say(figure, " ".join(said).strip())


def mean_curve(result: MeanResult, *, mode: Mode = "light") -> go.Figure:
    """Root mean square of mean − b_Q against the number of samples, beside its standard error."""
    figure = base_figure(mode=mode)
    for name, values, dash, colour in (
        ("measured", result.errors, "solid", ROLE_COLOURS[mode]["query"]),
        ("standard error", result.expected_errors, "dot", MUTED[mode]),
    ):
        figure.add_scatter(
            x=np.array(result.samples),
            y=values,
            name=name,
            mode="lines+markers" if dash == "solid" else "lines",
            line={"dash": dash, "color": colour},
            hovertemplate=f"%{{x:,}} samples · %{{y:{NUMBER}}}<extra></extra>",
        )
    _log_axes(figure, "samples", "error of the mean", mode, decades=1)
    return figure


def training_curve(result: TrainingResult, *, mode: Mode = "light") -> go.Figure:
    """‖b‖ of each bias after each step, for each optimizer; only values above 0 can be drawn on the log axis."""
    figure = base_figure(mode=mode)
    for i, optimizer in enumerate(result.optimizers):
        for j, role in enumerate(ROLE_OF):
            values = result.norms[i, :, j]
            figure.add_scatter(
                x=np.arange(values.size),
                y=np.where(values > 0, values, np.nan),
                name=f"{NAMES[role]}, {optimizer}",
                mode="lines",
                line={"color": ROLE_COLOURS[mode][ROLE_OF[role]], "dash": "solid" if i == 0 else "dash"},
                hovertemplate=f"step %{{x}} · %{{y:{NUMBER}}}<extra></extra>",
            )
    figure.update_layout(xaxis=axis("step", mode=mode), yaxis=axis("‖b‖", log=True, mode=mode) | {"dtick": 2})
    return figure


def source(
    name: str, config: BiasesConfig, *, batch_norm_eval: bool = False, input_mean: float = 0.0
) -> tuple[Callable[[Any], Any], RunConfig]:
    """What measures the curve of a name, and its config: the same module and tokens as in ``config``.

    The training is in float32, where rounding is large enough for Adam to see it, and the appendix has its own seed.

    Args:
        name: One of ``TITLES``.
        config: The module and its tokens.
        batch_norm_eval: As in ``AfterNormConfig``.
        input_mean: As in ``MeanConfig``.
    """
    run: dict[str, Any] = {"device": config.device, "seed": config.seed}
    same: dict[str, Any] = run | {"dtype": config.dtype}
    if name == RESIDUAL:
        return steps_size_sweep, config.key_sweep()
    if name == SHIFT:
        return run_shift, config.setting()
    if name == NORMS:
        same |= {"tokens": config.tokens, "size": config.size, "direction": config.direction}
        return run_after_norm, AfterNormConfig(**same, batch_norm_eval=batch_norm_eval)
    if name == MEAN:
        return run_mean, MeanConfig(**same, input_mean=input_mean)
    if name == TRAINING:
        return steps_training, TrainingConfig(**run, dtype="float32")
    if name == APPENDIX:
        return run_appendix, AppendixConfig(device=config.device)
    return run_biases, config


@drawn_once
def biases_figure(
    result: CurveResult, *, naive: bool = False, key_size: float | None = None, mode: Mode = "light"
) -> go.Figure:
    """The curve of a result, whichever it is, under its title.

    Args:
        result: What the curve is drawn from.
        naive: Whether the curve of a shift is that of softmax as it is written.
        key_size: The ‖b_K‖ that is looked at, where one is.
        mode: Light or dark.
    """
    match result:
        case KeySweepResult():
            name, figure = RESIDUAL, residual_curve(result, at=key_size, mode=mode)
        case ShiftResult():
            name, figure = SHIFT, shift_curve(result, naive=naive, mode=mode)
        case AfterNormResult():
            name, figure = NORMS, norm_bars(result, mode=mode)
        case MeanResult():
            name, figure = MEAN, mean_curve(result, mode=mode)
        case TrainingResult():
            name, figure = TRAINING, training_curve(result, mode=mode)
        case AppendixResult():
            name, figure = APPENDIX, appendix_bars(result, mode=mode)
    title = {"text": escape(name), "y": 0.98, "yref": "container", "yanchor": "top"}
    return figure.update_layout(title=title, margin={"t": 48 if figure.layout.showlegend is False else 84})


def _residuals(
    figure: go.Figure, x: Sequence[float], values: np.ndarray, dtype: str, mode: Mode, *, bound: bool = False
) -> None:
    figure.add_scatter(
        x=np.array(x),
        y=np.where(values > 0, values, np.nan),
        name=f"{dtype}, bound" if bound else dtype,
        legendgroup=dtype,
        showlegend=not bound,
        mode="lines" if bound else "lines+markers",
        line={"color": ROLE_COLOURS[mode][PRECISION_ROLES[dtype]], "dash": "dot" if bound else "solid"},
        hovertemplate=f"{dtype} · %{{x:{NUMBER}}} → %{{y:{NUMBER}}}<extra></extra>",
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


def _log_axes(figure: go.Figure, x: str, y: str, mode: Mode, *, decades: int = 3) -> None:
    figure.update_layout(
        xaxis=axis(x, log=True, mode=mode),
        yaxis=axis(y, log=True, mode=mode) | {"dtick": decades},
    )
