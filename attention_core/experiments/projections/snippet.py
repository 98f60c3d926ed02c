"""Code that answers a question about projections again in plain torch, without this project."""

import math
from typing import Final

from attention_core.experiments.projections.config import BIAS_STD, LAYERS, TOPICS, ProjectionsConfig
from attention_core.experiments.projections.gauge import STRETCH
from attention_core.modules.positions import alibi_slopes

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.nn.functional.normalize(torch.randn(n, d)) * d**0.5  # of equal length
W_Q, W_K = torch.randn(2, d, d) / d**0.5
for name, queries, keys in (("without W_Q and W_K", x, x), ("with them", x @ W_Q.T, x @ W_K.T)):
    weights = (queries @ keys.T / d**0.5).softmax(-1)
    itself = (weights.argmax(-1) == torch.arange(n)).sum()
    print(f"{name} {itself} of {n} words look most at themselves")
"""

_HEAD = """\
import hashlib, math, torch

SEED, DTYPE, HEADS, D = {seed}, torch.{dtype}, {heads}, {d_head}
WORDS = {tokens!r}
n, M = len(WORDS), HEADS * D

def stream(*purpose, seed=SEED):
    digest = hashlib.blake2b(repr((seed, *purpose)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)

def draw(shape, *purpose, **seed):
    return torch.randn(shape, generator=stream(*purpose, **seed), dtype=torch.float64)

x = torch.stack([draw((M,), "token", word) for word in WORDS]).unflatten(1, (HEADS, D))
x = x / x.square().sum({over}, keepdim=True).sqrt() * {size}
x = x * torch.stack([({spread} * draw((), "norm", word)).exp() for word in WORDS])[:, None, None]
x = x.flatten(1).to(DTYPE)
"""

_ROTATE = """\

def rotate(z):
    angles = torch.arange(n)[:, None] * 10000.0 ** -(torch.arange(0, D, 2, dtype={precise}) / D)
    even, odd = z.to(angles.dtype).unflatten(-1, (-1, 2)).unbind(-1)
    turned = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(turned, -1).flatten(-2).to(DTYPE)
"""

_ATTEND = """\

def attend(q, k, scale):
    q, k = (z.unflatten(-1, (HEADS, D)).transpose(0, 1) for z in (q, k))  # (heads, tokens, d_head)
{extra}    scores = q @ k.mT * scale
{masks}    return scores, scores.softmax(-1, dtype={precise}).to(DTYPE)
"""

_IDENTITY = """\

scores, weights = attend(x, x, {scale!r})
other = torch.tensor([[a != b for b in WORDS] for a in WORDS])
lead = (scores - scores.diagonal(0, -2, -1)[..., None])[:, other].flatten().tolist()
print(f"another word's score leads a word's own by: {{max(lead, default=0.0):.3g}}")
"""

_TYING = """\

W = (draw((2 * M, M), "parameter", "in_weight") * M**-0.5)[:M].to(DTYPE)  # W_Q = W_K
b_Q = (draw((M,), "parameter", "q_bias") * {q_bias}).to(DTYPE)
b_K = b_Q * {shared}
S, A = attend(x @ W.T + b_Q, x @ W.T + b_K, {scale!r})
skew = (S - S.mT).double().nan_to_num(nan=0, posinf=math.inf, neginf=-math.inf)
print(f"scores and their transpose differ by: {{skew.abs().max().item():.3g}}")
print(f"weights and their transpose by, as a norm: {{torch.linalg.matrix_norm((A - A.mT).double())[0].item():.3g}}")
"""

_GAUGE = """\

def basis(name):
    left, right = torch.linalg.qr(draw((2, HEADS, D, D), "basis", name))[0]
    z = torch.rand(HEADS, D, generator=stream("stretch", name), dtype=torch.float64)
    return left * torch.exp({stretch} * (2 * z - 1))[:, None, :] @ right.mT

W = (draw((3 * M, M), "parameter", "in_weight") * M**-0.5).view(3, HEADS, D, M)  # W_Q, W_K, W_V
O = (draw((M, M), "parameter", "o_weight") * M**-0.5).view(M, HEADS, D).transpose(0, 1)
b = torch.stack([draw((M,), "parameter", f"{{r}}_bias").view(HEADS, D, 1) for r in "qkv"]) * {bias}
b_O = draw((M,), "parameter", "o_bias") * {bias}
m, N = basis("query and key"), basis("value")
turn = torch.stack([m, torch.linalg.inv(m).mT, N])

def f(W, b, O):
    q, k, v = ((x @ w.flatten(0, 1).T.to(DTYPE)) + c.flatten().to(DTYPE) for w, c in zip(W, b))
    weights = attend(q, k, D**-0.5)[1]
    context = weights @ v.unflatten(-1, (HEADS, D)).transpose(0, 1)
    return context.transpose(0, 1).flatten(1) @ O.transpose(0, 1).flatten(1).T.to(DTYPE) + b_O.to(DTYPE)

moved = (turn @ W).flip(1), (turn @ b).flip(1), (O @ torch.linalg.inv(N)).flip(0)  # heads in reverse order
old, new = (torch.cat([p.flatten() for p in parts]) for parts in ((W, b, O, b_O), (*moved, b_O)))
print(f"in another basis the output moves by: {{(f(*moved) - f(W, b, O)).abs().max().item():.3g}}")
print(f"and the parameters by, relative to their length: {{((new - old).norm() / old.norm()).item():.3g}}")
"""

_RANK = """\

W = (draw((3 * M, M), "parameter", "in_weight") * M**-0.5).to(DTYPE).chunk(3)
b_Q, b_K = ((draw((M,), "parameter", name) * {bias}).to(DTYPE) for name in ("q_bias", "k_bias"))
scores, weights = attend(x @ W[0].T + b_Q, x @ W[1].T + b_K, D**-0.5)
if scores.isinf().any():
    over = math.inf  # no product of narrow matrices holds it
else:
    values = torch.linalg.svdvals(scores.double())
    over = (values[:, D] / values[:, 0]).max().item() if D < n else 0.0
print(f"the scores' singular value after the first d_head, by the first: {{over:.3g}}")
print(f"the largest singular value of the weights: {{torch.linalg.svdvals(weights.double())[0, 0].item():.3g}}")
"""

_COLLAPSE = """\

def layer(x, number):
    def parameter(name, *shape, std):
        return (draw(shape, "parameter", name, seed=SEED + 1_000_000 * number) * std).to(DTYPE)
    W, O = parameter("in_weight", 3 * M, M, std=M**-0.5).chunk(3), parameter("o_weight", M, M, std=M**-0.5)
    q, k, v, b_O = (parameter(f"{{r}}_bias", M, std={bias}) for r in "qkvo")
    v = (x @ W[2].T + v).unflatten(-1, (HEADS, D)).transpose(0, 1)
    weights = attend(x @ W[0].T + q, x @ W[1].T + k, D**-0.5)[1]
    return (weights @ v).transpose(0, 1).flatten(1) @ O.T + b_O

def apart(x):
    return ((x - x.mean(0)).double().norm() / x.double().norm()).item()

for residual in (False, True):
    y = x
    for number in range({layers}):
        y = layer(y, number) + (y if residual else 0)
    print(f"{{'with' if residual else 'without'}} the residual, tokens stay apart by: {{apart(y):.3g}}")
"""


def projections_snippet(config: ProjectionsConfig) -> str:
    """Plain torch that prints the headline quantity of the config's question, then one more number it rests on.

    In the order of ``TOPICS``: the largest score of another word minus one's own; max |S − Sᵀ| and ‖A − Aᵀ‖ of head
    1; how far the output and the parameters moved; σ of the scores past d_head and the largest σ of head 1's
    weights; ‖X − mean‖ / ‖X‖ after all layers, without and with the residual.

    Args:
        config: The settings. User text enters as Python literals, so it is data wherever it appears.
    """
    head = _HEAD.format(
        seed=config.seed,
        dtype=config.dtype,
        heads=config.num_heads,
        d_head=config.d_head,
        tokens=config.tokens,
        over="(1, 2)" if config.whole_norms else "2",
        size="M**0.5" if config.whole_norms else "D**0.5",
        spread=config.spread,
    )
    precise = "torch.float64" if config.dtype == "float64" else "torch.float32"
    extra = "    q, k = (torch.nn.functional.rms_norm(z, (D,)) for z in (q, k))\n" if config.qk_norm else ""
    extra += "    q, k = rotate(q), rotate(k)\n" if config.positions == "rotary" else ""
    tail = dict(zip(TOPICS, (_IDENTITY, _TYING, _GAUGE, _RANK, _COLLAPSE), strict=True))[config.topic]
    identity = config.topic == "identity"
    tail = tail.format(
        scale=1 / (math.sqrt(config.d_head) * (config.temperature if identity else 1.0)),
        q_bias=0 if config.biases == "none" else BIAS_STD,
        shared=int(config.biases == "both"),
        bias=0 if config.biases == "none" else BIAS_STD,
        stretch=STRETCH,
        layers=LAYERS,
    )
    rotate = _ROTATE.format(precise=precise) if config.positions == "rotary" else ""
    return head + rotate + _ATTEND.format(extra=extra, masks=_mask_lines(config), precise=precise) + tail


def _mask_lines(config: ProjectionsConfig) -> str:
    lines = ""
    if config.positions == "alibi":
        lines += (
            f"    slopes, i = torch.tensor({list(alibi_slopes(config.num_heads))}), torch.arange(n)\n"
            "    scores = scores - (slopes[:, None, None] * (i[:, None] - i).abs()).to(DTYPE)\n"
        )
    if config.causal:
        lines += "    scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)\n"
    return lines
