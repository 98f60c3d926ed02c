"""A model of transformers in memory is read as the files are that it saves, with the same checks."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import nn

from attention_core import Checkpoint, load_checkpoint
from tests.checkpoints.originals import BOUND, ORIGINALS, VOCAB, original, original_answer
from tests.modules.refusals import refused
from tests.sweeps import some_by_day

KEYS = range(len(ORIGINALS))
IDS = torch.randint(2, VOCAB, (2, 7), generator=torch.Generator().manual_seed(2))
MASKED, TIED = 1, 10  # of ORIGINALS: a BertForMaskedLM, a GPT2LMHeadModel with the table as its head


@pytest.mark.parametrize("key", some_by_day(KEYS, of=6), ids=lambda key: f"{ORIGINALS[key][1]}-{key}")
def test_it_computes_what_the_original_computes(key: int) -> None:
    model = original(*ORIGINALS[key])
    output, weights = original_answer(model, IDS, torch.ones_like(IDS, dtype=torch.bool))
    checkpoint = Checkpoint.from_transformers(model)
    with torch.no_grad():
        assert (checkpoint(IDS) - output).abs().max() <= BOUND
        traces = checkpoint.trace(IDS)
    assert len(traces) == len(weights)
    for trace, theirs in zip(traces, weights, strict=True):
        assert (trace.weights - theirs).abs().max() <= BOUND


@pytest.mark.parametrize(
    ("key", "dtype"),
    [
        *some_by_day(pytest.param(key, torch.float64, id=f"{ORIGINALS[key][1]}-{key}") for key in KEYS),
        *(pytest.param(KEYS[0], dtype, id=str(dtype)) for dtype in (torch.float32, torch.bfloat16, torch.float16)),
    ],
)
def test_it_is_the_model_of_the_files_that_are_saved(key: int, dtype: torch.dtype, tmp_path: Path) -> None:
    model = original(*ORIGINALS[key]).to(dtype)
    live = Checkpoint.from_transformers(model)  # before saving, which writes the class into its config
    model.save_pretrained(tmp_path)
    loaded = load_checkpoint(tmp_path)
    assert live.config == loaded.config
    assert [name for name, _ in live.named_parameters()] == [name for name, _ in loaded.named_parameters()]
    for ours, theirs in zip(live.parameters(), loaded.parameters(), strict=True):
        assert ours.dtype == dtype
        assert torch.equal(ours, theirs)


def test_the_weights_are_a_copy_and_nothing_is_dropped() -> None:
    model = original(*ORIGINALS[MASKED]).train()
    checkpoint = Checkpoint.from_transformers(model)
    assert not checkpoint.training
    assert model.training
    before = checkpoint(IDS)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    assert torch.equal(checkpoint(IDS), before)
    before.sum().backward()
    assert all(each.grad is not None for each in checkpoint.parameters())


def test_whether_there_are_logits_says_the_model_and_not_whose_files_its_config_came_with() -> None:
    config = original(*ORIGINALS[TIED]).config
    for architectures in (None, ["GPT2LMHeadModel"], ["GPT2Model"]):
        config.architectures = architectures
        with_head, without = transformers.GPT2LMHeadModel(config), transformers.GPT2Model(config)
        assert Checkpoint.from_transformers(with_head).config.lm_head
        assert not Checkpoint.from_transformers(without).config.lm_head
        assert config.architectures == architectures


def test_a_head_that_is_no_longer_the_table_is_one_of_its_own() -> None:
    model = original(*ORIGINALS[TIED])
    tied = Checkpoint.from_transformers(model)
    assert tied.config.tie_word_embeddings
    assert tied.lm_head is None
    model.lm_head.weight = nn.Parameter(model.lm_head.weight + 1)
    untied = Checkpoint.from_transformers(model)
    assert not untied.config.tie_word_embeddings
    assert untied.lm_head is not None
    assert torch.equal(untied.lm_head.weight, tied.embedding.weight + 1)


def test_a_head_may_differ_from_the_table_at_its_end_alone() -> None:
    """They are compared piece by piece, of a MiB each; here there are two."""
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=2**14, n_embd=32, n_head=2, n_layer=1))
    assert Checkpoint.from_transformers(model).lm_head is None
    model.lm_head.weight = nn.Parameter(model.lm_head.weight.detach().clone())
    assert Checkpoint.from_transformers(model).lm_head is None
    with torch.no_grad():
        model.lm_head.weight[-1, -1] += 1
    assert Checkpoint.from_transformers(model).lm_head is not None


@pytest.mark.slow
def test_rows_that_lie_apart_in_memory_and_wrapped_models() -> None:
    model = original(*ORIGINALS[TIED])
    expected = Checkpoint.from_transformers(model)(IDS)
    for parameter in model.parameters():
        if parameter.dim() == 2:
            parameter.data = parameter.data.T.contiguous().T
    assert not model.transformer.wpe.weight.is_contiguous()
    assert torch.equal(Checkpoint.from_transformers(model)(IDS), expected)
    assert torch.equal(Checkpoint.from_transformers(torch.compile(model))(IDS), expected)


def test_it_lives_where_the_model_lives_whatever_the_default_device() -> None:
    model = original(*ORIGINALS[TIED])
    with torch.device("meta"):
        checkpoint = Checkpoint.from_transformers(model)
    assert {each.device for each in checkpoint.parameters()} == {torch.device("cpu")}


def test_one_tensor_at_a_time_is_copied() -> None:
    config = transformers.GPT2Config(vocab_size=2**15, n_embd=32, n_head=2, n_layer=6, n_positions=9, n_inner=2**13)
    model = transformers.GPT2LMHeadModel(config)
    largest = max(each.nbytes for each in model.parameters())
    tracemalloc.start()
    Checkpoint.from_transformers(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(each.nbytes for each in model.parameters()) > 4 * largest
    assert largest <= peak < largest + 2**21


Make = Callable[[], Any]


def changed(key: int, change: Callable[[Any], Any]) -> Make:
    """One of the originals after a change to it; what ``change`` gives, if that is another thing."""

    def made() -> Any:
        model = original(*ORIGINALS[key])
        made = change(model)
        return model if made is None else made

    return made


def another_family() -> Any:
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2, "vocab_size": 9}
    return transformers.T5Model(transformers.T5Config(**sizes))


def with_config(**settings: Any) -> Callable[[Any], None]:
    return lambda model: model.config.__dict__.update(settings)


def rounded(model: Any) -> None:
    model.transformer.wpe.weight = nn.Parameter(model.transformer.wpe.weight.to(torch.int8), requires_grad=False)


def not_finite(model: Any) -> None:
    model.transformer.wpe.weight.data[1, 1] = torch.nan


def of_two_names(model: Any) -> None:
    model.bert.embeddings.LayerNorm.gamma = nn.Parameter(torch.ones(20))


FAMILIES = (
    "bert, distilbert, roberta, xlm-roberta, gpt2, gpt_neo, llama, mistral, qwen2, qwen3, olmo2, phi3, gemma2, "
    "gemma3_text, attention_explorer"
)
ACTIVATIONS = "gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, relu, silu, swish"
WORDS = "F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL"
UNWRITTEN = "cannot be written as config.json: Object of type type is not JSON serializable."
NEEDED = "is no model of transformers: one with a config and a state_dict is needed."
REFUSED: dict[str, tuple[Make, str]] = {
    "no model": (lambda: "bert-base-uncased", f"str {NEEDED}"),
    "a module": (lambda: nn.Linear(2, 2), f"Linear {NEEDED}"),
    "one of ours": (changed(0, Checkpoint.from_transformers), f"Checkpoint {NEEDED}"),
    "another family": (another_family,
        f"model_type = 't5' is not possible: one of {FAMILIES} is needed."),
    "an option nobody knows": (changed(MASKED, with_config(new_switch=3)),
        "config.json says 'new_switch' = 3: what it changes is not known here, and may be what the model computes."),
    "an option without counterpart": (changed(MASKED, with_config(is_decoder=True)),
        "is_decoder = True is not possible: only False has a counterpart here."),
    "an activation": (changed(MASKED, with_config(hidden_act="tanh")),
        f"hidden_act = 'tanh' is not possible: one of {ACTIVATIONS} is needed."),
    "no JSON": (changed(MASKED, with_config(new_switch=torch.nn.ReLU)),
        f"the config of this BertForMaskedLM {UNWRITTEN}"),
    "no number": (changed(MASKED, with_config(layer_norm_eps=float("nan"))),
        "config.json says NaN: finite numbers are needed."),
    "sizes that do not fit": (changed(MASKED, with_config(intermediate_size=30)),
        "'bert.encoder.layer.0.intermediate.dense.weight' has shape (28, 20): config.json asks for (30, 20)."),
    "a head that is missing": (changed(MASKED, lambda model: setattr(model, "cls", nn.Identity())),
        "there is no tensor 'cls.predictions.transform.dense.weight', which config.json asks for."),
    "a tensor too many": (changed(MASKED, lambda model: setattr(model.bert, "more", nn.Linear(2, 2))),
        "there is a tensor 'bert.more.bias', for which config.json has no place."),
    "one name twice": (changed(MASKED, of_two_names), "there are two tensors 'bert.embeddings.LayerNorm.weight'."),
    "no numbers": (changed(MASKED, lambda model: model.to("meta")),
        "'bert.embeddings.word_embeddings.weight' is no plain tensor that holds numbers: such a one is needed."),
    "numbers of another kind": (changed(TIED, lambda model: model.to(torch.complex64)),
        f"'transformer.wte.weight' has dtype torch.complex64: one of {WORDS} is needed."),
    "whole numbers": (changed(TIED, rounded), "the tensors are F64, I8: all must be one of F64, F32, F16, BF16."),
    "not finite": (changed(TIED, not_finite), "'transformer.wpe.weight' holds numbers that are not finite."),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_each_is_refused_by_a_sentence(case: str) -> None:
    make, sentence = REFUSED[case]
    model = make()
    with refused(sentence):
        Checkpoint.from_transformers(model)
