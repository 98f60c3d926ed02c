"""What this process has found of the claims: shared by all sessions, kept for the settings used last."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from functools import cache
from typing import TYPE_CHECKING

from attention_core.language import gettext, ngettext
from attention_core.measuring.outcomes import OF_A_CLAIM

if TYPE_CHECKING:  # the ledger is made before torch, which the claims need, is imported
    from attention_core.claims import Checked, LedgerConfig, LedgerResult, LedgerStep

MOST_SETTINGS = 8
Settings = tuple[str, str, int]


class Ledger:
    """Claims that were checked, by precision, device and seed."""

    def __init__(self) -> None:
        self._found: OrderedDict[Settings, dict[str, Checked]] = OrderedDict()
        self._seconds: dict[Settings, float] = {}
        self._lock = threading.Lock()

    def keep(self, config: LedgerConfig, result: LedgerResult | LedgerStep, seconds: float = 0.0) -> None:
        """Remember what was found under the settings of ``config``, so far or in all, and how long all of it took."""
        settings = (config.dtype, config.device, config.seed)
        with self._lock:
            found = self._found.pop(settings, {})
            self._found[settings] = found | {one.claim.id: one for one in result.checked}
            if seconds and not config.ids:
                self._seconds[settings] = seconds
            while len(self._found) > MOST_SETTINGS:
                self._seconds.pop(self._found.popitem(last=False)[0], None)

    def found(self, config: LedgerConfig) -> dict[str, Checked]:
        """What is known under the settings of ``config``, by the claims' ids."""
        return self._found.get((config.dtype, config.device, config.seed), {})

    def seconds(self, config: LedgerConfig) -> float:
        """How long the last run of all claims took under the settings of ``config``; 0 if there was none."""
        return self._seconds.get((config.dtype, config.device, config.seed), 0.0)

    def score(self, total: int, config: LedgerConfig | None = None) -> str:
        """The score under the settings of ``config``, else of the last run, in a sentence; empty if there is none."""
        told = self.told(total, config)
        if not told:
            return ""
        with self._lock:
            last = next(reversed(self._found))
        dtype, _device, seed = (config.dtype, config.device, config.seed) if config else last
        return gettext("{told} ({precision}, seed {seed}).", told=told, precision=dtype, seed=seed)

    def told(self, total: int, config: LedgerConfig | None = None) -> str:
        """The same without the settings."""
        with self._lock:
            last = next(reversed(self._found), None)
            settings = (config.dtype, config.device, config.seed) if config else last
            found = self._found.get(settings) if settings else None
        if not settings or not found:
            return ""
        counted = Counter(one.outcome for one in found.values())
        good = counted["agrees"]
        if len(found) == total:
            told = ngettext(
                "**{count} of {checked}** claims is as theory says",
                "**{count} of {checked}** claims are as theory says",
                good, checked=len(found),
            )  # fmt: skip
        else:
            told = ngettext(
                "**{count} of {checked}** claims checked so far, of {total} in all, is as theory says",
                "**{count} of {checked}** claims checked so far, of {total} in all, are as theory says",
                good, checked=len(found), total=total,
            )  # fmt: skip
        for outcome, how in OF_A_CLAIM.items():
            if how.counted and (count := counted[outcome]):
                told = gettext("{told}, {count} {outcome}", told=told, count=count, outcome=how.counted)
        return told


@cache
def ledger() -> Ledger:
    """The one of this process."""
    return Ledger()
