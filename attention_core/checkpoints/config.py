"""The config of a trained model: the sizes and choices that its weights do not tell."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final

from attention_core.checkpoints.tensor_file import CheckpointError, short
from attention_core.modules.block import LAYER_NORM, PLACEMENTS, PRE_NORM, Placement
from attention_core.modules.feed_forward import ACTIVATIONS, GELU_ACTIVATION, Activation
from attention_core.modules.multi_head import NO_POSITION
from attention_core.modules.normalization import LayerNorm, NoNorm, RMSNorm
from attention_core.modules.positions import POSITIONS, Position
from attention_core.modules.projections import FULL, PROJECTIONS, Projections
from attention_core.modules.rope_scaling import SCALINGS

OURS: Final = "attention_explorer"
CHOICES: Final[Mapping[str, tuple[type, ...]]] = {
    "position": POSITIONS,
    "placement": PLACEMENTS,
    "norm": (LayerNorm, RMSNorm, NoNorm),
    "activation": ACTIVATIONS,
    "projections": PROJECTIONS,
    "head_transform": ACTIVATIONS,
    "qk_norm": (RMSNorm,),
    "window_position": POSITIONS,
}
NUMBERS: Final = ("scale", "soft_cap", "logit_cap", "embedding_scale")
WITHIN: Final = {"scaling": SCALINGS}  # choices that are options of others
# The least and the most: more than any model has that fits here, and no product of them is out of torch's range.
SIZES: Final = {
    "vocab_size": (1, 2**20), "d_model": (1, 2**16), "num_heads": (1, 2**10), "num_layers": (1, 2**8),
    "d_ff": (0, 2**20), "num_kv_heads": (1, 2**10), "d_head": (1, 2**12), "token_types": (0, 2**10),
    "padding_id": (0, 2**20),
}  # fmt: skip
MOST_POSITIONS: Final = 2**20
LARGEST_OPTION: Final = 1e9  # such as the base of rotary positions
LONGEST_FAMILY: Final = 40


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
        input_norm: Whether the first vectors are normalised.
        final_norm: Whether the last ones are.
        activation: Of the feed-forward networks.
        gated: Whether these have a gate.
        feed_forward_bias: Whether their layers have biases.
        projections: Which matrices an attention has.
        q_bias: Whether there is b_Q; likewise the next three.
        k_bias: b_K.
        v_bias: b_V.
        o_bias: b_O.
        scale: Factor of the scores; ``1/√d_head`` when None.
        qk_norm: The norm of queries and keys, or None; likewise the next three, as in :class:`MultiHeadAttention`.
        qk_norm_together: Whether it is over all heads together.
        soft_cap: What scores stay within.
        sink: Whether softmax has a learned score that fetches nothing.
        windows: How many tokens back (and without causality, ahead) each layer sees, None for all; ``()`` where every
            layer sees all.
        window_position: How order comes in to layers with a window, where it is not ``position``, as in Gemma 3.
        embedding_scale: What token vectors are multiplied by at the bottom, as in Gemma.
        logit_cap: What logits stay within, as scores within ``soft_cap``.
        token_types: Kinds of sentences that have a vector of their own, as BERT's two; 0 for none.
        padding_id: The id of padding where it decides the positions: the other tokens are counted, from this number
            plus one, as in RoBERTa. Where it is None, slots are positions.
        lm_head: Whether there are logits; else the last hidden states are what the model gives.
        tie_word_embeddings: Whether the matrix of the logits is the table of token vectors.
        head_bias: Whether a bias is added to the logits.
        head_transform: The activation of a layer before the logits, which ends in a norm, as BERT's; None for none.
        vocabulary: What each id means; none where the folder does not say.

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
    input_norm: bool = False
    final_norm: bool = True
    activation: Activation = GELU_ACTIVATION
    gated: bool = False
    feed_forward_bias: bool = True
    projections: Projections = FULL
    q_bias: bool = True
    k_bias: bool = True
    v_bias: bool = True
    o_bias: bool = True
    scale: float | None = None
    qk_norm: RMSNorm | None = None
    qk_norm_together: bool = False
    soft_cap: float | None = None
    sink: bool = False
    windows: tuple[int | None, ...] = ()
    window_position: Position | None = None
    embedding_scale: float | None = None
    logit_cap: float | None = None
    token_types: int = 0
    padding_id: int | None = None
    lm_head: bool = True
    tie_word_embeddings: bool = True
    head_bias: bool = False
    head_transform: Activation | None = None
    vocabulary: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, (least, most) in SIZES.items():
            value = getattr(self, name)
            if value is None and FIELDS[name].default is None:
                continue
            if type(value) is not int or not least <= value <= most:
                raise refused(name, value, f"a whole number from {least} to {most:,} is needed")
        for name, choices in CHOICES.items():
            _check_choice(name, getattr(self, name), choices)
        for name, field in FIELDS.items():
            if field.type is bool and type(getattr(self, name)) is not bool:
                raise refused(name, getattr(self, name), "true or false is needed")
        for name in NUMBERS:
            value, most = getattr(self, name), LARGEST_OPTION
            if value is not None and not (type(value) in (int, float) and abs(value) < most):
                raise refused(name, value, "a number is needed")
            if value is not None and name.endswith("cap") and not value > 0:
                raise refused(name, value, "a positive number is needed")
        windows = self.windows
        if type(windows) is not tuple or not all(
            each is None or (type(each) is int and each >= 0) for each in windows
        ):
            raise refused("windows", windows, "whole numbers from 0, and None, are needed")
        if len(windows) not in (0, self.num_layers):
            raise refused("windows", f"{len(windows)} windows", f"one for each of {self.num_layers} layers is needed")
        if type(self.vocabulary) is not tuple or not all(
            type(word) is str and word and word.isprintable() for word in self.vocabulary
        ):
            raise refused("vocabulary", self.vocabulary, "texts that can be shown are needed")
        if len(self.vocabulary) not in (0, self.vocab_size):
            count = f"{len(self.vocabulary)} texts"
            raise refused("vocabulary", count, f"one for each of {self.vocab_size} ids is needed")
        if not isinstance(self.family, str) or len(self.family) > LONGEST_FAMILY:
            raise refused("family", self.family, "the model_type that it had is needed")

    def to_json(self) -> dict[str, Any]:
        """The content of ``config.json`` in this package's layout; :meth:`from_json` reads it."""
        content = {name: getattr(self, name) for name in FIELDS}
        for name in CHOICES:
            content[name] = None if content[name] is None else _written(content[name])
        return {"model_type": OURS} | content | {"windows": list(self.windows), "vocabulary": list(self.vocabulary)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "CheckpointConfig":
        """The config that :meth:`to_json` wrote; what is missing has its default.

        Raises:
            CheckpointError: If something is unknown, needed and missing, or not possible.
        """
        values = {name: value for name, value in content.items() if name != "model_type"}
        if unknown := sorted({*values} - {*FIELDS}):
            raise CheckpointError(f"config.json says {short(unknown[0])}, which no model of this package has.")
        for name, field in FIELDS.items():
            if field.default is MISSING and name not in values:
                raise CheckpointError(f"config.json does not say {name}.")
            if isinstance(values.get(name), list):
                values[name] = tuple(values[name])
        for name, choices in CHOICES.items():
            if values.get(name) is not None:
                values[name] = _choice(name, values[name], choices)
        return cls(**values)


FIELDS: Final = {field.name: field for field in fields(CheckpointConfig)}


def refused(name: str, value: object, needed: str) -> CheckpointError:
    """The error for an impossible value."""
    return CheckpointError(f"{name} = {short(value)} is not possible: {needed}.")


def _choice(name: str, value: object, choices: tuple[type, ...]) -> Any:
    """``{"Rotary": {"base": 10000.0}}`` as ``Rotary(base=10000.0)``."""
    allowed = {each.__name__: each for each in choices}
    kind, options = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", None)
    if kind not in allowed or not isinstance(options, dict):
        raise refused(name, value, f"one of {', '.join(allowed)} with its options is needed")
    options = {option: tuple(given) if isinstance(given, list) else given for option, given in options.items()}
    for option, within in WITHIN.items():
        if options.get(option) is not None:
            options[option] = _choice(f"{option} of {name}", options[option], within)
    try:
        return allowed[kind](**options)
    except TypeError as error:
        known = ", ".join(field.name for field in fields(allowed[kind])) or "no options"
        raise refused(name, value, f"{kind} takes {known}") from error
    except ValueError as error:
        raise CheckpointError(f"{name} = {short(value)} is not possible: {error}") from error


def _written(choice: Any) -> dict[str, Any]:
    """What :func:`_choice` reads."""
    options = {field.name: getattr(choice, field.name) for field in fields(choice)}
    for option in WITHIN.keys() & options:
        options[option] = options[option] and _written(options[option])
    return {type(choice).__name__: options}


def _check_choice(name: str, value: Any, choices: tuple[type, ...]) -> None:
    if value is None and FIELDS[name].default is None:
        return
    if not isinstance(value, choices):
        raise refused(name, value, f"one of {', '.join(each.__name__ for each in choices)} is needed")
    _check_options(name, value)


def _check_options(name: str, choice: Any) -> None:
    for option in fields(choice):
        given = getattr(choice, option.name)
        if option.name in WITHIN:
            if given is not None:
                _check_options(f"{option.name} of {name}", given)
            continue
        numbers = given if type(given) is tuple else (given,)
        if option.type is bool:
            fits, needed = type(given) is bool, "true or false is needed"
        elif option.type is int:
            fits = type(given) is int and 0 < given <= MOST_POSITIONS
            needed = f"a whole number from 1 to {MOST_POSITIONS:,} is needed"
        else:
            fits = all(type(each) in (int, float) and 0 < each < LARGEST_OPTION for each in numbers)
            fits, needed = fits or given is option.default is None, "a positive number is needed"
        if not fits:
            raise refused(f"{option.name} of {name}", given, needed)
