"""Rotary pairs of neighbours and of halves: one function of weights whose rows are in another order.

Stretched angles change nothing of that, since either pairing has them; of a head that turns in part, the rows of that
part are in another order alone.
"""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import output_tolerance, score_tolerance
from attention_core.measuring.choices import rotary_of
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Rotary
from attention_core.studies.exactness.settings import D_HEAD, D_MODEL, HEADS, ExactnessConfig


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pairs(Record):
    """What the two pairings gave.

    Attributes:
        neighbours: Scores with pairs of neighbours, mean of the heads (tokens, tokens).
        halves: Scores with pairs of halves and reordered rows, likewise.
        unordered: Scores with pairs of halves and rows as they were, likewise.
        moved: Largest difference of each word's output (tokens,).
        bound: What rounding may leave.
        order: The rows of a head whose neighbours turn together, in the order in which its halves do.
    """

    neighbours: np.ndarray
    halves: np.ndarray
    unordered: np.ndarray
    moved: np.ndarray
    bound: float
    order: tuple[int, ...]


def order_of(turned: int) -> tuple[int, ...]:
    """The rows of a head whose neighbours turn together, in the order in which its halves do.

    Args:
        turned: How many of them turn.
    """
    return (*range(0, turned, 2), *range(1, turned, 2), *range(turned, D_HEAD))


@torch.no_grad()
def measure_pairs(config: ExactnessConfig) -> tuple[dict[str, Measurement], Pairs]:
    """Both pairings of one attention."""
    rotary = rotary_of(config.positions, D_HEAD)
    module = MultiHeadAttention(D_MODEL, HEADS, position=rotary, dtype=torch.float64)
    module = draw_parameters(module, config.seed, bias_std=0.5).to(config.torch_device, config.torch_dtype)
    x = embed(config.tokens, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    order = order_of(rotary.size(D_HEAD))
    halves = in_halves(module, order, keys=not config.one_side)
    unordered = deepcopy(module)
    unordered.position = replace(rotary, halves=True)
    one, other, bare = (each.trace(x) for each in (module, halves, unordered))
    off = (on_cpu(one.output) - on_cpu(other.output)).abs()
    bound = output_tolerance(module, one)
    own, met = (_own_scores(each) for each in (one, other if config.one_side else bare))
    tokens = ngettext_lazy("{count:,} token", "{count:,} tokens", len(config.tokens))
    found = {
        "rope-pairs.same": Measurement(largest(off), bound, tokens, largest(one.output)),
        "rope-pairs.own": Measurement(
            largest(own - met),
            score_tolerance(module, _with_itself(one)),
            tokens,
            float(one.scores.max() - one.scores.min()),
        ),
    }
    return found, Pairs(
        neighbours=_mean(one.scores), halves=_mean(other.scores), unordered=_mean(bare.scores),
        moved=off.amax((0, 2)).numpy(), bound=bound, order=order,
    )  # fmt: skip


def in_halves(module: MultiHeadAttention, order: tuple[int, ...], *, keys: bool = True) -> MultiHeadAttention:
    """A copy that turns pairs of halves, with the rows of W_Q, and of W_K unless not, in ``order``."""
    made = deepcopy(module)
    assert isinstance(module.position, Rotary)
    made.position = replace(module.position, halves=True)
    for each in (made.q_weight, made.q_bias, *((made.k_weight, made.k_bias) if keys else ())):
        assert each is not None
        each.copy_(each.unflatten(0, (HEADS, D_HEAD))[:, list(order)].flatten(0, 1))
    return made


def _own_scores(trace: AttentionTrace) -> Tensor:
    """The score of each word with itself (batch, heads, tokens)."""
    return on_cpu(trace.scores).diagonal(dim1=-2, dim2=-1)


def _with_itself(trace: AttentionTrace) -> AttentionTrace:
    """The trace of as many texts of one word as there are words, each of which meets itself alone."""
    q, k = (each[0].transpose(0, 1)[:, :, None] for each in (trace.q, trace.k))  # (tokens, heads, 1, d_head)
    scores = trace.scores[0].diagonal(dim1=-2, dim2=-1).T[..., None, None]  # (tokens, heads, 1, 1)
    return trace._replace(q=q, k=k, scores=scores, masked_scores=scores)


def _mean(scores: Tensor) -> np.ndarray:
    return on_cpu(scores)[0].mean(0).numpy()


def _same(config: ExactnessConfig) -> Theory:
    """Scores change with the rows, and weights with these unless there is one key or all are one."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    return Fails(_ONE_SIDE) if config.one_side else Holds()


def _own(config: ExactnessConfig) -> Theory:
    return Fails(_ONE_SIDE) if config.one_side else Holds()


_ONE_SIDE: Final = _("the rows of W_Q are reordered and those of W_K are not, so other numbers meet")
TESTS: Final = (
    ClaimTest("rope-pairs.same", "≤", _("with rows in the order of halves the outputs differ by at most"),
              "max |f(x) − f_halves(x)|", theory=_same),
    ClaimTest("rope-pairs.own", "≤", _("where a word meets itself the scores differ, in any order, by at most"),
              "max |score_ii − score_ii of halves|", theory=_own),
)  # fmt: skip
