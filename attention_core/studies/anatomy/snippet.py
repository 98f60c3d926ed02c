"""Code that measures one pass again in plain torch, without this project."""

from typing import Final

from attention_core.measuring.choices import turns
from attention_core.measuring.snippets import assemble, mask, turned
from attention_core.studies.anatomy.measure import AnatomyResult
from attention_core.studies.anatomy.module import SLOT_GAIN, WORD_GAIN
from attention_core.studies.anatomy.settings import D_MODEL, AnatomyConfig

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

_BUILT = f"""\
turns = 10000.0 ** -(torch.arange(0, D // 2, 2).double() / D)
turn = torch.block_diag(*[torch.stack((t.cos(), -t.sin(), t.sin(), t.cos())).view(2, 2) for t in turns])
a, b, eye = ({SLOT_GAIN} * SIZE**0.5) ** 0.5, ({WORD_GAIN} * SIZE**0.5) ** 0.5, torch.eye(SIZE, D // 2).double()
back, here, word = F.pad(eye @ turn, (0, D // 2)), F.pad(eye, (0, D // 2)), F.pad(eye, (D // 2, 0))

def built(*pair):  # every other head alike
    return torch.cat([pair[h % 2] for h in range(HEADS)])
"""


def anatomy_snippet(config: AnatomyConfig) -> str:
    """Plain torch that prints the mean largest weight, and max |all heads at once − loop over heads|."""
    drawn = config.weights == "random"
    sizes = f"{D_MODEL}, {config.heads}, {config.head_size}"
    added = {
        "sinusoidal": "sinusoids(i, D)",
        "learned": 'draw((64, D), SEED, "parameter", "added_position.table")[:n]',
    }
    split = "z.reshape(HEADS, n, SIZE)" if config.no_transpose else "split(z, HEADS)"
    q, k = (turned(config.positions, (part, "i"), length="n") for part in "qk")
    masks = mask(positions=config.positions, sees="i <= i[:, None]" if config.causal else None)
    return assemble(
        f"SEED, D, HEADS, SIZE, DTYPE = {config.seed}, {sizes}, torch.{config.dtype}",
        f"TOKENS = {config.tokens!r}",
        "n, i = len(TOKENS), torch.arange(len(TOKENS))",
        "words = F.normalize(embed(TOKENS, D // 2, SEED)) * (D // 2) ** 0.5",
        "x = F.pad(words, (D // 2, 0)).to(DTYPE)  # room for the slot, then the word",
        f"x = x + {added[config.positions]}.to(DTYPE)" if config.positions in added else None,
        "",
        *(_drawn(config) if drawn else _built(config)),
        None
        if config.biases and (drawn or config.positions == "sinusoidal" or turns(config.positions))
        else "b_Q = b_K = b_V = b_O = torch.zeros(1)",
        "W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O = (p.to(DTYPE) for p in (W_Q, W_K, W_V, W_O, b_Q, b_K, b_V, b_O))",
        "own = torch.arange(D) * HEADS // D == torch.arange(HEADS).repeat_interleave(SIZE)[:, None]"
        if config.cut
        else None,
        "W_Q, W_K, W_V = (W * own for W in (W_Q, W_K, W_V))  # each head its slice of a word" if config.cut else None,
        f"mask = torch.zeros(HEADS, n, n){masks and ' + '}{masks}",
        "",
        "def attend(q, k, v, mask):",
        f"    weights = attention_weights({q}, {k}, mask)",
        "    return weights, weights @ v",
        "",
        "q, k, v = x @ W_Q.T + b_Q, x @ W_K.T + b_K, x @ W_V.T + b_V",
        f"weights, context = attend(*({split} for z in (q, k, v)), mask)",
        f"output = {'context.reshape(n, -1)' if config.no_transpose else 'merge(context)'} @ W_O.T + b_O",
        "heads = [slice(h * SIZE, (h + 1) * SIZE) for h in range(HEADS)]",
        "each = [attend(q[:, h], k[:, h], v[:, h], m)[1] @ W_O[:, h].T for h, m in zip(heads, mask)]",
        'print(f"the largest weight of a row is, on average: {weights.double().amax(-1).mean():.3g}")',
        'print(f"all heads at once and a loop over them differ by: {(output - b_O - sum(each)).abs().max():.3g}")',
    )


def _drawn(config: AnatomyConfig) -> list[str]:
    """Lines that draw the weights; a projection that two roles share is drawn once."""
    roles = {"tied-qk": "QV", "tied-kv": "QK"}.get(config.projections, "QKV")
    again = {"tied-qk": ("W_K = W_Q", "b_K = b_Q"), "tied-kv": ("W_V = W_K", "b_V = b_K")}.get(config.projections)
    weights, biases = (", ".join(f"{kind}_{role}" for role in roles) for kind in "Wb")
    drawn = f'{biases} = (parameter(f"{{role}}_bias", HEADS * SIZE, seed=SEED) for role in "{roles.lower()}")'
    return [
        f'{weights} = parameter("in_weight", {len(roles)} * HEADS * SIZE, D, seed=SEED).chunk({len(roles)})',
        *([again[0]] if again else []),
        'W_O = parameter("o_weight", D, HEADS * SIZE, seed=SEED)',
        *([drawn, *([again[1]] if again else []), 'b_O = parameter("o_bias", D, seed=SEED)'] * config.biases),
    ]


def _built(config: AnatomyConfig) -> list[str | None]:
    """Lines that build the weights by hand."""
    tied_keys, tied_values = config.projections == "tied-qk", config.projections == "tied-kv"
    centred = config.biases and config.positions == "sinusoidal"
    clock = config.biases and turns(config.positions)
    before = turned(config.positions, ("hands[None]", "-torch.ones(1)"), length="n")
    hands = "hands = a * (1.0 - torch.arange(SIZE).double() % 2)  # what rotary positions turn"
    still = "still = torch.arange(SIZE) % 2 * (torch.arange(SIZE) < D // 2)  # slow hands stand at 0, 1, 0, 1"
    return [
        _BUILT,
        "W_K = built(a * here, b * word)",
        f"W_Q = {'W_K' if tied_keys else 'built(a * back, b * word)'}",
        f"W_V = {'W_K' if tied_values else 'built(word, word)'}",
        "W_O = torch.eye(D).double().repeat(1, -(-HEADS * SIZE // D))[:, : HEADS * SIZE]",
        still if centred else None,
        "b_Q = b_K = built(0 * still, -b * still)" if centred else None,
        f"b_V, b_O = {'b_K' if tied_values else 'built(-still, -still)'}, torch.zeros(1)" if centred else None,
        hands if clock else None,
        "b_K = built(hands, 0 * hands)" if clock else None,
        f"b_Q = {'b_K' if tied_keys else f'built({before}[0], 0 * hands)'}" if clock else None,
        f"b_V, b_O = {'b_K' if tied_values else 'torch.zeros(1)'}, torch.zeros(1)" if clock else None,
    ]


def headline(result: AnatomyResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    return [result.mean_max_weight, result.verdict("mha-reshape").measured]
