"""Where order becomes visible, and where nothing can be seen at all.

Claims: ``pe-order`` order shows only through positions or a mask that depends on it; ``nope-depth`` under a causal
mask without positions the last token cannot tell the order of those before it after one layer, and can after two
(Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still Learn Positional Information");
``count-blind`` one repeated token gives every place the same output, however often it is repeated.
"""

import dataclasses
from dataclasses import dataclass
from typing import Final

import torch

from attention_core.experiments.config import MAX_CHARACTERS
from attention_core.experiments.permutation.config import (
    ADDED,
    COARSE,
    MASKS,
    POSITIONS,
    PermutationConfig,
    breaks,
    exactly,
)
from attention_core.experiments.permutation.measure import residuals_of, verdict_of
from attention_core.experiments.permutation.module import Attention, Blocks, orders_of
from attention_core.experiments.verdict import Provenance, Relation, Verdict
from attention_core.modules.block import PreNorm

MOST_REPEATS: Final = 16
ALIKE: Final = "too few tokens that differ"


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthResult:
    """Where order becomes visible.

    Attributes:
        without: Largest change without positions and masks.
        brought_in: Name of each of the positions and masks, and the largest change by it alone.
        one_layer: How far the last token's output moves with the order of those before it, after one layer.
        two_layers: The same after two.
        repeats: How far the outputs of one repeated token differ from that of a single one.
        verdicts: Two each for ``pe-order`` and ``nope-depth``, one for ``count-blind``.
        provenance: Where the numbers come from.
    """

    without: float
    brought_in: tuple[tuple[str, float], ...]
    one_layer: float
    two_layers: float
    repeats: float
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def run_depth(config: PermutationConfig) -> DepthResult:
    """Measure the three claims on the first sentence of a config, in self-attention.

    Args:
        config: ``nope-depth`` and ``count-blind`` take its positions, ``count-blind`` its mask too; ``pe-order``
            tries all of them.
    """
    config = dataclasses.replace(config, context=(), keys_alone=False)
    with torch.inference_mode():
        without, brought_in, order_verdicts = _order_shows(config)
        one, two = (_prefix_shows(config, layers) for layers in (1, 2))
        repeats = _repeated(config)
    return DepthResult(
        without=without,
        brought_in=brought_in,
        one_layer=one.measured,
        two_layers=two.measured,
        repeats=repeats.measured,
        verdicts=(*order_verdicts, one, two, repeats),
        provenance=Provenance.of(config),
    )


def _order_shows(config: PermutationConfig) -> tuple[float, tuple[tuple[str, float], ...], tuple[Verdict, Verdict]]:
    plain = dataclasses.replace(config, positions="none", mask="none", carried=False)
    attention = Attention(plain)
    residuals, cases = residuals_of(attention, "perm-self")
    without = verdict_of(plain, "pe-order", float(residuals.max()), attention.bound(), cases)
    brought_in, bound = _brought_in(plain)
    blind = "" if all(breaks(variant, "perm-self") for variant in _variants(plain).values()) else ALIKE
    exact = exactly(plain)
    if not blind and exact is not None and min(_brought_in(exact)[0].values()) <= bound:
        blind = COARSE
    within = _reaching(without, "least over 4 positions and 2 masks", min(brought_in.values()), bound, blind)
    return without.measured, tuple(brought_in.items()), (without, within)


def _variants(plain: PermutationConfig) -> dict[str, PermutationConfig]:
    """Each of the positions and masks alone."""
    variants = {name: dataclasses.replace(plain, positions=name) for name in POSITIONS if name != "none"}
    return variants | {f"{name} mask": dataclasses.replace(plain, mask=name) for name in MASKS if name != "none"}


def _brought_in(plain: PermutationConfig) -> tuple[dict[str, float], float]:
    """The largest change by each of them, and what rounding explains of the least exact one."""
    modules = {name: Attention(variant) for name, variant in _variants(plain).items()}
    changes = {name: float(residuals_of(one, "perm-self")[0].max()) for name, one in modules.items()}
    return changes, max(one.bound() for one in modules.values())


def _prefix_moves(config: PermutationConfig, layers: int) -> tuple[float, float, str]:
    """How far the last output moves with the order of those before it, what rounding explains, and which orders."""
    length = len(config.tokens)
    blocks = Blocks(dataclasses.replace(config, mask="causal"), PreNorm(), layers)
    prefixes, cases = orders_of(length - 1, config.seed)
    orders = torch.cat((prefixes, torch.full((len(prefixes), 1), length - 1)), dim=1)
    here = blocks.outputs(torch.arange(length)[None])[0, -1]
    return float((blocks.outputs(orders)[:, -1] - here).abs().max()), blocks.bound(), f"{cases} of the prefix"


def _prefix_shows(config: PermutationConfig, layers: int) -> Verdict:
    moved, bound, cases = _prefix_moves(config, layers)
    prefix = config.tokens[:-1]
    differs = len(set(prefix)) > 1 or (config.positions in ADDED and config.carried and len(prefix) > 1)
    slots = config.positions != "none" and not config.carried and differs
    verdict = dataclasses.replace(
        verdict_of(config, "nope-depth", moved, bound, cases),
        quantity=f"max |last(σ prefix) − last(prefix)|, {'one layer' if layers == 1 else 'two layers'}",
        because="positions stay with the slot" if slots else "",
        expected=not slots,
    )
    exact = exactly(config)
    coarse = exact is not None and _prefix_moves(exact, layers)[0] <= bound
    if layers == 1:
        return dataclasses.replace(verdict, expected=True, because=COARSE) if slots and coarse else verdict
    blind = ALIKE if not differs else COARSE if coarse else ""
    return _reaching(verdict, verdict.quantity, moved, bound, blind)


def _repeated(config: PermutationConfig) -> Verdict:
    """Outputs of a token repeated up to 16 times, against the one it has alone."""
    worst, bound = 0.0, 0.0
    single = None
    most = min(MOST_REPEATS, MAX_CHARACTERS // len(config.tokens[0]))
    for count in range(1, most + 1):
        attention = Attention(dataclasses.replace(config, tokens=config.tokens[:1] * count))
        here = torch.arange(count)[None]
        outputs = attention.outputs(here, here)[0]
        single = outputs[0] if single is None else single
        worst = max(worst, float((outputs - single).abs().max()))
        bound = max(bound, attention.bound())
    added = f"{config.positions} positions are added to the tokens" if config.positions in ADDED else ""
    verdict = verdict_of(config, "count-blind", worst, bound, f"1 to {most} times the same token")
    return dataclasses.replace(verdict, because=added, expected=not added)


def _reaching(verdict: Verdict, quantity: str, measured: float, bound: float, blind: str) -> Verdict:
    """The verdict that something does show, more than rounding explains; ``blind`` says why it cannot here."""
    relation: Relation = "≥"
    return dataclasses.replace(
        verdict, quantity=quantity, measured=measured, bound=bound, relation=relation, because=blind,
        expected=not blind,
    )  # fmt: skip
