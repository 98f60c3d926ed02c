"""The claims checked by this process: shared by all sessions, for the settings used last."""

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
        self._checked: OrderedDict[Settings, dict[str, Checked]] = OrderedDict()
        self._seconds: dict[Settings, float] = {}
        self._lock = threading.Lock()

    def keep(self, config: LedgerConfig, result: LedgerResult | LedgerStep, seconds: float = 0.0) -> None:
        """Keep the claims checked so far with the settings of ``config``, and how long all of them took."""
        settings = (config.dtype, config.device, config.seed)
        with self._lock:
            earlier = self._checked.pop(settings, {})
            self._checked[settings] = earlier | {checked.claim.id: checked for checked in result.checked}
            if seconds and not config.ids:
                self._seconds[settings] = seconds
            while len(self._checked) > MOST_SETTINGS:
                self._seconds.pop(self._checked.popitem(last=False)[0], None)

    def checked(self, config: LedgerConfig) -> dict[str, Checked]:
        """The claims checked with the settings of ``config``, by id."""
        return self._checked.get((config.dtype, config.device, config.seed), {})

    def seconds(self, config: LedgerConfig) -> float:
        """Seconds that the last run of all claims took with the settings of ``config``; 0 if there was none."""
        return self._seconds.get((config.dtype, config.device, config.seed), 0.0)

    def score(self, total: int, config: LedgerConfig | None = None) -> str:
        """Count outcomes in a sentence that names the settings: of ``config``, else of the last run; may be empty."""
        counts = self.counts(total, config)
        if not counts:
            return ""
        with self._lock:
            last = next(reversed(self._checked))
        dtype, _device, seed = (config.dtype, config.device, config.seed) if config else last
        return gettext("{told} ({precision}, seed {seed}).", told=counts, precision=dtype, seed=seed)

    def counts(self, total: int, config: LedgerConfig | None = None) -> str:
        """Count outcomes in a sentence without the settings."""
        with self._lock:
            last = next(reversed(self._checked), None)
            settings = (config.dtype, config.device, config.seed) if config else last
            checked = self._checked.get(settings) if settings else None
        if not settings or not checked:
            return ""
        outcomes = Counter(each.outcome for each in checked.values())
        agreeing = outcomes["agrees"]
        if len(checked) == total:
            sentence = ngettext(
                "**{count} of {checked}** claims is as theory says",
                "**{count} of {checked}** claims are as theory says",
                agreeing, checked=len(checked),
            )  # fmt: skip
        else:
            sentence = ngettext(
                "**{count} of {checked}** claims checked so far, of {total} in all, is as theory says",
                "**{count} of {checked}** claims checked so far, of {total} in all, are as theory says",
                agreeing, checked=len(checked), total=total,
            )  # fmt: skip
        for outcome, style in OF_A_CLAIM.items():
            if style.counted and (count := outcomes[outcome]):
                sentence = gettext("{told}, {count} {outcome}", told=sentence, count=count, outcome=style.counted)
        return sentence


@cache
def ledger() -> Ledger:
    """The ledger of this process."""
    return Ledger()
