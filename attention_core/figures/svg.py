"""Panels for paper: each as SVG that needs nothing from elsewhere, in the colours of a theme."""

from attention_core.figures.areas import AreasPanel
from attention_core.figures.graph import GraphPanel
from attention_core.figures.lines import LinesPanel
from attention_core.figures.matrix import MatrixView, Panel
from attention_core.figures.panels import BarsPanel, MatrixPanel
from attention_core.figures.svg_charts import areas_at, bars_at, lines_at
from attention_core.figures.svg_graph import graph_at
from attention_core.figures.svg_lying import lying_at
from attention_core.figures.svg_matrix import matrix_at
from attention_core.figures.svg_pen import LETTER, Pen
from attention_core.figures.text import escape_xml, wrapped
from attention_core.language import sentences

_LINE = 14  # pixels from one line of a note to the next


def view_svgs(view: MatrixView) -> tuple[str, ...]:
    """Each panel of a view, at the first step of its sweep, as SVG."""
    return tuple(panel_svg(panel) for panel in (view.at(0) if view.sweep else view).panels)


def panel_svg(panel: Panel) -> str:
    """A panel as SVG of the light theme; text is shown exactly as it is, but for characters that XML cannot hold.

    Args:
        panel: What is drawn; outside a sweep.
    """
    pen = Pen()
    body, height = panel_at(panel, pen)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {pen.width} {height:g}" width="{pen.width}" '
        f'height="{height:g}" role="img" aria-label="{escape_xml(panel.title)}" font-family="sans-serif">{body}</svg>'
    )


def panel_at(panel: Panel, pen: Pen, chosen: tuple[int, int] | None = None) -> tuple[str, float]:
    """A panel with its title and its note as elements of SVG, and how high that is in pixels.

    Args:
        panel: What is drawn; outside a sweep.
        pen: Draws.
        chosen: Row and column of the cell or the node that is chosen; None for none.
    """
    match panel:
        case MatrixPanel():
            body, height = matrix_at(panel, pen, chosen)
        case BarsPanel(lying=True):
            body, height = lying_at(panel, pen)
        case BarsPanel():
            body, height = bars_at(panel, pen)
        case LinesPanel():
            body, height = lines_at(panel, pen)
        case GraphPanel():
            body, height = graph_at(panel, pen, chosen)
        case AreasPanel():
            body, height = areas_at(panel, pen)
    role = panel.role if isinstance(panel, MatrixPanel) else None
    colour = pen.colour(role) if role else pen.ink
    title = pen.formula(pen.start, 16, panel.title, weight=600, size=13, coloured=True, colour=colour)
    lines = wrapped(str(sentences((panel.note, panel.warning))), int((pen.width - pen.start - 4) / (10 * LETTER)))
    for line in lines:
        body += pen.formula(pen.start, height, line, size=10, colour=pen.muted)
        height += _LINE
    return title + body, height
