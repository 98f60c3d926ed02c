"""How the worth of weights is drawn and told."""

from attention_core.studies.worth.draw.edges import Edge as Edge
from attention_core.studies.worth.draw.edges import choice as choice
from attention_core.studies.worth.draw.edges import chosen_edge as chosen_edge
from attention_core.studies.worth.draw.edges import edges_view as edges_view
from attention_core.studies.worth.draw.edges import selected as selected
from attention_core.studies.worth.draw.gate import gate_view as gate_view
from attention_core.studies.worth.draw.others import sink_view as sink_view
from attention_core.studies.worth.draw.others import texts_view as texts_view
from attention_core.studies.worth.draw.words import EDGES as EDGES
from attention_core.studies.worth.draw.words import arithmetic as arithmetic
from attention_core.studies.worth.draw.words import head_name as head_name
from attention_core.studies.worth.draw.words import proof as proof
from attention_core.studies.worth.draw.words import read_cell as read_cell
from attention_core.studies.worth.draw.words import worth_table as worth_table
from attention_core.studies.worth.draw.words import write_cell as write_cell
