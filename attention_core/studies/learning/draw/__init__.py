"""How learning is drawn: a run moment by moment, an answer, heads switched off, several seeds, and the map."""

from attention_core.studies.learning.draw.seeds_and_map import map_table as map_table
from attention_core.studies.learning.draw.seeds_and_map import map_view as map_view
from attention_core.studies.learning.draw.seeds_and_map import seeds_moving_view as seeds_moving_view
from attention_core.studies.learning.draw.seeds_and_map import seeds_table as seeds_table
from attention_core.studies.learning.draw.seeds_and_map import seeds_view as seeds_view
from attention_core.studies.learning.draw.seeds_and_map import share_words as share_words
from attention_core.studies.learning.draw.view import ablation_view as ablation_view
from attention_core.studies.learning.draw.view import ablation_words as ablation_words
from attention_core.studies.learning.draw.view import accuracy_panel as accuracy_panel
from attention_core.studies.learning.draw.view import answer_view as answer_view
from attention_core.studies.learning.draw.view import answer_words as answer_words
from attention_core.studies.learning.draw.view import gradients_view as gradients_view
from attention_core.studies.learning.draw.view import head_name as head_name
from attention_core.studies.learning.draw.view import learning_table as learning_table
from attention_core.studies.learning.draw.view import learning_view as learning_view
from attention_core.studies.learning.draw.view import loss_panel as loss_panel
from attention_core.studies.learning.draw.view import moving_view as moving_view
from attention_core.studies.learning.draw.words import proof as proof
