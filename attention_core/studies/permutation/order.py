"""What lets attention see the order of its tokens.

Claim: ``pe-order`` order shows only through positions or a mask that depends on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import torch

from attention_core.language import gettext_lazy as _
from attention_core.measuring.judge import ClaimTest, Measurement, Steps, run_tests_in_steps, worst
from attention_core.measuring.step import Step
from attention_core.measuring.theory import Fails, Holds, Theory
from attention_core.measuring.verdict import Result
from attention_core.studies.permutation.measure import residuals_of
from attention_core.studies.permutation.module import Attention
from attention_core.studies.permutation.settings import MASKS, POSITION_NAMES, PermutationConfig
from attention_core.studies.permutation.theory import ALIKE, theory_of


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderResult(Result):
    """What lets attention see order.

    Attributes:
        without: Largest change without positions and masks.
        brought_in: Name of each of the positions and masks, and the largest change by it alone.
    """

    without: float
    brought_in: tuple[tuple[str, float], ...]


def steps_order(config: PermutationConfig) -> Iterator[Step | OrderResult]:
    """Try the first sentence in every order, without positions and mask and with each alone; a ``Step`` before each.

    Args:
        config: Only what is left in ``config.plain`` matters.
    """
    yield from run_tests_in_steps(OrderResult, config.plain, TESTS, _steps)


def _steps(plain: PermutationConfig) -> Steps:
    variants = {"": plain, **_variants(plain)}
    found: dict[str, Measurement] = {}
    for done, (name, variant) in enumerate(variants.items()):
        said = _("every order with {name}", name=name) if name else _("every order without positions and mask")
        yield Step(done, len(variants), said)
        found[name] = _shuffled(variant)
    without = found.pop("")
    brought_in = tuple((name, each.measured) for name, each in found.items())
    judged = {"pe-order.without": without, "pe-order.with": worst(found.values(), "≥")}
    return judged, {"without": without.measured, "brought_in": brought_in}


def _brought_in(plain: PermutationConfig) -> Theory:
    """Each of the positions and masks brings order in."""
    each = (theory_of(variant, "perm-self") for variant in _variants(plain).values())
    return Holds() if all(isinstance(one, Fails) for one in each) else Fails(ALIKE)


TESTS: Final = (
    ClaimTest("pe-order.without", "≤", _("without positions and mask the outputs, undone, differ by at most"),
              _("max |f(σX) − σ f(X)| without positions and mask"), theory=partial(theory_of, claim="perm-self")),
    ClaimTest("pe-order.with", "≥", _("with positions or a mask they differ by at least"),
              _("max |f(σX) − σ f(X)|, least over 4 positions and 2 masks"), theory=_brought_in),
)  # fmt: skip


def _variants(plain: PermutationConfig) -> dict[str, PermutationConfig]:
    """Each of the positions and masks alone."""
    positions = {shown: replace(plain, positions=name) for name, shown in POSITION_NAMES.items() if name != "none"}
    masks: dict[str, PermutationConfig] = {
        _("{name} mask", name=shown): replace(plain, mask=name) for name, shown in MASKS.items() if name != "none"
    }
    return positions | masks


@torch.inference_mode()
def _shuffled(variant: PermutationConfig) -> Measurement:
    """The largest change over all orders."""
    attention = Attention(variant)
    residuals, cases = residuals_of(attention, "perm-self")
    return Measurement(float(residuals.max()), attention.bound(), cases, attention.size())
