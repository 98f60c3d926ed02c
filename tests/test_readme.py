"""The README's and docs/package.md's Python runs as it stands, and the table of claims is the ledger's."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from attention_core.claims.__main__ import main, readme_table

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PACKAGE = (ROOT / "docs/package.md").read_text(encoding="utf-8")
EXAMPLES, TASKS = (re.findall(r"```python\n(.*?)```", text, re.S) for text in (README, PACKAGE))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3
    assert any("check(" in example for example in EXAMPLES)
    assert "](docs/package.md)" in README
    assert len(TASKS) == PACKAGE.count("```python") >= 5
    for task in ("Decoder(", "query_positions=", "encoder.trace(", "encoder_from_bert(", "csv.DictWriter("):
        assert any(task in example for example in TASKS), task


@pytest.mark.parametrize("example", [*EXAMPLES, *TASKS])
def test_an_example_runs(example: str) -> None:
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


def test_the_table_of_claims_is_the_ledgers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--readme"]) == 0
    assert capsys.readouterr().out == readme_table()
    assert readme_table() in README, "write it again with: python -m attention_core.claims --readme"
    assert not re.search(r"\d[eE][-−+]?\d", readme_table()), "residuals vary by build"
