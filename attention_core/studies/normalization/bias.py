"""What a norm leaves of the bias of the linear layer before it (``bias-norm``)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bias_after_norm import bias_tests, cases, found, left_by
from attention_core.measuring.bounds import variance
from attention_core.measuring.judge import Measurements, largest, run_tests
from attention_core.measuring.verdict import Result
from attention_core.studies.normalization.parts import cast, draw, norm_module, of_this_batch
from attention_core.studies.normalization.settings import NORMS, NormalizationConfig

NAMES: Final = (
    _("BatchNorm, all of b"), _("LayerNorm, mean of b"), _("LayerNorm, the rest"), _("RMSNorm, all of b"),
)  # fmt: skip
TESTS: Final = bias_tests(of_this_batch)


@dataclass(frozen=True, slots=True, kw_only=True)
class NormBiasResult(Result):
    """What each norm's output moves by when a part of the bias is added before it.

    Attributes:
        names: What was added before which norm, in the order of the array.
        moved: Output with the bias less output without it (cases, tokens, d_model).
        largest: Largest absolute value of each (cases,).
    """

    names: tuple[str, ...]
    moved: np.ndarray
    largest: tuple[float, ...]


def run_bias(config: NormalizationConfig) -> NormBiasResult:
    """Send tokens through a linear layer without and with its bias, or a part of it, and then through each norm."""
    return run_tests(NormBiasResult, config, TESTS, _measure)


def _measure(config: NormalizationConfig) -> Measurements:
    d = config.d_model
    x, weight = cast(config, draw(config, "tokens", config.num_tokens, d)), draw(config, "weight", d, d) / d**0.5
    bias, weight = draw(config, "bias", d), cast(config, weight)
    mean = bias.mean().expand(d)
    outputs = [F.linear(x, weight, cast(config, part)) for part in (0 * bias, mean, bias - mean, bias)]
    squares = on_cpu(x).square() @ on_cpu(weight).square().mT + bias.square()
    errors = variance(on_cpu(outputs[-1]), config.torch_dtype, terms=d + 1, squares=squares)
    left = {name: left_by(norm_module(config, norm), outputs, errors) for name, norm in NORMS.items()}
    moved = torch.stack([each for each, _bound, _size in cases(left).values()])
    if config.evaluation:
        of = _("{count} tokens, BatchNorm in evaluation", count=config.num_tokens)
    else:
        of = _("{count} tokens, BatchNorm in training", count=config.num_tokens)
    return found(left, of), {"names": NAMES, "moved": moved, "largest": tuple(map(largest, moved))}
