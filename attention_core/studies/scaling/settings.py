"""Settings of the scaling experiment, and what they imply for the scores of independent queries and keys."""

import math
from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.language import pgettext_lazy
from attention_core.measuring.checks import ConfigError, check_int
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import Choice, Real, Switch, Whole, plain, setting

D_HEADS: Final = tuple(2**i for i in range(13))  # 1 … 4096
CHUNK: Final = 128  # queries at a time: 4 MB a tensor at d_head = 4096 in float64
MODEL_WIDTH: Final = 512  # d_model of the module whose W_Q and W_K queries and keys may go through
SCALES: Final = {
    "none": _("none"), "root": _("÷ √size"), "head": _("÷ size"), "power": _("÷ size to the α"),
    "log": _("÷ √size, × log n"),
}  # fmt: skip
UNSCALED: Final = "1"
SCALED: Final = "1/√d_head"
_ALPHA: Final = 0.25
_KEYS: Final = 64


def check_d_head(d_head: object) -> int:
    """Index of ``d_head`` in the sweep.

    Raises:
        ConfigError: If ``d_head`` is not a power of two from 1 to 4,096.
    """
    d_head = plain(d_head)
    if type(d_head) is not int or d_head not in D_HEADS:
        raise ConfigError("d_head", d_head, _("a power of two from 1 to 4,096 is allowed"))
    return D_HEADS.index(d_head)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingConfig(RunConfig):
    """What the sweep over d_head = 1, 2, 4 … 4096 is made with; which d_head is looked at is not part of it.

    ``scores = factor · q·k`` with ``factor = scale / temperature``; ``log`` multiplies by the logarithm of the number
    of keys, after Nakanishi (2025), "Scalable-Softmax Is Superior for Attention". Queries and keys are independent
    unless ``correlation`` says otherwise; ``std``, ``mean`` and ``correlation`` come in tenths, the smallest
    difference that the samples can tell from none.

    Attributes:
        num_keys: Keys that all queries share, n.
        num_queries: Queries; below 2,000 the median gradient at d_head = 4096 scatters over decades.
        scale: An id of ``SCALES``.
        alpha: Exponent of d_head^−α.
        temperature: Divides the scores.
        inputs: The distribution of each component of q and k.
        std: Standard deviation of each component.
        mean: Mean of each component, in standard deviations.
        correlation: Of each component of a query with the same component of one of the keys.
        qk_norm: Divide each query and key by its root mean square before they meet, as the module's QK-norm does.
        through_module: Take q = W_Q x and k = W_K y with W_Q, W_K as the module initialises them and x, y distributed
            as ``inputs`` with mean 0, instead of q = x and k = y.
        naive_epsilon: Compute ε as 1 − a_max in the precision of the run, which cancels.

    Raises:
        ConfigError: If a setting is not possible.
    """

    num_keys: int = setting(_KEYS, Whole(1, 128, label=pgettext_lazy("how many", "Keys")))
    num_queries: int = 2048
    scale: str = setting("none", Choice(SCALES, label=_("Scale of the scores")))
    alpha: float = setting(_ALPHA, Real(0.0, 2.0, 0.05, label=_("α, the power of the size")))
    temperature: float = setting(1.0, Real(0.1, 10.0, 0.1, label=_("Temperature"), hint=_("Divides the scores.")))
    inputs: str = setting(
        "normal",
        Choice(
            {"normal": _("normal"), "uniform": _("uniform"), "signs": "±1"},
            label=_("Components of q and k"),
            listed=False,
        ),
    )
    std: float = setting(1.0, Real(0.1, 4.0, 0.1, label=_("Standard deviation")))
    mean: float = setting(0.0, Real(-2.0, 2.0, 0.1, label=_("Mean"), hint=_("In standard deviations.")))
    correlation: float = setting(
        0.0, Real(0.0, 1.0, 0.1, label=_("Correlation of q and k"), hint=_("Of each query with one of the keys."))
    )
    qk_norm: bool = setting(
        False, Switch(label="QK-norm", hint=_("Divide each query and key by its root mean square."))
    )
    through_module: bool = setting(
        False, Switch(label=_("Make q and k by projections"), hint=_("As torch initialises them."))
    )
    naive_epsilon: bool = setting(
        False,
        Switch(
            label=_("ε as 1 − the largest weight"),
            hint=_("It cancels, and seems to break the bound on ‖J‖."),
            link="naive",
        ),
    )

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("num_queries", self.num_queries, 2000, 8192)
        for name in ("std", "mean", "correlation"):
            value = getattr(self, name)
            if abs(10 * value - round(10 * value)) > 1e-5:
                raise ConfigError(name, value, _("a number in tenths is allowed"))
            object.__setattr__(self, name, round(value, 1))  # single precision's .3 is the one that is meant
        if self.through_module and (self.mean, self.correlation) != (0, 0):
            given = _("mean {mean:g} and correlation {rho:g}", mean=self.mean, rho=self.correlation)
            raise ConfigError("through_module", given, _("with W_Q and W_K, mean 0 and correlation 0 are allowed"))
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
                _(
                    "scores reach {size:,.0f} with these inputs, {dtype} ends at {largest:,.0f}",
                    size=size,
                    dtype=self.dtype,
                    largest=largest,
                ),
            )

    def factor(self, d_head: int, num_keys: int | None = None) -> float:
        """The number that q·k is multiplied by, scale / temperature, with so many keys; the settings' when None."""
        root = 1 / math.sqrt(d_head)
        scales = {"none": 1.0, "root": root, "head": 1 / d_head, "power": d_head**-self.alpha}
        scales["log"] = math.log(num_keys or self.num_keys) * root
        return scales[self.scale] / self.temperature

    @property
    def factor_name(self) -> str:
        """``factor`` as a formula: ``1``, ``1/√d_head``, ``d_head^−0.4 / 2``."""
        names = {"none": UNSCALED, "root": SCALED, "head": "1/d_head", "power": f"d_head^−{self.alpha:g}"}
        names["log"] = "ln n/√d_head"
        if self.scale == "power" and self.alpha in (0, 0.5):
            names["power"] = SCALED if self.alpha else UNSCALED
        return names[self.scale] + ("" if self.temperature == 1 else f" / {self.temperature:g}")

    @property
    def working_bytes(self) -> int:
        """About how many bytes a part of the sweep holds at once; see ``sweep.steps_part``."""
        rows = CHUNK * D_HEADS[-1] * self.torch_dtype.itemsize  # queries, keys of pairs, and numbers drawn
        return rows * (7 + 8 * (self.qk_norm or self.through_module))

    @property
    def for_picture(self) -> "ScalingConfig":
        """The settings that the picture depends on; the others are as they begin."""
        return replace(self, alpha=self.alpha if self.scale == "power" else _ALPHA, naive_epsilon=False)

    @property
    def for_lengths(self) -> "ScalingConfig":
        """The settings that the largest weight over the number of keys depends on; the others are as they begin."""
        return replace(self.for_picture, num_keys=_KEYS)

    @property
    def for_reference(self) -> "ScalingConfig":
        """The settings that curves without a factor and with 1/√d_head depend on; the others are as they begin."""
        return replace(self, scale="none", alpha=_ALPHA, temperature=1.0, naive_epsilon=False)

    @property
    def parts(self) -> tuple["ScalingConfig", ...]:
        """What is measured, each by itself: two factors to compare with, and the chosen one where it is another."""
        both = (self.for_reference, self.for_picture)
        return both[:1] if self.factor_name in (UNSCALED, SCALED) else both


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
