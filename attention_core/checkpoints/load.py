"""From files to a trained model: all of them are checked, against each other too, before anything is allocated."""

import io
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import torch

from attention_core.checkpoints.assemble import CONFIG, Checked, CheckpointSummary, assemble, check
from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.families import config_of
from attention_core.checkpoints.layout import by_present_names
from attention_core.checkpoints.tensor_file import (
    MAX_JSON,
    CheckpointError,
    TensorEntry,
    read_header,
    read_json,
    short,
)
from attention_core.memory import MODEL_BYTES

MAX_BYTES: Final = MODEL_BYTES
MAX_SHARDS: Final = 64
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"

Source = str | Path | Mapping[str, bytes]  # a folder, or its files in memory
Open = Callable[[str], io.BufferedIOBase | None]  # a file by its name; None where there is none


def load_checkpoint(
    folder: str | Path,
    *,
    max_bytes: int = MAX_BYTES,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Checkpoint:
    """The trained model that a folder holds, in eval mode.

    It is in the layout of Hugging Face's transformers (a family of ``checkpoints.families.FAMILIES``) or in that of
    :meth:`Checkpoint.save`: ``config.json``, and ``model.safetensors`` or its parts with their index. Nothing else is
    looked at, and nothing outside the folder; a link is followed only within a hub's cache. Where files and config
    disagree, the files are right: their precision, whether there is a head, and its matrix.

    Args:
        folder: Where the files lie.
        max_bytes: How many bytes the parameters may take in memory; a quarter of what the machine has beside 1 GiB,
            but 256 MiB to 2 GiB, unless given.
        dtype: Their precision; that of the file when None, in half precision too, or the one that holds all where
            its tensors differ. On a CPU what is computed in half precision is slow; give ``torch.float32``.
        device: Where they shall live.

    Raises:
        CheckpointError: If a file is missing, a link, of another kind, or damaged; if the files do not fit each
            other; if the model needs something that has no counterpart here; or if the parameters would take more
            than ``max_bytes``: all this before anything is allocated. Or if they are not finite.
    """
    return _load(folder, max_bytes, dtype, device)


def read_checkpoint(
    files: Mapping[str, bytes],
    *,
    max_bytes: int = MAX_BYTES,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Checkpoint:
    """:func:`load_checkpoint` of files in memory.

    Args:
        files: Their bytes by their names.
        max_bytes: As in :func:`load_checkpoint`; also the next two.
        dtype: Precision.
        device: Where the parameters shall live.

    Raises:
        CheckpointError: As :func:`load_checkpoint`.
    """
    return _load(files, max_bytes, dtype, device)


def inspect_checkpoint(source: Source, *, dtype: torch.dtype | None = None) -> CheckpointSummary:
    """Summarise a model and the memory it needs; its weights are not read.

    Args:
        source: A folder, or the bytes of its files by their names.
        dtype: The precision that it would be loaded in, as in :func:`load_checkpoint`.

    Raises:
        CheckpointError: As :func:`load_checkpoint`, except for what the weights themselves show.
    """
    with _files(source) as opened:
        return _check(opened, dtype).summary


def _load(source: Source, max_bytes: int, dtype: torch.dtype | None, device: torch.device | str | None) -> Checkpoint:
    with _files(source) as opened:
        checked = _check(opened, dtype)
        if checked.summary.nbytes > max_bytes:
            raise CheckpointError(
                f"the parameters would take {checked.summary.nbytes:,} bytes: at most {max_bytes:,} are allowed."
            )
        return assemble(checked, device or "cpu")


@contextmanager
def _files(source: Source) -> Iterator[Open]:
    if not isinstance(source, Mapping) and not Path(source).is_dir():
        needed = f"the folder with a model's {CONFIG} and {WEIGHTS} is needed; nothing is downloaded"
        raise CheckpointError(f"{short(str(source))} is no folder: {needed}.")
    with ExitStack() as files:

        def opened(name: str) -> io.BufferedIOBase | None:
            if isinstance(source, Mapping):
                return io.BytesIO(source[name]) if name in source else None
            file = _open(Path(source), name)
            return None if file is None else files.enter_context(file)

        yield opened


def _open(folder: Path, name: str) -> io.BufferedIOBase | None:
    """A file of a folder: no link out of it, no device and no pipe."""
    path = folder / name
    if path.is_symlink():
        path = _within_cache(folder, path)
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CheckpointError(f"{name} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise CheckpointError(f"{name} is no file.")
    return os.fdopen(number, "rb")


def _within_cache(folder: Path, link: Path) -> Path:
    """Follow a link of a hub's cache, from ``snapshots/REVISION`` into the ``blobs`` beside ``snapshots``."""
    snapshots, target = Path(os.path.realpath(folder)).parent, Path(os.path.realpath(link))
    if snapshots.name != "snapshots" or target.parent != snapshots.parent / "blobs":
        raise CheckpointError(f"{link.name} is a link out of its folder: a file is needed.")
    return target


def _check(opened: Open, dtype: torch.dtype | None) -> Checked[Checkpoint]:
    config_file = opened(CONFIG)
    if config_file is None:
        raise CheckpointError(f"there is no {CONFIG}, which says what a model is made of.")
    content = read_json(config_file.read(MAX_JSON + 1), CONFIG)
    config, places = config_of(content), by_present_names(_tensors(opened))
    return check(content, config, places, lambda config: Checkpoint(config, device="meta"), dtype)


def _tensors(opened: Open) -> Iterator[tuple[str, tuple[io.BufferedIOBase, TensorEntry]]]:
    """The name and the place of each tensor in the files."""
    whole, index = opened(WEIGHTS), None
    if whole is None and (index := opened(INDEX)) is None:
        pickled = next((name for name in ("pytorch_model.bin", "model.pt", "model.pth") if opened(name)), None)
        also = f"; {pickled} is a pickle, which can run code" if pickled else ""
        raise CheckpointError(f"there is no {WEIGHTS}{also}: only safetensors files are read.")
    shards = {WEIGHTS: None} if index is None else _shards(index)
    for shard, names in shards.items():
        file = whole if index is None else opened(shard)
        if file is None:
            raise CheckpointError(f"there is no {short(shard)}, which {INDEX} names.")
        tensors = read_header(file, shard).tensors
        if names is not None and names != {*tensors}:
            wrong = min(names ^ {*tensors})
            raise CheckpointError(f"{INDEX} and {short(shard)} do not agree on where {short(wrong)} is.")
        yield from ((name, (file, entry)) for name, entry in tensors.items())


def _shards(index: io.BufferedIOBase) -> dict[str, set[str]]:
    """The names of the tensors in each file, by the index."""
    files = read_json(index.read(MAX_JSON + 1), INDEX).get("weight_map")
    if not isinstance(files, dict) or not files or not all(isinstance(file, str) for file in files.values()):
        raise CheckpointError(f"{INDEX} has no weight_map from tensors to files.")
    shards: dict[str, set[str]] = {}
    for name, file in files.items():
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,200}\.safetensors", file):
            raise CheckpointError(f"{INDEX} names {short(file)}: a safetensors file in the same folder is needed.")
        shards.setdefault(file, set()).add(name)
    if len(shards) > MAX_SHARDS:
        raise CheckpointError(f"{INDEX} names {len(shards)} files: at most {MAX_SHARDS} are allowed.")
    return shards
