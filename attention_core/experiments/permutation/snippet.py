"""Code that measures one shuffle again in plain torch, without this project."""

from typing import Final

from attention_core.experiments.permutation.config import (
    ADDED,
    BIAS_STD,
    BLOCKS,
    D_MODEL,
    NUM_HEADS,
    WINDOW,
    PermutationConfig,
    ShuffleConfig,
)
from attention_core.modules.block import PostNorm, PreNorm, ResidualPostNorm

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

_HEAD = """\
import hashlib, math, torch

SEED, DTYPE, D, HEADS = {seed}, torch.{dtype}, {d_model}, {heads}
X, Y = {tokens!r}, {keys!r}
order_q, order_k = torch.tensor({query_order!r}), torch.tensor({key_order!r})

def draw(shape, *purpose):
    digest = hashlib.blake2b(repr((SEED, *purpose)).encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)
    return torch.randn(shape, generator=generator, dtype=torch.float64)

def parameter(name, *shape, std):
    return (draw(shape, "parameter", name) * std).to(DTYPE)

x, y = (torch.stack([draw((D,), "token", text) for text in tokens]).to(DTYPE) for tokens in (X, Y))
"""

_WEIGHTS = """\
W_Q, W_K, W_V = parameter("in_weight", 3 * D, D, std=D**-0.5).chunk(3)
W_O = parameter("o_weight", D, D, std=D**-0.5)
b_Q, b_K, b_V, b_O = ({biases})
"""

_ATTEND = """\

def attend(query, key, value, query_slots, key_slots):
{place}    q, k, v = query @ W_Q.T + b_Q, key @ W_K.T + b_K, value @ W_V.T + b_V
    q, k, v = (z.unflatten(-1, (HEADS, -1)).transpose(0, 1) for z in (q, k, v))  # (heads, tokens, d_head)
{turn}    scores = q @ k.mT / math.sqrt(D // HEADS)
{mask}    context = scores.softmax(-1, dtype={precise}).nan_to_num().to(DTYPE) @ v
    return context.transpose(0, 1).flatten(1) @ W_O.T + b_O

i, j = torch.arange(len(X)), torch.arange(len(Y))
before = attend(x, y, y, i, j)
after = attend(x[order_q], y[order_k], {value}, {slots})
print(f"the shuffle, undone, leaves of the output: {{(after - before[order_q]).abs().max().item():.3g}}")
"""

_BLOCK = """\

def bias(name, size=D):
    return parameter(name, size, std={std})

def attend(z, slots, p):
    weights = parameter(p + "in_weight", 3 * D, D, std=D**-0.5).chunk(3)
    q, k, v = (z @ W.T + {in_bias} for W, n in zip(weights, "qkv"))
    q, k, v = (z.unflatten(-1, (HEADS, -1)).transpose(0, 1) for z in (q, k, v))  # (heads, tokens, d_head)
{turn}    scores = q @ k.mT / math.sqrt(D // HEADS)
{mask}    context = scores.softmax(-1, dtype={precise}).to(DTYPE) @ v
    return context.transpose(0, 1).flatten(1) @ parameter(p + "o_weight", D, D, std=D**-0.5).T + {out_bias}

def feed(z, slots, p):
    W_1 = parameter(p + "widen.weight", 4 * D, D, std=D**-0.5)
    W_2 = parameter(p + "narrow.weight", D, 4 * D, std=(4 * D) ** -0.5)
    return torch.nn.functional.gelu(z @ W_1.T + bias(p + "widen.bias", 4 * D)) @ W_2.T + bias(p + "narrow.bias")

def norm(z, p):
    return torch.nn.functional.layer_norm(z, (D,), bias=bias(p + "_norm.bias"))

def blocks(z, slots):
{place}    for layer in range({layers}):
        for name, part in (("self_attention", attend), ("feed_forward", feed)):
            p = f"layers.{{layer}}.{{name}}"
            z = {step}
    return z

i, j = torch.arange(len(X)), torch.arange(len(Y))
before, after = blocks(x, i), blocks(x[order_q], {slots})
print(f"the shuffle, undone, leaves of the output: {{(after - before[order_q]).abs().max().item():.3g}}")
"""

_STEPS = {
    PreNorm(): 'z + part(norm(z, p), slots, p + ".")',
    PostNorm(): 'norm(z + part(z, slots, p + "."), p)',
    ResidualPostNorm(): 'z + norm(part(z, slots, p + "."), p)',
}

_ADDED = {
    "sinusoidal": """\

def encode(slots):
    angles = slots[:, None] * 10000.0 ** -(torch.arange(0, D, 2, dtype={precise}) / D)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(DTYPE)
""",
    "learned": """\

table = parameter("added_position.table", 64, D, std=1.0)
def encode(slots):
    return table[slots]
""",
    "rotary": """\

def rotate(z, slots):
    size = z.shape[-1]
    angles = slots[:, None] * 10000.0 ** -(torch.arange(0, size, 2, dtype={precise}) / size)
    even, odd = z.to(angles.dtype).unflatten(-1, (-1, 2)).unbind(-1)
    turned = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(turned, -1).flatten(-2).to(DTYPE)
""",
}

_PLACE = "    query, key, value = query + encode(query_slots), key + encode(key_slots), value + encode(key_slots)\n"


def permutation_snippet(config: ShuffleConfig) -> str:
    """Plain torch that prints ``max |f(shuffled) − shuffled f|`` for exactly these settings.

    Args:
        config: The shuffle. User text enters as Python literals, so it is data wherever it appears.
    """
    q_len, kv_len = len(config.tokens), len(config.keys)
    precise = "torch.float64" if config.dtype == "float64" else "torch.float32"
    head = _HEAD.format(
        seed=config.seed,
        dtype=config.dtype,
        d_model=D_MODEL,
        heads=NUM_HEADS,
        tokens=config.tokens,
        keys=config.keys,
        query_order=config.query_order or tuple(range(q_len)),
        key_order=config.key_order or tuple(range(kv_len)),
    )
    added = _ADDED.get(config.positions, "").replace("{precise}", precise)
    return head + (_blocks if config.model in BLOCKS else _attention)(config, added, precise)


def _attention(config: ShuffleConfig, added: str, precise: str) -> str:
    names = ("q_bias", "k_bias", "v_bias", "o_bias")
    biases = ", ".join(f'parameter("{name}", D, std={BIAS_STD})' for name in names) if config.biases else "0, 0, 0, 0"
    attend = _ATTEND.format(
        place=_PLACE if config.positions in ADDED else "",
        turn="    q, k = rotate(q, query_slots), rotate(k, key_slots)\n" if config.positions == "rotary" else "",
        mask=_mask_lines(config),
        value="y" if config.keys_alone else "y[order_k]",
        slots="order_q, order_k" if config.carried else "i, j",
        precise=precise,
    )
    return _WEIGHTS.format(biases=biases) + added + attend


def _blocks(config: ShuffleConfig, added: str, precise: str) -> str:
    placement, layers = BLOCKS[config.model]
    # Added positions enter once, below the first block; the others act in every attention.
    return added + _BLOCK.format(
        std=BIAS_STD,
        in_bias='bias(f"{p}{n}_bias")' if config.biases else "0",
        out_bias='bias(p + "o_bias")' if config.biases else "0",
        place="    z = z + encode(slots)\n" if config.positions in ADDED else "",
        turn="    q, k = rotate(q, slots), rotate(k, slots)\n" if config.positions == "rotary" else "",
        mask=_mask_lines(config).replace("query_slots", "slots").replace("key_slots", "slots"),
        layers=layers,
        step=_STEPS[placement],
        slots="order_q" if config.carried else "i",
        precise=precise,
    )


def _mask_lines(config: PermutationConfig) -> str:
    lines = ""
    if config.positions == "alibi":
        lines += (
            "    slopes = 2.0 ** (-8 * torch.arange(1, HEADS + 1) / HEADS)\n"
            "    scores = scores - slopes[:, None, None] * (query_slots[:, None] - key_slots).abs()\n"
        )
    if config.mask != "none":
        sees = "j <= i[:, None]" if config.mask == "causal" else f"(i[:, None] - j).abs() <= {WINDOW}"
        lines += f"    scores = scores.masked_fill(~({sees}), -math.inf)\n"
    return lines
