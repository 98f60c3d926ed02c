"""What adding a position to a word does to the scores, beside setting the two side by side.

Claim: ``pe-add`` the scores of a sum are those of a concatenation whose two blocks are one matrix: four terms.

::

    W (x + p) = [W, W] [x; p],   so   q · k = (W_Q x + b_Q) · (W_K y + b_K) + (W_Q x + b_Q) · W_K r
                                            + W_Q p · (W_K y + b_K)         + W_Q p · W_K r

for a query x at place p and a key y at place r. Ke et al. (2021), "Rethinking Positional Encoding in Language
Pre-training", section 2, write the scores so.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, score_tolerance, variance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.projections import split_heads
from attention_core.studies.permutation.module import Attention
from attention_core.studies.permutation.settings import ADDED, D_MODEL, NUM_HEADS, ShuffleConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsResult(Result):
    """The scores of words to which their places are added, and those of words beside their places.

    Attributes:
        added: Name of the positions that are added.
        terms: Word with word, word with place, place with word, place with place, the query's first
            (4, heads, q_len, kv_len).
        scores: Scores of the sums, the same shape without the first axis.
        beside: Scores of the concatenations, the same shape.
        moved: Largest absolute difference of the two.
    """

    added: str
    terms: np.ndarray
    scores: np.ndarray
    beside: np.ndarray
    moved: float


def run_terms(config: ShuffleConfig) -> TermsResult:
    """Score words with places added, and words beside their places, in the order of a shuffle.

    Args:
        config: The shuffle. Where its positions are not of those that are added, sinusoidal ones are.
    """
    return run_tests(TermsResult, config, TESTS, _measure)


@torch.inference_mode()
def _measure(config: ShuffleConfig) -> Measurements:
    added = config.positions if config.positions in ADDED else "sinusoidal"
    attention = Attention(replace(config, positions=added, mask="none", keys_alone=False, model="attention"))
    sides = ((config.query_order, config.tokens), (config.key_order, config.keys))
    given = attention.arguments(*(torch.tensor([order or range(len(words))]) for order, words in sides))
    (x, p), (y, r) = (_word_and_place(attention, given, side) for side in ("query", "key"))
    trace = attention.module.trace(**given)
    wide = _side_by_side(attention, config)
    beside = wide.trace(torch.cat((x, p), -1), torch.cat((y, r), -1))
    terms = _terms(attention, config, (x, p), (y, r))
    scores = on_cpu(trace.scores)[0]
    bound = _bound(attention.module, trace, wide, beside, (x + p, y + r))
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", NUM_HEADS)
    cases, size = _("all pairs, {heads}", heads=heads), largest(scores)
    moved = largest(on_cpu(beside.scores)[0] - scores)
    found = {
        "pe-add.beside": Measurement(moved, bound, cases, size),
        "pe-add.terms": Measurement(largest(terms.sum(0) - scores), bound, cases, size),
    }
    return found, {"added": added, "terms": terms, "scores": scores, "beside": beside.scores[0], "moved": moved}


def _word_and_place(attention: Attention, given: dict[str, Any], side: str) -> tuple[Tensor, Tensor]:
    """The words of one side and what is added to each (1, tokens, d_model)."""
    place, words = attention.module.added_position, given[side]
    assert place is not None
    return words, place(torch.zeros_like(words), given[f"{side}_positions"])


def _side_by_side(attention: Attention, config: ShuffleConfig, *, biases: bool = True) -> MultiHeadAttention:
    """The module that is given a word and its place side by side, each matrix with the same block for both.

    Args:
        attention: The module that adds them.
        config: Whether W_K has no block for places.
        biases: Whether it has the other module's biases.
    """
    narrow = attention.module
    assert narrow.in_weight is not None
    given: Any = {f"{role}_bias": biases and config.biases for role in "qkv"}
    wide = MultiHeadAttention(
        2 * D_MODEL, NUM_HEADS, d_head=narrow.d_head, output_projection=False, **given,
        device=config.torch_device, dtype=config.torch_dtype,
    )  # fmt: skip
    places = narrow.in_weight.clone()
    if config.without_block:
        places[D_MODEL : 2 * D_MODEL] = 0
    state = {"in_weight": torch.cat((narrow.in_weight, places), 1)}
    wide.load_state_dict(state | {name: getattr(narrow, name) for name, on in given.items() if on})
    return wide.eval()


def _terms(
    attention: Attention, config: ShuffleConfig, query: tuple[Tensor, Tensor], key: tuple[Tensor, Tensor]
) -> Tensor:
    """The four terms (4, heads, q_len, kv_len), of the wide module given words alone, and places alone.

    In float64, since no pass of the module computes a term by itself, and biases go with the words.
    """
    parts = []
    for side, biases in ((0, True), (1, False)):
        module = _side_by_side(attention, config, biases=biases).to("cpu", torch.float64)
        q_side, k_side = (
            on_cpu(torch.cat([part if at == side else torch.zeros_like(part) for at, part in enumerate(given)], -1))
            for given in (query, key)
        )
        parts.append(module.into_heads(q_side, k_side, k_side)[:2])
    return torch.cat([q @ k.mT * attention.module.scale for q, _ in parts for _, k in parts])


def _bound(
    module: MultiHeadAttention, trace: AttentionTrace, wide: MultiHeadAttention, beside: AttentionTrace,
    sums: tuple[Tensor, Tensor],
) -> float:  # fmt: skip
    """Largest difference of two scores that rounding explains, of a module that adds and one that does not.

    Beside what it makes of the sums in either module, rounding moves each number of x + p, which W_Q and W_K carry to
    the queries, the keys and their products.
    """
    dtype, (q, k) = trace.scores.dtype, (on_cpu(part) for part in (trace.q, trace.k))
    matrices = (module.q_weight, module.k_weight)
    at_q, at_k = (
        split_heads(variance(on_cpu(z), dtype, terms=1) @ on_cpu(w).square().mT, module.num_heads)
        for z, w in zip(sums, matrices, strict=True) if w is not None
    )  # fmt: skip
    added = module.scale**2 * (at_q @ k.square().mT + q.square() @ at_k.mT)
    passes = max(score_tolerance(module, trace), score_tolerance(wide, beside))
    return passes + LAMBDA * math.sqrt(float(added.max()))


def _tied(config: ShuffleConfig) -> Theory:
    """A sum is a concatenation whose two blocks are one matrix."""
    return Fails(_("W_K has no block for places")) if config.without_block else Holds()


TESTS: Final = (
    ClaimTest("pe-add.beside", "≤",
              _("the scores of words plus places, and of words beside places, differ by at most"),
              "max |S(x + p) − S([x; p])|", theory=_tied),
    ClaimTest("pe-add.terms", "≤", _("the four terms add up to the scores but for at most"),
              _("max |four terms − S(x + p)|"), theory=_tied),
)  # fmt: skip
