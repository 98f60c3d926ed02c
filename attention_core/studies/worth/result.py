"""What is measured of the edges of a head on one text."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attention_core.measuring.models import Head
from attention_core.measuring.verdict import Result
from attention_core.studies.worth.settings import WorthConfig

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorthResult(Result):
    """Four numbers for each edge of a head, and what else they are read with.

    Attributes:
        config: The settings.
        tokens: The text's tokens.
        head: Layer and head, counted from 0.
        leads: The word that comes next, or the likeliest of the kind that leads.
        behind: The word that it leads.
        is_kind: Whether two kinds of words are compared.
        lead: By how much it leads.
        seen: Which edges there are (queries, keys).
        felt: Which of them the last place can feel: of the last layer those of its own row.
        weights: The head's weights, without a sink; likewise the next three.
        written: Weight times ‖W_O v‖.
        gradients: Gradient times weight.
        effects: By how much the lead falls when this edge alone is cut.
        lengths: ‖W_O v‖ of each key.
        together: By how much it falls when all edges of the head are cut at once.
        correlations: Rank correlation over the felt edges of the size of the effect and the weight, weight by length,
            and the size of gradient by weight (3,).
        heads: Σ |gradient · weight| of each head (layers, heads).
        first: Mean weight on the first token of each head, without its own row, likewise.
        first_length: ‖W_O v‖ of the first token by the mean of the others, likewise.
        random: Query and key of an edge that can be felt, of a row of several, drawn by the seed.
        free: Other weights of the last row with the same output; as they are where there are none.
        free_moved: Half of Σ |difference| of these.
    """

    config: WorthConfig
    tokens: tuple[str, ...]
    head: Head
    leads: str
    behind: str
    is_kind: bool
    lead: float
    seen: Bool[np.ndarray, "tokens tokens"]
    felt: Bool[np.ndarray, "tokens tokens"]
    weights: Float[np.ndarray, "tokens tokens"]
    written: Float[np.ndarray, "tokens tokens"]
    gradients: Float[np.ndarray, "tokens tokens"]
    effects: Float[np.ndarray, "tokens tokens"]
    lengths: Float[np.ndarray, " tokens"]
    together: float
    correlations: Float[np.ndarray, " 3"]
    heads: Float[np.ndarray, "layers heads"]
    first: Float[np.ndarray, "layers heads"]
    first_length: Float[np.ndarray, "layers heads"]
    random: Cell
    free: Float[np.ndarray, " tokens"]
    free_moved: float

    @property
    def added(self) -> float:
        """The effects of single edges, added up."""
        return float(np.nansum(self.effects))

    @property
    def choosable(self) -> np.ndarray:
        """The felt edges of rows that see more than one key: a row of one has nothing to choose."""
        return self.felt & (self.seen.sum(-1, keepdims=True) > 1)

    def largest(self, values: np.ndarray) -> Cell:
        """Query and key of the edge with the largest number, of those that can be felt and chosen."""
        allowed = self.choosable if self.choosable.any() else self.felt
        query, key = np.unravel_index(int(np.where(allowed, values, -np.inf).argmax()), values.shape)
        return int(query), int(key)

    def falls_behind(self, cell: Cell) -> bool:
        """Whether another word or kind leads once this edge is cut."""
        return bool(self.effects[cell] > self.lead)
