"""Code that answers a question about norms again in plain torch, without this project."""

from typing import Final

import numpy as np

from attention_core.measuring.snippets import assemble
from attention_core.studies.normalization.block import MOST_ORDERS
from attention_core.studies.normalization.dependence import DependenceResult
from attention_core.studies.normalization.feed_forward import FeedForwardResult
from attention_core.studies.normalization.length import POINTS, LengthResult
from attention_core.studies.normalization.measure import NormalizationResult
from attention_core.studies.normalization.settings import NormalizationConfig

SHORTEST: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x, order = torch.randn(n, d), torch.randperm(n)

def attend(x):
    return (x @ x.T / d**0.5).softmax(-1) @ x

def block(x):  # attention, residual, LayerNorm
    return torch.nn.functional.layer_norm(x + attend(x), (d,))

print(f"every token has the length sqrt(d) = {d**0.5:.4f}: {block(x).norm(dim=-1).mean():.4f}")
print(f"tokens shuffled: the block's rows, put back, differ by {(block(x[order]) - block(x)[order]).abs().max():.1e}")
"""

_DEPENDENCE: Final = """\

def derivatives(norm):
    return torch.autograd.functional.jacobian(norm, x).abs()  # (token, feature, token, feature)

layer = derivatives(lambda z: F.layer_norm(z, (D,)))
batch = derivatives(lambda z: F.batch_norm(z, {statistics}, eps=1e-5))
others = ~torch.eye(N, dtype=torch.bool)
print(f"LayerNorm: largest derivative by another token: {{layer.permute(0, 2, 1, 3)[others].max().item():.3g}}")
print(f"BatchNorm: pairs of a feature and a token that depend: {{(batch != 0).any(3).any(1).sum().item()}}")
print(f"LayerNorm: derivative of the first number by itself: {{layer[0, 0, 0, 0].item():.3g}}")

paddings = [draw((1, 2, D), SEED, "normalization", f"{{which}} padding")[0].to(DTYPE) for which in ("some", "other")]
a, b = (F.batch_norm(torch.cat((x, padding)), {statistics}, eps=1e-5)[:N] for padding in paddings)
print(f"BatchNorm: other padding moves a token by up to: {{(a - b).abs().max().item():.3g}}")"""

_BIAS: Final = """\
W = (draw((D, D), SEED, "normalization", "weight") / D**0.5).to(DTYPE)
b = draw((D,), SEED, "normalization", "bias")
plan = (
    ("BatchNorm, a bias", b, lambda h: F.batch_norm(h, {statistics}, eps=1e-5)),
    ("LayerNorm, the bias's mean", b.mean().expand(D), lambda h: F.layer_norm(h, (D,))),
    ("LayerNorm, the bias without its mean", b - b.mean(), lambda h: F.layer_norm(h, (D,))),
    ("RMSNorm, a bias", b, lambda h: F.rms_norm(h, (D,), eps=1e-5)),
)
for name, part, norm in plan:
    moved = norm(F.linear(x, W, part.to(DTYPE))) - norm(F.linear(x, W))
    print(f"{{name}} moves the result by: {{moved.abs().max().item():.3g}}")"""

_FEED_FORWARD: Final = """\

def attend(z, name):
    b = torch.cat([weight(f"{{name}}{{role}}_bias", D) for role in "qkv"])
    q, k, v = F.linear(z, weight(name + "in_weight", 3 * D, D), b).chunk(3, -1)
    return attention_weights(q, k) @ v, v

def feed(z):
    hidden = F.linear(z, weight("feed_forward.widen.weight", 4 * D, D), weight("feed_forward.widen.bias", 4 * D))
    return F.linear(F.{activation}(hidden), weight("feed_forward.narrow.weight", D, 4 * D),
                    weight("feed_forward.narrow.bias", D))

def outside(z):  # how long the part outside of what the values span is
    return (z.double() - z.double() @ basis @ basis.T).norm(dim=1)
{instead}
contexts, v = attend(x, "self_attention.")
basis = torch.linalg.qr(v.double().T).Q
by = torch.autograd.functional.jacobian({layer}, contexts).abs()  # (word, feature, word, feature)
others = ~torch.eye(N, dtype=torch.bool)
print(f"largest derivative by another word: {{by.transpose(1, 2)[others].max().item():.3g}}")
print(f"contexts lie outside of what the values span by: {{outside(contexts).max().item():.3g}}")
print(f"what the network makes of them by at least: {{outside(feed(contexts)).min().item():.3g}}")"""

_INSTEAD: Final = """
def other(z):  # attention in its place
    return F.linear(attend(z, "")[0], weight("o_weight", D, D), weight("o_bias", D))
"""
_WEIGHT: Final = ("def weight(name, *shape):", "    return parameter(name, *shape, seed=SEED).to(DTYPE)")
_NORMS: Final = {
    "LayerNorm": "F.layer_norm(h, (D,), None, beta)",
    "RMSNorm": "F.rms_norm(h, (D,), eps=1e-5)",
    "BatchNorm": "F.batch_norm(h, None, None, None, beta, training=True)",
}


def normalization_snippet(config: NormalizationConfig) -> str:
    """Plain torch that prints the headline quantities of the config's question.

    In the order of ``TOPICS``: LayerNorm's largest derivative by another token, BatchNorm's dependent pairs of
    tokens, one derivative, and how far other padding moves a token after BatchNorm; how far lengths are from |γ|√d,
    and from the formula with ε; what each norm leaves of the bias; the residual of each placement; how much another
    word moves what the feed-forward network gives, and how far contexts, and what it makes of them, lie outside of
    what the values span.
    """
    head = f"SEED, N, D, DTYPE = {config.seed}, {config.num_tokens}, {config.d_model}, torch.{config.dtype}"
    tokens = 'x = draw((1, N, D), SEED, "normalization", "tokens")[0].to(DTYPE)'
    past = 'past = draw((1, 4 * N, D), SEED, "normalization", "past")[0].to(DTYPE)' if config.evaluation else None
    statistics = "past.mean(0), past.var(0)" if config.evaluation else "None, None, training=True"
    match config.topic:
        case "dependence":
            return assemble(head, tokens, past, _DEPENDENCE.format(statistics=statistics))
        case "length":
            return assemble(head, *_length(config))
        case "bias":
            return assemble(head, tokens, past, _BIAS.format(statistics=statistics))
        case "feed-forward":
            layer, instead = ("other", _INSTEAD) if config.attention_instead else ("feed", "")
            code = _FEED_FORWARD.format(activation=config.activation, layer=layer, instead=instead)
            return assemble(head, tokens, "", *_WEIGHT, code)
        case _:
            return assemble(head, tokens, "", *_block(config))


def _length(config: NormalizationConfig) -> tuple[str | None, ...]:
    each = "(gamma.double() * (x.double() - x.double().mean(1, keepdim=True)) / sigma[:, None]).norm(dim=1)"
    return (
        f'x = ({config.input_std} * draw(({POINTS}, D), SEED, "normalization", "points")).to(DTYPE)',
        "x = x[:, :1].expand(-1, D)" if config.constant else None,
        f"gamma, beta = torch.full((D,), {config.gamma}, dtype=DTYPE), torch.full((D,), {config.beta}, dtype=DTYPE)",
        'gamma *= (1 + 0.5 * draw((D,), SEED, "normalization", "gammas")).to(DTYPE)' if config.own_gammas else None,
        f"y = F.layer_norm(x, (D,), gamma, beta, eps={config.eps}).double()",
        "length = (y - beta.double()).norm(dim=1)",
        f"sigma = {'torch.zeros(len(x)).double()' if config.constant else 'x.double().std(1, correction=0)'}",
        "radius = gamma.double().square().mean().sqrt() * D**0.5",
        f"stretch = {each}" if config.own_gammas and not config.constant else "stretch = radius",
        f"left = length - stretch * sigma / (sigma**2 + {config.eps}) ** 0.5",
        'print(f"lengths differ from |gamma| sqrt(d) by: {(length - radius).abs().max().item():.3g}")',
        'print(f"and from the length that counts eps by: {left.abs().max().item():.3g}")',
    )


def _block(config: NormalizationConfig) -> tuple[str | None, ...]:
    gain = '    gain = (1 + 0.5 * draw((N, 1), SEED, "normalization", "slot")).to(DTYPE)  # for each slot'
    some = (
        'stream = generator(SEED, "normalization", "orders", N)\n'
        f"orders = [torch.randperm(N, generator=stream) for _ in range({MOST_ORDERS})]"
    )
    every = "orders = [torch.tensor(order) for order in itertools.permutations(range(N))]"
    mask = ", torch.where(i <= i[:, None], 0, -torch.inf)" if config.causal else ""
    return (
        *_WEIGHT,
        "",
        "def attend(z, name):",
        "    z = z + sinusoids(i, D).to(DTYPE)" if config.positions else None,
        '    b = torch.cat([weight(f"{name}.{role}_bias", D) for role in "qkv"])',
        '    q, k, v = F.linear(z, weight(name + ".in_weight", 3 * D, D), b).chunk(3, -1)',
        f"    context = attention_weights(q, k{mask}) @ v",
        '    return F.linear(context, weight(name + ".o_weight", D, D), weight(name + ".o_bias", D))',
        "",
        "def feed(z, name):",
        '    hidden = F.linear(z, weight(name + ".widen.weight", 2 * D, D), weight(name + ".widen.bias", 2 * D))',
        '    narrow = weight(name + ".narrow.weight", D, 2 * D), weight(name + ".narrow.bias", D)',
        f"    return F.linear(F.{config.activation}(hidden), *narrow)",
        "",
        "def norm(h, name):",
        None if config.norm == "RMSNorm" else '    beta = weight(name + "_norm.bias", D)',
        gain if config.slot_weights else None,
        f"    return {'gain * ' * config.slot_weights}{_NORMS[config.norm]}",
        "",
        "def block(z, place):",
        '    for part, name in ((attend, "self_attention"), (feed, "feed_forward")):',
        '        if place == "pre":',
        "            z = z + part(norm(z, name), name)",
        '        elif place == "post":',
        "            z = norm(z + part(z, name), name)",
        "        else:",
        "            z = z + norm(part(z, name), name)",
        "    return z",
        "",
        "i = torch.arange(N)" if config.positions or config.causal else None,
        every if config.num_tokens <= 5 else some,
        'for place in ("pre", "post", "residual post"):',
        "    before = block(x, place)",
        "    left = max((block(x[order], place) - before[order]).abs().max().item() for order in orders)",
        '    print(f"{place} norm, tokens shuffled and put back, outputs differ by: {left:.3g}")',
    )


def headline(result: NormalizationResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    measured = [verdict.measured for verdict in result.verdicts if verdict.claim != "norm-place"]
    if isinstance(result, DependenceResult):
        return [measured[0], measured[2], abs(result.jacobians[0, 0, 0, 0, 0]), float(result.moved[2, 0])]
    if isinstance(result, FeedForwardResult):
        apart = result.depends[1][~np.eye(len(result.outside), dtype=bool)]
        return [float(apart.max()), *measured[1:]]
    return measured[:2] if isinstance(result, LengthResult) else measured
