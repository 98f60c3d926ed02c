"""What a norm leaves of the bias of the linear layer before it (``bias-norm``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.bounds import tolerance
from attention_core.experiments.judge import Found, Test, judge_all, largest, nothing
from attention_core.experiments.normalization.config import NORMS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw, norm_module
from attention_core.experiments.verdict import Relation, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasResult(Result):
    """What each norm's output moves by when a part of the bias is added before it.

    Attributes:
        names: What was added before which norm, in the order of the array.
        moved: Output with the bias less output without it (cases, tokens, d_model).
        largest: Largest absolute value of each (cases,).
        bounds: What rounding explains of each.
        verdicts: Four of ``bias-norm``.
    """

    names: tuple[str, ...]
    moved: np.ndarray
    largest: tuple[float, ...]
    bounds: tuple[float, ...]


def run_bias(config: NormalizationConfig) -> BiasResult:
    """Send tokens through a linear layer without and with its bias, or a part of it, and then through each norm."""
    moved, bounds = _moved(config)
    return BiasResult.of(
        config,
        judge_all(config, TESTS, _found(config, moved, bounds), lambda other: _found(other, *_moved(other))),
        names=NAMES,
        moved=moved,
        largest=tuple(map(largest, moved)),
        bounds=bounds,
    )


def _found(config: NormalizationConfig, moved: Tensor, bounds: tuple[float, ...]) -> dict[str, Found]:
    said = ("evaluation" if config.evaluation else "training", "it cancels", "it stays", "it stays")
    return {
        test.key: Found(
            largest(left), bound, f"{config.num_tokens} tokens, {each}", size=1.0
        )  # that of what is normed
        for test, left, bound, each in zip(TESTS, moved, bounds, said, strict=True)
    }


NAMES: Final = ("BatchNorm, all of b", "LayerNorm, mean of b", "LayerNorm, the rest", "RMSNorm, all of b")
_PARTS: Final[dict[str, Relation]] = {"batch": "≤", "mean": "≤", "rest": "≥", "rms": "≥"}
TESTS: Final = tuple(
    Test(f"bias-norm.{part}", relation, f"with {name.replace(', ', ' and ')} before it, the output moves by "
         f"{'at most' if relation == '≤' else 'up to'}", f"{name}: max |Δy|",
         breaks=(lambda config: config.about("bias")) if part == "batch" else nothing)
    for (part, relation), name in zip(_PARTS.items(), NAMES, strict=True)
)  # fmt: skip


def _moved(config: NormalizationConfig) -> tuple[Tensor, tuple[float, ...]]:
    """What is left of the bias in the four cases, and what rounding explains."""
    d = config.d_model
    made = {"device": config.torch_device, "dtype": config.torch_dtype}
    x = cast(config, draw(config, "tokens", 1, config.num_tokens, d))
    bias = draw(config, "bias", d)
    mean = bias.mean().expand(d)
    norms = {name: norm_module(config, norm) for name, norm in NORMS.items()}
    plan = (("BatchNorm", bias), ("LayerNorm", mean), ("LayerNorm", bias - mean), ("RMSNorm", bias))
    results, bounds = [], []
    for name, part in plan:
        outputs, sizes = [], []
        for added in (torch.zeros(d, dtype=torch.float64), part):
            linear = nn.Linear(d, d, **made)
            linear.weight.copy_(draw(config, "weight", d, d) / d**0.5)
            linear.bias.copy_(added)
            hidden = linear(x)
            over, values = 1 if name == "BatchNorm" else 2, on_cpu(hidden)
            spread = values.square().mean(over).sqrt() if name == "RMSNorm" else values.std(over, correction=0)
            sizes.append(float((values.abs().amax(over) / spread).max()))
            outputs.append(on_cpu(norms[name](hidden))[0])
        results.append(outputs[1] - outputs[0])
        # Both divide what the linear layer rounded by its spread, and that error enters mean and spread again:
        # at most as much. A sum of d products and two of the norm lie on the way.
        size = 2 * max(sizes)
        terms = 3 * max(d, config.num_tokens) if config.dtype in ("float64", "float32") else 4
        bounds.append(tolerance(config.torch_dtype, scale=size, terms=terms))
    return torch.stack(results), tuple(bounds)
