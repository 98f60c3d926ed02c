"""How a forward pass is drawn: step by step, each cell with the arithmetic it came from."""

from attention_core.figures.anatomy.arithmetic import Arithmetic, explain, number
from attention_core.figures.anatomy.steps import (
    ALL,
    AVERAGE,
    QUANTITIES,
    STEP_NAMES,
    STEPS,
    neighbours,
    shape_line,
    step_of,
)
from attention_core.figures.anatomy.view import (
    Cell,
    Shown,
    anatomy_heatmap,
    anatomy_table,
    anatomy_view,
    focus,
    read_cell,
    shown,
    write_cell,
)

__all__ = [
    "ALL",
    "AVERAGE",
    "QUANTITIES",
    "STEPS",
    "STEP_NAMES",
    "Arithmetic",
    "Cell",
    "Shown",
    "anatomy_heatmap",
    "anatomy_table",
    "anatomy_view",
    "explain",
    "focus",
    "neighbours",
    "number",
    "read_cell",
    "shape_line",
    "shown",
    "step_of",
    "write_cell",
]
