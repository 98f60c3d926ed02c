"""What lets attention see the order of its tokens.

Claim: ``pe-order`` order shows only through positions or a mask that depends on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from attention_core.experiments.judge import judge
from attention_core.experiments.permutation.config import ALIKE, MASKS, POSITION_NAMES, PermutationConfig, breaks
from attention_core.experiments.permutation.measure import residuals_of
from attention_core.experiments.permutation.module import Attention, orders_of
from attention_core.experiments.verdict import Provenance, Result, Step, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderResult(Result):
    """What lets attention see order.

    Attributes:
        without: Largest change without positions and masks.
        brought_in: Name of each of the positions and masks, and the largest change by it alone.
        verdicts: ``pe-order`` (without, with).
        provenance: Where the numbers come from.
    """

    without: float
    brought_in: tuple[tuple[str, float], ...]
    verdicts: tuple[Verdict, ...]
    provenance: Provenance


def steps_order(config: PermutationConfig) -> Iterator[Step | OrderResult]:
    """Try the first sentence in every order, without positions and mask and with each alone; a ``Step`` before each.

    Args:
        config: Only what is left in ``config.plain`` matters.
    """
    plain = config.plain
    variants = _variants(plain)
    total = len(variants) + 1
    found: dict[str, tuple[float, float]] = {}
    for done, (name, variant) in enumerate({"": plain, **variants}.items()):
        yield Step(done, total, f"every order with {name}" if name else "every order without positions and mask")
        with torch.inference_mode():
            found[name] = _shuffled(variant)
    (without, bound), (_, cases) = found.pop(""), orders_of(len(plain.tokens), plain.seed)
    quantity = "max |f(σX) − σ f(X)|"
    least = min(found, key=lambda name: found[name][0] / found[name][1])
    shows = all(breaks(variant, "perm-self") for variant in variants.values())
    with torch.inference_mode():
        verdicts = (
            judge(plain, "pe-order.without", without, "≤", bound,
                  says="without positions and mask the outputs, undone, differ by at most",
                  quantity=f"{quantity} without positions and mask", cases=cases),
            judge(plain, "pe-order.with", found[least][0], "≥", found[least][1],
                  says="with positions or a mask they differ by at least",
                  quantity=f"{quantity}, least over 4 positions and 2 masks", cases=cases,
                  broken="" if shows else ALIKE, exact=lambda other: _shuffled(_variants(other)[least])[0]),
        )  # fmt: skip
    yield OrderResult(
        without=without,
        brought_in=tuple((name, change) for name, (change, _) in found.items()),
        verdicts=verdicts,
        provenance=Provenance.of(config),
    )


def _variants(plain: PermutationConfig) -> dict[str, PermutationConfig]:
    """Each of the positions and masks alone."""
    variants = {shown: replace(plain, positions=name) for name, shown in POSITION_NAMES.items() if name != "none"}
    return variants | {f"{shown} mask": replace(plain, mask=name) for name, shown in MASKS.items() if name != "none"}


def _shuffled(variant: PermutationConfig) -> tuple[float, float]:
    """The largest change over all orders, and what rounding explains of it."""
    attention = Attention(variant)
    return float(residuals_of(attention, "perm-self")[0].max()), attention.bound()
