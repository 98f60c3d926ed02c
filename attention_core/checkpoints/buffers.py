"""Tensors of a file that are derived from its config: they are left out, once a look says that they are just that."""

import io
import math
from collections.abc import Mapping
from typing import Final, Literal

import torch
from torch import Tensor

from attention_core.checkpoints.config import MOST_POSITIONS, CheckpointConfig
from attention_core.checkpoints.tensor_file import TensorEntry, read_piece

DTYPES: Final = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip

Buffer = Literal["slots", "zeros", "causal mask", "hidden score", "frequencies", "angles"]

# Patterns of names in the trunk; in a group the number of a layer that matters.
OF_ENCODERS: Final[Mapping[str, Buffer]] = {
    r"embeddings\.position_ids": "slots",
    r"embeddings\.token_type_ids": "zeros",
}
OF_GPT: Final[Mapping[str, Buffer]] = {
    r"h\.(\d{1,4})\.attn(?:\.attention)?\.bias": "causal mask",
    r"h\.\d+\.attn(?:\.attention)?\.masked_bias": "hidden score",
}
OF_ROTARY: Final[Mapping[str, Buffer]] = {
    r"(?:layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq": "frequencies",
    r"(?:layers\.\d+\.self_attn\.)?rotary_emb\.(?:cos|sin)_cached": "angles",
}
# In many files these were rounded to the precision of the weights, and are others then: whoever reads such a file
# computes them anew, and their shape alone is held against the config.
_SHAPE_ALONE: Final = ("frequencies", "angles")
_AT_ONCE: Final = 2**20  # numbers that are looked at together


def is_derived(
    file: io.BufferedIOBase, entry: TensorEntry, buffer: Buffer, config: CheckpointConfig, layer: int
) -> bool:
    """Whether a tensor is what it is derived to be, looked at piece by piece.

    Args:
        file: Where it lies.
        entry: Where in there.
        buffer: What it should be.
        config: What the model is made of.
        layer: The number of its layer; 0 outside of them.

    Raises:
        CheckpointError: If the file changes meanwhile.
    """
    if not _fits(buffer, entry.shape, config.d_head or config.d_model // config.num_heads):
        return False
    if buffer in _SHAPE_ALONE:
        return True
    columns = entry.shape[-1] if entry.shape else 1
    rows, size = math.prod(entry.shape) // columns, entry.nbytes // math.prod(entry.shape)
    step = max(1, _AT_ONCE // columns)
    for first in range(0, rows, step):
        count = min(step, rows - first)
        content = read_piece(file, entry.start + first * columns * size, count * columns * size)
        block = torch.frombuffer(content, dtype=DTYPES[entry.dtype]).view(count, columns)
        if not _holds(buffer, block, first, config.windows[layer] if config.windows else None):
            return False
    return True


def _fits(buffer: Buffer, shape: tuple[int, ...], d_head: int) -> bool:
    match buffer:
        case "frequencies":
            return shape == (d_head // 2,)
        case "angles":
            return 2 <= len(shape) <= 4 and shape[-1] in (d_head, d_head // 2)
        case "causal mask":
            return len(shape) == 4 and shape[:2] == (1, 1) and 0 < shape[2] == shape[3] <= MOST_POSITIONS
        case "hidden score":
            return math.prod(shape) == 1
        case _:
            return 1 <= len(shape) <= 2 and 0 < math.prod(shape) == shape[-1] <= MOST_POSITIONS


def _holds(buffer: Buffer, block: Tensor, first: int, window: int | None) -> bool:
    """Whether rows of a buffer, the first of which has that number, are right in a layer with that window."""
    rows, columns = torch.arange(first, first + len(block))[:, None], torch.arange(block.shape[1])
    match buffer:
        case "slots":
            fits = block == columns
        case "causal mask":
            back = rows - columns
            fits = (block != 0) == ((back >= 0) & (back <= (len(columns) if window is None else window)))
        case "hidden score":
            fits = block <= -1e4
        case _:
            fits = block == 0
    return bool(fits.all())
