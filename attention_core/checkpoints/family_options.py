"""What the configs of other families say, in the words of :class:`CheckpointConfig`: a function for each family.

A setting is asked for whether it matters or not: one that nobody asks for is refused.
"""

from typing import Any, Final

from attention_core.checkpoints.config import MOST_POSITIONS, SIZES
from attention_core.checkpoints.said import Said
from attention_core.modules.block import PostNorm
from attention_core.modules.feed_forward import GELU, Activation, ReLU, SiLU
from attention_core.modules.normalization import LayerNorm, RMSNorm
from attention_core.modules.positions import Learned, Rotary

ACTIVATIONS: Final[dict[str, Activation]] = {
    "gelu": GELU(), "gelu_new": GELU(tanh=True), "gelu_pytorch_tanh": GELU(tanh=True), "gelu_fast": GELU(tanh=True),
    "relu": ReLU(), "silu": SiLU(), "swish": SiLU(),
}  # fmt: skip
FULL, SLIDING = "full_attention", "sliding_attention"


def _activation(said: Said, name: str, usual: str) -> Activation:
    given = said.get(name, usual)
    if not isinstance(given, str) or given not in ACTIVATIONS:
        raise said.refused(name, f"one of {', '.join(ACTIVATIONS)} is needed")
    return ACTIVATIONS[given]


def _positions(said: Said, name: str, usual: int) -> Learned:
    return Learned(said.whole(name, 1, MOST_POSITIONS, usual))


def _window(said: Said, name: str, usual: int) -> int:
    """How many tokens back a layer sees, of a number that counts the token itself."""
    return said.whole(name, 1, 2**31 - 1, usual) - 1


def _perhaps_window(said: Said, name: str, usual: int) -> int | None:
    return None if said.get(name, usual) is None else _window(said, name, usual)


def _encoder(said: Said, activation: str, eps: float, **options: Any) -> dict[str, Any]:
    said.only("is_causal", False)
    said.only("is_decoder", False)
    return {
        "causal": False,
        "placement": PostNorm(),
        "input_norm": True,
        "final_norm": False,
        "norm": LayerNorm(eps),
        "position": _positions(said, "max_position_embeddings", 512),
        "activation": _activation(said, activation, "gelu"),
        "tie_word_embeddings": said.switch("tie_word_embeddings", True),
        "head_bias": True,
        "head_transform": _activation(said, activation, "gelu"),
    } | options


def bert_options(said: Said) -> dict[str, Any]:
    """Devlin et al. (2019): two kinds of sentences, a norm after each residual."""
    said.only("position_embedding_type", "absolute")
    kinds = said.whole("type_vocab_size", 1, SIZES["token_types"][1], 2)
    return _encoder(said, "hidden_act", said.positive("layer_norm_eps", 1e-12), token_types=kinds)


def distilbert_options(said: Said) -> dict[str, Any]:
    """Sanh et al. (2019), "DistilBERT": BERT without kinds of sentences; its norms have one eps."""
    said.only("layer_norm_eps", 1e-12)
    said.get("sinusoidal_pos_embds")  # what its table is filled with before training
    said.get("tie_weights_")
    said.get("intermediate_size")  # hidden_dim is what counts, and the tensors have it
    return _encoder(said, "activation", 1e-12)


def roberta_options(said: Said) -> dict[str, Any]:
    """Liu et al. (2019), "RoBERTa": BERT whose positions count the tokens that are no padding."""
    padding = said.whole("pad_token_id", *SIZES["padding_id"], 1)
    return bert_options(said) | {"padding_id": padding, "head_transform": GELU()}


def _gpt(said: Said, width: str, d_model: str, positions: str, usual: int, **options: Any) -> dict[str, Any]:
    said.only("is_causal", True)
    said.get("is_decoder")
    size = said.whole(d_model, *SIZES["d_model"])
    return {
        "d_ff": 4 * size if said.get(width) is None else said.whole(width, *SIZES["d_ff"]),
        "norm": LayerNorm(said.positive("layer_norm_epsilon", 1e-5)),
        "position": _positions(said, positions, usual),
        "activation": _activation(said, "activation_function", "gelu_new"),
        "tie_word_embeddings": said.switch("tie_word_embeddings", True),
    } | options


def gpt2_options(said: Said) -> dict[str, Any]:
    """Radford et al. (2019), "Language Models are Unsupervised Multitask Learners"."""
    said.only("scale_attn_by_inverse_layer_idx", False)
    said.get("reorder_and_upcast_attn")  # the same scores, in float32
    said.get("n_ctx")  # the size of a mask that is derived
    said.get("intermediate_size")  # n_inner is what counts, and the tensors have it
    scale = None if said.switch("scale_attn_weights", True) else 1.0
    return _gpt(said, "n_inner", "n_embd", "n_positions", 1024, scale=scale)


def gpt_neo_options(said: Said) -> dict[str, Any]:
    """Black et al. (2021), "GPT-Neo": scores without a scale, and layers that see a window only."""
    local = _window(said, "window_size", 256)
    biases = {"q_bias": False, "k_bias": False, "v_bias": False, "scale": 1.0}
    windows = tuple(local if kind == "local" else None for kind in _neo_kinds(said))
    return _gpt(said, "intermediate_size", "hidden_size", "max_position_embeddings", 2048, windows=windows, **biases)


def _neo_kinds(said: Said) -> list[str]:
    """Which layers see all and which a window: as groups, as one list, or as both."""
    layers, listed = said.whole("num_layers", *SIZES["num_layers"]), said.get("attention_layers")
    if listed is not None and (not isinstance(listed, list) or not {"global", "local"}.issuperset(map(str, listed))):
        raise said.refused("attention_layers", 'a list of "global" and "local" is needed')
    groups, kinds = said.get("attention_types"), list[str]()
    if groups is None and listed is not None:
        kinds = listed
    elif groups is not None and not isinstance(groups, list):
        raise said.refused("attention_types", 'groups such as [["global", "local"], 6] are needed')
    else:
        for group in [[["global", "local"], 12]] if groups is None else groups:
            fits = isinstance(group, list) and len(group) == 2 and isinstance(group[0], list)
            fits = fits and type(group[1]) is int and len(group[0]) <= layers and 0 <= group[1] <= layers
            if not fits or not all(kind in ("global", "local") for kind in group[0]):
                raise said.refused("attention_types", 'groups such as [["global", "local"], 6] are needed')
            kinds += group[0] * group[1]
            if len(kinds) > layers:
                break
    if len(kinds) != layers:
        name = "attention_types" if groups is not None or listed is None else "attention_layers"
        raise said.refused(name, f"one kind for each of {layers} layers is needed")
    if listed not in (None, kinds):
        raise said.refused("attention_layers", "the same layers as in attention_types are needed")
    return kinds


def llama_options(said: Said) -> dict[str, Any]:
    """Touvron et al. (2023), "LLaMA": rotary positions, RMSNorm, a gate."""
    biases = said.switch("attention_bias", False)
    said.only("use_sliding_window", False)
    _layer_kinds(said, [FULL] * _layers(said))
    return _rotary(
        said, q_bias=biases, k_bias=biases, v_bias=biases, o_bias=biases,
        feed_forward_bias=said.switch("mlp_bias", False),
    )  # fmt: skip


def _rotary(said: Said, **options: Any) -> dict[str, Any]:
    said.only("is_causal", True)
    said.get("is_decoder")
    for name in ("max_position_embeddings", "max_sequence_length", "is_llama_config"):
        said.get(name)  # positions are computed, however many
    return {
        "norm": RMSNorm(said.positive("rms_norm_eps", 1e-6)),
        "position": Rotary(_base(said), halves=True),
        "activation": _activation(said, "hidden_act", "silu"),
        "gated": True,
        "feed_forward_bias": False,
        "q_bias": False,
        "k_bias": False,
        "v_bias": False,
        "o_bias": False,
        "tie_word_embeddings": said.switch("tie_word_embeddings", False),
    } | options


def _base(said: Said) -> float:
    """The base of rotary positions, which are refused where they are stretched in some way."""
    usual = said.positive("rope_theta", 10000.0)
    both = {name: given for name in ("rope_parameters", "rope_scaling") if (given := said.get(name))}
    for name, given in both.items():
        kind = given.get("rope_type", given.get("type", "default")) if isinstance(given, dict) else given
        if kind != "default" or not {*given} <= {"rope_type", "type", "rope_theta"}:
            raise said.refused(name, "only rope_type 'default' with its rope_theta has a counterpart here")
        base = given.get("rope_theta", usual)
        if type(base) not in (int, float) or not 0 < base < 1e9:
            raise said.refused(name, "a positive rope_theta is needed")
    bases = {name: given.get("rope_theta", usual) for name, given in both.items()}
    if len({*bases.values()}) > 1:
        raise said.refused("rope_scaling", f"the same as in rope_parameters is needed, {bases['rope_parameters']:g}")
    return next(iter(bases.values()), usual)


def _layers(said: Said) -> int:
    return said.whole("num_hidden_layers", *SIZES["num_layers"])


def _layer_kinds(said: Said, computed: list[str]) -> None:
    """Refuse a list of kinds of layers that is not what the other settings say."""
    if said.get("layer_types") not in (None, computed):
        raise said.refused("layer_types", f"{len(computed)} times {computed[0]!r} is needed, by the other settings")


def mistral_options(said: Said) -> dict[str, Any]:
    """Jiang et al. (2023), "Mistral 7B": every layer sees a window."""
    window, layers = _perhaps_window(said, "sliding_window", 4096), _layers(said)
    said.only("attention_bias", False)
    said.only("mlp_bias", False)
    _layer_kinds(said, [FULL if window is None else SLIDING] * layers)
    return _rotary(said, windows=() if window is None else (window,) * layers)


def qwen2_options(said: Said) -> dict[str, Any]:
    """Yang et al. (2024), "Qwen2": biases on queries, keys and values alone; upper layers may see a window."""
    said.get("attention_bias")  # it has them whatever this says
    said.only("mlp_bias", False)
    layers = _layers(said)
    window, full = _perhaps_window(said, "sliding_window", 4096), said.whole("max_window_layers", 0, 2**31, 28)
    biases = {"q_bias": True, "k_bias": True, "v_bias": True}
    if not said.switch("use_sliding_window", False) or window is None:
        _layer_kinds(said, [FULL] * layers)
        return _rotary(said, **biases)
    kinds = said.get("layer_types")
    if kinds is None:
        kinds = [FULL if layer < full else SLIDING for layer in range(layers)]
    if not isinstance(kinds, list) or len(kinds) != layers or not all(kind in (FULL, SLIDING) for kind in kinds):
        raise said.refused("layer_types", f"{layers} of {FULL} and {SLIDING} are needed")
    return _rotary(said, **biases, windows=tuple(window if kind == SLIDING else None for kind in kinds))
