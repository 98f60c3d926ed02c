"""At which depth order becomes visible, and where nothing can be seen at all.

Claims: ``nope-depth`` under a causal mask without positions the last token cannot tell the order of those before it
after one layer, and can after two (Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still
Learn Positional Information"); ``count-blind`` one repeated token gives every place the same output, however often it
is repeated.
"""

from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core.experiments.checks import MAX_CHARACTERS
from attention_core.experiments.judge import judge
from attention_core.experiments.permutation.config import ADDED, ALIKE, PermutationConfig
from attention_core.experiments.permutation.module import Attention, Blocks, orders_of
from attention_core.experiments.verdict import Provenance, Result, Verdict
from attention_core.modules.block import PreNorm

MOST_REPEATS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthResult(Result):
    """At which depth order becomes visible.

    Attributes:
        one_layer: How far the last token's output moves with the order of those before it, after one layer.
        two_layers: The same after two.
        repeats: How far the outputs of one repeated token differ from that of a single one.
        verdicts: ``nope-depth`` (one, two) and ``count-blind``.
        provenance: Where the numbers come from.
    """

    one_layer: float
    two_layers: float
    repeats: float
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_depth(config: PermutationConfig) -> DepthResult:
    """Measure both claims on the first sentence of a config, in self-attention.

    Args:
        config: Both take its positions, ``count-blind`` its mask too.
    """
    config = replace(config, context=(), keys_alone=False)
    with torch.inference_mode():
        one, two = (_prefix_shows(config, layers) for layers in (1, 2))
        repeats = _repeated(config)
    return DepthResult(
        one_layer=one.measured,
        two_layers=two.measured,
        repeats=repeats.measured,
        verdicts=(one, two, repeats),
        provenance=Provenance.of(config),
    )


def _prefix_moves(config: PermutationConfig, layers: int) -> tuple[float, float, str]:
    """How far the last output moves with the order of those before it, what rounding explains, and which orders."""
    length = len(config.tokens)
    blocks = Blocks(replace(config, mask="causal"), PreNorm(), layers)
    prefixes, cases = orders_of(length - 1, config.seed)
    orders = torch.cat((prefixes, torch.full((len(prefixes), 1), length - 1)), dim=1)
    here = blocks.outputs(torch.arange(length)[None])[0, -1]
    return float((blocks.outputs(orders)[:, -1] - here).abs().max()), blocks.bound(), f"{cases} of the prefix"


def _prefix_shows(config: PermutationConfig, layers: int) -> Verdict:
    """The order is hidden from one layer, unless a slot's position tells it, and shows in two, if tokens differ."""
    moved, bound, cases = _prefix_moves(config, layers)
    prefix = config.tokens[:-1]
    differs = len(set(prefix)) > 1 or (config.positions in ADDED and config.carried and len(prefix) > 1)
    slots = config.positions != "none" and not config.carried and differs
    depth = {1: "one layer", 2: "two layers"}[layers]
    broken = ("positions stay with the slot" if slots else "") if layers == 1 else "" if differs else ALIKE
    return judge(
        config, f"nope-depth.{depth.partition(' ')[0]}", moved, "≤" if layers == 1 else "≥", bound,
        says=f"after {depth} the order of the words before it moves the last output by at most",
        quantity=f"max |last(σ prefix) − last(prefix)|, {depth}", cases=cases, broken=broken,
        exact=lambda other: _prefix_moves(other, layers)[0],
    )  # fmt: skip


def _repeated(config: PermutationConfig) -> Verdict:
    moved, bound, most = _repeats_move(config)
    added = f"{config.positions} positions are added to the tokens" if config.positions in ADDED else ""
    return judge(
        config, "count-blind", moved, "≤", bound, says="its output moves by at most",
        quantity="max |f(x, …, x) − f(x)|", cases=f"1 to {most} times the same token", broken=added,
        exact=lambda other: _repeats_move(other)[0],
    )  # fmt: skip


def _repeats_move(config: PermutationConfig) -> tuple[float, float, int]:
    """Outputs of a token repeated up to 16 times, against the one it has alone; the bound; how often."""
    most = min(MOST_REPEATS, MAX_CHARACTERS // len(config.tokens[0]))
    attention = Attention(replace(config, tokens=config.tokens[:1] * most))
    repeated = [attention.outputs(here, here)[0] for here in (torch.arange(n)[None] for n in range(1, most + 1))]
    worst = max(float((outputs - repeated[0]).abs().max()) for outputs in repeated)
    return worst, max(map(attention.bound, range(1, most + 1))), most
