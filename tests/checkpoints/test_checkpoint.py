"""A trained model: saved and loaded, written on with, looked into, and made of what its config says."""

import json
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention_core import (
    GELU,
    Alibi,
    Checkpoint,
    CheckpointConfig,
    Decoder,
    Encoder,
    Learned,
    NoNorm,
    PostNorm,
    ReLU,
    RMSNorm,
    Rotary,
    SiLU,
    Sinusoidal,
    TiedKeyValue,
    TiedQueryKey,
    inspect_checkpoint,
    load_checkpoint,
    read_checkpoint,
)
from attention_core.shipped.languages import SHIPPED
from tests.checkpoints.originals import ORIGINALS, PAD, VOCAB, InFloat64, original
from tests.modules.refusals import refused
from tests.processes import ROOT

SIZES: dict[str, Any] = {"vocab_size": 11, "d_model": 12, "num_heads": 3, "num_layers": 2, "d_ff": 20}
OURS = (
    {"vocabulary": tuple("abcdefghijk"), "position": Learned(max_len=9)},
    {"position": Rotary(base=50.0, halves=True), "num_heads": 6, "num_kv_heads": 2, "norm": RMSNorm(eps=1e-3)},
    {"causal": False, "placement": PostNorm(), "final_norm": False, "position": Sinusoidal(), "activation": ReLU()},
    {"d_ff": 0, "position": Alibi(), "tie_word_embeddings": False, "head_bias": True, "projections": TiedQueryKey()},
    {"d_head": 5, "scale": 0.7, "k_bias": False, "projections": TiedKeyValue(), "norm": NoNorm()},
    {"gated": True, "feed_forward_bias": False, "activation": SiLU(), "windows": (None, 2), "lm_head": False},
    {"causal": False, "input_norm": True, "token_types": 2, "head_transform": GELU(tanh=True), "head_bias": True},
)
IDS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def random_checkpoint(seed: int = 0, **options: Any) -> Checkpoint:
    torch.manual_seed(seed)
    return Checkpoint(CheckpointConfig(**SIZES | options)).eval()


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("options", OURS)
def test_what_is_saved_is_loaded(options: dict[str, Any], tmp_path: Path) -> None:
    model = random_checkpoint(**options)
    model.save(tmp_path / "new/folder")
    files = files_of(tmp_path / "new/folder")
    assert set(files) == {"config.json", "model.safetensors"}
    for loaded in (load_checkpoint(tmp_path / "new/folder"), read_checkpoint(files)):
        assert loaded.config == model.config
        assert loaded.vocabulary == options.get("vocabulary", ())
        assert not loaded.training
        assert isinstance(loaded.stack, Decoder if model.config.causal else Encoder)
        assert torch.equal(loaded(IDS), model(IDS))
        loaded.save(tmp_path / "again")
        assert files_of(tmp_path / "again") == files, "the same bytes"
    output = model(IDS)
    assert output.shape == (2, 5, 12 if options.get("lm_head") is False else 11)
    output.sum().backward()
    assert all(each.grad is not None for each in model.parameters()), "every parameter is used"


def test_logits_are_what_the_parts_give() -> None:
    model = random_checkpoint(vocabulary=tuple("abcdefghijk"), position=Learned(max_len=9))
    expected = model.stack(model.embedding(IDS)) @ model.embedding.weight.T
    assert torch.equal(model(IDS), expected)
    padding = torch.tensor([[True, False, False, False, False], [False] * 5])
    expected = model.stack(model.embedding(IDS), key_padding_mask=padding) @ model.embedding.weight.T
    assert torch.equal(model(IDS, key_padding_mask=padding), expected)
    assert not torch.equal(model(IDS, positions=torch.arange(5) + 2), model(IDS))


def test_a_trace_is_what_was_computed_and_others_may_compute_beside_it() -> None:
    model = random_checkpoint(position=Learned(max_len=9))
    traces = model.trace(IDS)
    assert [trace.weights.shape for trace in traces] == [(2, 3, 5, 5)] * 2
    expected = model.stack.trace(model.embedding(IDS)).self_attention
    for ours, theirs in zip(traces, expected, strict=True):
        assert torch.equal(ours.weights, theirs.weights)
    model.trace(IDS)[0].weights.sum().backward()
    assert model.embedding.weight.grad is not None, "it shares the parameters"
    before = model(IDS)
    with ThreadPoolExecutor(4) as pool:
        lengths = list(
            pool.map(lambda n: len(model.trace(IDS)) if n % 2 else torch.equal(model(IDS), before), range(60))
        )
    assert lengths == [True, 2] * 30


def test_ids_and_kinds_that_nobody_knows_are_refused() -> None:
    model = random_checkpoint(causal=False, token_types=2)
    with refused("input_ids from 0 to 11 do not fit: the model knows 0 to 10."):
        model(torch.tensor([[0, 11]]))
    with refused("token_types from -1 to 0 do not fit: the model knows 0 to 1."):
        model(torch.tensor([[0, 10]]), token_types=torch.tensor([[-1, 0]]))
    with refused("token_types are given, but the model has no vectors for kinds of sentences."):
        random_checkpoint()(IDS, token_types=IDS)
    assert model(IDS[:, :0]).shape == (2, 0, 11)
    for other in (model, random_checkpoint(lm_head=False)):
        with pytest.raises(ValueError, match="attention_explorer model without causal logits does not write"):
            other.generate(IDS, 1)


@pytest.mark.parametrize(
    "key", [n for n, (_, name, _) in enumerate(ORIGINALS) if name.endswith(("CausalLM", "LMHeadModel"))]
)
def test_what_is_written_is_what_the_original_writes(key: int, tmp_path: Path) -> None:
    """Also from beginnings with padding on the left, with a cache, and past the window."""
    model = original(*ORIGINALS[key])
    model.generation_config.eos_token_id = None
    model.save_pretrained(tmp_path)
    checkpoint = load_checkpoint(tmp_path)
    ids = torch.randint(2, VOCAB, (3, 6), generator=torch.Generator().manual_seed(3))
    real = torch.tensor([[True] * 6, [False] * 2 + [True] * 4, [False] * 5 + [True]])
    ids = ids.masked_fill(~real, PAD)
    with InFloat64():
        # Their cache keeps all of the past where a window is one token long; without it they read the whole anew.
        options = {"max_new_tokens": 9, "do_sample": False, "pad_token_id": PAD, "use_cache": False}
        theirs = model.generate(ids, attention_mask=real.long(), **options)
    said = checkpoint.generate(ids, 9, key_padding_mask=~real)
    assert torch.equal(said, theirs)
    assert torch.equal(checkpoint.generate(ids[2:, 5:], 9), theirs[2:, 5:]), "padding changes nothing"
    assert len(said[:, 6:].unique()) > 3


def test_kinds_of_sentences_are_the_originals(tmp_path: Path) -> None:
    model = original(*ORIGINALS[0])
    model.save_pretrained(tmp_path)
    ids, kinds = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[0, 0, 1, 1]])
    with torch.no_grad(), InFloat64():
        theirs = model(ids, token_type_ids=kinds).last_hidden_state
    checkpoint = load_checkpoint(tmp_path)
    assert (checkpoint(ids, token_types=kinds) - theirs).abs().max() < 1e-12
    assert (checkpoint(ids) - theirs).abs().max() > 0.01


def test_parts_with_an_index(tmp_path: Path) -> None:
    model = original(*ORIGINALS[10])
    model.save_pretrained(tmp_path / "whole")
    model.save_pretrained(tmp_path / "parts", max_shard_size="10KB")
    assert len(list((tmp_path / "parts").glob("model-0000*.safetensors"))) > 2
    whole, parts = (load_checkpoint(tmp_path / name) for name in ("whole", "parts"))
    assert torch.equal(whole(IDS), parts(IDS))
    assert torch.equal(whole(IDS), read_checkpoint(files_of(tmp_path / "parts"))(IDS))


def rewritten(folder: Path, rename: Any, **more: Tensor) -> None:
    """The tensors of a folder under other names, and some more."""
    path = folder / "model.safetensors"
    tensors = {rename(name): each for name, each in load_file(path).items()} | more
    save_file(tensors, path, {"format": "pt"})


def test_names_of_older_files(tmp_path: Path) -> None:
    """Norms with gamma and beta, buffers, GPT-2 with a head and without the trunk's name."""
    bert, gpt2 = (original(*ORIGINALS[number]) for number in (1, 10))
    for name, model in (("bert", bert), ("gpt2", gpt2)):
        model.save_pretrained(tmp_path / name)
    expected = load_checkpoint(tmp_path / "bert")(IDS), load_checkpoint(tmp_path / "gpt2")(IDS)
    old = {"weight": "gamma", "bias": "beta"}

    def renamed(name: str) -> str:
        stem, _, kind = name.rpartition(".")
        return f"{stem}.{old[kind]}" if stem.endswith("LayerNorm") else name

    slots = {"bert.embeddings.position_ids": torch.arange(17)[None]}
    rewritten(tmp_path / "bert", renamed, **slots)
    past = torch.ones(1, 1, 19, 19, dtype=torch.bool).tril()
    masks = {"h.0.attn.bias": past, "h.1.attn.masked_bias": torch.tensor(-1e4)}
    rewritten(tmp_path / "gpt2", lambda name: name.removeprefix("transformer."), **masks)
    assert torch.equal(load_checkpoint(tmp_path / "bert")(IDS), expected[0])
    assert torch.equal(load_checkpoint(tmp_path / "gpt2")(IDS), expected[1])
    model = tmp_path / "unknown"
    bert.save_pretrained(model)
    rewritten(model, lambda name: name, **{"cls.more.weight": torch.ones(20)})
    with refused("there is a tensor 'cls.more.weight', for which config.json has no place."):
        load_checkpoint(model)
    rewritten(tmp_path / "bert", lambda name: name, **{"bert.embeddings.LayerNorm.weight": torch.ones(20)})
    with refused("there are two tensors 'bert.embeddings.LayerNorm.weight'."):
        load_checkpoint(tmp_path / "bert")


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_precisions(stored: torch.dtype, tmp_path: Path) -> None:
    model = original(*ORIGINALS[16]).to(stored)
    model.save_pretrained(tmp_path)
    dtype = torch.promote_types(stored, torch.float32)
    summary = inspect_checkpoint(tmp_path)
    assert (summary.stored, summary.dtype, summary.config.family) == (stored, dtype, "llama")
    loaded, half = load_checkpoint(tmp_path), load_checkpoint(tmp_path, dtype=torch.bfloat16)
    assert {each.dtype for each in loaded.parameters()} == {dtype}
    assert summary.nbytes == sum(each.nbytes for each in loaded.parameters())
    assert inspect_checkpoint(files_of(tmp_path), dtype=torch.bfloat16).nbytes == sum(
        p.nbytes for p in half.parameters()
    )
    assert torch.equal(loaded.embedding.weight, model.model.embed_tokens.weight.to(dtype))
    said = json.loads((tmp_path / "config.json").read_text())
    for wish in ({"dtype": "float16"}, {"torch_dtype": "bfloat16", "dtype": None}, {"dtype": "auto"}):
        (tmp_path / "config.json").write_text(json.dumps(said | wish))
        assert inspect_checkpoint(tmp_path) == summary, "the file's own precision is the truth"
        assert torch.equal(load_checkpoint(tmp_path).embedding.weight, loaded.embedding.weight)


def test_one_tensor_at_a_time_is_read(tmp_path: Path) -> None:
    """Beside the parameters no more than one tensor of the file is held, also of a file in memory."""
    model = random_checkpoint(vocab_size=2**15, d_model=32, num_heads=2, num_layers=6, d_ff=2**13)
    model.save(tmp_path)
    files, largest = files_of(tmp_path), max(each.nbytes for each in model.parameters())
    assert sum(map(len, files.values())) > 4 * largest
    for load in (lambda: load_checkpoint(tmp_path), lambda: read_checkpoint(files)):
        tracemalloc.start()
        load()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert largest <= peak < largest + 2**21


def test_a_model_is_checked_and_allocated_without_torchs_compiler_and_a_computer_algebra_system() -> None:
    code = "import sys; from attention_core import load_checkpoint; load_checkpoint(sys.argv[1]);"
    code += "sys.exit('torch._dynamo' in sys.modules or 'sympy' in sys.modules)"
    command = [sys.executable, "-c", code, str(SHIPPED["chinese"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
