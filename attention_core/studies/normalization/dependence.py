"""Which inputs a norm's output depends on, by autograd (``ln-deps``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, run_tests
from attention_core.measuring.verdict import Result
from attention_core.studies.normalization.parts import cast, draw, norm_module, of_this_batch
from attention_core.studies.normalization.settings import NORMS, NormalizationConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceResult(Result):
    """Derivatives of every output by every input.

    Attributes:
        names: The norms, in the order of the arrays.
        jacobians: ∂y_ij/∂x_kl at [norm, i, j, k, l] (norms, tokens, d_model, tokens, d_model).
        across: For each norm, in how many of all pairs of tokens one depends on the other (norms,).
    """

    names: tuple[str, ...]
    jacobians: np.ndarray
    across: tuple[int, ...]


TESTS: Final = (
    ClaimTest("ln-deps.layer", "=", _("a number after LayerNorm depends on another token in"),
              _("LayerNorm: how many ∂y_ij/∂x_kl ≠ 0, k ≠ i")),
    ClaimTest("ln-deps.batch", "=", _("a number after BatchNorm depends on another feature in"),
              _("BatchNorm: how many ∂y_ij/∂x_kl ≠ 0, l ≠ j")),
    ClaimTest("ln-deps.pairs", "=", _("after BatchNorm a token depends on a token, itself included, in"),
              _("BatchNorm: dependent pairs of tokens"), theory=of_this_batch),
)  # fmt: skip


def run_dependence(config: NormalizationConfig) -> DependenceResult:
    """Differentiate each norm on the same tokens."""
    return run_tests(DependenceResult, config, TESTS, _measure)


def _measure(config: NormalizationConfig) -> Measurements:
    x = cast(config, draw(config, "tokens", 1, config.num_tokens, config.d_model))
    jacobians = torch.stack([_jacobian(norm_module(config, norm), x) for norm in NORMS.values()])
    n, d = config.num_tokens, config.d_model
    other_token = ~torch.eye(n, dtype=torch.bool)[:, None, :, None].expand(n, d, n, d)
    other_feature = ~torch.eye(d, dtype=torch.bool)[None, :, None, :].expand(n, d, n, d)
    depends = dict(zip(NORMS, jacobians != 0, strict=True))
    across = tuple(int(part.any(3).any(1).sum()) for part in depends.values())
    layer, batch = depends["LayerNorm"][other_token], depends["BatchNorm"][other_feature]
    mode = _("in evaluation") if config.evaluation else _("in training")
    found = {
        "ln-deps.layer": Measurement(int(layer.sum()), 0, "", unit=_("of {count:,} cases", count=len(layer))),
        "ln-deps.batch": Measurement(int(batch.sum()), 0, mode, unit=_("of {count:,} cases", count=len(batch))),
        "ln-deps.pairs": Measurement(
            across[tuple(NORMS).index("BatchNorm")], n * n, mode, unit=_("of {count:,} pairs", count=n * n)
        ),
    }
    return found, {"names": tuple(NORMS), "jacobians": jacobians, "across": across}


def _jacobian(module: nn.Module, x: Tensor) -> Tensor:
    """∂y_ij/∂x_kl of all outputs: as many backward passes as there are."""
    x = x.clone().requires_grad_()
    with torch.enable_grad():
        y = module(x)
        rows = [torch.autograd.grad(one, x, retain_graph=True)[0] for one in y.flatten()]
    return on_cpu(torch.cat(rows).unflatten(0, x.shape[1:]))
