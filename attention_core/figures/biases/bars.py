"""The bars of the bias experiments: what norms leave, published beside measured."""

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.biases import AfterNormResult, AppendixResult
from attention_core.experiments.number_format import format_number
from attention_core.figures.plot import NUMBER, Mode, axis, base_figure, escape, footnote
from attention_core.figures.theme import INK, MUTED, ROLE_COLOURS


def norm_bars(result: AfterNormResult, *, mode: Mode = "light") -> go.Figure:
    """What of b_O's mean part and of its rest survives each norm, on a log axis; exact zeros are named."""
    figure = base_figure(mode=mode)
    names = [one.norm if one.norm != "none" else "no norm" for one in result.survivals]
    parts = (("mean part", "mean_part", MUTED[mode]), ("rest", "rest", ROLE_COLOURS[mode]["output"]))
    zeros = []
    for label, field, colour in parts:
        values = np.array([getattr(one, field) for one in result.survivals])
        zeros += [f"{label} after {name}" for name, value in zip(names, values, strict=True) if value == 0]
        figure.add_bar(
            x=names,
            y=np.where(values > 0, values, np.nan),
            name=label,
            marker_color=colour,
            hovertemplate=f"%{{x}} · {label} · %{{y:{NUMBER}}}<extra></extra>",
        )
    figure.add_scatter(
        x=names,
        y=np.array([one.bound for one in result.survivals]),
        mode="markers",
        name="rounding explains up to",
        marker={"symbol": "line-ew-open", "size": 26, "color": INK[mode], "line": {"width": 2}},
        hovertemplate=f"%{{x}} · bound · %{{y:{NUMBER}}}<extra></extra>",
    )
    title = "largest change of the output"
    figure.update_layout(xaxis=axis("", mode=mode), yaxis=axis(title, log=True, mode=mode) | {"dtick": 4})
    said = [f"Exactly 0: {', '.join(zeros)}."] if zeros else []
    text = " ".join([*said, f"{result.refusal}."] if result.refusal else said)
    return figure.update_layout(footnote(text))


def appendix_bars(result: AppendixResult, *, mode: Mode = "light") -> go.Figure:
    """The published numbers beside ours in float32 and in float64, on a log axis; exact zeros are named."""
    figure = base_figure(mode=mode)
    roles = ROLE_COLOURS[mode]
    series = (("published", "published", MUTED[mode]), ("float32", "measured, float32", roles["value"]))
    zeros = []
    for field, name, colour in (*series, ("float64", "measured, float64", roles["query"])):
        values = np.array([getattr(row, field) for row in result.rows])
        zeros += [f"{row.quantity}, {name}" for row, value in zip(result.rows, values, strict=True) if value == 0]
        figure.add_bar(
            x=[escape(row.quantity) for row in result.rows],
            y=np.where(values > 0, values, np.nan),
            name=name,
            marker_color=colour,
            text=[format_number(float(value)) if value > 0 else "" for value in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{x}} · {name} · %{{y:{NUMBER}}}<extra></extra>",
        )
    y = axis("with − without b_K", log=True, mode=mode) | {"dtick": 4}
    figure.update_layout(xaxis=axis("", mode=mode), yaxis=y)
    return figure.update_layout(footnote(f"Exactly 0: {', '.join(zeros)}." if zeros else ""))
