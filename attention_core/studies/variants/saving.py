"""What a cache of keys and values saves and takes, word by word: counted of the module, whatever its numbers."""

from functools import cache

import torch

from attention_core.measuring.flops import count
from attention_core.modules.allocate import allocate
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.studies.variants.settings import D_MODEL, HEADS


@cache
def flops_by_word(words: int, num_kv_heads: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """FLOPs of a layer for each new word, by torch's counter: the whole pass once more, and with a cache.

    Neither biases nor masks, positions or numbers change how many products there are.

    Args:
        words: How many words there are in the end.
        num_kv_heads: Heads of keys and values.
    """
    module = allocate(MultiHeadAttention(D_MODEL, HEADS, num_kv_heads=num_kv_heads, device="meta"))
    text, kept = torch.zeros(1, words, D_MODEL), module.cache(1, words)
    whole, cached = [], []
    for at in range(words):
        whole.append(count(module.trace, text[:, : at + 1], is_causal=True)[0].operations)
        cached.append(count(module.trace, text[:, at : at + 1], cache=kept)[0].operations)
    return tuple(whole), tuple(cached)
