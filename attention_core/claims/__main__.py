"""The ledger in a terminal: ``python -m attention_core.claims``, in Chinese with ``--lang zh``."""

import argparse
import json
import math
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch

from attention_core import terminal
from attention_core.claims.ledger import Checked, LedgerConfig, claims, each_check, tally
from attention_core.device import DTYPES, available_devices
from attention_core.language import COMMA, ENGLISH, LANGUAGES, Text, columns, joined, known, ngettext, using
from attention_core.language import gettext_lazy as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.claim import EXPECTED_WORDS, FALSE
from attention_core.measuring.outcomes import OF_A_CLAIM
from attention_core.measuring.step import Step
from attention_core.measuring.verdict import Verdict

_PROGRAM = "python -m attention_core.claims"
_DESCRIPTION = _(
    """\
Check every claim about attention on this machine, now. Each claim is measured twice: under the settings in which
theory says that it holds, and with the switch that breaks it. A line says what theory says of the claim and what was
measured. ✓ holds, and its switch breaks it; ✗ differs from theory; ? is not decided with these settings, for the
reason below it; – cannot be measured with them; ! failed to run on this device."""
)
_EPILOG = _(
    """\
exit status: 0 if nothing that was measured differs from theory, 1 if something does or failed to run,
             2 if the command is not possible
examples:
  python -m attention_core.claims
  python -m attention_core.claims --only bias-k scale-grad --dtype float32
  python -m attention_core.claims --json > claims.json
  python -m attention_core.claims --lang zh"""
)
_HEADING = _(
    """\
# The claims

What theory expects of every statement of the app. The Claims page and `python -m attention_core.claims` measure all
on your machine. `python -m attention_core.claims --markdown > docs/claims.md` writes this file."""
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the claims that the command line asks for, and say what was found.

    Args:
        arguments: The command line's words; those of this process where None.

    Returns:
        1 if something that was measured differs from what theory says, or failed to run, else 0.
    """
    terminal.forgive()
    with using(_language(arguments)):
        return _answer(arguments)


def _language(arguments: Sequence[str] | None) -> str:
    """The language that the command line asks for, for its help too; else English."""
    parser = argparse.ArgumentParser(prog=_PROGRAM, add_help=False)
    parser.add_argument("--lang", nargs="?", default=ENGLISH)
    language = parser.parse_known_args(arguments)[0].lang
    if language is not None and not known(language):
        allowed = ", ".join(LANGUAGES)
        sys.stderr.write(f"lang = {language!r} is not possible: one of {allowed} is allowed. This is in English.\n")
    return known(language) or ENGLISH


def _answer(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.markdown:
        terminal.write_file(as_markdown())
        return 0
    try:
        config = LedgerConfig(ids=tuple(options.only), dtype=options.dtype, device=options.device, seed=options.seed)
    except ConfigError as error:
        parser.error(str(error))
    start = time.perf_counter()
    checked = _check(config, quiet=options.json)
    if options.json:
        terminal.write_file(json.dumps([as_plain(claim) for claim in checked], ensure_ascii=False, indent=1) + "\n")
    else:
        sys.stdout.write(_summary(checked, config, time.perf_counter() - start))
    outcomes = tally(checked)
    return int(outcomes["surprises"] + outcomes["failed"] > 0)


def as_markdown() -> str:
    """``docs/claims.md``: the id, the statement and the expected verdict of every claim."""
    rows = [f"| {claim.id} | {claim.statement} | {claim.verdict} |".replace("|γ|", "\\|γ\\|") for claim in claims()]
    titles = _("| id | statement | verdict |")
    return "\n".join((str(_HEADING), "", str(titles), "|---|---|---|", *rows)) + "\n"


def as_plain(checked: Checked) -> dict[str, Any]:
    """A checked claim as plain JSON values; NaN and ∞ as text, and texts in the language of this thread."""
    claim = checked.claim
    plain = {
        "id": claim.id,
        "statement": claim.statement,
        "said": claim.said,
        "expected": claim.verdict,
        "outcome": checked.outcome,
        "reasons": checked.reasons,
        "refused": checked.refused,
        "failed": checked.failed,
        "verdicts": [_fields(verdict) for verdict in checked.verdicts],
        "broken_by": claim.breaks.by if claim.breaks else "",
        "broken": [_fields(verdict) for verdict in checked.broken],
        "correction": asdict(claim.correction) if claim.correction else None,
    }
    return _plain(plain)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description=str(_DESCRIPTION),
        epilog=str(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    formats, devices = joined(COMMA, DTYPES), joined(COMMA, ("auto", *available_devices()))
    precision = _(
        "precision: {formats}, or auto for the device's most precise one (default: %(default)s)", formats=formats
    )
    where = _("where to compute: {devices} (default: %(default)s)", devices=devices)
    seed = _("seed of every random draw, 0 to 999,999 (default: %(default)s)")
    plain = _("print everything that was measured as JSON")
    markdown = _("measure nothing and print the ledger as Markdown: docs/claims.md")
    language = _("language: {languages} (default: %(default)s)", languages=joined(COMMA, LANGUAGES))
    parser.add_argument("--only", nargs="+", metavar="ID", default=(), help=str(_("check these claims only")))
    parser.add_argument("--dtype", default="auto", help=str(precision))
    parser.add_argument("--device", default="auto", help=str(where))
    parser.add_argument("--seed", type=int, default=0, help=str(seed))
    parser.add_argument("--json", action="store_true", help=str(plain))
    parser.add_argument("--markdown", action="store_true", help=str(markdown))
    parser.add_argument("--lang", default=ENGLISH, help=str(language))
    return parser


def _check(config: LedgerConfig, *, quiet: bool) -> list[Checked]:
    """Check claim by claim, each with its line as soon as it is known; steps show on a terminal only."""
    checked: list[Checked] = []
    width = max(60, shutil.get_terminal_size((118, 24)).columns)
    for item in each_check(config):
        if isinstance(item, Step):
            text = _("{number} of {total}: {doing}", number=item.done + 1, total=item.total, doing=item.doing)
            _progress(_cut(str(text), width - 1))
            continue
        checked.append(item)
        _progress("")
        if not quiet:
            sys.stdout.write(_lines(item, width) + "\n")
            sys.stdout.flush()
    return checked


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def _lines(checked: Checked, width: int) -> str:
    """A claim's line, and below it what differs from theory, what leaves it open, or what is true instead."""
    claim = checked.claim
    details = (
        checked.refused
        or checked.failed
        or next((verdict.numbers for verdict in checked.verdicts), _("nothing measured"))
    )
    sign = OF_A_CLAIM[checked.outcome].sign
    line = f"{sign} {claim.id:<15} {_padded(str(EXPECTED_WORDS[claim.expected]), 12)} {details}"
    lines = [_cut(line, width)]
    match checked.outcome:
        case "surprises":
            remarks = (
                _("not as theory says: {verdict}", verdict=verdict.sentence()) for verdict in checked.surprising
            )
            lines += [f"    {line}" for line in remarks]
        case "undecided":
            remarks = (_("not decided: {reason}", reason=reason) for reason in checked.reasons)
            lines = [_grey(line) for line in (*lines, *(f"    {line}" for line in remarks))]
        case "agrees" if claim.expected == FALSE and claim.correction:
            lines.append(f"{'':<31}{claim.correction.found}")
    return "\n".join(lines)


def _grey(line: str) -> str:
    return f"\x1b[90m{line}\x1b[0m" if sys.stdout.isatty() else line


def _summary(checked: list[Checked], config: LedgerConfig, seconds: float) -> str:
    outcomes = tally(checked)
    sentence = ngettext(
        "{agree} of {count} claim as theory says",
        "{agree} of {count} claims as theory says",
        len(checked),
        agree=outcomes["agrees"],
    )
    for outcome, style in OF_A_CLAIM.items():
        if style.counted and (count := outcomes[outcome]):
            sentence = _("{told}, {count} {outcome}", told=sentence, count=count, outcome=style.counted)
    took = _("seed {seed} · {seconds:.0f} s", seed=config.seed, seconds=seconds)
    return f"{sentence} · {config.dtype} · {config.torch_device} · {took}\n"


def _fields(verdict: Verdict) -> dict[str, Any]:
    return asdict(verdict) | {"claim": verdict.claim, "holds": verdict.holds, "outcome": verdict.outcome}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    odd = isinstance(value, float) and not math.isfinite(value)
    return str(value) if odd or isinstance(value, Text) else value


def _padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    while columns(text) >= width:
        text = text[:-1]
    return text + "…"


if __name__ == "__main__":
    torch.set_num_threads(1)  # The tensors are small: more threads wait for one another longer than they compute.
    sys.exit(main())
