"""Code that counts again what tokens see, in plain torch and without this project."""

from typing import Final

from attention_core.experiments.receptive_field.config import ReceptiveFieldConfig

SHORTEST: Final = """\
import torch

heads, layers, tokens = 2, 3, 32
sees = torch.eye(tokens, dtype=torch.bool)  # which inputs each token sees
for layer in range(layers):
    below, step = sees, (heads + 1) ** layer
    for head in range(1, heads + 1):  # each head looks at one token further back
        looks_at = (torch.arange(tokens) - head * step).clamp(min=0)
        sees = sees | below[looks_at]
    print(f"{layer + 1} layers up the last token sees {sees[-1].sum()} inputs; at most {(heads + 1) ** (layer + 1)}")
"""

_HEAD = """\
import hashlib
import torch

HEADS, LAYERS, TOKENS, DTYPE = {heads}, {layers}, {tokens}, torch.{dtype}
query, key = torch.arange(TOKENS)[:, None], torch.arange(TOKENS)
visible = {visible}
first, last = visible.long().argmax(1), TOKENS - 1 - visible.flip(1).long().argmax(1)
"""

_CONSTRUCTED = """
def looks_at(layer):
    back = torch.arange(1, HEADS + 1)[:, None] * (HEADS + 1) ** layer
    at = key - back
    return {around}.clamp(first, last)
"""

_RANDOM = """
digest = hashlib.blake2b(repr(({seed}, "random heads", 0)).encode(), digest_size=8).digest()
generator = torch.Generator().manual_seed(int.from_bytes(digest, "little") >> 1)
draw = torch.rand(LAYERS, HEADS, TOKENS, generator=generator, dtype=torch.float64)

def looks_at(layer):
    return first + (draw[layer] * (last - first + 1)).long()
"""

_COUNT = """
paths = torch.eye(TOKENS, dtype=torch.float64)
for layer in range(LAYERS):
    wanted = looks_at(layer)  # (heads, tokens)
    scores = (wanted[..., None] == key).to(DTYPE)
{overwrite}    scores = (scores / {temperature!r}).masked_fill(~visible, -torch.inf)
    weights = torch.softmax(scores.{precise}(), -1).to(DTYPE).double()
    paths = {residual}(weights @ paths).sum(0)
sees = (paths > {threshold!r} * {base} ** LAYERS).sum(1)
print(f"the last token sees {{sees[-1]}} inputs; all tokens together {{sees.sum()}}")
"""

_VISIBLE = {
    "none": "torch.ones(TOKENS, TOKENS, dtype=torch.bool)",
    "causal": "key <= query",
    "window": "(key - query).abs() <= {window}",
}


def receptive_field_snippet(config: ReceptiveFieldConfig) -> str:
    """About 25 lines that print what the last token sees, and the sum over all tokens, for exactly these settings.

    Paths are weighed without autograd: the matrix of all of them is multiplied by ``I + Σ_h weights_h`` layer by
    layer.

    Args:
        config: The settings; the snippet holds no result.
    """
    head = _HEAD.format(
        heads=config.heads,
        layers=config.layers,
        tokens=config.tokens,
        dtype=config.dtype,
        visible=_VISIBLE[config.mask].format(window=config.window),
    )
    if config.weights == "random":
        looks = _RANDOM.format(seed=config.seed)
    else:
        head = head.replace("import hashlib\n", "")
        looks = _CONSTRUCTED.format(around="(at % TOKENS)" if config.wrap else "torch.where(at < 0, key, at)")
    overwrite = "    scores += 2 * (wanted[:, :1, None] == key) * (layer > 0)\n" if config.write_positions else ""
    count = _COUNT.format(
        overwrite=overwrite,
        temperature=config.temperature if config.soft else 2.0**-10,
        precise="double" if config.dtype == "float64" else "float",
        residual="paths + " if config.residual else "",
        threshold=config.seen_above,
        base="(HEADS + 1)" if config.residual else "HEADS",
    )
    return head + looks + count
