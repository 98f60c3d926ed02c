"""Which inputs a norm's output depends on, by autograd (``ln-deps``)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.experiments.judge import array, judge
from attention_core.experiments.normalization.config import NORMS, NormalizationConfig
from attention_core.experiments.normalization.parts import cast, draw, norm_module
from attention_core.experiments.verdict import Provenance, Result, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceResult(Result):
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
    layer_moves, batch_moves = (
        int((sizes[layer][other_token] != 0).sum()),
        int((sizes[batch][other_feature] != 0).sum()),
    )
    pairs = (int(other_token.sum()), int(other_feature.sum()))
    verdicts = (
        judge(config, "ln-deps.layer", layer_moves, "=", 0,
              says=f"of {pairs[0]:,} derivatives of LayerNorm by another token's numbers, those that are not 0 are",
              quantity="LayerNorm: how many ∂y_ij/∂x_kl ≠ 0, k ≠ i", cases=f"of {pairs[0]:,}"),
        judge(config, "ln-deps.batch", batch_moves, "=", 0,
              says=f"of {pairs[1]:,} derivatives of BatchNorm by another feature, those that are not 0 are",
              quantity="BatchNorm: how many ∂y_ij/∂x_kl ≠ 0, l ≠ j", cases=f"of {pairs[1]:,}, {mode}"),
        judge(config, "ln-deps.pairs", across[batch], "=", n * n,
              says=f"of {n * n} pairs of tokens, those that depend on each other after BatchNorm are",
              quantity="BatchNorm: dependent pairs of tokens", cases=f"of {n * n}, {mode}",
              broken=config.about("dependence")),
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
