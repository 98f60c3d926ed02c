"""Which inputs a norm's output depends on, by autograd, and what follows of it in a batch (``ln-deps``)."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import LAMBDA, is_half, spacing
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.verdict import Result
from attention_core.modules.normalization import Norm
from attention_core.studies.normalization.parts import cast, draw, jacobian, norm_module, of_this_batch
from attention_core.studies.normalization.settings import NORMS, NormalizationConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceResult(Result):
    """Derivatives of every output by every input.

    Attributes:
        names: The norms, in the order of the arrays.
        jacobians: ∂y_ij/∂x_kl at [norm, i, j, k, l] (norms, tokens, d_model, tokens, d_model).
        across: For each norm, in how many of all pairs of tokens one depends on the other (norms,).
        moved: How far a sentence's tokens move, for each norm, with other padding behind them, with another sentence
            in the batch, and in evaluation instead of training (norms, 3).
    """

    names: tuple[str, ...]
    jacobians: np.ndarray
    across: tuple[int, ...]
    moved: np.ndarray


TESTS: Final = (
    ClaimTest("ln-deps.layer", "=", _("a number after LayerNorm depends on another token in"),
              _("LayerNorm: how many ∂y_ij/∂x_kl ≠ 0, k ≠ i")),
    ClaimTest("ln-deps.batch", "=", _("a number after BatchNorm depends on another feature in"),
              _("BatchNorm: how many ∂y_ij/∂x_kl ≠ 0, l ≠ j")),
    ClaimTest("ln-deps.pairs", "=", _("after BatchNorm a token depends on a token, itself included, in"),
              _("BatchNorm: dependent pairs of tokens"), theory=of_this_batch),
    ClaimTest("ln-deps.apart", "=", _("with LayerNorm padding, neighbours and evaluation move"),
              _("LayerNorm: numbers that move")),
    ClaimTest("ln-deps.padding", "≥", _("with BatchNorm other padding moves a token by up to"),
              _("BatchNorm: max |f(x, padding) − f(x, other padding)|"), theory=of_this_batch),
    ClaimTest("ln-deps.neighbours", "≥", _("with BatchNorm another sentence in the batch moves a token by up to"),
              _("BatchNorm: max |f(x, y) − f(x, other y)|"), theory=of_this_batch),
    ClaimTest("ln-deps.modes", "≥", _("with BatchNorm evaluation instead of training moves a token by up to"),
              _("BatchNorm: max |f in training − f in evaluation|")),
)  # fmt: skip


def run_dependence(config: NormalizationConfig) -> DependenceResult:
    """Differentiate each norm on the same tokens."""
    return run_tests(DependenceResult, config, TESTS, _measure)


def _measure(config: NormalizationConfig) -> Measurements:
    x = cast(config, draw(config, "tokens", 1, config.num_tokens, config.d_model))
    jacobians = torch.stack([jacobian(norm_module(config, norm), x) for norm in NORMS.values()])
    n, d = config.num_tokens, config.d_model
    other_token = ~torch.eye(n, dtype=torch.bool)[:, None, :, None].expand(n, d, n, d)
    other_feature = ~torch.eye(d, dtype=torch.bool)[None, :, None, :].expand(n, d, n, d)
    depends = dict(zip(NORMS, jacobians != 0, strict=True))
    across = tuple(int(part.any(3).any(1).sum()) for part in depends.values())
    layer, batch = depends["LayerNorm"][other_token], depends["BatchNorm"][other_feature]
    mode = _("in evaluation") if config.evaluation else _("in training")
    moved = [_moved(config, norm, x) for norm in NORMS.values()]
    layered, batched = (moved[tuple(NORMS).index(name)] for name in ("LayerNorm", "BatchNorm"))
    every = _("of {count:,} numbers", count=sum(each.numel() for each in layered))
    found = {
        "ln-deps.layer": Measurement(int(layer.sum()), 0, "", unit=_("of {count:,} cases", count=len(layer))),
        "ln-deps.batch": Measurement(int(batch.sum()), 0, mode, unit=_("of {count:,} cases", count=len(batch))),
        "ln-deps.pairs": Measurement(
            across[tuple(NORMS).index("BatchNorm")], n * n, mode, unit=_("of {count:,} pairs", count=n * n)
        ),
        "ln-deps.apart": Measurement(sum(int((each != 0).sum()) for each in layered), 0, "", unit=every),
    }
    size = largest(norm_module(config, NORMS["BatchNorm"])(x))
    for what, by, where in zip(("padding", "neighbours", "modes"), batched, (mode, mode, ""), strict=True):
        found[f"ln-deps.{what}"] = Measurement(largest(by), _tolerance(config, x), where, size)
    sizes = torch.tensor([[largest(each) for each in by] for by in moved], dtype=torch.float64)
    return found, {"names": tuple(NORMS), "jacobians": jacobians, "across": across, "moved": sizes}


def _moved(config: NormalizationConfig, norm: Norm, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How far the tokens of a sentence move with what else is in the batch, and with the mode."""
    n, d = x.shape[1:]
    module, batches = norm_module(config, norm), []
    evaluated = module.eval()(x)[0]  # first, since in training it takes other statistics
    module.train(not config.evaluation)
    for what, axis, shape in (("padding", 1, (1, 2, d)), ("neighbours", 0, (1, n, d))):
        beside = (cast(config, draw(config, f"{which} {what}", *shape)) for which in ("some", "other"))
        some, other = (on_cpu(module(torch.cat((x, one), axis))[0, :n]) for one in beside)
        batches.append(some - other)
    return batches[0], batches[1], on_cpu(module.train()(x)[0]) - on_cpu(evaluated)


def _tolerance(config: NormalizationConfig, x: Tensor) -> float:
    """How far rounding alone moves what BatchNorm gives.

    A mean of as many numbers as there are tokens is off by the root of as many roundings, and is divided by the
    standard deviation; in half precision the last rounding counts alone.
    """
    rows, dtype = on_cpu(x)[0], config.torch_dtype
    normed = (rows - rows.mean(0)) / rows.var(0, correction=0).sqrt()
    if is_half(dtype):
        return float(spacing(normed, dtype).max())
    terms = 2 * len(rows) + 1  # in a batch of two sentences
    error = math.sqrt(terms) * torch.finfo(dtype).eps / 2 * largest(rows)
    return LAMBDA * math.sqrt(2) * error / float(rows.var(0, correction=0).min().sqrt())
