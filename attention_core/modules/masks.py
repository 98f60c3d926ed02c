"""Masks: which query may attend to which key.

Two forms, as everywhere in torch. A *bool* mask says True where a query may attend (the convention of
``F.scaled_dot_product_attention``); an *additive* mask is added to the scores before softmax: 0 where a query may
attend, −∞ (or a large negative number) where it may not. Only a key padding mask is the other way round, True where
a key is padding, as in ``nn.MultiheadAttention``: it describes the tokens, not the permission.
"""

import math
from collections.abc import Sequence
from dataclasses import fields

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor


def causal_mask(
    q_len: int, kv_len: int | None = None, *, start: int = 0, device: torch.device | str | None = None
) -> Tensor:
    """Each query sees the key in its own slot and those before it: ``mask[i, j] = (j ≤ start + i)``.

    Vaswani et al. (2017), "Attention Is All You Need", section 3.2.3. Slots are counted from the first token on
    both sides (torch's upper-left alignment), also when the lengths differ, unless ``start`` says otherwise.

    Args:
        q_len: Number of queries.
        kv_len: Number of keys; as many as queries when None.
        start: Slot of the first query, where it is not that of the first key: behind 4 tokens in a cache, 4.
        device: Where to create it.

    Returns:
        Bool mask ``(q_len, kv_len)``, True = may attend.

    Raises:
        ValueError: If a length is negative.
    """
    kv_len = q_len if kv_len is None else kv_len
    require_lengths(q_len=q_len, kv_len=kv_len)
    return torch.ones(q_len, kv_len, dtype=torch.bool, device=device).tril(start)


def sliding_window_mask(
    q_len: int,
    window: int,
    kv_len: int | None = None,
    *,
    causal: bool = False,
    start: int = 0,
    device: torch.device | str | None = None,
) -> Tensor:
    """Each query sees the keys at most ``window`` slots away: ``mask[i, j] = (|start + i − j| ≤ window)``.

    Beltagy et al. (2020), "Longformer: The Long-Document Transformer", section 3.1.

    Args:
        q_len: Number of queries.
        window: How far a query looks to either side, in tokens; 0 leaves it only itself.
        kv_len: Number of keys; as many as queries when None.
        causal: Whether to look back only.
        start: Slot of the first query, where it is not that of the first key.
        device: Where to create it.

    Returns:
        Bool mask ``(q_len, kv_len)``, True = may attend.

    Raises:
        ValueError: If a length or the window is negative.
    """
    kv_len = q_len if kv_len is None else kv_len
    require_lengths(q_len=q_len, kv_len=kv_len)
    if window < 0:
        raise ValueError(f"window = {window} is not possible: give 0 or more tokens.")
    near = torch.ones(q_len, kv_len, dtype=torch.bool, device=device).triu(start - window)
    return near.tril(start if causal else start + window)


def key_padding_mask(
    lengths: Sequence[int] | Int[Tensor, " batch"], kv_len: int | None = None, *, left: bool = False
) -> Tensor:
    """Which tokens of a batch are padding, from the number of real ones in each sentence.

    Args:
        lengths: Real tokens of each sentence.
        kv_len: Tokens of every padded sentence; the longest sentence's when None.
        left: Whether the padding comes before the real tokens instead of after them.

    Returns:
        Bool mask ``(batch, kv_len)``, **True = padding**.

    Raises:
        ValueError: If there is neither a sentence nor ``kv_len``, a length is negative, or one is longer than
            ``kv_len``.
    """
    real = torch.as_tensor(lengths)
    if real.numel() == 0 and kv_len is None:
        raise ValueError("lengths is empty: give kv_len, or the number of real tokens of at least one sentence.")
    shortest, longest = (int(real.min()), int(real.max())) if real.numel() else (0, 0)
    kv_len = longest if kv_len is None else kv_len
    require_lengths(kv_len=kv_len)
    if shortest < 0 or longest > kv_len:
        raise ValueError(
            f"lengths from {shortest} to {longest} do not fit: each must be from 0 to kv_len = {kv_len}."
        )
    slots = torch.arange(kv_len, device=real.device)
    return slots < kv_len - real[:, None] if left else slots >= real[:, None]  # (batch, kv_len)


def combine_masks(*masks: Shaped[Tensor, "..."] | None) -> Tensor | None:
    """One mask that hides whatever any of the given ones hides.

    Bool masks are joined by *and*. As soon as one is additive the result is additive: the additive ones are summed
    and −∞ is put where a bool one says False. Shapes broadcast; None stands for "no mask".

    Args:
        masks: Bool masks (True = may attend) and additive masks, in any number.

    Returns:
        The combined mask, or None when there is none.
    """
    permission: Tensor | None = None
    added: Tensor | None = None
    for mask in masks:
        if mask is None:
            continue
        if mask.dtype == torch.bool:
            permission = mask if permission is None else permission & mask
        else:
            added = mask if added is None else added + mask
    if added is None or permission is None:
        return permission if added is None else added
    return torch.where(permission, added, -math.inf)


def to_additive(
    mask: Bool[Tensor, "*shape"], dtype: torch.dtype = torch.float32, *, value: float = -math.inf
) -> Float[Tensor, "*shape"]:
    """A bool mask as numbers to add to the scores: 0 where True, ``value`` where False.

    Args:
        mask: True = may attend.
        dtype: Precision of the result; that of the scores it will be added to.
        value: −∞ hides a key for certain. −10000, as in BERT's code, hides it only as long as the scores are much
            smaller than 10⁴, and in a row that hides every key it cancels: softmax ignores a constant.
    """
    # By a tensor: a number that the precision cannot hold becomes −∞ there, and is refused by itself.
    hidden = torch.tensor(value, dtype=torch.float64, device="cpu").to(dtype)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, hidden)


def to_bool(mask: Float[Tensor, "*shape"], *, value: float = -math.inf) -> Bool[Tensor, "*shape"]:
    """An additive mask as permissions: False where it is ``value`` or less, True elsewhere.

    Args:
        mask: Numbers that are added to the scores.
        value: What stands for "hidden", rounded to the mask's precision before it is compared; −10000 finds both
            −10000 and −∞.
    """
    return mask > torch.tensor(value, dtype=torch.float64, device="cpu").to(mask.dtype)


def visible_rows(mask: Shaped[Tensor, "*rows kv_len"]) -> Bool[Tensor, "*rows 1"]:
    """Which queries see at least one key; the others are "fully masked" rows.

    Args:
        mask: A bool mask (True = may attend) or an additive one (−∞ hides; −10000 does not count as hidden).
    """
    return (mask if mask.dtype == torch.bool else to_bool(mask)).any(-1, keepdim=True)


def describe_mask(mask: Shaped[Tensor, "*lead q_len kv_len"], *, start: int | None = None) -> str:
    """What a mask does, in words.

    Which key is a query's own, the numbers of a mask do not say where there are more keys than queries: the last rows
    of a causal mask are those of a window that looks ahead, for queries that stand in the first slots.

    Args:
        mask: Bool (True = may attend) or additive. Where the masks of a batch differ, each is described in turn.
        start: Slot of the first query, counted from 0, as in :func:`causal_mask`. When None, queries are the last of
            the keys, as behind a cache; if that makes neither a causal mask nor a window of it, they are the first.

    Returns:
        For instance ``causal: each query sees itself and earlier keys``, ``keys 5–7 are hidden from every query`` or
        ``query 3 sees no key``; queries and keys are counted from 1. Where there are not as many queries as keys, or
        ``start`` is not 0, it adds ``with query 1 at key 5``.
    """
    described = [_describe(one, start) for one in mask.reshape(math.prod(mask.shape[:-2]), *mask.shape[-2:])]
    if not described:
        return "there is no sentence"
    if len(set(described)) == 1:
        return described[0]
    return "; ".join(f"sentence {number}: {words}" for number, words in enumerate(described, start=1))


def _describe(mask: Tensor, start: int | None) -> str:
    seen = mask if mask.dtype == torch.bool else to_bool(mask)
    hidden, blind = ~seen.any(0), ~seen.any(1)
    if bool(hidden.all()):
        return "no query sees any key"
    starts = (max(0, seen.shape[1] - seen.shape[0]), 0) if start is None else (start,)
    parts = [_describe_band(seen, hidden, starts)]
    if bool(hidden.any()):
        parts.append(f"{_numbers('key', 'is', 'are', hidden)} hidden from every query")
    if bool(blind.any()):
        parts.append(f"{_numbers('query', 'sees', 'see', blind)} no key")
    if mask.dtype != torch.bool and bool(mask[seen].any()):
        parts.append(f"the scores are shifted by {mask[seen].min():g} to {mask[seen].max():g}")
    return ", ".join(part for part in parts if part) or "every query sees every key"


def _describe_band(seen: Tensor, hidden: Tensor, starts: tuple[int, ...]) -> str:
    if bool((seen == ~hidden).all()):
        return ""
    for start in starts:
        if words := _describe_band_from(start, seen, hidden):
            if not start and seen.shape[0] == seen.shape[1]:
                return words
            own = f"query 1 at key {start + 1}" if start >= 0 else f"key 1 at query {1 - start}"
            return f"{words}, with {own}"
    return f"{int(seen.sum())} of {seen.numel()} pairs of query and key may attend"


def _describe_band_from(start: int, seen: Tensor, hidden: Tensor) -> str:
    """What it is for queries from that slot on; empty where it is neither causal nor a window."""
    q_len, kv_len = seen.shape
    if bool((seen == causal_mask(q_len, kv_len, start=start, device=seen.device) & ~hidden).all()):
        return "causal: each query sees itself and earlier keys"
    rows, columns = seen.nonzero().unbind(1)
    back, ahead = int((start + rows - columns).max()), int((columns - rows - start).max())
    band = torch.ones_like(seen).triu(start - back).tril(start + ahead)
    if back < 0 or ahead < 0 or not bool((seen == band & ~hidden).all()):
        return ""
    return f"window: each query sees itself, {back} before it and {ahead} after it"


def _numbers(noun: str, one: str, many: str, chosen: Tensor) -> str:
    numbers = [int(number) + 1 for number in chosen.nonzero()]
    if len(numbers) == 1:
        return f"{noun} {numbers[0]} {one}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    listed = ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"{'queries' if noun == 'query' else noun + 's'} {listed} {many}"


def require_choice(name: str, value: object, choices: tuple[type, ...]) -> None:
    """Refuse what is no instance of one of ``choices``, such as a class or a word that stands for it.

    Raises:
        TypeError: Naming what was given and what is allowed.
    """
    if not isinstance(value, choices):
        allowed = ", ".join(f"{one.__name__}(…)" if fields(one) else f"{one.__name__}()" for one in choices)
        raise TypeError(f"{name} = {value!r} is not possible: give one of {allowed}.")


def require_key_padding(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a key padding mask that is not one bool for each key.

    Raises:
        ValueError: If it has another dtype, or another shape than ``(batch, kv_len)``.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"key_padding_mask has dtype {mask.dtype}: give bool, True = padding.")
    if tuple(mask.shape) != shape:
        raise ValueError(
            f"key_padding_mask of shape {tuple(mask.shape)} does not fit: (batch, kv_len) = {shape} is needed."
        )


def require_lengths(**lengths: int) -> None:
    """Refuse negative numbers of tokens; there may be none.

    Raises:
        ValueError: Naming the first such length.
    """
    for name, length in lengths.items():
        if length < 0:
            raise ValueError(f"{name} = {length} is not possible: give 0 or more tokens.")


def require_positive(**sizes: float | int) -> None:
    """Refuse sizes that are not positive.

    Raises:
        ValueError: Naming the first such size.
    """
    for name, size in sizes.items():
        if size <= 0:
            raise ValueError(f"{name} = {size} is not possible: a positive number is needed.")
