"""What a config.json says is read, known to compute nothing, or refused: held against transformers."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from attention_core import CheckpointError, load_checkpoint
from attention_core.checkpoints.config_reader import IDLE, ONLY, ConfigReader
from attention_core.checkpoints.families import FAMILIES, config_of
from tests.checkpoints.originals import ORIGINALS, VOCAB, original

KINDS = tuple(FAMILIES)


def settings_of(kind: str) -> dict[str, Any]:
    """Everything that transformers knows of a family, at its defaults; also what has none, and second names."""
    config = transformers.AutoConfig.for_model(kind)
    base = transformers.PreTrainedConfig()
    known = transformers.GenerationConfig().to_dict() | dict.fromkeys(vars(base)) | base.to_dict()
    known |= config.to_dict()
    return known | {alias: getattr(config, name) for alias, name in type(config).attribute_map.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_that_transformers_knows_is_read_or_computes_nothing(kind: str) -> None:
    known = json.loads(json.dumps(settings_of(kind)))
    reader = ConfigReader(known, FAMILIES[kind].aliases)
    for name in FAMILIES[kind].sizes.values():
        reader.get(name)
    FAMILIES[kind].options(reader)
    aliases = type(transformers.AutoConfig.for_model(kind)).attribute_map
    assert aliases == FAMILIES[kind].aliases
    own = {"_from_model_config", "assistant_ensemble_weight", "compile_config", "continuous_batching_config"}
    own |= {"max_cache_len", "speculation_type"}  # transformers puts none of these into a config.json
    left = {*known} - reader._read - IDLE - {*ONLY} - {*aliases} - own
    assert {name for name in left if not name.startswith("_")} == set()
    assert len(reader._read) > 8
    config_of(known)  # and its defaults are read


# As they are published, without what follows from a default.
PUBLISHED: dict[str, dict[str, Any]] = {
    "gpt2": {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12,
        "n_positions": 1024, "resid_pdrop": 0.1, "summary_activation": None, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True, "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}}, "vocab_size": 50257,
    },
    "all settings of an older library": {
        "activation_function": "gelu_new", "add_cross_attention": False, "architectures": ["GPT2LMHeadModel"],
        "attn_pdrop": 0.1, "bad_words_ids": None, "begin_suppress_tokens": None, "chunk_size_feed_forward": 0,
        "cross_attention_hidden_size": None, "decoder_start_token_id": None, "diversity_penalty": 0.0,
        "do_sample": False, "early_stopping": False, "embd_pdrop": 0.1, "encoder_no_repeat_ngram_size": 0,
        "exponential_decay_length_penalty": None, "finetuning_task": None, "forced_bos_token_id": None,
        "gradient_checkpointing": False, "is_decoder": False, "is_encoder_decoder": False, "length_penalty": 1.0,
        "max_length": 20, "min_length": 0, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 64, "n_head": 4,
        "n_inner": None, "n_layer": 2, "n_positions": 1024, "num_beams": 1, "output_attentions": False,
        "output_past": True, "prefix": None, "problem_type": None, "pruned_heads": {}, "remove_invalid_values": False,
        "reorder_and_upcast_attn": False, "repetition_penalty": 1.0, "return_dict": True, "sep_token_id": None,
        "temperature": 1.0, "tf_legacy_loss": False, "tie_encoder_decoder": False, "tie_word_embeddings": True,
        "tokenizer_class": None, "top_k": 50, "top_p": 1.0, "torch_dtype": "float32", "torchscript": False,
        "transformers_version": "4.30.0", "typical_p": 1.0, "use_bfloat16": False, "use_cache": True,
        "vocab_size": 50257, "xla_device": None,
    },
    "bert-base-chinese": {
        "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1, "directionality": "bidi",
        "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02,
        "intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert",
        "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0, "pooler_fc_size": 768,
        "pooler_num_attention_heads": 12, "pooler_num_fc_layers": 3, "pooler_size_per_head": 128,
        "pooler_type": "first_token_transform", "type_vocab_size": 2, "vocab_size": 21128,
    },
    "distilbert-base-uncased": {
        "activation": "gelu", "architectures": ["DistilBertForMaskedLM"], "attention_dropout": 0.1, "dim": 768,
        "dropout": 0.1, "hidden_dim": 3072, "initializer_range": 0.02, "max_position_embeddings": 512,
        "model_type": "distilbert", "n_heads": 12, "n_layers": 6, "pad_token_id": 0, "qa_dropout": 0.1,
        "seq_classif_dropout": 0.2, "sinusoidal_pos_embds": False, "tie_weights_": True, "vocab_size": 30522,
        "transformers_version": "4.10.0.dev0",
    },
    "roberta-base": {
        "architectures": ["RobertaForMaskedLM"], "attention_probs_dropout_prob": 0.1, "bos_token_id": 0,
        "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768,
        "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-05, "model_type": "roberta",
        "max_position_embeddings": 514, "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1,
        "type_vocab_size": 1, "vocab_size": 50265,
    },
    "TinyStories": {
        "_name_or_path": "EleutherAI/gpt-neo-125M", "activation_function": "gelu_new",
        "architectures": ["GPTNeoForCausalLM"], "attention_dropout": 0, "attention_layers": ["global", "local"] * 4,
        "attention_types": [[["global", "local"], 4]], "bos_token_id": 50256, "embed_dropout": 0,
        "eos_token_id": 50256, "gradient_checkpointing": False, "hidden_size": 768, "initializer_range": 0.02,
        "intermediate_size": None, "layer_norm_epsilon": 1e-05, "max_position_embeddings": 2048,
        "model_type": "gpt_neo", "num_heads": 16, "num_layers": 8, "resid_dropout": 0, "summary_activation": None,
        "summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index",
        "summary_use_proj": True, "torch_dtype": "float32", "transformers_version": "4.28.1", "use_cache": True,
        "vocab_size": 50257, "window_size": 256,
    },
    "SmolLM2": {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 0,
        "eos_token_id": 0, "hidden_act": "silu", "hidden_size": 576, "initializer_range": 0.041666666666666664,
        "intermediate_size": 1536, "is_llama_config": True, "max_position_embeddings": 8192, "mlp_bias": False,
        "model_type": "llama", "num_attention_heads": 9, "num_hidden_layers": 30, "num_key_value_heads": 3,
        "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_interleaved": False, "rope_scaling": None,
        "rope_theta": 100000, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "transformers.js_config": {"kv_cache_dtype": {"q4f16": "float16"}}, "transformers_version": "4.40.1",
        "use_cache": True, "vocab_size": 49152,
    },
    "Mistral": {
        "architectures": ["MistralForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2,
        "head_dim": 128, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
        "intermediate_size": 14336, "max_position_embeddings": 32768, "model_type": "mistral",
        "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-05,
        "rope_theta": 1000000.0, "sliding_window": None, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "transformers_version": "4.42.0.dev0", "use_cache": True, "vocab_size": 32768,
    },
    "Qwen2.5": {
        "architectures": ["Qwen2ForCausalLM"], "attention_dropout": 0.0, "bos_token_id": 151643,
        "eos_token_id": 151645, "hidden_act": "silu", "hidden_size": 896, "initializer_range": 0.02,
        "intermediate_size": 4864, "max_position_embeddings": 32768, "max_window_layers": 24, "model_type": "qwen2",
        "num_attention_heads": 14, "num_hidden_layers": 24, "num_key_value_heads": 2, "rms_norm_eps": 1e-06,
        "rope_theta": 1000000.0, "sliding_window": 32768, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "transformers_version": "4.40.1", "use_cache": True, "use_mrope": False, "use_sliding_window": False,
        "vocab_size": 151936,
    },
    "XLM-RoBERTa": {
        "architectures": ["XLMRobertaForMaskedLM"], "attention_probs_dropout_prob": 0.1, "bos_token_id": 0,
        "eos_token_id": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 768,
        "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-05,
        "max_position_embeddings": 514, "model_type": "xlm-roberta", "num_attention_heads": 12,
        "num_hidden_layers": 12, "output_past": True, "pad_token_id": 1, "position_embedding_type": "absolute",
        "transformers_version": "4.17.0.dev0", "type_vocab_size": 1, "use_cache": True, "vocab_size": 250002,
    },
    "Llama 3.2": {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 128000, "eos_token_id": [128001, 128008], "head_dim": 64, "hidden_act": "silu",
        "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 8192, "max_position_embeddings": 131072,
        "mlp_bias": False, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 16,
        "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
        "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 8192, "rope_type": "llama3"},
        "rope_theta": 500000.0, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "transformers_version": "4.45.0.dev0", "use_cache": True, "vocab_size": 128256,
    },
    "Qwen3": {
        "architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 151643, "eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu", "hidden_size": 1024,
        "initializer_range": 0.02, "intermediate_size": 3072, "max_position_embeddings": 40960,
        "max_window_layers": 28, "model_type": "qwen3", "num_attention_heads": 16, "num_hidden_layers": 28,
        "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 1000000,
        "sliding_window": None, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
        "transformers_version": "4.51.0", "use_cache": True, "use_sliding_window": False, "vocab_size": 151936,
    },
    "OLMo 2": {
        "architectures": ["Olmo2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "eos_token_id": 100257, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02,
        "intermediate_size": 8192, "max_position_embeddings": 4096, "model_type": "olmo2",
        "num_attention_heads": 16, "num_hidden_layers": 16, "num_key_value_heads": 16, "pad_token_id": 100277,
        "rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 500000, "tie_word_embeddings": False,
        "torch_dtype": "float32", "transformers_version": "4.47.0", "use_cache": True, "vocab_size": 100352,
    },
    "Phi-3": {
        "architectures": ["Phi3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "embd_pdrop": 0.0, "eos_token_id": 32000, "hidden_act": "silu", "hidden_size": 3072,
        "initializer_range": 0.02, "intermediate_size": 8192, "max_position_embeddings": 131072,
        "model_type": "phi3", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
        "original_max_position_embeddings": 4096, "pad_token_id": 32000, "resid_pdrop": 0.0, "rms_norm_eps": 1e-05,
        "rope_scaling": {"long_factor": [1.1] * 48, "short_factor": [1.0] * 48, "type": "longrope"},
        "rope_theta": 10000.0, "sliding_window": 262144, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "transformers_version": "4.40.2", "use_cache": True, "vocab_size": 32064,
    },
    "Gemma 2": {
        "architectures": ["Gemma2ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": 50.0, "bos_token_id": 2, "cache_implementation": "hybrid", "eos_token_id": 1,
        "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh",
        "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304, "initializer_range": 0.02,
        "intermediate_size": 9216, "max_position_embeddings": 8192, "model_type": "gemma2",
        "num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4, "pad_token_id": 0,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096,
        "torch_dtype": "float32", "transformers_version": "4.42.4", "use_cache": True, "vocab_size": 256000,
    },
    "Gemma 3": {
        "architectures": ["Gemma3ForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "attn_logit_softcapping": None, "bos_token_id": 2, "cache_implementation": "hybrid",
        "eos_token_id": [1, 106], "final_logit_softcapping": None, "head_dim": 256,
        "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152, "initializer_range": 0.02,
        "intermediate_size": 6912, "max_position_embeddings": 32768, "model_type": "gemma3_text",
        "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1, "pad_token_id": 0,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000, "rope_scaling": None,
        "rope_theta": 1000000, "sliding_window": 512, "sliding_window_pattern": 6, "torch_dtype": "bfloat16",
        "transformers_version": "4.50.0.dev0", "use_cache": True, "vocab_size": 262144,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_configs_are_read(name: str) -> None:
    said = PUBLISHED[name]
    around = {
        "auto_map": {"AutoModel": "own.Model"},
        "_attn_implementation_autoset": True,
        "output_hidden_states": True,
    }
    for each in (said, said | around):
        config = config_of(each)
        assert config.lm_head
        theirs = transformers.AutoConfig.for_model(**json.loads(json.dumps(each)))
        assert (config.d_model, config.num_heads) == (theirs.hidden_size, theirs.num_attention_heads)
        assert (config.num_layers, config.vocab_size) == (theirs.num_hidden_layers, theirs.vocab_size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("logits_scaling", 2.0), ("per_layer_config", {"0": {"sliding_window": 2}}), ("qk_norm", True),
        ("is_causal", None), ("pruned_heads", {"0": [1]}), ("rotary_pct", 0.5), ("no_rope_layers", [1]),
        ("is_encoder_decoder", True), ("add_cross_attention", True), ("attention_chunk_size", 2), ("alibi", True),
        ("layer_types", ["chunked_attention"]), ("parallel_residual", False), ("tie_encoder_decoder", True),
        ("rope_interleaved", True), ("use_mrope", True), ("quantization_config", {"bits": 4}),
    ],
)  # fmt: skip
def test_what_is_not_known_to_compute_nothing_is_refused_by_its_name(kind: str, name: str, value: Any) -> None:
    said = next(json.loads(json.dumps(each)) for each in PUBLISHED.values() if each["model_type"] == kind)
    config_of(said)
    with pytest.raises(CheckpointError, match=name):
        config_of(said | {name: value})


# What is drawn for random configs: (a setting, values). Some are right, some wrong, some of another family.
DRAWN: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("is_causal", (True, False)), ("is_decoder", (True, False)), ("tie_word_embeddings", (True, False)),
    ("num_attention_heads", (2, 4, 6)), ("n_head", (2, 4, 6)), ("n_heads", (2, 4, 6)), ("num_heads", (2, 4, 6)),
    ("num_hidden_layers", (1, 2)), ("n_layer", (1, 2)), ("hidden_size", (24,)), ("n_embd", (24,)), ("dim", (24,)),
    ("max_position_embeddings", (17, 19)), ("n_positions", (17, 19)), ("n_inner", (None, 28)), ("n_ctx", (5,)),
    ("intermediate_size", (28, 96)), ("attention_bias", (True, False)), ("mlp_bias", (True, False)),
    ("rope_theta", (50.0, 10000.0)), ("head_dim", (4, 6, 12)), ("num_key_value_heads", (1, 2, None)),
    ("rope_scaling", ({"type": "linear", "factor": 4.0}, {"rope_type": "default", "rope_theta": 9.0}, None, {})),
    ("rope_parameters", ({"rope_type": "default", "rope_theta": 80.0}, {"rope_theta": 60.0}, None)),
    ("partial_rotary_factor", (1.0, 0.5)), ("sliding_window", (2, 3, None)), ("use_sliding_window", (True, False)),
    ("max_window_layers", (0, 1)), ("window_size", (1, 2)), ("position_embedding_type", ("absolute", "relative_key")),
    ("layer_types", (["full_attention"] * 2, ["full_attention", "sliding_attention"], ["sliding_attention"] * 2)),
    ("attention_types", ([[["global"], 2]], [[["local", "global"], 1]])), ("scale_attn_weights", (True, False)),
    ("attention_layers", (["global", "local"], ["local", "local"])), ("reorder_and_upcast_attn", (True, False)),
    ("scale_attn_by_inverse_layer_idx", (True, False)), ("layer_norm_eps", (1e-12, 0.1)), ("rms_norm_eps", (0.1,)),
    ("layer_norm_epsilon", (0.1,)), ("hidden_act", ("relu", "gelu_new")), ("activation", ("relu",)),
    ("activation_function", ("relu", "silu")), ("type_vocab_size", (2, 3)), ("pad_token_id", (0, 3)),
    ("sinusoidal_pos_embds", (True,)), ("chunk_size_feed_forward", (0, 1)), ("dtype", ("float32",)),
    ("per_layer_config", ({"1": {"rms_norm_eps": 0.5}}, {"0": {"num_attention_heads": 2}})),
    ("initializer_range", (0.5,)), ("use_cache", (False,)), ("attention_dropout", (0.4,)), ("hidden_dropout", (0.4,)),
    ("summary_type", ("first",)), ("pretraining_tp", (1, 2)), ("architectures", (None, ["A", "B"])),
)  # fmt: skip
MOST = 3


@pytest.mark.parametrize("tries", [4, pytest.param(64, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("kind", KINDS)
def test_no_random_config_is_read_and_computed_otherwise_than_by_transformers(
    kind: str, tries: int, tmp_path: Path
) -> None:
    """Settings of all families, right and wrong, put into a saved config: what is read computes what theirs does."""
    draw, outcomes = random.Random(kind), Counter[str]()
    gives_logits = ("MaskedLM", "CausalLM", "HeadModel")
    originals = [each for each in ORIGINALS if each[0] == kind and each[1].endswith(gives_logits)]
    ids = torch.randint(2, VOCAB, (2, 7), generator=torch.Generator().manual_seed(2))
    for number in range(tries):
        model = original(*draw.choice(originals), dtype=torch.float32)
        folder = tmp_path / str(number)
        model.save_pretrained(folder)
        said = json.loads((folder / "config.json").read_text())
        own = [each for each in DRAWN if each[0] in said]
        for name, values in draw.sample(draw.choice((DRAWN, own)), draw.randint(1, MOST)):
            said[name] = draw.choice(values)
            if draw.random() < 0.2:
                said.pop(draw.choice([*said]))
        said["model_type"] = kind
        (folder / "config.json").write_text(json.dumps(said))
        try:
            ours = load_checkpoint(folder)
        except CheckpointError:
            outcomes["refused"] += 1
            continue
        try:
            theirs, report = type(model).from_pretrained(
                folder, attn_implementation="eager", dtype=torch.float32, output_loading_info=True
            )
        except Exception:  # noqa: BLE001 - whatever it is that they do not bear
            outcomes["not theirs"] += 1
            continue
        if report["missing_keys"]:  # a head that the file does not hold is drawn at random there
            assert not ours.config.lm_head, said
            outcomes["without a head"] += 1
            continue
        with torch.no_grad():
            expected, found = theirs(ids).logits, ours(ids)
        assert found.shape == expected.shape, said
        assert (found - expected).abs().max() < 1e-4, said
        outcomes["read"] += 1
    assert outcomes["read"] >= tries // 8, "some are read, or nothing was tried"
    assert outcomes["refused"] >= tries // 8, "some are refused, or nothing was tried"
