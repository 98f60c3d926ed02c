"""The masks that are looked for."""

from typing import Final

import torch
from jaxtyping import Bool
from torch import Tensor

HUGE: Final = (
    -1e9
)  # stands for all that is far below any score: where a row sees a key, softmax makes exactly 0 of it


def visible(kind: str, number: str, q_len: int, kv_len: int) -> Bool[Tensor, "q_len kv_len"] | None:
    """Which keys each query sees by a value of the choice ``mask``; None where all."""
    if kind == "none":
        return None
    all_seen = torch.ones(q_len, kv_len, dtype=torch.bool)
    if kind == "window":
        return all_seen.tril() & ~all_seen.tril(-int(float(number)))
    if kind.startswith("strict"):
        return all_seen.tril(-1)
    if kind.startswith("past_hidden"):
        return all_seen.triu(1)
    return all_seen.triu() if kind == "future" else all_seen.tril()
