"""Small models of every family, made by transformers with random weights: what this package's must compute."""

import logging
from contextlib import nullcontext
from typing import Any

import torch
import transformers
from torch import Tensor
from torch.overrides import TorchFunctionMode

transformers.logging.set_verbosity(logging.ERROR)
transformers.logging.disable_progress_bar()

VOCAB, PAD = 37, 1
BOUND = 1e-12  # of what two ways of computing in float64 leave between them
_BERT = {"intermediate_size": 28, "max_position_embeddings": 17, "num_hidden_layers": 2, "pad_token_id": PAD}
_LLAMA = {"intermediate_size": 28, "num_hidden_layers": 2, "rms_norm_eps": 1e-5}
_WIDE = {"hidden_size": 24, "num_attention_heads": 6}
_NARROW = {"hidden_size": 20, "num_attention_heads": 2}
_ROPE = {"rope_type": "default", "rope_theta": 500.0}
_ORIGINAL = {"original_max_position_embeddings": 6}
_STRETCHED = (
    {"rope_type": "linear", "factor": 2.5},
    {"rope_type": "dynamic", "factor": 3.0},
    {"rope_type": "yarn", "factor": 4.0, "beta_fast": 1.0, "beta_slow": 0.1} | _ORIGINAL,
    {"rope_type": "yarn", "factor": None, "mscale": 0.7, "mscale_all_dim": 1.2, "truncate": False} | _ORIGINAL,
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 0.2, "high_freq_factor": 0.9} | _ORIGINAL,
    {
        "rope_type": "longrope",
        "factor": None,
        "short_factor": [1.5, 1.0, 2.0, 1.0, 1.0],
        "long_factor": [1.0, 3.0, 5.0, 7.0, 9.0],
    }
    | _ORIGINAL,
)
_PADDED = {"pad_token_id": PAD}
_GEMMA = {
    "num_key_value_heads": 2,
    "head_dim": 8,
    "sliding_window": 3,
    "query_pre_attn_scalar": 5,
    "pad_token_id": PAD,
}
_KINDS = ["sliding_attention", "full_attention"]

# (model_type, class, settings), each with other sizes.
ORIGINALS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("bert", "BertModel", _BERT | _WIDE),
    ("bert", "BertForMaskedLM", _BERT | _NARROW | {"hidden_act": "relu"}),
    ("bert", "BertForMaskedLM", _BERT | _WIDE | {"tie_word_embeddings": False, "type_vocab_size": 3}),
    ("bert", "BertForPreTraining", _BERT | _WIDE | {"layer_norm_eps": 0.01}),
    ("bert", "BertForSequenceClassification", _BERT | _WIDE),
    ("distilbert", "DistilBertModel", {"dim": 24, "n_heads": 6, "n_layers": 2, "hidden_dim": 28}),
    ("distilbert", "DistilBertForMaskedLM", {"dim": 20, "n_heads": 2, "n_layers": 1, "hidden_dim": 28}),
    ("roberta", "RobertaModel", _BERT | _WIDE),
    ("roberta", "RobertaForMaskedLM", _BERT | _NARROW | {"type_vocab_size": 1, "hidden_act": "silu"}),
    ("gpt2", "GPT2Model", {"n_embd": 24, "n_head": 6, "n_layer": 3, "n_positions": 17}),
    ("gpt2", "GPT2LMHeadModel", {"n_embd": 20, "n_head": 2, "n_layer": 2, "n_positions": 19, "n_inner": 28}),
    ("gpt2", "GPT2LMHeadModel", {"n_embd": 20, "n_head": 4, "n_layer": 1, "tie_word_embeddings": False}),
    ("gpt2", "GPT2LMHeadModel", {"n_embd": 20, "n_head": 4, "n_layer": 1, "scale_attn_weights": False}),
    ("gpt_neo", "GPTNeoModel", {"attention_types": [[["local", "global"], 1], [["global"], 1]], "num_layers": 3}),
    ("gpt_neo", "GPTNeoForCausalLM", {"attention_types": [[["global", "local"], 1]], "intermediate_size": 28}),
    ("llama", "LlamaModel", _LLAMA | _WIDE),
    ("llama", "LlamaForCausalLM", _LLAMA | _WIDE | {"num_key_value_heads": 3, "rope_parameters": _ROPE}),
    ("llama", "LlamaForCausalLM", _LLAMA | _NARROW | {"head_dim": 6, "attention_bias": True, "mlp_bias": True}),
    ("llama", "LlamaForCausalLM", _LLAMA | _WIDE | {"tie_word_embeddings": True, "hidden_act": "gelu"}),
    *(("llama", "LlamaForCausalLM",
       _LLAMA | _NARROW | {"max_position_embeddings": 8, "rope_parameters": _ROPE | each}) for each in _STRETCHED),
    ("mistral", "MistralModel", _LLAMA | _WIDE | {"num_key_value_heads": 2, "sliding_window": 3}),
    ("mistral", "MistralForCausalLM", _LLAMA | _NARROW | {"num_key_value_heads": 1, "sliding_window": 1}),
    ("mistral", "MistralForCausalLM", _LLAMA | _NARROW | {"num_key_value_heads": 2, "sliding_window": None}),
    ("qwen2", "Qwen2Model", _LLAMA | _WIDE | {"num_key_value_heads": 2}),
    ("qwen2", "Qwen2ForCausalLM", _LLAMA | _NARROW | {"num_key_value_heads": 2, "tie_word_embeddings": True}),
    (
        "qwen2",
        "Qwen2ForCausalLM",
        _LLAMA | _WIDE
        | {"num_key_value_heads": 2, "use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1},
    ),
    ("xlm-roberta", "XLMRobertaForMaskedLM", _BERT | _WIDE | {"type_vocab_size": 1}),
    ("xlm-roberta", "XLMRobertaModel", _BERT | _NARROW),
    ("qwen3", "Qwen3Model", _LLAMA | _WIDE | {"num_key_value_heads": 2, "head_dim": 6}),
    ("qwen3", "Qwen3ForCausalLM",
     _LLAMA | _NARROW | {"num_key_value_heads": 1, "head_dim": 4, "attention_bias": True}),
    ("qwen3", "Qwen3ForCausalLM",
     _LLAMA | _NARROW | {"num_key_value_heads": 2, "head_dim": 8, "use_sliding_window": True, "sliding_window": 3,
                         "max_window_layers": 1, "tie_word_embeddings": True}),
    ("olmo2", "Olmo2Model", _LLAMA | _WIDE | {"num_key_value_heads": 3}),
    ("olmo2", "Olmo2ForCausalLM", _LLAMA | _NARROW | {"attention_bias": True, "rope_parameters": _ROPE}),
    ("phi3", "Phi3Model", _LLAMA | _WIDE | _PADDED | {"num_key_value_heads": 2, "sliding_window": 3}),
    ("phi3", "Phi3ForCausalLM",
     _LLAMA | _NARROW | _PADDED | {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.4}}),
    ("phi3", "Phi3ForCausalLM",
     _LLAMA | _NARROW | _PADDED | _ORIGINAL | {"max_position_embeddings": 18, "rope_parameters": _ROPE | {
         "rope_type": "longrope", "short_factor": [1.5, 1.0, 2.0, 1.0], "long_factor": [1.0, 3.0, 5.0, 7.0],
         "partial_rotary_factor": 0.8}}),
    ("gemma2", "Gemma2Model", _LLAMA | _WIDE | _GEMMA),
    ("gemma2", "Gemma2ForCausalLM",
     _LLAMA | _NARROW | _GEMMA | {"attn_logit_softcapping": 0.9, "final_logit_softcapping": 1.5}),
    ("gemma2", "Gemma2ForCausalLM",
     _LLAMA | _NARROW | _GEMMA | {"attn_logit_softcapping": None, "final_logit_softcapping": None,
                                  "attention_bias": True, "tie_word_embeddings": False,
                                  "layer_types": ["full_attention", "sliding_attention"]}),
    ("gemma3_text", "Gemma3TextModel", _LLAMA | _WIDE | _GEMMA | {"layer_types": _KINDS}),
    ("gemma3_text", "Gemma3ForCausalLM",
     _LLAMA | _NARROW | _GEMMA | {"layer_types": _KINDS, "final_logit_softcapping": 2.0, "rope_parameters": {
         "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 500.0},
         "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}}),
)  # fmt: skip
_ALWAYS: dict[str, dict[str, Any]] = {
    "distilbert": {"max_position_embeddings": 17},
    "gpt_neo": {"hidden_size": 24, "num_heads": 4, "num_layers": 2, "window_size": 3, "max_position_embeddings": 17},
}


class InFloat64(TorchFunctionMode):
    """Whatever asks for float32 gets float64: transformers rounds to it on the way, even in a model in float64."""

    def __enter__(self) -> "InFloat64":
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        torch.set_default_dtype(torch.float32)
        super().__exit__(*error)

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        if func is Tensor.float:
            return args[0].double()
        args = tuple(torch.float64 if each is torch.float32 else each for each in args)
        named = {name: torch.float64 if each is torch.float32 else each for name, each in (kwargs or {}).items()}
        return func(*args, **named)


def original(kind: str, name: str, settings: dict[str, Any], *, dtype: torch.dtype = torch.float64) -> Any:
    """A model of transformers with random weights; biases and norms are no zeros and ones either."""
    settings = _ALWAYS.get(kind, {}) | settings
    with InFloat64() if dtype == torch.float64 else nullcontext():
        config = transformers.AutoConfig.for_model(kind, vocab_size=VOCAB, **settings)
        model = getattr(transformers, name)._from_config(config, attn_implementation="eager", dtype=dtype)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            drawn = parameter + 0.2 * drawn if parameter.dim() == 1 else drawn / parameter.shape[-1] ** 0.5
            parameter.copy_(drawn)
    return model.eval()


def original_answer(model: Any, ids: Tensor, real: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Logits, or the last hidden states where the model has none or others; and the weights of every layer."""
    with torch.no_grad(), InFloat64():
        said = model(ids, attention_mask=real.long(), output_attentions=True, output_hidden_states=True)
    logits = said.get("prediction_logits", said.get("logits"))
    return said.hidden_states[-1] if logits is None or logits.dim() < 3 else logits, said.attentions
