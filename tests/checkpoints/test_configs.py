"""What a config.json means here: the families' defaults, what is refused and how, and the limits of every size."""

from textwrap import fill
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core import GELU, CheckpointConfig, LayerNorm, Learned, ReLU, RMSNorm, Rotary, SiLU
from attention_core.checkpoints.config_reader import IDLE
from attention_core.checkpoints.families import FAMILIES, config_of
from attention_core.modules.rope_scaling import Llama3Scaling, YaRN
from tests.approved import lines
from tests.modules.refusals import refused

KINDS = tuple(FAMILIES)
_SIZES = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 4, "intermediate_size": 8}
NEEDED: dict[str, dict[str, Any]] = {
    **dict.fromkeys(FAMILIES, _SIZES),
    **dict.fromkeys(("qwen3", "gemma2", "gemma3_text"), _SIZES | {"num_key_value_heads": 1}),
    "distilbert": {"dim": 8, "n_heads": 2, "n_layers": 4, "hidden_dim": 8},
    "gpt2": {"n_embd": 8, "n_head": 2, "n_layer": 4},
    "gpt_neo": {"hidden_size": 8, "num_heads": 2, "num_layers": 4, "attention_types": [[["global", "local"], 2]]},
}


def said_of(kind: str, said: dict[str, Any]) -> CheckpointConfig:
    return config_of({"model_type": kind, "vocab_size": 9} | NEEDED.get(kind, {}) | said)


def test_what_a_family_is_where_its_config_says_no_more_than_sizes(approved: SnapshotAssertion) -> None:
    assert lines({kind: said_of(kind, {}) for kind in KINDS}) == approved
    assert [said_of(kind, {}).norm for kind in ("bert", "distilbert", "roberta")] == [LayerNorm(1e-12)] * 3


@pytest.mark.parametrize(
    ("kind", "said", "windows"),
    [
        ("mistral", {"sliding_window": 3}, (2, 2, 2, 2)),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 5, "max_window_layers": 3}, (None, None, None, 4)),
        ("qwen2", {"use_sliding_window": True, "num_hidden_layers": 30}, (*[None] * 28, 4095, 4095)),
        ("gpt_neo", {"window_size": 7}, (None, 6, None, 6)),
        ("llama", {}, ()),
    ],
)
def test_windows_count_the_token_itself_there_and_what_is_before_it_here(
    kind: str, said: dict[str, Any], windows: tuple[int | None, ...]
) -> None:
    assert said_of(kind, said).windows == windows


def test_what_activations_are_called() -> None:
    names = dict.fromkeys(("gelu_new", "gelu_pytorch_tanh", "gelu_fast"), GELU(tanh=True))
    names |= {"gelu": GELU(), "relu": ReLU(), "silu": SiLU(), "swish": SiLU()}
    assert {name: said_of("gpt2", {"activation_function": name}).activation for name in names} == names


def test_what_computes_nothing_here(approved: SnapshotAssertion) -> None:
    assert fill(" ".join(sorted(IDLE)), 110) == approved


def test_older_words_and_classes_are_understood() -> None:
    old = said_of("llama", {"rope_theta": 50.0, "rope_scaling": None})
    assert old == said_of("llama", {"rope_parameters": {"rope_theta": 50.0}})
    assert old.position == Rotary(base=50.0, halves=True)
    stretched = said_of("llama", {"rope_theta": 50, "rope_scaling": LLAMA3})
    assert stretched == said_of("llama", {"rope_parameters": LLAMA3 | {"rope_theta": 50.0}})
    assert stretched.position == Rotary(50.0, halves=True, scaling=Llama3Scaling(8.0, 16, 1.0, 4.0))
    first = {"type": "yarn", "factor": 2.0, "finetuned": True, "original_max_position_embeddings": 9}
    length = {"original_max_position_embeddings": 16, "max_position_embeddings": 64}
    yarn = said_of("llama", {"rope_scaling": first | {"factor": None}} | length).position
    assert yarn == Rotary(halves=True, scaling=YaRN(4.0, 16)), "what stands outside of the layouts comes first"
    classes = (
        "GPT2LMHeadModel",
        "LlamaForCausalLM",
        "BertForMaskedLM",
        "BertForPreTraining",
        "BertModel",
        "GPT2Model",
    )
    heads = [said_of("gpt2", {"architectures": [name]}).lm_head for name in classes]
    assert heads == [True, True, True, True, False, False]
    assert not said_of("gpt2", {}).lm_head


ACTS = "one of gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish is needed"
GROUPS = 'groups such as [["global", "local"], 6] are needed'
ROPES = "linear, dynamic, yarn, llama3, longrope, su"
EXPERTS = (
    "its feed-forward networks are mixtures of experts, which are not computed here. What its attention does is "
    "MultiHeadAttention(sink=True, window=…)"
)
OF_FOUR = "4 of full_attention and sliding_attention are needed."
LONG_ALONE = "only rope_type 'longrope' has a counterpart here."
PAIRS = "a number for each pair of coordinates is needed."
ORIGINAL = "original_max_position_embeddings"
TRAINED = {ORIGINAL: 16}
LLAMA3 = {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4} | TRAINED
SAME_LAYERS = "the same layers as in attention_types are needed."
KINDS_OF_LAYERS = 'a list of "global" and "local" is needed.'
ALL_SLIDING = "4 times 'sliding_attention' is needed, by the other settings."
KINDS_OF_POSITIONS = "absolute, relative_key, relative_key_query"
IMPOSSIBLE = "config.json describes no possible model:"
UNSAID = "what it changes is not known here, and may be what the model computes"
# (model_type, what its config says, the sentence)
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("gpt2", {"n_head": 3}, f"{IMPOSSIBLE} n_embd = 8 is not a multiple of n_head = 3."),
    ("llama", {"num_attention_heads": 3},
     f"{IMPOSSIBLE} hidden_size = 8 is not a multiple of num_attention_heads = 3."),
    ("llama", {"num_attention_heads": 4, "num_key_value_heads": 3},
     f"{IMPOSSIBLE} num_attention_heads = 4 is not a multiple of num_key_value_heads = 3."),
    ("qwen2", {"head_dim": 3}, f"{IMPOSSIBLE} its heads have the odd size 3, and rotary positions turn pairs."),
    ("mistral", {"num_attention_heads": 8},
     f"{IMPOSSIBLE} its heads have the odd size 1, and rotary positions turn pairs."),
    ("bert", {"position_embedding_type": "relative"},
     f"position_embedding_type = 'relative' is not possible: one of {KINDS_OF_POSITIONS} is needed."),
    ("bert", {"is_decoder": True}, "is_decoder = True is not possible: only False has a counterpart here."),
    ("gpt2", {"is_causal": False}, "is_causal = False is not possible: only True has a counterpart here."),
    ("distilbert", {"layer_norm_eps": 0.1},
     "layer_norm_eps = 0.1 is not possible: only 1e-12 has a counterpart here."),
    ("bert", {"hidden_act": "tanh"}, f"hidden_act = 'tanh' is not possible: {ACTS}."),
    ("bert", {"hidden_act": ["gelu"]}, f"hidden_act = ['gelu'] is not possible: {ACTS}."),
    ("bert", {"layer_norm_eps": "1"}, "layer_norm_eps = '1' is not possible: a positive number is needed."),
    ("bert", {"layer_norm_eps": 1e9}, "layer_norm_eps = 1000000000.0 is not possible: a positive number is needed."),
    ("bert", {"max_position_embeddings": 2**20 + 1},
     "max_position_embeddings = 1048577 is not possible: a whole number from 1 to 1,048,576 is needed."),
    ("bert", {"quantization_config": {"bits": 4}},
     f"config.json says 'quantization_config' = {{'bits': 4}}: {UNSAID}."),
    ("bert", {"tie_word_embeddings": 1}, "tie_word_embeddings = 1 is not possible: true or false is needed."),
    ("bert", {"hidden_size": None}, "hidden_size = None is not possible: a whole number from 1 to 65,536 is needed."),
    ("gpt2", {"n_embd": "8"}, "n_embd = '8' is not possible: a whole number from 1 to 65,536 is needed."),
    ("gpt2", {"hidden_size": 9},
     "config.json says n_embd = 8 and hidden_size = 9: they are one setting, and must agree."),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True},
     "scale_attn_by_inverse_layer_idx = True is not possible: only False has a counterpart here."),
    ("gpt_neo", {"attention_types": [[["global"], 3]]},
     "attention_types = [[['global'], 3]] is not possible: one kind for each of 4 layers is needed."),
    ("gpt_neo", {"attention_types": None, "attention_layers": ["global"]},
     "attention_layers = ['global'] is not possible: one kind for each of 4 layers is needed."),
    ("gpt_neo", {"attention_layers": ["local"] * 4},
     "attention_layers = ['local', 'local', 'local', 'local'] is not possible: " + SAME_LAYERS),
    ("gpt_neo", {"attention_layers": ["dense"] * 4},
     "attention_layers = ['dense', 'dense', 'dense', 'dense'] is not possible: " + KINDS_OF_LAYERS),
    *(("gpt_neo", {"attention_types": wrong}, f"attention_types = {wrong} is not possible: {GROUPS}.")
      for wrong in ([[["global"], 10**9]], [[["dense"], 4]], [[["local"] * 5, 4]], 4)),
    ("gpt_neo", {"num_layers": 257}, "num_layers = 257 is not possible: a whole number from 1 to 256 is needed."),
    ("gpt_neo", {"window_size": 0},
     "window_size = 0 is not possible: a whole number from 1 to 2,147,483,647 is needed."),
    ("llama", {"rope_scaling": {"type": "linear"}},
     "config.json does not say rope_scaling.factor: a positive number is needed."),
    ("llama", {"rope_scaling": {"type": "linear", "factor": "4"}},
     "rope_scaling.factor = '4' is not possible: a positive number is needed."),
    ("llama", {"rope_parameters": {"rope_type": "proportional"}},
     f"rope_parameters.rope_type = 'proportional' is not possible: one of default, {ROPES} is needed."),
    ("llama", {"rope_parameters": {"rope_type": "linear", "type": "yarn", "factor": 2}},
     "rope_parameters.type = 'yarn' is not possible: the same as rope_type is needed, 'linear'."),
    ("llama", {"rope_parameters": {"factor": 0.5}}, f"config.json says 'rope_parameters.factor' = 0.5: {UNSAID}."),
    ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 2, "mrope_section": [1]}},
     f"config.json says 'rope_parameters.mrope_section' = [1]: {UNSAID}."),
    ("llama", {"rope_parameters": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4}},
     f"config.json does not say rope_parameters.{ORIGINAL}: how many positions there were in training is needed."),
    ("llama", {"rope_scaling": LLAMA3 | {"high_freq_factor": 1}},
     "config.json describes no possible positions: high = 1.0 is not above low = 1.0."),
    ("llama", {"rope_scaling": {"type": "dynamic", "factor": 2}},
     "config.json does not say max_position_embeddings: a whole number from 1 to 1,048,576 is needed."),
    ("llama", {"rope_scaling": {"type": "su", "short_factor": [1] * 3000, "long_factor": [1], "factor": 1} | TRAINED},
     f"rope_scaling.short_factor = [{'1, ' * 18}1,… is not possible: {PAIRS}"),
    ("llama", {"rope_scaling": "linear"},
     "rope_scaling = 'linear' is not possible: settings with their names are needed."),
    ("llama", {"rope_parameters": {"partial_rotary_factor": 0.5}},
     "rope_parameters.partial_rotary_factor = 0.5 is not possible: only 1 has a counterpart here."),
    ("llama", {"rope_parameters": {"rope_theta": 0}},
     "rope_parameters.rope_theta = 0 is not possible: a positive number is needed."),
    ("llama", {"rope_parameters": {"rope_theta": 5.0}, "rope_scaling": {"rope_theta": 6.0}},
     "rope_scaling = {'rope_theta': 6.0} is not possible: the same as in rope_parameters is needed."),
    ("llama", {"rope_theta": -1.0}, "rope_theta = -1.0 is not possible: a positive number is needed."),
    ("gpt_oss", {}, f"model_type = 'gpt_oss' is not possible: {EXPERTS}."),
    ("gemma2", {"use_bidirectional_attention": True},
     "use_bidirectional_attention = True is not possible: only False has a counterpart here."),
    ("gemma2", {"attn_logit_softcapping": 0},
     "attn_logit_softcapping = 0 is not possible: a positive number is needed."),
    ("gemma2", {"layer_types": ["chunked"] * 4},
     "layer_types = ['chunked', 'chunked', 'chunked', 'chunked'] is not possible: " + OF_FOUR),
    ("gemma3_text", {"attn_logit_softcapping": 50.0},
     "attn_logit_softcapping = 50.0 is not possible: only None has a counterpart here."),
    ("gemma3_text", {"rope_parameters": {"full_attention": {"rope_theta": 5.0}, "other": {"rope_theta": 5.0}}},
     f"config.json says 'rope_parameters.other' = {{'rope_theta': 5.0}}: {UNSAID}."),
    ("gemma3_text", {"sliding_window_pattern": 0},
     "sliding_window_pattern = 0 is not possible: a whole number from 1 to 256 is needed."),
    ("phi3", {"rope_scaling": {"type": "linear", "factor": 2}},
     "rope_scaling = {'type': 'linear', 'factor': 2} is not possible: " + LONG_ALONE),
    ("olmo2", {"clip_qkv": 8.0}, f"config.json says 'clip_qkv' = 8.0: {UNSAID}."),
    ("mistral", {"sliding_window": "4"},
     "sliding_window = '4' is not possible: a whole number from 1 to 2,147,483,647 is needed."),
    ("mistral", {"layer_types": ["full_attention"] * 2},
     "layer_types = ['full_attention', 'full_attention'] is not possible: " + ALL_SLIDING),
    ("qwen2", {"use_sliding_window": True, "layer_types": ["full_attention"]},
     "layer_types = ['full_attention'] is not possible: 4 of full_attention and sliding_attention are needed."),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "said", "sentence"), REFUSED)
def test_what_has_no_counterpart_is_refused(kind: str, said: dict[str, Any], sentence: str) -> None:
    with refused(sentence):
        said_of(kind, said)


OWN: dict[str, Any] = {"vocab_size": 9, "d_model": 8, "num_heads": 2, "num_layers": 3, "d_ff": 8}
LIMITS = {
    "vocab_size": (1, 1_048_576), "d_model": (1, 65_536), "num_heads": (1, 1024), "num_layers": (1, 256),
    "d_ff": (0, 1_048_576), "num_kv_heads": (1, 1024), "d_head": (1, 4096), "token_types": (0, 1024),
    "padding_id": (0, 1_048_576),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_the_least_and_the_most_of_a_size(name: str) -> None:
    least, most = LIMITS[name]
    for value in (least, most):
        assert getattr(CheckpointConfig(**OWN | {name: value}), name) == value
    for value in (least - 1, most + 1, 1.0, True):
        with refused(f"{name} = {value} is not possible: a whole number from {least} to {most:,} is needed."):
            CheckpointConfig(**OWN | {name: value})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"position": Learned(2**20 + 1)},
         "max_len of position = 1048577 is not possible: a whole number from 1 to 1,048,576 is needed."),
        ({"position": Rotary(base=1e9)},
         "base of position = 1000000000.0 is not possible: a positive number is needed."),
        ({"norm": LayerNorm(0.0)}, "eps of norm = 0.0 is not possible: a positive number is needed."),
        ({"norm": None}, "norm = None is not possible: one of LayerNorm, RMSNorm, NoNorm is needed."),
        ({"scale": 1e9}, "scale = 1000000000.0 is not possible: a number is needed."),
        ({"family": "x" * 41}, f"family = '{'x' * 41}' is not possible: the model_type that it had is needed."),
        ({"windows": (1, 1)}, "windows = '2 windows' is not possible: one for each of 3 layers is needed."),
        ({"windows": (1, -1, 1)},
         "windows = (1, -1, 1) is not possible: whole numbers from 0, and None, are needed."),
        ({"vocabulary": ("a",)}, "vocabulary = '1 texts' is not possible: one for each of 9 ids is needed."),
        ({"vocabulary": (*"abcdefgh", "")},
         f"vocabulary = {(*'abcdefgh', '')} is not possible: texts that can be shown are needed."),
        ({"gated": 1}, "gated = 1 is not possible: true or false is needed."),
    ],
)  # fmt: skip
def test_options_that_are_not_possible(options: dict[str, Any], sentence: str) -> None:
    with refused(sentence):
        CheckpointConfig(**OWN | options)


def test_options_at_the_border_are_possible() -> None:
    for options in ({"position": Learned(2**20)}, {"scale": -9e8}, {"norm": RMSNorm(None)}, {"family": "x" * 40}):
        CheckpointConfig(**OWN | options)
    CheckpointConfig(**OWN | {"windows": (0, None, 1)})
