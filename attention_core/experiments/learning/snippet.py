"""The whole training in plain torch, without this project: the same start, the same sequences, the same accuracy."""

from typing import Final

from attention_core.experiments.learning.config import ADDED, HELD_OUT, OPTIMIZERS, LearningConfig
from attention_core.experiments.learning.model import BIAS_STD
from attention_core.experiments.learning.optimizers import DECAY
from attention_core.experiments.learning.tasks import IGNORED, periods
from attention_core.modules.positions import alibi_slopes

SHORTEST: Final = """\
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
"""

_HEAD: Final = """\
import hashlib
import torch
import torch.nn.functional as F

TOKENS, KINDS, D, HEADS, D_HEAD = {tokens}, {kinds}, {d_model}, {heads}, {d_head}
WIDTH, NEW = HEADS * D_HEAD, {{}}

def stream(*purpose):
    digest = hashlib.blake2b(repr(({seed}, *purpose)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)

def new(name, *shape, std={bias_std}):
    if name not in NEW:
        values = std * torch.randn(shape, generator=stream("parameter", name), dtype=torch.float64)
        NEW[name] = values.to(torch.{dtype}).requires_grad_()
    return NEW[name]

def linear(x, name, out):
    return F.linear(x, new(name + ".weight", out, x.shape[-1], std=x.shape[-1] ** -0.5), new(name + ".bias", out))

def norm(x, name):
    gain = NEW.setdefault(name + ".weight", torch.ones(D, dtype=x.dtype, requires_grad=True))
    return F.layer_norm(x, (D,), gain, new(name + ".bias", D))

def attend(x, name):
{spread}    weight = new(name + ".in_weight", {blocks} * WIDTH, D, std={in_std})
    {roles} = F.linear(x, weight{biases}).chunk({blocks}, -1)
    q, k, v = (part.unflatten(-1, (HEADS, D_HEAD)).transpose(1, 2) for part in ({parts}))
{turn}    scores = q @ k.mT{scale}
{penalty}{causal}    context = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
    return F.linear(context, new(name + ".o_weight", D, WIDTH, std=WIDTH ** -0.5){o_bias})

{feed_def}def model(tokens):
    x = F.embedding(tokens, new("table", KINDS, D, std=1.0)){added}
    for layer in range({layers}):
        name = f"stack.layers.{{layer}}."
        x = {attend}
{feed}    return linear({top}, "readout", KINDS)

def sequences(batch, draws):
{sequences}
draws = stream("learning", "sequences")
model(torch.zeros(1, TOKENS, dtype=torch.long))  # makes the parameters
optimizer = torch.optim.{optimizer}(NEW.values(), lr={learning_rate!r}{decay})
for step in range({steps}):
    inputs, wanted = sequences({batch}, draws)
    loss = F.cross_entropy(model(inputs).flatten(0, 1), wanted.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
inputs, wanted = sequences({held_out}, stream("learning", "held out"))
right = ((model(inputs).argmax(-1) == wanted).sum(1) / (wanted != {ignored}).sum(1)).mean()
print(f"accuracy {{right:.3f}} on {held_out} new sequences")
"""

_DRAWN: Final = "    inputs = torch.randint(KINDS, (batch, TOKENS), generator=draws)\n"
_SEQUENCES: Final = {
    "reverse": _DRAWN + "    return inputs, inputs.flip(1)\n",
    "sort": _DRAWN + "    return inputs, inputs.sort(1).values\n",
    "copy": _DRAWN + "    return inputs, F.pad(inputs, ({back}, 0), value={ignored})[:, :TOKENS]\n",
    "induction": """\
    period = torch.randint({shortest}, {longest} + 1, (batch, 1), generator=draws)
    slots = torch.arange(TOKENS + 1)
    text = torch.rand(batch, KINDS, generator=draws).argsort(1).gather(1, slots % period)
    return text[:, :-1], text[:, 1:].masked_fill(slots[:-1] < period, {ignored})
""",
}
_ANGLES: Final = "torch.arange(TOKENS)[:, None] * 10000.0 ** (-torch.arange(0, {size}, 2, dtype={exact}) / {size})"
_TURN: Final = """\
    angles = {angles}
    pairs = [torch.view_as_complex(part.unflatten(-1, (-1, 2)).contiguous()) for part in (q, k)]
    q, k = (torch.view_as_real(pair * torch.polar(torch.ones_like(angles), angles)).flatten(-2) for pair in pairs)
"""
_ROLES: Final = {
    "full": ("q, k, v", "q, k, v"),
    "tied-qk": ("q, v", "q, q, v"),
    "tied-kv": ("q, k", "q, k, k"),
}


def learning_snippet(config: LearningConfig) -> str:
    """Fewer than 60 lines of code that train the same model on the same sequences and print its accuracy.

    Each parameter is drawn where it is first used, from the stream of its name.

    Args:
        config: The settings; the snippet holds no result.
    """
    roles, parts = _ROLES[config.projections]
    own, allowed = roles.replace(", ", ""), periods(config.tokens)
    size = config.head_size if config.positions == "rotary" else config.d_model
    angles = _ANGLES.format(size=size, exact=f"torch.{config.dtype}")
    return _HEAD.format(
        tokens=config.tokens,
        kinds=config.kinds,
        d_model=config.d_model,
        heads=config.heads,
        d_head=config.head_size,
        layers=config.layers,
        seed=config.seed,
        dtype=config.dtype,
        bias_std=BIAS_STD,
        blocks=len(own),
        spread=_spread(config),
        in_std="D ** -0.5" if config.start == 1 else "spread",
        roles=roles,
        parts=parts,
        biases=f', torch.cat([new(f"{{name}}.{{role}}_bias", WIDTH) for role in "{own}"])' if config.biases else "",
        o_bias=', new(name + ".o_bias", D)' if config.biases else "",
        turn=_TURN.format(angles=angles) if config.positions == "rotary" else "",
        scale="" if config.scale == "none" else " * D_HEAD**-0.5",
        penalty=_penalty(config),
        causal=_CAUSAL if config.causal else "",
        added=_added(config, angles),
        attend=_sublayer(config, 'attend({}, name + "self_attention")', "self_attention_norm"),
        feed=f"        x = {_sublayer(config, 'feed({}, name)', 'feed_forward_norm')}\n"
        if config.feed_forward
        else "",
        feed_def=_FEED if config.feed_forward else "",
        top='norm(x, "stack.final_norm")' if config.placement == "pre" else "x",
        sequences=_SEQUENCES[config.task].format(
            back=config.back, ignored=IGNORED, shortest=allowed.start, longest=allowed.stop - 1
        ),
        optimizer=OPTIMIZERS[config.optimizer],
        learning_rate=config.learning_rate,
        decay=f", weight_decay={DECAY}" if config.optimizer == "adamw" else "",
        steps=config.steps,
        batch=config.batch,
        held_out=HELD_OUT,
        ignored=IGNORED,
    )


_CAUSAL: Final = "    scores = scores.masked_fill(~torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(), -torch.inf)\n"
_FEED: Final = """\
def feed(x, name):
    hidden = linear(x, name + "feed_forward.widen", 4 * D).relu()
    return linear(hidden, name + "feed_forward.narrow", D)

"""


def _sublayer(config: LearningConfig, call: str, norm: str) -> str:
    normed = f'norm({{}}, name + "{norm}")'
    match config.placement:
        case "pre":
            return "x + " + call.format(normed.format("x"))
        case "post":
            return normed.format("x + " + call.format("x"))
        case _:
            return "x + " + normed.format(call.format("x"))


def _spread(config: LearningConfig) -> str:
    """A line with the spread of each row of W_Q, W_K and W_V at the start; only there if they differ."""
    if config.start == 1:
        return ""
    last = {"full": [1.0], "tied-qk": [1.0], "tied-kv": []}[config.projections]
    first = [config.start] if config.projections == "tied-qk" else [config.start] * 2
    return f"    spread = torch.tensor({first + last}).repeat_interleave(WIDTH)[:, None] * D ** -0.5\n"


def _penalty(config: LearningConfig) -> str:
    if config.positions != "alibi":
        return ""
    slopes = f"torch.tensor({list(alibi_slopes(config.heads))})"
    distance = "(torch.arange(TOKENS)[:, None] - torch.arange(TOKENS)).abs()"
    return f"    slopes = {slopes}\n    scores = scores - slopes[:, None, None] * {distance}\n"


def _added(config: LearningConfig, angles: str) -> str:
    if config.positions not in ADDED:
        return ""
    if config.positions == "learned":
        return ' + new("stack.added_position.table", TOKENS, D, std=1.0)'
    return f"\n    angles = {angles}\n    x = x + torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)[:, :D]"
