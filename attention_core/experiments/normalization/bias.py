"""What a norm leaves of the bias of the linear layer before it (``bias-norm``)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.bounds import tolerance
from attention_core.experiments.judge import array, judge, on_cpu
from attention_core.experiments.normalization.config import NORMS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw, norm_module
from attention_core.experiments.verdict import Provenance, Relation, Result, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasResult(Result):
    """What each norm's output moves by when a part of the bias is added before it.

    Attributes:
        names: What was added before which norm, in the order of the array.
        moved: Output with the bias less output without it (cases, tokens, d_model).
        largest: Largest absolute value of each (cases,).
        bounds: What rounding explains of each.
        verdicts: Four of ``bias-norm``.
        provenance: Where the numbers come from.
    """

    names: tuple[str, ...]
    moved: np.ndarray
    largest: tuple[float, ...]
    bounds: tuple[float, ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_bias(config: NormalizationConfig) -> BiasResult:
    """Send tokens through a linear layer without and with its bias, or a part of it, and then through each norm.

    Args:
        config: The settings.
    """
    moved, bounds = _moved(config)
    sizes = [float(part.abs().max()) for part in moved]
    names = ("BatchNorm, all of b", "LayerNorm, mean of b", "LayerNorm, the rest", "RMSNorm, all of b")
    cases = f"{config.num_tokens} tokens"
    mode = "evaluation" if config.evaluation else "training"
    plan: tuple[tuple[str, Relation, str, str], ...] = (
        ("batch", "≤", mode, config.about("bias")),
        ("mean", "≤", "it cancels", ""),
        ("rest", "≥", "it stays", ""),
        ("rms", "≥", "it stays", ""),
    )
    verdicts = tuple(
        judge(
            config,
            f"bias-norm.{key}",
            sizes[i],
            relation,
            bounds[i],
            says=f"with {names[i].replace(', ', ' and ')} before it, the output moves by at most",
            quantity=f"{names[i]}: max |Δy|",
            cases=f"{cases}, {said}",
            broken=broken,
            exact=lambda other, i=i: float(_moved(other)[0][i].abs().max()),
        )
        for i, (key, relation, said, broken) in enumerate(plan)
    )
    return BiasResult(
        names=names,
        moved=array(moved),
        largest=tuple(sizes),
        bounds=bounds,
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


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
