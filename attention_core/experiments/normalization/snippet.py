"""Code that answers a question about norms again in plain torch, without this project."""

from typing import Final

from attention_core.experiments.normalization.block import MOST_ORDERS
from attention_core.experiments.normalization.built import BIAS_STD
from attention_core.experiments.normalization.config import NormalizationConfig
from attention_core.experiments.normalization.length import POINTS

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x, order = torch.randn(n, d), torch.randperm(n)

def attend(x):
    return (x @ x.T / d**0.5).softmax(-1) @ x

def block(x):  # attention, residual, LayerNorm
    return torch.nn.functional.layer_norm(x + attend(x), (d,))

print(f"every token has the length √d = {d**0.5:.4f}: {block(x).norm(dim=-1).mean():.4f}")
print(f"tokens shuffled: the block's rows, put back, differ by {(block(x[order]) - block(x)[order]).abs().max():.1e}")
"""

_HEAD = """\
import hashlib, itertools, math, torch
import torch.nn.functional as F

SEED, DTYPE, N, D = {seed}, torch.{dtype}, {tokens}, {d_model}

def stream(*purpose):
    digest = hashlib.blake2b(repr((SEED, *purpose)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)

def draw(shape, *purpose):
    return torch.randn(shape, generator=stream(*purpose), dtype=torch.float64)

x = draw((1, N, D), "normalization", "tokens")[0].to(DTYPE)
"""

_PAST = """\
past = draw((1, 4 * N, D), "normalization", "past")[0].to(DTYPE)
mean, var = {statistics}
"""

_DEPENDENCE = """\

def derivatives(norm):
    return torch.autograd.functional.jacobian(norm, x).abs()  # (token, feature, token, feature)

layer = derivatives(lambda z: F.layer_norm(z, (D,)))
batch = derivatives(lambda z: F.batch_norm(z, mean, var, training={training}, eps=1e-5))
others = ~torch.eye(N, dtype=torch.bool)
print(f"LayerNorm: largest derivative by another token: {{layer.permute(0, 2, 1, 3)[others].max().item():.3g}}")
print(f"BatchNorm: pairs of a feature and a token that depend: {{(batch != 0).any(3).any(1).sum().item()}}")
print(f"LayerNorm: derivative of the first number by itself: {{layer[0, 0, 0, 0].item():.3g}}")
"""

_LENGTH = """\

x = draw(({points}, D), "normalization", "points") * {std}
x = ({constant}).to(DTYPE)
gamma, beta = (torch.full((D,), value, dtype=DTYPE) for value in ({gamma}, {beta}))
{own}y = F.layer_norm(x, (D,), gamma, beta, eps={eps}).double()
length, sigma = (y - beta.double()).norm(dim=1), {sigma}
radius = gamma.double().square().mean().sqrt() * math.sqrt(D)
stretch = {stretch}
print(f"lengths differ from |γ|√d by: {{(length - radius).abs().max().item():.3g}}")
left = length - stretch * sigma / (sigma**2 + {eps}) ** 0.5
print(f"and from the length that counts ε by: {{left.abs().max().item():.3g}}")
"""

_BIAS = """\

W = (draw((D, D), "normalization", "weight") / D**0.5).to(DTYPE)
b = draw((D,), "normalization", "bias")
plan = (
    ("BatchNorm, a bias", b, lambda h: F.batch_norm(h, mean, var, training={training}, eps=1e-5)),
    ("LayerNorm, the bias's mean", b.mean().expand(D), lambda h: F.layer_norm(h, (D,))),
    ("LayerNorm, the bias without its mean", b - b.mean(), lambda h: F.layer_norm(h, (D,))),
    ("RMSNorm, a bias", b, lambda h: F.rms_norm(h, (D,), eps=1e-5)),
)
zero = torch.zeros(D, dtype=DTYPE)
for name, part, norm in plan:
    moved = norm(F.linear(x, W, part.to(DTYPE))) - norm(F.linear(x, W, zero))
    print(f"{{name}} moves the result by: {{moved.abs().max().item():.3g}}")
"""

_BLOCK = """\

def parameter(name, *shape):
    std = shape[-1] ** -0.5 if len(shape) == 2 else {bias}
    return (draw(shape, "parameter", name) * std).to(DTYPE)

A, M = "self_attention.", "feed_forward."
W, O = parameter(A + "in_weight", 3 * D, D), parameter(A + "o_weight", D, D)
b, b_O = torch.cat([parameter(A + r + "_bias", D) for r in "qkv"]), parameter(A + "o_bias", D)
widen = parameter(M + "widen.weight", 2 * D, D), parameter(M + "widen.bias", 2 * D)
narrow = parameter(M + "narrow.weight", D, 2 * D), parameter(M + "narrow.bias", D)

def attend(z):
{positions}    q, k, v = F.linear(z, W, b).chunk(3, -1)
    scores = q @ k.T / math.sqrt(D)
{mask}    return F.linear(scores.softmax(-1) @ v, O, b_O)

def feed(z):
    return F.linear(F.{activation}(F.linear(z, *widen)), *narrow)

def block(z, place):
    for part, name in ((attend, "self_attention_norm.bias"), (feed, "feed_forward_norm.bias")):
        norm = lambda h: {norm}
        z = z + part(norm(z)) if place == "pre" else norm(z + part(z)) if place == "post" else z + norm(part(z))
    return z

orders = {orders}
for place in ("pre", "post", "residual post"):
    before = block(x, place)
    left = max((block(x[o], place) - before[o]).abs().max().item() for o in map(list, orders))
    print(f"{{place}} norm, tokens shuffled and put back, outputs differ by: {{left:.3g}}")
"""

_NORMS = {
    "LayerNorm": "F.layer_norm(h, (D,), None, parameter(name, D))",
    "RMSNorm": "F.rms_norm(h, (D,), eps=1e-5)",
    "BatchNorm": "F.batch_norm(h, None, None, None, parameter(name, D), training=True)",
}
_POSITIONS = """\
    angles = torch.arange(N)[:, None] * 10000.0 ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    z = z + torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :D].to(DTYPE)
"""
_MASK = "    scores = scores.masked_fill(torch.ones(N, N).triu(1).bool(), -math.inf)\n"


def normalization_snippet(config: NormalizationConfig) -> str:
    """Plain torch that prints the headline quantities of the config's question.

    In the order of ``TOPICS``: LayerNorm's largest derivative by another token, BatchNorm's dependent pairs of
    tokens, and one derivative; how far lengths are from |γ|√d, and from the formula with ε; what each norm leaves of
    the bias; the residual of each placement.

    Args:
        config: The settings.
    """
    head = _HEAD.format(seed=config.seed, dtype=config.dtype, tokens=config.num_tokens, d_model=config.d_model)
    statistics = "past.mean(0), past.var(0)" if config.evaluation else "None, None"
    training = not config.evaluation
    past = _PAST.format(statistics=statistics)
    match config.topic:
        case "dependence":
            return head + past + _DEPENDENCE.format(training=training)
        case "length":
            return head + _length(config)
        case "bias":
            return head + past + _BIAS.format(training=training)
        case _:
            return head + _block(config)


def _length(config: NormalizationConfig) -> str:
    own = 'gamma *= (1 + 0.5 * draw((D,), "normalization", "gammas")).to(DTYPE)\n' if config.own_gammas else ""
    each = "(gamma.double() * (x.double() - x.double().mean(1, keepdim=True)) / sigma[:, None]).norm(dim=1)"
    return _LENGTH.format(
        points=POINTS,
        own=own,
        stretch=each if config.own_gammas and not config.constant else "radius",
        std=config.input_std,
        constant="x[:, :1].expand(-1, D)" if config.constant else "x",
        gamma=config.gamma,
        beta=config.beta,
        eps=config.eps,
        sigma="torch.zeros(len(x)).double()" if config.constant else "x.double().std(1, correction=0)",
    )


def _block(config: NormalizationConfig) -> str:
    gain = '(1 + 0.5 * draw((N, 1), "normalization", "slot")).to(DTYPE) * ' if config.slot_weights else ""
    every = "list(itertools.permutations(range(N)))"
    some = (
        f'[torch.randperm(N, generator=g).tolist() for g in [stream("normalization", "orders", N)] * {MOST_ORDERS}]'
    )
    return _BLOCK.format(
        bias=BIAS_STD,
        activation=config.activation,
        positions=_POSITIONS if config.positions else "",
        mask=_MASK if config.causal else "",
        norm=gain + _NORMS[config.norm],
        orders=every if config.num_tokens <= 5 else some,
    )
