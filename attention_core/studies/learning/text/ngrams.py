"""What counting pairs and triples of a text foretells of its next token: the baselines of a model.

The probability of a token is a mixture of its share after the same two tokens, after the same one, of the whole text,
and of one in all kinds (Jelinek & Mercer 1980, "Interpolated estimation of Markov source parameters from sparse
data"). The mixture is the likeliest of the training text, each of whose tokens is taken out of the counts while it is
foretold (leaving one out: Ney, Essen & Kneser 1994), so it trusts no count that one token alone has made.
"""

from typing import Final

import numpy as np
from jaxtyping import Float, Int

ORDERS: Final = (1, 2, 3)
ROUNDS: Final = 100  # of expectation and maximization, each of which makes the training text likelier


def losses(ids: Int[np.ndarray, " tokens"], tail: int, kinds: int, order: int) -> Float[np.ndarray, " tail"]:
    """−log p of each of the last tokens, by the counts of those before them (nats).

    Args:
        ids: The text.
        tail: How many of its last tokens are foretold, and not counted.
        kinds: How many kinds there are.
        order: 1 for shares of single tokens, 2 for pairs too, 3 for triples.
    """
    start = len(ids) - tail
    shares = _shares(ids, start, kinds, order)
    return -np.log(mixture(shares[:, :start]) @ shares[:, start:])


def mixture(shares: Float[np.ndarray, "sizes places"]) -> Float[np.ndarray, " sizes"]:
    """The weights, of sum 1, under which mixed shares make a text likeliest; by expectation and maximization.

    To the tokens of the text one is added for each size, which it alone has foretold (Laplace's rule of succession):
    that something never came does not mean that it cannot.
    """
    found = np.full(len(shares), 1 / len(shares))
    for _ in range(ROUNDS):
        parts = found[:, None] * shares
        found = ((parts / parts.sum(0)).sum(1) + 1) / (shares.shape[1] + len(shares))
    return found


def _shares(ids: np.ndarray, start: int, kinds: int, order: int) -> Float[np.ndarray, "sizes tokens"]:
    """Of each token one in all kinds, then its share after no token, after the one before, after the two before.

    Counted are the tokens before ``start``, but not the one itself. Where a token's context was not counted, its
    share after the shorter one stands in.
    """
    place, found = np.arange(len(ids)), [np.full(len(ids), 1 / kinds)]
    run = np.zeros(len(ids), np.int64)
    for size in range(1, order + 1):
        run += kinds ** (size - 1) * np.roll(ids, size - 1).astype(np.int64)
        context = run - ids
        counted = (place >= size - 1) & (place < start)
        times, of = (_times(each, counted) - counted for each in (run, context))
        known = (of > 0) & (place >= size - 1)
        found.append(np.where(known, times / np.maximum(of, 1), found[-1]))
    return np.stack(found)


def _times(numbers: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """How often each of these numbers stands among those that are counted."""
    which = np.unique(numbers, return_inverse=True)[1]
    return np.bincount(which[counted], minlength=len(numbers))[which]
