"""Masks: which module gets which mask, and what happens if it is missing.

Claims: ``mask-encoder`` an encoder needs only the key padding mask; ``mask-decoder`` a decoder needs none while
padding stands on the right; ``mask-encdec`` an encoder–decoder needs the sources' padding in the encoder and in
cross-attention; ``mask-additive`` −10000 stands for −∞; ``mask-full`` a row that sees no key gets zeros, not NaN.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import Record, on_cpu
from attention_core.measuring.bounds import is_half
from attention_core.measuring.judge import Measurement, Measurements, largest, run_tests
from attention_core.measuring.verdict import Result
from attention_core.modules.attention_trace import AttentionTrace
from attention_core.modules.mask_report import recorded_masks
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.masks.rows import (
    ADDITIVE_TEST,
    BLIND_TESTS,
    Additive,
    BlindRow,
    blind_found,
    blind_row,
    compare_additive,
    measure_additive,
)
from attention_core.studies.masks.settings import LAYERS, MasksConfig
from attention_core.studies.masks.stack import (
    Batch,
    alone_tolerance,
    difference_alone,
    make_batch,
    make_stack,
    padded_labels,
    run_stack,
)
from attention_core.studies.masks.theory import TESTS, may_attend


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMasks(Record):
    """One attention of the stack in all its layers: the masks it was given, and what its weights did.

    Attributes:
        name: Its name in the stack without its layer: ``encoder.self_attention``.
        kinds: What it was given: ``key padding``, ``causal``, ``attention mask``.
        queries: The tokens that ask, of each sentence.
        keys: The tokens that are looked at, of each sentence.
        needed: Who may look at whom by the claim: True = may attend (batch, q_len, kv_len).
        seen: The share of all heads and layers in which the weight is not 0 (batch, q_len, kv_len).
        wrong_weights: How many weights of all heads and layers are 0 and should not be, or the other way round.
        counted: How many weights there are.
        weights: Mean over the heads of the first layer (batch, q_len, kv_len).
        unmasked: The weights of the same queries and keys without any mask.
    """

    name: str
    kinds: tuple[str, ...]
    queries: tuple[tuple[str, ...], ...]
    keys: tuple[tuple[str, ...], ...]
    needed: np.ndarray
    seen: np.ndarray
    wrong_weights: int
    counted: int
    weights: np.ndarray
    unmasked: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class MasksResult(Result):
    """One stack, its masks, and what padding does to it.

    Attributes:
        modules: The attentions of a layer, each over all layers.
        labels: Tokens of the sentences whose outputs are compared, padding as ``·``.
        real: Where there is a word (batch, tokens).
        moved: How far each output moves when the padding is replaced (batch, tokens), float64; NaN is NaN.
        pad_moved: The largest of ``moved`` over words.
        alone: The largest difference to each sentence on its own, without padding.
        leak: Mean weight that words of the first self-attention give to padding without a padding mask.
        leak_masked: The same with the masks as they are set.
        additive: −10000 against −∞.
        blind_tokens: The sentence whose last word sees no key.
        blind: What becomes of it in the module.
        blind_naive: The same with softmax alone.
    """

    modules: tuple[ModuleMasks, ...]
    labels: tuple[tuple[str, ...], ...]
    real: np.ndarray
    moved: np.ndarray
    pad_moved: float
    alone: float
    leak: float
    leak_masked: float
    additive: Additive
    blind_tokens: tuple[str, ...]
    blind: BlindRow
    blind_naive: BlindRow


def run_masks(config: MasksConfig) -> MasksResult:
    """Run the batch through the stack, replace its padding, take the padding away, and look into single rows."""
    return run_tests(MasksResult, config, (*TESTS, ADDITIVE_TEST, *BLIND_TESTS), _measure)


def _measure(config: MasksConfig) -> Measurements:
    blind, blind_naive = blind_row(config), blind_row(config, naive=True)
    with torch.no_grad():
        source, target = _batches(config)
        stack = make_stack(config)
        output, calls = _observe(config, stack, source, target)
        modules = _modules(config, calls, source, target)
        real = ~(source if target is None else target).padding
        filler = "NaN" if config.padding == "not-a-number" else "another"
        moved = (on_cpu(run_stack(config, stack, *_batches(config, filler=filler))) - on_cpu(output)).abs()
        alone = difference_alone(config, stack, output)
        words = ngettext_lazy("{count:,} sentence", "{count:,} sentences", len(config.sentences))
        wrong, counted = (sum(getattr(one, name) for one in modules) for name in ("wrong_weights", "counted"))
        numbers = _("of {count:,} numbers in the outputs of real words", count=moved[real].numel())
        weights = _("of {count:,} weights", count=counted)
        found = blind_found(blind_naive if config.naive else blind) | {
            config.claim: Measurement(int((moved[real] != 0).sum()), 0, words, unit=numbers),
            f"{config.claim}.grid": Measurement(
                wrong, 0, _("all heads of {layers} layers", layers=LAYERS), unit=weights
            ),
            ADDITIVE_TEST.key: measure_additive(config),
        }
        if not is_half(config.torch_dtype):  # whose rounding, through the stack, hides what padding may do
            bound, size = alone_tolerance(config, stack), largest(on_cpu(output)[real])
            found[f"{config.claim}.alone"] = Measurement(alone, bound, words, size)
        first = next(call for call in calls if "cross" not in call.name)
        leaks = [_weight_on_padding(first, source, masked=masked) for masked in (False, True)]
        additive = compare_additive(config)
    farthest = moved.amax(-1).masked_fill(moved.isnan().any(-1), math.nan)
    return found, {
        "modules": modules,
        "labels": padded_labels(config.decoded or config.sentences, config.side),
        "real": real.numpy(),
        "moved": farthest,
        "pad_moved": float(farthest[real].max()),
        "alone": alone,
        "leak": leaks[0],
        "leak_masked": leaks[1],
        "additive": additive,
        "blind_tokens": config.sentences[0],
        "blind": blind,
        "blind_naive": blind_naive,
    }


@dataclass(frozen=True, slots=True)
class _Call:
    """One attention module, what it was called with, and what it said it was given."""

    module: MultiHeadAttention
    name: str
    kinds: tuple[str, ...]
    args: tuple[Tensor, ...]
    given: dict[str, Any]

    def trace(self, *left_out: str) -> AttentionTrace:
        return self.module.trace(
            *self.args, **{name: value for name, value in self.given.items() if name not in left_out}
        )


def _batches(config: MasksConfig, **options: str) -> tuple[Batch, Batch | None]:
    target = make_batch(config, config.decoded, **options) if config.decoded else None
    return make_batch(config, config.sentences, **options), target


def _observe(
    config: MasksConfig, stack: nn.Module, source: Batch, target: Batch | None
) -> tuple[Tensor, list[_Call]]:
    """The outputs, and the call of every attention module, in the order of the calls."""
    heard: list[tuple[MultiHeadAttention, tuple[Tensor, ...], dict[str, Any]]] = []
    hooks = [
        module.register_forward_pre_hook(lambda *call: heard.append(call), with_kwargs=True)
        for module in stack.modules()
        if isinstance(module, MultiHeadAttention)
    ]
    with recorded_masks(stack) as uses:
        output = run_stack(config, stack, source, target)
    for hook in hooks:
        hook.remove()
    return output, [
        _Call(module, re.sub(r"layers\.\d+\.", "", use.module), use.kinds, args, given)
        for use, (module, args, given) in zip(uses, heard, strict=True)
    ]


def _modules(config: MasksConfig, calls: list[_Call], source: Batch, target: Batch | None) -> tuple[ModuleMasks, ...]:
    sources, targets = (padded_labels(one, config.side) if one else () for one in (config.sentences, config.decoded))
    modules = []
    for name in dict.fromkeys(call.name for call in calls):
        layers = [call for call in calls if call.name == name]
        decodes = name.startswith("decoder")
        needed = may_attend(config, name, source, target)
        seen = torch.stack([on_cpu(call.trace().weights) != 0 for call in layers], 2)  # (batch, heads, layers, q, k)
        free = layers[0].trace("attn_mask", "key_padding_mask", "is_causal").weights
        modules.append(
            ModuleMasks(
                name=name,
                kinds=layers[0].kinds,
                queries=targets if decodes else sources,
                keys=targets if decodes and "cross" not in name else sources,
                needed=needed.numpy(),
                seen=seen.double().mean((1, 2)).numpy(),
                wrong_weights=int((seen != needed[:, None, None]).sum()),
                counted=seen.numel(),
                weights=on_cpu(layers[0].trace().weights.mean(1)).numpy(),
                unmasked=on_cpu(free.mean(1)).numpy(),
            )
        )
    return tuple(modules)


def _weight_on_padding(call: _Call, source: Batch, *, masked: bool) -> float:
    """Mean over words and heads of the weight that falls on padding."""
    weights = on_cpu((call.trace() if masked else call.trace("key_padding_mask")).weights)  # (batch, heads, q, k)
    on_padding = (weights * source.padding[:, None, None]).sum(-1).mean(1)
    return float(on_padding[~source.padding].mean())
