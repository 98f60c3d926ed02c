"""The faults fit the project, and the command says what notices one."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.faults.__main__ import run
from tests.faults.draw import Script, replacement
from tests.faults.fault import Fault, known_faults
from tests.near import near
from tests.processes import PATIENCE_S

ROOT = Path(__file__).parents[1]
SOURCE = "def half(n):\n    return n / 2\n\n\ndef twice(n):\n    return 2 * n\n"
TEST = "from attention_core.measuring.tiny import half\n\n\ndef test_half():\n    assert half(8) == 4\n"
MAIN = sys.modules["__main__"]
FILE = "attention_core/measuring/tiny.py"
HALF, TWICE = Fault(FILE, "n / 2", "n / 3"), Fault(FILE, "2 * n", "3 * n", "twice is thrice")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A project of two functions, one of which is tested."""
    files = {FILE: SOURCE, "tests/experiments/test_tiny.py": TEST}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def test_every_fault_that_was_thought_of_can_be_put_into_the_project() -> None:
    faults = known_faults()
    assert len(faults) > 100
    for fault in faults:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        assert fault.put_into(text) != text, fault


@pytest.mark.xdist_group("main")
@pytest.mark.parametrize("turn", range(2))
def test_a_page_that_a_test_runs_is_not_what_a_later_process_begins_with(turn: int) -> None:
    assert sys.modules["__main__"] is MAIN
    AppTest.from_string("", default_timeout=PATIENCE_S).run()


SCRIPTED = """// 1 < 2
/** 3 and true */
const is = a <= 4 && !b;
"""


def test_a_script_has_changes_of_each_kind_outside_of_comments(tmp_path: Path) -> None:
    path = tmp_path / "tiny.js"
    path.write_text(SCRIPTED)
    script = Script(path)
    begin, line = SCRIPTED.rsplit("\n", 2)[0], "const is = a <= 4 && !b;"
    found = {script.changed(one).removeprefix(begin).strip() for every in script.kinds.values() for one in every}
    assert found == {line.replace(*one) for one in (("<=", "<"), ("4", "9"), ("&&", "||"), ("!b", "!!b"))}


@pytest.mark.slow
def test_the_command_says_what_notices_a_fault(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (tiny / "tests/experiments/test_tiny.py").open("a") as test:
        test.write("\n\ndef test_wrong():\n    assert half(8) == 5\n")
    assert run([HALF, TWICE], tiny) == (1, 2)
    assert capsys.readouterr().out.splitlines() == [
        "attention_core/measuring/tiny.py: 'n / 2' → 'n / 3'",
        "  tests/experiments/test_tiny.py::test_half",
        "fails without any fault: tests/experiments/test_tiny.py::test_wrong",
        "attention_core/measuring/tiny.py: twice is thrice",
        "  NOBODY",
        "noticed: 1 of 2",
    ]
    assert (tiny / FILE).read_text() == SOURCE
    assert run([HALF], tiny, minutes=0) == (0, 0)


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("attention_core/figures/ledger.py", "tests/figures/test_ledger.py"),
        ("attention_core/modules/masks.py", "tests/modules/test_masks.py"),
        ("pages/learning.py", "tests/pages/test_learning.py"),
        ("pages/_shared/class_rooms/room.py", "tests/class_rooms/test_room.py"),
        ("tests/test_docs.py", "tests/test_docs.py"),
    ],
)
def test_what_is_near_a_file_begins_with_what_is_named_after_it(file: str, first: str) -> None:
    found = near(file)
    assert found[0] == first
    assert all((ROOT / place).exists() for place in found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nx\nc\n"),
        ("a\na\nb\n", "a\nx\nb\n"),
        ("a\nb\na\nc\na\n", "a\nb\nx\nc\na\n"),
        ("a\nb\nc\n", "a\nc\n"),
        ("a\na\na\n", "a\na\nx\n"),
    ],
)
def test_a_drawn_fault_is_as_few_lines_as_say_where_it_is(before: str, after: str) -> None:
    old, new = replacement(before, after)
    assert before.count(old) == 1
    assert before.replace(old, new) == after
