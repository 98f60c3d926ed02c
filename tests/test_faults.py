"""The corpus of faults fits the project, and its command says what notices a fault and what is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.faults.__main__ import run
from tests.faults.corpus import read_faults
from tests.faults.draw import replacement

ROOT = Path(__file__).parents[1]
SOURCE = "def half(n):\n    return n / 2\n\n\ndef twice(n):\n    return 2 * n\n"
TEST = "from attention_core.experiments.tiny import half\n\n\ndef test_half():\n    assert half(8) == 4\n"
MAIN = sys.modules["__main__"]
FAULTS = [
    {"name": "tiny-1", "old": "n / 2", "new": "n / 3"},
    {"name": "tiny-2", "old": "2 * n", "new": "3 * n"},
    {"name": "tiny-3", "old": "n / 2", "new": "n * 0.5", "equivalent": "the same number"},
]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A project of two functions, one of which is tested."""
    files = {
        "attention_core/experiments/tiny.py": SOURCE,
        "tests/experiments/test_tiny.py": TEST,
        "tests/faults/corpus/tiny.json": json.dumps(
            [one | {"file": "attention_core/experiments/tiny.py"} for one in FAULTS]
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def rows(root: Path) -> list[list[str]]:
    lines = (root / "tests/faults/matrix.tsv").read_text().splitlines()[1:]
    return [line.split("\t")[:2] for line in lines]


def test_every_fault_can_be_put_into_the_project() -> None:
    faults = read_faults(ROOT)
    assert [fault.name for fault in faults if fault.is_gone(ROOT)] == []
    assert [fault.name for fault in faults if fault.old == fault.new] == []
    assert len({fault.name for fault in faults}) == len(faults)


@pytest.mark.xdist_group("main")
@pytest.mark.parametrize("turn", range(2))
def test_a_page_that_a_test_runs_is_not_what_a_later_process_begins_with(turn: int) -> None:
    assert sys.modules["__main__"] is MAIN
    AppTest.from_string("").run()


@pytest.mark.slow
def test_the_command_says_what_notices_a_fault_and_what_is_lost(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noticed = "tests/experiments/test_tiny.py::test_half"
    assert run(tiny) == []
    assert rows(tiny) == [["tiny-1", noticed], ["tiny-2", "nobody near"], ["tiny-3", "equivalent"]]
    assert (tiny / "attention_core/experiments/tiny.py").read_text() == SOURCE

    test = tiny / "tests/experiments/test_tiny.py"
    test.write_text(TEST.replace("test_half", "test_it"))
    assert run(tiny, again=True) == []
    assert rows(tiny)[0] == ["tiny-1", noticed.replace("test_half", "test_it")]

    test.write_text(TEST.replace("half(8) == 4", "half(0) == 0"))
    assert [fault.name for fault in run(tiny, again=True)] == ["tiny-1"]
    assert "lost: tiny-1" in capsys.readouterr().out


@pytest.mark.slow
def test_a_test_that_fails_anyway_notices_nothing(tiny: Path) -> None:
    with (tiny / "tests/experiments/test_tiny.py").open("a") as test:
        test.write("\n\ndef test_wrong():\n    assert half(8) == 5\n")
    run(tiny, "tiny-2")
    assert rows(tiny)[1] == ["tiny-2", "nobody near"]


def test_a_fault_whose_text_has_gone_is_named(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "attention_core/experiments/tiny.py").write_text(SOURCE.replace("n / 2", "n * 0.5"))
    run(tiny, "tiny-1")
    assert "gone: tiny-1" in capsys.readouterr().out


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
