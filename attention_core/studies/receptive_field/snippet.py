"""Code that counts again what tokens see, in plain torch and without this project."""

from typing import Final

from attention_core.measuring.snippets import assemble
from attention_core.studies.receptive_field.measure import ReceptiveFieldResult
from attention_core.studies.receptive_field.settings import ReceptiveFieldConfig

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


def receptive_field_snippet(config: ReceptiveFieldConfig) -> str:
    """About 25 lines that print what the last token sees, and the sum over all tokens, for exactly these settings.

    Paths are weighed without autograd: the matrix of all of them is multiplied by ``I + Σ_h weights_h`` layer by
    layer.
    """
    visible = {
        "none": "torch.ones(TOKENS, TOKENS, dtype=torch.bool)",
        "causal": "key <= query",
        "window": f"(key - query).abs() <= {config.window}",
    }
    temperature = config.temperature if config.soft else 2.0**-10
    precise = "double" if config.dtype == "float64" else "float"
    residual, base = ("paths + ", "(HEADS + 1)") if config.residual else ("", "HEADS")
    return assemble(
        f"HEADS, LAYERS, TOKENS, DTYPE = {config.heads}, {config.layers}, {config.tokens}, torch.{config.dtype}",
        "query, key = torch.arange(TOKENS)[:, None], torch.arange(TOKENS)",
        f"visible = {visible[config.mask]}",
        "first, last = visible.long().argmax(1), TOKENS - 1 - visible.flip(1).long().argmax(1)",
        "",
        *_looks_at(config),
        "",
        "paths = torch.eye(TOKENS, dtype=torch.float64)",
        "for layer in range(LAYERS):",
        "    wanted = looks_at(layer)  # (heads, tokens)",
        "    scores = (wanted[..., None] == key).to(DTYPE)",
        "    scores += 2 * (wanted[:, :1, None] == key) * (layer > 0)" if config.write_positions else None,
        f"    scores = (scores / {temperature!r}).masked_fill(~visible, -torch.inf)",
        f"    weights = scores.{precise}().softmax(-1).to(DTYPE).double()",
        f"    paths = {residual}(weights @ paths).sum(0)",
        f"sees = (paths > {config.seen_above!r} * {base} ** LAYERS).sum(1)",
        'print(f"the last token sees {sees[-1]} inputs; all tokens together {sees.sum()}")',
    )


def _looks_at(config: ReceptiveFieldConfig) -> tuple[str, ...]:
    """Lines that say which key each head of a layer looks at."""
    if config.weights == "random":
        return (
            f'stream = generator({config.seed}, "random heads", 0)',
            "places = torch.rand(LAYERS, HEADS, TOKENS, generator=stream, dtype=torch.float64)",
            "",
            "def looks_at(layer):",
            "    return first + (places[layer] * (last - first + 1)).long()",
        )
    return (
        "def looks_at(layer):",
        "    at = key - torch.arange(1, HEADS + 1)[:, None] * (HEADS + 1) ** layer",
        f"    return {'(at % TOKENS)' if config.wrap else 'torch.where(at < 0, key, at)'}.clamp(first, last)",
    )


def headline(result: ReceptiveFieldResult) -> list[float]:
    """What the snippet prints, as it was measured."""
    config = result.config
    seen = (result.paths[-1] > config.seen_above * config.paths(config.layers)).sum(-1)
    return [int(seen[-1]), int(seen.sum())]
