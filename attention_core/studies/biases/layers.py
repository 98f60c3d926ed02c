"""What becomes of a linear layer's bias: after a norm (``bias-norm``), and on average over inputs (``bias-mean``)."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
import torch.nn.functional as F

from attention_core.language import gettext_lazy as _
from attention_core.language import ngettext_lazy
from attention_core.measuring.arrays import on_cpu
from attention_core.measuring.bias_after_norm import bias_tests, found, left_by
from attention_core.measuring.bounds import variance
from attention_core.measuring.inputs import generator
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.normalization import BatchNorm, LayerNorm, NoNorm, RMSNorm
from attention_core.studies.biases.module import BiasedAttention, bias_parameters
from attention_core.studies.biases.settings import D_MODEL, AfterNormConfig, BiasModuleConfig, MeanConfig

# |z| stays below 5 in all but 6e-7 of cases for one number, and below 5.7 for the largest of 32.
MAX_Z: Final = 5.7
CHUNK: Final = 2**14
FIRST_DOUBLING: Final = 4


@dataclass(frozen=True, slots=True)
class Survival:
    """What of b_O is left after one norm: largest absolute change of the normalised output when it is taken out.

    Attributes:
        norm: ``none``, ``BatchNorm``, ``LayerNorm`` or ``RMSNorm``.
        mean_part: With only the part of b_O that is the same in every component.
        rest: With only the rest of b_O.
        whole: With all of b_O.
        bound: What rounding alone explains.
    """

    norm: str
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
    """

    survivals: tuple[Survival, ...]
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanResult(Result):
    """How the mean of W_Q x + b_Q approaches b_Q as samples are added.

    Attributes:
        samples: Numbers of samples, doubling (steps,).
        means: Mean of each component (steps, d_model).
        bias: b_Q (d_model,).
        errors: Root mean square over the components of mean − b_Q (steps,).
        expected_errors: What the standard errors of the components make of it (steps,).
    """

    samples: tuple[int, ...]
    means: np.ndarray
    bias: np.ndarray
    errors: np.ndarray
    expected_errors: np.ndarray


def run_after_norm(config: AfterNormConfig) -> AfterNormResult:
    """Normalise the attention's output with all of b_O, parts of it, and none.

    All norms have gains of 1 and no offset. BatchNorm takes the tokens for its batch.
    """
    return run_tests(AfterNormResult, config, TESTS, _after_norm)


@torch.inference_mode()
def _after_norm(config: AfterNormConfig) -> Measurements:
    attention = BiasedAttention(config.attention())
    module = attention.at(config.size)
    bare = attention.trace(attention.at(config.size, without=("o",)))
    bias = bias_parameters(module)["o"]
    mean = bias.mean().expand_as(bias)
    context, weight = bare.context.transpose(1, 2).flatten(2)[0], module.o_weight
    assert weight is not None
    outputs = [F.linear(context, weight, part) for part in (None, mean, bias - mean, bias)]
    squares = on_cpu(context).square() @ on_cpu(weight).square().mT + on_cpu(bias).square()
    errors = variance(on_cpu(outputs[3]), attention.dtype, terms=D_MODEL + 1, squares=squares)
    norms = {"none": NoNorm(), "BatchNorm": BatchNorm(), "LayerNorm": LayerNorm(), "RMSNorm": RMSNorm()}
    refusal: str = ""
    if len(config.tokens) == 1 and not config.batch_norm_eval:
        refusal = _("BatchNorm in training needs more than one token: the variance of a single value is 0")
        del norms["BatchNorm"]
    made = {"device": attention.device, "dtype": attention.dtype}
    built = {name: norm.build(D_MODEL, **made).train(not config.batch_norm_eval) for name, norm in norms.items()}
    left = {name: left_by(norm, outputs, errors) for name, norm in built.items()}
    sizes = {name: (largest(mean), largest(rest), largest(whole)) for name, ((mean, rest, whole), *_) in left.items()}
    survivals = tuple(Survival(name, *size, left[name].bound) for name, size in sizes.items())
    cases = ngettext_lazy("{count:,} token", "{count:,} tokens", len(config.tokens))
    return found(left, cases), {"survivals": survivals, "refusal": refusal}


def run_mean(config: MeanConfig) -> MeanResult:
    """Average W_Q x + b_Q over x ~ N(mean, I), and hold it to b_Q within its standard error.

    ``W x`` has variance ``Σ_j W_ij²`` in component i, so its mean has the standard error
    ``√(Σ_j W_ij² / samples)``.
    """
    return run_tests(MeanResult, config, (MEAN_TEST,), _mean)


@torch.inference_mode()
def _mean(config: MeanConfig) -> Measurements:
    attention = BiasedAttention(BiasModuleConfig(dtype=config.dtype, device=config.device, seed=config.seed))
    module = attention.at(1.0)
    weight, bias = module.q_weight, bias_parameters(module)["q"]
    assert weight is not None
    draws = generator(config.seed, "biases", "samples")
    total, count, means = torch.zeros(D_MODEL, dtype=torch.float64), 0, []
    samples = tuple(2**power for power in range(FIRST_DOUBLING, config.doublings + 1))
    for goal in samples:
        while count < goal:
            rows = min(CHUNK, goal - count)
            x = config.input_mean + torch.randn(rows, D_MODEL, generator=draws, dtype=torch.float64)
            total += on_cpu(F.linear(x.to(attention.device, attention.dtype), weight, bias)).sum(0)
            count += rows
        means.append(total / count)
    off, spread = torch.stack(means) - on_cpu(bias), on_cpu(weight).square().sum(1).sqrt()
    errors = spread / torch.tensor(samples, dtype=torch.float64).sqrt()[:, None]  # (steps, d_model)
    cases = _("{samples:,} samples", samples=2**config.doublings)
    found = {MEAN_TEST.key: Measurement(largest(off[-1] / errors[-1]), MAX_Z, cases, unit=_("standard errors"))}
    return found, {
        "samples": samples,
        "means": torch.stack(means),
        "bias": bias,
        "errors": off.square().mean(1).sqrt(),
        "expected_errors": errors.square().mean(1).sqrt(),
    }


def _batch(config: AfterNormConfig) -> Theory:
    """BatchNorm takes out what all tokens share."""
    if config.batch_norm_eval:
        return Fails(_("running statistics know nothing of the bias"))
    alike = len(set(config.tokens)) == 1
    return Open(_("all words are equal, and BatchNorm makes them 0 whatever they are")) if alike else Holds()


def _rest(config: AfterNormConfig) -> Theory:
    """LayerNorm lets pass what is not the mean."""
    none = config.direction == "equal"
    return Fails(_("b_O is the same in every component, so there is no rest")) if none else Holds()


TESTS: Final = bias_tests(_batch, _rest)


def _centred(config: MeanConfig) -> Theory:
    """E[Wx + b] = b for x of mean 0."""
    mean = config.input_mean
    if not mean:
        return Holds()
    return Fails(_("the inputs have mean {mean:g}, so E[Wx] is not 0", mean=mean), size=_shift(config))


def _shift(config: MeanConfig) -> float:
    """How many standard errors the inputs' mean moves the mean of the component that it moves most."""
    setting = BiasModuleConfig(dtype="float64", device="cpu", seed=config.seed)
    weight = BiasedAttention(setting).at(1.0).q_weight
    assert weight is not None
    moved = (config.input_mean * weight.detach().sum(1)).abs() / weight.detach().square().sum(1).sqrt()
    return float(moved.max()) * math.sqrt(2**config.doublings)


MEAN_TEST: Final = ClaimTest(
    "bias-mean", "≤", _("the mean of an output is off from its bias by at most"),
    _("max |mean of W_Q x + b_Q, minus b_Q|"), theory=_centred, rounds=False,
)  # fmt: skip
