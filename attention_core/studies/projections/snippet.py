"""Code that answers a question about projections again in plain torch, without this project."""

from typing import Final

import numpy as np

from attention_core.measuring.snippets import assemble, mask
from attention_core.studies.projections.collapse import CollapseResult
from attention_core.studies.projections.fixed import FixedResult
from attention_core.studies.projections.gauge import STRETCH, GaugeResult
from attention_core.studies.projections.identity import IdentityResult
from attention_core.studies.projections.measure import ProjectionsResult
from attention_core.studies.projections.names import NamesResult
from attention_core.studies.projections.rank import RankResult
from attention_core.studies.projections.settings import LAYERS, TOPICS, ProjectionsConfig
from attention_core.studies.projections.tying import TyingResult

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

_IDENTITY: Final = """\
scores = attend(x, x)[0].double()
other = torch.tensor([[a != b for b in WORDS] for a in WORDS])
lead = (scores - scores.diagonal(0, -2, -1)[..., None])[:, other].flatten().tolist()
print(f"another word's score leads a word's own by: {{max(lead, default=0.0):.3g}}")"""

_TYING: Final = """\
W = parameter("in_weight", 2 * M, M, seed=SEED)[:M].to(DTYPE)  # W_Q = W_K
{biases}S, A = (z.double() for z in attend(F.linear(x, W{b_Q}), F.linear(x, W{b_K})))
skew = (S - S.mT).nan_to_num(nan=0, posinf=math.inf, neginf=-math.inf)
print(f"scores and their transpose differ by: {{skew.abs().max().item():.3g}}")
norm = torch.linalg.matrix_norm(A - A.mT)[0]
print(f"weights and their transpose by, as a norm: {{norm.item():.3g}}")"""

_GAUGE: Final = """\
def basis(name):
    left, right = torch.linalg.qr(draw((2, HEADS, D, D), SEED, "basis", name))[0]
    z = torch.rand(HEADS, D, generator=generator(SEED, "stretch", name), dtype=torch.float64)
    return left * torch.exp({stretch} * (2 * z - 1))[:, None, :] @ right.mT

W = parameter("in_weight", 3 * M, M, seed=SEED).view(3, HEADS, D, M)  # W_Q, W_K, W_V
O = parameter("o_weight", M, M, seed=SEED).view(M, HEADS, D).transpose(0, 1)
b = torch.stack([parameter(f"{{role}}_bias", M, seed=SEED{std}).view(HEADS, D, 1) for role in "qkv"])
b_O = parameter("o_bias", M, seed=SEED{std})
m, N = basis("query and key"), basis("value")
turn = torch.stack([m, {of_keys}, N])

def f(W, b, O):
    q, k, v = F.linear(x, W.flatten(0, 2).to(DTYPE), b.flatten().to(DTYPE)).chunk(3, -1)
    context = merge(product(attend(q, k)[1], split(v, HEADS))).to(DTYPE)
    return F.linear(context, O.transpose(0, 1).flatten(1).to(DTYPE), b_O.to(DTYPE)).double()

moved = (turn @ W).flip(1), (turn @ b).flip(1), (O @ torch.linalg.inv(N)).flip(0)  # heads in reverse order
sets = (W, b, O, b_O), (*moved, b_O)
old, new = (torch.cat([p.flatten() for p in parts]).to(DTYPE).double() for parts in sets)
print(f"in another basis the output moves by: {{(f(*moved) - f(W, b, O)).abs().max().item():.3g}}")
print(f"and the parameters by, relative to their length: {{((new - old).norm() / old.norm()).item():.3g}}")"""

_RANK: Final = """\
W_Q, W_K, _ = parameter("in_weight", 3 * M, M, seed=SEED).to(DTYPE).chunk(3)
{biases}scores, weights = attend(F.linear(x, W_Q{b_Q}), F.linear(x, W_K{b_K}))
if scores.isinf().any():
    over = math.inf  # no product of narrow matrices holds it
else:
    values = torch.linalg.svdvals(scores.double())
    over = (values[:, D] / values[:, 0]).max().item() if D < len(WORDS) else 0.0
print(f"the scores' singular value after the first d_head, by the first: {{over:.3g}}")
print(f"the largest singular value of the weights: {{torch.linalg.svdvals(weights.double())[0, 0].item():.3g}}")"""

_COLLAPSE: Final = """\
def layer(x, number):
    def weight(name, *shape):
        return parameter(name, *shape, seed=SEED + 1_000_000 * number{std}).to(DTYPE)

    b = torch.cat([weight(f"{{role}}_bias", M) for role in "qkv"])
    q, k, v = F.linear(x, weight("in_weight", 3 * M, M), b).chunk(3, -1)
    return F.linear(attend(q, k, v), weight("o_weight", M, M), weight("o_bias", M))

def apart(x):
    x = x.double()
    return ((x - x.mean(0)).norm() / x.norm()).item()

for residual in (False, True):
    y = x
    for number in range({layers}):
        y = layer(y, number) + (y if residual else 0)
    print(f"{{'with' if residual else 'without'}} the residual, tokens stay apart by: {{apart(y):.3g}}")"""

_NAMES: Final = """\
W_Q, W_K, _ = parameter("in_weight", 3 * M, M, seed=SEED).to(DTYPE).chunk(3)
{biases}q, k = F.linear(x, W_Q{b_Q}), F.linear(x, W_K{b_K})
S = attend(q, k)[0].double()
exchanged = attend(k, {other})[0].double()  # W_K makes the queries now
print(f"the scores, transposed, differ by: {{(exchanged.mT - S).abs().max().item():.3g}}")
print(f"the largest of them is: {{S.abs().max().item():.3g}}")"""

_FIXED: Final = """\
W_Q, W_K, _ = parameter("in_weight", 3 * M, M, seed=SEED).to(DTYPE).chunk(3)
{biases}W = parameter("weight", len(WORDS), len(WORDS), seed=SEED).to(DTYPE)  # a full layer over places
moved = x.roll(1, 0)  # each word stands one place further on

def layer(places):
    return W @ places

def weights(x):
    return attend(F.linear(x, W_Q{b_Q}), F.linear(x, W_K{b_K}))[1].double()

full, full_moved = (torch.autograd.functional.jacobian(layer, z[:, 0]).double() for z in (x, moved))
print(f"where words move, a full layer's weights over places move by: {{(full_moved - full).abs().max().item():.3g}}")
print(f"and those of attention by: {{(weights({then}) - weights(x)).abs().max().item():.3g}}")"""

_STEPS: Final = """\
    scores = product(q, k.mT) * {scale}{mask}
    return scores.to(DTYPE), scores.softmax(-1).to(DTYPE)"""
# Twelve layers of half precision turn sums in another order into other digits, so they are those of the same kernel.
_FUSED: Final = """\
    q, k, v = q[None], k[None], split(v, HEADS)[None]
    return merge(F.scaled_dot_product_attention(q, k, v{mask})[0])"""
_TAILS: Final = dict(zip(TOPICS, (_IDENTITY, _TYING, _GAUGE, _RANK, _COLLAPSE, _NAMES, _FIXED), strict=True))
_SPREAD: Final = 'x = x * torch.stack([({spread} * draw((), SEED, "norm", word)).exp() for word in WORDS])[:, None]'


def projections_snippet(config: ProjectionsConfig) -> str:
    """Plain torch that prints the headline quantity of the config's question, then one more number it rests on.

    In the order of ``TOPICS``: the largest score of another word minus one's own; max |S − Sᵀ| and ‖A − Aᵀ‖ of head
    1; how far the output and the parameters moved; σ of the scores past d_head and the largest σ of head 1's
    weights; ‖X − mean‖ / ‖X‖ after all layers, without and with the residual; max |S′ᵀ − S| and max |S|; how far
    the weights of a full layer and of attention moved.
    """
    masks = mask(positions=config.positions, sees="i <= i[:, None]" if config.causal else None)
    if config.topic == "names":
        masks = ""  # it is the products that are told
    rotary, fused = config.positions == "rotary", config.topic == "collapse"
    heads = "[None]" * (fused and config.positions == "alibi")  # of one text, for the kernel
    own_norms = "x = D**0.5 * F.normalize(x.unflatten(1, (HEADS, D)), dim=2).flatten(1)"
    return assemble(
        f"SEED, HEADS, D, DTYPE = {config.seed}, {config.num_heads}, {config.d_head}, torch.{config.dtype}",
        f"WORDS = {config.tokens!r}",
        "M = HEADS * D",
        "i = torch.arange(len(WORDS))" if masks or rotary else None,
        "x = embed(WORDS, M, SEED)",
        "x = M**0.5 * F.normalize(x)" if config.whole_norms else own_norms,
        _SPREAD.format(spread=config.spread) if config.spread else None,
        "x = x.to(DTYPE)",
        f"mask = ({masks}).to(DTYPE){heads}" if masks else None,
        "",
        "def attend(q, k, v):" if fused else "def attend(q, k):",
        "    q, k = split(q, HEADS), split(k, HEADS)  # (heads, tokens, d_head)",
        "    q, k = (F.rms_norm(z, (D,)) for z in (q, k))" if config.qk_norm else None,
        "    q, k = rotate(q, i), rotate(k, i)" if rotary else None,
        *(_FUSED if fused else _STEPS)
        .format(scale=_scale(config), mask=(", mask" if fused else " + mask") if masks else "")
        .splitlines(),
        "",
        _TAILS[config.topic].format(**_biases(config), **_switched(config), stretch=STRETCH, layers=LAYERS),
    )


def _scale(config: ProjectionsConfig) -> str:
    if config.topic == "identity" and config.temperature != 1:
        return f"D**-0.5 / {config.temperature}"
    return "D**-0.5"


def _switched(config: ProjectionsConfig) -> dict[str, str]:
    """What stands in the code where only one of two things is changed, or weights are kept."""
    return {
        "of_keys": "torch.eye(D).double().expand_as(m)" if config.one_side else "torch.linalg.inv(m).mT",
        "other": "k" if config.one_side else "q",
        "then": "x" if config.frozen else "moved",
    }


def _biases(config: ProjectionsConfig) -> dict[str, str]:
    """What stands in the code for biases: the lines that draw them, what adds them, and their size where it is 0."""
    if config.biases == "none":
        return {"biases": "", "b_Q": "", "b_K": "", "std": ", bias_std=0"}
    first, second = ", b_Q", ", b_K"
    drawn = 'b_Q, b_K = (parameter(f"{role}_bias", M, seed=SEED).to(DTYPE) for role in "qk")'
    if config.topic == "tied":
        drawn, second = 'b_Q = parameter("q_bias", M, seed=SEED).to(DTYPE)', first * (config.biases == "both")
    return {"biases": drawn + "\n", "b_Q": first, "b_K": second, "std": ""}


def headline(result: ProjectionsResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    match result:
        case IdentityResult():
            return [result.lead]
        case TyingResult():
            return [result.verdict("qk-tied").measured, result.asymmetry[0]]
        case GaugeResult():
            return [result.moved, result.changed]
        case RankResult():
            largest = np.linalg.svd(result.weights[0], compute_uv=False)[0]
            return [result.verdict("low-rank.scores").measured, float(largest)]
        case NamesResult():
            return [result.verdict("qkv-names.scores").measured, float(np.abs(result.scores).max())]
        case FixedResult():
            return [result.verdict("fc-fixed.full").measured, result.change]
        case CollapseResult():
            return list(result.apart[:, -1])
