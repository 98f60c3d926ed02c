"""Files that are damaged, or made to do harm: each is refused by a sentence, before anything is allocated."""

import json
import os
import random
import re
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_core import (
    Checkpoint,
    CheckpointConfig,
    CheckpointError,
    Learned,
    inspect_checkpoint,
    load_checkpoint,
    read_checkpoint,
)
from attention_core.memory import allowed_bytes, bytes_for_models
from tests.checkpoints.originals import ORIGINALS, original
from tests.modules.refusals import refused
from tests.sweeps import some_by_day

CONFIG = CheckpointConfig(vocab_size=5, d_model=8, num_heads=2, num_layers=1, d_ff=12, position=Learned(max_len=7))
WEIGHTS, INDEX, TABLE = "model.safetensors", "model.safetensors.index.json", "embedding.weight"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("good")
    Checkpoint(CONFIG, device="meta")  # torch imports what it needs for modules without memory
    Checkpoint(CONFIG).save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Allocations(TorchDispatchMode):
    """Numbers of all tensors that are made while it is open, those without memory left out."""

    numbers = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """To mark it for torch's compiler, torch would import that, and its memory would be counted."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        for each in tree_leaves(made):
            if isinstance(each, Tensor) and not each.is_meta:
                self.numbers += each.numel()
        return made


@pytest.fixture
def nothing_allocated() -> Iterator[None]:
    """No tensor with memory is made, and Python holds little more than the text of a header."""
    tracemalloc.start()
    try:
        with Allocations() as made:
            yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.numbers == 0
    assert peak < 16 * 2**20


def header_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def file_of(header: Any, numbers: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def header_changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[Files], Files]:
    def changed(files: Files) -> Files:
        header, numbers = header_of(files[WEIGHTS])
        change(header)
        return files | {WEIGHTS: file_of(header, numbers)}

    return changed


def header_with(**entries: Any) -> Callable[[Files], Files]:
    return header_changed(lambda found: found.update(entries))


def header(content: bytes) -> Callable[[Files], Files]:
    return text(WEIGHTS, file_of(content, b""))


def entry(**changes: Any) -> Callable[[Files], Files]:
    return header_changed(lambda found: found[TABLE].update(changes))


def all_at_one_place(files: Files) -> Files:
    found, numbers = header_of(files[WEIGHTS])
    for each in found.values():
        if "shape" in each:
            each["data_offsets"] = [0, each["data_offsets"][1] - each["data_offsets"][0]]
    return files | {WEIGHTS: file_of(found, numbers)}


def doubled(files: Files) -> Files:
    found, numbers = header_of(files[WEIGHTS])
    return files | {WEIGHTS: file_of((json.dumps(found)[:-1] + f', "{TABLE}": 0}}').encode(), numbers)}


def config(**changes: Any) -> Callable[[Files], Files]:
    return lambda files: files | {"config.json": json.dumps(json.loads(files["config.json"]) | changes).encode()}


def text(name: str, content: bytes) -> Callable[[Files], Files]:
    return lambda files: files | {name: content}


def only(name: str) -> Callable[[Files], Files]:
    return lambda files: {name: files[name]}


def index(weight_map: Any) -> Callable[[Files], Files]:
    said = json.dumps({"weight_map": weight_map}).encode()
    return lambda files: {"config.json": files["config.json"], INDEX: said, "a.safetensors": files[WEIGHTS]}


DEEP = b'{"a":' * 100_000
EMPTY = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
HUGE = [2**62, 2**62]
ONE_DTYPE = "one of F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL is needed"
FAMILIES = (
    "one of bert, distilbert, roberta, xlm-roberta, gpt2, gpt_neo, llama, mistral, qwen2, qwen3, olmo2, phi3, "
    "gemma2, gemma3_text, attention_explorer is needed"
)
CASES: dict[str, tuple[Callable[[Files], Files], str]] = {
    "no config": (only(WEIGHTS), "there is no config.json"),
    "no weights": (only("config.json"), "there is no model.safetensors: only safetensors files are read"),
    **{
        f"{name} beside": (
            lambda files, name=name: only("config.json")(files) | {name: b"\x80\x04."},
            f"there is no model.safetensors; {name} is a pickle, which can run code: only safetensors",
        )
        for name in ("pytorch_model.bin", "model.pt", "model.pth")
    },
    "a pickle": (text(WEIGHTS, b"\x80\x04\x95\x10\0\0\0\0\0\0\0)R."), "is a pickle, which can run code"),
    "a zip": (text(WEIGHTS, b"PK\x03\x04\x14\0\0\0\x08\0"), "is a zip archive, which may hold a pickle"),
    "empty": (text(WEIGHTS, b""), "model.safetensors has 0 bytes"),
    "seven bytes": (text(WEIGHTS, b"\x01" * 7), "model.safetensors has 7 bytes"),
    "no header": (text(WEIGHTS, b"\0" * 9), "model.safetensors has no header"),
    "a header without end": (text(WEIGHTS, b"\xff" * 20),
     "18,446,744,073,709,551,615 bytes: at most 1,048,576"),
    "a long header": (header(b"{" + b" " * (2**20 - 1) + b"}"),
     "1,048,577 bytes: at most 1,048,576"),
    "a header beyond the file": (text(WEIGHTS, struct.pack("<Q", 1000) + b"{}"), "its header alone is 1,000 bytes"),
    "truncated": (lambda files: files | {WEIGHTS: files[WEIGHTS][:-1]}, "model.safetensors is cut off"),
    "a byte more": (lambda files: files | {WEIGHTS: files[WEIGHTS] + b"!"}, "more bytes than its header knows"),
    "no JSON": (header(b"{oops}"), "the header of model.safetensors is damaged"),
    "no UTF-8": (header(b"{\xff}"), "the header of model.safetensors is damaged"),
    "a long number": (header(b'{"a": ' + b"9" * 10_000 + b"}"), "the header of model.safetensors is damaged"),
    "NaN": (header(b'{"a": NaN}'), "the header of model.safetensors says NaN"),
    "nested deeply": (header(DEEP), "the header of model.safetensors is nested too deeply"),
    "twice": (doubled, "the header of model.safetensors names 'embedding.weight' twice"),
    "metadata": (header_with(__metadata__={"a": 1}), "metadata that are no texts"),
    "no entry": (header_with(**{TABLE: 3}), "is not described by dtype, shape and data_offsets"),
    "an entry with more": (entry(more=1), "is not described by dtype, shape and data_offsets"),
    "an unknown dtype": (entry(dtype="O"), f"has dtype 'O': {ONE_DTYPE}"),
    "a dtype that is a list": (entry(dtype=[]), f"has dtype []: {ONE_DTYPE}"),
    "a smaller dtype": (entry(dtype="F16"), "lies from byte 0 to 160, and F16 of shape [5, 8] takes 80 bytes"),
    "a dtype of integers": (entry(dtype="I32"), "the tensors are F32, I32: all must be one of F64, F32, F16, BF16"),
    "negative sizes": (entry(shape=[-5, -8]), "has shape [-5, -8]: up to 8 whole numbers are needed"),
    "huge sizes": (entry(shape=HUGE), "has shape [4611686018427387904, 4611686018427387904]: up to 8"),
    "a size that is true": (entry(shape=[True, 40]), "has shape [True, 40]: up to 8 whole numbers"),
    "many sizes": (entry(shape=[5, 8, *[1] * 7]), "has shape [5, 8, 1, 1, 1, 1, 1, 1, 1]: up to 8 whole numbers"),
    "backwards": (entry(data_offsets=[160, 0]), "lies from byte 160 to 0, and F32 of shape [5, 8] takes 160 bytes"),
    "one offset": (entry(data_offsets=[160]), "has data_offsets [160]: where it begins and ends is needed"),
    "an overlap": (entry(shape=[41], data_offsets=[0, 164]), "overlaps the one before it"),
    "all at one place": (all_at_one_place, "overlaps the one before it: tensors must lie end to end"),
    "a gap": (header_changed(lambda found: found.pop(TABLE)), "leaves a gap before it: tensors must lie end to end"),
    "another shape": (entry(shape=[8, 5]), "'embedding.weight' has shape (8, 5): config.json asks for (5, 8)"),
    "another name": (header_changed(lambda found: found.update({"<b>": found.pop(TABLE)})),
     "there is no tensor 'embedding.weight', which config.json asks for"),
    "an unknown name": (header_with(**{"<b>": EMPTY}), "there is a tensor '<b>', for which config.json has no place"),
    "a config without end": (text("config.json", b" " * (2**20 + 7)),
     "1,048,577 bytes: at most 1,048,576"),
    "a config that is a list": (text("config.json", b"[]"), "config.json is no JSON object"),
    "a config nested deeply": (text("config.json", DEEP), "config.json is nested too deeply"),
    "a config twice": (text("config.json", b'{"a": 1, "a": 2}'), "config.json names 'a' twice"),
    "an unknown family": (config(model_type="mamba"), f"model_type = 'mamba' is not possible: {FAMILIES}"),
    "a family that is a list": (config(model_type=["bert"]), f"model_type = ['bert'] is not possible: {FAMILIES}"),
    "a config without sizes": (text("config.json", b'{"model_type": "gpt2"}'), "config.json does not say vocab_size"),
    "more layers": (config(num_layers=2), "there is no tensor 'stack.layers.1.self_attention.in_weight'"),
    "layers without end": (config(num_layers=10**9),
     "num_layers = 1000000000 is not possible: a whole number from 1 to"),
    "heads that do not fit": (config(num_heads=3), "d_model = 8 is not a multiple of num_heads = 3"),
    "a size that is a text": (config(d_model="8"), "d_model = '8' is not possible: a whole number from 1 to 65,536"),
    "an infinite number": (
        lambda files: files | {"config.json": files["config.json"].replace(b'"scale": null', b'"scale": 1e999')},
        "scale = inf is not possible: a number is needed",
    ),
    "an unknown option": (config(position={"Learned": {"max_len": 7, "code": ""}}), "Learned takes max_len"),
    "an option of another kind": (config(position={"Learned": {"max_len": "7"}}),
     "max_len of position = '7' is not possible: a whole number from 1"),
    "an unknown choice": (config(norm={"os.system": {}}), "one of LayerNorm, RMSNorm, NoNorm with its options"),
    "an unknown setting": (config(auto_map={"AutoModel": "a.B"}), "config.json says 'auto_map', which no model"),
    "words that cannot be shown": (config(vocabulary=["a", "b", "c", "\u202e", "\ud800"]), "texts that can be shown"),
    "an index of nothing": (index({}), "model.safetensors.index.json has no weight_map from tensors to files"),
    "an index that leads out": (index({"a": "../a.safetensors"}), "names '../a.safetensors': a safetensors file in"),
    "an index around a corner": (index({"a": "a/../../b.safetensors"}),
     "names 'a/../../b.safetensors': a safetensors"),
    "an index to the root": (index({"a": "/a.safetensors"}),
     "names '/a.safetensors': a safetensors file in the same"),
    "an index of pickles": (index({"a": "a.bin"}), "names 'a.bin': a safetensors file in the same folder is needed"),
    "an index to nowhere": (index({"a": "b.safetensors"}),
     "there is no 'b.safetensors', which model.safetensors.index"),
    "an index that lies": (index({"a": "a.safetensors"}), "do not agree on where 'a' is"),
    "an index that omits": (index({TABLE: "a.safetensors"}), "do not agree on where 'stack.added_position.table' is"),
    "an index of many files": (index({str(n): f"{n}.safetensors" for n in range(65)}),
     "names 65 files: at most 64"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("nothing_allocated")
def test_each_is_refused_by_a_sentence(case: str, good: Files) -> None:
    change, words = CASES[case]
    with pytest.raises(CheckpointError, match=re.escape(words)) as error:
        read_checkpoint(change(dict(good)))
    assert re.fullmatch(r".{20,220}[^.]\.", str(error.value)), "one sentence that can be shown"


def test_the_files_they_were_made_of_are_read(good: Files) -> None:
    with Allocations() as made:
        assert read_checkpoint(good).config == CONFIG
    assert made.numbers > 0, "what is allocated is seen"


@pytest.mark.usefixtures("nothing_allocated")
def test_what_would_take_too_much_is_not_read(good: Files, tmp_path: Path) -> None:
    most, width = bytes_for_models(allowed_bytes()), 2048
    rows = most // (2 * width)  # as many as are allowed, so the one layer is too much
    large = CheckpointConfig(vocab_size=rows, d_model=width, num_heads=2, num_layers=1, d_ff=0, final_norm=False)
    model = Checkpoint(large, device="meta")
    found, start = {}, 0
    for name, each in model.state_dict().items():
        nbytes = each.numel() * 2
        found[name] = {"dtype": "F16", "shape": list(each.shape), "data_offsets": [start, start + nbytes]}
        start += nbytes
    begin = file_of(found, b"")
    with (tmp_path / WEIGHTS).open("wb") as file:
        file.write(begin)
        file.truncate(len(begin) + start)
    (tmp_path / "config.json").write_text(json.dumps(large.to_json()))
    takes = start
    with refused(f"the parameters would take {takes:,} bytes: at most {most:,} are allowed."):
        load_checkpoint(tmp_path)
    assert most < takes < 1.02 * most
    nbytes = inspect_checkpoint(good).nbytes
    assert nbytes == len(header_of(good[WEIGHTS])[1])
    with refused(f"the parameters would take {nbytes:,} bytes: at most 100 are allowed."):
        read_checkpoint(good, max_bytes=100)


def test_numbers_that_are_not_finite(good: Files) -> None:
    found, numbers = header_of(good[WEIGHTS])
    start = found["stack.final_norm.weight"]["data_offsets"][0]
    for bad in (float("nan"), float("inf")):
        content = numbers[:start] + struct.pack("<f", bad) + numbers[start + 4 :]
        with refused("'stack.final_norm.weight' holds numbers that are not finite."):
            read_checkpoint(good | {WEIGHTS: file_of(found, content)})


@pytest.mark.parametrize("name", ["config.json", WEIGHTS])
@pytest.mark.usefixtures("nothing_allocated")
def test_links_out_of_the_folder_are_refused(name: str, good: Files, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "model"
    outside.mkdir()
    folder.mkdir()
    for each, content in good.items():
        (folder / each).write_bytes(content)
    (outside / name).write_bytes(good[name])
    for target in (outside / name, folder / name, tmp_path / "nowhere"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
        with refused(f"{name} is a link out of its folder: a file is needed."):
            load_checkpoint(folder)


@pytest.mark.usefixtures("nothing_allocated")
def test_a_pipe_and_a_folder_are_no_files(good: Files, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(good["config.json"])
    os.mkfifo(tmp_path / WEIGHTS)
    with refused("model.safetensors is no file."):
        load_checkpoint(tmp_path)
    (tmp_path / WEIGHTS).unlink()
    (tmp_path / WEIGHTS).mkdir()
    with refused("model.safetensors is no file."):
        load_checkpoint(tmp_path)


def test_in_a_hubs_cache_links_lead_to_its_blobs_and_nowhere_else(good: Files, tmp_path: Path) -> None:
    folder, blobs = tmp_path / "models--a--b/snapshots/0f", tmp_path / "models--a--b/blobs"
    for each in (folder, blobs):
        each.mkdir(parents=True)
    for name, content in good.items():
        (blobs / f"{name}-hash").write_bytes(content)
        (folder / name).symlink_to(Path("../../blobs") / f"{name}-hash")
    assert load_checkpoint(folder).config == CONFIG
    secret = tmp_path / "secret"
    secret.write_bytes(good[WEIGHTS])
    (blobs / f"{WEIGHTS}-hash").unlink()
    (blobs / f"{WEIGHTS}-hash").symlink_to(secret)
    with refused("model.safetensors is a link out of its folder: a file is needed."):
        load_checkpoint(folder)


ODD = (None, True, -1, 10**30, 0.5, "x", [[]], {"a": 1}, [[["global"], 1]])
FAMILY_FILES = {kind: (kind, name, settings) for kind, name, settings in ORIGINALS}


@pytest.mark.parametrize("family", some_by_day([*FAMILY_FILES, "ours"], 2, of=7))
def test_whatever_a_config_says_the_answer_is_a_sentence(family: str, good: Files, tmp_path: Path) -> None:
    """A quarter of all settings × odd values, and of those left out; bytes of config and header changed at random."""
    if family != "ours":
        original(*FAMILY_FILES[family]).save_pretrained(tmp_path)
        good = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    said = json.loads(good["config.json"])
    older = ("rope_theta", "rope_scaling", "torch_dtype", "position_embedding_type", "quantization_config")
    configs = [said | {name: odd} for name in (*said, *older) for odd in ODD]
    configs += [{other: value for other, value in said.items() if other != name} for name in said]
    draw = random.Random(0)
    tried = [
        good | {"config.json": json.dumps(each).encode()}
        for each in draw.sample(configs, len(configs) // (1 if family == "ours" else 4))
    ]
    settings = len(tried)
    for name in ("config.json", WEIGHTS) * 40:
        content = bytearray(good[name])
        end = len(content) if name == "config.json" else len(content) - len(header_of(content)[1])
        for _ in range(draw.randint(1, 4)):
            content[draw.randrange(end)] = draw.choice((draw.randrange(256), *b'0123456789[]{},":'))
        tried.append(good | {name: bytes(content)})
    answers = []
    for files in tried:
        try:
            answers.append(f"{inspect_checkpoint(files).nbytes} bytes.")
        except CheckpointError as error:
            answers.append(str(error))
    assert [each for each in answers if not re.fullmatch(r".{5,300}\.", each)] == []
    read = sum(each.endswith(" bytes.") for each in answers[:settings])
    assert 0.1 < read / settings < 0.8, "some settings matter and some do not"


def test_at_every_depth_of_nesting_the_answer_is_a_sentence(good: Files) -> None:
    """Near the depth that Python bears, reading may succeed and showing what was read fail."""
    for depth in range(1, 1100, 3):
        value = b"[" * depth + b"]" * depth
        with pytest.raises(CheckpointError):
            inspect_checkpoint(
                good | {"config.json": good["config.json"].replace(b'"d_ff": 12', b'"d_ff": ' + value)}
            )
