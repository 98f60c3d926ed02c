"""The bars of the bias experiments: gradients, what norms leave, published beside measured."""

from textwrap import wrap
from typing import Final

import numpy as np
import plotly.graph_objects as go

from attention_core.experiments.biases import NAMES, AfterNormResult, AppendixResult, BiasesResult
from attention_core.experiments.verdict import format_number
from attention_core.figures.plot import NUMBER, Mode, axis, base_figure, escape
from attention_core.figures.theme import INK, MUTED, PAPER, ROLE_COLOURS, Role

ROLE_OF: Final[dict[str, Role]] = {"q": "query", "k": "key", "v": "value", "o": "output"}


def gradient_bars(result: BiasesResult, *, mode: Mode = "light") -> go.Figure:
    """‖∂L/∂b‖ of each bias on a log axis, with what rounding explains of b_K's; exact zeros are named below."""
    figure = base_figure(mode=mode)
    shown = [one for one in result.effects if one.gradient > 0]
    figure.add_bar(
        x=[NAMES[one.role] for one in shown],
        y=np.array([one.gradient for one in shown]),
        marker_color=[ROLE_COLOURS[mode][ROLE_OF[one.role]] for one in shown],
        hovertemplate=f"%{{x}} · %{{y:{NUMBER}}}<extra></extra>",
    )
    if result.effect("k") is not None and result.gradient_bound > 0:
        _bound_line(figure, result.gradient_bound, NAMES["k"], "rounding explains b_K's up to here", mode)
    figure.update_layout(
        xaxis=axis("bias", mode=mode), yaxis=axis("‖∂L/∂b‖", log=True, mode=mode) | {"dtick": 4}, showlegend=False
    )
    zero = [NAMES[one.role] for one in result.effects if one.gradient == 0]
    return say(figure, f"Exactly 0: {', '.join(zero)}." if zero else "")


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
    return say(figure, " ".join([*said, f"{result.refusal}."] if result.refusal else said))


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
    return say(figure, f"Exactly 0: {', '.join(zeros)}." if zeros else "")


def _bound_line(figure: go.Figure, value: float, at: str, text: str, mode: Mode) -> None:
    figure.add_hline(y=value, line={"dash": "dot", "color": MUTED[mode]})
    place = {"x": at, "y": np.log10(value), "yshift": 10, "showarrow": False, "bgcolor": PAPER[mode]}
    figure.add_annotation(place, text=escape(text), font={"color": MUTED[mode], "size": 12})


def say(figure: go.Figure, text: str) -> go.Figure:
    """Add a sentence below the axes, where there is one."""
    if text:
        lines = wrap(text, 56)  # what fits on a phone
        place = {"x": 0, "y": -0.2, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        figure.add_annotation(place, text="<br>".join(map(escape, lines)), showarrow=False, align="left")
        figure.update_layout(margin={"b": 72 + 18 * len(lines)})
    return figure
