"""Every experiment under random settings, in every precision, does what theory says or leaves it undecided.

``python -m benchmarks.surprises`` draws 500 settings for each experiment, 125 in each precision, and prints
what came of their verdicts; ``--only biases`` takes one experiment, ``--settings 50`` others in number.
"""

import argparse
import sys
from functools import partial

import torch

from tests.studies import STUDIES, surprises


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", type=int, default=125, help="draws for each experiment and precision")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other settings")
    parser.add_argument("--only", default="", help="experiments whose names begin so")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    total = 0
    line = partial("{:<28}{:<10}{:>8}{:>8}{:>8}{:>11}{:>11}".format)
    print(line("experiment", "precision", "settings", "holds", "fails", "undecided", "surprises"))
    for study in STUDIES:
        for dtype in study.dtypes if study.name.startswith(asked.only) else ():
            outcomes, found = surprises(study, dtype, asked.settings, asked.seed)
            counts = (outcomes[name] for name in ("holds", "fails", "undecided", "surprises"))
            print(line(study.name, dtype, asked.settings, *counts), flush=True)
            for config, verdict in found:
                print(f"    {verdict.key}: {verdict.sentence()} ({verdict.because}) {config}")
            total += len(found)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
