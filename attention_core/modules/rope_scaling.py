"""Rotary positions stretched for texts longer than those of training: five ways to slow the turning of pairs.

Pair i turns from token to token by ``θ_i = base^(−2i/size)``. Each *choice* here maps these frequencies to others,
``θ'_i``, and may multiply queries and keys by a ``gain``, so that scores grow by its square.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class LinearScaling:
    """All positions are divided by one number: ``θ'_i = θ_i / factor``.

    Chen et al. (2023), "Extending Context Window of Large Language Models via Positional Interpolation", section 3.2.

    Attributes:
        factor: How many times longer texts may be.

    Raises:
        ValueError: If it is not positive.
    """

    factor: float
    depends_on_length: ClassVar[bool] = False
    gain: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        _require_positive(factor=self.factor)

    def require(self, base: float, size: int) -> None:
        """Every base and size fits."""

    def frequencies(
        self, plain: Float[Tensor, " pairs"], base: float, length: int | Int[Tensor, ""]
    ) -> Float[Tensor, " pairs"]:
        """By how much each pair turns from one token to the next.

        Args:
            plain: The same without scaling.
            base: From which these came.
            length: Positions that there are.
        """
        del base, length
        return plain / self.factor


@dataclass(frozen=True, slots=True)
class DynamicNTK:
    """The base grows with a text once it is longer than those of training.

    ``base' = base · (factor · length / trained_len − (factor − 1))^(size / (size − 2))``, so that the fastest pair
    stays and the slowest is slowed by the bracket: bloc97 and emozilla (2023), in Peng et al. (2024), "YaRN",
    section 3.1 and appendix B.1. A token's angle depends on how long the text is by now: keys that a cache keeps stay
    as they were turned.

    Attributes:
        factor: How fast it grows.
        trained_len: Up to which length nothing changes.

    Raises:
        ValueError: If one is not positive.
    """

    factor: float
    trained_len: int
    depends_on_length: ClassVar[bool] = True
    gain: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        _require_positive(factor=self.factor, trained_len=self.trained_len)

    def require(self, base: float, size: int) -> None:
        """Every base and size fits."""

    def frequencies(
        self, plain: Float[Tensor, " pairs"], base: float, length: int | Int[Tensor, ""]
    ) -> Float[Tensor, " pairs"]:
        """As :meth:`LinearScaling.frequencies`."""
        del base
        size, over = 2 * len(plain), torch.as_tensor(length, device=plain.device).clamp(min=self.trained_len)
        bracket = self.factor * over.to(plain.dtype) / self.trained_len - (self.factor - 1)
        # θ_i^(1 + …) = base'^(−2i/size); of one pair alone, whose angle has no base in it, nothing changes.
        exponents = torch.arange(0, size, 2, dtype=plain.dtype, device=plain.device) / max(size - 2, 1)
        return plain * bracket**-exponents


@dataclass(frozen=True, slots=True)
class YaRN:
    """Fast pairs stay, slow ones are divided by ``factor``, and between them there is a ramp; scores are sharpened.

    ``θ'_i = (1 − r_i) θ_i / factor + r_i θ_i``, where r falls from 1 to 0 between the pairs that turn ``beta_fast``
    and ``beta_slow`` times in ``trained_len`` tokens; queries and keys are multiplied by ``gain``, ``0.1 ln(factor) +
    1`` unless it is given: Peng et al. (2024), "YaRN: Efficient Context Window Extension of Large Language Models",
    sections 3.2 to 3.4. As in the authors' code the ramp is linear in the pair's number i, not in how often it turns.

    Attributes:
        factor: How many times longer texts may be.
        trained_len: Tokens of a text in training.
        beta_fast: A pair that turns as often stays.
        beta_slow: One that turns less often is divided.
        own_gain: The gain, where it is another.
        truncate: Whether the ramp begins and ends at whole pairs.

    Raises:
        ValueError: If a number is not positive, or ``beta_fast`` not above ``beta_slow``.
    """

    factor: float
    trained_len: int
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    own_gain: float | None = None
    truncate: bool = True
    depends_on_length: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _require_positive(factor=self.factor, trained_len=self.trained_len, beta_slow=self.beta_slow)
        _require_positive(own_gain=1.0 if self.own_gain is None else self.own_gain)
        if not self.beta_slow < self.beta_fast:
            raise ValueError(f"beta_fast = {self.beta_fast} is not above beta_slow = {self.beta_slow}.")

    @property
    def gain(self) -> float:
        """By what queries and keys are multiplied."""
        if self.own_gain is not None:
            return self.own_gain
        return 1.0 if self.factor <= 1 else 0.1 * math.log(self.factor) + 1

    def require(self, base: float, size: int) -> None:
        """Refuse a base that says of no pair how often it turns.

        Raises:
            ValueError: If it is not above 1.
        """
        del size
        if not base > 1:
            raise ValueError(f"base = {base} is not possible: YaRN() needs one above 1.")

    def frequencies(
        self, plain: Float[Tensor, " pairs"], base: float, length: int | Int[Tensor, ""]
    ) -> Float[Tensor, " pairs"]:
        """As :meth:`LinearScaling.frequencies`."""
        del length
        size = 2 * len(plain)
        begin, end = (
            size * math.log(self.trained_len / (2 * math.pi * turns)) / (2 * math.log(base))
            for turns in (self.beta_fast, self.beta_slow)
        )
        begin, end = (math.floor(begin), math.ceil(end)) if self.truncate else (begin, end)
        begin, end = max(begin, 0), min(end, size - 1)
        pairs = torch.arange(len(plain), dtype=plain.dtype, device=plain.device)
        slow = ((pairs - begin) / (end - begin if end != begin else 0.001)).clamp(0, 1)  # 0.001 as in their code
        return plain / self.factor * slow + plain * (1 - slow)


@dataclass(frozen=True, slots=True)
class Llama3Scaling:
    """Fast pairs stay, slow ones are divided by ``factor``, those between are mixed: Llama 3.1.

    A pair turns ``t_i = trained_len · θ_i / 2π`` times in a text of training, and ``θ'_i = (1 − s_i) θ_i / factor +
    s_i θ_i`` with ``s_i = (t_i − low) / (high − low)``, from 0 to 1: Grattafiori et al. (2024), "The Llama 3 Herd of
    Models", and the authors' code.

    Attributes:
        factor: How many times longer texts may be.
        trained_len: Tokens of a text in training.
        low: A pair that turns less often is divided.
        high: One that turns more often stays.

    Raises:
        ValueError: If a number is not positive, or ``high`` not above ``low``.
    """

    factor: float
    trained_len: int
    low: float = 1.0
    high: float = 4.0
    depends_on_length: ClassVar[bool] = False
    gain: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        _require_positive(factor=self.factor, trained_len=self.trained_len, low=self.low)
        if not self.low < self.high:
            raise ValueError(f"high = {self.high} is not above low = {self.low}.")

    def require(self, base: float, size: int) -> None:
        """Every base and size fits."""

    def frequencies(
        self, plain: Float[Tensor, " pairs"], base: float, length: int | Int[Tensor, ""]
    ) -> Float[Tensor, " pairs"]:
        """As :meth:`LinearScaling.frequencies`."""
        del base, length
        turns = self.trained_len * plain / (2 * math.pi)
        stays = ((turns - self.low) / (self.high - self.low)).clamp(0, 1)
        return (1 - stays) * plain / self.factor + stays * plain


@dataclass(frozen=True, slots=True)
class LongRoPE:
    """Each pair is divided by a number of its own, which a search found: one for short texts, one for long ones.

    ``θ'_i = θ_i / short_i`` in a text of up to ``trained_len`` tokens, ``θ_i / long_i`` in a longer one; queries and
    keys are multiplied by ``gain``: Ding et al. (2024), "LongRoPE", section 3; Phi-3. A token's angle depends on how
    long the text is by now: keys that a cache keeps stay as they were turned.

    Attributes:
        trained_len: The longest text that is short.
        short: A number for each pair.
        long: Likewise.
        gain: By what queries and keys are multiplied; ``√(1 + ln(factor) / ln(trained_len))`` in Phi-3, whose texts
            may be ``factor`` times longer.

    Raises:
        ValueError: If a number is not positive, or there are not as many for long as for short texts.
    """

    trained_len: int
    short: tuple[float, ...]
    long: tuple[float, ...]
    gain: float = 1.0
    depends_on_length: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _require_positive(trained_len=self.trained_len, gain=self.gain)
        for name, numbers in (("short", self.short), ("long", self.long)):
            _require_positive(**{f"{name}[{pair}]": each for pair, each in enumerate(numbers)})
        if len(self.short) != len(self.long):
            raise ValueError(f"short has {len(self.short)} numbers and long {len(self.long)}: one for each pair.")

    def require(self, base: float, size: int) -> None:
        """Refuse another number of pairs.

        Raises:
            ValueError: If there is not one number for each pair.
        """
        del base
        if len(self.short) != size // 2:
            raise ValueError(f"short and long have {len(self.short)} numbers: one for each of {size // 2} pairs.")

    def frequencies(
        self, plain: Float[Tensor, " pairs"], base: float, length: int | Int[Tensor, ""]
    ) -> Float[Tensor, " pairs"]:
        """As :meth:`LinearScaling.frequencies`."""
        del base
        short, long = (plain.new_tensor(numbers) for numbers in (self.short, self.long))
        return plain / torch.where(torch.as_tensor(length, device=plain.device) > self.trained_len, long, short)


RopeScaling: TypeAlias = LinearScaling | DynamicNTK | YaRN | Llama3Scaling | LongRoPE
SCALINGS = (LinearScaling, DynamicNTK, YaRN, Llama3Scaling, LongRoPE)


def _require_positive(**numbers: float | int) -> None:
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise ValueError(f"{name} = {number} is not possible: a positive number is needed.")
