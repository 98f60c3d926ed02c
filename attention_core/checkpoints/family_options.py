"""What the configs of other families say, in the words of :class:`CheckpointConfig`: a function for each family.

Values are handed on as they are: :class:`CheckpointConfig` refuses those that are not possible.
"""

from typing import Any, Final

from attention_core.checkpoints.config import SIZES, refused
from attention_core.checkpoints.layout import Said
from attention_core.modules.block import PostNorm
from attention_core.modules.feed_forward import GELU, Activation, ReLU, SiLU
from attention_core.modules.normalization import LayerNorm, RMSNorm
from attention_core.modules.positions import Learned, Rotary

ACTIVATIONS: Final[dict[str, Activation]] = {
    "gelu": GELU(), "gelu_new": GELU(tanh=True), "gelu_pytorch_tanh": GELU(tanh=True), "gelu_fast": GELU(tanh=True),
    "relu": ReLU(), "silu": SiLU(), "swish": SiLU(),
}  # fmt: skip


def _activation(said: Said, name: str, usual: str) -> Activation:
    given = said.get(name, usual)
    if not isinstance(given, str) or given not in ACTIVATIONS:
        raise refused(name, given, f"one of {', '.join(ACTIVATIONS)} is needed")
    return ACTIVATIONS[given]


def _window(said: Said, name: str) -> int | None:
    """How many tokens back a layer sees, of a number that counts the token itself."""
    given = said.get(name)
    if given is not None and (type(given) is not int or not 1 <= given < 2**31):
        raise refused(name, given, "a whole number from 1 is needed")
    return None if given is None else given - 1


def _layers(said: Said, name: str) -> int:
    least, most = SIZES["num_layers"]
    given = said.get(name)
    if type(given) is not int or not least <= given <= most:
        raise refused(name, given, f"a whole number from {least} to {most} is needed")
    return given


def _encoder(said: Said, activation: str = "hidden_act", **options: Any) -> dict[str, Any]:
    return {
        "causal": False,
        "placement": PostNorm(),
        "input_norm": True,
        "final_norm": False,
        "norm": LayerNorm(said.get("layer_norm_eps", 1e-12)),
        "position": Learned(said.get("max_position_embeddings", 512)),
        "activation": _activation(said, activation, "gelu"),
        "tied_head": said.get("tie_word_embeddings", True),
        "head_bias": True,
        "head_transform": _activation(said, activation, "gelu"),
    } | options


def bert_options(said: Said) -> dict[str, Any]:
    """Devlin et al. (2019): two kinds of sentences, a norm after each residual."""
    return _encoder(said, token_types=said.get("type_vocab_size", 2))


def distilbert_options(said: Said) -> dict[str, Any]:
    """Sanh et al. (2019), "DistilBERT": BERT without kinds of sentences; its norms have one eps."""
    return _encoder(said | {"layer_norm_eps": 1e-12}, "activation")


def roberta_options(said: Said) -> dict[str, Any]:
    """Liu et al. (2019), "RoBERTa": BERT whose positions count the tokens that are no padding."""
    return bert_options(said) | {"padding_id": said.get("pad_token_id", 1), "head_transform": GELU()}


def _gpt(said: Said, positions: str, **options: Any) -> dict[str, Any]:
    width = said.get("n_inner", said.get("intermediate_size"))
    d_model = said.get("n_embd", said.get("hidden_size"))
    return {
        "d_ff": 4 * d_model if width is None and type(d_model) is int else width,
        "norm": LayerNorm(said.get("layer_norm_epsilon", 1e-5)),
        "position": Learned(said.get(positions, 1024)),
        "activation": _activation(said, "activation_function", "gelu_new"),
        "tied_head": said.get("tie_word_embeddings", True),
    } | options


def gpt2_options(said: Said) -> dict[str, Any]:
    """Radford et al. (2019), "Language Models are Unsupervised Multitask Learners"."""
    return _gpt(said, "n_positions", scale=None if said.get("scale_attn_weights", True) else 1.0)


def gpt_neo_options(said: Said) -> dict[str, Any]:
    """Black et al. (2021), "GPT-Neo": scores without a scale, and layers that see a window only."""
    layers, kinds = _layers(said, "num_layers"), []
    types = said.get("attention_types")
    for group in types if isinstance(types, list) else [[["global", "local"], 12]]:
        fits = isinstance(group, list) and len(group) == 2 and isinstance(group[0], list) and type(group[1]) is int
        fits = fits and len(group[0]) <= layers and 0 <= group[1] <= layers
        if not fits or not all(kind in ("global", "local") for kind in group[0]):
            raise refused("attention_types", types, 'groups such as [["global", "local"], 6] are needed')
        kinds += group[0] * group[1]
        if len(kinds) > layers:
            break
    if len(kinds) != layers:
        raise refused("attention_types", types, f"one kind for each of {layers} layers is needed")
    local = _window({"window_size": 256} | said, "window_size")
    biases = {"q_bias": False, "k_bias": False, "v_bias": False, "scale": 1.0}
    windows = tuple(local if kind == "local" else None for kind in kinds)
    return _gpt(said, "max_position_embeddings", windows=windows, **biases)


def llama_options(said: Said, **options: Any) -> dict[str, Any]:
    """Touvron et al. (2023), "LLaMA": rotary positions, RMSNorm, a gate; ``options`` overrule."""
    biases = said.get("attention_bias", False)
    return {
        "norm": RMSNorm(said.get("rms_norm_eps", 1e-6)),
        "position": Rotary(_base(said), halves=True),
        "activation": _activation(said, "hidden_act", "silu"),
        "gated": True,
        "feed_forward_bias": said.get("mlp_bias", False),
        "q_bias": biases,
        "k_bias": biases,
        "v_bias": biases,
        "o_bias": biases,
        "tied_head": said.get("tie_word_embeddings", False),
    } | options


def _base(said: Said) -> Any:
    """The base of rotary positions, which are refused where they are stretched in some way."""
    given = said.get("rope_parameters") or said.get("rope_scaling") or {}
    kind = given.get("rope_type", given.get("type", "default")) if isinstance(given, dict) else given
    known = {"rope_type", "type", "rope_theta"}
    if kind != "default" or not {*given} <= known:
        raise refused("rope_parameters", given, "only rope_type 'default' with its rope_theta has a counterpart here")
    return given.get("rope_theta", said.get("rope_theta", 10000.0))


def mistral_options(said: Said) -> dict[str, Any]:
    """Jiang et al. (2023), "Mistral 7B": every layer sees a window."""
    window = _window({"sliding_window": 4096} | said, "sliding_window")
    return llama_options(said, windows=() if window is None else (window,) * _layers(said, "num_hidden_layers"))


def qwen2_options(said: Said) -> dict[str, Any]:
    """Yang et al. (2024), "Qwen2": biases on queries, keys and values alone; upper layers may see a window."""
    layers = _layers(said, "num_hidden_layers")
    biases = {"q_bias": True, "k_bias": True, "v_bias": True, "o_bias": False}
    window = _window({"sliding_window": 4096} | said, "sliding_window") if said.get("use_sliding_window") else None
    if window is None:
        return llama_options(said, **biases)
    kinds = said.get("layer_types")
    if not isinstance(kinds, list):
        full = said.get("max_window_layers", 28)
        kinds = ["full_attention" if type(full) is int and i < full else "sliding_attention" for i in range(layers)]
    if len(kinds) != layers or not all(kind in ("full_attention", "sliding_attention") for kind in kinds):
        raise refused("layer_types", kinds, f"{layers} of full_attention and sliding_attention are needed")
    windows = tuple(window if kind == "sliding_attention" else None for kind in kinds)
    return llama_options(said, **biases, windows=windows)
