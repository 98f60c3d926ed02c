"""How the bias experiments are drawn and said: matrices, curves, tables, and the proof beside its numbers."""

from attention_core.figures.biases.bars import appendix_bars, norm_bars
from attention_core.figures.biases.curves import (
    APPENDIX,
    MEAN,
    NORMS,
    RESIDUAL,
    SHIFT,
    TITLES,
    TRAINING,
    biases_figure,
    mean_curve,
    residual_curve,
    shift_curve,
    source,
    training_curve,
)
from attention_core.figures.biases.tables import biases_table, curve_table, size_table, terms_table
from attention_core.figures.biases.view import (
    AVERAGE,
    GRADIENTS,
    TERMS,
    difference_view,
    gradient_view,
    size_view,
    terms_view,
    view_figure,
)
from attention_core.figures.biases.words import Step, curve_summary, proof, training_step

__all__ = [
    "APPENDIX", "AVERAGE", "GRADIENTS", "MEAN", "NORMS", "RESIDUAL", "SHIFT", "TERMS", "TITLES", "TRAINING",
    "Step", "appendix_bars", "biases_figure", "biases_table", "curve_summary", "curve_table", "difference_view",
    "gradient_view", "mean_curve", "norm_bars", "proof", "residual_curve", "shift_curve", "size_table", "size_view",
    "source", "terms_table", "terms_view", "training_curve", "training_step", "view_figure",
]  # fmt: skip
