"""The whole training in plain torch, without this project: the same start, the same sequences, the same accuracy."""

from typing import Final

from attention_core.measuring.optimizers import DECAY
from attention_core.measuring.snippets import assemble, mask
from attention_core.studies.learning.model import BIAS_STD
from attention_core.studies.learning.result import LearningResult
from attention_core.studies.learning.settings import HELD_OUT, OPTIMIZERS, LearningConfig
from attention_core.studies.learning.tasks import IGNORED, periods

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

_FEED: Final = """\
def feed(x, name):
    hidden = linear(x, name + "feed_forward.widen", 4 * D).relu()
    return linear(hidden, name + "feed_forward.narrow", D)
"""
_ADDED: Final = {
    "sinusoidal": " + sinusoids(i, D).to(torch.{dtype})",
    "learned": ' + new("stack.added_position.table", TOKENS, D, std=1.0)',
}
_ROLES: Final = {"full": ("q, k, v", "q, k, v"), "tied-qk": ("q, v", "q, q, v"), "tied-kv": ("q, k", "q, k, k")}


def learning_snippet(config: LearningConfig) -> str:
    """Code that trains the same model on the same sequences and prints its accuracy.

    Each parameter is drawn where it is first used, from the stream of its name.
    """
    return assemble(
        *model_lines(config),
        "def sequences(batch, stream):",
        *_sequences(config),
        "",
        *training_lines(config),
        f'inputs, wanted = sequences({HELD_OUT}, generator(SEED, "learning", "held out"))',
        f"right = ((model(inputs).argmax(-1) == wanted).sum(1) / (wanted != {IGNORED}).sum(1)).mean()",
        f'print(f"accuracy {{right:.3f}} on {HELD_OUT} new sequences")',
    )


def training_lines(config: LearningConfig) -> tuple[str, ...]:
    """Code that trains ``model`` on what ``sequences`` draws."""
    decay = f", weight_decay={DECAY}" if config.optimizer == "adamw" else ""
    return (
        'stream = generator(SEED, "learning", "sequences")',
        "model(torch.zeros(1, TOKENS, dtype=torch.long))  # makes the parameters",
        f"optimizer = torch.optim.{OPTIMIZERS[config.optimizer]}(NEW.values(), lr={config.learning_rate!r}{decay})",
        f"for step in range({config.steps}):",
        f"    inputs, wanted = sequences({config.batch}, stream)",
        "    loss = F.cross_entropy(model(inputs).flatten(0, 1), wanted.flatten())",
        "    optimizer.zero_grad()",
        "    loss.backward()",
        "    optimizer.step()",
    )


def model_lines(config: LearningConfig) -> tuple[str | None, ...]:
    """Code with a function ``model``, from numbers of tokens to the scores of all kinds."""
    roles, parts = _ROLES[config.projections]
    own = roles.replace(", ", "")
    biases = f', torch.cat([new(f"{{name}}.{{role}}_bias", WIDTH) for role in "{own}"])' if config.biases else ""
    o_bias = ', new(name + ".o_bias", D)' if config.biases else ""
    masks = mask(positions=config.positions, sees="i <= i[:, None]" if config.causal else None)
    top = 'norm(x, "stack.final_norm")' if config.placement == "pre" else "x"
    added = _ADDED.get(config.positions, "").format(dtype=config.dtype)
    attend = _sublayer(config, 'attend({}, name + "self_attention")', "self_attention_norm")
    scale = "q * SIZE**0.5" if config.scale == "none" else "q"
    std = "D**-0.5" if config.start == 1 else "spread"
    sizes = f"{config.tokens}, {config.kinds}, {config.d_model}, {config.heads}, {config.head_size}"
    return (
        f"SEED, TOKENS, KINDS, D, HEADS, SIZE = {config.seed}, {sizes}",
        "WIDTH, NEW, i = HEADS * SIZE, {}, torch.arange(TOKENS)",
        "",
        f"def new(name, *shape, std={BIAS_STD}):",
        "    if name not in NEW:",
        f'        NEW[name] = (std * draw(shape, SEED, "parameter", name)).to(torch.{config.dtype}).requires_grad_()',
        "    return NEW[name]",
        "",
        "def linear(x, name, out):",
        '    weight = new(name + ".weight", out, x.shape[-1], std=x.shape[-1] ** -0.5)',
        '    return F.linear(x, weight, new(name + ".bias", out))',
        "",
        "def norm(x, name):",
        '    gain = NEW.setdefault(name + ".weight", torch.ones(D, dtype=x.dtype, requires_grad=True))',
        '    return F.layer_norm(x, (D,), gain, new(name + ".bias", D))',
        "",
        "def attend(x, name):",
        _spread(config),
        f'    weight = new(name + ".in_weight", {len(own)} * WIDTH, D, std={std})',
        f"    {roles} = F.linear(x, weight{biases}).chunk({len(own)}, -1)",
        f"    q, k, v = (split(part, HEADS) for part in ({parts}))",
        "    q, k = rotate(q, i), rotate(k, i)" if config.positions == "rotary" else None,
        f"    weights = attention_weights({scale}, k{masks and ', '}{masks})",
        f'    return F.linear(merge(weights @ v), new(name + ".o_weight", D, WIDTH, std=WIDTH**-0.5){o_bias})',
        "",
        _FEED if config.feed_forward else None,
        "def model(tokens):",
        f'    x = F.embedding(tokens, new("table", KINDS, D, std=1.0)){added}',
        f"    for layer in range({config.layers}):",
        '        name = f"stack.layers.{layer}."',
        f"        x = {attend}",
        f"        x = {_sublayer(config, 'feed({}, name)', 'feed_forward_norm')}" if config.feed_forward else None,
        f'    return linear({top}, "readout", KINDS)',
        "",
    )


def _sequences(config: LearningConfig) -> tuple[str, ...]:
    drawn = "    inputs = torch.randint(KINDS, (batch, TOKENS), generator=stream)"
    match config.task:
        case "reverse":
            return drawn, "    return inputs, inputs.flip(1)"
        case "sort":
            return drawn, "    return inputs, inputs.sort(1).values"
        case "copy":
            return drawn, f"    return inputs, F.pad(inputs, ({config.back}, 0), value={IGNORED})[:, :TOKENS]"
        case _:
            allowed = periods(config.tokens)
            return (
                f"    period = torch.randint({allowed.start}, {allowed.stop}, (batch, 1), generator=stream)",
                "    slots = torch.arange(TOKENS + 1)",
                "    text = torch.rand(batch, KINDS, generator=stream).argsort(1).gather(1, slots % period)",
                f"    return text[:, :-1], text[:, 1:].masked_fill(i < period, {IGNORED})",
            )


def _sublayer(config: LearningConfig, call: str, norm: str) -> str:
    normed = f'norm({{}}, name + "{norm}")'
    match config.placement:
        case "pre":
            return "x + " + call.format(normed.format("x"))
        case "post":
            return normed.format("x + " + call.format("x"))
        case _:
            return "x + " + normed.format(call.format("x"))


def _spread(config: LearningConfig) -> str | None:
    """A line with the spread of each row of W_Q, W_K and W_V at the start; only there if they differ."""
    if config.start == 1:
        return None
    first = [config.start] if config.projections == "tied-qk" else [config.start] * 2
    last = [] if config.projections == "tied-kv" else [1.0]
    return f"    spread = torch.tensor({first + last}).repeat_interleave(WIDTH)[:, None] * D**-0.5"


def headline(result: LearningResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    return [round(result.score.accuracy, 3), HELD_OUT]
