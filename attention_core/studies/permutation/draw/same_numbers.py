"""Which numbers of a shuffle are the same before and after it, and how many if positions are turned on or off."""

from typing import Final, Literal

import numpy as np

from attention_core.figures.matrix import Tally
from attention_core.figures.panels import Array, of_head
from attention_core.language import gettext as _
from attention_core.studies.permutation import ShuffleConfig, ShuffleResult

Quantity = Literal["weights", "output"]
Measured = tuple[ShuffleConfig, ShuffleResult]
HALF: Final = ("bfloat16", "float16")


def picked(values: tuple[Array, Array], quantity: Quantity, head: str) -> Array:
    """Of weights and output, what a picture shows: a head of the first (queries, keys), or the second."""
    weights, output = values
    return output if quantity == "output" else of_head(weights, head)


def tally_of(here: Measured, other: Measured, quantity: Quantity, head: str) -> Tally:
    """The numbers that are the same in both orders, counted here and with the positions turned on or off."""
    same, others = (_same(*one, quantity, head) for one in (here, other))
    switch = _("with positions") if here[0].positions == "none" else _("without positions")
    return Tally(same=same, other=switch, other_same=None if others is None else int(others.sum()))


def _same(config: ShuffleConfig, result: ShuffleResult, quantity: Quantity, head: str) -> Array | None:
    """Which numbers are the same but for rounding, as they stand after the shuffle; None if that is not known.

    Half precision rounds by as much as most weights differ: where not all are the same, it does not say which are.
    """
    if result.same is None or (not result.same and result.provenance.dtype in HALF):
        return None
    undone = picked((result.weights_undone, result.output_undone), quantity, head)
    before = picked((result.weights_before, result.output_before), quantity, head)
    same = np.abs(undone - before) <= result.bound
    if config.query_order:
        same = same[list(config.query_order)]
    return same[:, list(config.key_order)] if config.key_order and quantity == "weights" else same
