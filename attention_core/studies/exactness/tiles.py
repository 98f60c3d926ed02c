"""Softmax tile by tile beside softmax of whole rows: what differs, and how many numbers are alive at once."""

import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from random import Random
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing
from attention_core.measuring.inputs import draw_parameters, embed
from attention_core.measuring.judge import ClaimTest, Measurement, largest
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.vacuous import no_other_output
from attention_core.measuring.watch import Watch
from attention_core.modules.dot_product import attention_weights, precise_scores, product
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.tiled import SoftmaxPart, merge_parts, tile_parts
from attention_core.studies.exactness.settings import D_HEAD, D_MODEL, HEADS, ExactnessConfig

LENGTHS: Final = (32, 64, 128, 256, 512)  # the last two have four of the largest tiles, as many as are alive at once
SCALE: Final = D_HEAD**-0.5


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tiles(Record):
    """What tiles gave.

    Attributes:
        order: The tiles as they were taken.
        plain: Weights of whole rows, mean of the heads (tokens, tokens).
        weights: What softmax over the tiles so far is, after each (tiles, tokens, tokens).
        maxima: The maximum after each tile (tiles, heads, tokens).
        totals: The sum after each tile (tiles, heads, tokens).
        moved: Largest difference of each word's context to that of whole rows (tokens,).
        bound: What rounding may leave.
        alive: Numbers alive at once for texts of ``LENGTHS``, with tiles and without (2, lengths).
    """

    order: tuple[int, ...]
    plain: np.ndarray
    weights: np.ndarray
    maxima: np.ndarray
    totals: np.ndarray
    moved: np.ndarray
    bound: float
    alive: np.ndarray


def measure_tiles(config: ExactnessConfig) -> tuple[dict[str, Measurement], Tiles]:
    """Tiles beside whole rows."""
    q, k, v = _projected(config)
    scale = SCALE * config.factor
    whole = product(attention_weights(q, k, scale=scale, is_causal=config.causal), v)
    order = order_of(config)
    parts = list(tile_parts(q, k, v, tile=config.tile, order=order, scale=scale, is_causal=config.causal))
    if config.no_maximum:
        parts = list(map(_without_maximum, parts))
    so_far = [parts[0]]
    for part in parts[1:]:
        so_far.append(_merge(config)(so_far[-1], part))
    off = (on_cpu(so_far[-1].context.to(v.dtype)) - on_cpu(whole)).abs()
    bound = tiled_tolerance(q, k, v, scale=scale, tiles=config.tiles, is_causal=config.causal)
    alive = _all_alive(config.tile, causal=config.causal, kept=config.kept)
    found = {
        "tile-exact": Measurement(
            largest(off), bound, ngettext_lazy("{count} tile", "{count} tiles", config.tiles), largest(v)
        ),
        "tile-memory": Measurement(
            alive[-1][0] - 2 * alive[-2][0],
            0.0,
            _("{least} and {most} words", least=LENGTHS[-2], most=LENGTHS[-1]),
            alive[-2][0],
        ),
    }
    return found, Tiles(
        order=tuple(order),
        plain=on_cpu(attention_weights(q, k, scale=scale, is_causal=config.causal))[0].mean(0).numpy(),
        weights=_weights_so_far(config, q, k, order, so_far),
        maxima=torch.stack([on_cpu(part.maximum)[0, ..., 0] for part in so_far]).numpy(),
        totals=torch.stack([on_cpu(part.total)[0, ..., 0] for part in so_far]).numpy(),
        moved=off.amax((0, 1, 3)).numpy(),
        bound=bound,
        alive=np.array(alive, float).T,
    )


def order_of(config: ExactnessConfig) -> Sequence[int]:
    """The tiles in the order in which they are taken."""
    forwards = range(config.tiles)
    if config.order == "shuffled":
        return sorted(forwards, key=Random(config.seed).sample(forwards, len(forwards)).__getitem__)
    return forwards if config.order == "forwards" else forwards[::-1]


def tiled_tolerance(q: Tensor, k: Tensor, v: Tensor, *, scale: float, tiles: int, is_causal: bool) -> float:
    """Largest difference of two contexts that rounding explains, one of whole rows and one of so many tiles.

    A score is off by the rounding of a sum of d_head + 2 terms, and exp of what is left of it by that of the
    difference, u |s − m|, and its own, u. Each merge rescales what was summed up: the differences of maxima, which
    together are no more than the row's range, their exp, and two products. All of that moves a weight a_j by its own
    relative error e_j, and the context by Σ a_j e_j (v_j − context). The sums of the row and of the mixture are off
    by √(keys + tiles) roundings of what they add up. In half precision all this happens in float32; whole rows
    round their weights, and both their results.
    """
    dtype = q.dtype
    u = torch.finfo(torch.float32 if is_half(dtype) else dtype).eps / 2
    q, k, v = (on_cpu(each) for each in (q, k, v))
    scores = q @ k.mT * scale
    n = scores.shape[-1]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1) & is_causal
    masked = scores.masked_fill(hidden, -math.inf)
    below = (masked - masked.amax(-1, keepdim=True)).masked_fill(hidden, 0.0).abs()
    sizes = scale**2 * (q.square() @ k.square().mT) * (q.shape[-1] + 2) + scores.square()
    relative = u**2 * (sizes + below.square() + below.amax(-1, keepdim=True).square() + 2 + 3 * tiles)
    weights = masked.softmax(-1)
    context = weights @ v
    squares = (weights.square() * relative).masked_fill(hidden, 0.0)
    spread = squares @ v.square() - 2 * context * (squares @ v) + context.square() * squares.sum(-1, keepdim=True)
    sums = (n + tiles) * u**2 * (weights.square() @ v.square() + context.square())
    error = spread.clamp(min=0) + sums
    if not is_half(dtype):
        return LAMBDA * math.sqrt(2 * float(error.max()))
    error = error + (spacing(weights, dtype).square() / 12) @ v.square() / 2  # of one of the two
    return LAMBDA * math.sqrt(2 * float(error.max())) + float(spacing(context, dtype).max())


def _projected(config: ExactnessConfig) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values (1, heads, tokens, d_head) of the words."""
    module = draw_parameters(MultiHeadAttention(D_MODEL, HEADS, dtype=torch.float64), config.seed, bias_std=0.5)
    x = embed(config.tokens, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    trace = module.to(config.torch_device, config.torch_dtype).trace(x)
    return trace.q, trace.k, trace.v


def _merge(config: ExactnessConfig) -> Callable[[SoftmaxPart, SoftmaxPart], SoftmaxPart]:
    return _unscaled if config.unscaled else merge_parts


def _unscaled(one: SoftmaxPart, other: SoftmaxPart) -> SoftmaxPart:
    """What becomes of a merge that only adds up."""
    maximum = torch.maximum(one.maximum, other.maximum)
    return SoftmaxPart(maximum, one.total + other.total, one.mixture + other.mixture)


def _without_maximum(part: SoftmaxPart) -> SoftmaxPart:
    """The part counted from 0 instead of its maximum; a row without keys stays as it is."""
    grown = part.maximum.masked_fill(part.maximum == -math.inf, 0.0).exp()
    return SoftmaxPart(torch.zeros_like(part.maximum), part.total * grown, part.mixture * grown)


def _weights_so_far(
    config: ExactnessConfig, q: Tensor, k: Tensor, order: Sequence[int], so_far: Sequence[SoftmaxPart]
) -> np.ndarray:
    """exp(score − maximum) over the sum, of the keys of the tiles so far, mean of the heads."""
    scores = on_cpu(precise_scores(q, k, scale=SCALE * config.factor))[0]
    n = scores.shape[-1]
    if config.causal:
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -math.inf)
    taken, found = torch.zeros(n, dtype=torch.bool), []
    for tile, part in zip(order, so_far, strict=True):
        taken[tile * config.tile : (tile + 1) * config.tile] = True
        total = on_cpu(part.total)[0]
        shares = (scores.masked_fill(~taken, -math.inf) - on_cpu(part.maximum)[0].clamp(min=-1e300)).exp()
        found.append((shares / total.masked_fill(total == 0, 1.0)).mean(0))
    return torch.stack(found).numpy()


class _Alive(Watch):
    """Counts the numbers of all tensors that are made while it is on and not yet let go: at most so many at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self._known = set[int]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for each in out if isinstance(out, tuple | list) else (out,):
            if isinstance(each, Tensor):
                self._count(each)
        return out

    def given(self, *tensors: Tensor) -> None:
        """What was there before, and is not counted."""
        self._known |= {each.untyped_storage()._cdata for each in tensors}  # noqa: SLF001 - a storage's identity

    def _count(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key, numbers = storage._cdata, storage.nbytes() // max(1, tensor.itemsize)  # noqa: SLF001
        if key in self._known:
            return
        self._known.add(key)
        self.now += numbers
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._let_go, key, numbers)

    def _let_go(self, key: int, numbers: int) -> None:
        self._known.discard(key)
        self.now -= numbers


def _alive(attend: Callable[[Tensor, Tensor, Tensor], Tensor], length: int) -> int:
    """Numbers alive at once in one head's attention of a text of that length, beside what it is given."""
    q, k, v = (torch.zeros(1, length, D_HEAD, dtype=torch.float32) for _ in range(3))
    with _Alive() as counter:
        counter.given(q, k, v)
        attend(q, k, v)
    return counter.most


@cache
def _all_alive(tile: int, *, causal: bool, kept: bool) -> tuple[tuple[int, int], ...]:
    """Numbers alive at each of ``LENGTHS``, with tiles and without: they depend on no number and are counted once."""

    def tiled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        parts = tile_parts(q, k, v, tile=tile, is_causal=causal)
        return reduce(merge_parts, list(parts) if kept else parts).context

    return tuple((_alive(tiled, n), _alive(_untiled, n)) for n in LENGTHS)


def _untiled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return product(attention_weights(q, k), v)


def _exact(config: ExactnessConfig) -> Theory:
    """Without rescaling sums of different maxima are added; without the maximum exp has no room."""
    if not config.differs:
        return Open(no_other_output(config.tokens))
    scores = _scores(config)
    if config.no_maximum:
        limits = torch.finfo(torch.float32 if is_half(config.torch_dtype) else config.torch_dtype)
        highest = float(scores.amax())
        most = math.log(limits.max)
        if highest > 1.01 * most:
            return Fails(_("exp of the largest score is more than the precision can hold"))
        if highest > 0.9 * most or float(scores.amax(-1).min()) < 0.9 * math.log(limits.tiny):
            return Open(_("exp of the largest or smallest score comes near what the precision can hold"))
    if config.unscaled and not config.no_maximum:
        if config.tiles == 1:
            return Open(_ONE_TILE)
        tops = torch.stack([part.amax(-1) for part in scores.split(config.tile, dim=-1)])
        seen = tops.isfinite()
        if bool(((tops.nan_to_num(neginf=-1e9).amax(0) != tops) & seen).any()):
            return Fails(_("what was summed up below another maximum is added as it is"))
    return Open(_ONE_TILE) if config.tiles == 1 else Holds()


def _scores(config: ExactnessConfig) -> Tensor:
    """The scores in float64, as the settings make them: once for each two words, so that equal ones stay equal."""
    module = draw_parameters(MultiHeadAttention(D_MODEL, HEADS, dtype=torch.float64), config.seed, bias_std=0.5)
    words = tuple(dict.fromkeys(config.tokens))
    scores = module.trace(embed(words, D_MODEL, config.seed)[None]).scores.detach() * config.factor
    at = [words.index(word) for word in config.tokens]
    scores = scores[..., at, :][..., at]
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -math.inf) if config.causal else scores


def _linear(config: ExactnessConfig) -> Theory:
    """A list of all parts has a row of mixtures for each tile."""
    kept = _("a mixture is kept for each tile, and a longer text has more of them")
    return Fails(kept) if config.kept else Holds()


_ONE_TILE: Final = _("the tile is as long as the text or longer: there is one, and nothing is merged")
TESTS: Final = (
    ClaimTest("tile-exact", "≤", _("tile by tile the contexts differ from those of whole rows by at most"),
              "max |tiled(q, k, v) − softmax(q kᵀ) v|", theory=_exact),
    ClaimTest("tile-memory", "≤", _("what a text of twice the length keeps alive beyond twice as many numbers is"),
              _("numbers alive for 2n words − 2 · those for n"), theory=_linear, rounds=False),
)  # fmt: skip
