"""Puts one fault at a time into a copy of the project and runs tests until one notices."""

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.faults.corpus import Fault

# Every run is a fork of a process that has imported what takes long, and computed nothing.
CONTEXT = get_context("forkserver")
PATIENCE_S = 300  # a single test that takes longer hangs
REACHES = ("near", "layer", "all")
NOBODY = ("nobody near", "nobody in its layer", "nobody")  # who notices a fault that was looked for so far
# Where tests of a file stand: the first line that fits. "near" takes of these the files named after it or its folder,
# and those that import it, "layer" all of them.
LAYERS = {
    "attention_core/experiments/": ("tests/experiments", "tests/figures", "tests/pages", "tests/test_claims.py"),
    "attention_core/checkpoints/": ("tests/checkpoints",),
    "attention_core/figures/": ("tests/figures", "tests/pages"),
    "pages/_shared/components/web/": ("tests/web", "tests/browser"),
    "pages/_shared/rooms/": ("tests/rooms", "tests/browser"),
    "pages/_shared/server.py": ("tests/browser", "tests/load", "tests/pages/test_server.py"),
    # What stands beside what on a screen, and what a press brings down from it.
    "pages/_shared/page/tabs.py": ("tests/browser", "tests/pages"),
    "pages/_shared/page/header.py": ("tests/browser", "tests/pages"),
    "pages/home.py": ("tests/browser", "tests/pages"),
    "pages/_shared/": ("tests/pages", "tests/rooms", "tests/test_languages.py"),
    "pages/": ("tests/pages",),
    "deploy/": ("tests/deploy", "tests/browser"),
    "": ("tests",),
}
# What a name does not tell.
NEAR = {
    "attention_core/experiments/": (
        "tests/experiments/test_breaks.py",
        "tests/experiments/test_configs.py",
        "tests/experiments/test_snippets.py",
        "tests/experiments/test_every_study.py",
        "tests/experiments/test_contract.py",
        "tests/test_claims.py",
    ),
    "attention_core/checkpoints/": ("tests/checkpoints",),
    "attention_core/figures/": ("tests/figures",),
    "pages/_shared/components/web/matrix_view/": (
        "tests/browser/test_matrix_view.py",
        "tests/browser/test_features.py",
    ),
    "pages/_shared/components/web/token_board/": ("tests/browser/test_permutation.py",),
    "pages/_shared/components/web/live_class/room.js": (
        "tests/browser/test_room_client.py",
        "tests/browser/test_live_class.py",
    ),
    "pages/_shared/components/web/live_class/": (
        "tests/browser/test_live_class.py",
        "tests/browser/test_prepared_questions.py",
    ),
    "pages/_shared/components/web/small/handout": ("tests/browser/test_classroom.py",),
    "pages/_shared/components/web/small/button": ("tests/browser/test_evidence.py", "tests/browser/test_flow.py"),
    "pages/_shared/components/web/small/draft": ("tests/browser/test_flow.py", "tests/browser/test_course.py"),
    "pages/_shared/components/web/map/": ("tests/browser/test_home.py",),
    "pages/_shared/components/web/small/navigation": ("tests/browser/test_pages.py", "tests/browser/test_stage.py"),
    "pages/_shared/components/web/small/slide_keys": ("tests/browser/test_stage.py", "tests/browser/test_course.py"),
    "pages/_shared/components/web/base/": ("tests/browser/test_token_board.py", "tests/browser/test_matrix_view.py"),
    "pages/_shared/components/web/small/watch": ("tests/browser/test_replicas.py",),
    "pages/_shared/style/style.css": ("tests/browser/test_frame.py", "tests/browser/test_stage.py"),
    "pages/_shared/style/presenter.css": ("tests/browser/test_stage.py", "tests/browser/test_course.py"),
    "pages/_shared/rooms/": ("tests/rooms",),
    "pages/_shared/server.py": ("tests/pages/test_server.py", "tests/browser/test_classroom.py"),
    "pages/_shared/page/tabs.py": ("tests/pages/test_contract.py", "tests/browser/test_tours.py"),
    "pages/_shared/page/header.py": (
        "tests/pages/test_contract.py",
        "tests/test_languages.py",
        "tests/browser/test_tours.py",
        "tests/browser/test_frame.py",
        "tests/browser/test_overlaps.py",
    ),
    "pages/home.py": ("tests/browser/test_home.py", "tests/browser/test_overlaps.py", "tests/browser/test_tours.py"),
    "pages/_shared/": ("tests/pages/test_contract.py", "tests/pages/test_flow.py", "tests/test_languages.py"),
    "pages/": ("tests/pages/test_contract.py", "tests/pages/test_grades.py"),
    "deploy/": ("tests/deploy/test_files.py", "tests/browser/test_classroom.py", "tests/browser/test_replicas.py"),
}
PLAIN = {"", "attention_core", "experiments", "figures", "pages", "_shared", "web", "deploy", "__init__", "config"}


def near(root: Path, file: str, noticed: Counter[str]) -> list[str]:
    """The test files most likely to notice a fault of a file, first those that have noticed another one of it."""
    folders = next(folders for start, folders in LAYERS.items() if file.startswith(start))
    tests = [path for folder in folders for path in sorted([root / folder, *(root / folder).glob("**/test_*.py")])]
    tests = [path for path in tests if path.is_file()]
    path = Path(file).with_suffix("")
    words = [word for word in (path.name, path.name.partition("_")[0], path.parent.name) if word not in PLAIN]
    parent, stem = ".".join(path.parent.parts), path.name
    imported = re.compile(rf"\b{re.escape(parent)}\.{stem}\b|from {re.escape(parent)} import .*\b{stem}\b")
    named = [test for word in words for test in tests if test.stem.startswith(f"test_{word}")]
    named.sort(key=lambda test: -sum(word in test.stem for word in words))
    named += [test for test in tests if file.endswith(".py") and imported.search(test.read_text(encoding="utf-8"))]
    found = [str(test.relative_to(root)) for test in tests if test.parent.name == "web"]
    found += [str(test.relative_to(root)) for test in named]
    found += next((more for start, more in NEAR.items() if file.startswith(start)), ())
    return list(dict.fromkeys([*(test for test, _ in noticed.most_common()), *found]))


def stages(root: Path, file: str, noticed: Counter[str]) -> dict[str, list[str]]:
    """What pytest is asked, reach by reach."""
    folders = next(folders for start, folders in LAYERS.items() if file.startswith(start))
    slow = [] if folders[0] in ("tests/web", "tests/browser", "tests/deploy") else ["-m", "not slow"]
    found = [name for name in near(root, file, noticed) if (root / name).exists()]
    ignored = [f"--ignore={name}" for name in found]
    asked = {"near": [*found, *slow], "layer": [*folders, *ignored, *slow], "all": ["tests"]}
    return {reach: [*rest, *["-m", ""][: 2 * ("-m" not in rest)]] for reach, rest in asked.items() if rest[0] != "-m"}


class Tree:
    """A copy of the project below ``root`` in a folder of its own, as it lies there, committed or not."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0"):
            if name and (root / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, folder / name)
        self._log = folder.with_name(f"{folder.name}.log")
        self._fails_anyway: set[str] = set()
        self._passes: set[str] = set()

    @contextmanager
    def _holding(self, fault: Fault) -> Iterator[None]:
        path = self.folder / fault.file
        before = path.read_text(encoding="utf-8")
        after = fault.put_into(before)
        assert after is not None
        try:
            self._write(path, after)
            yield
        finally:
            self._write(path, before)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        # Python takes byte code for new where size and second of the source are the same.
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def notices(self, fault: Fault, asked: list[str], until: float) -> str:
        """The first test that fails with a fault, and only with it; empty if there is none.

        Raises:
            TimeoutError: None has failed when the clock says ``until``.
        """
        while True:
            with self._holding(fault):
                known = [f"--deselect={name}" for name in sorted(self._fails_anyway)]
                test = self._first_failure([*asked, *known], until)
            if "::" not in test or test in self._passes:
                return test
            if not self._first_failure([test, "-m", ""], math.inf):
                self._passes.add(test)
                return test
            self._fails_anyway.add(test)
            print(f"fails without any fault: {test}", flush=True)

    def _first_failure(self, asked: list[str], until: float) -> str:
        told, tell = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=_run, args=(self.folder, self._log, asked, tell))
        process.start()
        group = process.pid
        assert group is not None
        tell.close()
        at, failed = asked[0], ""
        try:
            while not failed and told.poll(min(PATIENCE_S, max(0, until - time.monotonic()))):
                word, what = told.recv()
                if word == "ended":
                    # A conftest that cannot be imported ends pytest as a wrong argument does.
                    return asked[0] if what == pytest.ExitCode.USAGE_ERROR and "::" not in asked[0] else ""
                at = what
                failed = what if word == "failed" else ""
            if not failed and time.monotonic() >= until:
                raise TimeoutError
            return at
        except EOFError:  # the process has crashed
            return at
        finally:
            process.join(20 if failed else 0)  # servers and browsers are stopped by those who started them
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
            process.join()


class _Teller:
    """Tells which test begins and which fails."""

    def __init__(self, tell: Connection) -> None:
        self._tell = tell

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tell.send(("begins", nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._tell.send(("failed", report.nodeid))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tell.send(("failed", report.nodeid))


def _run(folder: Path, log: Path, asked: list[str], tell: Connection) -> None:
    """Runs pytest in a copy, in a process and a process group of its own."""
    os.setsid()
    os.chdir(folder)
    with log.open("wb") as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    os.environ |= {"PYTHONPATH": str(folder), "CI": "1", "REQUIRE_BROWSER": "1"}
    root = str(Path(__file__).parents[2])
    sys.path[:] = [str(folder), *(path for path in sys.path if path not in ("", root))]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "attention_core", "pages")]:
        del sys.modules[name]  # the copy's own are meant
    tell.send(("ended", pytest.main(["-x", "-p", "no:cacheprovider", *asked], plugins=[_Teller(tell)])))


def try_fault(
    tree: Tree, fault: Fault, before: str, noticed: Counter[str], reach: str, limit: float
) -> tuple[str, float]:
    """What notices a fault, and after how many seconds.

    Args:
        tree: Where it is put into.
        fault: The fault.
        before: What the matrix says of it: a test is run first, by itself.
        noticed: How many faults of the same file each test file has noticed.
        reach: How far to look.
        limit: Seconds to look.

    Returns:
        A test, or how far was looked in vain.

    Raises:
        TimeoutError: It has taken longer.
    """
    begun = time.monotonic()
    until = begun + limit
    if before.startswith("tests/") and (test := tree.notices(fault, [before, "-m", ""], until)):
        return test, time.monotonic() - begun
    asked = stages(tree.folder, fault.file, noticed)
    known = NOBODY.index(before) + 1 if before in NOBODY else 0
    for name in REACHES[known : REACHES.index(reach) + 1]:
        if name in asked and (test := tree.notices(fault, asked[name], until)):
            return test, time.monotonic() - begun
    return NOBODY[REACHES.index(reach)], time.monotonic() - begun
