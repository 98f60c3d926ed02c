"""Which matrix makes the queries and which the keys: nothing in the layer says so (``qkv-names``).

What tells the two apart is softmax alone, which runs over the keys of a query, and W_V, which is read at the keys.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, score_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.measuring.verdict import Result
from attention_core.modules.dot_product import product, softmax_over_keys
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.projections.parts import NO_TWO_WORDS, attention, mask, words
from attention_core.studies.projections.settings import ProjectionsConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesResult(Result):
    """A module, and the one in which W_Q and W_K have changed places.

    Attributes:
        scores: q · k · scale (heads, tokens, tokens).
        exchanged: The same of the other module, whose queries are the keys of the first.
        output: (tokens, d_model).
        output_exchanged: That of the other module with its scores transposed, so that softmax runs over its queries.
        moved: Largest absolute difference of the outputs.
    """

    scores: np.ndarray
    exchanged: np.ndarray
    output: np.ndarray
    output_exchanged: np.ndarray
    moved: float


def run_names(config: ProjectionsConfig) -> NamesResult:
    """Exchange W_Q with W_K and b_Q with b_K, and transpose the scores and the mask."""
    return run_tests(NamesResult, config, TESTS, _measure)


def _measure(config: ProjectionsConfig) -> Measurements:
    module, other, hidden = attention(config), _exchanged(config), mask(config)
    trace = module.trace(words(config), attn_mask=hidden)
    turned = other.trace(words(config), attn_mask=None if hidden is None else hidden.mT)
    weights = softmax_over_keys(turned.masked_scores.mT, dtype=turned.v.dtype)
    output = other.out_of_heads(product(weights, turned.v))
    scores, exchanged = on_cpu(trace.scores)[0], on_cpu(turned.scores)[0]
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", config.num_heads)
    moved = largest(on_cpu(output) - on_cpu(trace.output))
    bounds = score_tolerance(module, trace), output_tolerance(module, trace)
    found = {
        "qkv-names.scores": Measurement(
            largest(exchanged.mT - scores), bounds[0], _("all pairs, {heads}", heads=heads), largest(scores)
        ),
        "qkv-names.output": Measurement(
            moved, bounds[1], _("all tokens, {heads}", heads=heads), largest(on_cpu(trace.output))
        ),
    }
    return found, {
        "scores": scores,
        "exchanged": exchanged,
        "output": trace.output[0],
        "output_exchanged": output[0],
        "moved": moved,
    }


def _exchanged(config: ProjectionsConfig) -> MultiHeadAttention:
    """The module in which W_Q and W_K have changed places; of one side only, W_K stays and W_Q is W_K."""
    module, given = attention(config), attention(config)
    pairs = [("q", "k")] if config.one_side else [("q", "k"), ("k", "q")]
    for name, source in pairs:
        for part in ("weight", "bias", "norm"):
            here, there = (getattr(one, f"{role}_{part}") for one, role in ((module, name), (given, source)))
            if here is not None:
                (here.weight if part == "norm" else here).data.copy_(there.weight if part == "norm" else there)
    return module


def _mirrored(config: ProjectionsConfig) -> Theory:
    """The scores of the one are those of the other, transposed."""
    if config.one_side:
        return Fails(_ONE_SIDE)
    return Holds() if config.differ else Open(NO_TWO_WORDS)


def _same(config: ProjectionsConfig) -> Theory:
    """Softmax over the other axis makes the same weights, and so the same output."""
    if not config.differ:
        return Open(no_other_output(config.tokens))
    return Fails(_ONE_SIDE) if config.one_side else Holds()


_ONE_SIDE: Final = _("only one of the two is changed")
TESTS: Final = (
    ClaimTest("qkv-names.scores", "≤", _("the scores, transposed, differ by at most"), "max |S′ᵀ − S|",
              theory=_mirrored),
    ClaimTest("qkv-names.output", "≤", _("the outputs differ by at most"), "max |f(X; W_K, W_Q) − f(X; W_Q, W_K)|",
              theory=_same),
)  # fmt: skip
