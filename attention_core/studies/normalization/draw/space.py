"""LayerNorm of three features in space: the cloud, the plane it is centred on, and the circle it lands on."""

import numpy as np
import plotly.graph_objects as go

from attention_core.figures.plot import Mode, base_figure, drawn_once
from attention_core.figures.said import said
from attention_core.figures.theme import GRID, MUTED, TONES
from attention_core.language import gettext as _
from attention_core.measuring.number_format import format_number
from attention_core.studies.normalization import LengthResult

# Two perpendicular unit vectors of the plane x₁ + x₂ + x₃ = 0.
_PLANE = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])


@drawn_once
def space_figure(result: LengthResult, *, mode: Mode = "light") -> go.Figure | None:
    """The vectors before, centred, and after, with the circle of radius |γ|√3; None unless there are three features.

    Args:
        result: What was measured.
        mode: ``light`` or ``dark``.
    """
    if result.before.shape[1] != 3:
        return None
    figure = base_figure(mode=mode)
    tones = TONES[mode]
    angles = np.linspace(0, 2 * np.pi, 181)
    shift = _shift(result)
    circle = result.radius * (np.stack([np.cos(angles), np.sin(angles)], 1) @ _PLANE) + shift
    reach = 1.15 * max(result.radius, float(np.abs(result.centred).max()), 1e-3)
    corners = reach * np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) @ _PLANE
    figure.add_mesh3d(
        **_xyz(corners), i=[0, 0], j=[1, 2], k=[2, 3], color=MUTED[mode], opacity=0.15, hoverinfo="skip",
        name=_("plane of mean 0"), showlegend=True,
    )  # fmt: skip
    points = (
        (_("before"), result.before, tones["ink"], 2.5, 0.55),
        (_("centred"), result.centred, tones["muted"], 2.5, 0.55),
        (_("after LayerNorm"), result.after, tones["accent"], 5, 1.0),
    )
    for name, values, colour, size, opacity in points:
        marker = {"size": size, "color": colour, "opacity": opacity}
        seen = values[np.isfinite(values).all(1)]
        figure.add_scatter3d(**_xyz(seen), mode="markers", name=name, marker=marker, hoverinfo="name")
    figure.add_scatter3d(
        **_xyz(circle), mode="lines", name=_("circle of radius |γ|√3"), line={"color": tones["accent"], "width": 4},
        hoverinfo="skip",
    )  # fmt: skip
    side = {"showbackground": False, "gridcolor": GRID[mode], "zerolinecolor": GRID[mode], "nticks": 5}
    side["tickfont"] = {"color": MUTED[mode]}
    axes = {
        f"{letter}axis": side | {"title": {"text": _("feature {number}", number=i + 1)}}
        for i, letter in enumerate("xyz")
    }
    camera = {"eye": {"x": 1.75, "y": 0.6, "z": 0.95}}
    return figure.update_layout(
        scene=axes | {"aspectmode": "data", "camera": camera, "bgcolor": "rgba(0,0,0,0)"},
        height=460,
        margin={"l": 0, "r": 0, "t": 30, "b": 0},
        legend={"y": 1.0, "itemsizing": "constant"},
    )


def space_alt(result: LengthResult) -> str:
    """What there is to see, in a sentence."""
    seen = {"count": len(result.before), "radius": format_number(result.radius)}
    beside = _(
        "{count} points, the same less their mean on a plane through 0, and after LayerNorm beside a circle of "
        "radius {radius} in that plane, moved by β.",
        **seen,
    )
    return said(
        result,
        "ln-norm.sphere",
        holds=_(
            "{count} points, the same less their mean on a plane through 0, and after LayerNorm on a circle of "
            "radius {radius} in that plane, moved by β.",
            **seen,
        ),
        fails=beside,
        undecided=beside,
    )


def _shift(result: LengthResult) -> float:
    """β, the mean over features of whatever LayerNorm gives."""
    means = result.after.mean(1)
    return float(means[np.isfinite(means)].mean()) if np.isfinite(means).any() else 0.0


def _xyz(points: np.ndarray) -> dict[str, np.ndarray]:
    values = points.astype(np.float32)
    return {"x": values[:, 0], "y": values[:, 1], "z": values[:, 2]}
