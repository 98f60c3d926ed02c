"""A model goes on with a text, and which of what it writes stands so in the text."""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.measuring.inputs import generator


@torch.inference_mode()
def write(
    model: nn.Module, beginning: Int[Tensor, " tokens"], temperatures: tuple[float, ...], count: int, longest: int,
    seed: int,
) -> Int[np.ndarray, "temperatures count"]:  # fmt: skip
    """Draw one token after the other from what the model says comes next: softmax of its scores ÷ temperature.

    All temperatures share one stream of random numbers, as inverses of the same quantiles.

    Args:
        model: From numbers of tokens to scores of all kinds.
        beginning: What it goes on with.
        temperatures: One text is written at each.
        count: How many tokens.
        longest: How many of the last tokens it is shown.
        seed: Another seed draws others.
    """
    heat = torch.tensor(temperatures, dtype=torch.float64)[:, None]
    quantiles = torch.rand(count, generator=generator(seed, "learning", "writing"), dtype=torch.float64)
    text = beginning.expand(len(temperatures), -1)
    for quantile in quantiles:
        scores: Float[Tensor, "temperatures kinds"] = model(text[:, -longest:])[:, -1].cpu().double()
        below = (scores / heat).softmax(-1).cumsum(-1)
        drawn = (below < quantile * below[:, -1:]).sum(-1, keepdim=True)
        text = torch.cat((text, drawn.to(text.device)), 1)
    return text[:, len(beginning) :].cpu().numpy().astype(np.int16)


def longest_run(written: Int[np.ndarray, " count"], text: Int[np.ndarray, " tokens"]) -> tuple[int, int]:
    """The longest run of what was written that stands so in the text: where it begins, and its length.

    Of equally long ones the first. ``run[i, j] = run[i − 1, j − 1] + 1`` where token i of the one is token j of the
    other, else 0: the longest common substring, in a row of memory.
    """
    best, end = 0, 0
    row = np.zeros(len(text) + 1, np.int32)
    for at, token in enumerate(written):
        row[1:] = np.where(text == token, row[:-1] + 1, 0)
        if (most := int(row.max())) > best:
            best, end = most, at + 1
    return end - best, best
