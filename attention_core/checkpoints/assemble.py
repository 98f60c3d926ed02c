"""From a config and tensors to a model: they are checked against each other before anything is allocated."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import torch
from torch import nn

from attention_core.checkpoints.buffers import Buffer, is_derived
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.families import FAMILIES
from attention_core.checkpoints.head import Places, settled
from attention_core.checkpoints.layout import Part, buffer_of, is_of_another_task, parts_of, trunk_of
from attention_core.checkpoints.tensor_file import CheckpointError, TensorEntry, read_piece, short
from attention_core.modules.allocate import allocate

CONFIG: Final = "config.json"
DTYPES: Final = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """What is known of a model before its weights are read.

    Attributes:
        config: Its architecture.
        stored: The precision of its weights in the file.
        dtype: That in which they will be loaded.
        nbytes: The bytes that they will take in memory.
    """

    config: CheckpointConfig
    stored: torch.dtype
    dtype: torch.dtype
    nbytes: int


@dataclass(frozen=True, slots=True)
class Checked(Generic[Model]):
    """What fits each other: the model without memory, where each of its tensors lies, and what is not read."""

    summary: CheckpointSummary
    model: Model
    places: Places
    parts: Callable[[nn.Module], Mapping[str, Part]]
    derived: Mapping[str, tuple[Buffer, int]]


def check(
    said: Mapping[str, Any],
    config: CheckpointConfig,
    places: Places,
    make: Callable[[CheckpointConfig], Model],
    dtype: torch.dtype | None = None,
) -> Checked[Model]:
    """What a config says, held against the tensors that there are.

    Args:
        said: What ``config.json`` says.
        config: The same in this package's words.
        places: Where each tensor lies, by the name that it has today.
        make: Makes the model, without memory.
        dtype: The precision that it is to have; that of the tensors when None, and float32 for half precision.

    Raises:
        CheckpointError: If they do not fit each other.
    """
    family, trunk = FAMILIES.get(str(said["model_type"])), ""
    if family is not None:
        trunk = trunk_of(places, family)
        config, places = settled(config, places, family, trunk, said.get("architectures"))
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
        elif family is None or not is_of_another_task(name, places[name][1].shape, trunk, config):
            raise CheckpointError(f"there is a tensor {short(name)}, for which {CONFIG} has no place.")
    stored = _stored({places[name][1].dtype for name in needed})
    dtype = dtype or torch.promote_types(stored, torch.float32)
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
    """The one precision of all tensors; what a config says of it is a wish of who loads them."""
    if len(kinds) != 1 or not kinds <= {*DTYPES}:
        raise CheckpointError(f"the tensors are {', '.join(sorted(kinds))}: all must be one of {', '.join(DTYPES)}.")
    return DTYPES[kinds.pop()]


@torch.no_grad()
def _fill(part: Part, name: str, file: io.BufferedIOBase, entry: TensorEntry) -> None:
    """Read one tensor into the parameters that it holds."""
    rows = torch.frombuffer(read_piece(file, entry.start, entry.nbytes), dtype=DTYPES[entry.dtype]).view(entry.shape)
    rows = rows.T if part.columns else rows
    for parameter, its in zip(part.parameters, rows.split([len(each) for each in part.parameters]), strict=True):
        parameter.copy_(its)
        if not all(end.isfinite() for end in parameter.aminmax()):  # of NaN the ends are NaN; isfinite() takes a copy
            raise CheckpointError(f"{short(name)} holds numbers that are not finite.")
