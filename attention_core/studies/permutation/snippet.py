"""Code that measures one shuffle again in plain torch, without this project."""

from typing import Final

from attention_core.measuring.choices import turns
from attention_core.measuring.snippets import assemble, mask, turned
from attention_core.modules.block import PostNorm, PreNorm, ResidualPostNorm
from attention_core.studies.permutation.measure import ShuffleResult
from attention_core.studies.permutation.settings import ADDED, BLOCKS, D_MODEL, NUM_HEADS, WINDOW, ShuffleConfig

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.randn(n, d, dtype=torch.float64)
W_Q, W_K, W_V = torch.randn(3, d, d, dtype=torch.float64) / d**0.5

def attend(queries, keys):
    scores = (queries @ W_Q.T) @ (keys @ W_K.T).T / d**0.5
    return scores.softmax(-1) @ (keys @ W_V.T)

order = torch.randperm(n)
print(f"keys and values shuffled: outputs differ by {(attend(x, x[order]) - attend(x, x)).abs().max():.1e}")
print(f"all shuffled: rows, put back, differ by {(attend(x[order], x[order]) - attend(x, x)[order]).abs().max():.1e}")
"""

_STEPS: Final = {
    PreNorm(): "z + part(norm(z, name), slots, name)",
    PostNorm(): "norm(z + part(z, slots, name), name)",
    ResidualPostNorm(): "z + norm(part(z, slots, name), name)",
}
_PLACE: Final = """\
    query = query + encode(slots_q)
    key, value = key + encode(slots_k), value + encode(slots_k)"""


def permutation_snippet(config: ShuffleConfig) -> str:
    """Plain torch that prints ``max |f(shuffled) − shuffled f|`` for exactly these settings."""
    order_q = config.query_order or tuple(range(len(config.tokens)))
    order_k = config.key_order or tuple(range(len(config.keys)))
    blocks = config.model in BLOCKS
    return assemble(
        f"SEED, D, HEADS, DTYPE = {config.seed}, {D_MODEL}, {NUM_HEADS}, torch.{config.dtype}",
        f"X, Y = {config.tokens!r}, {config.keys!r}",
        f"order_q, order_k = torch.tensor({order_q!r}), torch.tensor({order_k!r})",
        "",
        "def weight(name, *shape):",
        "    return parameter(name, *shape, seed=SEED).to(DTYPE)",
        "",
        *_encode(config),
        "x, i = embed(X, D, SEED).to(DTYPE), torch.arange(len(X))",
        None if blocks else "y, j = embed(Y, D, SEED).to(DTYPE), torch.arange(len(Y))",
        *(_blocks if blocks else _attention)(config),
        'print(f"the shuffle, undone, leaves of the output: {(after - before[order_q]).abs().max().item():.3g}")',
    )


def _encode(config: ShuffleConfig) -> tuple[str, ...]:
    """Lines of the vectors that are added for each slot."""
    if config.positions not in ADDED:
        return ()
    table = 'draw((64, D), SEED, "parameter", "added_position.table").to(DTYPE)[slots]'
    return (
        "def encode(slots):",
        f"    return {table if config.positions == 'learned' else 'sinusoids(slots, D).to(DTYPE)'}",
        "",
    )


def _attention(config: ShuffleConfig) -> tuple[str | None, ...]:
    masks = _mask(config, "i", "j", slots=("slots_q", "slots_k"))
    value = "y" if config.keys_alone else "y[order_k]"
    slots = "order_q, order_k" if config.carried else "i, j"
    q, k, v, o = (f" + b_{role}" * config.biases for role in "QKVO")
    return (
        'W_Q, W_K, W_V = weight("in_weight", 3 * D, D).chunk(3)',
        'W_O = weight("o_weight", D, D)',
        'b_Q, b_K, b_V, b_O = (weight(f"{role}_bias", D) for role in "qkvo")' if config.biases else None,
        "",
        "def attend(query, key, value, slots_q, slots_k):",
        _PLACE if config.positions in ADDED else None,
        f"    q, k, v = query @ W_Q.T{q}, key @ W_K.T{k}, value @ W_V.T{v}",
        "    q, k, v = (split(z, HEADS) for z in (q, k, v))  # (heads, tokens, d_head)",
        f"    q, k = {turned(config.positions, ('q', 'slots_q'), ('k', 'slots_k'), length='max(len(X), len(Y))')}"
        if turns(config.positions)
        else None,
        f"    mask = {masks}" if masks else None,
        f"    context = merge(attention_weights(q, k{', mask' if masks else ''}) @ v)",
        f"    return context @ W_O.T{o}",
        "",
        "before = attend(x, y, y, i, j)",
        f"after = attend(x[order_q], y[order_k], {value}, {slots})",
    )


def _blocks(config: ShuffleConfig) -> tuple[str | None, ...]:
    # Added positions enter once, below the first block; the others act in every attention.
    placement, layers = BLOCKS[config.model]
    masks = _mask(config, "i", "i", slots=("slots", "slots"))
    bias, out = (
        (' + weight(f"{name}.{role}_bias", D)', ' + weight(name + ".o_bias", D)') if config.biases else ("", "")
    )
    return (
        "",
        "def attend(z, slots, name):",
        '    parts = zip("qkv", weight(name + ".in_weight", 3 * D, D).chunk(3))',
        f"    q, k, v = (split(z @ W.T{bias}, HEADS) for role, W in parts)",
        f"    q, k = {turned(config.positions, ('q', 'slots'), ('k', 'slots'), length='len(X)')}"
        if turns(config.positions)
        else None,
        f"    mask = {masks}" if masks else None,
        f"    context = merge(attention_weights(q, k{', mask' if masks else ''}) @ v)",
        f'    return context @ weight(name + ".o_weight", D, D).T{out}',
        "",
        "def feed(z, slots, name):",
        '    hidden = F.gelu(z @ weight(name + ".widen.weight", 4 * D, D).T + weight(name + ".widen.bias", 4 * D))',
        '    return hidden @ weight(name + ".narrow.weight", D, 4 * D).T + weight(name + ".narrow.bias", D)',
        "",
        "def norm(z, name):",
        '    return F.layer_norm(z, (D,), bias=weight(name + "_norm.bias", D))',
        "",
        "def blocks(z, slots):",
        "    z = z + encode(slots)" if config.positions in ADDED else None,
        f"    for layer in range({layers}):",
        '        for part, kind in ((attend, "self_attention"), (feed, "feed_forward")):',
        '            name = f"layers.{layer}.{kind}"',
        f"            z = {_STEPS[placement]}",
        "    return z",
        "",
        f"before, after = blocks(x, i), blocks(x[order_q], {'order_q' if config.carried else 'i'})",
    )


def _mask(config: ShuffleConfig, query: str, key: str, *, slots: tuple[str, str]) -> str:
    sees = {"causal": f"{key} <= {query}[:, None]", "window": f"({query}[:, None] - {key}).abs() <= {WINDOW}"}
    return mask(positions=config.positions, sees=sees.get(config.mask), slots=slots)


def headline(result: ShuffleResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    return [result.moved]
