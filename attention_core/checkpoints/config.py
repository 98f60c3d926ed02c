"""What a trained model is made of: the sizes and choices that its weights do not tell."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

from attention_core.checkpoints.tensor_file import CheckpointError, short
from attention_core.modules.block import LAYER_NORM, PLACEMENTS, PRE_NORM, Placement
from attention_core.modules.feed_forward import ACTIVATIONS, GELU_ACTIVATION, Activation
from attention_core.modules.multi_head import NO_POSITION
from attention_core.modules.normalization import LayerNorm, NoNorm, RMSNorm
from attention_core.modules.positions import POSITIONS, Position
from attention_core.modules.projections import FULL, PROJECTIONS, Projections

OURS: Final = "attention_explorer"
CHOICES: Final[Mapping[str, tuple[type, ...]]] = {
    "position": POSITIONS,
    "placement": PLACEMENTS,
    "norm": (LayerNorm, RMSNorm, NoNorm),
    "activation": ACTIVATIONS,
    "projections": PROJECTIONS,
}
LARGEST: Final = {
    "vocab_size": 2**20, "d_model": 2**16, "num_heads": 2**10, "num_layers": 2**8, "d_ff": 2**20,
    "num_kv_heads": 2**10, "d_head": 2**12,
}  # fmt: skip
LARGEST_OPTION: Final = 1e9  # of a position's base, or of its number of learned vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointConfig:
    """The architecture of a trained model, in this package's words.

    Attributes:
        family: The ``model_type`` of its ``config.json``; ``"attention_explorer"`` is this package's own.
        vocab_size: Kinds of tokens.
        d_model: Size of a token's vector.
        num_heads: Heads of each attention.
        num_layers: Number of blocks.
        d_ff: Width of the feed-forward networks; 0 for none.
        num_kv_heads: Heads of keys and values; ``num_heads`` when None.
        d_head: Size of a head; ``d_model / num_heads`` when None.
        causal: Whether a token sees only itself and earlier ones: a :class:`Decoder`, else an :class:`Encoder`.
        position: How order comes in.
        placement: Where the norms stand.
        norm: Which norm.
        final_norm: Whether the last vectors are normalised.
        activation: Of the feed-forward networks.
        projections: Which matrices an attention has.
        q_bias: Whether there is b_Q; likewise the next three.
        k_bias: b_K.
        v_bias: b_V.
        o_bias: b_O.
        scale: Factor of the scores; ``1/√d_head`` when None.
        head: Whether there are logits; else the last hidden states are what the model gives.
        tied_head: Whether the matrix of the logits is the table of token vectors.
        head_bias: Whether a bias is added to the logits.
        words: What each id means; none where the folder does not say.

    Raises:
        CheckpointError: If a value is not possible.
    """

    family: str = OURS
    vocab_size: int
    d_model: int
    num_heads: int
    num_layers: int
    d_ff: int
    num_kv_heads: int | None = None
    d_head: int | None = None
    causal: bool = True
    position: Position = NO_POSITION
    placement: Placement = PRE_NORM
    norm: LayerNorm | RMSNorm | NoNorm = LAYER_NORM
    final_norm: bool = True
    activation: Activation = GELU_ACTIVATION
    projections: Projections = FULL
    q_bias: bool = True
    k_bias: bool = True
    v_bias: bool = True
    o_bias: bool = True
    scale: float | None = None
    head: bool = True
    tied_head: bool = True
    head_bias: bool = False
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, largest in LARGEST.items():
            value = getattr(self, name)
            if value is None and name in ("num_kv_heads", "d_head"):
                continue
            least = 0 if name == "d_ff" else 1
            if type(value) is not int or not least <= value <= largest:
                raise refused(name, value, f"a whole number from {least} to {largest:,} is needed")
        for name, choices in CHOICES.items():
            if not isinstance(getattr(self, name), choices):
                allowed = ", ".join(each.__name__ for each in choices)
                raise refused(name, getattr(self, name), f"one of {allowed} is needed")
        for field in fields(self):
            if field.type is bool and type(getattr(self, field.name)) is not bool:
                raise refused(field.name, getattr(self, field.name), "true or false is needed")
        if self.scale is not None and (type(self.scale) not in (int, float) or not abs(self.scale) < 1e6):
            raise refused("scale", self.scale, "a number is needed")
        if type(self.words) is not tuple or not all(type(word) is str for word in self.words):
            raise refused("words", self.words, "texts are needed")
        if len(self.words) not in (0, self.vocab_size):
            raise refused("words", f"{len(self.words)} texts", f"one for each of {self.vocab_size} ids is needed")

    def to_json(self) -> dict[str, Any]:
        """What ``config.json`` says of a model of this package; :meth:`from_json` reads it."""
        said = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "family"}
        for name in CHOICES:
            options = {field.name: getattr(said[name], field.name) for field in fields(said[name])}
            said[name] = {type(said[name]).__name__: options}
        return {"model_type": self.family} | said | {"words": list(self.words)}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Self:
        """The config that :meth:`to_json` wrote; what is missing has its default.

        Raises:
            CheckpointError: If something is unknown, needed and missing, or not possible.
        """
        values = {name: value for name, value in said.items() if name != "model_type"}
        known = {field.name for field in fields(cls)} - {"family"}
        if unknown := sorted({*values} - known):
            raise CheckpointError(f"config.json names {short(unknown[0])}, which no model of this package has.")
        needed = ("vocab_size", "d_model", "num_heads", "num_layers", "d_ff")
        if missing := [name for name in needed if name not in values]:
            raise CheckpointError(f"config.json does not say {missing[0]}.")
        for name, choices in CHOICES.items():
            if name in values:
                values[name] = _choice(name, values[name], choices)
        if isinstance(values.get("words"), list):
            values["words"] = tuple(values["words"])
        return cls(**values)


def refused(name: str, value: object, needed: str) -> CheckpointError:
    """The sentence for a value that is not possible."""
    return CheckpointError(f"{name} = {short(value)} is not possible: {needed}.")


def _choice(name: str, said: object, choices: tuple[type, ...]) -> Any:
    """``{"Rotary": {"base": 10000.0}}`` as ``Rotary(base=10000.0)``."""
    allowed = {each.__name__: each for each in choices}
    kind, options = next(iter(said.items())) if isinstance(said, dict) and len(said) == 1 else (None, None)
    if kind not in allowed or not isinstance(options, dict):
        raise refused(name, said, f"one of {', '.join(allowed)} with its options is needed")
    try:
        made = allowed[kind](**options)
    except TypeError as error:
        raise refused(name, said, f"{kind} has other options") from error
    for value in options.values():
        if type(value) is not bool and not (type(value) in (int, float) and 0 < value < LARGEST_OPTION):
            raise refused(name, said, "its options are true, false or positive numbers")
    return made
