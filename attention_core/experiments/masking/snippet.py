"""Code that measures again how much weight falls on padding, in plain torch, without this project."""

from typing import Final

from attention_core.experiments.masking.config import D_MODEL, NUM_HEADS, MaskingConfig

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

_CODE = """\
import hashlib, math, torch

SEED, DTYPE, PRECISE, D, HEADS = {seed}, torch.{dtype}, torch.{precise}, {d_model}, {heads}
sentences = {sentences!r}

def draw(shape, *purpose):
    digest = hashlib.blake2b(repr((SEED, *purpose)).encode(), digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)
    return torch.randn(shape, generator=generator, dtype=torch.float64)

n = max(map(len, sentences))
rows = [{row} for s in sentences]
lengths, slots = torch.tensor([len(s) for s in sentences])[:, None], torch.arange(n)
padding = {padding}  # True = padding
x = torch.stack([torch.stack([draw((D,), "token", text) for text in row]) for row in rows]).to(DTYPE)
{place}
{norm}
W_Q, W_K, _ = (draw((3 * D, D), "parameter", "{layer}.self_attention.in_weight") * D**-0.5).to(DTYPE).chunk(3)
b_Q, b_K = (draw((D,), "parameter", f"{layer}.self_attention.{{name}}_bias").to(DTYPE) * 0.1 for name in "qk")
q, k = ((z @ W.T + b).unflatten(-1, (HEADS, -1)).transpose(1, 2) for W, b in ((W_Q, b_Q), (W_K, b_K)))
scores = q @ k.mT / math.sqrt(D // HEADS)  # (batch, heads, n, n)
{visible}

def leak(visible):
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1, dtype=PRECISE).double()
    return (weights * padding[:, None, None]).sum(-1).mean(1)[~padding].mean().item()

print(f"a word gives to padding, without a padding mask, the weight: {{leak(visible):.3g}}")
print(f"and with the masks as they are set: {{leak({masked}):.3g}}")
"""


def masking_snippet(config: MaskingConfig) -> str:
    """Plain torch that prints the mean weight on padding in the first self-attention, without and with the mask.

    Args:
        config: The settings. User text enters as Python literals, so it is data wherever it appears.
    """
    left = config.side == "left"
    layer = "encoder.layers.0" if config.stack == "encoder-decoder" else "layers.0"
    visible = ["torch.ones(n, n, dtype=torch.bool)"]
    if config.stack == "decoder":
        visible.append("(slots <= slots[:, None])")
    if config.window:
        visible.append(f"((slots - slots[:, None]).abs() <= {config.window})")
    masked = not config.unmasked and (left or config.stack != "decoder")
    return _CODE.format(
        seed=config.seed,
        dtype=config.dtype,
        precise="float64" if config.dtype == "float64" else "float32",
        d_model=D_MODEL,
        heads=NUM_HEADS,
        sentences=config.sentences,
        row='("·",) * (n - len(s)) + s' if left else 's + ("·",) * (n - len(s))',
        padding="slots < n - lengths" if left else "slots >= lengths",
        place=_place(config),
        norm=_norm(config, layer),
        layer=layer,
        visible="visible = " + " & ".join(visible),
        masked="visible & ~padding[:, None, None]" if masked else "visible",
    )


def _place(config: MaskingConfig) -> str:
    if config.positions == "none":
        return "# no positions"
    shift = " - (n - lengths)" if config.positions == "word" and config.side == "left" else ""
    return (
        f"places = (slots{shift} + 0 * lengths).clamp(min=0)[..., None]\n"
        "angles = places * 10000.0 ** -(torch.arange(0, D, 2, dtype=PRECISE) / D)\n"
        "x = x + torch.stack((angles.sin(), angles.cos()), -1).flatten(-2).to(DTYPE)"
    )


def _norm(config: MaskingConfig, layer: str) -> str:
    beta = f'beta = draw((D,), "parameter", "{layer}.self_attention_norm.bias").to(DTYPE) * 0.1'
    if config.batch_norm:
        norm = "z = torch.nn.functional.batch_norm(x.flatten(0, 1), None, None, None, beta, True).view(x.shape)"
    else:
        norm = "z = torch.nn.functional.layer_norm(x, (D,), None, beta)"
    return f"{beta}\n{norm}"
