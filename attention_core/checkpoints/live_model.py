"""A model of transformers in memory, read as its files would be: its config as JSON, and its tensors as bytes."""

import io
import json
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.checkpoints.assemble import CONFIG
from attention_core.checkpoints.buffers import DTYPES
from attention_core.checkpoints.head import Places
from attention_core.checkpoints.layout import by_present_names
from attention_core.checkpoints.tensor_file import CheckpointError, TensorEntry, read_json, short

_WORDS = {dtype: word for word, dtype in DTYPES.items()}


def said_by(model: nn.Module) -> dict[str, Any]:
    """The content of ``config.json`` if the model was saved: its config and its class.

    Args:
        model: A model with ``config.to_dict()``.

    Raises:
        CheckpointError: If it has none, or that is not JSON.
    """
    config: Any = getattr(model, "config", None)
    name = type(model).__name__
    if not hasattr(config, "to_dict") or not hasattr(model, "state_dict"):
        raise CheckpointError(f"{name} is no model of transformers: one with a config and a state_dict is needed.")
    try:
        text = json.dumps(config.to_dict() | {"architectures": [name]})
    except (TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(f"the config of this {name} cannot be written as {CONFIG}: {error}.") from error
    return read_json(text.encode(), CONFIG)


def places_of(state_dict: Mapping[str, Any]) -> Places:
    """The place of each tensor of a model, by its present name.

    Args:
        state_dict: Its tensors. They stay where they are, and are not copied.

    Raises:
        CheckpointError: If one is no plain tensor of numbers, or two have one name.
    """
    return by_present_names((name, _place(name, each)) for name, each in state_dict.items())


def _place(name: str, tensor: Any) -> tuple[io.BufferedIOBase, TensorEntry]:
    if type(tensor) not in (Tensor, nn.Parameter) or tensor.layout is not torch.strided or tensor.is_meta:
        raise CheckpointError(f"{short(name)} is no plain tensor that holds numbers: such a one is needed.")
    if tensor.dtype not in _WORDS:
        raise CheckpointError(f"{short(name)} has dtype {tensor.dtype}: one of {', '.join(DTYPES)} is needed.")
    return _TensorBytes(tensor), TensorEntry(_WORDS[tensor.dtype], tuple(tensor.shape), 0, tensor.nbytes)


class _TensorBytes(io.BufferedIOBase):
    """A tensor as a file of its bytes, which leave its device as they are read."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor, self._at = tensor.detach(), 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a byte, counted from the first."""
        assert whence == io.SEEK_SET
        self._at = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the bytes from there on, as far as there are any."""
        numbers = self._tensor.flatten().view(torch.uint8)
        piece = numbers[self._at : self._at + len(buffer)].cpu().numpy()
        memoryview(buffer)[: len(piece)] = piece.data  # a bytearray's own slice would be set by way of a copy
        self._at += len(piece)
        return len(piece)
