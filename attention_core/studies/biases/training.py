"""No gradient is not no movement: b_K while a module trains, with plain gradient descent and with Adam."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bounds import key_gradient_tolerance
from attention_core.measuring.inputs import draw, draw_parameters
from attention_core.measuring.judge import ClaimTest, Measurement, judge_all
from attention_core.measuring.optimizers import SGD, AdamW, FlatParameters
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Result
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.biases.module import bias_parameters
from attention_core.studies.biases.settings import D_MODEL, NUM_HEADS, TrainingConfig

LEARNING_RATES: Final = {"SGD": 0.1, "Adam": 0.001}
SENTENCES: Final = 8
TOKENS: Final = 6
REPORT_EVERY: Final = 50
TEST: Final = ClaimTest(
    "bias-k-grad.training",
    "≤",
    _("after training with SGD the length of the bias is"),
    _("‖b_K‖ after training with SGD"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResult(Result):
    """Sizes of the biases while two optimizers train the same module to imitate another one; all biases start at 0.

    Attributes:
        optimizers: ``SGD`` and ``Adam``.
        norms: ‖b_Q‖, ‖b_K‖, ‖b_V‖, ‖b_O‖ after each step, (optimizers, steps + 1, 4).
        bound: What rounding alone explains of ‖b_K‖ under SGD: the learning rate times the steps' gradient bounds.
    """

    optimizers: tuple[str, ...]
    norms: np.ndarray
    bound: float

    def key_bias(self, optimizer: str) -> float:
        """‖b_K‖ at the end."""
        return float(self.norms[self.optimizers.index(optimizer), -1, 1])


def steps_training(config: TrainingConfig) -> Iterator[Step | TrainingResult]:
    """Train with each optimizer, and follow the biases.

    Adam divides each gradient by its own recent size, so where the gradient is nothing but rounding it makes steps of
    rounding that are as large as any other, as far as its ε = 1e-8 lets it (Kingma & Ba 2015, algorithm 1).
    """
    start, inputs, targets = _task(config)
    norms, bound = [], 0.0
    total = config.steps * len(LEARNING_RATES)
    for index, (name, rate) in enumerate(LEARNING_RATES.items()):
        module = copy.deepcopy(start)
        parameters = list(module.parameters())
        values = FlatParameters(module, inputs.device, inputs.dtype).values
        optimizer = SGD(rate) if name == "SGD" else AdamW(rate, values, decay=0.0)
        norms.append([_norms(module)])
        for step in range(config.steps):
            if step % REPORT_EVERY == 0:
                yield Step(index * config.steps + step, total, name)
            with torch.inference_mode(False), torch.enable_grad():
                trace = module.trace(inputs)
                difference = trace.output - targets
                loss, wanted = difference.square().mean(), [*parameters, trace.context]
                *gradients, context = torch.autograd.grad(loss, wanted)
            with torch.no_grad():
                if name == "SGD":
                    bound += rate * key_gradient_tolerance(trace, context, module.scale)
                optimizer.step(values, torch.cat([each.flatten() for each in gradients]))
            norms[-1].append(_norms(module))
    yield _result(config, norms, bound)


def _task(config: TrainingConfig) -> tuple[MultiHeadAttention, Tensor, Tensor]:
    """A module whose biases are 0, random sentences, and the outputs of another module with biases."""
    target = {"device": config.torch_device, "dtype": config.torch_dtype}
    teacher = draw_parameters(MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64), config.seed, bias_std=0.5)
    student = MultiHeadAttention(D_MODEL, NUM_HEADS, dtype=torch.float64)
    draw_parameters(student, (config.seed + 1) % 1_000_000, bias_std=0.0)
    x = draw((SENTENCES, TOKENS, D_MODEL), config.seed, "biases", "training").to(**target)
    with torch.no_grad():
        return student.to(**target), x, teacher.to(**target)(x)


def _norms(module: MultiHeadAttention) -> list[float]:
    return on_cpu(torch.stack([*bias_parameters(module).values()])).norm(dim=1).tolist()


def _result(config: TrainingConfig, norms: list[list[list[float]]], bound: float) -> TrainingResult:
    cases = _("{steps:,} steps from b_K = 0", steps=config.steps)
    found = {TEST.key: Measurement(norms[0][-1][1], bound, cases, size=norms[0][-1][0])}
    return TrainingResult.of(
        config,
        judge_all(config, (TEST,), found),
        optimizers=tuple(LEARNING_RATES),
        norms=torch.tensor(norms, dtype=torch.float64),
        bound=bound,
    )
