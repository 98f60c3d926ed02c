"""What one pass of a text through a trained model leaves, and what is measured on the way."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attention_core.measuring.models import Head
from attention_core.measuring.verdict import Result
from attention_core.studies.trained.settings import TrainedConfig


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainedResult(Result):
    """A text, what comes next, where every head looks, and what this app's claims are worth on these weights.

    Attributes:
        config: The settings.
        tokens: The text's tokens as they are shown.
        off: Layer and head of those that are switched off.
        likely: The likeliest next tokens with all heads on, the likeliest first, and after them those that are among
            the likeliest only without the heads that are off (likely,); none for a model without logits.
        continues: Whether they are what comes next; else they are what the model answers in the last place, of a text
            that it sees whole, or to another question.
        kind: Of each of them which of ``kinds`` it is; empty for none.
        probabilities: Their probabilities (likely,).
        before: The same tokens' probabilities with all heads on (likely,).
        kinds: The two kinds of words between which the text decides, as ``rivals`` names them; none where it does
            not.
        shares: Probability that a word of each kind comes next, and with all heads on (kinds, 2).
        scale: The factor of the scores in each layer (layers,).
        d_head: Size of a head.
        hidden: Where a query may not look, in each layer (layers, tokens, tokens).
        scores: q · k times the scale (layers, heads, tokens, tokens).
        weights: Their softmax, likewise.
        entropy: Of a row of weights, in bits, the mean over the rows (layers, heads).
        distance: How many places back a row looks on average, likewise.
        first: Weight on the first token, likewise, without the first row.
        biases: How far the last hidden states move without b_Q, b_K, b_V of a layer, ‖difference‖ / ‖states‖; NaN
            where there is no such bias (layers, 3).
        shuffled: What becomes of the next token's distribution as the tokens before the last are shuffled, as it is,
            without positions, and without positions and mask: total variation, half of Σ|p − p'| (3,); of a model
            without logits the relative distance of the last hidden state.
        order: The shuffled tokens.
        spread: Standard deviation of a row's visible scores, at their factor (layers, heads).
        largest: Largest weight of a row, the mean over the rows that see more than one key, with the scores times
            each of ``FACTORS`` (factors, layers, heads).
        gradient: ‖J‖_F of the softmax of such a row, likewise.
        reach: Of the last token's state above each layer, and below the first: how many inputs it depends on, as
            e^H of the shares of ‖∂state/∂input‖ (layers + 1,).
        rank: Effective rank of W_Qᵀ W_K of each head: e^H of the shares of its singular values (layers, heads).
        cosine: Mean cosine of two tokens' states below the first layer and above each (layers + 1,).
    """

    config: TrainedConfig
    tokens: tuple[str, ...]
    off: tuple[Head, ...]
    likely: tuple[str, ...]
    continues: bool
    kind: tuple[str, ...]
    probabilities: Float[np.ndarray, " likely"]
    before: Float[np.ndarray, " likely"]
    kinds: tuple[str, ...]
    shares: Float[np.ndarray, "kinds 2"]
    scale: Float[np.ndarray, " layers"]
    d_head: int
    hidden: Bool[np.ndarray, "layers tokens tokens"]
    scores: Float[np.ndarray, "layers heads tokens tokens"]
    weights: Float[np.ndarray, "layers heads tokens tokens"]
    entropy: Float[np.ndarray, "layers heads"]
    distance: Float[np.ndarray, "layers heads"]
    first: Float[np.ndarray, "layers heads"]
    biases: Float[np.ndarray, "layers 3"]
    shuffled: Float[np.ndarray, " 3"]
    order: tuple[str, ...]
    spread: Float[np.ndarray, "layers heads"]
    largest: Float[np.ndarray, "factors layers heads"]
    gradient: Float[np.ndarray, "factors layers heads"]
    reach: Float[np.ndarray, " states"]
    rank: Float[np.ndarray, "layers heads"]
    cosine: Float[np.ndarray, " states"]

    @property
    def foremost(self) -> str:
        """The likeliest next token, with the heads that are off; empty for a model without logits."""
        return self.likely[int(self.probabilities.argmax())] if self.likely else ""

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, and heads of each."""
        return self.weights.shape[0], self.weights.shape[1]
