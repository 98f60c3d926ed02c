"""Masks: which module gets which mask, and what happens if it is missing.

Claims: ``mask-encoder`` an encoder needs only the key padding mask; ``mask-decoder`` a decoder needs none while
padding stands on the right; ``mask-encdec`` an encoder–decoder needs the sources' padding in the encoder and in
cross-attention; ``mask-additive`` −10000 stands for −∞; ``mask-full`` a row that sees no key gives zeros, not NaN.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.judge import judge
from attention_core.experiments.masking.batch import Batch, make_batch, make_stack, padded_labels, run_stack
from attention_core.experiments.masking.config import LAYERS, MaskingConfig, breaks
from attention_core.experiments.masking.padding import difference_alone, stack_tolerance, weight_on_padding
from attention_core.experiments.masking.result import MaskingResult, ModuleMasks
from attention_core.experiments.masking.rows import (
    KEYS,
    additive_difference,
    compare_additive,
    empty_row,
    largest_gap,
)
from attention_core.experiments.verdict import Provenance, Verdict, tolerance
from attention_core.modules.mask_report import recorded_masks
from attention_core.modules.multi_head import MultiHeadAttention


def run_masking(config: MaskingConfig) -> MaskingResult:
    """Run the batch through the stack, replace its padding, take the padding away, and look into single rows.

    Args:
        config: The batch and the stack.
    """
    empty = empty_row(config)
    with torch.no_grad():
        source, target = _batches(config)
        stack = make_stack(config)
        output, modules, kinds = _observe(config, stack, source, target)
        shown = config.decoded or config.sentences
        real = ~(source if target is None else target).padding
        filler = "NaN" if config.padding == "NaN" else "another"
        replaced = run_stack(config, stack, *_batches(config, filler=filler))
        moved = (replaced.double() - output.double()).abs().cpu()
        moved = moved.amax(-1).masked_fill(moved.isnan().any(-1), math.nan)
        alone = difference_alone(config, stack, output)
        bound = stack_tolerance(config, source, target)
        additive = compare_additive(config)
        leaks = weight_on_padding(config, stack, source)
        difference = additive_difference(config, config.score_std, config.torch_dtype)
        gap = largest_gap(config, config.score_std)
    pad_moved = float(moved[real].max())
    broken = int(np.isnan(empty.naive).sum()) if config.naive else int(np.isnan(empty.ours).sum())
    verdicts = (
        *_stack_verdicts(config, pad_moved, alone, bound, kinds),
        _additive_verdict(config, difference, gap),
        judge(config, "mask-full", "NaN among the weights of two layers", broken, "=", 0, cases="a row without keys",
              because="softmax of −∞ alone divides 0 by 0" if config.naive else ""),
    )  # fmt: skip
    return MaskingResult(
        modules=modules,
        labels=padded_labels(shown, config.side),
        real=_array(real),
        moved=_array(moved),
        pad_moved=pad_moved,
        alone=alone,
        leak=leaks[0],
        leak_masked=leaks[1],
        additive=additive,
        empty=empty,
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


def _batches(config: MaskingConfig, **options: str) -> tuple[Batch, Batch | None]:
    target = make_batch(config, config.decoded, **options) if config.decoded else None
    return make_batch(config, config.sentences, **options), target


def _observe(
    config: MaskingConfig, stack: nn.Module, source: Batch, target: Batch | None
) -> tuple[Tensor, tuple[ModuleMasks, ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    """The outputs, the first layer's modules with their weights, and what every module says it was given."""
    calls: dict[str, tuple[MultiHeadAttention, tuple[Tensor, ...], dict[str, Tensor]]] = {}

    def listen(name: str) -> object:
        return lambda module, args, given: calls.__setitem__(name, (module, args, given))

    hooks = [
        module.register_forward_pre_hook(listen(name), with_kwargs=True)  # type: ignore[arg-type]
        for name, module in stack.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    with recorded_masks(stack) as uses:
        output = run_stack(config, stack, source, target)
    for hook in hooks:
        hook.remove()
    sources, targets = (padded_labels(one, config.side) if one else () for one in (config.sentences, config.decoded))
    modules = []
    for use in uses:
        if ".0." not in f".{use.module}":
            continue
        module, args, given = calls[use.module]
        free = {name: value for name, value in given.items() if name.endswith("positions")}
        queries = targets if targets and "encoder.layers" not in use.module.removeprefix("decoder") else sources
        weights = [module.trace(*args, **kept).weights.mean(1) for kept in (given, free)]
        modules.append(
            ModuleMasks(
                name=use.module,
                kinds=use.kinds,
                queries=queries,
                keys=sources if "cross" in use.module else queries,
                mask=_array(use.mask),
                weights=_array(weights[0].float()),
                unmasked=_array(weights[1].float()),
            )
        )
    return output, tuple(modules), tuple((use.module, use.kinds) for use in uses)


def _stack_verdicts(
    config: MaskingConfig,
    pad_moved: float,
    alone: float,
    bound: float,
    kinds: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[Verdict, ...]:
    words = f"{len(config.sentences)} sentence" + "s" * (len(config.sentences) > 1)
    found = [
        judge(config, config.claim, "max |f(padding replaced) − f|", pad_moved, "=", 0.0, cases=words,
              because=breaks(config, "content")),
    ]  # fmt: skip
    if config.dtype in ("float64", "float32"):
        found.append(
            judge(config, config.claim, "max |f(batch) − f(sentence alone)|", alone, "≤", bound, cases=words,
                  because=breaks(config, "alone"))
        )  # fmt: skip
    right = sum(given == _asked(config, name) for name, given in kinds)
    found.append(
        judge(config, config.claim, "attention modules given the masks they need", right, "=", len(kinds),
              cases=f"{LAYERS} layers", because=breaks(config, "grid"))
    )  # fmt: skip
    return tuple(found)


def _asked(config: MaskingConfig, name: str) -> tuple[str, ...]:
    """The masks that source C asks for in a module, and the window where there is one."""
    if "cross" in name:
        return ("key padding",)
    window = ("attention mask",) if config.window else ()
    decodes = config.stack == "decoder" or name.startswith("decoder")
    if not decodes:
        return ("key padding", *window)
    return ("key padding", "causal", *window) if config.side == "left" else ("causal", *window)


def _additive_verdict(config: MaskingConfig, difference: float, gap: float) -> Verdict:
    """Theory: hidden keys get at most n · e^(gap − 10⁴) of the weight; they lie ``gap`` above the visible ones."""
    bound = tolerance(torch.float32 if "16" in config.dtype else config.torch_dtype, scale=1.0, terms=KEYS)
    leaks = KEYS * math.exp(min(0.0, gap - 10000.0)) > bound
    because = "scores lie about 10,000 apart, so −10000 does not hide a key" if leaks else ""
    quantity = "max |weights(−10000) − weights(−∞)|"
    cases = f"scores of std {config.score_std:g}"
    return judge(config, "mask-additive", quantity, difference, "≤", bound, cases=cases, because=because)


def _array(values: Tensor) -> np.ndarray:
    array = values.detach().cpu().numpy().copy()
    array.flags.writeable = False
    return array
