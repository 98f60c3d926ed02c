"""What becomes of a linear layer's bias: after a norm (``bias-norm``), and on average over inputs (``bias-mean``)."""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_core.experiments.arrays import on_cpu
from attention_core.experiments.biases.config import D_MODEL, AfterNormConfig, BiasesSetting, MeanConfig
from attention_core.experiments.biases.module import BiasedAttention, bias_parameters
from attention_core.experiments.bounds import LAMBDA, is_half, spacing, variance
from attention_core.experiments.inputs import generator
from attention_core.experiments.judge import Found, Test, judge_all, largest
from attention_core.experiments.verdict import Result

# |z| stays below 5 in all but 6e-7 of cases for one number, and below 5.7 for the largest of 32.
MAX_Z: Final = 5.7
CHUNK: Final = 2**14
FIRST_DOUBLING: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """What of b_O is left after one norm: largest absolute change of the normalised output when it is taken out.

    Attributes:
        norm: Which norm.
        mean_part: With only the part of b_O that is the same in every component.
        rest: With only the rest of b_O.
        whole: With all of b_O.
        bound: What rounding alone explains.
    """

    norm: Literal["none", "BatchNorm", "LayerNorm", "RMSNorm"]
    mean_part: float
    rest: float
    whole: float
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterNormResult(Result):
    """What each norm leaves of the output bias.

    Attributes:
        survivals: Without a norm, then after BatchNorm (absent for a single token), LayerNorm and RMSNorm.
        refusal: Why BatchNorm is absent; else empty.
        verdicts: ``bias-norm``: what is left after BatchNorm (batch), of the mean part and of the rest after
            LayerNorm (layer-mean, layer-rest), and after RMSNorm (rms).
    """

    survivals: tuple[Survival, ...]
    refusal: str

    def survival(self, norm: str) -> Survival | None:
        """What is left after ``norm``; None where it was refused."""
        return next((survival for survival in self.survivals if survival.norm == norm), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanResult(Result):
    """How the mean of W_Q x + b_Q approaches b_Q as samples are added.

    Attributes:
        samples: Numbers of samples, doubling (steps,).
        means: Mean of each component (steps, d_model).
        bias: b_Q (d_model,).
        errors: Root mean square over the components of mean − b_Q (steps,).
        expected_errors: What the standard errors of the components make of it (steps,).
        verdicts: ``bias-mean`` at the largest number of samples.
    """

    samples: tuple[int, ...]
    means: np.ndarray
    bias: np.ndarray
    errors: np.ndarray
    expected_errors: np.ndarray


def run_after_norm(config: AfterNormConfig) -> AfterNormResult:
    """Normalise the attention's output with all of b_O, parts of it, and none.

    BatchNorm's tokens are flattened first: on (batch, tokens, features) torch's BatchNorm1d would take the tokens for
    features. All norms have gains of 1 and no offset.

    Args:
        config: The tokens, and the size and direction of b_O.
    """
    survivals, refusal = _survivals(config)
    return AfterNormResult.of(
        config,
        judge_all(config, TESTS, _left(config, survivals), lambda other: _left(other, _survivals(other)[0])),
        survivals=survivals,
        refusal=refusal,
    )


def _survivals(config: AfterNormConfig) -> tuple[tuple[Survival, ...], str]:
    """What each norm leaves, and why BatchNorm is absent."""
    attention = BiasedAttention(config.attention())
    with torch.inference_mode():
        module = attention.at(config.size)
        bare = attention.trace(attention.at(config.size, without=("o",)))
        bias = bias_parameters(module)["o"]
        mean = bias.mean().expand_as(bias)
        context, weight = bare.context.transpose(1, 2).flatten(2)[0], module.o_weight
        assert weight is not None
        outputs = [F.linear(context, weight, part) for part in (None, mean, bias - mean, bias)]
        squares = on_cpu(context).square() @ on_cpu(weight).square().mT + on_cpu(bias).square()
        off = variance(on_cpu(outputs[3]), attention.dtype, terms=D_MODEL + 1, squares=squares)
        norms: dict[str, nn.Module | None] = {"none": None, "BatchNorm": _batch_norm(config, attention)}
        norms |= {"LayerNorm": nn.LayerNorm(D_MODEL), "RMSNorm": nn.RMSNorm(D_MODEL)}
        refusal = ""
        if len(config.tokens) == 1 and not config.batch_norm_eval:
            refusal = "BatchNorm in training needs more than one token: the variance of a single value is 0"
            del norms["BatchNorm"]
        survivals = tuple(_survival(name, norm, outputs, off, attention) for name, norm in norms.items())
    return survivals, refusal


def run_mean(config: MeanConfig) -> MeanResult:
    """Average W_Q x + b_Q over x ~ N(mean, I), and hold it to b_Q within its standard error.

    ``W x`` has variance ``Σ_j W_ij²`` in component i, so its mean has the standard error
    ``√(Σ_j W_ij² / samples)``.

    Args:
        config: How many samples, and the inputs' mean.
    """
    run = {"dtype": config.dtype, "device": config.device, "seed": config.seed}
    attention = BiasedAttention(BiasesSetting(**run))
    module = attention.at(1.0)
    weight, bias = module.q_weight, bias_parameters(module)["q"]
    assert weight is not None
    draw = generator(config.seed, "biases", "samples")
    total, count = torch.zeros(D_MODEL, dtype=torch.float64), 0
    samples = tuple(2**power for power in range(FIRST_DOUBLING, config.doublings + 1))
    means = []
    with torch.inference_mode():
        for goal in samples:
            while count < goal:
                rows = min(CHUNK, goal - count)
                x = config.input_mean + torch.randn(rows, D_MODEL, generator=draw, dtype=torch.float64)
                total += on_cpu(F.linear(x.to(attention.device, attention.dtype), weight, bias)).sum(0)
                count += rows
            means.append(total / count)
        found, target = torch.stack(means), on_cpu(bias.detach())
        spread = on_cpu(weight).square().sum(1).sqrt()
        errors = spread / torch.tensor(samples, dtype=torch.float64).sqrt()[:, None]  # (steps, d_model)
    cases = f"{2**config.doublings:,} samples"
    measured = Found(largest((found[-1] - target) / errors[-1]), MAX_Z, cases, unit="standard errors")
    return MeanResult.of(
        config,
        judge_all(config, (MEAN_TEST,), {MEAN_TEST.key: measured}),
        samples=samples,
        means=found,
        bias=target,
        errors=(found - target).square().mean(1).sqrt(),
        expected_errors=errors.square().mean(1).sqrt(),
    )


def _batch_norm(config: AfterNormConfig, attention: BiasedAttention) -> nn.Module:
    norm = nn.BatchNorm1d(D_MODEL, track_running_stats=config.batch_norm_eval)
    return norm.train(not config.batch_norm_eval).to(attention.device)


def _survival(
    name: str, norm: nn.Module | None, outputs: list[Tensor], off: Tensor, attention: BiasedAttention
) -> Survival:
    """How far each part of the bias moves what comes out of ``norm``, and what rounding explains.

    A norm divides by a standard deviation, and rounding errors with it; so the bound is divided by the smallest one.

    Args:
        name: The norm's name.
        norm: The norm.
        outputs: The attention's outputs without b_O, with its mean part, with the rest, and with all of it.
        off: Variance of each output's rounding error.
        attention: The attention.
    """
    dtype, bare, stretch = attention.dtype, outputs[0], 1.0
    running = name == "BatchNorm" and norm is not None and not norm.training
    terms = 1
    if norm is not None:
        norm = norm.to(attention.device, dtype)
        axis = 0 if name == "BatchNorm" else 1
        terms += 0 if running else bare.shape[axis]
        eps = getattr(norm, "eps", None) or torch.finfo(dtype).eps
        values = on_cpu(bare)
        power = values.square().mean(1) if name == "RMSNorm" else values.var(axis, correction=0)
        stretch = 1.0 if running else 1 / math.sqrt(float(power.min()) + eps)
    normed = [one if norm is None else norm(one) for one in outputs]
    moved = [largest(on_cpu(one) - on_cpu(normed[0])) for one in normed[1:]]
    size = largest(*outputs)
    own, last = 0.0, 0.0
    if is_half(dtype):
        last = largest(*(spacing(on_cpu(one), dtype) for one in normed))
    else:
        own = terms * (torch.finfo(dtype).eps / 2 * size) ** 2
    bound = LAMBDA * math.sqrt(2 * (float(off.max()) + own)) * stretch + last
    return Survival(norm=name, mean_part=moved[0], rest=moved[1], whole=moved[2], bound=bound)  # type: ignore[arg-type]


def _running(config: AfterNormConfig) -> str:
    return "running statistics know nothing of the bias" if config.batch_norm_eval else ""


def _no_rest(config: AfterNormConfig) -> str:
    return "b_O is the same in every component, so there is no rest" if config.direction == "equal" else ""


# By the end of the test's key: which norm, and which part of ``Survival``.
_LEFT: Final = {
    "batch": ("BatchNorm", "whole"),
    "layer-mean": ("LayerNorm", "mean_part"),
    "layer-rest": ("LayerNorm", "rest"),
    "rms": ("RMSNorm", "whole"),
}
TESTS: Final = (
    Test("bias-norm.batch", "≤", "after BatchNorm, all of b_O moves the output by at most",
         "max |BN(f) − BN(f without b_O)|", breaks=_running),
    Test("bias-norm.layer-mean", "≤", "after LayerNorm, the mean of b_O moves the output by at most",
         "max |LN(f) − LN(f without the mean of b_O)|"),
    Test("bias-norm.layer-rest", "≥", "after LayerNorm, the rest of b_O moves the output by up to",
         "max |LN(f) − LN(f without the rest of b_O)|", breaks=_no_rest),
    Test("bias-norm.rms", "≥", "after RMSNorm, all of b_O moves the output by up to",
         "max |RMS(f) − RMS(f without b_O)|"),
)  # fmt: skip


def _left(config: AfterNormConfig, survivals: tuple[Survival, ...]) -> dict[str, Found]:
    cases = f"{len(config.tokens):,} tokens" if len(config.tokens) > 1 else "1 token"
    found = {survival.norm: survival for survival in survivals}
    return {
        f"bias-norm.{key}": Found(getattr(found[norm], part), found[norm].bound, cases, size=1.0)
        for key, (norm, part) in _LEFT.items()
        if norm in found
    }


def _shifted(config: MeanConfig) -> str:
    return f"the inputs have mean {config.input_mean:g}, so E[Wx] is not 0" if config.input_mean else ""


def _shift(config: MeanConfig) -> float:
    """How many standard errors the inputs' mean moves the mean of the component that it moves most."""
    setting = BiasesSetting(dtype="float64", device="cpu", seed=config.seed)
    weight = BiasedAttention(setting).at(1.0).q_weight
    assert weight is not None
    moved = (config.input_mean * weight.detach().sum(1)).abs() / weight.detach().square().sum(1).sqrt()
    return float(moved.max()) * math.sqrt(2**config.doublings)


MEAN_TEST: Final = Test(
    "bias-mean", "≤", "the mean of an output is off from its bias by at most",
    "max |mean of W_Q x + b_Q, minus b_Q|", breaks=_shifted, foresees=_shift,
)  # fmt: skip
