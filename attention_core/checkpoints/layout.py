"""The layout of a family's files: a table from their names to a model's parameters."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final, NamedTuple, TypeVar

from torch import Tensor, nn

from attention_core.checkpoints.buffers import Buffer
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.config_reader import ConfigReader
from attention_core.checkpoints.tensor_file import CheckpointError, short
from attention_core.modules.positions import RelativeKey

OTHER_TASKS: Final = (
    r"(pooler|pre_classifier|classifier|score|qa_outputs|multiple_choice_head|cls\.seq_relationship)\..*"
)
WRAPPERS: Final = ("_orig_mod", "module")  # of torch.compile, and of torch's data parallel modules
FIRST_NAMES: Final = {"gamma": "weight", "beta": "bias"}  # of a norm, in the first files that were published
Place = TypeVar("Place")
Names = dict[str, str]  # parts of a Checkpoint and what a family calls them; a dot or _ at the end: weight and bias


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family's names of settings and tensors.

    Attributes:
        sizes: Its words for those of :class:`CheckpointConfig`.
        aliases: Second names that its library takes for some of them.
        options: The other options, from what its config says.
        trunk: What the names of all tensors but the head's begin with, in files that have a head.
        layer: What those of a layer begin with, before its number.
        outside: Parts outside the layers.
        inside: Parts of a layer. Several parts that are one tensor there are its rows, one after the other.
        head: Parts of the head, by their whole names.
        buffers: Patterns of names in the trunk that are derived, in a group the number of a layer that matters.
        columns: Whether matrices in the layers are stored (in, out): GPT-2's ``Conv1D``.
    """

    sizes: Names
    aliases: Names = field(default_factory=dict)
    options: Callable[[ConfigReader], dict[str, Any]]
    trunk: str
    layer: str
    outside: Names
    inside: Names
    head: Names
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    columns: bool = False


class Part(NamedTuple):
    """The parameters that one tensor of a file holds.

    Attributes:
        parameters: They, or views of them: its rows one after the other.
        columns: Whether they are its columns instead.
    """

    parameters: list[Tensor]
    columns: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The tensor's shape."""
        shape = (sum(len(each) for each in self.parameters), *self.parameters[0].shape[1:])
        return shape[::-1] if self.columns else shape


def parts_of(model: nn.Module, config: CheckpointConfig, family: Family, trunk: str) -> dict[str, Part]:
    """The parameters of a :class:`Checkpoint` by the names of a family's tensors.

    Args:
        model: The checkpoint.
        config: Its config.
        family: How the file is laid out.
        trunk: What names begin with in this file.
    """
    parts: dict[str, Part] = {}
    named = [(family.head, "", "", False), (family.outside, "", trunk, False)]
    for number in range(config.num_layers):
        layer = f"{trunk}{family.layer}{number}."
        named.append((family.inside, f"stack.layers.{number}.", layer, family.columns))
    for names, ours, theirs, columns in named:
        for part, its in names.items():
            for kind in ("weight", "bias") if part.endswith((".", "_")) else ("",):
                parameter = reduce(lambda at, name: getattr(at, name, None), (ours + part + kind).split("."), model)
                if isinstance(parameter, Tensor):
                    holder = Part([], columns and parameter.dim() > 1)
                    parts.setdefault(theirs + its + kind, holder).parameters.append(parameter)
    return parts


def trunk_of(names: Mapping[str, Any], family: Family) -> str:
    """The prefix of the trunk's names in this file: none if it was saved without a head."""
    return family.trunk if any(name.startswith(family.trunk) for name in names) else ""


def buffer_of(name: str, family: Family) -> tuple[Buffer, int] | None:
    """The buffer that a tensor of the trunk holds, and its layer; None if it holds none.

    Args:
        name: Its name, without what those of the trunk begin with.
        family: How the file is laid out.
    """
    for pattern, buffer in family.buffers.items():
        if match := re.fullmatch(pattern, name):
            return buffer, int(match[1]) if match.groups() else 0
    return None


def is_of_another_task(name: str, shape: tuple[int, ...], trunk: str, config: CheckpointConfig) -> bool:
    """Whether a tensor belongs to a head of another task, which may be there and is not read.

    Args:
        name: Its name.
        shape: Its shape: of what no name is known, none of its sizes may be that of the vocabulary.
        trunk: What the names of the trunk begin with in this file.
        config: What the model is made of.
    """
    outside = bool(trunk) and not name.startswith(trunk)
    known = re.fullmatch(OTHER_TASKS, name.removeprefix(trunk)) is not None
    return known or (outside and not config.lm_head and config.vocab_size not in shape)


def is_never_added(name: str, shape: tuple[int, ...], family: Family, config: CheckpointConfig) -> bool:
    """Whether a tensor of the trunk holds positions that a model with relative ones keeps, and adds to nothing.

    Args:
        name: Its name, without what those of the trunk begin with.
        shape: Its shape.
        family: How the file is laid out.
        config: What the model is made of.
    """
    relative = config.position if isinstance(config.position, RelativeKey) else None
    idle = name == family.outside.get("stack.added_position.table")
    return idle and relative is not None and shape == (relative.max_len, config.d_model)


def by_present_names(tensors: Iterable[tuple[str, Place]]) -> dict[str, Place]:
    """The place of each tensor, by its present name.

    Args:
        tensors: Of each the name that it has there, and where it lies.

    Raises:
        CheckpointError: If two have one name.
    """
    places: dict[str, Place] = {}
    for name, place in tensors:
        if published(name) in places:
            raise CheckpointError(f"there are two tensors {short(published(name))}.")
        places[published(name)] = place
    return places


def published(name: str) -> str:
    """The present name of a tensor.

    What wraps a model puts a word into all names; a norm's ``gamma`` and ``beta`` are of the first checkpoints that
    were published.
    """
    name = ".".join(part for part in name.split(".") if part not in WRAPPERS) or name
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{FIRST_NAMES.get(kind, kind)}" if stem.endswith("LayerNorm") else name
