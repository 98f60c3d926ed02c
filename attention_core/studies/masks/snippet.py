"""Code that measures again how much weight falls on padding, in plain torch, without this project."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.masks.settings import D_MODEL, NUM_HEADS, MaskingConfig

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


def masking_snippet(config: MaskingConfig) -> str:
    """Plain torch that prints the mean weight on padding in the first self-attention, without and with the mask."""
    left = config.side == "left"
    layer = "encoder.layers.0" if config.stack == "encoder-decoder" else "layers.0"
    visible = ["torch.ones(n, n, dtype=torch.bool)"]
    if config.stack == "decoder":
        visible.append("(i <= i[:, None])")
    if config.window:
        visible.append(f"((i - i[:, None]).abs() <= {config.window})")
    masked = not config.unmasked and (left or config.stack != "decoder")
    slots = "(i - (n - lengths)).clamp(min=0)" if config.positions == "word" and left else "i"
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
        f"x = x + sinusoids({slots}, D).to(DTYPE)" if config.positions != "none" else None,
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
