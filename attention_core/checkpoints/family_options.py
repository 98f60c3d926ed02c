"""From the config of a family to the options of :class:`CheckpointConfig`: a function for each family.

Every setting is read, whether it matters or not: one that is never read is refused.
"""

import math
from typing import Any, Final

from attention_core.checkpoints.config import MOST_POSITIONS, SIZES
from attention_core.checkpoints.config_reader import ConfigReader
from attention_core.checkpoints.rotary_options import rotary, rotary_by_kind
from attention_core.modules.block import PostNorm, ResidualPostNorm, SandwichNorm
from attention_core.modules.feed_forward import GELU, Activation, ReLU, SiLU
from attention_core.modules.normalization import LayerNorm, RMSNorm
from attention_core.modules.positions import Learned, RelativeKey
from attention_core.modules.rope_scaling import LongRoPE

ACTIVATIONS: Final[dict[str, Activation]] = {
    "gelu": GELU(), "gelu_new": GELU(tanh=True), "gelu_pytorch_tanh": GELU(tanh=True), "gelu_fast": GELU(tanh=True),
    "relu": ReLU(), "silu": SiLU(), "swish": SiLU(),
}  # fmt: skip
FULL, SLIDING = "full_attention", "sliding_attention"
RELATIVE: Final = ("relative_key", "relative_key_query")


def _activation(config: ConfigReader, name: str, usual: str) -> Activation:
    given = config.get(name, usual)
    if not isinstance(given, str) or given not in ACTIVATIONS:
        raise config.refused(name, f"one of {', '.join(ACTIVATIONS)} is needed")
    return ACTIVATIONS[given]


def _positions(config: ConfigReader, name: str, usual: int) -> Learned:
    return Learned(config.whole(name, 1, MOST_POSITIONS, usual))


def _window(config: ConfigReader, name: str, usual: int) -> int:
    """The number of tokens that a layer looks back, from one that counts the token itself."""
    return config.whole(name, 1, 2**31 - 1, usual) - 1


def _perhaps_window(config: ConfigReader, name: str, usual: int | None) -> int | None:
    return None if config.get(name, usual) is None else _window(config, name, usual or 1)


def _encoder(config: ConfigReader, activation: str, eps: float, **options: Any) -> dict[str, Any]:
    config.only("is_causal", False)
    config.only("is_decoder", False)
    return {
        "causal": False,
        "placement": PostNorm(),
        "input_norm": True,
        "final_norm": False,
        "norm": LayerNorm(eps),
        "position": _positions(config, "max_position_embeddings", 512),
        "activation": _activation(config, activation, "gelu"),
        "tie_word_embeddings": config.switch("tie_word_embeddings", True),
        "head_bias": True,
        "head_transform": _activation(config, activation, "gelu"),
    } | options


def bert_options(config: ConfigReader) -> dict[str, Any]:
    """Devlin et al. (2019): two kinds of sentences, a norm after each residual."""
    kinds = config.whole("type_vocab_size", 1, SIZES["token_types"][1], 2)
    options = _encoder(config, "hidden_act", config.positive("layer_norm_eps", 1e-12), token_types=kinds)
    kind = config.get("position_embedding_type", "absolute")
    if kind not in ("absolute", *RELATIVE):
        raise config.refused("position_embedding_type", f"one of absolute, {', '.join(RELATIVE)} is needed")
    if kind != "absolute":
        options["position"] = RelativeKey(options["position"].max_len, both=kind == RELATIVE[1])
    return options


def distilbert_options(config: ConfigReader) -> dict[str, Any]:
    """Sanh et al. (2019), "DistilBERT": BERT without kinds of sentences; its norms have one eps."""
    config.only("layer_norm_eps", 1e-12)
    config.get("sinusoidal_pos_embds")  # what its table is filled with before training
    config.get("tie_weights_")
    config.get("intermediate_size")  # hidden_dim is what counts, and the tensors have it
    return _encoder(config, "activation", 1e-12)


def roberta_options(config: ConfigReader) -> dict[str, Any]:
    """Liu et al. (2019), "RoBERTa": BERT whose positions count the tokens that are no padding."""
    padding = config.whole("pad_token_id", *SIZES["padding_id"], 1)
    return bert_options(config) | {"padding_id": padding, "head_transform": GELU()}


def _gpt(
    config: ConfigReader, width: str, d_model: str, positions: str, usual: int, **options: Any
) -> dict[str, Any]:
    config.only("is_causal", True)
    config.get("is_decoder")
    size = config.whole(d_model, *SIZES["d_model"])
    return {
        "d_ff": 4 * size if config.get(width) is None else config.whole(width, *SIZES["d_ff"]),
        "norm": LayerNorm(config.positive("layer_norm_epsilon", 1e-5)),
        "position": _positions(config, positions, usual),
        "activation": _activation(config, "activation_function", "gelu_new"),
        "tie_word_embeddings": config.switch("tie_word_embeddings", True),
    } | options


def gpt2_options(config: ConfigReader) -> dict[str, Any]:
    """Radford et al. (2019), "Language Models are Unsupervised Multitask Learners"."""
    config.only("scale_attn_by_inverse_layer_idx", False)
    config.get("reorder_and_upcast_attn")  # the same scores, in float32
    config.get("n_ctx")  # the size of a mask that is derived
    config.get("intermediate_size")  # n_inner is what counts, and the tensors have it
    scale = None if config.switch("scale_attn_weights", True) else 1.0
    return _gpt(config, "n_inner", "n_embd", "n_positions", 1024, scale=scale)


def gpt_neo_options(config: ConfigReader) -> dict[str, Any]:
    """Black et al. (2021), "GPT-Neo": scores without a scale, and layers that see a window only."""
    local = _window(config, "window_size", 256)
    biases = {"q_bias": False, "k_bias": False, "v_bias": False, "scale": 1.0}
    windows = tuple(local if kind == "local" else None for kind in _neo_kinds(config))
    return _gpt(
        config, "intermediate_size", "hidden_size", "max_position_embeddings", 2048, windows=windows, **biases
    )


def _neo_kinds(config: ConfigReader) -> list[str]:
    """Which layers see all and which a window: as groups, as one list, or as both."""
    layers, listed = config.whole("num_layers", *SIZES["num_layers"]), config.get("attention_layers")
    if listed is not None and (not isinstance(listed, list) or not {"global", "local"}.issuperset(map(str, listed))):
        raise config.refused("attention_layers", 'a list of "global" and "local" is needed')
    groups, kinds = config.get("attention_types"), list[str]()
    if groups is None and listed is not None:
        kinds = listed
    elif groups is not None and not isinstance(groups, list):
        raise config.refused("attention_types", 'groups such as [["global", "local"], 6] are needed')
    else:
        for group in [[["global", "local"], 12]] if groups is None else groups:
            fits = isinstance(group, list) and len(group) == 2 and isinstance(group[0], list)
            fits = fits and type(group[1]) is int and len(group[0]) <= layers and 0 <= group[1] <= layers
            if not fits or not all(kind in ("global", "local") for kind in group[0]):
                raise config.refused("attention_types", 'groups such as [["global", "local"], 6] are needed')
            kinds += group[0] * group[1]
            if len(kinds) > layers:
                break
    if len(kinds) != layers:
        name = "attention_types" if groups is not None or listed is None else "attention_layers"
        raise config.refused(name, f"one kind for each of {layers} layers is needed")
    if listed not in (None, kinds):
        raise config.refused("attention_layers", "the same layers as in attention_types are needed")
    return kinds


def llama_options(config: ConfigReader) -> dict[str, Any]:
    """Touvron et al. (2023), "LLaMA": rotary positions, RMSNorm, a gate."""
    config.only("use_sliding_window", False)
    _layer_kinds(config, [FULL] * _layers(config))
    return _rotary(config, **_all_biases(config), feed_forward_bias=config.switch("mlp_bias", False))


def _rotary(config: ConfigReader, **options: Any) -> dict[str, Any]:
    config.only("is_causal", True)
    config.get("is_decoder")
    for name in ("max_position_embeddings", "max_sequence_length", "is_llama_config"):
        config.get(name)  # positions are computed, however many
    return {
        "norm": options.get("norm") or RMSNorm(config.positive("rms_norm_eps", 1e-6)),
        "position": options.get("position") or rotary(config),
        "activation": options.get("activation") or _activation(config, "hidden_act", "silu"),
        "gated": True,
        "feed_forward_bias": False,
        "q_bias": False,
        "k_bias": False,
        "v_bias": False,
        "o_bias": False,
        "tie_word_embeddings": config.switch("tie_word_embeddings", False),
    } | options


def _layers(config: ConfigReader) -> int:
    return config.whole("num_hidden_layers", *SIZES["num_layers"])


def _layer_kinds(config: ConfigReader, computed: list[str]) -> None:
    """Refuse a list of kinds of layers that is not what the other settings say."""
    if config.get("layer_types") not in (None, computed):
        raise config.refused("layer_types", f"{len(computed)} times {computed[0]!r} is needed, by the other settings")


def mistral_options(config: ConfigReader) -> dict[str, Any]:
    """Jiang et al. (2023), "Mistral 7B": every layer sees a window."""
    window, layers = _perhaps_window(config, "sliding_window", 4096), _layers(config)
    config.only("attention_bias", False)
    config.only("mlp_bias", False)
    _layer_kinds(config, [FULL if window is None else SLIDING] * layers)
    return _rotary(config, windows=() if window is None else (window,) * layers)


def qwen2_options(config: ConfigReader) -> dict[str, Any]:
    """Yang et al. (2024), "Qwen2": biases on queries, keys and values alone; upper layers may see a window."""
    config.get("attention_bias")  # it has them whatever this says
    config.only("mlp_bias", False)
    return _rotary(config, q_bias=True, k_bias=True, v_bias=True, windows=_upper_windows(config))


def _upper_windows(config: ConfigReader) -> tuple[int | None, ...]:
    """The windows of Qwen: of the layers from some number on, or as they are listed."""
    layers = _layers(config)
    window, full = _perhaps_window(config, "sliding_window", 4096), config.whole("max_window_layers", 0, 2**31, 28)
    if not config.switch("use_sliding_window", False) or window is None:
        _layer_kinds(config, [FULL] * layers)
        return ()
    return _windows(config, window, [FULL if layer < full else SLIDING for layer in range(layers)])


def _windows(config: ConfigReader, window: int, usual: list[str]) -> tuple[int | None, ...]:
    """Which layers see a window, as they are listed, and as is usual where they are not."""
    kinds = config.get("layer_types")
    kinds = usual if kinds is None else kinds
    if not isinstance(kinds, list) or len(kinds) != len(usual) or not all(kind in (FULL, SLIDING) for kind in kinds):
        raise config.refused("layer_types", f"{len(usual)} of {FULL} and {SLIDING} are needed")
    return tuple(window if kind == SLIDING else None for kind in kinds)


def _all_biases(config: ConfigReader) -> dict[str, Any]:
    biases = config.switch("attention_bias", False)
    return dict.fromkeys(("q_bias", "k_bias", "v_bias", "o_bias"), biases)


def _usual_sizes(config: ConfigReader, d_head: int, kv_heads: int) -> dict[str, Any]:
    """Sizes of a head, and of keys and values, that a library takes where a file does not say them."""
    one = {} if config.says("head_dim") else {"d_head": d_head}
    return one if config.get("num_key_value_heads", kv_heads) != kv_heads else one | {"num_kv_heads": kv_heads}


def qwen3_options(config: ConfigReader) -> dict[str, Any]:
    """Yang et al. (2025), "Qwen3": a norm of each head on queries and keys, and a head's size of its own."""
    config.only("mlp_bias", False)
    norm = RMSNorm(config.positive("rms_norm_eps", 1e-6))
    return _rotary(
        config, **_all_biases(config), **_usual_sizes(config, 128, 32), qk_norm=norm, windows=_upper_windows(config)
    )


def olmo2_options(config: ConfigReader) -> dict[str, Any]:
    """OLMo Team (2025), "2 OLMo 2 Furious": norms after sublayers, that of queries and keys over all heads."""
    norm = RMSNorm(config.positive("rms_norm_eps", 1e-5))
    return _rotary(
        config, **_all_biases(config), norm=norm, placement=ResidualPostNorm(), qk_norm=norm, qk_norm_together=True
    )


def phi3_options(config: ConfigReader) -> dict[str, Any]:
    """Abdin et al. (2024), "Phi-3": matrices of one input in one, a part of each head may turn, LongRoPE."""
    config.only("attention_bias", False)
    config.only("mlp_bias", False)
    window, layers = _perhaps_window(config, "sliding_window", None), _layers(config)
    position = rotary(config, part=True)
    if position.scaling is not None and not isinstance(position.scaling, LongRoPE):
        name = "rope_parameters" if config.says("rope_parameters") else "rope_scaling"
        raise config.refused(name, "only rope_type 'longrope' has a counterpart here")
    name = "original_max_position_embeddings"
    if position.scaling is not None and not config.says(name):
        raise config.refused(name, "how many positions there were in training is needed")
    config.get(name)
    norm = RMSNorm(config.positive("rms_norm_eps", 1e-5))
    return _rotary(config, norm=norm, position=position, windows=() if window is None else (window,) * layers)


def _gemma(config: ConfigReader, usual: list[str], **options: Any) -> dict[str, Any]:
    config.only("use_bidirectional_attention", False, None)
    config.get("hidden_act")  # hidden_activation is what counts
    size = config.whole("hidden_size", *SIZES["d_model"])
    return _rotary(
        config,
        **_all_biases(config),
        **_usual_sizes(config, 256, 4),
        norm=RMSNorm(config.positive("rms_norm_eps", 1e-6), plus_one=True),
        placement=SandwichNorm(),
        activation=_activation(config, "hidden_activation", "gelu_pytorch_tanh"),
        scale=config.positive("query_pre_attn_scalar", 256.0) ** -0.5,
        windows=_windows(config, _window(config, "sliding_window", 4096), usual),
        embedding_scale=math.sqrt(size),
        tie_word_embeddings=config.switch("tie_word_embeddings", True),
        **options,
    )


def gemma2_options(config: ConfigReader) -> dict[str, Any]:
    """Gemma Team (2024), "Gemma 2": capped scores, norms on both sides, every second layer sees a window."""
    kinds = [(SLIDING, FULL)[layer % 2] for layer in range(_layers(config))]
    caps = {"soft_cap": _cap(config, "attn_logit_softcapping", 50.0)}
    return _gemma(config, kinds, **caps, logit_cap=_cap(config, "final_logit_softcapping", 30.0))


def _cap(config: ConfigReader, name: str, usual: float | None) -> float | None:
    return None if config.get(name, usual) is None else config.positive(name, usual or 1.0)


def gemma3_options(config: ConfigReader) -> dict[str, Any]:
    """Gemma Team (2025), "Gemma 3": a norm on queries and keys, and slower positions in layers without a window."""
    config.only("attn_logit_softcapping", None)
    config.get("_sliding_window_pattern")  # as it was written beside the list that came of it
    every = config.whole("sliding_window_pattern", 1, SIZES["num_layers"][1], 6)
    kinds = [SLIDING if (layer + 1) % every else FULL for layer in range(_layers(config))]
    bases = {FULL: ("rope_theta", 1_000_000.0), SLIDING: ("rope_local_base_freq", 10_000.0)}
    positions = rotary_by_kind(config, bases, scaled=FULL)
    norm = RMSNorm(config.positive("rms_norm_eps", 1e-6), plus_one=True)
    return _gemma(
        config, kinds, qk_norm=norm, position=positions[FULL], window_position=positions[SLIDING],
        logit_cap=_cap(config, "final_logit_softcapping", None),
    )  # fmt: skip
