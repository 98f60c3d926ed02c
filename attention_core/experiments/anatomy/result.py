"""What one forward pass left behind: every number on the way, and the verdicts."""

from dataclasses import dataclass

import numpy as np

from attention_core.experiments.verdict import Provenance, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AnatomyResult:
    """Every intermediate of one pass of one sentence; all arrays float64 and read-only, n tokens.

    Attributes:
        vocabulary: The distinct words, in the order they first appear.
        one_hot: 1 where a token is a word (n, words).
        words: Word vectors (n, d_model).
        slots: What is added for the position (n, d_model); zeros where nothing is.
        embedded: ``words + slots``, the module's input (n, d_model).
        q_weight: W_Q (width, d_model), as ``nn.Linear`` stores it; likewise ``k_weight``, ``v_weight``.
        q_bias: b_Q (width,), zeros where there is none; likewise ``k_bias``, ``v_bias``.
        o_weight: W_O (d_model, width).
        o_bias: b_O (d_model,), zeros where there is none.
        q_rows: Queries before they are cut into heads (n, width); likewise ``k_rows``, ``v_rows``.
        q: Queries as they meet the keys (heads, n, d_head); likewise ``k`` and, for the values, ``v``.
        products: q · k before scaling (heads, n, n).
        scores: q · k · scale (heads, n, n).
        masked: Scores as softmax sees them, −∞ where a key is hidden (heads, n, n).
        weights: Softmax of ``masked`` (heads, n, n).
        applied: The weights that were applied: ``weights``, after dropout where it is on.
        context: applied · v (heads, n, d_head).
        merged: The heads' contexts side by side (n, width).
        output: merged · W_Oᵀ + b_O (n, d_model).
        scale: Factor of the scores, 1/√d_head.
        mean_max_weight: The largest weight of a row, averaged over queries and heads: what the code prints.
        row_bound: How far rounding alone moves a row's sum from 1.
        loop_residual: max |f(X) − loop over heads|.
        loop_bound: What rounding explains of it.
        core_flops: Floating-point operations of the core, as torch counts them.
        core_formula: 4 n² · width.
        verdicts: One or more for each claim.
        provenance: Where the numbers come from.
    """

    vocabulary: tuple[str, ...]
    one_hot: np.ndarray
    words: np.ndarray
    slots: np.ndarray
    embedded: np.ndarray
    q_weight: np.ndarray
    k_weight: np.ndarray
    v_weight: np.ndarray
    o_weight: np.ndarray
    q_bias: np.ndarray
    k_bias: np.ndarray
    v_bias: np.ndarray
    o_bias: np.ndarray
    q_rows: np.ndarray
    k_rows: np.ndarray
    v_rows: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    products: np.ndarray
    scores: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    applied: np.ndarray
    context: np.ndarray
    merged: np.ndarray
    output: np.ndarray
    scale: float
    mean_max_weight: float
    row_bound: float
    loop_residual: float
    loop_bound: float
    core_flops: int
    core_formula: int
    verdicts: tuple[Verdict, ...]
    provenance: Provenance

    def looks(self, head: int) -> str:
        """Where a head looks: ``back``, if the largest weight of each word but the first is that of the word before.

        ``alike``, if all weights of a row that no mask hides are equal to rounding; ``elsewhere`` otherwise.

        Args:
            head: The head, from 0.
        """
        weights, hidden = self.weights[head], np.isneginf(self.masked[head])
        seen = np.ma.masked_array(weights, hidden)
        if float(np.max(seen.max(axis=1) - seen.min(axis=1))) <= self.row_bound:
            return "alike"
        later = weights[1:].argmax(axis=1)
        return "back" if (later == np.arange(len(later))).all() else "elsewhere"

    def said(self, *claims: str) -> "Said":
        """The verdicts of some of the claims, as a result of their own."""
        return Said(tuple(verdict for verdict in self.verdicts if verdict.claim in claims), self.provenance)


@dataclass(frozen=True, slots=True)
class Said:
    """Some of a result's verdicts.

    Attributes:
        verdicts: Them.
        provenance: Where the numbers come from.
    """

    verdicts: tuple[Verdict, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadTimes:
    """How long one pass takes on this machine, now: no two runs agree.

    Attributes:
        batched: Median seconds of ``forward``, all heads in one product.
        loop: Median seconds of the loop over heads.
        passes: How many passes of each were timed.
    """

    batched: float
    loop: float
    passes: int

    @property
    def batched_us(self) -> int:
        """``batched`` in microseconds."""
        return round(self.batched * 1e6)

    @property
    def loop_us(self) -> int:
        """``loop`` in microseconds."""
        return round(self.loop * 1e6)
