"""What padding does to a stack: against each sentence alone, within what rounding explains, and where it leaks."""

import torch
from torch import Tensor, nn

from attention_core.experiments.masking.batch import Batch, make_batch, make_stack, run_stack
from attention_core.experiments.masking.config import D_MODEL, LAYERS, MaskingConfig
from attention_core.experiments.verdict import tolerance
from attention_core.modules.multi_head import MultiHeadAttention

PROBES = 8


def difference_alone(config: MaskingConfig, stack: nn.Module, output: Tensor) -> float:
    """Largest difference between a sentence's outputs in the batch and on its own."""
    largest = 0.0
    for i, sentence in enumerate(config.sentences):
        target = make_batch(config, (config.decoded[i],)) if config.decoded else None
        one = run_stack(config, stack, make_batch(config, (sentence,)), target)[0]
        words = slice(-len(one), None) if config.side == "left" else slice(len(one))
        largest = max(largest, float((output[i, words].double() - one.double()).abs().max()))
    return largest


def stack_tolerance(config: MaskingConfig, source: Batch, target: Batch | None) -> float:
    """What rounding explains of the difference between two ways through the stack, in float64 and float32.

    Each sublayer rounds sums of up to 4 d_model numbers, a few of them, and over the keys; the errors of all of them
    add up as independent ones. What follows enlarges them by the stack's gain at most, measured in float64 as the
    largest answer to eight random pushes of 1e-6.
    """
    exact = make_stack(config, dtype=torch.float64)
    here, gain = run_stack(config, exact, source, target, masked=True), 1.0
    draw = torch.Generator().manual_seed(config.seed)
    for _ in range(PROBES):
        pushed = [
            None
            if batch is None
            else Batch(
                batch.x + 1e-6 * torch.randn(batch.x.shape, generator=draw, dtype=torch.float64),
                batch.padding,
                batch.positions,
            )
            for batch in (source, target)
        ]
        assert pushed[0] is not None
        answer = run_stack(config, exact, pushed[0], pushed[1], masked=True) - here
        gain = max(gain, float(answer.nan_to_num().abs().max()) / 1e-6)
    sublayers = LAYERS * (5 if config.decoded else 2)
    terms = sublayers * (8 * D_MODEL + 2 * source.x.shape[1])
    return tolerance(config.torch_dtype, scale=gain * float(here.abs().max()), terms=terms)


def weight_on_padding(config: MaskingConfig, stack: nn.Module, source: Batch) -> tuple[float, float]:
    """Mean over words and heads of the weight that falls on padding in the first self-attention, without and with."""
    found: list[float] = []
    first = next(module for module in stack.modules() if isinstance(module, MultiHeadAttention))
    for masked in (False, not config.unmasked):
        calls: list[tuple[tuple[Tensor, ...], dict[str, Tensor]]] = []
        hook = first.register_forward_pre_hook(
            lambda _, args, given, calls=calls: calls.append((args, given)), with_kwargs=True
        )
        run_stack(
            config, stack, source, make_batch(config, config.decoded) if config.decoded else None, masked=masked
        )
        hook.remove()
        args, given = calls[0]
        weights = first.trace(*args, **given).weights.to("cpu", torch.float64)  # (batch, heads, q, k)
        on_padding = (weights * source.padding[:, None, None]).sum(-1).mean(1)
        found.append(float(on_padding[~source.padding].mean()))
    return found[0], found[1]
