"""Code that loads the same weights with torch and safetensors alone, and prints the same numbers."""

from typing import Final

from attention_core.measuring.models import BIAS_STD
from attention_core.measuring.snippets import assemble
from attention_core.studies.trained.heads import heads_off
from attention_core.studies.trained.settings import TrainedConfig

FILE: Final = "model.safetensors"
PRINTED: Final = 3  # of the likeliest next words

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
heads, n, d = 2, 5, 16
q, k, v = torch.randn(3, heads, n, d)
W_O = torch.randn(heads * d, heads * d) / (heads * d) ** 0.5
weights = (q @ k.mT / d**0.5).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf).softmax(-1)
context = (weights @ v).transpose(0, 1).flatten(1)
off = W_O.clone()
off[:, :d] = 0  # the first head gives nothing any more: its columns of W_O are zero
print(f"from the last token the first head looks at token {weights[0, -1].argmax() + 1}")
moved = (context @ (W_O - off).T)[-1].norm() / (context @ W_O.T)[-1].norm()
print(f"without it the last output moves by {moved:.3g} of its length")
"""


def trained_snippet(config: TrainedConfig) -> str:
    """Plain torch that prints the likeliest next words, and where each head looks from the last word.

    Of a model that was brought it prints how many directions each head compares; see ``TrainedResult.rank``.
    """
    return _ranks(config) if config.brought else _shipped(config)


def _shipped(config: TrainedConfig) -> str:
    ids, tokens = config.spelled()
    layers, heads = config.shape
    untrained = (
        "for name, w in W.items():  # the same shapes, drawn anew",
        "    std = w.shape[-1] ** 0.5 if name.endswith('table') else 1.0",
        f"    drawn = parameter(name, *w.shape, seed={config.seed}, bias_std={BIAS_STD})",
        "    gain = w.dim() == 1 and not name.endswith('bias')",
        "    W[name] = torch.ones_like(w) if gain else (std * drawn).to(w.dtype)",
        "",
    )
    feed_forward = (
        '    y = norm(x, at + "feed_forward_norm.")',
        '    wide = F.gelu(linear(y, at + "feed_forward.widen."))',
        '    x = x + linear(wide, at + "feed_forward.narrow.")',
    )
    return assemble(
        f'FILE = "{FILE}"  # see Data for this model\'s',
        f"IDS, TOKENS = {list(ids)}, {tokens!r}",
        f"WORDS = {config.source.words!r}",
        f"LAYERS, HEADS, OFF, FACTOR, DTYPE = {layers}, {heads}, {list(heads_off(config))}, {config.factor:g}, "
        f"torch.{config.dtype}",
        "W = {name: w.to(DTYPE) for name, w in load_file(FILE).items()}",
        *(untrained if config.untrained else ()),
        "def linear(x, name):",
        '    return x @ W[f"{name}weight"].T + W[f"{name}bias"]',
        "",
        "def norm(x, name):",
        '    return F.layer_norm(x, x.shape[-1:], W[f"{name}weight"], W[f"{name}bias"])',
        "",
        "past = torch.ones(len(IDS), len(IDS), dtype=torch.bool).tril()",
        "past = torch.where(past, 0.0, -torch.inf).to(DTYPE)",
        'x = W["embedding.weight"][IDS] + W["stack.added_position.table"][:len(IDS)]',
        "looks = []",
        "for layer in range(LAYERS):",
        '    at = f"stack.layers.{layer}."',
        '    y, here = norm(x, at + "self_attention_norm."), at + "self_attention."',
        '    parts = zip("qkv", W[here + "in_weight"].chunk(3))',
        '    q, k, v = (split(y @ w.T + W[f"{here}{role}_bias"], HEADS) for role, w in parts)',
        "    weights = attention_weights(FACTOR * q, k, past)",
        "    context = weights @ v",
        "    for head in range(HEADS):",
        "        looks.append((layer, head, weights[head, -1]))",
        "        if (layer, head) in OFF:",
        "            context[head] = 0",
        '    x = x + linear(merge(context), here + "o_")',
        *(feed_forward if config.source.has_feed_forward else ()),
        'logits = norm(x, "stack.final_norm.")[-1] @ W["embedding.weight"].T',
        f"values, likely = logits.double().softmax(-1).topk({PRINTED})",
        "for p, word in zip(values.tolist(), likely.tolist()):",
        '    print(f"the next word is {WORDS[word]!r} with probability: {p:.4g}")',
        "for layer, head, row in looks:",
        "    token = TOKENS[row.argmax()]",
        '    name = f"layer {layer + 1}, head {head + 1}"',
        '    print(f"{name} looks from the last word at {token!r}: {row.double().max():.4g}")',
    )


def _ranks(config: TrainedConfig) -> str:
    """The effective ranks of the heads of a file whose matrices are found by what families call them."""
    first = config.source.attentions[0]
    return assemble(
        f'FILE = "{FILE}"  # yours',
        f"HEADS, KV_HEADS, D = {first.num_heads}, {first.num_kv_heads}, {first.d_head}",
        "W = load_file(FILE)",
        'Q = ("self.query.", "q_lin.", "q_proj.", "c_attn.", "self_attention.in_")  # what families call them',
        'K = ("self.key.", "k_lin.", "k_proj.", "c_attn.", "self_attention.in_")',
        "",
        "def found(names):  # of each layer, from the bottom",
        '    kept = [n for n in W if n.endswith("weight") and any(one in n for one in names)]',
        "    digits = {n: [int(part) for part in n.split('.') if part.isdigit()] for n in kept}",
        "    return [(n, W[n].double()) for n in sorted(kept, key=digits.get)]",
        "",
        "for layer, ((name, q), (_, k)) in enumerate(zip(found(Q), found(K), strict=True), 1):",
        '    if "c_attn" in name:  # side by side, and stored the other way round',
        "        q, k, _ = q.T.chunk(3)",
        '    if "self_attention.in_" in name:  # below each other',
        "        q, k = q[:HEADS * D], k[HEADS * D:][:KV_HEADS * D]",
        "    q, k = q.unflatten(0, (HEADS, D)), k.unflatten(0, (KV_HEADS, D))",
        "    k = k.repeat_interleave(HEADS // KV_HEADS, dim=0)",
        "    sizes = torch.linalg.svdvals(torch.linalg.qr(q.mT).R @ torch.linalg.qr(k.mT).R.mT)",
        "    shares = sizes / sizes.sum(-1, keepdim=True)",
        "    ranks = (-(shares * shares.clamp(min=1e-300).log()).sum(-1)).exp()",
        '    print(f"layer {layer} compares in so many directions:", *(f"{one:.4g}" for one in ranks.tolist()))',
    )
