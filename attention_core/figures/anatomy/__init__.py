"""How a forward pass is drawn: step by step, each cell with the arithmetic it came from."""

from attention_core.figures.anatomy.arithmetic import Arithmetic, explain, number
from attention_core.figures.anatomy.steps import (
    ALL,
    HEADS,
    QUANTITIES,
    STEP_LABELS,
    STEP_NAMES,
    STEPS,
    neighbours,
    shape_line,
    step_of,
)
from attention_core.figures.anatomy.view import (
    Cell,
    Shown,
    anatomy_table,
    anatomy_view,
    focus,
    read_cell,
    shown,
    write_cell,
)
from attention_core.figures.anatomy.words import proof
from attention_core.figures.panels import AVERAGE

__all__ = [
    "ALL",
    "AVERAGE",
    "HEADS",
    "QUANTITIES",
    "STEPS",
    "STEP_LABELS",
    "STEP_NAMES",
    "Arithmetic",
    "Cell",
    "Shown",
    "anatomy_table",
    "anatomy_view",
    "explain",
    "focus",
    "neighbours",
    "number",
    "proof",
    "read_cell",
    "shape_line",
    "shown",
    "step_of",
    "write_cell",
]
