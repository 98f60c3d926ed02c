"""The shortest attention that shows a page's point: about ten lines of plain torch that say what they print.

They use random numbers of their own, so they show what is true in general; the longer code of an experiment computes
its very numbers again.
"""

from typing import Final

_ATTEND: Final = """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.randn(n, d, dtype=torch.float64)
W_Q, W_K, W_V = torch.randn(3, d, d, dtype=torch.float64) / d**0.5

def attend(queries, keys):
    scores = (queries @ W_Q.T) @ (keys @ W_K.T).T / d**0.5
    return scores.softmax(-1) @ (keys @ W_V.T)

"""

SHORTEST: Final[dict[str, str]] = {
    "anatomy": """\
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
""",
    "permutation": _ATTEND
    + """\
order = torch.randperm(n)
print(f"keys and values shuffled: outputs differ by {(attend(x, x[order]) - attend(x, x)).abs().max():.1e}")
print(f"all shuffled: rows, put back, differ by {(attend(x[order], x[order]) - attend(x, x)[order]).abs().max():.1e}")
""",
    "biases": """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.randn(n, d, dtype=torch.float64)
W_Q, W_K, W_V = torch.randn(3, d, d, dtype=torch.float64) / d**0.5

def attend(b_Q=0, b_K=0, b_V=0):
    scores = (x @ W_Q.T + b_Q) @ (x @ W_K.T + b_K).T / d**0.5
    return scores.softmax(-1) @ (x @ W_V.T + b_V)

for name in ("b_Q", "b_K", "b_V"):
    change = attend(**{name: 5 * torch.ones(d, dtype=torch.float64)}) - attend()
    print(f"{name} moves the output by up to {change.abs().max():.1e}")
""",
    "scaling": """\
import torch

torch.manual_seed(0)
for d_head in (4, 64, 1024, 4096):
    q, k = torch.randn(256, d_head), torch.randn(64, d_head)
    for name, factor in (("unscaled", 1), ("divided by √d_head", d_head**-0.5)):
        scores = q @ k.T * factor
        largest = scores.softmax(-1).amax(-1).mean()
        print(f"d_head = {d_head}, {name}: variance {scores.var():.3g}, mean largest weight {largest:.3f}")
""",
    "receptive_field": """\
import torch

heads, layers, tokens = 2, 3, 32
sees = torch.eye(tokens, dtype=torch.bool)  # which inputs each token sees
for layer in range(layers):
    below, step = sees, (heads + 1) ** layer
    for head in range(1, heads + 1):  # each head looks at one token further back
        looks_at = (torch.arange(tokens) - head * step).clamp(min=0)
        sees = sees | below[looks_at]
    print(f"{layer + 1} layers up the last token sees {sees[-1].sum()} inputs; at most {(heads + 1) ** (layer + 1)}")
""",
    "learning": """\
import torch

torch.manual_seed(0)
n, d, kinds = 6, 32, 8
model = torch.nn.ModuleDict({
    "token": torch.nn.Embedding(kinds, d), "place": torch.nn.Embedding(n, d),
    "attend": torch.nn.MultiheadAttention(d, 1, batch_first=True), "out": torch.nn.Linear(d, kinds),
})
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
for step in range(200):
    letters = torch.randint(kinds, (64, n))
    x = model["token"](letters) + model["place"](torch.arange(n))
    guess = model["out"](model["attend"](x, x, x)[0])
    loss = torch.nn.functional.cross_entropy(guess.flatten(0, 1), letters.flip(1).flatten())
    optimizer.zero_grad(); loss.backward(); optimizer.step()
print(f"reversing {n} letters, right after 200 steps: {(guess.argmax(-1) == letters.flip(1)).float().mean():.1%}")
""",
    "complexity": """\
import torch
from torch.utils.flop_counter import FlopCounterMode

d = 128
for n in (64, 256, 1024):  # tokens
    x, W = torch.randn(n, d), torch.randn(d, d)
    with FlopCounterMode(display=False) as projections:
        q, k, v, o = (x @ W for _ in range(4))
    with FlopCounterMode(display=False) as scores:
        (q @ k.T / d**0.5).softmax(-1) @ v
    counts = projections.get_total_flops(), scores.get_total_flops()
    print("%d tokens: projections cost %d operations, scores and weighted sum %d" % (n, *counts))
""",
    "masks": """\
import torch

torch.manual_seed(0)
words, d = 4, 32  # four words, then two places of padding
x = torch.randn(6, d)
padding = torch.arange(6) >= words

def attend(x, hidden):  # hidden: the keys that nobody may look at
    return (x @ x.T / d**0.5).masked_fill(hidden, -torch.inf).softmax(-1) @ x

other = torch.where(padding[:, None], torch.randn(6, d), x)  # other numbers in the padding's place
for name, hidden in (("with the padding mask", padding), ("without", padding & False)):
    moved = (attend(other, hidden) - attend(x, hidden))[:words].abs().max()
    print(f"{name} the words' outputs move by {moved:.3g}")
""",
    "normalization": """\
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
""",
    "projections": """\
import torch

torch.manual_seed(0)
n, d = 6, 32  # tokens, and numbers for each
x = torch.nn.functional.normalize(torch.randn(n, d)) * d**0.5  # of equal length
W_Q, W_K = torch.randn(2, d, d) / d**0.5
for name, queries, keys in (("without W_Q and W_K", x, x), ("with them", x @ W_Q.T, x @ W_K.T)):
    weights = (queries @ keys.T / d**0.5).softmax(-1)
    itself = (weights.argmax(-1) == torch.arange(n)).sum()
    print(f"{name} {itself} of {n} words look most at themselves")
""",
}
