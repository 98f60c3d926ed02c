"""Many training runs together: several seeds, and the map of learning rates and sizes of a head."""

import warnings

import numpy as np

from attention_core.figures.matrix import Axis, BarsPanel, LinesPanel, MatrixPanel, MatrixView, Series
from attention_core.figures.said import undone
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.language import gettext_lazy, sentences
from attention_core.measuring.number_format import format_tick
from attention_core.studies.learning import (
    D_HEADS,
    OPTIMIZERS,
    SCALES,
    SUCCESS,
    MapConfig,
    MapResult,
    SeedsConfig,
    SeedsResult,
    SeedsStep,
)
from attention_core.studies.learning.draw.view import READS

_TITLES = {"root": gettext_lazy("With 1/√d_head"), "none": gettext_lazy("Without the factor")}


def seeds_view(result: SeedsResult) -> MatrixView:
    """Median and range of the runs over the steps, and where each of them ends."""
    said = str(sentences((share_words(result), undone(result, "learn-depth", "learn-tied", "learn-scale"))))
    panels = (
        _runs_panel(
            result.config,
            result.moments,
            result.accuracy,
            Series(name=_("best without order"), values=np.full(len(result.moments), result.blind), dashed=True),
        ),
        BarsPanel(
            title=_("Each run in the end"),
            values=np.array([one.accuracy for one in result.scores]),
            labels=Axis(title=_("seed"), labels=_seeds(result.config)),
            quantity=_("share that is right"),
            limits=(0.0, 1.05),
            note=said,
        ),
    )
    return MatrixView(panels=panels, summary=said)


def seeds_moving_view(config: SeedsConfig, step: SeedsStep) -> MatrixView:
    """Median and range of the runs that have come so far.

    Args:
        config: The settings.
        step: How far they have come.
    """
    return MatrixView(
        panels=(_runs_panel(config, step.moments, step.accuracy),),
        summary=_("They learn: {doing}.", doing=step.doing),
    )


def _runs_panel(config: SeedsConfig, moments: np.ndarray, accuracy: np.ndarray, *others: Series) -> LinesPanel:
    chance = np.full(len(moments), 1 / config.kinds)
    return LinesPanel(
        title=_("Accuracy of all runs"),
        x=moments,
        x_title=_("steps of training"),
        y_title=_("share that is right"),
        limits=(0.0, 1.05),
        series=(
            spread(accuracy, _("median; lowest and highest")),
            *others,
            Series(name=_("chance"), values=chance, dashed=True),
        ),
    )


def spread(accuracy: np.ndarray, name: str) -> Series:
    """Median and range over the runs (runs, points); NaN where no run has come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a point that no run has reached is NaN, and not drawn
        low, middle, high = np.nanquantile(accuracy, (0.0, 0.5, 1.0), axis=0)
    return Series(name=name, values=middle, band=(low, high))


def share_words(result: SeedsResult) -> str:
    """How many runs succeed, with the interval of their share."""
    share = result.share
    reached = _(
        "{reached} of {runs} runs reach {success:.0%}; so the share of all such runs lies between {low:.0%} and "
        "{high:.0%}, with 95 % confidence.",
        reached=share.reached,
        runs=share.runs,
        success=SUCCESS,
        low=share.low,
        high=share.high,
    )
    return str(sentences((reached, READS if result.config.reads_ahead else "")))


def seeds_table(result: SeedsResult) -> Table:
    """One row a run: its seed, its accuracy with standard error, and its curve."""
    columns = ("seed", "accuracy", "standard error", *(f"after step {step:,}" for step in result.moments))
    rows = zip(_seeds(result.config), result.scores, result.accuracy, strict=True)
    return Table(
        columns, tuple((int(seed), one.accuracy, one.error, *map(float, curve)) for seed, one, curve in rows)
    )


def map_view(config: MapConfig, accuracy: np.ndarray) -> MatrixView:
    """Accuracy over learning rates and sizes of a head, with the factor and without it.

    Args:
        config: The settings of the map.
        accuracy: What is there of it so far, NaN elsewhere (scales, rates, d_heads).
    """
    rows = Axis(title=_("learning rate"), labels=tuple(format_tick(rate) for rate in config.rates))
    columns = Axis(title="d_head", labels=tuple(f"{size:,}" for size in D_HEADS))
    panels = tuple(
        MatrixPanel(
            title=str(_TITLES[scale]),
            values=values,
            rows=rows,
            columns=columns,
            quantity=_("accuracy"),
            scale="sequential",
            cells="percent",
            limits=(0.0, 1.0),
        )
        for scale, values in zip(SCALES, accuracy, strict=True)
    )
    learned = [int((values >= SUCCESS).sum()) for values in accuracy]
    return MatrixView(
        panels=panels,
        summary=_(
            "Of {settings} settings {learned} learn with the factor 1/√d_head, {others} without it, within {steps:,} "
            "steps of {optimizer}.",
            settings=accuracy[0].size,
            learned=learned[0],
            others=learned[1],
            steps=config.steps,
            optimizer=OPTIMIZERS[config.optimizer],
        ),
    )


def map_table(result: MapResult) -> Table:
    """One row a cell."""
    columns = ("factor", "learning rate", "d_head", "spread of the scores at the start", "accuracy")
    rows = tuple(
        (
            tuple(SCALES)[scale],
            result.config.rates[row],
            D_HEADS[column],
            float(result.spread[scale, column]),
            float(result.accuracy[scale, row, column]),
        )
        for scale, row, column in np.ndindex(result.accuracy.shape)
    )
    return Table(columns, rows)


def _seeds(config: SeedsConfig) -> tuple[str, ...]:
    return tuple(str(seed) for seed in config.seeds)
