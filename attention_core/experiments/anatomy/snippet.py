"""Code that measures one pass again in plain torch, without this project."""

from typing import Final

from attention_core.experiments.anatomy.config import D_MODEL, AnatomyConfig
from attention_core.experiments.anatomy.module import BIAS_STD, SLOT_GAIN, WORD_GAIN
from attention_core.modules.positions import alibi_slopes

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.randn(n, d)
W_Q, W_K, W_V = torch.randn(3, d, d) / d**0.5
scores = (x @ W_Q.T) @ (x @ W_K.T).T / d**0.5  # each query with each key
weights = scores.softmax(-1)  # each row adds up to 1
context = weights @ (x @ W_V.T)  # a mixture of the values
print(f"each row of weights adds up to {weights.sum(-1).mean():.3f}; the largest weight is {weights.max():.3f}")
print(f"the output has the shape {tuple(context.shape)}")
"""

_HEAD = """\
import hashlib, torch
import torch.nn.functional as F

D, HEADS, SIZE, DTYPE, PRECISE = {d_model}, {heads}, {size}, torch.{dtype}, torch.{precise}
tokens = {tokens!r}
n, slots = len(tokens), torch.arange(len(tokens))[:, None]
def draw(shape, *purpose):
    digest = hashlib.blake2b(repr(({seed}, *purpose)).encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)
    return torch.randn(shape, generator=generator, dtype=torch.float64)

words = F.normalize(torch.stack([draw((D // 2,), "token", text) for text in tokens])) * (D // 2) ** 0.5
x = F.pad(words, (D // 2, 0)).to(DTYPE)  # room for the slot, then the word
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
turns = 10000.0 ** -(torch.arange(0, D // 2, 2).double() / D)
turn = torch.block_diag(*[torch.stack((t.cos(), -t.sin(), t.sin(), t.cos())).view(2, 2) for t in turns])
a, b, eye = ({slot_gain} * SIZE**0.5) ** 0.5, ({word_gain} * SIZE**0.5) ** 0.5, torch.eye(SIZE, D // 2).double()
back, here, word = F.pad(eye @ turn, (0, D // 2)), F.pad(eye, (0, D // 2)), F.pad(eye, (D // 2, 0))
def built(*pair):  # every other head alike
    return torch.cat([pair[h % 2] for h in range(HEADS)])

W_Q, W_K, W_V = {matrices}
W_O = torch.eye(D).double().repeat(1, -(-HEADS * SIZE // D))[:, : HEADS * SIZE]
"""
_ROTATE = """\

def turned(z):
    angles = slots * 10000.0 ** -(torch.arange(0, SIZE, 2, dtype=PRECISE) / SIZE)
    even, odd = z.to(PRECISE).unflatten(-1, (-1, 2)).unbind(-1)
    pair = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(pair, -1).flatten(-2).to(DTYPE)
"""
_PASS = """\
q, k, v = (x @ W.to(DTYPE).T + b.to(DTYPE) for W, b in ((W_Q, b_Q), (W_K, b_K), (W_V, b_V)))
W_O, b_O, split = W_O.to(DTYPE), b_O.to(DTYPE), lambda z: {split}
def attend(q, k, head):  # weights of one head, or of all when head is slice(None)
    scores = {q} @ {k}.mT / SIZE**0.5
{mask}    return scores.softmax(-1, dtype=PRECISE).to(DTYPE)

weights = attend(split(q), split(k), slice(None))
context = weights @ split(v)  # (heads, n, d_head)
output = {merge} @ W_O.T + b_O
heads = [(h, slice(h * SIZE, (h + 1) * SIZE)) for h in range(HEADS)]
looped = b_O + sum(attend(q[:, at], k[:, at], h) @ v[:, at] @ W_O[:, at].T for h, at in heads)
print(f"the largest weight of a row is, on average: {{weights.double().amax(-1).mean():.3g}}")
print(f"all heads at once and a loop over them differ by: {{(output - looped).abs().max():.3g}}")
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
    tied_keys = config.projections == "tied-qk"
    tied_values = config.projections == "tied-kv"
    if config.weights == "random":
        order = "(0, 0, 1)" if tied_keys else "(0, 1, 1)" if tied_values else "(0, 1, 2)"
        return _RANDOM.format(blocks=2 if tied_keys or tied_values else 3, order=order)
    keys = "built(a * here, b * word)"
    matrices = (
        keys if tied_keys else "built(a * back, b * word)",
        keys,
        keys if tied_values else "built(word, word)",
    )
    return _BUILT.format(slot_gain=SLOT_GAIN, word_gain=WORD_GAIN, matrices=", ".join(matrices))


def _biases(config: AnatomyConfig) -> str:
    if not config.biases:
        return "b_Q = b_K = b_V = b_O = torch.zeros(1)\n"
    if config.weights == "random":
        names = {
            "b_Q": "q_bias",
            "b_K": "q_bias" if config.projections == "tied-qk" else "k_bias",
            "b_V": "k_bias" if config.projections == "tied-kv" else "v_bias",
        }
        drawn = ", ".join(f'draw((HEADS * SIZE,), "parameter", "{name}")' for name in names.values())
        made = f"b_Q, b_K, b_V = (z * {BIAS_STD} for z in ({drawn}))\n"
        return made + f'b_O = draw((D,), "parameter", "o_bias") * {BIAS_STD}\n'
    still = "torch.arange(SIZE) % 2 * (torch.arange(SIZE) < D // 2)"
    values = "b_Q" if config.projections == "tied-kv" else "built(-still, -still)"
    return (
        f"still = {still if config.positions == 'sinusoidal' else 'torch.zeros(SIZE)'}\n"
        "b_Q = b_K = built(0 * still, -b * still)\n"
        f"b_V, b_O = {values}, torch.zeros(D)\n"
    )


def _mask_lines(config: AnatomyConfig) -> str:
    lines = ""
    if config.positions == "alibi":
        lines += (
            f"    slopes = torch.tensor({alibi_slopes(config.heads)}, dtype=PRECISE)[head]\n"
            "    scores = scores - (slopes[..., None, None] * (slots - slots.T).abs()).to(DTYPE)\n"
        )
    if config.causal:
        lines += "    scores = scores.masked_fill(slots < slots.T, -torch.inf)\n"
    return lines
