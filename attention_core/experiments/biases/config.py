"""Settings of the bias experiments, and what theory says of each claim under them."""

from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal

from attention_core.device import supported_dtypes
from attention_core.experiments.config import (
    ConfigError,
    RunConfig,
    check_bool,
    check_choice,
    check_int,
    check_tokens,
)

D_MODEL: Final = 32
NUM_HEADS: Final = 4
DROPOUT: Final = 0.1
SHIFT: Final = 1000.0
BiasRole = Literal["q", "k", "v", "o"]
ROLES: Final[tuple[BiasRole, ...]] = ("q", "k", "v", "o")
NAMES: Final = {"q": "b_Q", "k": "b_K", "v": "b_V", "o": "b_O"}
DIRECTIONS: Final = ("random", "all equal", "one coordinate")
SIZES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # Far above, softmax saturates, and a sink takes all or nothing.
KEY_SIZES: Final = (*(float(f"{digit}e{power}") for power in range(-3, 6) for digit in (1, 2, 5)), 1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasesSetting(RunConfig):
    """The module and its tokens, but not how large its biases are: what is computed once for all sizes.

    Attributes:
        tokens: The sentence; it attends to itself.
        q_bias: Whether there is b_Q.
        k_bias: Whether there is b_K.
        v_bias: Whether there is b_V.
        o_bias: Whether there is b_O.
        direction: Where the biases point: ``random`` (each its own way), ``all equal`` (every component the same), or
            ``one coordinate`` (the first of each head).
        rotary: Whether queries and keys are rotated by their position, which rotates b_K too.
        qk_norm: Whether queries and keys are RMS-normalised, so that b_K changes a key's length.
        tied_query_key: Whether W_Q = W_K; with both biases on, b_Q and b_K are one vector.
        zero_sink: Whether softmax runs over one more key, a zero vector that no bias is added to.
        masked_row: Whether the last query may see no token.
    """

    tokens: tuple[str, ...] = ("the", "cat", "sat", "on", "a", "mat")
    q_bias: bool = True
    k_bias: bool = True
    v_bias: bool = True
    o_bias: bool = True
    direction: str = "random"
    rotary: bool = False
    qk_norm: bool = False
    tied_query_key: bool = False
    zero_sink: bool = False
    masked_row: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_tokens("tokens", self.tokens)
        check_choice("direction", self.direction, DIRECTIONS)
        for role in ROLES:
            check_bool(f"{role}_bias", self.has(role))
        for name in ("rotary", "qk_norm", "tied_query_key", "zero_sink", "masked_row"):
            check_bool(name, getattr(self, name))

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

    def key_sweep(self) -> "BiasesSetting":
        """The same module for the sweep over ‖b_K‖: b_K alone (with b_Q where they are one), in every precision."""
        names = (field.name for field in fields(BiasesSetting))
        same = {name: getattr(self, name) for name in names}
        changed = {"q_bias": self.shared, "k_bias": True, "v_bias": False, "o_bias": False, "masked_row": False}
        return replace(BiasesSetting(**same), dtype=supported_dtypes(self.torch_device)[0], **changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasesConfig(BiasesSetting):
    """The module, its tokens, and the size of its biases.

    Attributes:
        size: ‖b‖ of every bias that is on, one of ``SIZES``.
        dropout: Whether the value bias is measured in training, with a tenth of the weights dropped. Everything else
            is measured in evaluation, where dropout does nothing.
        naive_softmax: Whether softmax's shift is measured without subtracting the largest score first.
    """

    size: float = 5.0
    dropout: bool = False
    naive_softmax: bool = False

    def __post_init__(self) -> None:
        BiasesSetting.__post_init__(self)
        check_choice("size", self.size, SIZES)
        check_bool("dropout", self.dropout)
        check_bool("naive_softmax", self.naive_softmax)

    def setting(self) -> BiasesSetting:
        """The same module and tokens without the size: what is computed once for all sizes."""
        return BiasesSetting(**{field.name: getattr(self, field.name) for field in fields(BiasesSetting)})


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterNormConfig(RunConfig):
    """The attention's output with and without b_O, followed at once by a norm.

    Attributes:
        tokens: The sentence; its tokens are what BatchNorm averages over.
        size: ‖b_O‖, one of ``SIZES``.
        direction: As in ``BiasesSetting``; ``all equal`` is the part that LayerNorm cancels, and nothing else.
        batch_norm_eval: Whether BatchNorm uses its running statistics, as after training, instead of the batch's.
    """

    tokens: tuple[str, ...] = ("the", "cat", "sat", "on", "a", "mat")
    size: float = 5.0
    direction: str = "random"
    batch_norm_eval: bool = False

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_tokens("tokens", self.tokens)
        check_choice("size", self.size, SIZES)
        check_choice("direction", self.direction, DIRECTIONS)
        check_bool("batch_norm_eval", self.batch_norm_eval)

    def setting(self) -> BiasesSetting:
        """The attention whose output is normalised: b_O is its only bias."""
        run: dict[str, Any] = {"dtype": self.dtype, "device": self.device, "seed": self.seed}
        off = dict.fromkeys(("q_bias", "k_bias", "v_bias"), False)
        return replace(BiasesSetting(tokens=self.tokens, direction=self.direction, **run), **off)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanConfig(RunConfig):
    """Random inputs x through the module's W_Q and b_Q.

    Attributes:
        doublings: Up to 2^``doublings`` samples.
        input_mean: Mean of each component of x; E[Wx + b] = b needs 0.
    """

    doublings: int = 16
    input_mean: float = 0.0

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("doublings", self.doublings, 8, 18)
        check_choice("input_mean", self.input_mean, (0.0, 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendixConfig(RunConfig):
    """The published experiment: 16 tokens, d_model 1024, 32 heads, a key bias on or off, in two precisions.

    Attributes:
        seed: The published numbers are for 42.
    """

    seed: int = 42

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        missing = {"float32", "float64"} - set(supported_dtypes(self.torch_device))
        if missing:
            raise ConfigError("device", self.device, f"a device with {' and '.join(sorted(missing))} is needed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig(RunConfig):
    """A short training run that starts from b_K = 0, with plain gradient descent and with Adam.

    Attributes:
        steps: Steps of each optimizer.
    """

    steps: int = 600

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        check_int("steps", self.steps, 10, 2000)


def breaks(config: BiasesConfig, claim: str) -> str:
    """What makes ``claim`` fail under these settings, in words; empty where it holds.

    A bias is only felt by a query that sees something, and only if what it sees differs: the scores need keys that
    differ in content or place (or a sink beside them), the output needs values that differ.

    Args:
        config: The settings.
        claim: ``weights``, ``spread``, ``output`` and ``grad`` (of the key bias), ``value``, ``query``, ``column``,
            ``formula``, ``cancel`` or ``shift``: one for each verdict of :func:`run_biases`.
    """
    several, distinct = len(config.tokens) > 1, len(set(config.tokens)) > 1
    seen = several or not config.masked_row
    values_differ = distinct or config.zero_sink
    rotated = "rotary positions turn b_K by another angle at every key" if config.rotary and several else ""
    normed = "QK-norm divides each key by its own length, b_K included" if config.qk_norm else ""
    shared = "tied Q = K makes b_K the query bias as well" if config.shared else ""
    fixed = bool(shared and normed) and not distinct and not rotated  # q and k are one vector of length √d_head
    sink = "the sink key gets no bias, so the constant is not common to all keys" if config.zero_sink else ""
    match claim:
        case "weights" | "spread" | "output" | "grad":
            felt = seen and not fixed and (claim in ("weights", "spread") or values_differ)
            reason = sink or rotated or (shared or normed) * distinct
            return reason if felt else ""
        case "value":
            dropped = "dropout leaves rows of weights that do not sum to 1" if config.dropout else ""
            masked = "the fully masked row has no weights to carry b_V" if config.masked_row else ""
            lost = "the sink's share of the weights carries no b_V" if config.zero_sink else ""
            return dropped or masked or lost
        case "query":
            if fixed:
                return "tied Q = K and QK-norm make every score √d_head, whatever the bias"
            one = "one key has weight 1 whatever its score" if not several else "all values are equal"
            return "" if seen and values_differ else one if seen else "no query sees a key"
        case "column":
            return rotated.replace("b_K", "the key") or normed or shared
        case "formula":
            return rotated.replace("b_K", "the key") or normed
        case "cancel":
            return (sink or rotated or normed * distinct) if seen else ""
        case _:
            return "exp overflows where the largest score is not subtracted first" if config.naive_softmax else ""
