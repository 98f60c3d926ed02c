"""Puts faults into a copy of the project, one at a time, and prints which test notices each. Nothing of it is kept.

``python -m tests.faults --minutes 60`` draws them anew, in all areas in turn; ``--area figures`` in one; ``--known``
takes those that were thought of. What is near a fault's file is run first, then the folders that it belongs to.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

from tests.faults.draw import AREAS, ROOT, draw
from tests.faults.fault import Fault, known_faults
from tests.near import folders, near

PATIENCE_S = 900  # a run that takes longer hangs


class Copy:
    """A copy of the project below ``root``, as it lies there, committed or not.

    Args:
        root: The project's root.
        folder: Where the copy stands.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0"):
            if name and (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, folder / name)
        self._fails_anyway: set[str] = set()

    def noticed_by(self, fault: Fault) -> str:
        """The first test that fails with a fault and only with it; empty if there is none."""
        path = self.folder / fault.file
        before = path.read_text(encoding="utf-8")
        self._write(path, fault.put_into(before))
        try:
            for places in (near(fault.file, self.folder), [*folders(fault.file)]):
                while test := self._first_failure(places):
                    self._write(path, before)
                    if not self._first_failure([test]):
                        return test
                    self._fails_anyway.add(test)
                    print(f"fails without any fault: {test}", flush=True)
                    self._write(path, fault.put_into(before))
        finally:
            self._write(path, before)
        return ""

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Python takes byte code for new where size and second of the source are the same.
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def _first_failure(self, places: list[str]) -> str:
        """The first test of these places that fails, or the first place where nothing can be run."""
        places = [place for place in places if (self.folder / place.partition("::")[0]).exists()]
        if not places:
            return ""
        known = [f"--deselect={test}" for test in sorted(self._fails_anyway)]
        run = [sys.executable, "-m", "pytest", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider", *places, *known]
        variables = os.environ | {"PYTHONPATH": str(self.folder), "CI": "1", "REQUIRE_BROWSER": "1"}
        try:
            ended = subprocess.run(
                run, cwd=self.folder, env=variables, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired:
            return places[0]
        failed = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        if ended.returncode in (0, 5):  # all pass, or there is none
            return ""
        return failed[0].partition(" ")[2].partition(" - ")[0] if failed else places[0]


def run(faults: Iterable[Fault], root: Path = ROOT, minutes: float = float("inf")) -> tuple[int, int]:
    """Try faults and say what notices each.

    Args:
        faults: The faults.
        root: The project's root.
        minutes: After how many minutes no more are begun.

    Returns:
        How many were noticed, of how many.
    """
    until, noticed, tried = time.monotonic() + 60 * minutes, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(root, Path(folder))
        for fault in faults:
            if time.monotonic() >= until:
                break
            test = copy.noticed_by(fault)
            noticed, tried = noticed + bool(test), tried + 1
            print(f"{fault.file}: {fault.note or f'{fault.old!r} → {fault.new!r}'}\n  {test or 'NOBODY'}", flush=True)
    print(f"noticed: {noticed} of {tried}")
    return noticed, tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", choices=AREAS, help="where they are drawn; in all of them in turn unless given")
    parser.add_argument("--known", action="store_true", help="those that were thought of, in a drawn order")
    parser.add_argument("--count", type=int, help="how many; as many as there is time for unless given")
    parser.add_argument("--minutes", type=float, default=60, help="after how many no more are begun")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="draws the same ones again")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    chance = random.Random(asked.seed)
    known = known_faults()
    faults = (
        chance.sample(known, len(known)) if asked.known else draw([asked.area] if asked.area else [*AREAS], chance)
    )
    run(islice(faults, asked.count), minutes=asked.minutes)


if __name__ == "__main__":
    main()
