"""A published experiment again: the key bias on and off at d_model 1024, its numbers beside ours."""

import math
from dataclasses import dataclass, replace
from typing import Final

import torch
from torch import Tensor, nn

from attention_core.device import DTYPES
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import output_tolerance, weight_tolerance
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all, largest
from attention_core.measuring.verdict import Result
from attention_core.modules.multi_head import AttentionTrace, MultiHeadAttention
from attention_core.studies.biases.settings import AppendixConfig

TOKENS: Final = 16
D_MODEL: Final = 1024
NUM_HEADS: Final = 32
PUBLISHED_SEED: Final = 42
# By the part that names its verdict: what it is, and what was published.
PUBLISHED: Final = {
    "output": (_("mean |output difference|"), 1.2734082233123445e-08),
    "variance": (_("variance of |output difference|"), 1.7173628739783402e-16),
    "weights": (_("mean |weights difference|"), 3.949708116124384e-09),
}
DIGITS: Final = _("threads and instruction sets move the digits: a factor of 2 is what was seen on several CPUs")
CASES: Final = _(
    "{tokens} tokens, d_model {d_model:,}, {heads} heads", tokens=TOKENS, d_model=D_MODEL, heads=NUM_HEADS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixRow:
    """One number of the published experiment.

    Attributes:
        quantity: What it is.
        published: As published, in float32.
        float32: Measured here.
        float64: The same numbers in float64: what is left there shows that the rest is rounding.
    """

    quantity: str
    published: float
    float32: float
    float64: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixResult(Result):
    """The published numbers beside ours.

    Attributes:
        rows: One for each number.
    """

    rows: tuple[AppendixRow, ...]


def run_appendix(config: AppendixConfig) -> AppendixResult:
    """Draw the published inputs and parameters, and take the key bias out, in float32 and in float64.

    The published code seeds torch's global stream and draws the inputs, then W_Q, W_K, W_V of one ``nn.Linear`` each,
    then the same again for a second model that keeps only the b_K of its own. A generator of the same seed gives
    that very stream. Threads and instruction sets move the digits, so the numbers are held to a factor of 2.
    """
    x, weights, key_bias = _published_draws(config.seed)
    numbers: dict[str, list[float]] = {}
    exact: dict[str, Measurement] = {}
    with torch.inference_mode():
        for name in ("float32", "float64"):
            module = _module(weights, key_bias).to(config.torch_device, DTYPES[name])
            inputs = x.to(config.torch_device, DTYPES[name])
            with_bias = module.trace(inputs)
            assert module.k_bias is not None
            module.k_bias.zero_()
            without = module.trace(inputs)
            numbers[name] = _differences(with_bias, without)
            if name == "float64":
                exact = _exact_found(module, with_bias, without)
    rows = tuple(
        AppendixRow(quantity=quantity, published=published, float32=single, float64=exact)
        for (quantity, published), single, exact in zip(
            PUBLISHED.values(), numbers["float32"], numbers["float64"], strict=True
        )
    )
    published = {
        test.key: Measurement(row.float32 / row.published, (0.5, 2.0), CASES, note=DIGITS)
        for test, row in zip(PUBLISHED_TESTS.values(), rows if config.seed == PUBLISHED_SEED else (), strict=False)
    }
    verdicts = judge_all(replace(config, dtype="float32"), PUBLISHED_TESTS.values(), published)
    verdicts += judge_all(replace(config, dtype="float64"), EXACT_TESTS.values(), exact)
    return AppendixResult.of(config, verdicts, rows=rows)


def _published_draws(seed: int) -> tuple[Tensor, list[Tensor], Tensor]:
    """Inputs (1, tokens, d_model), W_Q, W_K, W_V, and b_K: float32, in the order the published code draws them."""
    stream = torch.Generator().manual_seed(seed)
    limit = 1 / math.sqrt(D_MODEL)

    def matrix() -> Tensor:
        empty = torch.empty(D_MODEL, D_MODEL, dtype=torch.float32)
        return nn.init.kaiming_uniform_(empty, a=math.sqrt(5), generator=stream)

    x = torch.randn(1, TOKENS, D_MODEL, generator=stream, dtype=torch.float32)
    weights = [matrix() for _ in range(3)]
    for _thrown_away in range(2):  # W_Q and W_K of the second model
        matrix()
    key_bias = torch.empty(D_MODEL, dtype=torch.float32).uniform_(-limit, limit, generator=stream)
    return x, weights, key_bias


def _module(weights: list[Tensor], key_bias: Tensor) -> MultiHeadAttention:
    """The published attention: heads side by side are its output, and b_K is its only bias."""
    module = MultiHeadAttention(D_MODEL, NUM_HEADS, q_bias=False, v_bias=False, output_projection=False)
    assert module.in_weight is not None
    assert module.k_bias is not None
    module.in_weight.copy_(torch.cat(weights))
    module.k_bias.copy_(key_bias)
    return module


def _differences(one: AttentionTrace, other: AttentionTrace) -> list[float]:
    """The published numbers: mean and variance of the outputs' absolute difference, mean of the weights'."""
    output = (on_cpu(one.output) - on_cpu(other.output)).abs()
    weights = (on_cpu(one.weights) - on_cpu(other.weights)).abs()
    return [float(output.mean()), float(output.var()), float(weights.mean())]


PUBLISHED_TESTS: Final = {
    part: ClaimTest(f"bias-appendix.{part}", "in",
               _("the {quantity} here, divided by the published one, is", quantity=quantity),
               _("{quantity}, measured / published", quantity=quantity))
    for part, (quantity, _number) in PUBLISHED.items()
}  # fmt: skip
EXACT_TESTS: Final = {
    "output": ClaimTest("bias-appendix.exact-output", "≤", _("in float64 the largest difference of the output is"),
                   _("max |output difference|")),
    "weights": ClaimTest("bias-appendix.exact-weights", "≤", _("in float64 the largest difference of the weights is"),
                    _("max |weights difference|")),
}  # fmt: skip


def _exact_found(module: MultiHeadAttention, one: AttentionTrace, other: AttentionTrace) -> dict[str, Measurement]:
    bounds = {"output": output_tolerance(module, one, other), "weights": weight_tolerance(module, one, other)}
    parts = {part: (on_cpu(getattr(one, part)), on_cpu(getattr(other, part))) for part in bounds}
    return {
        EXACT_TESTS[part].key: Measurement(largest(left - right), bounds[part], CASES, largest(left))
        for part, (left, right) in parts.items()
    }
