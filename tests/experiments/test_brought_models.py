"""Models that are brought: the cap on memory, tokenizers, an owner's folder, and every family against the claims."""

import gc
import json
import os
import re
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers
import torch

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.measuring import models
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.inputs import draw_parameters
from attention_core.modules.normalization import RMSNorm
from attention_core.modules.positions import Learned
from attention_core.studies.trained import (
    HeadsConfig,
    TrainedConfig,
    draw,
    files,
    offered,
    read_files,
    read_offered,
    run_heads,
    run_trained,
)
from tests.experiments.brought import SIZES, brought, bytes_of, config_of, folder_of
from tests.sweeps import some_by_day


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> int:
    """Room for one small model and a half; whatever other tests have open counts too."""
    gc.collect()
    size = brought(tmp_path / "sized").nbytes
    gc.collect()
    taken = models.MAX_BYTES - models.free_bytes()
    monkeypatch.setattr(models, "MAX_BYTES", taken + size * 3 // 2)
    return size


def test_all_open_models_together_stay_within_the_cap_and_a_model_leaves_with_its_holder(
    room: int, tmp_path: Path
) -> None:
    first = brought(tmp_path / "a", seed=1)
    assert models.free_bytes() == room // 2
    with pytest.raises(ValueError, match="bytes"):
        brought(tmp_path / "b", seed=2)
    assert read_files(bytes_of(tmp_path / "a"), "again") is first, "the same files are one model"
    gone = weakref.ref(first.module)
    config = config_of(first)
    result = run_trained(config)
    del first
    gc.collect()
    assert gone() is None, "neither a config nor a result keeps it"
    with pytest.raises(ConfigError, match="open its files again"):
        _ = config.source
    assert brought(tmp_path / "b2", seed=2).nbytes == room
    assert result.tokens == ("1", "2", "3", "1", "5")


def test_a_model_stays_in_the_precision_of_its_file_and_a_copy_of_it_has_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half precision is measured in float32 in twice the room; four times it, in float64, may be too much."""
    Checkpoint(CheckpointConfig(**SIZES), dtype=torch.bfloat16).save(tmp_path)
    model = read_files(bytes_of(tmp_path), "half")
    assert {each.dtype for each in model.module.parameters()} == {torch.bfloat16}
    assert files.needed_bytes(bytes_of(tmp_path)) == model.nbytes == 2 * model.parameters
    copied = {dtype: config_of(model, dtype=dtype).copied_bytes for dtype in ("bfloat16", "float32", "float64")}
    assert copied == {"bfloat16": 0, "float32": 2 * model.nbytes, "float64": 4 * model.nbytes}
    monkeypatch.setattr(models, "MAX_BYTES", model.nbytes)
    assert config_of(model, dtype="float32").prepared().embedding.weight.dtype == torch.float32
    for changed, name in (({"dtype": "float64"}, "dtype"), ({"dtype": "float32", "untrained": True}, "untrained")):
        with pytest.raises(ConfigError, match="those made for a measurement may take") as refused:
            config_of(model, **changed)
        assert refused.value.field == name


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="how much a process held is asked of Linux")
@pytest.mark.parametrize(("dtype", "most"), some_by_day([(torch.float32, 1.3), (torch.bfloat16, 3.6)], mark="slow"))
def test_what_is_held_while_a_model_is_measured(dtype: torch.dtype, most: float, tmp_path: Path) -> None:
    """At most 1.3 times the file; of half precision, which is measured in float32, that of it and of twice it."""
    sizes = {"vocab_size": 50257, "d_model": 384, "num_heads": 6, "num_layers": 12, "d_ff": 1536}
    model = Checkpoint(CheckpointConfig(**sizes, position=Learned(64), causal=True), dtype=dtype)
    draw_parameters(model, 0, bias_std=0.1).save(tmp_path / "large")
    code = (
        "import re, sys; from pathlib import Path\n"
        "from attention_core.studies.trained import *\n"
        "status, clear = Path('/proc/self/status'), Path('/proc/self/clear_refs')\n"
        "def held(what): return 1024 * int(re.search(what + r':\\s+(\\d+)', status.read_text())[1])\n"
        "text = tuple('12312'); [*steps_trained(TrainedConfig(dtype='float32', off=((0, 1),)))]\n"
        "before = held('VmRSS'); model = read_offered('large'); clear.write_text('5')\n"
        "asked = {'model': 'own', 'brought': model.digest, 'dtype': 'float32'}\n"
        "[*steps_heads(HeadsConfig(**asked))]; [*steps_trained(TrainedConfig(**asked, text=text, off=((0, 1),)))]\n"
        "print((held('VmHWM') - before) / model.nbytes)"
    )
    # As pages have it: what is large is returned as it is freed.
    allocator = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": str(2**20), "MALLOC_TRIM_THRESHOLD_": str(2**23)}
    environment = {**os.environ, **allocator, "OMP_NUM_THREADS": "1", files.FOLDER: str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert 1.0 < float(done.stdout) <= most


def test_a_tokenizer_makes_tokens_of_text(tmp_path: Path) -> None:
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<unk>": 0, "The": 1, "keys": 2, "near": 3}, "<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    content = bytes_of(folder_of(tmp_path)) | {"tokenizer.json": made.to_str().encode()}
    model = read_files(content, "one")
    config = TrainedConfig(model="own", brought=model.digest, text=("The", "keys", "zebra"))
    assert config.spelled() == ((1, 2, 0), ("The", "keys", "<unk>"))
    assert model.words[:5] == ("<unk>", "The", "keys", "near", "4")
    assert TrainedConfig(model="own", brought=model.digest).text == files.SENTENCE


@pytest.mark.parametrize("content", [b"", b"{}", b"[" * 10_000, b'{"model": 1}', b"\xff\xfe"])
def test_a_damaged_tokenizer_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tokenizer"):
        read_files(bytes_of(folder_of(tmp_path)) | {"tokenizer.json": content}, "one")


def test_a_folder_is_offered_only_where_the_owner_names_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_of(tmp_path / "small")
    folder_of(tmp_path / "models--org--name" / "snapshots" / "abc", seed=1)
    (tmp_path / "empty").mkdir()
    monkeypatch.delenv(files.FOLDER, raising=False)
    assert offered() == {}
    with pytest.raises(ConfigError, match="one of those in the list"):
        read_offered("small")
    monkeypatch.setenv(files.FOLDER, str(tmp_path))
    assert [*offered()] == ["org/name", "small"]
    model = read_offered("org/name")
    assert run_trained(config_of(model)).config.brought == model.digest
    with pytest.raises(ConfigError, match="one of those in the list"):
        read_offered("../small")


@pytest.mark.parametrize("below", ["", "hub"])
def test_models_lie_in_a_folder_of_who_made_them_as_caches_have_them(
    below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hub's cache is found from its home, too; ModelScope's has no full stops in its names."""
    monkeypatch.setenv(files.FOLDER, str(tmp_path))
    folder_of(tmp_path / "Qwen" / "Qwen2___5-0___5B")
    folder_of(tmp_path / "mine")
    folder_of(tmp_path / "mine" / "part", seed=1)
    folder_of(tmp_path / below / "models--org--a--b" / "snapshots" / "abc", seed=2)
    (tmp_path / ".locks" / "models--org--name").mkdir(parents=True)
    (tmp_path / "note.txt").write_text("")
    assert {*offered()} == {"Qwen/Qwen2.5-0.5B", "mine", "org/a/b"}
    right = brought(tmp_path.parent / f"{tmp_path.name} right", seed=2).module.embedding.weight
    assert torch.equal(read_offered("org/a/b").module.embedding.weight, right)


def laid(root: Path, revision: str, seed: int, *, main: bool = False, only: tuple[str, ...] = ()) -> None:
    """A snapshot as a hub's cache has it: links to blobs, all of a model's or some; the later the younger."""
    repository = root / "models--org--name"
    for folder in ("blobs", "refs", f"snapshots/{revision}"):
        (repository / folder).mkdir(parents=True, exist_ok=True)
    for name, content in bytes_of(folder_of(root.parent / f"made {seed}", seed)).items():
        if not only or name in only:
            blob = repository / "blobs" / f"{revision}-{name}"
            blob.write_bytes(content)
            (repository / "snapshots" / revision / name).symlink_to(Path("../../blobs") / blob.name)
    if main:
        (repository / "refs/main").write_text(f"{revision}\n")
    age = 1_000_000_000 + seed
    os.utime(repository / "snapshots" / revision, (age, age))


@pytest.mark.parametrize(
    ("revisions", "meant"),
    [
        ((("f" * 40, 1, {}), ("1" * 40, 2, {"main": True})), 2),
        ((("f" * 40, 1, {"main": True}), ("1" * 40, 2, {})), 1),
        ((("1" * 40, 1, {}), ("f" * 40, 2, {"main": True, "only": ("config.json",)})), 1),
        ((("1" * 40, 1, {}), ("f" * 40, 2, {"only": ("model.safetensors",)})), 1),
        ((("f" * 40, 1, {}), ("1" * 40, 2, {}), ("a" * 40, 3, {"main": True, "only": ("config.json",)})), 2),
        ((("1" * 40, 1, {}), ("f" * 40, 2, {}), ("a" * 40, 3, {})), 3),
    ],
)
def test_a_hubs_present_revision_is_offered_or_else_the_newest_whole_one(
    revisions: tuple[tuple[str, int, dict[str, Any]], ...],
    meant: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "hub"
    for revision, seed, how in revisions:
        laid(root, revision, seed, **how)
    monkeypatch.setenv(files.FOLDER, str(root))
    assert [*offered()] == ["org/name"]
    right = brought(tmp_path / "right", seed=meant).module.embedding.weight
    assert torch.equal(read_offered("org/name").module.embedding.weight, right)


def test_a_revision_whose_parts_are_not_all_there_is_no_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "hub"
    laid(root, "1" * 40, 1)
    laid(root, "f" * 40, 2, main=True, only=("config.json",))
    parts = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    present = root / "models--org--name/snapshots" / ("f" * 40)
    (present / "model.safetensors.index.json").write_text(json.dumps(parts))
    monkeypatch.setenv(files.FOLDER, str(root))
    assert offered()["org/name"].name == "1" * 40
    for name in parts["weight_map"].values():
        (present / name).write_bytes(b"")
    assert offered()["org/name"].name == "f" * 40
    (present / "model.safetensors.index.json").write_text("[")
    assert offered()["org/name"].name == "1" * 40


@pytest.mark.parametrize("changed", ["config.json", "model.safetensors", "tokenizer.json"])
def test_files_that_were_replaced_are_another_model(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as they stay they are one; written anew with as many bytes, or put in their place, they are another."""
    monkeypatch.setenv(files.FOLDER, str(tmp_path))
    folder = folder_of(tmp_path / "mine", 1)
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1}, "a")).to_str()
    (folder / "tokenizer.json").write_text(made)
    first = read_offered("mine")
    assert read_offered("mine") is first
    other = folder_of(tmp_path / "other", 2, norm=RMSNorm())
    (other / "tokenizer.json").write_text(made.replace('"b"', '"c"'))
    again = folder_of(tmp_path / "again", 2)
    if changed == "model.safetensors":
        assert (folder / changed).stat().st_size == (again / changed).stat().st_size
        (folder / changed).write_bytes((again / changed).read_bytes())
        os.utime(folder / changed, (1, 1))
        assert not torch.equal(read_offered("mine").module.embedding.weight, first.module.embedding.weight)
    elif changed == "tokenizer.json":
        (other / changed).replace(folder / changed)
        assert read_offered("mine").words[:2] == ("a", "c")
        assert first.words[:2] == ("a", "b"), "whoever has it open keeps it"
    else:
        said = json.loads((folder / changed).read_text())
        (folder / changed).write_text(json.dumps(said | {"scale": 0.125}))
        assert read_offered("mine").module.config.scale == 0.125


COPIES = ("{} (1){}", "{}(2){}", "{} 2{}", "{}-1{}", "{} copy{}", "{} - Copy{}", "{} - Copy (2){}", "{} (12){}")


@pytest.mark.parametrize("copy", COPIES)
def test_what_was_downloaded_twice_is_read_as_what_it_was_called(copy: str, tmp_path: Path) -> None:
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1}, "a"))
    content = bytes_of(folder_of(tmp_path)) | {"tokenizer.json": made.to_str().encode()}
    twice = {copy.format(*os.path.splitext(name)): each for name, each in content.items()}
    assert not {*twice} & {*content}
    assert files.named(twice) == content
    model = read_files(twice, "one")
    assert model is read_files(content, "one")
    assert model.words[:2] == ("a", "b")
    assert files.needed_bytes(twice) == files.needed_bytes(content)


def test_parts_keep_their_numbers_and_two_of_a_name_are_refused() -> None:
    parts = {"model-00001-of-00002.safetensors": b"1", "model-00002-of-00002.safetensors": b"2", "notes (1).txt": b""}
    assert files.named(parts) == parts
    assert files.named({"model.safetensors.index (3).json": b""}) == {"model.safetensors.index.json": b""}
    assert files.named({"model-00001-of-00002 (1).safetensors": b""}) == {"model-00001-of-00002.safetensors": b""}
    with pytest.raises(ConfigError, match=re.escape("there are two, 'config.json' and 'config (1).json'")):
        files.named({"config.json": b"{}", "config (1).json": b"{}"})


def test_what_is_wrong_with_files_is_said() -> None:
    with pytest.raises(ValueError, match="at most 64 are allowed"):
        read_files({str(at): b"" for at in range(65)}, "one")
    with pytest.raises(ValueError, match=r"config\.json"):
        read_files({"model.safetensors": b""}, "one")


FAMILIES = {
    "BertModel": {},
    "BertForMaskedLM": {},
    "DistilBertModel": {"dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 32},
    "RobertaModel": {"pad_token_id": 1}, "GPT2LMHeadModel": {"n_positions": 24},
    "GPTNeoForCausalLM": {
        "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]], "window_size": 3,
        "max_position_embeddings": 24,
    },
    "LlamaForCausalLM": {"num_key_value_heads": 2},
    "MistralForCausalLM": {"num_key_value_heads": 2, "sliding_window": 3},
    "Qwen2ForCausalLM": {"num_key_value_heads": 2},
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_no_claim_surprises_on_a_model_of_another_family(name: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    small = {"vocab_size": 11, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
    kind = getattr(transformers, name)
    torch.manual_seed(0)
    model = kind(kind.config_class(**small | {"intermediate_size": 32} | FAMILIES[name]))
    with torch.no_grad():  # as they are drawn, biases are 0 and scores nearly so
        for parameter in model.parameters():
            parameter.normal_(0, 0.3)
    model.save_pretrained(tmp_path)
    brought = read_files(bytes_of(tmp_path), "one")
    config = TrainedConfig(model="own", brought=brought.digest, text=("2", "3", "4", "2", "5", "6"))
    result = run_trained(config)
    assert not [one for one in result.verdicts if one.outcome == "surprises"]
    assert result.verdict("perm-self.bare").outcome == "holds"
    assert bool(result.likely) == brought.has_head == ("Model" not in name or "LM" in name)
    assert result.continues == brought.continues == ("CausalLM" in name or "LMHead" in name)
    assert result.weights.sum(-1) == pytest.approx(1.0)
    found = run_heads(HeadsConfig(model="own", brought=brought.digest))
    assert np.isfinite(found.scores[:3]).all()
    assert np.isnan(found.scores[3]).all()
    head = draw.chosen_head(result, found, ())
    views = (
        draw.next_view(result, head, draw.by_place(result.shape)),
        draw.grid_view(result, head),
        draw.roles_view(found, None, (), draw.by_place(result.shape)),
        draw.bias_view(result),
        draw.order_view(result),
        draw.scores_view(result, head),
        draw.depth_view(result),
    )
    assert all(view.summary.endswith(".") for view in views)
    said = views[0].summary
    assert ("Next comes" in said, "does not predict what comes next" in said) == (
        result.continues, brought.has_head and not result.continues,
    )  # fmt: skip
    assert draw.proof(result, found, None)
    assert draw.trained_table(result, found, None).rows
