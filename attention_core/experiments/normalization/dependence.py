"""Which inputs a norm's output depends on, by autograd (``ln-deps``)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.judge import array, judge
from attention_core.experiments.normalization.config import NORMS, TOPICS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw, norm_module
from attention_core.experiments.verdict import Provenance, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceResult:
    """Derivatives of every output by every input.

    Attributes:
        names: The norms, in the order of the arrays.
        jacobians: ∂y_ij/∂x_kl at [norm, i, j, k, l] (norms, tokens, d_model, tokens, d_model).
        across: For each norm, in how many of all pairs of tokens one depends on the other (norms,).
        verdicts: ``ln-deps`` of LayerNorm, and two of BatchNorm.
        provenance: Where the numbers come from.
    """

    names: tuple[str, ...]
    jacobians: np.ndarray
    across: tuple[int, ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_dependence(config: NormalizationConfig) -> DependenceResult:
    """Differentiate each norm on the same tokens.

    Args:
        config: The settings.
    """
    x = cast(config, draw(config, "tokens", 1, config.num_tokens, config.d_model))
    jacobians = torch.stack([_jacobian(norm_module(config, norm), x) for norm in NORMS.values()])
    n, d = config.num_tokens, config.d_model
    sizes = jacobians.abs()
    other_token = ~torch.eye(n, dtype=torch.bool)[:, None, :, None].expand(n, d, n, d)
    other_feature = ~torch.eye(d, dtype=torch.bool)[None, :, None, :].expand(n, d, n, d)
    across = tuple(int((part != 0).any(3).any(1).sum()) for part in sizes)
    layer, batch = (list(NORMS).index(name) for name in ("LayerNorm", "BatchNorm"))
    mode = "evaluation" if config.evaluation else "training"
    cases = f"all {n * d} outputs"
    verdicts = (
        judge(config, "ln-deps", "LayerNorm: max |∂y_ij/∂x_kl|, k ≠ i", float(sizes[layer][other_token].max()), "=",
                0.0, cases=cases),
        judge(config, "ln-deps", "BatchNorm: max |∂y_ij/∂x_kl|, l ≠ j", float(sizes[batch][other_feature].max()),
                "=", 0.0, cases=f"{cases}, {mode}"),
        judge(config, "ln-deps", "BatchNorm: dependent pairs of tokens", across[batch], "=", n * n,
                cases=f"of {n * n}, {mode}", because=config.about(TOPICS[0])),
    )  # fmt: skip
    return DependenceResult(
        names=tuple(NORMS),
        jacobians=array(jacobians),
        across=across,
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


def _jacobian(module: nn.Module, x: Tensor) -> Tensor:
    """∂y_ij/∂x_kl of all outputs, in float64 on the CPU."""
    x = x.clone().requires_grad_()
    with torch.enable_grad():
        flat = module(x).flatten()
        rows = [torch.autograd.grad(one, x, retain_graph=True)[0][0] for one in flat]
    return torch.stack(rows).unflatten(0, x.shape[1:]).to("cpu", torch.float64)
