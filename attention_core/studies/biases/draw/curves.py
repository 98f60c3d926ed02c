"""The curves and bars of the bias experiments: residuals by size, what norms leave, means, training."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixView, Series
from attention_core.figures.theme import PRECISION_TONES, Tone
from attention_core.language import COMMA, SEMICOLON, gettext_lazy, joined, listed, sentences
from attention_core.language import gettext as _
from attention_core.measuring.config import RunConfig
from attention_core.measuring.number_format import format_number
from attention_core.studies.biases import (
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
from attention_core.studies.biases.draw.view import GRADIENTS, ROLE_OF
from attention_core.studies.biases.draw.words import curve_summary, shift_summary

CurveResult = KeySweepResult | ShiftResult | AfterNormResult | MeanResult | TrainingResult | AppendixResult
CURVES: Final = {
    "gradients": GRADIENTS,
    "key-size": gettext_lazy("Key bias from 0.001 to 1,000,000"),
    "shift": gettext_lazy("Softmax of shifted scores"),
    "norms": gettext_lazy("What a norm leaves"),
    "mean": gettext_lazy("Mean of Wx + b"),
    "training": gettext_lazy("Training"),
    "appendix": gettext_lazy("Published appendix"),
}
_APART: Final = 1.2  # times as large: about as far apart, on an axis of many decades, as a line is wide


def residual_view(result: KeySweepResult, *, at: float | None = None) -> MatrixView:
    """Largest change of a weight against ‖b_K‖ in each precision, with its bound dashed; NaN and 0 are named.

    Args:
        result: The sweep over ‖b_K‖.
        at: Where a line marks the size that is looked at, one of the sweep's; None marks nothing.
    """
    measured = _by_precision(result.dtypes, result.residuals)
    bounds = tuple(
        Series(
            name=_("{dtype}, bound", dtype=dtype),
            values=bound,
            role=PRECISION_TONES[dtype],
            dashed=True,
            listed=False,
        )
        for dtype, bound in zip(result.dtypes, result.bounds, strict=True)
    )
    return _view(
        result,
        CURVES["key-size"],
        (result.sizes, "‖b_K‖"),
        ((*measured, *bounds), _("largest change of a weight (dashed: bound)")),
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
            role = PRECISION_TONES[dtype]
            name = _("{dtype}, naive ends", dtype=dtype)
            series.append(Series(name=name, values=ends, role=role, crosses=True, listed=False))
        said += [
            _("Crosses: naive softmax ends."),
            _left_out(result.dtypes, result.shifts, result.naive, "δ"),
        ]
    return _view(
        result,
        CURVES["shift"],
        (result.shifts, "δ"),
        (tuple(series), _("largest change of a weight")),
        note=str(sentences(said)),
        summary=shift_summary(result, naive=naive),
    )


def mean_view(result: MeanResult) -> MatrixView:
    """Root mean square of mean − b_Q against the number of samples, beside its standard error."""
    measured = Series(name=_("measured"), values=result.errors)
    expected = Series(name=_("standard error"), values=result.expected_errors, dashed=True)
    return _view(
        result, CURVES["mean"], (result.samples, _("samples")), ((measured, expected), _("error of the mean"))
    )


def training_view(result: TrainingResult) -> MatrixView:
    """‖b‖ of each bias after each step, for each optimizer; only values above 0 can be drawn on the log axis."""
    series = tuple(
        Series(name=f"{NAMES[role]} ({optimizer})", values=result.norms[i, :, j], role=ROLE_OF[role], dashed=i > 0)
        for i, optimizer in enumerate(result.optimizers)
        for j, role in enumerate(ROLE_OF)
    )
    steps = range(result.norms.shape[1])
    return _view(result, CURVES["training"], (steps, _("step")), (series, "‖b‖"), log_x=False, note=_close(series))


def _close(series: Sequence[Series]) -> str:
    """A sentence naming the curves that end so near each other that on a log axis they cannot be told apart."""
    ordered = sorted((one for one in series if one.values[-1] > 0), key=lambda one: float(one.values[-1]))
    groups = [ordered[:1]]
    for below, one in pairwise(ordered):
        if one.values[-1] < _APART * below.values[-1]:
            groups[-1].append(one)
        else:
            groups.append([one])
    said = [listed(one.name for one in group) for group in groups if len(group) > 1]
    return _("Nearly one line: {curves}.", curves=joined(SEMICOLON, said)) if said else ""


def norms_view(result: AfterNormResult) -> MatrixView:
    """What of b_O's mean part and of its rest survives each norm, on a log axis; exact zeros are named."""
    names = tuple(one.norm if one.norm != "none" else _("no norm") for one in result.survivals)
    parts: tuple[tuple[str, str, Tone | None], ...] = (
        (_("mean part of b_O"), "mean_part", None),
        (_("the rest of b_O"), "rest", "ink"),
    )
    return _bars(
        result,
        CURVES["norms"],
        Axis(title=_("kind of norm"), labels=names),
        tuple((part, np.array([getattr(one, of) for one in result.survivals]), role) for part, of, role in parts),
        _("largest change of the output"),
        bounds=np.array([one.bound for one in result.survivals]),
        note=_("{sentence}.", sentence=result.refusal) if result.refusal else "",
    )


def appendix_view(result: AppendixResult) -> MatrixView:
    """The published numbers beside ours in float32 and in float64, on a log axis; exact zeros are named."""
    parts: tuple[tuple[str, str, Tone | None], ...] = (
        (_("its numbers"), "published", "muted"),
        (_("float32 here"), "float32", PRECISION_TONES["float32"]),
        (_("float64 here"), "float64", PRECISION_TONES["float64"]),
    )
    return _bars(
        result,
        CURVES["appendix"],
        Axis(title=_("quantity"), labels=(_("output"), _("its variance"), _("weights"))),
        tuple((part, np.array([getattr(row, of) for row in result.rows]), role) for part, of, role in parts),
        _("mean |with − without b_K|"),
    )


def curve_view(result: CurveResult, *, naive: bool = False, key_size: float | None = None) -> MatrixView:
    """The curve or the bars of a result.

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
        case AfterNormResult():
            return norms_view(result)
        case AppendixResult():
            return appendix_view(result)


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


def _view(
    result: CurveResult, title: str, x: tuple[Sequence[float], str], y: tuple[tuple[Series, ...], str], *,
    log_x: bool = True, marked: int | None = None, note: str = "", summary: str = "",
) -> MatrixView:  # fmt: skip
    panel = LinesPanel(
        title=str(title),
        x=np.array(x[0]),
        x_title=x[1],
        series=y[0],
        y_title=y[1],
        log_x=log_x,
        log_y=True,
        marked=marked,
        note=note,
    )
    return MatrixView(panels=(panel,), summary=summary or curve_summary(result))


def _bars(
    result: CurveResult, title: str, labels: Axis, parts: tuple[tuple[str, np.ndarray, Tone | None], ...],
    quantity: str, *, bounds: np.ndarray | None = None, note: str = "",
) -> MatrixView:  # fmt: skip
    """Bars of each part on one log axis, beside what rounding explains."""
    drawn = np.concatenate([*(values for _, values, _ in parts), *([] if bounds is None else [bounds])])
    low, high = (float(end) for end in (drawn[drawn > 0].min(), drawn[drawn > 0].max()))
    panels = []
    for name, values, role in parts:
        zero = [label for label, value in zip(labels.labels, values, strict=True) if value == 0]
        said = [_("Exactly 0: {names}.", names=joined(COMMA, zero))] if zero else []
        panels.append(
            BarsPanel(
                title=_("{title}: {part}", title=title, part=name),
                values=values,
                labels=labels,
                quantity=quantity,
                log_y=True,
                limits=(low / 3, high * 3),
                overlay=None if bounds is None else (np.arange(len(bounds)), bounds),
                overlay_name="" if bounds is None else _("rounding explains up to"),
                role=role,
                note=str(sentences([*said, note])),
            )
        )
    return MatrixView(panels=tuple(panels), summary=curve_summary(result))


def _by_precision(dtypes: Sequence[str], values: np.ndarray) -> tuple[Series, ...]:
    return tuple(
        Series(name=dtype, values=row, role=PRECISION_TONES[dtype]) for dtype, row in zip(dtypes, values, strict=True)
    )


def _left_out(dtypes: Sequence[str], x: Sequence[float], values: np.ndarray, name: str) -> str:
    """A sentence naming what a log axis cannot show."""
    said = []
    for dtype, row in zip(dtypes, values, strict=True):
        broken = np.flatnonzero(np.isnan(row))
        if broken.size:
            size = format_number(x[int(broken[0])])
            said.append(_("{dtype} is NaN from {name} = {size}", dtype=dtype, name=name, size=size))
        if (row == 0).any():
            zeros = int((row == 0).sum())
            said.append(_("{dtype} is exactly 0 at {zeros} of {all} sizes", dtype=dtype, zeros=zeros, all=row.size))
    return _("{sentence}.", sentence=joined(SEMICOLON, said)) if said else ""
