"""What happens inside one row of softmax: −10000 against −∞, and a row that sees no key at all."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_core.device import supported_dtypes
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import sum_tolerance
from attention_core.measuring.inputs import draw, draw_parameters, embed
from attention_core.measuring.judge import ClaimTest, Measurement
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.modules.dot_product import mask_scores, softmax_over_keys
from attention_core.modules.masks import to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.masks.settings import D_MODEL, NUM_HEADS, MasksConfig

ROWS, KEYS = 64, 16
HIDES = -10000.0
TIMES = 2  # that a sentence without keys is sent through attention
STDS = tuple(float(f"{std:.3g}") for std in 10 ** np.linspace(-1, 6, 29))


@dataclass(frozen=True, slots=True, kw_only=True)
class Additive(Record):
    """−10000 against −∞ over score size, in each precision.

    Attributes:
        stds: Standard deviations of the scores (steps,).
        dtypes: Names of the precisions.
        difference: Largest difference of two weights (dtypes, steps); NaN where the scores overflow.
        row: Largest difference between a row in which every key gets −10000 and the same row unmasked (dtypes,).
        uniform: Largest difference between such a row and equal weights (dtypes,).
    """

    stds: np.ndarray
    dtypes: tuple[str, ...]
    difference: np.ndarray
    row: np.ndarray
    uniform: np.ndarray


def scores_and_mask(config: MasksConfig) -> tuple[Tensor, Tensor]:
    """Scores ~ N(0, 1) ``(64, 16)`` in float64, and a mask that hides the second half of the keys."""
    return draw((ROWS, KEYS), config.seed, "scores"), (torch.arange(KEYS) < KEYS // 2).expand(ROWS, KEYS)


def additive_difference(config: MasksConfig, stds: Sequence[float], dtype: torch.dtype) -> Tensor:
    """Largest difference between weights under −10000 and under −∞ (stds,); NaN where the scores overflow."""
    scores, visible = scores_and_mask(config)
    sizes, visible = torch.tensor(stds, dtype=torch.float64), visible.to(config.torch_device)
    scores = (sizes[:, None, None] * scores).to(config.torch_device, dtype)
    soft, hard = (
        on_cpu(softmax_over_keys(mask_scores(scores, mask)))
        for mask in (to_additive(visible, dtype, value=HIDES), visible)
    )
    return (soft - hard).abs().amax((1, 2))


def compare_additive(config: MasksConfig) -> Additive:
    """Both masks over score size, in every precision of the device; and a row that hides every key."""
    names = supported_dtypes(config.torch_device)
    dtypes = [getattr(torch, name) for name in names]
    scores, visible = scores_and_mask(config)
    rows = []
    for dtype in dtypes:
        here = scores.to(config.torch_device, dtype)
        nothing = torch.zeros_like(visible).to(config.torch_device)
        all_hidden = softmax_over_keys(mask_scores(here, to_additive(nothing, dtype, value=HIDES)))
        free = softmax_over_keys(here)
        rows.append([float((all_hidden - other).abs().max()) for other in (free, torch.full_like(free, 1 / KEYS))])
    return Additive(
        stds=np.array(STDS),
        dtypes=tuple(names),
        difference=torch.stack([additive_difference(config, STDS, dtype) for dtype in dtypes]).numpy(),
        row=np.array([row[0] for row in rows]),
        uniform=np.array([row[1] for row in rows]),
    )


def measure_additive(config: MasksConfig) -> Measurement:
    """mask-additive: the weights under −10000 beside those under −∞."""
    moved = float(additive_difference(config, [config.score_std], config.torch_dtype))
    note = _("scores lie less than 10,000 apart here")
    return Measurement(
        moved, _additive_bound(config), _("scores of std {std:,}", std=config.score_std), size=1.0, note=note
    )


def _additive_bound(config: MasksConfig) -> float:
    return sum_tolerance(config.torch_dtype, scale=1.0, terms=KEYS, rounded=0.0)


def _hidden_weight(config: MasksConfig) -> tuple[float, float]:
    """The most weight that hidden keys of a row get together under −10000, and the least that the best of them gets.

    Where the best hidden key of a row lies ``gap`` above its best visible one, hidden keys together get at most
    n · e^(gap − 10⁴) of the weight, and the best of them at least e^(gap − 10⁴) / (n/2 · (1 + e^(gap − 10⁴))). The
    precision moves a score by half a unit in its last place, and once more when −10000, itself rounded, is added.
    """
    scores, visible = scores_and_mask(config)
    scores = config.score_std * scores
    hidden, seen = (scores.masked_fill(~keep, -torch.inf).amax(-1) for keep in (~visible, visible))
    error = torch.finfo(config.torch_dtype).eps * (2 * float(scores.abs().max()) - HIDES)
    above = float((hidden - seen).max()) + HIDES
    most, least = KEYS * math.exp(min(0.0, above + error)), math.exp(min(0.0, above - error))
    return most, least / (KEYS / 2 * (1 + least))


def _hides(config: MasksConfig) -> Theory:
    """−10000 hides a key, unless scores lie farther apart than that."""
    (most, least), bound = _hidden_weight(config), _additive_bound(config)
    if least <= bound < most:
        return Open(_("scores lie about as far apart as the mask moves them"))
    leaks = _("scores lie more than 10,000 apart, so −10000 does not hide a key")
    return Fails(leaks) if least > bound else Holds()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindRow(Record):
    """A sentence whose last word sees no key, through two layers of attention.

    Attributes:
        weights: Mean over the heads, of each layer (layers, n, n).
        context: What the last word's heads read in each layer (layers, heads · d_head).
        output: Its output minus b_O in each layer (layers, d_model).
        gradient: How many numbers of ∂L/∂x are not finite, of how many.
    """

    weights: np.ndarray
    context: np.ndarray
    output: np.ndarray
    gradient: tuple[int, int]


Attend = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]


def blind_row(config: MasksConfig, *, naive: bool = False) -> BlindRow:
    """The last word of the first sentence sees no key.

    Args:
        config: The settings.
        naive: Whether softmax is taken as it is written down, of −∞ in all of a row and all, instead of the module's.
            Its gradient is that of −∞ added and NaN zeroed after softmax.
    """
    tokens = config.sentences[0]
    made = MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64)
    module = draw_parameters(made, config.seed, bias_std=0.1).to(config.torch_device, config.torch_dtype)
    x = embed(tokens, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    mask = torch.ones(len(tokens), len(tokens), dtype=torch.bool, device=x.device)
    mask[-1] = False

    def by_module(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        trace = module.trace(x, attn_mask=mask)
        return trace.weights, trace.context, module(x, attn_mask=mask)

    def by_softmax_alone(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        trace = module.trace(x, attn_mask=mask)
        weights = trace.masked_scores.softmax(-1)
        return weights, weights @ trace.v, module.out_of_heads(weights @ trace.v)

    def zeroed_late(x: Tensor) -> Tensor:
        trace = module.trace(x, attn_mask=mask)
        added = trace.scores + to_additive(mask, x.dtype)  # an added −∞ lets the NaN through where a fill stops it
        return module.out_of_heads(added.softmax(-1).masked_fill(~mask, 0.0) @ trace.v)

    leaf = x.clone().requires_grad_()
    (zeroed_late(leaf) if naive else by_module(leaf)[2]).square().sum().backward()
    assert leaf.grad is not None
    assert module.o_bias is not None
    with torch.no_grad():
        return through_layers(
            by_softmax_alone if naive else by_module, x, module.o_bias,
            gradient=(int((~leaf.grad.isfinite()).sum()), leaf.grad.numel()),
        )  # fmt: skip


def through_layers(attend: Attend, x: Tensor, bias: Tensor, *, gradient: tuple[int, int]) -> BlindRow:
    """Send a sentence through the same attention twice, and keep what its last word gets.

    Args:
        attend: From tokens (1, n, d_model) to weights (1, heads, n, n), context and output.
        x: The tokens.
        bias: b_O.
        gradient: As in :class:`BlindRow`.
    """
    weights, contexts, outputs = [], [], []
    for _time in range(TIMES):
        shares, context, x = attend(x)
        weights.append(shares[0].mean(0))
        contexts.append(context[0, :, -1].flatten())
        outputs.append(x[0, -1] - bias)
    kept: Any = map(torch.stack, (weights, contexts, outputs))
    return BlindRow(**dict(zip(("weights", "context", "output"), kept, strict=True)), gradient=gradient)


def blind_found(row: BlindRow) -> dict[str, Measurement]:
    """mask-full: context 0, output b_O, no NaN, finite gradients; each is counted, number by number."""
    counted = (
        (int((row.context != 0).sum()), row.context.size),
        (int((row.output != 0).sum()), row.output.size),
        (int(np.isnan(row.weights).sum()), row.weights.size),
        row.gradient,
    )
    cases = _("a row without keys, {layers} layers", layers=TIMES)
    return {
        test.key: Measurement(wrong, 0, cases, unit=_("of {count:,} numbers", count=size))
        for test, (wrong, size) in zip(BLIND_TESTS, counted, strict=True)
    }


def _finite(config: MasksConfig) -> Theory:
    return Fails(_("softmax of −∞ alone divides 0 by 0")) if config.naive else Holds()


def _gradient(config: MasksConfig) -> Theory:
    return Fails(_("NaN that is zeroed after softmax stays in the gradient")) if config.naive else Holds()


ADDITIVE_TEST: Final = ClaimTest(
    "mask-additive", "≤", _("the weights under −10000 and under −∞ differ by at most"),
    _("max |weights(−10000) − weights(−∞)|"), theory=_hides,
)  # fmt: skip
BLIND_TESTS: Final = (
    ClaimTest("mask-full", "=", _("the row's context differs from 0 in"), _("context ≠ 0"), theory=_finite),
    ClaimTest("mask-full.output", "=", _("the row's output differs from b_O in"), _("output ≠ b_O"), theory=_finite),
    ClaimTest("mask-full.nan", "=", _("the sentence's weights are NaN in"), _("weights NaN"), theory=_finite),
    ClaimTest("mask-full.gradient", "=", _("the gradient is not finite in"), _("∂L/∂x not finite"), theory=_gradient),
)
