"""Speculation: a small model drafts some words, a large one reads them at once, and what is written is its own."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.modules.masks import require_lengths, require_positive

# From numbers of tokens (1, tokens) to what each says of the next one (1, tokens, kinds).
Writes: TypeAlias = Callable[[Tensor], Tensor]


class Speculated(NamedTuple):
    """What was written, and what it took.

    Attributes:
        ids: The tokens that were given and the new ones ``(1, tokens + max_new_tokens)``.
        drafted: How many tokens were drafted before each call of the target.
        accepted: How many of these it kept; one more token it wrote itself.
    """

    ids: Int[Tensor, "1 tokens"]
    drafted: tuple[int, ...]
    accepted: tuple[int, ...]


def acceptance(target: Float[Tensor, "... kinds"], draft: Float[Tensor, "... kinds"]) -> Float[Tensor, "... kinds"]:
    """How likely each token, once drafted, is kept: ``min(1, p/q)``; 1 where q is 0, for it is never drafted."""
    return torch.where(draft > 0, target / draft, 1.0).clamp(max=1.0)


def remainder(target: Float[Tensor, "... kinds"], draft: Float[Tensor, "... kinds"]) -> Float[Tensor, "... kinds"]:
    """What is drawn from in place of a draft that was not kept: ``(p − q)₊`` over its sum; p where q is p."""
    left = (target - draft).clamp(min=0.0)
    total = left.sum(-1, keepdim=True)
    return torch.where(total > 0, left / total.masked_fill(total == 0, 1.0), target)


@torch.no_grad()
def speculate(
    target: Writes,
    draft: Writes,
    ids: Int[Tensor, "..."],
    max_new_tokens: int,
    *,
    block: int = 4,
    generator: torch.Generator | None = None,
) -> Speculated:
    """A text with ``max_new_tokens`` more tokens, distributed as if ``target`` alone had written it.

    The draft writes up to ``block`` tokens, one call each; one call of the target says of every one what it would
    have written there. The first draft x that is not kept, each with probability ``min(1, p(x)/q(x))``, is drawn
    again from ``(p − q)₊``, and what follows it is dropped; if all are kept, one more is drawn from p. Since
    ``min(p, q) + (p − q)₊ = p``, each token has the target's own distribution, whatever the draft: Leviathan et al.
    (2023), "Fast Inference from Transformers via Speculative Decoding", appendix A.1. Greedily p and q are 1 at
    their largest logit, and the same rule keeps a draft where the two agree.

    Args:
        target: The model whose text is wanted: from ids ``(1, tokens)`` to logits ``(1, tokens, kinds)``, each token
            looking back only, as a causal ``Checkpoint`` does.
        draft: A cheaper one with the same vocabulary.
        ids: The beginning of the text ``(1, tokens)``.
        max_new_tokens: How many tokens to write.
        block: How many tokens are drafted at most before the target reads them.
        generator: Where chance comes from, on the CPU; None writes the most probable token each time.

    Raises:
        ValueError: If ``ids`` is not one text of a token or more, ``block`` not positive, ``max_new_tokens``
            negative, or the two models have not one vocabulary.
    """
    require_positive(block=block)
    require_lengths(max_new_tokens=max_new_tokens)
    if ids.dim() != 2 or ids.shape[0] != 1 or not ids.shape[1]:
        raise ValueError(f"ids has shape {tuple(ids.shape)}: one text of at least one token, (1, tokens), is needed.")
    end, drafted, accepted = ids.shape[1] + max_new_tokens, list[int](), list[int]()
    while ids.shape[1] < end:
        start, guesses = ids.shape[1], list[Tensor]()
        text = ids
        for _ in range(min(block, end - start - 1)):
            guesses.append(_next(draft(text)[0, -1:], generator)[0])
            text = _with(text, _drawn(guesses[-1], generator))
        likely = _next(target(text)[0, start - 1 :], generator)  # (drafts + 1, kinds)
        if guesses and likely.shape[-1] != guesses[0].shape[-1]:
            raise ValueError(
                f"the draft knows {guesses[0].shape[-1]} tokens and the target {likely.shape[-1]}: speculation needs "
                "two models of one vocabulary."
            )
        kept, following = 0, likely[-1]
        for p, q, token in zip(likely, guesses, text[0, start:].tolist(), strict=False):
            if _chance(generator) >= float(acceptance(p, q)[token]):
                following = remainder(p, q)
                break
            kept += 1
        ids = _with(text[:, : start + kept], _drawn(following, generator))
        drafted.append(len(guesses))
        accepted.append(kept)
    return Speculated(ids, tuple(drafted), tuple(accepted))


def _next(logits: Float[Tensor, "rows kinds"], generator: torch.Generator | None) -> Float[Tensor, "rows kinds"]:
    """The distribution of the next token: softmax, or 1 at the largest logit; in float64, whatever the precision."""
    logits = logits.to("cpu", torch.float64)
    return F.one_hot(logits.argmax(-1), logits.shape[-1]).double() if generator is None else logits.softmax(-1)


def _drawn(distribution: Float[Tensor, " kinds"], generator: torch.Generator | None) -> int:
    return int(distribution.argmax() if generator is None else distribution.multinomial(1, generator=generator))


def _chance(generator: torch.Generator | None) -> float:
    """A number below 1; greedily any number will do, for a draft is kept with probability 0 or 1."""
    return 0.5 if generator is None else float(torch.rand((), generator=generator, dtype=torch.float64))


def _with(ids: Int[Tensor, "1 tokens"], token: int) -> Int[Tensor, "1 tokens_and_one"]:
    return torch.cat((ids, ids.new_tensor([[token]])), dim=1)
