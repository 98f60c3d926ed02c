"""Families of models as Hugging Face lays them out: their configs, and which tensor is which parameter here."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from attention_core.checkpoints.buffers import OF_ENCODERS, OF_GPT, OF_ROTARY
from attention_core.checkpoints.config import OURS, SIZES, CheckpointConfig, refused
from attention_core.checkpoints.config_reader import ConfigReader
from attention_core.checkpoints.family_options import (
    bert_options,
    distilbert_options,
    gemma2_options,
    gemma3_options,
    gpt2_options,
    gpt_neo_options,
    llama_options,
    mistral_options,
    olmo2_options,
    phi3_options,
    qwen2_options,
    qwen3_options,
    roberta_options,
)
from attention_core.checkpoints.head import names_head
from attention_core.checkpoints.layout import Family, Names
from attention_core.checkpoints.tensor_file import CheckpointError
from attention_core.modules.positions import Rotary

# Families whose attention is known, and why they are not read.
UNREAD: Final[Mapping[str, str]] = {
    "gpt_oss": "its feed-forward networks are mixtures of experts, which are not computed here. What its attention "
    "does is MultiHeadAttention(sink=True, window=…)",
}
MAY_LACK: Final = ("num_kv_heads", "d_head")  # what follows from other sizes where it is not said


def config_of(content: Mapping[str, Any]) -> CheckpointConfig:
    """Translate a ``config.json`` into a :class:`CheckpointConfig`.

    Raises:
        CheckpointError: If the family is unknown; something needed is missing, not possible, or has no counterpart;
            or it says something that is not known here.
    """
    name = content.get("model_type")
    if name == OURS:
        return CheckpointConfig.from_json(content)
    family = FAMILIES.get(name) if isinstance(name, str) else None
    if isinstance(name, str) and name in UNREAD:
        raise refused("model_type", name, UNREAD[name])
    if family is None:
        raise refused("model_type", name, f"one of {', '.join((*FAMILIES, OURS))} is needed")
    reader = ConfigReader(content, family.aliases)
    sizes: dict[str, Any] = {
        ours: None if ours in MAY_LACK and reader.get(theirs) is None else reader.whole(theirs, *SIZES[ours])
        for ours, theirs in family.sizes.items()
    }
    options = sizes | family.options(reader)
    reader.check_rest()
    _check_heads(options, {ours: reader.written(theirs) for ours, theirs in family.sizes.items()})
    return CheckpointConfig(family=str(name), lm_head=names_head(content.get("architectures")), **options)


def _check_heads(options: Mapping[str, Any], names: Names) -> None:
    """Refuse sizes that do not fit each other, named as in the file."""
    d_model, heads = options["d_model"], options["num_heads"]
    d_head, kv_heads = options.get("d_head"), options.get("num_kv_heads")
    if d_head is None and d_model % heads:
        wrong = f"{names['d_model']} = {d_model} is not a multiple of {names['num_heads']} = {heads}"
    elif kv_heads is not None and heads % kv_heads:
        wrong = f"{names['num_heads']} = {heads} is not a multiple of {names['num_kv_heads']} = {kv_heads}"
    elif isinstance(options["position"], Rotary) and (size := d_head or d_model // heads) % 2:
        wrong = f"its heads have the odd size {size}, and rotary positions turn pairs"
    else:
        return
    raise CheckpointError(f"config.json describes no possible model: {wrong}.")


_SIZES: Final[Names] = {
    "vocab_size": "vocab_size", "d_model": "hidden_size", "num_heads": "num_attention_heads",
    "num_layers": "num_hidden_layers", "d_ff": "intermediate_size",
}  # fmt: skip
_BERT: Final = Family(
    sizes=_SIZES,
    options=bert_options,
    trunk="bert.",
    layer="encoder.layer.",
    outside={
        "embedding.": "embeddings.word_embeddings.",
        "token_types.": "embeddings.token_type_embeddings.",
        "stack.added_position.table": "embeddings.position_embeddings.weight",
        "stack.input_norm.": "embeddings.LayerNorm.",
    },
    inside={
        "self_attention.q_": "attention.self.query.",
        "self_attention.k_": "attention.self.key.",
        "self_attention.v_": "attention.self.value.",
        "self_attention.o_": "attention.output.dense.",
        "self_attention.relative_keys.table": "attention.self.distance_embedding.weight",
        "self_attention_norm.": "attention.output.LayerNorm.",
        "feed_forward.widen.": "intermediate.dense.",
        "feed_forward.narrow.": "output.dense.",
        "feed_forward_norm.": "output.LayerNorm.",
    },
    head={
        "head_transform.": "cls.predictions.transform.dense.",
        "head_norm.": "cls.predictions.transform.LayerNorm.",
        "lm_head.": "cls.predictions.decoder.",
        "head_bias": "cls.predictions.bias",
    },
    buffers=OF_ENCODERS,
)
_ROBERTA: Final = replace(
    _BERT,
    options=roberta_options,
    trunk="roberta.",
    head={
        "head_transform.": "lm_head.dense.",
        "head_norm.": "lm_head.layer_norm.",
        "lm_head.": "lm_head.decoder.",
        "head_bias": "lm_head.bias",
    },
)
_LLAMA: Final = Family(
    sizes=_SIZES | {"num_kv_heads": "num_key_value_heads", "d_head": "head_dim"},
    options=llama_options,
    trunk="model.",
    layer="layers.",
    outside={"embedding.": "embed_tokens.", "stack.final_norm.": "norm."},
    inside={
        "self_attention.q_": "self_attn.q_proj.",
        "self_attention.k_": "self_attn.k_proj.",
        "self_attention.v_": "self_attn.v_proj.",
        "self_attention.o_": "self_attn.o_proj.",
        "self_attention_norm.": "input_layernorm.",
        "feed_forward.gate.": "mlp.gate_proj.",
        "feed_forward.widen.": "mlp.up_proj.",
        "feed_forward.narrow.": "mlp.down_proj.",
        "feed_forward_norm.": "post_attention_layernorm.",
    },
    head={"lm_head.": "lm_head."},
    buffers=OF_ROTARY,
)
_QK_NORMS: Final[Names] = {
    "self_attention.q_norm.": "self_attn.q_norm.",
    "self_attention.k_norm.": "self_attn.k_norm.",
}
_BOTH_NORMS: Final[Names] = {
    "self_attention_after.": "post_attention_layernorm.",
    "feed_forward_norm.": "pre_feedforward_layernorm.",
    "feed_forward_after.": "post_feedforward_layernorm.",
}
_GPT2: Final = Family(
    sizes={"vocab_size": "vocab_size", "d_model": "n_embd", "num_heads": "n_head", "num_layers": "n_layer"},
    aliases={
        "hidden_size": "n_embd",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
        "max_position_embeddings": "n_positions",
    },
    options=gpt2_options,
    trunk="transformer.",
    layer="h.",
    outside={"embedding.": "wte.", "stack.added_position.table": "wpe.weight", "stack.final_norm.": "ln_f."},
    inside={
        "self_attention.q_": "attn.c_attn.",
        "self_attention.k_": "attn.c_attn.",
        "self_attention.v_": "attn.c_attn.",
        "self_attention.o_": "attn.c_proj.",
        "self_attention_norm.": "ln_1.",
        "feed_forward.widen.": "mlp.c_fc.",
        "feed_forward.narrow.": "mlp.c_proj.",
        "feed_forward_norm.": "ln_2.",
    },
    head={"lm_head.": "lm_head."},
    buffers=OF_GPT,
    columns=True,
)

FAMILIES: Final[Mapping[str, Family]] = {
    "bert": _BERT,
    "distilbert": replace(
        _BERT,
        sizes={
            "vocab_size": "vocab_size",
            "d_model": "dim",
            "num_heads": "n_heads",
            "num_layers": "n_layers",
            "d_ff": "hidden_dim",
        },
        aliases={"hidden_size": "dim", "num_attention_heads": "n_heads", "num_hidden_layers": "n_layers"},
        options=distilbert_options,
        trunk="distilbert.",
        layer="transformer.layer.",
        inside={
            "self_attention.q_": "attention.q_lin.",
            "self_attention.k_": "attention.k_lin.",
            "self_attention.v_": "attention.v_lin.",
            "self_attention.o_": "attention.out_lin.",
            "self_attention_norm.": "sa_layer_norm.",
            "feed_forward.widen.": "ffn.lin1.",
            "feed_forward.narrow.": "ffn.lin2.",
            "feed_forward_norm.": "output_layer_norm.",
        },
        head={
            "head_transform.": "vocab_transform.",
            "head_norm.": "vocab_layer_norm.",
            "lm_head.": "vocab_projector.",
            "head_bias": "vocab_projector.bias",
        },
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "gpt2": _GPT2,
    "gpt_neo": replace(
        _GPT2,
        sizes={
            "vocab_size": "vocab_size",
            "d_model": "hidden_size",
            "num_heads": "num_heads",
            "num_layers": "num_layers",
        },
        aliases={"num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"},
        options=gpt_neo_options,
        inside=_GPT2.inside
        | {
            "self_attention.q_": "attn.attention.q_proj.",
            "self_attention.k_": "attn.attention.k_proj.",
            "self_attention.v_": "attn.attention.v_proj.",
            "self_attention.o_": "attn.attention.out_proj.",
        },
        columns=False,
    ),
    "llama": _LLAMA,
    "mistral": replace(_LLAMA, options=mistral_options),
    "qwen2": replace(_LLAMA, options=qwen2_options),
    "qwen3": replace(_LLAMA, options=qwen3_options, inside=_LLAMA.inside | _QK_NORMS),
    "olmo2": replace(
        _LLAMA,
        options=olmo2_options,
        inside=_LLAMA.inside
        | _QK_NORMS
        | {
            "self_attention_norm.": "post_attention_layernorm.",
            "feed_forward_norm.": "post_feedforward_layernorm.",
        },
    ),
    "phi3": replace(
        _LLAMA,
        options=phi3_options,
        inside=_LLAMA.inside
        | {f"self_attention.{role}_": "self_attn.qkv_proj." for role in "qkv"}
        | {"feed_forward.gate.": "mlp.gate_up_proj.", "feed_forward.widen.": "mlp.gate_up_proj."},
    ),
    "gemma2": replace(_LLAMA, options=gemma2_options, inside=_LLAMA.inside | _BOTH_NORMS),
    "gemma3_text": replace(_LLAMA, options=gemma3_options, inside=_LLAMA.inside | _QK_NORMS | _BOTH_NORMS),
}
