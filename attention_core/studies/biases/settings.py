"""Settings of the bias experiments."""

from dataclasses import dataclass
from typing import Final, Literal

from attention_core.device import supported_dtypes
from attention_core.language import gettext_lazy as _
from attention_core.language import listed
from attention_core.measuring.checks import MAX_SEED, ConfigError, check_float
from attention_core.measuring.config import RunConfig
from attention_core.measuring.number_format import format_number
from attention_core.measuring.settings import Choice, OneOf, Switch, Whole, Words, setting

D_MODEL: Final = 32
NUM_HEADS: Final = 4
DROPOUT: Final = 0.1
SHIFT: Final = 1000.0
BiasRole = Literal["q", "k", "v", "o"]
ROLES: Final[tuple[BiasRole, ...]] = ("q", "k", "v", "o")
NAMES: Final = {"q": "b_Q", "k": "b_K", "v": "b_V", "o": "b_O"}
DIRECTIONS: Final = {"random": _("random"), "equal": _("all equal"), "coordinate": _("one coordinate")}
SIZES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # Far above, softmax saturates, and a sink takes all or nothing.
KEY_SIZES: Final = (*(float(f"{digit}e{power}") for power in range(-3, 6) for digit in (1, 2, 5)), 1e6)
_SENTENCE: Final = Words(label=_("Sentence"))
_SIZE: Final = OneOf(SIZES, between=True, label=_("Size of each bias"), shown=format_number)
_DIRECTION: Final = Choice(DIRECTIONS, label=_("Direction of the biases"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasModuleConfig(RunConfig):
    """The module and its tokens, but not how large its biases are: what is computed once for all sizes.

    Attributes:
        tokens: The sentence; it attends to itself.
        q_bias: Whether there is b_Q.
        k_bias: Whether there is b_K.
        v_bias: Whether there is b_V.
        o_bias: Whether there is b_O.
        direction: Where the biases point: ``random`` (each its own way), ``equal`` (every component the same), or
            ``coordinate`` (the first of each head).
        rotary: Whether queries and keys are rotated by their position, which rotates b_K too.
        qk_norm: Whether queries and keys are RMS-normalised, so that b_K changes a key's length.
        tied_query_key: Whether W_Q = W_K; with both biases on, b_Q and b_K are one vector.
        zero_sink: Whether softmax runs over one more key, a zero vector that no bias is added to.
        masked_row: Whether the last query may see no token.
    """

    tokens: tuple[str, ...] = setting(("the", "cat", "sat", "on", "a", "mat"), _SENTENCE, zh="猫 坐 在 垫子 上")
    q_bias: bool = setting(True, Switch(label=_("Query bias")))
    k_bias: bool = setting(True, Switch(label=_("Key bias")))
    v_bias: bool = setting(True, Switch(label=_("Value bias")))
    o_bias: bool = setting(True, Switch(label=_("Output bias")))
    direction: str = setting("random", _DIRECTION)
    rotary: bool = setting(
        False,
        Switch(
            label=_("Rotary positions"),
            hint=_("They turn b_K by another angle at every key, so it is no longer constant."),
        ),
    )
    qk_norm: bool = setting(
        False, Switch(label="QK-norm", hint=_("It divides each key by its own length, b_K included."))
    )
    tied_query_key: bool = setting(
        False, Switch(label=_("Tied Q = K"), hint=_("b_K is then the query bias as well, and that one is felt."))
    )
    zero_sink: bool = setting(
        False,
        Switch(
            label=_("Sink key"),
            hint=_("One more key, a zero without bias: nothing is common to all keys any more."),
        ),
    )
    masked_row: bool = setting(
        False,
        Switch(
            label=_("Masked row"),
            hint=_("The last query sees nothing: no weights, so nothing carries b_V there."),
        ),
    )

    def has(self, role: str) -> bool:
        """Whether the bias of ``role`` (``q``, ``k``, ``v`` or ``o``) is on."""
        return getattr(self, f"{role}_bias")

    @property
    def biases(self) -> tuple[BiasRole, ...]:
        """The roles whose biases are on."""
        return tuple(role for role in ROLES if self.has(role))

    @property
    def shared(self) -> bool:
        """Whether b_Q and b_K are one vector."""
        return self.tied_query_key and self.q_bias and self.k_bias

    def key_sweep(self) -> "BiasModuleConfig":
        """The same module for the sweep over ‖b_K‖: b_K alone (with b_Q where they are one), in every precision."""
        changed = {"q_bias": self.shared, "k_bias": True, "v_bias": False, "o_bias": False, "masked_row": False}
        return BiasModuleConfig.like(self, dtype="auto", **changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasesConfig(BiasModuleConfig):
    """The module, its tokens, and the size of its biases.

    Attributes:
        size: ‖b‖ of every bias that is on, from 0.1 to 5; a page walks through ``SIZES``.
        dropout: Whether the value bias is measured in training, with a tenth of the weights dropped. Everything else
            is measured in evaluation, where dropout does nothing.
        naive_softmax: Whether softmax's shift is measured without subtracting the largest score first.
    """

    size: float = setting(2.0, _SIZE)
    dropout: bool = setting(
        False,
        Switch(label="Dropout", hint=_("Rows of weights no longer sum to 1, so b_V passes through only on average.")),
    )
    naive_softmax: bool = setting(
        False,
        Switch(label=_("Naive softmax"), hint=_("exp overflows where the largest score is not subtracted first.")),
    )

    def without_size(self) -> BiasModuleConfig:
        """The same module and tokens without a size that is one of ``SIZES``: what is computed once for all six."""
        return BiasModuleConfig.like(self) if self.size in SIZES else self


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterNormConfig(RunConfig):
    """The attention's output with and without b_O, followed at once by a norm.

    Attributes:
        tokens: The sentence; its tokens are what BatchNorm averages over.
        size: ‖b_O‖, from 0.1 to 5.
        direction: As in ``BiasModuleConfig``; ``equal`` is the part that LayerNorm cancels, and nothing else.
        batch_norm_eval: Whether BatchNorm uses its running statistics, as after training, instead of the batch's.
    """

    tokens: tuple[str, ...] = setting(("the", "cat", "sat", "on", "a", "mat"), _SENTENCE, zh="猫 坐 在 垫子 上")
    size: float = setting(2.0, _SIZE)
    direction: str = setting("random", _DIRECTION)
    batch_norm_eval: bool = setting(
        False,
        Switch(label=_("BatchNorm in evaluation"), hint=_("Its running statistics know nothing of the bias.")),
    )

    def attention(self) -> BiasModuleConfig:
        """The attention whose output is normalised: b_O is its only bias."""
        return BiasModuleConfig.like(self, q_bias=False, k_bias=False, v_bias=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanConfig(RunConfig):
    """Random inputs x through the module's W_Q and b_Q.

    Attributes:
        doublings: Up to 2^``doublings`` samples.
        input_mean: Mean of each component of x; E[Wx + b] = b needs 0.
    """

    doublings: int = setting(16, Whole(8, 18, label=_("Doublings of the samples")))
    input_mean: float = 0.0

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_float("input_mean", self.input_mean, -10, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixConfig(RunConfig):
    """The published experiment: 16 tokens, d_model 1024, 32 heads, a key bias on or off, in two precisions.

    Attributes:
        seed: The published numbers are for 42.
    """

    seed: int = setting(42, Whole(0, MAX_SEED, label=_("Seed"), typed=True))

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        missing = {"float32", "float64"} - set(supported_dtypes(self.torch_device))
        if missing:
            needed = _("a device with {precisions} is needed", precisions=listed(sorted(missing)))
            raise ConfigError("device", self.device, needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig(RunConfig):
    """A short training run that starts from b_K = 0, with plain gradient descent and with Adam.

    Attributes:
        steps: Steps of each optimizer.
    """

    steps: int = setting(600, Whole(10, 2000, label=_("Steps")))
