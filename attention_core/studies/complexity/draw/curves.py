"""The times that were measured, as curves."""

import numpy as np
import plotly.graph_objects as go

from attention_core.figures.plot import NUMBER, Mode, axis, base_figure, drawn_once, escape
from attention_core.figures.theme import MUTED, SCALES, colour_of
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.complexity import TimeCurves, Times, TimeShares
from attention_core.studies.complexity.draw.view import NAMES, SHORT, SIZE, TONES_OF


@drawn_once
def times_curves(times: Times, *, mode: Mode = "light") -> go.Figure:
    """Measured times over the size, with their quartiles; or the scores' share of time and FLOPs.

    Args:
        times: What was timed.
        mode: ``light`` or ``dark``.
    """
    figure = _shares(times, mode) if isinstance(times, TimeShares) else _times(times, mode)
    return figure.update_layout(height=340, legend={"y": -0.26, "yanchor": "top"})


def _times(times: TimeCurves, mode: Mode) -> go.Figure:
    config = times.config
    held = {
        "n": f"d_model = {config.d_model:,}",
        "d_model": f"n = {config.num_tokens:,}",
        "heads": _("always {count} FLOPs", count=format_number(times.flops[0])),
    }[config.sweep]
    figure = base_figure(title=_("Time of one layer, {held}", held=held), mode=mode)
    for i, name in enumerate(times.names):
        colour, timed = colour_of(TONES_OF[name], mode), np.isfinite(times.median[i])
        median, low, high = times.median[i, timed], times.low[i, timed], times.high[i, timed]
        errors = {"type": "data", "array": high - median, "arrayminus": median - low, "thickness": 1.5, "width": 4}
        fit, shown = times.fits[i], str(NAMES[name])
        fitted = f", ∝ {SHORT[config.sweep]}^{format_number(fit.exponent)}" if fit.tells else ""
        figure.add_scatter(
            x=times.sizes[timed],
            y=median,
            error_y=errors,
            name=escape(shown + fitted),
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            hovertemplate=f"%{{x}}<br>%{{y:{NUMBER}}} s<extra>{escape(shown)}</extra>",
        )
    _log_axes(figure, str(SIZE[config.sweep]), _("seconds, median and quartiles"), tuple(times.sizes.tolist()), mode)
    return figure


def _shares(times: TimeShares, mode: Mode) -> go.Figure:
    figure = base_figure(title=_("The scores' share of FLOPs and of time"), mode=mode)
    ratios = np.geomspace(times.sizes[0] / times.widths[-1], times.sizes[-1] / times.widths[0], 64)
    line = {"color": MUTED[mode], "width": 2, "dash": "dash"}
    figure.add_scatter(x=ratios, y=ratios / (ratios + 2), name="FLOPs", mode="lines", line=line)
    shades = SCALES[mode]["sequential"][2:]
    for width, share, colour in zip(times.widths.tolist(), times.share, shades, strict=False):
        timed = np.isfinite(share)
        figure.add_scatter(
            x=times.sizes[timed] / width,
            y=share[timed],
            name=_("time, d_model {width}", width=width),
            mode="lines+markers",
            line={"color": colour, "width": 2},
            hovertemplate=_(
                "n = {ratio} · d_model<br>{share} of the time<extra>d_model {width}</extra>",
                ratio=f"%{{x:{NUMBER}}}",
                share="%{y:.0%}",
                width=width,
            ),
        )
    figure.add_vline(x=2, line={"color": MUTED[mode], "width": 1.5, "dash": "dot"}, name="n = 2 d_model")
    figure.update_xaxes(axis("n / d_model", mode=mode), type="log", dtick=1)
    return figure.update_yaxes(axis(_("share"), mode=mode), range=[-0.02, 1.02], tickformat=".0%")


def _log_axes(figure: go.Figure, x_title: str, y_title: str, sizes: tuple[int, ...], mode: Mode) -> None:
    figure.update_xaxes(axis(x_title, log=True, mode=mode), tickvals=sizes, ticktext=[f"{size:,}" for size in sizes])
    figure.update_yaxes(axis(y_title, log=True, mode=mode))
