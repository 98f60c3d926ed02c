"""Code that compares the variants again in plain torch, without this project."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.variants.result import VariantsResult
from attention_core.studies.variants.settings import D_HEAD, HEADS, KV_HEADS, VariantsConfig

SHORTEST: Final = """\
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q, k, v = torch.randn(8, 6, 16), torch.randn(2, 6, 16), torch.randn(2, 6, 16)  # 8 heads of queries, 2 of keys
repeated = (z.repeat_interleave(4, dim=0) for z in (k, v))
full = F.scaled_dot_product_attention(q, *repeated, is_causal=True)
kept_k, kept_v = k[:, :0], v[:, :0]
for t in range(6):  # word by word, with what is kept of those before
    kept_k, kept_v = torch.cat((kept_k, k[:, t:t + 1]), 1), torch.cat((kept_v, v[:, t:t + 1]), 1)
    step = F.scaled_dot_product_attention(q[:, t:t + 1], kept_k, kept_v, enable_gqa=True)
    off = (step - full[:, t:t + 1]).abs().max()
    print(f"word {t + 1} keeps {2 * kept_k.numel()} numbers, not {8 * kept_k.numel()}, and is off by {off:.0e}")
"""


def variants_snippet(config: VariantsConfig) -> str:
    """Plain torch that prints the cache's bytes, how far decoding is off, and how far the variants are.

    Bytes are those of the settings' text with the shared heads. The distances are of grouped attention, of linear and
    of additive attention to full attention, relative to its length.
    """
    rotary, alibi = config.positions == "rotary", config.positions == "alibi"
    seen = "past" if config.causal else "0.0"
    at = "(0 * i[:1], 0 * i[:t + 1])" if config.restart else "(i[t:t + 1], i[:t + 1])"
    return assemble(
        f"SEED, HEADS, D, DTYPE = {config.seed}, {HEADS}, {D_HEAD}, torch.{config.dtype}",
        f"KV_HEADS, LENGTH = {config.num_kv_heads}, {config.length}",
        f"TOKENS = {config.tokens!r}",
        "M, i = HEADS * D, torch.arange(len(TOKENS))",
        "x = embed(TOKENS, M, SEED).to(DTYPE)",
        'W = dict(zip("qkv", parameter("in_weight", 3 * M, M, seed=SEED).chunk(3)))',
        'b = {role: parameter(f"{role}_bias", M, seed=SEED) for role in "qkv"}',
        'O, b_O = (parameter(f"o_{kind}", *shape, seed=SEED).to(DTYPE) for kind, shape in',
        '          (("weight", (M, M)), ("bias", (M,))))',
        'score_weight = parameter("score_weight", HEADS, D, seed=SEED).to(DTYPE)[:, None, None]',
        "",
        "def project(x, heads):  # heads of keys and values: means of those that they replace",
        "    def pooled(z, n):",
        "        return z.unflatten(0, (n, HEADS // n, D)).mean(1).flatten(0, 1).to(DTYPE)",
        "",
        '    parts = (("q", HEADS), ("k", heads), ("v", heads))',
        "    return [split(x @ pooled(W[role], n).T + pooled(b[role], n), n) for role, n in parts]",
        "",
        "def attend(q, k, v, at, seen):  # at: the positions of queries and of keys",
        "    k, v = (z.repeat_interleave(HEADS // len(z), dim=0) for z in (k, v))",
        "    q, k = rotate(q, at[0]), rotate(k, at[1])" if rotary else None,
        "    seen = seen + alibi(HEADS, *at)" if alibi else None,
        "    return merge(attention_weights(q, k, seen) @ v) @ O.T + b_O",
        "",
        "def linear(q, k, v, causal):",
        "    weights = (F.elu(q) + 1) @ (F.elu(k) + 1).mT",
        "    weights = weights.tril() if causal else weights",
        "    return merge((weights / weights.sum(-1, keepdim=True)) @ v) @ O.T + b_O",
        "",
        "def additive(q, k, v, mask):",
        f"    pairs = q[:, :, None] + k[:, None]{'' if config.no_tanh else '; pairs = pairs.tanh()'}",
        "    scores = (pairs * score_weight).sum(-1) + mask",
        "    return merge(scores.softmax(-1).to(DTYPE) @ v) @ O.T + b_O",
        "",
        "past = torch.where(i <= i[:, None], 0, -torch.inf)",
        "q, k, v = project(x, KV_HEADS)",
        "size = 2 * KV_HEADS * D * LENGTH * x.element_size()",
        'print(f"the cache of {LENGTH} tokens fills so many bytes: {size}")',
        "whole, off = attend(q, k, v, (i, i), past), 0.0",
        "for t in range(len(TOKENS)):",
        f"    step = attend(q[:, t:t + 1], k[:, :t + 1], v[:, :t + 1], {at}, 0.0)",
        "    off = max(off, (step - whole[t]).double().abs().max().item())",
        'print(f"word by word it is off the whole pass by: {off:.3g}")',
        f"full = attend(*project(x, HEADS), (i, i), {seen})",
        f"grouped, loose = attend(q, k, v, (i, i), {seen}), linear(*project(x, HEADS), {config.causal})",
        f"sums = additive(*project(x, HEADS), {seen}{' + alibi(HEADS, i, i)' if alibi else ''})",
        'for name, y in (("grouped", grouped), ("linear", loose), ("additive", sums)):',
        "    away = ((y - full).double().norm() / full.double().norm()).item()",
        '    print(f"{name} attention is away from the full one by: {away:.3g}")',
    )


def headline(result: VariantsResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    config = result.config
    at = KV_HEADS.index(config.num_kv_heads)
    size = int(result.cache_bytes(config.length)[at])
    distances = [result.distances[at], result.linear_distance, result.additive_distance]
    return [config.length, size, result.moved.max(), *distances]
