"""How learning is drawn: a run moment by moment, an answer, heads switched off, several seeds, and the map."""

from attention_core.figures.learning.many import (
    map_table,
    map_view,
    seeds_moving_view,
    seeds_table,
    seeds_view,
    share_words,
)
from attention_core.figures.learning.view import (
    ablation_view,
    ablation_words,
    accuracy_panel,
    answer_view,
    answer_words,
    gradients_view,
    head_name,
    learning_figure,
    learning_table,
    learning_view,
    loss_panel,
    moving_view,
)
from attention_core.figures.learning.words import proof

__all__ = [
    "ablation_view",
    "ablation_words",
    "accuracy_panel",
    "answer_view",
    "answer_words",
    "gradients_view",
    "head_name",
    "learning_figure",
    "learning_table",
    "learning_view",
    "loss_panel",
    "map_table",
    "map_view",
    "moving_view",
    "proof",
    "seeds_moving_view",
    "seeds_table",
    "seeds_view",
    "share_words",
]
