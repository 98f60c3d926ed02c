"""From a config and tensors to a model: they are checked against each other before anything is allocated."""

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Generic, TypeVar

import torch
from torch import Tensor, nn

from attention_core.checkpoints.buffers import Buffer, is_derived
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.families import FAMILIES
from attention_core.checkpoints.head import Places, settled
from attention_core.checkpoints.layout import (
    Part,
    buffer_of,
    is_never_added,
    is_of_another_task,
    parts_of,
    trunk_of,
)  # fmt: skip
from attention_core.checkpoints.tensor_file import CheckpointError, TensorEntry, read_piece, short
from attention_core.modules.allocate import allocate

CONFIG: Final = "config.json"
DTYPES: Final = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
PIECE: Final = 2**21  # bytes that are read together; two such pieces are in memory at once
Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """A model's summary, known before its weights are read.

    Attributes:
        config: Its architecture.
        stored: The precision of its weights in the file, or the one that holds all where they differ.
        dtype: That in which they will be loaded.
        nbytes: The bytes that they will take in memory.
    """

    config: CheckpointConfig
    stored: torch.dtype
    dtype: torch.dtype
    nbytes: int


@dataclass(frozen=True, slots=True)
class Checked(Generic[Model]):
    """A checked model without memory: where each of its tensors lies, and what is not read."""

    summary: CheckpointSummary
    model: Model
    places: Places
    parts: Callable[[nn.Module], Mapping[str, Part]]
    derived: Mapping[str, tuple[Buffer, int]]


def check(
    content: Mapping[str, Any],
    config: CheckpointConfig,
    places: Places,
    make: Callable[[CheckpointConfig], Model],
    dtype: torch.dtype | None = None,
) -> Checked[Model]:
    """Check a config against the tensors that there are.

    Args:
        content: The content of ``config.json``.
        config: The same in this package's words.
        places: Where each tensor lies, by the name that it has today.
        make: Makes the model, without memory.
        dtype: The precision that it is to have; that of the tensors when None, or the one that holds all of theirs.

    Raises:
        CheckpointError: If they do not fit each other.
    """
    family, trunk = FAMILIES.get(str(content["model_type"])), ""
    if family is not None:
        trunk = trunk_of(places, family)
        config, places = settled(config, places, family, trunk, content.get("architectures"))
    try:
        model = make(config)
    except ValueError as error:
        raise CheckpointError(f"{CONFIG} describes no possible model: {error}") from error

    def parts(of: nn.Module) -> Mapping[str, Part]:
        if family is None:
            return {name: Part([each], columns=False) for name, each in of.state_dict().items()}
        return parts_of(of, config, family, trunk)

    needed = parts(model)
    for name, part in needed.items():
        if name not in places:
            raise CheckpointError(f"there is no tensor {short(name)}, which {CONFIG} asks for.")
        shape = places[name][1].shape
        if shape != part.shape:
            raise CheckpointError(f"{short(name)} has shape {shape}: {CONFIG} asks for {part.shape}.")
    derived: dict[str, tuple[Buffer, int]] = {}
    for name in sorted(places.keys() - needed):
        buffer = None if family is None else buffer_of(name.removeprefix(trunk), family)
        if buffer is not None and buffer[1] < config.num_layers:
            derived[name] = buffer
        elif family is not None and is_never_added(name.removeprefix(trunk), places[name][1].shape, family, config):
            continue
        elif family is None or not is_of_another_task(name, places[name][1].shape, trunk, config):
            raise CheckpointError(f"there is a tensor {short(name)}, for which {CONFIG} has no place.")
    stored = _stored({places[name][1].dtype for name in needed})
    dtype = dtype or stored
    nbytes = sum(each.numel() for each in model.parameters()) * dtype.itemsize
    return Checked(CheckpointSummary(config, stored, dtype, nbytes), model, places, parts, derived)


def assemble(checked: Checked[Model], device: torch.device | str) -> Model:
    """The model with the numbers of its tensors, in eval mode.

    Args:
        checked: What :func:`check` found to fit.
        device: Where the parameters shall live.

    Raises:
        CheckpointError: If a tensor that is left out is not what it should be, or numbers are not finite.
    """
    for name, (buffer, layer) in checked.derived.items():
        if not is_derived(*checked.places[name], buffer, checked.summary.config, layer):
            raise CheckpointError(f"{short(name)} is not what {CONFIG} says, from which it is computed here.")
    model = allocate(checked.model, device=device, dtype=checked.summary.dtype)
    for name, part in checked.parts(model).items():
        _fill(part, name, *checked.places[name])
    return model.eval()


def _stored(kinds: set[str]) -> torch.dtype:
    """The precision that holds all tensors; a config's own is only a wish."""
    if not kinds <= {*DTYPES}:
        raise CheckpointError(f"the tensors are {', '.join(sorted(kinds))}: all must be one of {', '.join(DTYPES)}.")
    return reduce(torch.promote_types, (DTYPES[kind] for kind in kinds))


@torch.no_grad()
def _fill(part: Part, name: str, file: io.BufferedIOBase, entry: TensorEntry) -> None:
    """Read one tensor into the parameters that it holds, piece by piece: nothing is twice in memory."""
    rows, width = entry.shape[0], entry.nbytes // entry.shape[0]
    step = max(1, PIECE // width)

    def blocks(first: int, count: int) -> Iterator[tuple[int, Tensor]]:
        """So many rows of the tensor from one on: where each piece of them begins, and the piece."""
        for start in range(0, count, step):
            some = min(step, count - start)
            content = read_piece(file, entry.start + (first + start) * width, some * width)
            block = torch.frombuffer(content, dtype=DTYPES[entry.dtype]).view(some, *entry.shape[1:])
            yield start, block

    def put(place: Tensor, block: Tensor) -> None:
        place.copy_(block)
        if not all(end.isfinite() for end in place.aminmax()):  # of NaN the ends are NaN; isfinite() takes a copy
            raise CheckpointError(f"{short(name)} holds numbers that are not finite.")

    if part.columns:
        for start, block in blocks(0, rows):
            for parameter, its in zip(part.parameters, block.T.split([*map(len, part.parameters)]), strict=True):
                put(parameter[:, start : start + len(block)], its)
        return
    first = 0
    for parameter in part.parameters:
        for start, block in blocks(first, len(parameter)):
            put(parameter[start : start + len(block)], block)
        first += len(parameter)
