"""What a config.json means here: the families' defaults, what is refused and how, and the limits of every size."""

from textwrap import fill
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from attention_core import GELU, CheckpointConfig, LayerNorm, Learned, ReLU, RMSNorm, Rotary, SiLU
from attention_core.checkpoints.families import config_of
from attention_core.checkpoints.said import IDLE
from tests.approved import lines
from tests.modules.refusals import refused

KINDS = ("bert", "distilbert", "roberta", "gpt2", "gpt_neo", "llama", "mistral", "qwen2")
_SIZES = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 4, "intermediate_size": 8}
NEEDED: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("bert", "roberta", "llama", "mistral", "qwen2"), _SIZES),
    "distilbert": {"dim": 8, "n_heads": 2, "n_layers": 4, "hidden_dim": 8},
    "gpt2": {"n_embd": 8, "n_head": 2, "n_layer": 4},
    "gpt_neo": {"hidden_size": 8, "num_heads": 2, "num_layers": 4, "attention_types": [[["global", "local"], 2]]},
}


def said_of(kind: str, said: dict[str, Any]) -> CheckpointConfig:
    return config_of({"model_type": kind, "vocab_size": 9} | NEEDED[kind] | said)


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
ROPE = "only rope_type 'default' with its rope_theta has a counterpart here"
SAME_LAYERS = "the same layers as in attention_types are needed."
KINDS_OF_LAYERS = 'a list of "global" and "local" is needed.'
ALL_SLIDING = "4 times 'sliding_attention' is needed, by the other settings."
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
    ("bert", {"position_embedding_type": "relative_key"},
     "position_embedding_type = 'relative_key' is not possible: only 'absolute' has a counterpart here."),
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
    ("llama", {"rope_scaling": {"type": "linear"}}, f"rope_scaling = {{'type': 'linear'}} is not possible: {ROPE}."),
    ("llama", {"rope_parameters": {"rope_type": "llama3"}},
     f"rope_parameters = {{'rope_type': 'llama3'}} is not possible: {ROPE}."),
    ("llama", {"rope_parameters": {"factor": 0.5}}, f"rope_parameters = {{'factor': 0.5}} is not possible: {ROPE}."),
    ("llama", {"rope_parameters": {"rope_theta": 0}},
     "rope_parameters = {'rope_theta': 0} is not possible: a positive rope_theta is needed."),
    ("llama", {"rope_parameters": {"rope_theta": 5.0}, "rope_scaling": {"rope_theta": 6.0}},
     "rope_scaling = {'rope_theta': 6.0} is not possible: the same as in rope_parameters is needed, 5."),
    ("llama", {"rope_theta": -1.0}, "rope_theta = -1.0 is not possible: a positive number is needed."),
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
