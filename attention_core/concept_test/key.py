"""The key of an item: which choice is right, by what is measured here and now.

No key is stored. The verdicts of an item's cases are measured, each as the ledger measures it, and whether they hold
selects the choice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from attention_core.concept_test.bank import ITEMS
from attention_core.concept_test.item import Case, Item
from attention_core.language import COMMA, joined
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.run import Experiment, items
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Provenance, Result, Verdict

BY_ID: Final = {item.id: item for item in ITEMS}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyConfig(RunConfig):
    """Which item's key is measured, and how.

    Attributes:
        item: Its id.

    Raises:
        ConfigError: If there is no such item, precision, device or seed.
    """

    item: str = ITEMS[0].id

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if not isinstance(self.item, str) or self.item not in BY_ID:
            raise ConfigError("item", self.item, _("one of {choices} is allowed", choices=joined(COMMA, BY_ID)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeyResult(Result):
    """The key of an item; ``verdicts`` holds one for each of its cases that could be measured, in their order.

    Attributes:
        item: The item's id.
        right: The place of the right choice; None where these settings cannot tell.
        refused: Why a case cannot be measured with this precision, device or seed; empty where all can.
    """

    item: str
    right: int | None
    refused: str = ""

    @property
    def overturned(self) -> bool:
        """Whether what was measured makes another choice right than theory says, or none."""
        known = not self.refused and all(verdict.expected is not None for verdict in self.verdicts)
        return known and self.right != BY_ID[self.item].by_theory


def steps_key(config: KeyConfig) -> Iterator[Step | KeyResult]:
    """Measure an item's cases, and select its key.

    Cases of the same settings share one run. A verdict that theory leaves undecided under these settings selects
    nothing.

    Args:
        config: The item, precision, device and seed.

    Yields:
        A step before each case and those of its experiment, and last the result.
    """
    item, measured, refused = BY_ID[config.item], list[Verdict](), ""
    results: dict[tuple[Experiment, RunConfig], Result] = {}
    run = {"dtype": config.dtype, "device": config.device, "seed": config.seed}
    for done, case in enumerate(item.cases):
        yield Step(done, len(item.cases), _("measurements"))
        try:
            key = (case.claim.experiment, case.claim.settings(broken=case.broken, **run))
            if key not in results:
                for found in items(*key):
                    if isinstance(found, Step):
                        yield Step(found.done, found.total, found.doing)  # without what has been found so far
                    else:
                        results[key] = found
        except ConfigError as error:
            refused = error.args[0]  # worded for whoever reads it
            break
        measured.append(results[key].verdict(case.key))
    outcomes = [None if verdict.expected is None else verdict.holds for verdict in measured]
    right = None if refused else item.selected(outcomes)
    yield KeyResult(
        verdicts=tuple(measured), provenance=Provenance.of(config), item=item.id, right=right, refused=refused
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeysConfig(RunConfig):
    """How the keys of all items are measured."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeysResult(Result):
    """The keys of all items; ``verdicts`` holds those of all cases.

    Attributes:
        keys: One for each item, in the order of the bank.
    """

    keys: tuple[KeyResult, ...]

    def right(self, item: str) -> int | None:
        """The place of an item's right choice; None where these settings cannot tell."""
        return next(key.right for key in self.keys if key.item == item)


def steps_keys(config: KeysConfig) -> Iterator[Step | KeysResult]:
    """Measure the keys of all items.

    Args:
        config: Precision, device and seed.

    Yields:
        A step before each item, and last the result.
    """
    run = {"dtype": config.dtype, "device": config.device, "seed": config.seed}
    found = list[KeyResult]()
    for done, item in enumerate(ITEMS):
        yield Step(done, len(ITEMS), _("the right answers"))
        found += [one for one in steps_key(KeyConfig(item=item.id, **run)) if isinstance(one, KeyResult)]
    yield KeysResult(
        verdicts=tuple(verdict for one in found for verdict in one.verdicts),
        provenance=Provenance.of(config),
        keys=tuple(found),
    )


def explaining(item: Item) -> Case:
    """The case whose page shows why the key is what it is: the last, which stands on those before it."""
    return item.cases[-1]
