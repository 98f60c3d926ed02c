"""How a forward pass is drawn: step by step, each cell with the arithmetic it came from."""

from attention_core.figures.panels import AVERAGE as AVERAGE
from attention_core.studies.anatomy.draw.arithmetic import Arithmetic as Arithmetic
from attention_core.studies.anatomy.draw.arithmetic import explain as explain
from attention_core.studies.anatomy.draw.arithmetic import number as number
from attention_core.studies.anatomy.draw.steps import ALL as ALL
from attention_core.studies.anatomy.draw.steps import HEADS as HEADS
from attention_core.studies.anatomy.draw.steps import QUANTITIES as QUANTITIES
from attention_core.studies.anatomy.draw.steps import STEP_LABELS as STEP_LABELS
from attention_core.studies.anatomy.draw.steps import STEP_NAMES as STEP_NAMES
from attention_core.studies.anatomy.draw.steps import STEPS as STEPS
from attention_core.studies.anatomy.draw.steps import neighbours as neighbours
from attention_core.studies.anatomy.draw.steps import shape_line as shape_line
from attention_core.studies.anatomy.draw.steps import step_of as step_of
from attention_core.studies.anatomy.draw.view import Cell as Cell
from attention_core.studies.anatomy.draw.view import Shown as Shown
from attention_core.studies.anatomy.draw.view import anatomy_table as anatomy_table
from attention_core.studies.anatomy.draw.view import anatomy_view as anatomy_view
from attention_core.studies.anatomy.draw.view import code_line as code_line
from attention_core.studies.anatomy.draw.view import focus as focus
from attention_core.studies.anatomy.draw.view import formula_line as formula_line
from attention_core.studies.anatomy.draw.view import read_cell as read_cell
from attention_core.studies.anatomy.draw.view import shown as shown
from attention_core.studies.anatomy.draw.view import write_cell as write_cell
from attention_core.studies.anatomy.draw.words import proof as proof
