"""Which attention module received which mask: recorded as the masks are handed over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from attention_core.modules.dot_product import merge_masks
from attention_core.modules.masks import combine_masks, sliding_window_mask, to_bool
from attention_core.modules.multi_head import MultiHeadAttention


@dataclass(frozen=True, slots=True)
class MaskUse:
    """The masks one attention module received in one call.

    Attributes:
        module: Its name in the stack, as in ``named_modules()``: ``encoder.layers.0.self_attention``.
        kinds: What it received: ``"key padding"``, ``"causal"``, ``"attention mask"``, ``"window"``; empty for
            nothing.
        mask: All of it as one bool mask ``(batch, q_len, kv_len)``, True = may attend (in some head).
    """

    module: str
    kinds: tuple[str, ...]
    mask: Bool[Tensor, "batch q_len kv_len"]


@contextmanager
def recorded_masks(stack: nn.Module) -> Iterator[list[MaskUse]]:
    """Record every call of every attention module inside ``stack`` while the context is open.

    Example::

        with recorded_masks(encoder) as uses:
            encoder(x, key_padding_mask=padding)
        [(use.module, use.kinds) for use in uses]   # [("layers.0.self_attention", ("key padding",)), …]
    """
    uses: list[MaskUse] = []
    hooks = [
        module.register_forward_pre_hook(_recorder(name, uses), with_kwargs=True)
        for name, module in stack.named_modules()
        if isinstance(module, MultiHeadAttention)
    ]
    try:
        yield uses
    finally:
        for hook in hooks:
            hook.remove()


def _recorder(name: str, uses: list[MaskUse]) -> Any:
    def record(module: MultiHeadAttention, args: tuple[Any, ...], given: dict[str, Any]) -> None:
        call = signature(module.forward).bind(*args, **given).arguments  # however its arguments were spelled
        query, key = call["query"], call.get("key")
        key = query if key is None else key
        attn_mask, padding, causal = (call.get(kind) for kind in ("attn_mask", "key_padding_mask", "is_causal"))
        if attn_mask is not None and attn_mask.dim() == 3:
            attn_mask = attn_mask[:, None]
        heads = 1 if attn_mask is None or attn_mask.dim() < 4 else attn_mask.shape[1]
        kv_len, further, cache = key.shape[1], None, call.get("cache")
        if cache is not None:
            kv_len += cache.length
            further, causal = cache.causal(query.shape[1]), not cache.length
            padding = cache.with_padding(padding, query.shape[1])
        if module.window is not None:
            near = sliding_window_mask(
                query.shape[1], module.window, kv_len, start=kv_len - key.shape[1], device=query.device
            )
            further = combine_masks(further, near)
        shape = (query.shape[0], heads, query.shape[1], kv_len)
        mask = merge_masks(shape, attn_mask, padding, bool(causal), further=further, like=query)
        if mask is None:
            mask = torch.ones(shape, dtype=torch.bool, device=query.device)
        mask = mask if mask.dtype == torch.bool else to_bool(mask)
        causal = causal or cache is not None
        received = {
            "key padding": padding is not None,
            "causal": causal,
            "attention mask": attn_mask is not None,
            "window": module.window is not None,
        }
        kinds = tuple(kind for kind, there in received.items() if there)
        uses.append(MaskUse(name, kinds, mask.expand(shape).any(1)))

    return record
