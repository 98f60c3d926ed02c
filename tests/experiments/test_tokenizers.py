"""Tokenizers that are brought: what their files say of batches, and each token as the text that it stands for."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.spelling import spell
from attention_core.studies.trained import Brought, read_files
from tests.experiments.brought import bytes_of, folder_of


def byte_level(*merges: tuple[str, str]) -> Tokenizer:
    known = {sign: at for at, sign in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    for one, other in merges:
        known[one + other] = len(known)
    made = Tokenizer(models.BPE(known, list(merges)))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    return made


def wordpiece() -> Tokenizer:
    known = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "the": 4, "cat": 5, "##s": 6, "sat": 7, ".": 8}
    made = Tokenizer(models.WordPiece(known, unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    return made


def pieces(*words: str) -> Tokenizer:
    """As in LLaMA's tokenizers: ▁ is a space, and what no piece covers falls apart into bytes."""
    known = {piece: at for at, piece in enumerate(("<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *words))}
    made = Tokenizer(models.Unigram([(piece, -float(at)) for piece, at in known.items()], 0, byte_fallback=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    made.decoder = decoders.Sequence(steps)
    return made


def opened(tokenizer: Tokenizer, where: Path, name: str = "one") -> Brought:
    content = bytes_of(folder_of(where, vocab_size=tokenizer.get_vocab_size()))
    return read_files(content | {"tokenizer.json": tokenizer.to_str().encode()}, name)


@pytest.mark.parametrize("length", [None, 4, 128])
def test_padding_and_truncation_of_the_file_are_off(length: int | None, tmp_path: Path) -> None:
    made = wordpiece()
    made.enable_padding(length=length, pad_id=0, pad_token="[PAD]", pad_to_multiple_of=8)
    made.enable_truncation(4 if length is None else length)
    assert '"padding":{' in (said := made.to_str().replace(" ", "").replace("\n", ""))
    assert '"truncation":{' in said
    ids, shown = spell(opened(made, tmp_path), ("The", "cats", "sat", "."), 64)
    assert ids == (2, 4, 5, 6, 7, 8, 3)
    assert shown == ("[CLS]", "the", "cat", "##s", "sat", ".", "[SEP]")


def test_tokens_of_bytes_are_shown_as_what_they_say(tmp_path: Path) -> None:
    made = byte_level(("ä", "½"), ("ä½", "ł"), ("å", "¥"), ("å¥", "½"), ("ä½ł", "å¥½"), ("Ġ", "n"), ("Ã", "©"))
    model = opened(made, tmp_path)
    assert spell(model, ("你好",), 64)[1] == ("你好",)
    assert spell(model, ("好", "né"), 64)[1] == ("好", "␣n", "é")
    assert spell(model, ("界",), 64)[1] == ("<0xE7>", "<0x95>", "<0x8C>"), "a third of a character each"
    assert spell(model, ("x▁Ġ",), 64)[1] == ("x", "<0xE2>", "<0x96>", "<0x81>", "<0xC4>", "<0xA0>"), "no spaces here"
    assert spell(model, ("a\tb\nc\x00",), 64)[1] == ("a", "⇥", "b", "⏎", "c", "<U+0000>")
    assert model.words[made.token_to_id("ä½")] == "<0xE4><0xBD>"


def test_a_token_is_half_a_character_and_more(tmp_path: Path) -> None:
    model = opened(byte_level(("Ġ", "ä"), ("½", "ł")), tmp_path)
    assert spell(model, ("x", "你"), 64)[1] == ("x", "␣<0xE4>", "<0xBD><0xA0>")


def test_pieces_keep_the_space_that_they_begin_with(tmp_path: Path) -> None:
    model = opened(pieces("▁near", "near", "▁", "你", "Ġ"), tmp_path)
    assert spell(model, ("near", "near"), 64)[1] == ("␣near", "␣near")
    assert spell(model, ("near你",), 64)[1] == ("␣near", "你")
    assert spell(model, ("near界",), 64)[1] == ("␣near", "<0xE7>", "<0x95>", "<0x8C>")
    assert spell(model, ("nearĠ",), 64)[1] == ("␣near", "Ġ"), "a letter"


def test_without_a_decoder_and_for_what_was_added_tokens_are_as_they_are_written(tmp_path: Path) -> None:
    made = Tokenizer(models.WordLevel({"<unk>": 0, "The": 1, "Ġnear": 2, "▁x": 3}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    assert spell(opened(made, tmp_path / "a"), ("The", "Ġnear", "▁x", "z"), 64)[1] == ("The", "Ġnear", "▁x", "<unk>")
    made = byte_level()
    made.add_tokens([AddedToken("é"), AddedToken("<|end|>", special=True), AddedToken("two words")])
    model = opened(made, tmp_path / "b")
    assert spell(model, ("aé<|end|>two", "words"), 64)[1] == ("a", "é", "<|end|>", "two␣words")


def changed(**said: Any) -> bytes:
    return json.dumps(json.loads(wordpiece().to_str()) | said).encode()


@pytest.mark.parametrize(
    "content",
    [
        changed(model={"type": "Later", "vocab": {}}), changed(decoder={"type": "Later"}), changed(version="2.0"),
        changed(later=1), changed(normalizer={"type": "Later"}), changed(pre_tokenizer={"type": "Later"}),
    ],
)  # fmt: skip
def test_what_the_library_does_not_know_yet_is_said_to_be_newer(content: bytes, tmp_path: Path) -> None:
    files = bytes_of(folder_of(tmp_path)) | {"tokenizer.json": content}
    with pytest.raises(ConfigError, match=r"the library tokenizers \d+\.\d+\.\d+ does not know; a newer version may"):
        read_files(files, "one")


def test_a_tokenizer_needs_its_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ConfigError, match="python -m pip install tokenizers"):
        opened(wordpiece(), tmp_path)


def test_a_number_beyond_the_model_is_refused(tmp_path: Path) -> None:
    content = bytes_of(folder_of(tmp_path, vocab_size=6)) | {"tokenizer.json": wordpiece().to_str().encode()}
    with pytest.raises(ConfigError, match="numbers that the model, of 6, has not"):
        spell(read_files(content, "one"), ("the", "cats"), 64)
