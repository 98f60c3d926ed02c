"""What a table of answers tells, in a terminal: ``python -m attention_core.concept_test answers.csv``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from attention_core import terminal
from attention_core.concept_test.answers import Answered, read
from attention_core.concept_test.files import lettered
from attention_core.concept_test.key import KeysConfig, KeysResult
from attention_core.concept_test.misconceptions import MISCONCEPTIONS
from attention_core.concept_test.report import TimeReport, report
from attention_core.concept_test.scores import Interval
from attention_core.measuring.run import run

_PROGRAM = "python -m attention_core.concept_test"
_DESCRIPTION = """\
What the answers of a class tell of the concept test, and of what is believed. The file is CSV with the columns
person, time, item and answer: a pseudonym, "before" or "after", the item's name and A, B, C or D, both as in the
table that the app makes. Keys are measured for this, now. Nothing is estimated from fewer than 20 people. The test is
not validated."""
_HEADS = ("item", "right", "discrimination", "A B C D, %")


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell what a table of answers tells.

    Args:
        arguments: The command line's words; those of this process where None.

    Returns:
        0; 2 where the file cannot be read.
    """
    terminal.forgive()
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=_DESCRIPTION)
    parser.add_argument("answers", type=Path, help="the file")
    options = parser.parse_args(arguments)
    try:
        answered = read(options.answers.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    keys = run(KeysConfig())
    sys.stdout.write("\n".join(lines_of(answered, keys)) + "\n")
    return 0


def lines_of(answered: Answered, keys: KeysResult) -> list[str]:
    """The lines that tell what answers tell.

    Args:
        answered: By time and person the letter taken of each item.
        keys: Which choices are right.
    """
    where, found = keys.provenance, report(answered, lettered(), keys)
    lines = [f"Not validated. Keys measured: {where.dtype}, {where.device}, seed {where.seed}."]
    for time, one in found.times.items():
        lines += ["", f"{time}: {one.people} people, {len(one.items)} items", *_of_time(one)]
    if "after" in found.times:
        lines += ["", f"gain of {found.pairs} pairs: {_told(found.gain)}"]
    return lines


def _of_time(found: TimeReport) -> list[str]:
    lines = [f"alpha: {_told(found.alpha)}", _row(*_HEADS)]
    for one, score in found.items:
        shares = " ".join(f"{100 * score.shares[place]:.0f}" for place in one.order)
        lines.append(_row(one.item.id, _told(score.difficulty), _told(score.discrimination), shares))
    lines.append("misconception, of those who were offered it")
    ranked = sorted(found.held, key=lambda one: -one.people / max(1, one.of))
    return lines + [f"{one.people:>4} of {one.of:<4} {MISCONCEPTIONS[one.misconception].name}" for one in ranked]


def _told(found: Interval | None) -> str:
    return "none" if found is None else f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _row(item: str, right: str, discrimination: str, shares: str) -> str:
    return f"{item:<17} {right:<18} {discrimination:<20} {shares}"


if __name__ == "__main__":
    torch.set_num_threads(1)  # The tensors are small: more threads wait for one another longer than they compute.
    sys.exit(main())
