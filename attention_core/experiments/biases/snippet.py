"""Code that measures what each bias changes again in plain torch, without this project."""

from typing import Final

from attention_core.experiments.biases.config import D_MODEL, DROPOUT, NAMES, NUM_HEADS, BiasesConfig

SHORTEST: Final = """\
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
"""

_HEAD = """\
import hashlib, math, torch

SEED, SIZE, DTYPE, D, HEADS = {seed}, {size}, torch.{dtype}, {d_model}, {heads}
TOKENS = {tokens!r}

def stream(*purpose):
    digest = hashlib.blake2b(repr((SEED, *purpose)).encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)

def draw(*shape, of):
    return torch.randn(shape, generator=stream(*of), dtype=torch.float64)

x = torch.stack([draw(D, of=("token", text)) for text in TOKENS]).to(DTYPE)
{matrices}
W_O = (draw(D, D, of=("parameter", "o_weight")) / D**0.5).to(DTYPE)
towards = {{role: {towards} for role in "qkvo"}}
bias = {{role: (SIZE * towards[role] / towards[role].norm()).to(DTYPE) for role in {roles!r}}}
"""

_TOWARDS = {
    "random": 'draw(D, of=("bias", {name}))',
    "equal": "torch.ones(D, dtype=torch.float64)",
    "coordinate": "(torch.arange(D) % (D // HEADS) == 0).double()",
}

_ROTATE = """\

def rotate(z):
    pairs = torch.arange(0, z.shape[-1], 2, dtype={precise}) / z.shape[-1]
    angles = torch.arange(len(TOKENS))[:, None] * 10000.0 ** -pairs
    even, odd = z.to(angles.dtype).unflatten(-1, (-1, 2)).unbind(-1)
    turned = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(turned, -1).flatten(-2).to(DTYPE)
"""

_ATTEND = """\

def attend(without=""{training}):
    b = {{role: 0 if role in without else bias.get(role, 0) for role in "qkvo"}}
    q, k, v = x @ W_Q.T + b["q"], x @ W_K.T + b["k"], x @ W_V.T + b["v"]
    q, k, v = (z.unflatten(-1, (HEADS, -1)).transpose(0, 1) for z in (q, k, v))  # (heads, tokens, d_head)
{change}    scores = q @ k.mT / math.sqrt(D // HEADS)
{mask}    weights = scores.softmax(-1, dtype={precise}){empty}.to(DTYPE)
{dropped}    return weights, (weights @ v).transpose(0, 1).flatten(1) @ W_O.T + b["o"]

weights, output = attend()
print(f"largest weight without biases: {{attend('qkvo')[0].max().item():.3g}}")
"""

_EFFECTS = """\
for name, without in {effects!r}.items():
    moved = [(one - other).abs().max().item() for one, other in zip((weights, output), attend(without))]
    print(f"{{name}} moves the weights by {{moved[0]:.3g}}, the output by {{moved[1]:.3g}}")
"""

_TRAINING = """\
left = attend(training=True)[1] - attend("v", training=True)[1] - bias["v"] @ W_O.T
print(f"b_V in training, less W_O b_V: {left.abs().max().item():.3g}")
"""


def biases_snippet(config: BiasesConfig) -> str:
    """Plain torch that prints how far taking out each bias moves weights and output, for exactly these settings.

    Args:
        config: The settings. User text enters as a Python literal, so it is data wherever it appears.
    """
    blocks = 2 if config.tied_query_key else 3
    names = "W_Q, W_V" if config.tied_query_key else "W_Q, W_K, W_V"
    matrices = f'{names} = (draw({blocks} * D, D, of=("parameter", "in_weight")) / D**0.5).to(DTYPE).chunk({blocks})'
    name = '"q" if role == "k" else role' if config.shared else "role"
    head = _HEAD.format(
        seed=config.seed,
        size=config.size,
        dtype=config.dtype,
        d_model=D_MODEL,
        heads=NUM_HEADS,
        tokens=config.tokens,
        matrices=matrices + ("\nW_K = W_Q" if config.tied_query_key else ""),
        towards=_TOWARDS[config.direction].replace("{name}", name),
        roles="".join(config.biases),
    )
    precise = "torch.float64" if config.dtype == "float64" else "torch.float32"
    attend = _ATTEND.format(
        training=", training=False" if config.dropout else "",
        change=_change(config),
        mask=_mask(config),
        precise=precise,
        empty=".nan_to_num()" if config.masked_row else "",
        dropped=_dropped() if config.dropout else "",
    )
    effects = {NAMES[role]: "qk" if config.shared and role in "qk" else role for role in config.biases}
    rotate = _ROTATE.replace("{precise}", precise) if config.rotary else ""
    training = _TRAINING if config.dropout and config.v_bias else ""
    return head + rotate + attend + _EFFECTS.format(effects=effects) + training


def _change(config: BiasesConfig) -> str:
    """What happens to queries, keys and values before they meet."""
    lines = ""
    if config.qk_norm:
        lines += "    q, k = (torch.nn.functional.rms_norm(z, z.shape[-1:]) for z in (q, k))\n"
    if config.rotary:
        lines += "    q, k = rotate(q), rotate(k)\n"
    if config.zero_sink:
        lines += "    k, v = (torch.nn.functional.pad(z, (0, 0, 0, 1)) for z in (k, v))\n"
    return lines


def _mask(config: BiasesConfig) -> str:
    return "    scores[:, -1, : len(TOKENS)] = -math.inf\n" if config.masked_row else ""


def _dropped() -> str:
    return (
        "    if training:\n"
        '        kept = torch.rand((1, *weights.shape), generator=stream("biases", "dropout"), dtype=torch.float64)\n'
        f"        weights = weights * (kept[0] >= {DROPOUT}) / {1 - DROPOUT:g}\n"
    )
