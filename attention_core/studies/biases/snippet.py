"""Code that measures what each bias changes again in plain torch, without this project."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.biases.measure import BiasesResult
from attention_core.studies.biases.settings import D_MODEL, DROPOUT, NAMES, NUM_HEADS, BiasesConfig

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

_TOWARDS: Final = {
    "random": 'draw((D,), SEED, "bias", {role})',
    "equal": "torch.ones(D)",
    "coordinate": "(torch.arange(D) % (D // HEADS) == 0).double()",
}
_HIDDEN: Final = """\
mask = torch.zeros(len(TOKENS), {})
mask[-1, : len(TOKENS)] = -torch.inf  # the last query sees no token
"""
_DROPPED: Final = (
    "    if training:",
    '        stream = generator(SEED, "biases", "dropout")',
    "        kept = torch.rand((1, *weights.shape), generator=stream, dtype=torch.float64)[0]",
    f"        weights = weights * (kept >= {DROPOUT}) / {1 - DROPOUT:g}",
)
_TRAINING: Final = (
    'left = attend(training=True)[1] - attend("v", training=True)[1] - bias["v"] @ W_O.T',
    'print(f"b_V in training, less W_O b_V: {left.abs().max().item():.3g}")',
)


def biases_snippet(config: BiasesConfig) -> str:
    """Plain torch that prints how far taking out each bias moves weights and output, for exactly these settings."""
    blocks, names = (2, "W_Q, W_V") if config.tied_query_key else (3, "W_Q, W_K, W_V")
    towards = _TOWARDS[config.direction].format(role='"q" if role == "k" else role' if config.shared else "role")
    effects = {NAMES[role]: "qk" if config.shared and role in "qk" else role for role in config.biases}
    return assemble(
        f"SEED, SIZE, DTYPE, D, HEADS = {config.seed}, {config.size}, torch.{config.dtype}, {D_MODEL}, {NUM_HEADS}",
        f"TOKENS = {config.tokens!r}",
        "x = embed(TOKENS, D, SEED).to(DTYPE)",
        f'{names} = parameter("in_weight", {blocks} * D, D, seed=SEED).to(DTYPE).chunk({blocks})',
        "W_K = W_Q" if config.tied_query_key else None,
        'W_O = parameter("o_weight", D, D, seed=SEED).to(DTYPE)',
        f'towards = {{role: {towards} for role in "{"".join(config.biases)}"}}',
        "bias = {role: (SIZE * z / z.norm()).to(DTYPE) for role, z in towards.items()}",
        *_HIDDEN.format("len(TOKENS) + 1" if config.zero_sink else "len(TOKENS)").splitlines() * config.masked_row,
        "",
        f'def attend(without=""{", training=False" * config.dropout}):',
        '    b = {role: 0 if role in without else bias.get(role, 0) for role in "qkvo"}',
        '    q, k, v = x @ W_Q.T + b["q"], x @ W_K.T + b["k"], x @ W_V.T + b["v"]',
        "    q, k, v = (split(z, HEADS) for z in (q, k, v))  # (heads, tokens, d_head)",
        "    q, k = (F.rms_norm(z, z.shape[-1:]) for z in (q, k))" if config.qk_norm else None,
        "    q, k = (rotate(z, torch.arange(len(TOKENS))) for z in (q, k))" if config.rotary else None,
        "    k, v = (F.pad(z, (0, 0, 0, 1)) for z in (k, v))  # a key and a value of zeros"
        if config.zero_sink
        else None,
        f"    weights = attention_weights(q, k{', mask' * config.masked_row})",
        *_DROPPED * config.dropout,
        '    return weights, merge(weights @ v) @ W_O.T + b["o"]',
        "",
        "weights, output = attend()",
        """print(f"largest weight without biases: {attend('qkvo')[0].max().item():.3g}")""",
        f"for name, without in {effects!r}.items():",
        "    moved = [(one - other).abs().max().item() for one, other in zip((weights, output), attend(without))]",
        '    print(f"{name} moves the weights by {moved[0]:.3g}, the output by {moved[1]:.3g}")',
        *_TRAINING * (config.dropout and config.v_bias),
    )


def headline(result: BiasesResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    effects = [number for one in result.effects for number in (one.weights, one.output)]
    carried = [one for one in result.verdicts if one.key == "bias-v"]
    return [result.largest_weight, *effects, *(one.measured for one in carried if "dropout" in one.because)]
