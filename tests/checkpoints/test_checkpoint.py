"""A trained model: saved and loaded, written on with, looked into, and made of what its config says."""

import json
import math
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
from transformers.generation.logits_process import TemperatureLogitsWarper, TopPLogitsWarper

from attention_core import (
    GELU,
    Alibi,
    AttentionTrace,
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
from attention_core.checkpoints.families import FAMILIES, config_of
from attention_core.checkpoints.layout import parts_of
from attention_core.modules.sampling import sampled_from
from attention_core.shipped.languages import SHIPPED
from tests.checkpoints.originals import ORIGINALS, PAD, VOCAB, InFloat64, original
from tests.modules.draws import tokens
from tests.modules.refusals import refused
from tests.processes import ROOT
from tests.sweeps import some_by_day

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
    "key", some_by_day(n for n, (_, name, _) in enumerate(ORIGINALS) if name.endswith(("CausalLM", "LMHeadModel")))
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
        # So they must with LongRoPE, but for Phi-3, whose cache is made anew once a text is long.
        said = ORIGINALS[key][2]
        cached = said.get("sliding_window") != 1 and said.get("rope_parameters", {}).get("rope_type") != "longrope"
        cached = cached or ORIGINALS[key][0] == "phi3"
        options = {"max_new_tokens": 9, "do_sample": False, "pad_token_id": PAD, "use_cache": cached}
        theirs = model.generate(ids, attention_mask=real.long(), **options)
    said = checkpoint.generate(ids, 9, key_padding_mask=~real)
    assert torch.equal(said, theirs)
    scaling = getattr(checkpoint.config.position, "scaling", None)
    if scaling is None or not scaling.depends_on_length:  # on the longest text of all, there
        assert torch.equal(checkpoint.generate(ids[2:, 5:], 9), theirs[2:, 5:]), "padding changes nothing"
    assert len(said[:, 6:].unique()) >= 3


def test_sentences_end_where_the_originals_do(tmp_path: Path) -> None:
    model = original(*ORIGINALS[10])
    model.save_pretrained(tmp_path)
    checkpoint = load_checkpoint(tmp_path)
    ids = torch.randint(2, VOCAB, (4, 3), generator=torch.Generator().manual_seed(3))
    free = checkpoint.generate(ids, 9)
    for ends in ([int(free[0, 5])], [int(free[1, 5]), int(free[0, 5])]):
        with InFloat64():
            options = {"max_new_tokens": 9, "do_sample": False, "pad_token_id": ends[0], "eos_token_id": ends}
            theirs = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
        assert torch.equal(checkpoint.generate(ids, 9, eos_token_id=ends), theirs)
    assert not torch.equal(theirs, free), "what has ended is filled up with the first of them"
    alone = checkpoint.generate(ids[:1], 9, eos_token_id=int(free[0, 3]))
    assert torch.equal(alone, free[:1, :4]), "and nothing is written once all have ended"


@pytest.mark.parametrize(("temperature", "top_p"), [(1.0, 1.0), (0.7, 1.0), (1.3, 0.6), (1.0, 0.05)])
def test_what_is_drawn_is_what_the_original_draws(temperature: float, top_p: float, tmp_path: Path) -> None:
    """The same probabilities of the same logits; and by the same numbers of chance, the same words."""
    model = original(*ORIGINALS[10], dtype=torch.float32)
    model.generation_config.eos_token_id = None
    model.save_pretrained(tmp_path)
    checkpoint = load_checkpoint(tmp_path)
    ids = torch.randint(2, VOCAB, (5, 3), generator=torch.Generator().manual_seed(3))
    scores = 3 * tokens(5, VOCAB, dtype=torch.float32)
    theirs = scores.clone()
    for each in (TemperatureLogitsWarper(temperature), TopPLogitsWarper(top_p)):
        theirs = each(ids, theirs)
    drawn_from = sampled_from(scores, temperature=temperature, top_p=top_p)
    assert (drawn_from - theirs.softmax(-1)).abs().max() < 1e-7
    assert torch.equal(drawn_from == 0, theirs.isinf())
    torch.manual_seed(11)
    options = {"max_new_tokens": 9, "do_sample": True, "top_k": 0, "pad_token_id": PAD}
    written = model.generate(
        ids, attention_mask=torch.ones_like(ids), temperature=temperature, top_p=top_p, **options
    )
    drawn = {"do_sample": True, "temperature": temperature, "top_p": top_p}
    ours = checkpoint.generate(ids, 9, **drawn, generator=torch.Generator().manual_seed(11))
    assert torch.equal(ours, written)


def test_draws_that_are_not_possible() -> None:
    model = random_checkpoint()
    with refused("temperature = 0.0 is not possible: a positive number is needed."):
        model.generate(IDS, 1, do_sample=True, temperature=0.0)
    with refused("top_p = 1.5 is not possible: a number above 0 and up to 1 is needed."):
        model.generate(IDS, 1, do_sample=True, top_p=1.5)


def test_a_part_that_is_replaced_changes_what_follows_and_nothing_before() -> None:
    model = random_checkpoint(position=Rotary(), num_heads=6, num_kv_heads=2)
    plain = model.trace(IDS)
    assert torch.equal(plain.output, model(IDS)) or (plain.output - model(IDS)).abs().max() < 1e-5
    names = AttentionTrace._fields
    for at, name in enumerate(names):
        found = model.trace(IDS, replace={f"layers.1.self_attention.{name}": torch.clone})
        assert torch.equal(found.output, plain.output), "what is not changed changes nothing"
        found = model.trace(IDS, replace={f"layers.1.self_attention.{name}": lambda x: x + x.tanh()})
        assert (found.output - plain.output).abs().max() > 1e-6
        assert all(torch.equal(a, b) for a, b in zip(found[0], plain[0], strict=True)), "the layer below stays"
        for before in names[:at]:
            assert torch.equal(getattr(found[1], before), getattr(plain[1], before))
    other = model.trace(IDS.flip(1))
    patched = model.trace(IDS, replace={"layers.0.self_attention.weights": lambda _: other[0].weights})
    expected = model.stack.layers[0].self_attention.shared(torch.matmul, other[0].weights, plain[0].v)
    assert (patched[0].context - expected).abs().max() < 1e-6


def test_the_residual_stream_is_replaced_where_it_enters_and_where_it_leaves() -> None:
    model = random_checkpoint(position=Learned(max_len=9))
    other, layers = IDS.flip(0), model.stack.layers
    for name in ("layers.0.residual_post", "layers.1.residual_pre"):
        stream: list[Tensor] = []
        model.trace(other, replace={name: lambda x, stream=stream: stream.append(x) or x})
        found = model.trace(IDS, replace={name: lambda _, stream=stream: stream[0]})
        assert (found.output - model(other)).abs().max() < 1e-5
        below = layers[0](model.stack.added_position(model.embedding(other)), is_causal=True)
        assert (stream[0] - below).abs().max() < 1e-5
    assert not layers[0]._forward_hooks, "the model itself stays as it is"


KNOWN = "q, k, v, scores, masked_scores, weights, context, output"


@pytest.mark.parametrize("name", ["layers.2.residual_pre", "layers.1.self_attention.pattern", "weights", "layers.0"])
def test_what_there_is_not_cannot_be_replaced(name: str) -> None:
    with refused(
        f"replace names {name!r}: layers.0 to layers.1, a dot, and residual_pre, residual_post or self_attention "
        f"with one of {KNOWN} are needed."
    ):
        random_checkpoint().trace(IDS, replace={name: torch.clone})


def test_what_replaces_has_the_same_shape_and_precision() -> None:
    model, name = random_checkpoint(), "layers.1.self_attention.weights"
    needed = "a tensor of shape (2, 3, 5, 5) of torch.float32 is needed."
    with refused(f"what replaces weights is (2, 3, 5) of torch.float32: {needed}"):
        model.trace(IDS, replace={name: lambda x: x.sum(-1)})
    with refused(f"what replaces weights is (2, 3, 5, 5) of torch.float64: {needed}"):
        model.trace(IDS, replace={name: torch.Tensor.double})
    with refused(f"what replaces weights is None: {needed}"):
        model.trace(IDS, replace={name: lambda _: None})


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
    summary = inspect_checkpoint(tmp_path)
    assert (summary.stored, summary.dtype, summary.config.family) == (stored, stored, "llama")
    loaded, half = load_checkpoint(tmp_path), load_checkpoint(tmp_path, dtype=torch.bfloat16)
    assert {each.dtype for each in loaded.parameters()} == {stored}
    assert summary.nbytes == sum(each.nbytes for each in loaded.parameters())
    assert inspect_checkpoint(files_of(tmp_path), dtype=torch.bfloat16).nbytes == sum(
        p.nbytes for p in half.parameters()
    )
    assert torch.equal(loaded.embedding.weight, model.model.embed_tokens.weight)
    said = json.loads((tmp_path / "config.json").read_text())
    for wish in ({"dtype": "float16"}, {"torch_dtype": "bfloat16", "dtype": None}, {"dtype": "auto"}):
        (tmp_path / "config.json").write_text(json.dumps(said | wish))
        assert inspect_checkpoint(tmp_path) == summary, "the file's own precision is the truth"
        assert torch.equal(load_checkpoint(tmp_path).embedding.weight, loaded.embedding.weight)


def test_norms_that_were_kept_in_float32(tmp_path: Path) -> None:
    """The precision that holds all tensors is theirs, whatever the config wishes."""
    model = original(*ORIGINALS[16], dtype=torch.float32).to(torch.bfloat16)
    model.model.norm.float()
    model.save_pretrained(tmp_path)
    loaded = load_checkpoint(tmp_path)
    assert inspect_checkpoint(tmp_path).stored == torch.float32
    assert {each.dtype for each in loaded.parameters()} == {torch.float32}
    assert torch.equal(loaded.embedding.weight, model.model.embed_tokens.weight.float())


def test_a_piece_at_a_time_is_read(tmp_path: Path) -> None:
    """Beside the parameters 4 MB of the file are held, also of a file in memory."""
    model = random_checkpoint(vocab_size=2**16, d_model=32, num_heads=2, num_layers=1, d_ff=2**15)
    model.save(tmp_path)
    files, largest = files_of(tmp_path), max(each.nbytes for each in model.parameters())
    assert largest >= 2**23
    for load in (lambda: load_checkpoint(tmp_path), lambda: read_checkpoint(files)):
        tracemalloc.start()
        load()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 2**21 <= peak < 2**22 + 2**21


GPT2 = {"model_type": "gpt2", "vocab_size": 50257, "n_embd": 256, "n_head": 4, "n_layer": 12, "n_positions": 1024}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="how much a process held is asked of Linux")
@pytest.mark.parametrize(("word", "nbytes"), some_by_day([("F32", 4), ("F16", 2)], mark="slow"))
def test_what_is_held_while_a_file_is_read(word: str, nbytes: int, tmp_path: Path) -> None:
    """At most 1.3 times the file, of one that is shaped as GPT-2: a table that is half of all, and fused matrices."""
    config = config_of(GPT2 | {"architectures": ["GPT2LMHeadModel"]})
    parts = parts_of(Checkpoint(config, device="meta"), config, FAMILIES["gpt2"], "transformer.")
    found: dict[str, Any] = {}
    end = 0
    for name, part in parts.items():
        start, end = end, end + nbytes * math.prod(part.shape)
        found[name] = {"dtype": word, "shape": list(part.shape), "data_offsets": [start, end]}
    text = json.dumps(found).encode()
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)  # all zeros, which take no room on most disks
    (tmp_path / "config.json").write_text(json.dumps(GPT2 | {"architectures": ["GPT2LMHeadModel"]}))
    code = (
        "import re, sys; from pathlib import Path; from attention_core import load_checkpoint\n"
        "status = Path('/proc/self/status')\n"
        "def kilobytes(what): return int(re.search(what + r':\\s+(\\d+)', status.read_text())[1])\n"
        "load_checkpoint(sys.argv[1]); before = kilobytes('VmRSS')\n"
        "model = load_checkpoint(sys.argv[2]); print((kilobytes('VmHWM') - before) * 1024)"
    )
    command = [sys.executable, "-c", code, str(SHIPPED["grammar"]), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert 0.9 * end < int(done.stdout) <= 1.3 * end


@pytest.mark.slow
def test_a_model_is_checked_and_allocated_without_torchs_compiler_and_a_computer_algebra_system() -> None:
    code = "import sys; from attention_core import load_checkpoint; load_checkpoint(sys.argv[1]);"
    code += "sys.exit('torch._dynamo' in sys.modules or 'sympy' in sys.modules)"
    command = [sys.executable, "-c", code, str(SHIPPED["chinese"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
