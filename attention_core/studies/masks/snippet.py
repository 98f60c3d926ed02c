"""Code that measures again in plain torch, without this project, what padding gets, and what one pass predicts."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.masks.measure import MasksResult
from attention_core.studies.masks.settings import D_MODEL, LAYERS, NUM_HEADS, TABLE, MasksConfig

SHORTEST: Final = """\
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
"""


def masks_snippet(config: MasksConfig) -> str:
    """Plain torch that prints the mean weight on padding in the first self-attention, without and with the mask."""
    left = config.side == "left"
    layer = "encoder.layers.0" if config.stack == "encoder-decoder" else "layers.0"
    visible = ["torch.ones(n, n, dtype=torch.bool)"]
    if config.stack == "decoder":
        visible.append("(i <= i[:, None])")
    visible += [f"({condition})" for condition in _window(config)]
    masked = not config.unmasked and (left or config.stack != "decoder")
    slots = "(i - (n - lengths)).clamp(min=0)" if config.positions == "word" and left else "i"
    table = "encoder.added_position.table" if config.stack == "encoder-decoder" else "added_position.table"
    added = {
        "none": None,
        "learned": f'x = x + draw(({TABLE}, D), SEED, "parameter", "{table}")[:n].to(DTYPE)',
    }.get(config.positions, f"x = x + sinusoids({slots}, D).to(DTYPE)")
    norm = "F.batch_norm(x.flatten(0, 1), None, None, None, beta, True).view(x.shape)"
    return assemble(
        f"SEED, D, HEADS, DTYPE = {config.seed}, {D_MODEL}, {NUM_HEADS}, torch.{config.dtype}",
        f"SENTENCES = {config.sentences!r}",
        "",
        "def weight(name, *shape):",
        f'    return parameter("{layer}.self_attention" + name, *shape, seed=SEED, bias_std=0.1).to(DTYPE)',
        "",
        "n = max(map(len, SENTENCES))",
        f"""rows = [{'("·",) * (n - len(s)) + s' if left else 's + ("·",) * (n - len(s))'} for s in SENTENCES]""",
        "lengths, i = torch.tensor([len(s) for s in SENTENCES])[:, None], torch.arange(n)",
        f"padding = {'i < n - lengths' if left else 'i >= lengths'}  # True = padding",
        "x = torch.stack([embed(row, D, SEED) for row in rows]).to(DTYPE)",
        added,
        'beta = weight("_norm.bias", D)',
        f"z = {norm if config.batch_norm else 'F.layer_norm(x, (D,), None, beta)'}",
        'W_Q, W_K, _ = weight(".in_weight", 3 * D, D).chunk(3)',
        'q = split(z @ W_Q.T + weight(".q_bias", D), HEADS)  # (batch, heads, n, d_head)',
        'k = split(z @ W_K.T + weight(".k_bias", D), HEADS)',
        f"visible = {' & '.join(visible)}",
        "",
        "def leak(visible):",
        "    weights = attention_weights(q, k, torch.where(visible, 0, -torch.inf)).double()",
        "    return (weights * padding[:, None, None]).sum(-1).mean(1)[~padding].mean().item()",
        "",
        'print(f"a word gives to padding, without a padding mask, the weight: {leak(visible):.3g}")',
        f"masked = visible{' & ~padding[:, None, None]' * masked}",
        'print(f"and with the masks as they are set: {leak(masked):.3g}")',
    )


def _window(config: MasksConfig) -> list[str]:
    """What the window asks of a query ``i[:, None]`` and a key ``i``; nothing where there is none."""
    return [f"(i - i[:, None]).abs() <= {config.window}"] if config.window else []


def _added(conditions: list[str]) -> str:
    """What is added to the scores, so that only what meets all conditions is seen."""
    return f"torch.where({' & '.join(f'({one})' for one in conditions)}, 0, -torch.inf)" if conditions else "0.0"


def headline(result: MasksResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    return [result.leak, result.leak_masked]


def forcing_snippet(config: MasksConfig) -> str:
    """Plain torch that prints how far one pass over the first text is from a pass over each beginning of it."""
    crosses = config.stack == "encoder-decoder"
    text, own = (config.decoded or config.sentences)[0], "decoder." * crosses
    see = ["i <= i[:, None]"] if config.stack != "encoder" else []
    near, mask = (_added(conditions) for conditions in (_window(config), see + _window(config)))
    placed = {
        "none": "",
        "learned": f' + draw(({TABLE}, D), SEED, "parameter", where + "added_position.table")[: len(z)].to(DTYPE)',
    }.get(config.positions, " + sinusoids(torch.arange(len(z)), D).to(DTYPE)")
    norm = (
        "F.batch_norm(z, None, None, None, beta, True)" if config.batch_norm else "F.layer_norm(z, (D,), None, beta)"
    )
    first = 2 if config.batch_norm else 1
    return assemble(
        f"SEED, D, HEADS, DTYPE = {config.seed}, {D_MODEL}, {NUM_HEADS}, torch.{config.dtype}",
        f"TEXT = {text!r}",
        f"SOURCE = {config.sentences[0]!r}" if crosses else None,
        "",
        "def weight(name, *shape):",
        "    return parameter(name, *shape, seed=SEED, bias_std=0.1).to(DTYPE)",
        "",
        "def norm(z, name):",
        '    beta = weight(name + "_norm.bias", D)',
        f"    return {norm}",
        "",
        "def attend(z, y, name, mask=0.0):",
        '    rows = weight(name + ".in_weight", 3 * D, D).chunk(3)',
        '    biases = [weight(f"{name}.{role}_bias", D) for role in "qkv"]',
        "    q, k, v = (split(F.linear(x, *part), HEADS) for x, *part in zip((z, y, y), rows, biases))",
        "    context = merge(attention_weights(q, k, mask) @ v)",
        '    return F.linear(context, weight(name + ".o_weight", D, D), weight(name + ".o_bias", D))',
        "",
        "def feed(z, name):",
        '    z = F.gelu(F.linear(z, weight(name + ".widen.weight", 4 * D, D), weight(name + ".widen.bias", 4 * D)))',
        '    return F.linear(z, weight(name + ".narrow.weight", D, 4 * D), weight(name + ".narrow.bias", D))',
        "",
        "def outputs(words, where, mask, memory=None):",
        "    z = embed(words, D, SEED).to(DTYPE)",
        f"    z = z{placed}" if placed else None,
        f"    for layer in range({LAYERS}):",
        '        at = f"{where}layers.{layer}."',
        '        attention, network = at + "self_attention", at + "feed_forward"',
        "        y = norm(z, attention)",
        "        z = z + attend(y, y, attention, mask)",
        "        if memory is not None:" if crosses else None,
        '            cross = at + "cross_attention"' if crosses else None,
        "            z = z + attend(norm(z, cross), memory, cross)" if crosses else None,
        "        z = z + feed(norm(z, network), network)",
        "    return z",
        "",
        "i = torch.arange(len(SOURCE))" if crosses else None,
        f'memory = outputs(SOURCE, "encoder.", {near})' if crosses else None,
        "",
        "def written(count):",
        "    i = torch.arange(count)",
        f'    return outputs(TEXT[:count], "{own}", {mask}{", memory" * crosses}).double()',
        "",
        "whole = written(len(TEXT))",
        f"apart = [(written(t)[-1] - whole[t - 1]).abs().max().item() for t in range({first}, len(TEXT) + 1)]",
        'print(f"from one pass and from a pass over the words so far, outputs differ by: {max(apart):.3g}")',
    )
