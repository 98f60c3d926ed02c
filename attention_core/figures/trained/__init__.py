"""How a trained model is drawn and told: what comes next, where its heads look, and its claims."""

from attention_core.figures.trained.claims import bias_view as bias_view
from attention_core.figures.trained.claims import depth_view as depth_view
from attention_core.figures.trained.claims import order_view as order_view
from attention_core.figures.trained.claims import scores_view as scores_view
from attention_core.figures.trained.heads import grid_view as grid_view
from attention_core.figures.trained.heads import next_view as next_view
from attention_core.figures.trained.heads import roles_view as roles_view
from attention_core.figures.trained.proof import proof as proof
from attention_core.figures.trained.words import LISTED as LISTED
from attention_core.figures.trained.words import ORDERS as ORDERS
from attention_core.figures.trained.words import Cell as Cell
from attention_core.figures.trained.words import arithmetic as arithmetic
from attention_core.figures.trained.words import by_place as by_place
from attention_core.figures.trained.words import choice as choice
from attention_core.figures.trained.words import chosen_cell as chosen_cell
from attention_core.figures.trained.words import chosen_head as chosen_head
from attention_core.figures.trained.words import decided_for as decided_for
from attention_core.figures.trained.words import head_name as head_name
from attention_core.figures.trained.words import listed_heads as listed_heads
from attention_core.figures.trained.words import numbers as numbers
from attention_core.figures.trained.words import read_cell as read_cell
from attention_core.figures.trained.words import read_heads as read_heads
from attention_core.figures.trained.words import selected as selected
from attention_core.figures.trained.words import trained_table as trained_table
from attention_core.figures.trained.words import write_cell as write_cell
from attention_core.figures.trained.words import write_heads as write_heads
