"""What a score is left with when all places move on together, as where a text stands after another one.

Claim: ``rope-relative`` rotary positions and ALiBi let a score depend on how far apart two words are; positions that
are added to the words let it depend on where they stand.

::

    (R_p q) · (R_r k) = q · R_(r − p) k,   so   (R_(p + c) q) · (R_(r + c) k) = (R_p q) · (R_r k)

for the rotation R_p by the angles of place p and any number c: Su et al. (2021), "RoFormer", section 3.2.2. ALiBi's
penalty is of |p − r| alone: Press et al. (2022), section 3. Of W_Q (x + p) · W_K (y + r) two terms and more change.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, score_tolerance, spacing, variance
from attention_core.measuring.choices import position_of, rotary_of, turns
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Learned
from attention_core.studies.permutation.module import Attention
from attention_core.studies.permutation.settings import ADDED, ALL_NAMES, D_HEAD, NUM_HEADS, PermutationConfig

OFFSET: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AlongResult(Result):
    """Scores of a text at its places, and with all places moved on, of two kinds of positions.

    Attributes:
        positions: Names of the two kinds: the page's own, and one of the other sort.
        offsets: By how much their places were moved on.
        here: Scores as softmax sees them at the places 0, 1, 2 … (2, heads, q_len, kv_len).
        there: The same with all places moved on.
        moved: Largest absolute difference of the two, for each kind.
    """

    positions: tuple[str, str]
    offsets: tuple[int, int]
    here: np.ndarray
    there: np.ndarray
    moved: tuple[float, float]


def run_along(config: PermutationConfig) -> AlongResult:
    """Score a text as written, without a mask, at its places and 16 places on.

    Args:
        config: Where it has no positions, rotary ones are taken. Of the learned ones there are 64: a long text is
            moved as far as they reach.
    """
    return run_tests(AlongResult, config, TESTS, _measure)


def kinds_of(config: PermutationConfig) -> tuple[str, str]:
    """The kind of positions that the claim is measured of, and one of the other sort, added or not."""
    own = "rotary" if config.positions == "none" else config.positions
    return own, "rotary" if own in ADDED else "sinusoidal"


def offset_of(config: PermutationConfig, positions: str) -> int:
    """By how much all places are moved on."""
    kind, length = position_of(positions, D_HEAD), _length(config)
    return min(OFFSET, kind.max_len - length) if isinstance(kind, Learned) else OFFSET


def _length(config: PermutationConfig) -> int:
    """How many places queries and keys reach together, before they are moved on."""
    return max(len(config.tokens), len(config.keys))


@torch.inference_mode()
def _measure(config: PermutationConfig) -> Measurements:
    kinds = kinds_of(config)
    offsets = tuple(offset_of(config, kind) for kind in kinds)
    scores, moved, bounds = [], [], []
    for kind, offset in zip(kinds, offsets, strict=True):
        attention = Attention(replace(config, positions=kind, mask="none", keys_alone=False, carried=False))
        given = attention.arguments(*(torch.arange(len(words))[None] for words in (config.tokens, config.keys)))
        on = {name: given[name] + offset for name in ("query_positions", "key_positions")}
        traces = [attention.module.trace(**given | places) for places in ({}, on)]
        scores.append([on_cpu(trace.masked_scores)[0] for trace in traces])
        moved.append(largest(scores[-1][1] - scores[-1][0]))
        bounds.append(_bound(attention.module, kind, int(on["key_positions"].max()), *traces))
    heads = ngettext_lazy("{count:,} head", "{count:,} heads", NUM_HEADS)
    own, other = (
        Measurement(change, bound, _("all pairs, {heads}, {offset} places on", heads=heads, offset=offset))
        for change, bound, offset in zip(moved, bounds, offsets, strict=True)
    )
    added = own if kinds[0] in ADDED else other
    found = {"rope-relative": own._replace(size=added.measured), "rope-relative.added": added}
    here, there = (torch.stack(each) for each in zip(*scores, strict=True))
    return found, {"positions": kinds, "offsets": offsets, "here": here, "there": there, "moved": tuple(moved)}


def _bound(module: MultiHeadAttention, positions: str, farthest: int, *traces: AttentionTrace) -> float:
    """Largest difference of two scores that rounding explains.

    What is not added to the words meets queries and keys that are the same numbers in both passes, whatever rounding
    made of them before. Each pass rounds the turned ones and their product; in half precision the product, the scaled
    one and the sum with a penalty by half a spacing each. Rotary positions round their angles, too: place times
    frequency, which is 1 at most, by half an eps of it, cosine and sine by half an eps each. In either pass that
    turns a query and a key by as much, and moves their product by so much of their lengths.
    """
    if positions in ADDED:
        return score_tolerance(module, *traces)
    dtype, rotary = traces[0].scores.dtype, turns(positions)
    precise = torch.float64 if dtype == torch.float64 else torch.float32
    errors = [_variance(module, trace, rotary=rotary) for trace in traces]
    each = LAMBDA * (errors[0] + errors[1]).sqrt()
    if is_half(dtype):
        sizes = [on_cpu(part).abs() for trace in traces for part in (trace.scores, trace.masked_scores)]
        each = each + 2 * 3 / 2 * spacing(torch.stack(sizes).amax(0), dtype)
    bound = float(each.max())
    if not rotary:
        return bound
    q, k = (on_cpu(part).norm(dim=-1).amax(-1) for part in (traces[0].q, traces[0].k))
    return bound + 2 * 2 * torch.finfo(precise).eps / 2 * (farthest + 2) * float((q * k).max()) * module.scale


def _variance(module: MultiHeadAttention, trace: AttentionTrace, *, rotary: bool) -> Tensor:
    """Variance of what each score inherits and of its sum (1, heads, q_len, kv_len); that in half precision is exact.

    Each turned number is two products and a sum, of parts no longer than the head.
    """
    dtype, (q, k, masked) = trace.scores.dtype, map(on_cpu, (trace.q, trace.k, trace.masked_scores))
    error, products = torch.zeros_like(masked), module.scale**2 * q.square() @ k.square().mT
    if not is_half(dtype):
        error = variance(masked, dtype, terms=q.shape[-1] + 3, squares=products + masked.square())
    if not rotary:
        return error
    at_q, at_k = (variance(z, dtype, terms=3, squares=z.square().sum(-1, keepdim=True).expand_as(z)) for z in (q, k))
    return error + module.scale**2 * (at_q @ k.square().mT + q.square() @ at_k.mT)


def _no_room(config: PermutationConfig, positions: str) -> Open | None:
    full = _("the table of learned positions has no place left to move on to")
    return None if offset_of(config, positions) else Open(full)


def _stays(config: PermutationConfig) -> Theory:
    """A score of places that are not added depends on their difference alone, unless angles know of the reach."""
    own, _other = kinds_of(config)
    if own not in ADDED:
        return Fails(_REACH) if _length(config) > 1 and _turn_otherwise(config, own) else Holds()
    added = _("{positions} positions are added to the tokens", positions=ALL_NAMES[own])
    return _no_room(config, own) or Fails(added)


def _changes(config: PermutationConfig) -> Theory:
    """A score of words to which places are added depends on each of them."""
    return _no_room(config, next(kind for kind in kinds_of(config) if kind in ADDED)) or Holds()


def _turn_otherwise(config: PermutationConfig, positions: str) -> bool:
    """Whether pairs turn by other angles from place to place once all places have moved on."""
    if not turns(positions):
        return False
    rotary, length = rotary_of(positions, D_HEAD), _length(config)
    here, there = (rotary.frequencies(D_HEAD, length=reach) for reach in (length, length + OFFSET))
    return not torch.equal(here, there)


_REACH: Final = _("its angles depend on how far the places reach")
TESTS: Final = (
    ClaimTest("rope-relative", "≤", _("with all places moved on together, the scores change by at most"),
              "max |S(p + c, r + c) − S(p, r)|", theory=_stays),
    ClaimTest("rope-relative.added", "≥",
              _("with positions that are added to the words, the scores change by up to"),
              _("max |S(p + c, r + c) − S(p, r)|, places added"), theory=_changes),
)  # fmt: skip
