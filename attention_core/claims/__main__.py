"""The ledger in a terminal: ``python -m attention_core.claims``."""

import argparse
import io
import json
import math
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch

from attention_core.claims.claim import FALSE
from attention_core.claims.ledger import Checked, LedgerConfig, Outcome, claims, each_check, tally
from attention_core.device import DTYPES, available_devices
from attention_core.experiments.checks import ConfigError
from attention_core.experiments.step import Step
from attention_core.experiments.verdict import Verdict

_MARKS: dict[Outcome, str] = {"agrees": "✓", "surprises": "✗", "undecided": "?", "refused": "–", "failed": "!"}
_NOT_SO: dict[Outcome, str] = {
    "surprises": "not so",
    "undecided": "not decided",
    "refused": "not measured",
    "failed": "failed to run",
}
_DESCRIPTION = """\
Check every claim about attention on this machine, now. Each claim is measured twice: under the settings in which
theory says that it holds, and with the switch that breaks it. A line says what theory says of the claim and what was
measured. ✓ holds, and its switch breaks it; ✗ differs from theory; ? is not decided with these settings, for the
reason below it; – cannot be measured with them; ! failed to run on this device."""
_EPILOG = """\
exit status: 0 if nothing that was measured differs from theory, 1 if something does or failed to run,
             2 if the command is not possible
examples:
  python -m attention_core.claims
  python -m attention_core.claims --only bias-k scale-grad --dtype float32
  python -m attention_core.claims --json > claims.json"""
_HEADING = """\
# The claims

What theory expects of every statement of the app. The Claims page and `python -m attention_core.claims` measure all
on your machine. `python -m attention_core.claims --markdown > docs/claims.md` writes this file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the claims that the command line asks for, and say what was found.

    Args:
        arguments: The command line's words; those of this process where None.

    Returns:
        1 if something that was measured differs from what theory says, or failed to run, else 0.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.markdown:
        sys.stdout.write(as_markdown())
        return 0
    try:
        config = LedgerConfig(ids=tuple(asked.only), dtype=asked.dtype, device=asked.device, seed=asked.seed)
    except ConfigError as error:
        parser.error(str(error))
    start = time.perf_counter()
    found = _check(config, quiet=asked.json)
    if asked.json:
        sys.stdout.write(json.dumps([as_plain(one) for one in found], ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(_summary(found, config, time.perf_counter() - start))
    counted = tally(found)
    return int(counted["surprises"] + counted["failed"] > 0)


def as_markdown() -> str:
    """``docs/claims.md``: the id, the statement and the expected verdict of every claim."""
    rows = [f"| {claim.id} | {claim.statement} | {claim.verdict} |".replace("|γ|", "\\|γ\\|") for claim in claims()]
    return "\n".join((_HEADING, "", "| id | statement | verdict |", "|---|---|---|", *rows)) + "\n"


def as_plain(one: Checked) -> dict[str, Any]:
    """A checked claim as JSON holds it; NaN and ∞ as text."""
    claim = one.claim
    return {
        "id": claim.id,
        "statement": claim.statement,
        "said": claim.said,
        "expected": claim.verdict,
        "outcome": one.outcome,
        "reasons": one.reasons,
        "refused": one.refused,
        "failed": one.failed,
        "verdicts": [_plain_verdict(verdict) for verdict in one.verdicts],
        "broken_by": claim.breaks.by if claim.breaks else "",
        "broken": [_plain_verdict(verdict) for verdict in one.broken],
        "correction": asdict(claim.correction) if claim.correction else None,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m attention_core.claims",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    devices = ", ".join(("auto", *available_devices()))
    parser.add_argument("--only", nargs="+", metavar="ID", default=(), help="check these claims only")
    parser.add_argument(
        "--dtype",
        default="auto",
        help=f"precision: {', '.join(DTYPES)}, or auto for the device's most precise one (default: %(default)s)",
    )
    parser.add_argument("--device", default="auto", help=f"where to compute: {devices} (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of every random draw, 0 to 999,999 (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print everything that was measured as JSON")
    parser.add_argument(
        "--markdown", action="store_true", help="measure nothing and print the ledger as Markdown: docs/claims.md"
    )
    return parser


def _check(config: LedgerConfig, *, quiet: bool) -> list[Checked]:
    """Check claim by claim, each with its line as soon as it is known; steps show on a terminal only."""
    found: list[Checked] = []
    width = max(60, shutil.get_terminal_size((118, 24)).columns)
    for item in each_check(config):
        if isinstance(item, Step):
            text = f"{item.done + 1} of {item.total}: {item.doing}"
            _progress(_cut(text, width - 1))
            continue
        found.append(item)
        _progress("")
        if not quiet:
            sys.stdout.write(_lines(item, width) + "\n")
            sys.stdout.flush()
    return found


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _lines(one: Checked, width: int) -> str:
    """The claim's line, and below it what differs from theory, what leaves it open, or what is true instead."""
    details = one.refused or one.failed or next((verdict.numbers for verdict in one.verdicts), "nothing measured")
    lines = [_cut(f"{_MARKS[one.outcome]} {one.claim.id:<15} {one.claim.expected:<12} {details}", width)]
    match one.outcome:
        case "surprises":
            lines += [f"    not as theory says: {verdict.sentence()}" for verdict in one.surprising]
        case "undecided":
            lines = [_grey(line) for line in (*lines, *(f"    not decided: {reason}" for reason in one.reasons))]
        case "agrees" if one.claim.expected == FALSE and one.claim.correction:
            lines.append(f"{'':<31}{one.claim.correction.found}")
    return "\n".join(lines)


def _grey(line: str) -> str:
    return f"\x1b[90m{line}\x1b[0m" if sys.stdout.isatty() else line


def _summary(found: list[Checked], config: LedgerConfig, seconds: float) -> str:
    counted = tally(found)
    told = f"{counted['agrees']} of {len(found)} claims as theory says"
    for outcome, words in _NOT_SO.items():
        told += f", {counted[outcome]} {words}" if counted[outcome] else ""
    return f"{told} · {config.dtype} · {config.torch_device} · seed {config.seed} · {seconds:.0f} s\n"


def _plain_verdict(verdict: Verdict) -> dict[str, Any]:
    plain = asdict(verdict) | {"claim": verdict.claim, "holds": verdict.holds, "outcome": verdict.outcome}
    return {name: _plain_number(value) for name, value in plain.items()}


def _plain_number(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_number(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


if __name__ == "__main__":
    torch.set_num_threads(1)  # The tensors are small: more threads wait for one another longer than they compute.
    sys.exit(main())
