"""At which depth order becomes visible, and where nothing can be seen at all.

Claims: ``nope-depth`` under a causal mask without positions the last token cannot tell the order of those before it
after one layer, and can after two (Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still
Learn Positional Information"); ``count-blind`` one repeated token gives every place the same output, however often it
is repeated.
"""

from dataclasses import dataclass, replace
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import MAX_CHARACTERS
from attention_core.measuring.judge import ClaimTest, Measurement, Measurements, largest, run_tests
from attention_core.measuring.theory import Fails, Holds, Open, Theory
from attention_core.measuring.verdict import Result
from attention_core.modules.block import PreNorm
from attention_core.studies.permutation.module import Attention, Blocks, orders_of
from attention_core.studies.permutation.settings import ADDED, ALL_NAMES, PermutationConfig
from attention_core.studies.permutation.theory import ALIKE, SLOTS

MOST_REPEATS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthResult(Result):
    """At which depth order becomes visible.

    Attributes:
        one_layer: How far the last token's output moves with the order of those before it, after one layer.
        two_layers: The same after two.
        repeats: How far the outputs of one repeated token differ from that of a single one.
    """

    one_layer: float
    two_layers: float
    repeats: float


def run_depth(config: PermutationConfig) -> DepthResult:
    """Measure both claims on the first sentence of a config, in self-attention.

    Args:
        config: Both take its positions, ``count-blind`` its mask too.
    """
    return run_tests(DepthResult, replace(config, context=(), keys_alone=False), TESTS, _measure)


@torch.inference_mode()
def _measure(config: PermutationConfig) -> Measurements:
    found = (_prefix_moves(config, 1), _prefix_moves(config, 2), _repeats_move(config))
    values = (each.measured for each in found)
    names = ("one_layer", "two_layers", "repeats")
    return dict(zip((test.key for test in TESTS), found, strict=True)), dict(zip(names, values, strict=True))


def _prefix_moves(config: PermutationConfig, layers: int) -> Measurement:
    """How far the last output moves with the order of those before it."""
    length = len(config.tokens)
    blocks = Blocks(replace(config, mask="causal"), PreNorm(), layers)
    prefixes, cases = orders_of(length - 1, config.seed)
    orders = torch.cat((prefixes, torch.full((len(prefixes), 1), length - 1)), dim=1)
    here = blocks.outputs(torch.arange(length)[None])[0, -1]
    moved = largest(blocks.outputs(orders)[:, -1] - here)
    return Measurement(moved, blocks.bound(), _("{orders} of the prefix", orders=cases), largest(here))


def _repeats_move(config: PermutationConfig) -> Measurement:
    """Outputs of a token repeated up to 16 times, against the one it has alone."""
    most = _most_repeats(config)
    attention = Attention(replace(config, tokens=config.tokens[:1] * most))
    repeated = [attention.outputs(here, here)[0] for here in (torch.arange(n)[None] for n in range(1, most + 1))]
    moved = largest(*(outputs - repeated[0] for outputs in repeated))
    bound = largest(*map(attention.bound, range(1, most + 1)))
    return Measurement(moved, bound, _("1 to {most} times the same token", most=most), largest(repeated[0]))


def _most_repeats(config: PermutationConfig) -> int:
    return min(MOST_REPEATS, MAX_CHARACTERS // len(config.tokens[0]))


def _differs(config: PermutationConfig) -> bool:
    """Whether the words before the last differ in what they bring along to another place."""
    prefix = config.tokens[:-1]
    return len(set(prefix)) > 1 or (config.positions in ADDED and config.carried and len(prefix) > 1)


def _hidden(config: PermutationConfig) -> Theory:
    """One layer hides the order, unless a slot's position tells it."""
    if not _differs(config):
        return Open(ALIKE)
    return Fails(SLOTS) if config.positions != "none" and not config.carried else Holds()


def _shown(config: PermutationConfig) -> Theory:
    """Two layers show the order, if tokens differ."""
    return Holds() if _differs(config) else Fails(ALIKE)


def _repeated(config: PermutationConfig) -> Theory:
    """One token is the same at every place."""
    if _most_repeats(config) == 1:
        long = _(
            "there is room for {count} letters, so a word of more than half as many is not repeated",
            count=MAX_CHARACTERS,
        )
        return Open(long)
    added = _("{positions} positions are added to the tokens", positions=ALL_NAMES[config.positions])
    return Fails(added) if config.positions in ADDED else Holds()


TESTS: Final = (
    ClaimTest("nope-depth.one", "≤",
              _("after one layer the order of the words before it moves the last output by at most"),
              _("max |last(σ prefix) − last(prefix)|, one layer"), theory=_hidden),
    ClaimTest("nope-depth.two", "≥",
              _("after two layers the order of the words before it moves the last output by up to"),
              _("max |last(σ prefix) − last(prefix)|, two layers"), theory=_shown),
    ClaimTest("count-blind", "≤", _("its output moves by at most"), "max |f(x, …, x) − f(x)|", theory=_repeated),
)  # fmt: skip
