"""safetensors files: what one says of itself, checked to the last byte before a number is read.

Such a file is eight bytes that say how long its header is, the header as JSON, and the numbers one tensor after the
other. It holds nothing that could run.
"""

import io
import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

MAX_JSON: Final = 2**20  # bytes of a header, a config or an index; 100 layers have headers of some 100 KB
MAX_DIMENSIONS: Final = 8
SIZES: Final = {
    "F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1,
}  # fmt: skip
# What other files begin with that are given for weights: (the beginning, what such a file is).
OTHERS: Final = ((b"PK", "a zip archive, which may hold a pickle"), (b"\x80", "a pickle, which can run code"))


class CheckpointError(ValueError):
    """Files of a model that cannot be read as one, with a sentence that says what is wrong and what is needed."""


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """A tensor's place in its file.

    Attributes:
        dtype: The format's word for its precision: ``F32``.
        shape: Its sizes.
        start: The byte of the file at which it begins.
        nbytes: How many it takes.
    """

    dtype: str
    shape: tuple[int, ...]
    start: int
    nbytes: int


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a safetensors file.

    Attributes:
        tensors: Its tensors by their names.
        metadata: Texts beside them.
    """

    tensors: Mapping[str, TensorEntry]
    metadata: Mapping[str, str]


def read_json(content: bytes, name: str) -> dict[str, Any]:
    """The JSON object that ``content`` holds.

    Args:
        content: The file's bytes.
        name: What sentences call it.

    Raises:
        CheckpointError: If it is too long, no JSON object, nested too deeply, or names something twice.
    """
    if len(content) > MAX_JSON:
        raise CheckpointError(f"{name} has {len(content):,} bytes: at most {MAX_JSON:,} are allowed.")

    def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for key, value in pairs:
            if key in names:
                raise CheckpointError(f"{name} names {short(key)} twice: each name may stand once.")
            names[key] = value
        return names

    def refuse(constant: str) -> NoReturn:
        raise CheckpointError(f"{name} says {constant}: finite numbers are needed.")

    try:
        value = json.loads(content.decode(), object_pairs_hook=without_duplicates, parse_constant=refuse)
    except CheckpointError:
        raise
    except RecursionError as error:
        raise CheckpointError(f"{name} is nested too deeply.") from error
    except ValueError as error:
        raise CheckpointError(f"{name} is damaged: a JSON object is needed.") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{name} is no JSON object.")
    return value


def read_header(file: io.BufferedIOBase, name: str) -> Header:
    """Read the header of a safetensors file, and check that all of it fits the file.

    Args:
        file: The file.
        name: What sentences call it.

    Raises:
        CheckpointError: If it is another kind of file, the header is too long, damaged or no header; a tensor has an
            unknown precision or sizes that its bytes do not fit; or tensors overlap, leave a gap, or do not end where
            the file ends.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    first = file.read(8)
    for beginning, kind in OTHERS:
        if first.startswith(beginning) and struct.unpack("<Q", first.ljust(8, b"\0"))[0] > size:
            raise CheckpointError(f"{name} is {kind}: only safetensors files are read.")
    if len(first) < 8:
        raise CheckpointError(f"{name} has {size} bytes: a safetensors file has more than 8.")
    length = struct.unpack("<Q", first)[0]
    if length > MAX_JSON:
        raise CheckpointError(f"{name} says that its header has {length:,} bytes: at most {MAX_JSON:,} are allowed.")
    if 8 + length > size:
        raise CheckpointError(f"{name} is cut off: its header alone is {length:,} bytes, and it has {size:,}.")
    text = file.read(length)
    if not text.startswith(b"{"):
        raise CheckpointError(f"{name} has no header: a safetensors file begins with its length and a JSON object.")
    header = read_json(text, f"the header of {name}")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise CheckpointError(f"the header of {name} has metadata that are no texts.")
    tensors = {key: _entry(entry, f"{short(key)} in {name}", 8 + length) for key, entry in header.items()}
    _require_end_to_end(tensors, name, 8 + length, size)
    return Header(tensors, metadata)


def read_piece(file: io.BufferedIOBase, start: int, count: int) -> bytearray:
    """Read some bytes of a file, at a place that its header names.

    Raises:
        CheckpointError: If they are not there any more.
    """
    content = bytearray(count)
    file.seek(start)
    if file.readinto(content) != count:
        raise CheckpointError("the files changed while they were read.")
    return content


def _entry(entry: object, name: str, begin: int) -> TensorEntry:
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise CheckpointError(f"{name} is not described by dtype, shape and data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in SIZES:
        raise CheckpointError(f"{name} has dtype {short(dtype)}: one of {', '.join(SIZES)} is needed.")
    if not _are_sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise CheckpointError(f"{name} has shape {short(shape)}: up to {MAX_DIMENSIONS} whole numbers are needed.")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise CheckpointError(f"{name} has data_offsets {short(offsets)}: where it begins and ends is needed.")
    needed = math.prod(shape) * SIZES[dtype]
    if offsets[1] - offsets[0] != needed:
        raise CheckpointError(
            f"{name} lies from byte {offsets[0]:,} to {offsets[1]:,}, and {dtype} of shape {short(shape)} takes "
            f"{needed:,} bytes."
        )
    return TensorEntry(dtype, tuple(shape), begin + offsets[0], needed)


def _are_sizes(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and 0 <= value < 2**48 for value in values)


def _require_end_to_end(tensors: Mapping[str, TensorEntry], name: str, begin: int, size: int) -> None:
    """Refuse tensors that overlap, leave bytes that nobody knows, or reach beyond the file."""
    end = begin
    for key, entry in sorted(tensors.items(), key=lambda item: (item[1].start, item[1].nbytes)):
        if entry.start != end:
            wrong = "overlaps the one before it" if entry.start < end else "leaves a gap before it"
            raise CheckpointError(f"{short(key)} in {name} {wrong}: tensors must lie end to end.")
        end += entry.nbytes
    if end != size:
        wrong = "is cut off" if end > size else "has more bytes than its header knows"
        raise CheckpointError(f"{name} {wrong}: {end:,} bytes are described, and it has {size:,}.")


def short(value: object) -> str:
    """A value out of a file as a sentence quotes it."""
    try:
        shown = repr(value)
    except RecursionError:  # a little less of it can be shown than read
        shown = "…"
    return shown if len(shown) <= 60 else shown[:57] + "…"
