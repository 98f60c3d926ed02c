"""From files to a trained model: everything is checked before anything is allocated."""

import io
import math
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final

import torch

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config import OURS, CheckpointConfig
from attention_core.checkpoints.tensor_file import (
    MAX_JSON,
    CheckpointError,
    TensorEntry,
    read_header,
    read_json,
    short,
)

MAX_BYTES: Final = 256 * 2**20
DTYPES: Final = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}

Open = Callable[[str], BinaryIO | None]  # a file by its name; None where there is none


def load_checkpoint(
    folder: str | Path,
    *,
    max_bytes: int = MAX_BYTES,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Checkpoint:
    """The trained model that a folder holds, in eval mode: ``config.json`` and ``model.safetensors``.

    Args:
        folder: As :meth:`Checkpoint.save` writes it.
        max_bytes: How many bytes its parameters may take in memory.
        dtype: Their precision; that of the file when None, and float32 for files in half precision.
        device: Where they shall live.

    Raises:
        CheckpointError: If a file is missing, a link, of another kind, damaged, does not fit the config, or the
            parameters would take more than ``max_bytes``.
    """
    with ExitStack() as files:

        def opened(name: str) -> BinaryIO | None:
            file = _open(Path(folder) / name)
            return None if file is None else files.enter_context(file)

        return _read(opened, max_bytes, dtype, device)


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
    return _read(lambda name: io.BytesIO(files[name]) if name in files else None, max_bytes, dtype, device)


def _open(path: Path) -> BinaryIO | None:
    """A file that is no link and no device."""
    if path.is_symlink():
        raise CheckpointError(f"{path.name} is a link: a file is needed.")
    try:
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CheckpointError(f"{path.name} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise CheckpointError(f"{path.name} is no file.")
    return os.fdopen(number, "rb")


def _read(opened: Open, max_bytes: int, dtype: torch.dtype | None, device: torch.device | str | None) -> Checkpoint:
    said = read_json(_needed(opened, "config.json").read(MAX_JSON + 1), "config.json")
    if said.get("model_type") != OURS:
        raise CheckpointError(f"model_type = {short(said.get('model_type'))} is not known: {OURS} is.")
    config = CheckpointConfig.from_json(said)
    file = _needed(opened, "model.safetensors")
    tensors = read_header(file, "model.safetensors").tensors
    try:
        with torch.device("meta"):
            model = Checkpoint(config)
    except ValueError as error:
        raise CheckpointError(f"config.json: {error}") from error
    wanted = {name: tuple(each.shape) for name, each in model.state_dict().items()}
    if wanted != {name: entry.shape for name, entry in tensors.items()}:
        raise CheckpointError("the tensors' names and shapes are not those of config.json.")
    kinds = {entry.dtype for entry in tensors.values()}
    if len(kinds) != 1 or not kinds <= {*DTYPES}:
        raise CheckpointError(f"the tensors are {', '.join(sorted(kinds))}: one of {', '.join(DTYPES)} is needed.")
    dtype = dtype or (torch.float64 if kinds == {"F64"} else torch.float32)
    takes = sum(math.prod(shape) for shape in wanted.values()) * dtype.itemsize
    if takes > max_bytes:
        raise CheckpointError(f"the parameters would take {takes:,} bytes: at most {max_bytes:,} are allowed.")
    model = model.to(dtype).to_empty(device=device or "cpu")
    with torch.no_grad():
        for name, each in model.state_dict().items():
            each.copy_(_tensor(file, tensors[name]))
    return model.eval()


def _needed(opened: Open, name: str) -> BinaryIO:
    file = opened(name)
    if file is None:
        raise CheckpointError(f"there is no {name}.")
    return file


def _tensor(file: BinaryIO, entry: TensorEntry) -> torch.Tensor:
    if not entry.nbytes:
        return torch.empty(entry.shape, dtype=DTYPES[entry.dtype])
    file.seek(entry.start)
    content = bytearray(file.read(entry.nbytes))
    if len(content) != entry.nbytes:
        raise CheckpointError("the file changed while it was read.")
    return torch.frombuffer(content, dtype=DTYPES[entry.dtype]).view(entry.shape)
