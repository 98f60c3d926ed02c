"""What happens inside one row of softmax: −10000 against −∞, and a row that sees no key at all."""

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from attention_core.device import supported_dtypes
from attention_core.experiments.inputs import draw_parameters, generator, token_embeddings
from attention_core.experiments.masking.config import D_MODEL, NUM_HEADS, MaskingConfig
from attention_core.experiments.masking.result import Additive, EmptyRow
from attention_core.modules.dot_product import mask_scores, softmax_over_keys
from attention_core.modules.masks import to_additive
from attention_core.modules.multi_head import MultiHeadAttention

ROWS, KEYS = 64, 16
STDS = tuple(float(f"{std:.3g}") for std in 10 ** np.linspace(-1, 6, 29))


def scores_and_mask(config: MaskingConfig, std: float) -> tuple[Tensor, Tensor]:
    """Scores ~ N(0, std²) ``(64, 16)`` in float64, and a mask that hides the second half of the keys."""
    scores = torch.randn(ROWS, KEYS, generator=generator(config.seed, "scores"), dtype=torch.float64) * std
    visible = (torch.arange(KEYS) < KEYS // 2).expand(ROWS, KEYS)
    return scores, visible


def additive_difference(config: MaskingConfig, std: float, dtype: torch.dtype) -> float:
    """Largest difference between the weights under −10000 and under −∞; NaN where the scores overflow."""
    scores, visible = scores_and_mask(config, std)
    scores, visible = scores.to(config.torch_device, dtype), visible.to(config.torch_device)
    soft, hard = (
        softmax_over_keys(mask_scores(scores, mask)).to("cpu", torch.float64)
        for mask in (to_additive(visible, dtype, value=-10000.0), visible)
    )
    return float((soft - hard).abs().max())


def largest_gap(config: MaskingConfig, std: float) -> float:
    """How far the best hidden key of a row lies above its best visible one, in the row where it is most."""
    scores, visible = scores_and_mask(config, std)
    best = [scores.masked_fill(~keep, -torch.inf).amax(-1) for keep in (~visible, visible)]
    return float((best[0] - best[1]).max())


def compare_additive(config: MaskingConfig) -> Additive:
    """Both masks over score size, in every precision of the device; and a row that hides every key."""
    names = supported_dtypes(config.torch_device)
    dtypes = [getattr(torch, name) for name in names]
    scores, visible = scores_and_mask(config, 1.0)
    rows = []
    for dtype in dtypes:
        here = scores.to(config.torch_device, dtype)
        nothing = torch.zeros_like(visible).to(config.torch_device)
        all_hidden = softmax_over_keys(mask_scores(here, to_additive(nothing, dtype, value=-10000.0)))
        free = softmax_over_keys(here)
        rows.append([float((all_hidden - other).abs().max()) for other in (free, torch.full_like(free, 1 / KEYS))])
    difference = [[additive_difference(config, std, dtype) for std in STDS] for dtype in dtypes]
    return Additive(
        stds=_array(STDS),
        dtypes=tuple(names),
        difference=_array(difference),
        row=_array([row[0] for row in rows]),
        uniform=_array([row[1] for row in rows]),
    )


def empty_row(config: MaskingConfig) -> EmptyRow:
    """The last word of the first sentence sees no key: softmax alone, and the module, through two layers."""
    tokens = config.sentences[0]
    module = MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64)
    module = draw_parameters(module, config.seed, bias_std=0.1).to(config.torch_device, config.torch_dtype)
    x = token_embeddings(tokens, D_MODEL, config.seed)[None].to(config.torch_device, config.torch_dtype)
    mask = torch.ones(len(tokens), len(tokens), dtype=torch.bool, device=x.device)
    mask[-1] = False
    naive, ours, context = [], [], 0.0
    with torch.no_grad():
        plain = mine = x
        for _ in range(2):
            trace = module.trace(plain, attn_mask=mask)
            weights = trace.masked_scores.softmax(-1)  # softmax as it is written down, −∞ in all of a row and all
            naive.append(weights[0].mean(0))
            plain = module.out_of_heads(weights @ trace.v)
            mine_trace = module.trace(mine, attn_mask=mask)
            ours.append(mine_trace.weights[0].mean(0))
            mine = mine_trace.output
            if len(ours) == 1:
                left = (
                    (mine_trace.output[0, -1] - module.out_of_heads(torch.zeros_like(trace.context))[0, -1])
                    .abs()
                    .max()
                )
                context = max(float(mine_trace.context[0, :, -1].abs().max()), float(left))
    return EmptyRow(
        tokens=tokens,
        naive=_array(torch.stack(naive).cpu().double().numpy()),
        ours=_array(torch.stack(ours).cpu().double().numpy()),
        context=context,
        gradients=_gradients(module, x, mask),
    )


def _gradients(module: MultiHeadAttention, x: Tensor, mask: Tensor) -> tuple[int, int]:
    """Numbers of ∂L/∂x that are not finite: through the module, and with NaN zeroed only after softmax."""
    found = []
    for late in (False, True):
        leaf = x.detach().clone().requires_grad_()
        trace = module.trace(leaf, attn_mask=mask)
        added = trace.scores + to_additive(mask, x.dtype)  # an added −∞ lets the NaN through where a fill stops it
        weights = added.softmax(-1).masked_fill(~mask, 0.0) if late else trace.weights
        module.out_of_heads(weights @ trace.v).square().sum().backward()
        assert leaf.grad is not None
        found.append(int((~leaf.grad.isfinite()).sum()))
    return found[0], found[1]


def _array(values: ArrayLike) -> np.ndarray:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
