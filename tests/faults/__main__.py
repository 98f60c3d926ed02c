"""Faults put into the project on purpose, and which tests notice them.

``corpus/`` holds the faults: a text of a file, which occurs there once, and what stands in its place. Those of
``experiments``, ``figures`` and ``pages`` were drawn (``draw.py``), those of ``web``, ``deploy``, ``rooms``
and ``checkpoints`` were thought of. ``matrix.tsv`` says which test notices each, the first that was met, or how far
was looked in vain. A test may go as long as no fault that was noticed is lost.

``python -m tests.faults`` tries what is not run yet and, with a longer ``--reach``, what nobody has noticed. Without
``matrix.tsv`` it makes all of it again, which takes hours. ``--again`` tries what was noticed, by that test alone,
and by others only where it has gone or passes; it ends with 1 if a fault is lost.

A fault is "gone" where its text is: draw another, or take it out of the corpus, on purpose.
"""

import argparse
import math
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.faults.corpus import NOT_RUN, Fault, Matrix, read_faults
from tests.faults.notice import CONTEXT, NOBODY, REACHES, Tree, try_fault

IMPORTED = [
    "torch",
    "plotly.graph_objects",
    "streamlit.testing.v1",
    "streamlit.web.server",
    "hypothesis",
    "transformers",
]


def run(
    root: Path, only: str = "", *, again: bool = False, reach: str = "near", limit: float = math.inf, workers: int = 1
) -> list[Fault]:
    """Try faults, write the matrix and say what comes out.

    Args:
        root: The project's root.
        only: Part of a fault's name or file; all others stay as they are.
        again: Try those that were noticed, not those that were not.
        reach: How far to look: tests "near" the file, all of its "layer", or "all".
        limit: Seconds for one fault; one that takes longer stays as it was.
        workers: How many to try at a time, each in a copy of the project.

    Returns:
        The faults that were noticed and no longer are.
    """
    faults = read_faults(root)
    matrix = Matrix(root, faults)
    asked = [fault for fault in faults if only in f"{fault.name} {fault.file}"]
    gone = [fault for fault in asked if fault.is_gone(root)]
    open_ends = [NOT_RUN, *NOBODY[: REACHES.index(reach)]]
    tried = [
        fault
        for fault in asked
        if fault not in gone and (matrix.is_noticed(fault) if again else matrix.noticed_by(fault) in open_ends)
    ]
    lost = []

    def take(fault: Fault) -> None:
        tree = trees.get()
        before = matrix.noticed_by(fault)
        neighbours = [one for one in faults if one.file == fault.file and matrix.is_noticed(one)]
        noticed = Counter(matrix.noticed_by(one).partition("::")[0] for one in neighbours)
        try:
            after, seconds = try_fault(tree, fault, before, noticed, reach, limit)
        except TimeoutError:
            print(f"{fault.name:<16}out of time", flush=True)
            return
        finally:
            trees.put(tree)
        if before.startswith("tests/") and not after.startswith("tests/"):
            lost.append(fault)
        matrix.write(fault, after, seconds)
        print(f"{fault.name:<16}{seconds:>5.0f} s  {after}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(min(workers, len(tried))):
            trees.put(Tree(root, Path(folder) / str(number)))
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(take, tried))
    for word, which in (("gone", gone), ("lost", lost)):
        for fault in which:
            print(f"{word}: {fault.name}, {fault.file}")
    counted = [fault for fault in asked if not fault.equivalent and matrix.noticed_by(fault) != NOT_RUN]
    print(f"noticed: {sum(map(matrix.is_noticed, counted))} of {len(counted)} that were run")
    return lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="faults whose name or file has this in it")
    parser.add_argument("--again", action="store_true", help="whether what was noticed is noticed still")
    parser.add_argument("--reach", choices=REACHES, default="near", help="how far to look for a test that notices")
    parser.add_argument(
        "--limit", type=float, default=math.inf, help="seconds for a fault; longer, and it stays open"
    )
    parser.add_argument("--workers", type=int, default=1, help="faults at a time")
    asked = parser.parse_args()
    CONTEXT.set_forkserver_preload(IMPORTED)
    return bool(run(ROOT, asked.only, again=asked.again, reach=asked.reach, limit=asked.limit, workers=asked.workers))


ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.exit(main())
