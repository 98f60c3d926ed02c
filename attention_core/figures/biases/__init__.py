"""How the bias experiments are drawn and said: matrices, curves, tables, and the proof beside its numbers."""

from attention_core.figures.biases.bars import appendix_bars, norm_bars
from attention_core.figures.biases.curves import (
    CURVES,
    biases_figure,
    curve_view,
    mean_view,
    residual_view,
    shift_view,
    source,
    training_view,
)
from attention_core.figures.biases.history import history
from attention_core.figures.biases.tables import biases_table, curve_table, size_table, terms_table
from attention_core.figures.biases.view import (
    GRADIENTS,
    TERMS,
    difference_view,
    gradient_view,
    size_view,
    terms_view,
)
from attention_core.figures.biases.words import curve_summary, proof, training_step
from attention_core.figures.panels import AVERAGE

__all__ = [
    "AVERAGE", "CURVES", "GRADIENTS", "TERMS", "appendix_bars", "biases_figure", "biases_table", "curve_summary",
    "curve_table", "curve_view", "difference_view", "gradient_view", "history", "mean_view", "norm_bars", "proof",
    "residual_view", "shift_view", "size_table", "size_view", "source", "terms_table", "terms_view", "training_step",
    "training_view",
]  # fmt: skip
