"""How the next token is chosen from what the last one says: the likeliest, or drawn."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor


def greedy(scores: Float[Tensor, "batch kinds"]) -> Int[Tensor, " batch"]:
    """The kind with the largest score, of each sentence."""
    return scores.argmax(-1)


def sampling(
    *, temperature: float = 1.0, top_p: float = 1.0, generator: torch.Generator | None = None
) -> Callable[[Tensor], Tensor]:
    """A choice that draws a kind of each sentence with the probabilities of :func:`sampled_from`.

    Args:
        temperature: What scores are divided by.
        top_p: How much probability those that may be drawn have together, at least.
        generator: Where the draws come from; torch's own when None.

    Raises:
        ValueError: If ``temperature`` is not positive, or ``top_p`` not above 0 and up to 1.
    """
    if not 0 < temperature < float("inf"):
        raise ValueError(f"temperature = {temperature} is not possible: a positive number is needed.")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p = {top_p} is not possible: a number above 0 and up to 1 is needed.")
    return partial(_draw, temperature=temperature, top_p=top_p, generator=generator)


def _draw(scores: Tensor, *, temperature: float, top_p: float, generator: torch.Generator | None) -> Tensor:
    probabilities = sampled_from(scores, temperature=temperature, top_p=top_p)
    return torch.multinomial(probabilities, 1, generator=generator)[:, 0]


def sampled_from(
    scores: Float[Tensor, "batch kinds"], *, temperature: float = 1.0, top_p: float = 1.0
) -> Float[Tensor, "batch kinds"]:
    """The probabilities that are drawn from: ``softmax(scores / temperature)``, without the unlikeliest kinds.

    Left out are those that have together at most ``1 − top_p``; the likeliest always stays: Holtzman et al. (2020),
    "The Curious Case of Neural Text Degeneration", section 3.1. In float32, as transformers has it.
    """
    scores = scores.float() / temperature
    if top_p == 1:
        return scores.softmax(-1)
    ascending, order = scores.sort(dim=-1)
    left_out = ascending.softmax(-1).cumsum(-1) <= 1 - top_p
    left_out[..., -1] = False
    return scores.masked_fill(left_out.scatter(-1, order, left_out), -torch.inf).softmax(-1)
