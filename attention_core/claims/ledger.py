"""Checks claims: runs the experiment of each, with its switch off and on, and compares with what theory says."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from attention_core.language import COMMA, SEMICOLON, joined
from attention_core.language import gettext_lazy as _
from attention_core.measuring.arrays import Record
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.claim import Claim
from attention_core.measuring.config import RunConfig
from attention_core.measuring.outcomes import OF_A_CLAIM, OF_A_VERDICT
from attention_core.measuring.run import Experiment, items
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Provenance, Result, Verdict
from attention_core.studies import STUDIES

Outcome = Literal["agrees", "surprises", "undecided", "refused", "failed"]

CLAIMS: Final = tuple(claim for study in STUDIES for claim in study.claims)
_BY_ID: Final = {claim.id: claim for claim in CLAIMS}
_TITLES: Final = {study.name: study.title for study in STUDIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A claim and what was measured for it.

    Attributes:
        claim: The claim.
        verdicts: What was measured under the settings in which it should hold.
        broken: What was measured with the switch that breaks it; empty where there is none.
        refused: Why it cannot be measured with this precision, device or seed; empty where it can.
        failed: What torch raised where the device failed to measure it; empty where it did not.
    """

    claim: Claim
    verdicts: tuple[Verdict, ...] = ()
    broken: tuple[Verdict, ...] = ()
    refused: str = ""
    failed: str = ""

    @property
    def outcome(self) -> Outcome:
        """The outcome.

        ``agrees``: all that was measured holds, and the switch breaks it. ``surprises``: something differs from what
        theory says, or was not measured at all. ``undecided``: nothing differs, but with these settings it cannot be
        told whether the claim holds, or whether its switch breaks it. ``refused``: it cannot be measured with these
        settings. ``failed``: the device failed to.
        """
        if self.refused or self.failed:
            return "refused" if self.refused else "failed"
        measured = (*self.verdicts, *self.broken)
        missing = not self.verdicts or (self.claim.breaks is not None and not self.broken)
        if missing or any(verdict.surprises for verdict in measured):
            return "surprises"
        return "undecided" if self.reasons else "agrees"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not decided; empty where it is."""
        left = [verdict for verdict in self.verdicts if verdict.outcome != "holds"]
        if self.claim.breaks and not any(verdict.outcome == "fails" for verdict in self.broken):
            left += [verdict for verdict in self.broken if verdict.outcome == "undecided"]
            if all(verdict.outcome == "holds" for verdict in self.broken):
                unbroken = _("{switch} does not break it here", switch=self.claim.breaks.by)
                return (*(verdict.because for verdict in left), unbroken)
        return tuple(dict.fromkeys(verdict.because for verdict in left))

    def sentence(self) -> str:
        """The claim, its expected and its measured verdict, as one line."""
        why = joined(SEMICOLON, self.reasons) if self.outcome == "undecided" else self.refused or self.failed
        outcome = OF_A_CLAIM[self.outcome].name
        measured = _("{outcome} ({reason})", outcome=outcome, reason=why) if why else outcome
        comparison = _("theory: {expected} · measured: {measured}", expected=self.claim.verdict, measured=measured)
        return f"{self.claim.id} · {self.claim.statement} · {comparison}"

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        return f"<Checked {self.claim.id}: {self.outcome}>"

    def _repr_html_(self) -> str:
        """HTML for notebooks: the sentence, and each verdict with the breaking switch off and on."""
        switch = self.claim.breaks.by if self.claim.breaks else ""
        measured = [("", each) for each in self.verdicts] + [(switch, each) for each in self.broken]
        rows = [(OF_A_VERDICT[each.outcome].word, each.numbers, where) for where, each in measured]
        body = "".join(f"<tr>{''.join(f'<td>{escape(str(text))}</td>' for text in row)}</tr>" for row in rows)
        head = "".join(f'<th scope="col">{text}</th>' for text in (_("outcome"), _("measured"), _("switched on")))
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
        return f"<p>{escape(self.sentence())}</p>{table}"

    @property
    def surprising(self) -> tuple[Verdict, ...]:
        """The verdicts that differ from theory, with the switch off and on."""
        return tuple(verdict for verdict in (*self.verdicts, *self.broken) if verdict.surprises)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerConfig(RunConfig):
    """Which claims are checked, and how.

    Attributes:
        ids: The claims' ids; empty for all.

    Raises:
        ConfigError: If there is no such claim, precision, device or seed.
    """

    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        if not isinstance(self.ids, tuple):
            raise ConfigError("ids", self.ids, _("a tuple of claims' ids is allowed"))
        for name in self.ids:
            if not isinstance(name, str) or name not in _BY_ID:
                raise ConfigError("id", name, _("one of {choices} is allowed", choices=joined(COMMA, _BY_ID)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, in the order of the ledger."""
        return tuple(claim for claim in CLAIMS if not self.ids or claim.id in self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerResult(Record):
    """The checked claims.

    Attributes:
        checked: One entry a claim, in the order of the ledger.
        provenance: Where the numbers come from.
    """

    checked: tuple[Checked, ...]
    provenance: Provenance

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts measured where the claims should hold."""
        return tuple(verdict for checked in self.checked for verdict in checked.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerStep(Step):
    """A step of the check.

    Attributes:
        checked: The claims checked so far, in the order of the ledger.
    """

    checked: tuple[Checked, ...]


def tally(checked: Iterable[Checked]) -> Counter[str]:
    """The number of claims by outcome."""
    return Counter(each.outcome for each in checked)


def claims() -> tuple[Claim, ...]:
    """Every claim of the ledger, in the order of the pages."""
    return CLAIMS


def statement(claim: str) -> str:
    """The statement that a claim's verdicts measure; of a false claim what is true instead.

    Raises:
        KeyError: If no claim of the ledger has this id.
    """
    if claim not in _BY_ID:
        raise KeyError(f"{claim!r} is no claim of the ledger: a verdict's key begins with the id of one.")
    return _BY_ID[claim].truth


def check(claim: Claim | str, *, dtype: str = "auto", device: str = "auto", seed: int = 0) -> Checked:
    """Measure one claim now, with the switch that breaks it off and on.

    Args:
        claim: A claim, or the id of one.
        dtype: ``float64``, ``float32``, ``bfloat16``, ``float16``, or ``auto`` for the most precise of the device.
        device: ``auto`` (the accelerator torch reports, else the CPU) or a device's name.
        seed: Seed of every random draw.

    Raises:
        ConfigError: If there is no such claim, precision, device or seed; it is a ``ValueError``.
    """
    name = claim.id if isinstance(claim, Claim) else claim
    config = LedgerConfig(ids=(name,), dtype=dtype, device=device, seed=seed)
    return next(item for item in each_check(config) if isinstance(item, Checked))


def each_check(config: LedgerConfig) -> Iterator[Step | Checked]:
    """Check claim by claim; claims that the same run of an experiment measures share it.

    Args:
        config: The claims and the settings.

    Yields:
        A ``Step`` before each experiment and wherever it reports one, then the checked claim.
    """
    results: dict[tuple[Experiment, RunConfig], Result] = {}
    run = {"dtype": config.dtype, "device": config.device, "seed": config.seed}
    for done, claim in enumerate(config.claims):
        measured: list[tuple[Verdict, ...]] = []
        refused = failed = ""
        for broken in (False, True) if claim.breaks else (False,):
            doing = _TITLES[claim.page]
            if broken and claim.breaks:
                doing = _("{study}, with {switch}", study=doing, switch=claim.breaks.by)
            yield Step(done, len(config.claims), doing)
            try:
                setting = claim.settings(broken=broken, **run)
                key = (claim.experiment, setting)
                if key not in results:
                    for item in items(*key):
                        if isinstance(item, Step):
                            step = Step(item.done, item.total, item.doing)  # without what has been found so far
                            yield Step(done, len(config.claims), _("{study}: {step}", study=doing, step=step))
                        else:
                            results[key] = item
            except ConfigError as error:
                refused = error.args[0]  # worded for whoever reads it
                break
            except (RuntimeError, TypeError) as error:  # what torch raises where a device fails or lacks something
                message = str(error).partition("\n")[0]
                name, device = type(error).__name__, str(config.torch_device)
                failed = _("{error} on {device}: {said}", error=name, device=device, said=message)
                break
            measured.append(tuple(verdict for verdict in results[key].verdicts if verdict.claim == claim.id))
        if refused or failed:
            yield Checked(claim=claim, refused=refused, failed=failed)
        else:
            yield Checked(claim=claim, verdicts=measured[0], broken=measured[1] if claim.breaks else ())


def steps_ledger(config: LedgerConfig) -> Iterator[LedgerStep | LedgerResult]:
    """Check the claims of ``config``, yielding a ``LedgerStep`` wherever there is a step, and last the result."""
    checked: tuple[Checked, ...] = ()
    for item in each_check(config):
        if isinstance(item, Step):
            yield LedgerStep(done=item.done, total=item.total, doing=item.doing, checked=checked)
        else:
            checked = (*checked, item)
    where = Provenance(seed=config.seed, dtype=config.dtype, device=str(config.torch_device))
    yield LedgerResult(checked=checked, provenance=where)
