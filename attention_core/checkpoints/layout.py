"""How the tensors of a file are the parameters of a model: by a table of names for each family."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

from torch import Tensor, nn

from attention_core.checkpoints.config import CheckpointConfig
from attention_core.modules.convert import PUBLISHED

Said = dict[str, Any]  # what a config.json says
Names = dict[str, str]  # parts of a Checkpoint and what a family calls them; a dot or _ at the end: weight and bias


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How one family names its settings and its tensors.

    Attributes:
        sizes: Its words for those of :class:`CheckpointConfig`.
        options: The other options, from what its config says.
        only: Settings of which one value alone has a counterpart here; it is also what a missing one means.
        trunk: What the names of all tensors but the head's begin with, in files that have a head.
        layer: What those of a layer begin with, before its number.
        outside: Parts outside the layers.
        inside: Parts of a layer. Several parts that are one tensor there are its rows, one after the other.
        head: Parts of the head, by their whole names.
        skipped: A pattern of names that compute nothing here: buffers, and heads for other tasks.
        columns: Whether matrices in the layers are stored (in, out): GPT-2's ``Conv1D``.
    """

    sizes: Names
    options: Callable[[Said], dict[str, Any]]
    only: Said = field(default_factory=dict)
    trunk: str
    layer: str
    outside: Names
    inside: Names
    head: Names
    skipped: str = "(?!)"
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
    found: dict[str, Part] = {}
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
                    found.setdefault(theirs + its + kind, holder).parameters.append(parameter)
    return found


def trunk_of(names: Mapping[str, Any], family: Family) -> str:
    """What the names of the trunk begin with in this file: nothing where it was saved without a head."""
    return family.trunk if any(name.startswith(family.trunk) for name in names) else ""


def is_skipped(name: str, trunk: str, config: CheckpointConfig, family: Family) -> bool:
    """Whether a tensor that no parameter asks for may be there all the same."""
    outside = bool(trunk) and not name.startswith(trunk)
    return (outside and not config.head) or re.fullmatch(family.skipped, name.removeprefix(trunk)) is not None


def published(name: str) -> str:
    """The present name of a tensor: a norm's ``gamma`` and ``beta`` in the first checkpoints that were published."""
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{PUBLISHED.get(kind, kind)}" if stem.endswith("LayerNorm") else name
