"""What the variants experiment measures."""

from dataclasses import dataclass

import numpy as np

from attention_core.measuring.verdict import Result
from attention_core.studies.variants.settings import VariantsConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantsResult(Result):
    """One sentence, full attention, and what is made of it.

    Attributes:
        config: The settings.
        full: Weights of full attention (heads, tokens, tokens).
        grouped: Weights with 1, 2, 4 and 8 heads of keys and values (4, heads, tokens, tokens).
        linear: Weights of linear attention, by its quadratic form (heads, tokens, tokens).
        additive: Weights of additive attention (heads, tokens, tokens).
        spectra: Singular values of one head's products and additive scores of 24 drawn words, the largest as 1
            (2, 24).
        distances: ‖output − full attention's‖ / ‖full attention's‖ with 1, 2, 4 and 8 heads of keys and values (4,).
        linear_distance: The same of linear attention.
        additive_distance: And of additive attention.
        parameters: Parameters with 1, 2, 4 and 8 heads of keys and values (4,).
        token_bytes: What a token adds to the cache with 1, 2, 4 and 8 heads of keys and values (4,).
        state_bytes: What linear attention keeps of a text of any length.
        softmax_flops: FLOPs of scores and weighted sum at each of ``LENGTHS``, by torch's counter (8,).
        linear_flops: Those of linear attention (8,).
        keys: The grouped variant's cache after the last word (tokens, kv_heads · d_head).
        steps: Weights of each word as it is decoded (heads, tokens, tokens); 0 where nothing is yet.
        moved: Largest difference of each word's output, decoded word by word, to the whole pass (tokens,).
        takes: ‖∂output_i/∂·_j‖ of the second of two layers by its queries, keys and values (3, words, words), for the
            first 8 words at most; as the next.
        keeps: ‖∂(key, value)_i/∂x_j‖ of what that layer keeps of each word (words, words).
        pass_flops: FLOPs of the layer for each new word without a cache, which take the whole pass again (tokens,).
        step_flops: The same with the cache (tokens,).
        kept_bytes: What the cache holds after each word (tokens,).
    """

    config: VariantsConfig
    full: np.ndarray
    grouped: np.ndarray
    linear: np.ndarray
    additive: np.ndarray
    spectra: np.ndarray
    distances: np.ndarray
    linear_distance: float
    additive_distance: float
    parameters: np.ndarray
    token_bytes: np.ndarray
    state_bytes: int
    softmax_flops: np.ndarray
    linear_flops: np.ndarray
    keys: np.ndarray
    steps: np.ndarray
    moved: np.ndarray
    takes: np.ndarray
    keeps: np.ndarray
    pass_flops: np.ndarray
    step_flops: np.ndarray
    kept_bytes: np.ndarray

    def cache_bytes(self, length: int) -> np.ndarray:
        """Bytes of the cache of a text with 1, 2, 4 and 8 heads of keys and values (4,)."""
        return self.token_bytes * length
