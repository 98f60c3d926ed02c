"""What the tensors of a file say: whether there is a head, and whose matrix it has; what is left out after a look."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention_core import CheckpointError, load_checkpoint
from attention_core.checkpoints.layout import published
from tests.checkpoints.originals import VOCAB, original
from tests.modules.refusals import refused

BERT = {"intermediate_size": 28, "max_position_embeddings": 17, "num_hidden_layers": 1, "pad_token_id": 1}
BERT |= {"hidden_size": 20, "num_attention_heads": 2}
GPT2 = {"n_embd": 20, "n_head": 2, "n_layer": 2, "n_positions": 19}
NEO = {"attention_types": [[["global", "local"], 1]]}
LLAMA = {"hidden_size": 24, "num_attention_heads": 6, "intermediate_size": 28, "num_hidden_layers": 2}
LLAMA |= {"num_key_value_heads": 3}
TIED = LLAMA | {"tie_word_embeddings": True}
IDS = torch.tensor([[3, 11, 4, 11, 5], [9, 2, 6, 5, 3]])
Tensors = dict[str, Tensor]


def saved(folder: Path, kind: str, name: str, settings: dict[str, Any]) -> Any:
    model = original(kind, name, settings, dtype=torch.float32)
    model.save_pretrained(folder)
    return model


def changed(folder: Path, change: Callable[[Tensors], Tensors], **said: Any) -> None:
    """Other tensors in a folder, and another config; None takes a setting out."""
    path, config = folder / "model.safetensors", folder / "config.json"
    save_file({name: each.clone() for name, each in change(load_file(path)).items()}, path, {"format": "pt"})
    now = json.loads(config.read_text()) | said
    config.write_text(json.dumps({name: value for name, value in now.items() if value is not None}))


def same(tensors: Tensors) -> Tensors:
    return tensors


def expected(folder: Path, model: Any) -> Tensor:
    """What transformers reads from these files gives, all of them read."""
    theirs, report = type(model).from_pretrained(folder, attn_implementation="eager", output_loading_info=True)
    assert not report["missing_keys"]
    with torch.no_grad():
        said = theirs.float()(IDS)
    return said.logits if "logits" in said else said.last_hidden_state


# ---- the head ----

HEADS = (
    ("bert", "BertForMaskedLM", BERT), ("bert", "BertForMaskedLM", BERT | {"tie_word_embeddings": False}),
    ("distilbert", "DistilBertForMaskedLM", {"dim": 20, "n_heads": 2, "n_layers": 1, "hidden_dim": 28}),
    ("roberta", "RobertaForMaskedLM", BERT), ("gpt2", "GPT2LMHeadModel", GPT2),
    ("gpt2", "GPT2LMHeadModel", GPT2 | {"tie_word_embeddings": False}), ("gpt_neo", "GPTNeoForCausalLM", NEO),
    ("llama", "LlamaForCausalLM", LLAMA), ("llama", "LlamaForCausalLM", TIED),
    ("mistral", "MistralForCausalLM", TIED),
    ("qwen2", "Qwen2ForCausalLM", LLAMA),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "settings", "architectures"),
    [(*each, None) for each in HEADS]
    + [(*each, said) for each in HEADS[4:6] for said in ([], ["A", "B"], ["LlamaModel", "LlamaForCausalLM"])],
)
def test_a_head_is_read_whatever_the_config_names(
    kind: str, name: str, settings: dict[str, Any], architectures: Any, tmp_path: Path
) -> None:
    model = saved(tmp_path, kind, name, settings)
    changed(tmp_path, same, architectures=architectures)
    with torch.no_grad():
        assert (load_checkpoint(tmp_path)(IDS) - model(IDS).logits).abs().max() < 1e-5


@pytest.mark.parametrize("architectures", [None, ["Mine", "MineToo"]])
@pytest.mark.parametrize(
    ("kind", "name", "settings"),
    [
        ("bert", "BertModel", BERT), ("gpt2", "GPT2Model", GPT2), ("llama", "LlamaModel", LLAMA),
        ("bert", "BertForSequenceClassification", BERT), ("gpt2", "GPT2ForSequenceClassification", GPT2),
        ("llama", "LlamaForSequenceClassification", LLAMA), ("roberta", "RobertaForTokenClassification", BERT),
    ],
)  # fmt: skip
def test_without_a_head_the_hidden_states_are_given(
    kind: str, name: str, settings: dict[str, Any], architectures: Any, tmp_path: Path
) -> None:
    model = saved(tmp_path, kind, name, settings)
    changed(tmp_path, same, architectures=architectures)
    with torch.no_grad():
        hidden = model.base_model(IDS).last_hidden_state
        assert (load_checkpoint(tmp_path)(IDS) - hidden).abs().max() < 1e-5


TABLES = {
    "bert": ("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    "distilbert": ("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight"),
    "roberta": ("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight"),
    "gpt2": ("transformer.wte.weight", "lm_head.weight"),
    "gpt_neo": ("transformer.wte.weight", "lm_head.weight"),
    "llama": ("model.embed_tokens.weight", "lm_head.weight"),
    "mistral": ("model.embed_tokens.weight", "lm_head.weight"),
}
TIES = [each for each in HEADS if each[2].get("tie_word_embeddings", each[0] not in ("llama", "qwen2"))]


@pytest.mark.parametrize(("kind", "name", "settings"), TIES)
@pytest.mark.parametrize("way", ["a copy", "one of its own", "its own alone"])
def test_a_tied_matrix_is_compared_with_the_table(
    kind: str, name: str, settings: dict[str, Any], way: str, tmp_path: Path
) -> None:
    """The same numbers are one matrix; others are the head's own; and a file may hold it under either name."""
    model, (table, head) = saved(tmp_path, kind, name, settings), TABLES[kind]

    def change(tensors: Tensors) -> Tensors:
        matrix = tensors[table].clone()
        if way == "one of its own":
            matrix[-1, -1] += 4
        if way == "its own alone":
            del tensors[table]
        return tensors | {head: matrix}

    changed(tmp_path, change)
    ours = load_checkpoint(tmp_path)
    assert ours.config.tie_word_embeddings == (way != "one of its own")
    with torch.no_grad():
        assert (ours(IDS) - expected(tmp_path, model)).abs().max() < 1e-5


@pytest.mark.parametrize(("kind", "bias"), [("bert", "cls.predictions"), ("roberta", "lm_head")])
@pytest.mark.parametrize("own_matrix", [False, True])
@pytest.mark.parametrize("way", ["both", "the matrix's alone", "the shared one alone"])
def test_the_bias_of_an_encoders_head_is_the_one_that_is_used(
    kind: str, bias: str, own_matrix: bool, way: str, tmp_path: Path
) -> None:
    model = saved(tmp_path, kind, {"bert": "BertForMaskedLM", "roberta": "RobertaForMaskedLM"}[kind], BERT)
    table, head = TABLES[kind]

    def change(tensors: Tensors) -> Tensors:
        one, other = torch.arange(VOCAB) / VOCAB, -torch.arange(VOCAB) / 5
        tensors.pop(f"{bias}.bias")
        tensors |= {f"{bias}.bias": one} if way != "the matrix's alone" else {}
        tensors |= {f"{bias}.decoder.bias": other} if way != "the shared one alone" else {}
        return tensors | ({head: tensors[table] + 1} if own_matrix else {})

    changed(tmp_path, change)
    with torch.no_grad():
        assert (load_checkpoint(tmp_path)(IDS) - expected(tmp_path, model)).abs().max() < 1e-5


def test_a_head_by_a_name_that_nobody_knows_is_not_dropped(tmp_path: Path) -> None:
    saved(tmp_path, "llama", "LlamaForCausalLM", LLAMA)

    def change(tensors: Tensors) -> Tensors:
        return {{"lm_head.weight": "embed_out.weight"}.get(name, name): each for name, each in tensors.items()}

    changed(tmp_path, change, architectures=["MineForSpeech"])
    with refused("there is a tensor 'embed_out.weight', for which config.json has no place."):
        load_checkpoint(tmp_path)
    changed(tmp_path, lambda tensors: {name: each for name, each in tensors.items() if name != "embed_out.weight"})
    assert load_checkpoint(tmp_path)(IDS).shape == (2, 5, 24)


# ---- what is derived ----

PAST = torch.ones(1, 1, 19, 19, dtype=torch.bool).tril()
NEAR = PAST.logical_xor(PAST.tril(-3))  # a token and the two before it, in a window of 3
FREQUENCIES, ANGLES = torch.tensor([1.0, 0.01]), torch.ones(1, 1, 9, 4)
DERIVED: tuple[tuple[str, str, dict[str, Any], Tensors, Tensors], ...] = (
    # (model_type, class, settings, buffers as they were written, the same with others in it)
    ("llama", "LlamaForCausalLM", LLAMA,
     {"model.rotary_emb.inv_freq": FREQUENCIES, "model.layers.1.self_attn.rotary_emb.inv_freq": FREQUENCIES.half()},
     {"model.rotary_emb.inv_freq": torch.ones(1)}),
    ("llama", "LlamaModel", LLAMA, {"rotary_emb.inv_freq": FREQUENCIES}, {"rotary_emb.inv_freq": torch.ones(4)}),
    ("mistral", "MistralForCausalLM", LLAMA,
     {"model.layers.0.self_attn.rotary_emb.cos_cached": ANGLES, "model.rotary_emb.sin_cached": ANGLES[0, 0]},
     {"model.layers.0.self_attn.rotary_emb.cos_cached": torch.ones(1, 1, 9, 6)}),
    ("bert", "BertForMaskedLM", BERT,
     {"bert.embeddings.position_ids": torch.arange(17)[None],
      "bert.embeddings.token_type_ids": torch.zeros(1, 17, dtype=torch.long)},
     {"bert.embeddings.position_ids": torch.arange(17).flip(0)[None]}),
    ("bert", "BertModel", BERT, {"embeddings.token_type_ids": torch.zeros(1, 17, dtype=torch.long)},
     {"embeddings.token_type_ids": torch.ones(1, 17, dtype=torch.long)}),
    ("gpt2", "GPT2LMHeadModel", GPT2,
     {"transformer.h.0.attn.bias": PAST, "transformer.h.1.attn.bias": PAST.float(),
      "transformer.h.1.attn.masked_bias": torch.tensor(-1e4)},
     {"transformer.h.1.attn.bias": torch.ones(1, 1, 19, 19)}),
    ("gpt2", "GPT2Model", GPT2, {"h.0.attn.bias": PAST}, {"h.0.attn.masked_bias": torch.tensor(0.0)}),
    ("gpt_neo", "GPTNeoForCausalLM", NEO,
     {"transformer.h.0.attn.attention.bias": PAST, "transformer.h.1.attn.attention.bias": NEAR},
     {"transformer.h.1.attn.attention.bias": PAST}),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "settings", "right", "wrong"), DERIVED)
def test_what_is_derived_is_left_out_after_a_look(
    kind: str, name: str, settings: dict[str, Any], right: Tensors, wrong: Tensors, tmp_path: Path
) -> None:
    saved(tmp_path, kind, name, settings)
    without = load_checkpoint(tmp_path)(IDS)
    changed(tmp_path, lambda tensors: tensors | right)
    assert torch.equal(load_checkpoint(tmp_path)(IDS), without)
    changed(tmp_path, lambda tensors: tensors | wrong)
    with refused(f"{next(iter(wrong))!r} is not what config.json says, from which it is computed here."):
        load_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("kind", "name", "settings", "buffer"),
    [
        ("gpt2", "GPT2LMHeadModel", GPT2, "transformer.rotary_emb.inv_freq"),
        ("llama", "LlamaForCausalLM", LLAMA, "model.embeddings.position_ids"),
        ("gpt2", "GPT2LMHeadModel", GPT2, "transformer.h.7.attn.bias"),
    ],
)
def test_what_a_family_does_not_derive_has_no_place(
    kind: str, name: str, settings: dict[str, Any], buffer: str, tmp_path: Path
) -> None:
    saved(tmp_path, kind, name, settings)
    changed(tmp_path, lambda tensors: tensors | {buffer: torch.ones(2)})
    with refused(f"there is a tensor {buffer!r}, for which config.json has no place."):
        load_checkpoint(tmp_path)


# ---- names ----


@pytest.mark.parametrize(
    ("name", "today"),
    [
        ("_orig_mod.model.norm.weight", "model.norm.weight"),
        ("module.model.norm.weight", "model.norm.weight"),
        ("module._orig_mod.lm_head.weight", "lm_head.weight"),
        ("model.layers.1._orig_mod.mlp.up_proj.weight", "model.layers.1.mlp.up_proj.weight"),
        ("bert.embeddings.LayerNorm.gamma", "bert.embeddings.LayerNorm.weight"),
        ("bert.embeddings.LayerNorm.beta", "bert.embeddings.LayerNorm.bias"),
        ("other.gamma", "other.gamma"),
        ("model.modules.weight", "model.modules.weight"),
        ("module", "module"),
    ],
)
def test_what_wraps_a_model_and_what_norms_were_called(name: str, today: str) -> None:
    assert published(name) == today


def test_what_is_no_folder_is_called_so(tmp_path: Path) -> None:
    for name in ("gpt2", tmp_path / "nowhere"):
        with pytest.raises(CheckpointError, match=r"is no folder: .*config\.json.*nothing is downloaded\."):
            load_checkpoint(name)
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"")
    with pytest.raises(CheckpointError, match="is no folder"):
        load_checkpoint(file)
