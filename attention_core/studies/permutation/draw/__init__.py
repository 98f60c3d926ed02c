"""How shuffles are drawn: matrices of weights or outputs, and the residuals of all orders."""

from attention_core.figures.panels import AVERAGE as AVERAGE
from attention_core.studies.permutation.draw.along import along_table as along_table
from attention_core.studies.permutation.draw.along import along_view as along_view
from attention_core.studies.permutation.draw.changes import shuffle_changed as shuffle_changed
from attention_core.studies.permutation.draw.terms import terms_table as terms_table
from attention_core.studies.permutation.draw.terms import terms_view as terms_view
from attention_core.studies.permutation.draw.view import AFTER as AFTER
from attention_core.studies.permutation.draw.view import MOVED as MOVED
from attention_core.studies.permutation.draw.view import PAIR as PAIR
from attention_core.studies.permutation.draw.view import block_words as block_words
from attention_core.studies.permutation.draw.view import follows as follows
from attention_core.studies.permutation.draw.view import pair_view as pair_view
from attention_core.studies.permutation.draw.view import proof as proof
from attention_core.studies.permutation.draw.view import residual_view as residual_view
from attention_core.studies.permutation.draw.view import residual_words as residual_words
from attention_core.studies.permutation.draw.view import shuffle_table as shuffle_table
from attention_core.studies.permutation.draw.view import shuffle_view as shuffle_view
