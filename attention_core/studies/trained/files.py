"""From files that a visitor brings, or that a server's owner lays out, to a model: nothing is kept but the model."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attention_core.checkpoints.assemble import CONFIG
from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import INDEX, WEIGHTS, inspect_checkpoint, load_checkpoint, read_checkpoint
from attention_core.checkpoints.tensor_file import read_json
from attention_core.language import gettext_lazy as _
from attention_core.language import listed
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.models import Brought, Encode, bring, digest_of, from_checkpoint
from attention_core.studies.trained.tokenizer import MAX_TOKENIZER, read_tokenizer

FOLDER: Final = "MODELS_FOLDER"  # the environment variable in which a server's owner names a folder of models
MAX_FILES: Final = 64
KNOWN: Final = r"config\.json|tokenizer\.json|model(-\d{5}-of-\d{5})?\.safetensors|model\.safetensors\.index\.json"
COPY: Final = r"(?: ?\(\d+\)|[ -]\d+| copy(?: \d+)?| - Copy(?: \(\d+\))?)(?=\.\w+$)"  # what browsers and systems add
TOKENIZER: Final = "tokenizer.json"
PART: Final = re.compile(r"-\d+-of-\d+\.safetensors$")
NAMES: Final = (CONFIG, WEIGHTS, _("its parts with {index}", index=INDEX), TOKENIZER)
SENTENCE: Final = ("The", "keys", "near", "the", "cabinet")
_CACHED: Final = "models--"
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
    files = named(files)

    def read(room: int) -> Brought:
        checkpoint = read_checkpoint(files, max_bytes=room)
        return _made(checkpoint, files.get(TOKENIZER), digest, name)

    digest = digest_of(files.items())
    return bring(digest, read)


def named(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Files by the names that a model's have: a second download, ``config (1).json``, is what it was called.

    Raises:
        ConfigError: If two of them are then called the same.
    """
    found, were = dict[str, bytes](), dict[str, str]()
    for given, content in files.items():
        once = re.sub(COPY, "", given)
        name = once if re.fullmatch(KNOWN, once) else given
        if name in found:
            both = _("there are two, {one} and {other}; one is needed", one=repr(were[name]), other=repr(given))
            raise ConfigError("model", name, both)
        found[name], were[name] = content, given
    return found


def awaited(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files that a model lacks to be whole, by their names; none where all have come.

    Args:
        files: Those that have come, by their names.

    Raises:
        ValueError: If one of them belongs to no model, or is no index of a model's parts.
    """
    files = named(files)
    index = read_json(files[INDEX], INDEX).get("weight_map") if INDEX in files else None
    parts = {str(name) for name in index.values()} if isinstance(index, dict) else set[str]()
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
    where = _folder(source) if isinstance(source, str) else named(source)
    return inspect_checkpoint(where).nbytes


def _made(checkpoint: Checkpoint, tokenizer: bytes | None, digest: str, name: str) -> Brought:
    words, encode = ((), None) if tokenizer is None else read_tokenizer(tokenizer, checkpoint.config.vocab_size)
    plain = tuple(word for word in checkpoint.vocabulary if word.isalnum())
    example = SENTENCE if encode else plain[:5] or NUMBERS
    return from_checkpoint(checkpoint, digest=digest, name=name, words=words, encode=encode, example=example)


def hold(
    module: Any, words: tuple[str, ...], content: bytes, *, name: str, longest: int, continues: bool,
    encode: Encode | None = None, example: tuple[str, ...] = (),
) -> Brought:  # fmt: skip
    """A model that another study of this package kept in one file.

    Args:
        module: From numbers of tokens to logits, with a ``stack``.
        words: What each number means.
        content: The file.
        name: What the model is called.
        longest: How many tokens it was trained on.
        continues: Whether it says what comes next.
        encode: From a text to its tokens, where these are not words with spaces between them.
        example: What it reads until something else is typed; its first tokens if empty.

    Raises:
        ConfigError: If there is no room for it.
    """
    digest = digest_of([("kept", content)])

    def read(room: int) -> Brought:
        made = Brought(
            digest=digest, name=name, module=module, words=words, has_head=True, continues=continues, encode=encode,
            example=example or tuple(words[at % len(words)] for at in range(longest)), vocabulary=len(words),
            longest=longest,
        )  # fmt: skip
        made.require(room)
        return made

    return bring(digest, read)


def offered() -> dict[str, Path]:
    """The models that the server's owner lays out, by name.

    ``MODELS_FOLDER`` holds them, or folders of those who made them, which hold them; or it is a hub's cache.
    """
    root = os.environ.get(FOLDER, "")
    if not root:
        return {}
    found = {}
    for folder in sorted(Path(root).expanduser().glob("*")):
        if place := _place(folder):
            found[_name(folder.name)] = place
            continue
        for inner in sorted(folder.glob("*")):
            if place := _place(inner):
                name = _name(inner.name)
                found[name if inner.name.startswith(_CACHED) else f"{folder.name}/{name}"] = place
    return found


def _name(folder: str) -> str:
    """A model's name; Hugging Face's cache writes -- for its slash, ModelScope's ___ for its full stops."""
    cached = folder.removeprefix(_CACHED)
    return folder.replace("___", ".") if cached == folder else cached.replace("--", "/")


def _place(folder: Path) -> Path | None:
    """Where the files of a folder's model are; None where it is no model's."""
    place = _snapshot(folder) or folder
    return place if (place / "config.json").is_file() else None


def _snapshot(folder: Path) -> Path | None:
    """The revision of a hub's cache that is meant: its present one, or where that is a part the newest whole one."""
    snapshots = sorted((folder / "snapshots").glob("*"), key=lambda each: each.stat().st_mtime_ns, reverse=True)
    if len(snapshots) < 2:
        return next(iter(snapshots), None)
    try:
        main = (folder / "refs/main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        main = ""
    snapshots.sort(key=lambda each: each.name != main)
    return next(filter(_is_whole, snapshots), snapshots[0])


def _is_whole(folder: Path) -> bool:
    """Whether a folder holds a config, and all files of weights."""
    if not (folder / "config.json").is_file():
        return False
    if (folder / "model.safetensors").is_file():
        return True
    try:
        said = json.loads((folder / "model.safetensors.index.json").read_bytes())
        return all((folder / part).is_file() for part in said["weight_map"].values())
    except (OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return False


def read_offered(name: str) -> Brought:
    """One of the models of ``offered``, as its files are now.

    Raises:
        ValueError: As of ``read_files``.
    """
    folder = _folder(name)
    tokenizer = folder / TOKENIZER
    said = None
    if tokenizer.is_file():
        with tokenizer.open("rb") as file:
            said = file.read(MAX_TOKENIZER + 1)  # enough to be refused
    read = (path for path in folder.iterdir() if path.suffix in (".json", ".safetensors"))
    digest = digest_of((str(path), _state(path)) for path in read)
    return bring(digest, lambda room: _made(load_checkpoint(folder, max_bytes=room), said, digest, name))


def _state(path: Path) -> bytes:
    """What changes where a file is written anew or replaced."""
    try:
        found = path.stat()
    except OSError:  # a link to nowhere
        return b""
    return repr((found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)).encode()


def _folder(name: str) -> Path:
    folder = offered().get(name)
    if folder is None:
        raise ConfigError("model", name, _("one of those in the list is"))
    return folder
