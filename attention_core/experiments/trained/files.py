"""From files that a visitor brings, or that a server's owner lays out, to a model: nothing is kept but the model."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import (
    CONFIG,
    INDEX,
    WEIGHTS,
    inspect_checkpoint,
    load_checkpoint,
    read_checkpoint,
)
from attention_core.checkpoints.tensor_file import read_json
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.trained.models import Brought, Encode, bring, digest_of, from_checkpoint
from attention_core.language import gettext_lazy as _
from attention_core.language import listed

FOLDER: Final = "MODELS_FOLDER"  # the environment variable in which a server's owner names a folder of models
MAX_TOKENIZER: Final = 32 * 2**20
MAX_FILES: Final = 64
TOKENIZER: Final = "tokenizer.json"
PART: Final = re.compile(r"-\d+-of-\d+\.safetensors$")
NAMES: Final = (CONFIG, WEIGHTS, _("its parts with {index}", index=INDEX), TOKENIZER)
SENTENCE: Final = ("The", "keys", "near", "the", "cabinet")
NUMBERS: Final = ("1", "2", "3", "1", "2")


def read_files(files: Mapping[str, bytes], name: str) -> Brought:
    """The model that some files hold: ``config.json``, ``model.safetensors`` or its parts, perhaps a tokenizer.

    Args:
        files: Their bytes by their names.
        name: What the model is called.

    Raises:
        ValueError: If they are too many or too large, are no such files, do not fit each other, or there is no room.
    """
    if len(files) > MAX_FILES:
        given = _("{count} files", count=len(files))
        raise ConfigError("model", given, _("at most {most} are allowed", most=MAX_FILES))

    def read(room: int) -> Brought:
        checkpoint = read_checkpoint(files, max_bytes=room, dtype=torch.float32)
        return _made(checkpoint, files.get(TOKENIZER), digest, name)

    digest = digest_of(files.items())
    return bring(digest, read)


def awaited(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files that a model lacks to be whole, by their names; none where all have come.

    Args:
        files: Those that have come, by their names.

    Raises:
        ValueError: If one of them belongs to no model, or is no index of a model's parts.
    """
    named = read_json(files[INDEX], INDEX).get("weight_map") if INDEX in files else None
    parts = {str(name) for name in named.values()} if isinstance(named, dict) else set[str]()
    unnamed = {name for name in files if PART.search(name)} - parts
    for name in sorted(files.keys() - parts - unnamed - {CONFIG, WEIGHTS, INDEX, TOKENIZER}):
        raise ConfigError("model", name, _("{files} are the names that are read", files=listed(NAMES)))
    if INDEX not in files and WEIGHTS not in files:
        parts = {INDEX if unnamed else WEIGHTS}
    return (*(() if CONFIG in files else (CONFIG,)), *sorted(parts - files.keys()))


def needed_bytes(source: str | Mapping[str, bytes]) -> int:
    """How much memory a model takes, before any of its weights is read.

    Args:
        source: The name of a model that is ``offered``, or files as of ``read_files``.

    Raises:
        ValueError: If it is none that can be read.
    """
    where = _folder(source) if isinstance(source, str) else source
    return inspect_checkpoint(where, dtype=torch.float32).nbytes


def _made(checkpoint: Checkpoint, tokenizer: bytes | None, digest: str, name: str) -> Brought:
    words, encode = _tokenizer(tokenizer, checkpoint.config.vocab_size)
    plain = tuple(word for word in checkpoint.words if word.isalnum())
    example = SENTENCE if encode else plain[:5] or NUMBERS
    return from_checkpoint(checkpoint, digest=digest, name=name, words=words, encode=encode, example=example)


def hold(module: Any, words: tuple[str, ...], content: bytes, *, name: str, longest: int, continues: bool) -> Brought:
    """A model that another study of this package kept in one file.

    Args:
        module: From numbers of tokens to logits, with a ``stack``.
        words: What each number means.
        content: The file.
        name: What the model is called.
        longest: How many tokens it was trained on.
        continues: Whether it says what comes next.

    Raises:
        ConfigError: If there is no room for it.
    """
    digest = digest_of([("kept", content)])

    def read(room: int) -> Brought:
        made = Brought(
            digest=digest, name=name, module=module, words=words, has_head=True, continues=continues, encode=None,
            example=tuple(words[at % len(words)] for at in range(longest)), vocabulary=len(words), longest=longest,
        )  # fmt: skip
        made.require(room)
        return made

    return bring(digest, read)


def _tokenizer(content: bytes | None, vocabulary: int) -> tuple[tuple[str, ...], Encode | None]:
    """The tokens' names, and from a text to tokens; nothing where there is no tokenizer, or no library for it."""
    if content is None:
        return (), None
    if len(content) > MAX_TOKENIZER:
        given = _("{count:,} bytes", count=len(content))
        raise ConfigError(TOKENIZER, given, _("at most {most:,} are allowed", most=MAX_TOKENIZER))
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return (), None
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except BaseException as error:  # the library is Rust's, whose panics are no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        allowed = _("a tokenizer as the library tokenizers writes it")
        raise ConfigError(TOKENIZER, _("this file"), allowed) from error
    named = [tokenizer.id_to_token(at) or str(at) for at in range(vocabulary)]

    def encode(text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        found = tokenizer.encode(text)
        if any(one >= vocabulary for one in found.ids):
            allowed = _("its tokenizer gives numbers that the model, of {vocabulary}, has not", vocabulary=vocabulary)
            raise ConfigError("text", text, allowed)
        return tuple(found.ids), tuple(_visible(one) for one in found.tokens)

    return tuple(map(_visible, named)), encode


def _visible(token: str) -> str:
    """A token for the screen: byte-level tokenizers write a space as Ġ, others as ▁."""
    return token.replace("Ġ", "␣").replace("▁", "␣").replace("Ċ", "⏎") or "∅"


def offered() -> dict[str, Path]:
    """The models that the server's owner lays out, by name: folders in ``MODELS_FOLDER``, or a hub's cache."""
    root = os.environ.get(FOLDER, "")
    if not root:
        return {}
    found = {}
    for folder in sorted(Path(root).expanduser().glob("*")):
        snapshots = sorted((folder / "snapshots").glob("*"))  # as the hub's cache has them
        place = snapshots[-1] if snapshots else folder
        if (place / "config.json").is_file():
            found[folder.name.removeprefix("models--").replace("--", "/")] = place
    return found


def read_offered(name: str) -> Brought:
    """One of the models of ``offered``.

    Raises:
        ValueError: As of ``read_files``.
    """
    folder = _folder(name)
    tokenizer = folder / TOKENIZER
    said = tokenizer.read_bytes() if tokenizer.is_file() and tokenizer.stat().st_size <= MAX_TOKENIZER else None
    digest = digest_of([(str(folder), b"")])
    return bring(
        digest, lambda room: _made(load_checkpoint(folder, max_bytes=room, dtype=torch.float32), said, digest, name)
    )


def _folder(name: str) -> Path:
    folder = offered().get(name)
    if folder is None:
        raise ConfigError("model", name, _("one of those in the list is"))
    return folder
