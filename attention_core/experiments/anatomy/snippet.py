"""Code that measures one pass again in plain torch, without this project."""

from attention_core.experiments.anatomy.config import D_MODEL, AnatomyConfig
from attention_core.experiments.anatomy.module import BIAS_STD, SLOT_GAIN, WORD_GAIN
from attention_core.modules.positions import alibi_slopes

_HEAD = """\
import hashlib, math, torch

SEED, DTYPE, PRECISE = {seed}, torch.{dtype}, torch.{precise}
D, HEADS, SIZE, tokens = {d_model}, {heads}, {size}, {tokens!r}
n, f64 = len(tokens), torch.float64

def draw(shape, *purpose):
    digest = hashlib.blake2b(repr((SEED, *purpose)).encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)
    return torch.randn(shape, generator=generator, dtype=f64)

words = torch.stack([draw((D // 2,), "token", text) for text in tokens])
words = words / words.norm(dim=-1, keepdim=True) * math.sqrt(D // 2)
x = torch.cat((torch.zeros_like(words), words), -1).to(DTYPE)  # room for the slot, then the word
slots = torch.arange(n)[:, None]
"""
_SINUSOIDAL = """\
angles = slots * 10000.0 ** -(torch.arange(0, D, 2, dtype=PRECISE) / D)
x = x + torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(DTYPE)
"""
_LEARNED = 'x = x + draw((64, D), "parameter", "added_position.table")[:n].to(DTYPE)\n'
_RANDOM = """\
blocks = (draw(({blocks} * HEADS * SIZE, D), "parameter", "in_weight") * D**-0.5).chunk({blocks})
W_Q, W_K, W_V = (blocks[i] for i in {order})
W_O = draw((D, HEADS * SIZE), "parameter", "o_weight") * (HEADS * SIZE) ** -0.5
"""
_BUILT = """\
turns = 10000.0 ** -(torch.arange(0, D // 2, 2, dtype=f64) / D)
turn = torch.block_diag(*[torch.tensor([[t.cos(), -t.sin()], [t.sin(), t.cos()]], dtype=f64) for t in turns])
eye, none = torch.eye(SIZE, D // 2, dtype=f64), torch.zeros(SIZE, D // 2, dtype=f64)
back, here, word = (torch.cat(halves, 1) for halves in ((eye @ turn, none), (eye, none), (none, eye)))
a, b = ((gain * SIZE**0.5) ** 0.5 for gain in ({slot_gain}, {word_gain}))
W_Q, W_K, W_V = (torch.cat([pair[h % 2] for h in range(HEADS)]) for pair in ({pairs}))
W_O = torch.eye(D, dtype=f64).repeat(1, -(-HEADS * SIZE // D))[:, : HEADS * SIZE]
"""
_ROTATE = """\

def turned(z):
    angles = slots * 10000.0 ** -(torch.arange(0, SIZE, 2, dtype=PRECISE) / SIZE)
    even, odd = z.to(PRECISE).unflatten(-1, (-1, 2)).unbind(-1)
    pair = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(pair, -1).flatten(-2).to(DTYPE)
"""
_PASS = """\
W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O = (z.to(DTYPE) for z in (W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O))
q, k, v = x @ W_Q.T + b_Q, x @ W_K.T + b_K, x @ W_V.T + b_V

def attend(q, k, head):  # weights of one head, or of all when head is slice(None)
    scores = {q} @ {k}.mT / math.sqrt(SIZE)
{mask}    return scores.softmax(-1, dtype=PRECISE).to(DTYPE)

split = lambda z: {split}
weights = attend(split(q), split(k), slice(None))
context = weights @ split(v)  # (heads, n, d_head)
output = {merge} @ W_O.T + b_O
looped = b_O
for head in range(HEADS):
    cut = slice(head * SIZE, (head + 1) * SIZE)
    looped = looped + attend(q[:, cut], k[:, cut], head) @ v[:, cut] @ W_O[:, cut].T
print(f"{{weights.double().amax(-1).mean().item():.3g}}")
print(f"{{(output - looped).abs().max().item():.3g}}")
"""


def anatomy_snippet(config: AnatomyConfig) -> str:
    """Plain torch that prints the mean largest weight, and max |all heads at once − loop over heads|.

    Args:
        config: The settings. User text enters as Python literals, so it is data wherever it appears.
    """
    head = _HEAD.format(
        seed=config.seed, dtype=config.dtype, precise="float64" if config.dtype == "float64" else "float32",
        d_model=D_MODEL, heads=config.heads, size=config.head_size, tokens=config.tokens,
    )  # fmt: skip
    added = {"sinusoidal": _SINUSOIDAL, "learned": _LEARNED}.get(config.positions, "")
    rotary = config.positions == "rotary"
    return (
        head
        + added
        + _weights(config)
        + _biases(config)
        + (_ROTATE if rotary else "")
        + _PASS.format(
            q="turned(q)" if rotary else "q",
            k="turned(k)" if rotary else "k",
            mask=_mask_lines(config),
            split="z.reshape(HEADS, n, SIZE)" if config.miscut else "z.reshape(n, HEADS, SIZE).transpose(0, 1)",
            merge="context.reshape(n, -1)" if config.miscut else "context.transpose(0, 1).reshape(n, -1)",
        )
    )


def _weights(config: AnatomyConfig) -> str:
    tied_keys = config.projections == "tied query = key"
    tied_values = config.projections == "tied key = value"
    if config.weights == "random":
        order = "(0, 0, 1)" if tied_keys else "(0, 1, 1)" if tied_values else "(0, 1, 2)"
        return _RANDOM.format(blocks=2 if tied_keys or tied_values else 3, order=order)
    keys = "(a * here, b * word)"
    pairs = ", ".join((keys if tied_keys else "(a * back, b * word)", keys, keys if tied_values else "(word, word)"))
    return _BUILT.format(slot_gain=SLOT_GAIN, word_gain=WORD_GAIN, pairs=pairs)


def _biases(config: AnatomyConfig) -> str:
    if not config.biases:
        return "b_Q = b_K = b_V = b_O = torch.zeros(1)\n"
    if config.weights == "random":
        names = {
            "b_Q": "q_bias",
            "b_K": "q_bias" if config.projections == "tied query = key" else "k_bias",
            "b_V": "k_bias" if config.projections == "tied key = value" else "v_bias",
        }
        drawn = ", ".join(f'draw((HEADS * SIZE,), "parameter", "{name}")' for name in names.values())
        made = f"b_Q, b_K, b_V = (z * {BIAS_STD} for z in ({drawn}))\n"
        return made + f'b_O = draw((D,), "parameter", "o_bias") * {BIAS_STD}\n'
    still = "torch.arange(SIZE) % 2 * (torch.arange(SIZE) < D // 2)"
    values = "b_Q" if config.projections == "tied key = value" else "-still.repeat(HEADS)"
    return (
        f"still = {still if config.positions == 'sinusoidal' else 'torch.zeros(SIZE)'}\n"
        "b_Q = b_K = torch.cat([(0.0, -b)[h % 2] * still for h in range(HEADS)])\n"
        f"b_V, b_O = {values}, torch.zeros(D)\n"
    )


def _mask_lines(config: AnatomyConfig) -> str:
    lines = ""
    if config.positions == "ALiBi":
        lines += (
            f"    slopes = torch.tensor({alibi_slopes(config.heads)}, dtype=PRECISE)[head]\n"
            "    scores = scores - (slopes[..., None, None] * (slots - slots.T).abs()).to(DTYPE)\n"
        )
    if config.causal:
        lines += "    scores = scores.masked_fill(slots < slots.T, -math.inf)\n"
    return lines
