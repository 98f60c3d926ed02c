"""Which tensors of a file are a model's head: they say whether it has one, and whether its matrix is its own."""

import io
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.layout import Family
from attention_core.checkpoints.tensor_file import TensorEntry, read_piece

WRITES_LOGITS: Final = ("LMHeadModel", "ForCausalLM", "ForMaskedLM", "ForPreTraining")
Places = Mapping[str, tuple[io.BufferedIOBase, TensorEntry]]  # where each tensor lies
_PIECE: Final = 2**20


def names_head(architectures: object) -> bool:
    """Whether a config names a class that gives logits; it may name none, or several."""
    names = architectures if isinstance(architectures, list) else []
    return any(isinstance(name, str) and name.endswith(WRITES_LOGITS) for name in names)


def has_head(
    config: CheckpointConfig, names: Collection[str], family: Family, trunk: str, architectures: object
) -> bool:
    """Whether a file holds a model with logits, arguments as in :func:`settled`."""
    if config.lm_head or any(name.startswith(part) for name in names for part in family.head.values()):
        return True
    # A tied matrix leaves one trace: what is saved without a head has no word for its trunk.
    only_trunk = bool(trunk) and all(name.startswith(trunk) for name in names)
    unsaid = not isinstance(architectures, list) or len(architectures) != 1
    return unsaid and only_trunk and config.tie_word_embeddings and config.head_transform is None


def settled(
    config: CheckpointConfig, places: Places, family: Family, trunk: str, architectures: object
) -> tuple[CheckpointConfig, dict[str, Any]]:
    """The config and the tensors of the head that the file holds, whatever the config says of it.

    A matrix of its own that differs is the head's; one that is the same is left out. Where a tensor is shared, files
    may hold it under either name.

    Args:
        config: What ``config.json`` says.
        places: Where each tensor lies.
        family: How the file is laid out.
        trunk: What names begin with in this file.
        architectures: The names of classes that it says.
    """
    config = replace(config, lm_head=has_head(config, places, family, trunk, architectures))
    tensors = dict(places)
    table, matrix = f"{trunk}{family.outside['embedding.']}weight", f"{family.head['lm_head.']}weight"
    bias, shared = f"{family.head['lm_head.']}bias", family.head.get("head_bias", "")
    if not config.lm_head:
        return config, tensors
    tied = config.tie_word_embeddings
    if tied and matrix in tensors:
        if table not in tensors:
            tensors[table] = tensors.pop(matrix)
        elif _same(tensors[matrix], tensors[table]):
            del tensors[matrix]
        else:
            config = replace(config, tie_word_embeddings=False)
    if shared and shared != bias:
        # Logits are computed with the matrix's own bias; where there is one alone, both are that.
        used = tensors.pop(bias, tensors.get(shared) if tied else None)
        tensors.pop(shared, None)
        if used is not None:
            tensors[shared if config.tie_word_embeddings else bias] = used
    return config, tensors


def _same(tensor: tuple[io.BufferedIOBase, TensorEntry], other: tuple[io.BufferedIOBase, TensorEntry]) -> bool:
    """Whether two tensors hold the same numbers, compared piece by piece."""
    (file, entry), (other_file, other_entry) = tensor, other
    if (entry.dtype, entry.shape) != (other_entry.dtype, other_entry.shape):
        return False
    for start in range(0, entry.nbytes, _PIECE):
        count = min(_PIECE, entry.nbytes - start)
        piece = read_piece(file, entry.start + start, count)
        if piece != read_piece(other_file, other_entry.start + start, count):
            return False
    return True
