"""Settings of the scaling experiment, and what they imply for the scores of independent queries and keys."""

import math
from dataclasses import dataclass
from typing import Final

import torch

from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_float,
    check_int,
)

D_HEADS: Final = tuple(2**i for i in range(13))  # 1 … 4096
MODEL_WIDTH: Final = 512  # d_model of the module whose W_Q and W_K queries and keys may go through
SCALES: Final = ("none", "1/sqrt(d_head)", "1/d_head", "d_head^-alpha")
INPUTS: Final = ("normal", "uniform", "signs")

# 4,096 × 8,192 × 64 multiply-adds a product: about 8 s for the sweep on two cores, and 40 MB at a time.
MAX_PRODUCT: Final = 2**31


def check_d_head(d_head: object) -> int:
    """Index of ``d_head`` in the sweep.

    Raises:
        ConfigError: If ``d_head`` is not a power of two from 1 to 4,096.
    """
    if type(d_head) is not int or d_head not in D_HEADS:
        raise ConfigError("d_head", d_head, "a power of two from 1 to 4,096 is allowed")
    return D_HEADS.index(d_head)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingConfig(RunConfig):
    """What the sweep over d_head = 1, 2, 4 … 4096 is made with; which d_head is looked at is not part of it.

    ``scores = factor · q·k`` with ``factor = scale / temperature``. Queries and keys are independent unless
    ``correlation`` says otherwise; ``std``, ``mean`` and ``correlation`` come in tenths, the smallest difference that
    the samples can tell from none.

    Attributes:
        num_keys: Keys that all queries share, n.
        num_queries: Queries; below 2,000 the median gradient at d_head = 4096 scatters over decades.
        scale: ``none``, ``1/sqrt(d_head)``, ``1/d_head`` or ``d_head^-alpha``.
        alpha: Exponent of ``d_head^-alpha``.
        temperature: Divides the scores.
        inputs: ``normal``, ``uniform`` or ``signs`` (±1): the distribution of each component of q and k.
        std: Standard deviation of each component.
        mean: Mean of each component, in standard deviations.
        correlation: Of each component of a query with the same component of one of the keys.
        qk_norm: Divide each query and key by its root mean square before they meet, as the module's QK-norm does.
        through_module: Take q = W_Q x and k = W_K y with W_Q, W_K as the module initialises them and x, y distributed
            as ``inputs`` with mean 0, instead of q = x and k = y.
        naive_epsilon: Compute ε as 1 − a_max in the precision of the run, which cancels.

    Raises:
        ConfigError: If a setting, or what they cost together, is not possible.
    """

    num_keys: int = 64
    num_queries: int = 2048
    scale: str = "none"
    alpha: float = 0.25
    temperature: float = 1.0
    inputs: str = "normal"
    std: float = 1.0
    mean: float = 0.0
    correlation: float = 0.0
    qk_norm: bool = False
    through_module: bool = False
    naive_epsilon: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("num_keys", self.num_keys, 1, 1024)
        check_int("num_queries", self.num_queries, 2000, 8192)
        product = D_HEADS[-1] * self.num_queries * self.num_keys
        if product > MAX_PRODUCT:
            cost = f"{self.num_queries:,} queries × {self.num_keys:,} keys"
            raise ConfigError(
                "num_keys", cost, f"d_head × queries × keys up to {MAX_PRODUCT:,} is allowed, this is {product:,}"
            )
        check_choice("scale", self.scale, SCALES)
        check_float("alpha", self.alpha, 0.0, 2.0)
        check_float("temperature", self.temperature, 0.1, 100.0)
        check_choice("inputs", self.inputs, INPUTS)
        for name, low, high in (("std", 0.1, 4.0), ("mean", -2.0, 2.0), ("correlation", 0.0, 1.0)):
            value = getattr(self, name)
            check_float(name, value, low, high)
            if abs(10 * value - round(10 * value)) > 1e-9:
                raise ConfigError(name, value, f"a number from {low:g} to {high:g} in tenths is allowed")
        for name in ("qk_norm", "through_module", "naive_epsilon"):
            check_bool(name, getattr(self, name))
        if self.through_module and (self.mean, self.correlation) != (0, 0):
            given = f"mean {self.mean:g} and correlation {self.correlation:g}"
            raise ConfigError("through_module", given, "with W_Q and W_K, mean 0 and correlation 0 are allowed")
        self._check_range()

    def _check_range(self) -> None:
        """Scores past the largest number of the precision would be infinite, and their softmax NaN."""
        largest = torch.finfo(self.torch_dtype).max
        scores = expected_scores(self, D_HEADS[-1])
        size = max(1.0, self.factor(D_HEADS[-1])) * (abs(scores.mean) + scores.lead + 8 * scores.std)
        if size > largest:
            raise ConfigError(
                "dtype",
                self.dtype,
                f"scores reach {size:,.0f} with these inputs, {self.dtype} ends at {largest:,.0f}",
            )

    def scale_of(self, d_head: int) -> float:
        """The number that q·k is multiplied by, before the temperature."""
        match self.scale:
            case "none":
                return 1.0
            case "1/sqrt(d_head)":
                return 1 / math.sqrt(d_head)
            case "1/d_head":
                return 1 / d_head
            case _:
                return d_head**-self.alpha

    def factor(self, d_head: int) -> float:
        """The number that q·k is multiplied by: scale / temperature."""
        return self.scale_of(d_head) / self.temperature

    @property
    def factor_name(self) -> str:
        """``factor`` as a formula, such as ``1/√d_head`` or ``d_head^−0.4/2``."""
        names = {
            "none": "1",
            "1/sqrt(d_head)": "1/√d_head",
            "1/d_head": "1/d_head",
            "d_head^-alpha": f"d_head^−{self.alpha:g}",
        }
        return names[self.scale] + ("" if self.temperature == 1 else f" / {self.temperature:g}")


@dataclass(frozen=True, slots=True)
class ExpectedScores:
    """What probability theory says about q·k, to compare measurements with.

    Attributes:
        mean: E[q·k] of a query and a key that is not its own.
        std: Standard deviation of q·k over independent pairs.
        row_std: Standard deviation of q·k over the keys of one query; what all keys share moves no weight.
        shared: Part of that variance that all queries share, the keys that are large on average being so for all.
        lead: How far the query's own key is ahead of the others on average, with correlated q and k.
        key_length: Length of a key without what all keys share.
    """

    mean: float
    std: float
    row_std: float
    shared: float
    lead: float
    key_length: float


def expected_scores(config: ScalingConfig, d_head: int) -> ExpectedScores:
    """Moments of q·k = Σ q_i k_i for d_head independent components of mean μ and variance σ².

    ``E[q·k] = d μ²`` and ``Var(q·k) = d (σ⁴ + 2σ²μ²)``, of which ``d σ²(σ² + μ²)`` lies along a row. W_Q and W_K
    as initialised, uniform with variance 1/(3 d_model), leave a third of a variance. QK-norm makes σ² + μ²
    of q and of k 1.
    """
    variance = config.std**2 / (3 if config.through_module else 1)
    offset = config.mean**2 * variance  # μ²
    if config.qk_norm:
        square = variance + offset
        variance, offset = variance / square, offset / square
    return ExpectedScores(
        mean=d_head * offset,
        std=math.sqrt(d_head * variance * (variance + 2 * offset)),
        row_std=math.sqrt(d_head * variance * (variance + offset)),
        shared=offset / (variance + offset),
        lead=d_head * config.correlation * variance,
        key_length=math.sqrt(d_head * variance),
    )
