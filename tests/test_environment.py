"""The README's environment is made once, also where two workers ask for it at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.environment import environment


@pytest.mark.slow
def test_two_that_ask_at_once_have_one_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = tmp_path / "made"
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(environment, [f"echo once >> {made}"] * 2))
    assert found[0] == found[1]
    assert (found[0] / "bin/python").exists()
    assert made.read_text() == "once\n"


@pytest.mark.slow
def test_one_that_was_not_finished_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = tmp_path / "done"
    first = f"test -e {done} || {{ touch {done}; false; }}"
    with pytest.raises(Exception, match="non-zero exit status"):
        environment(first)
    assert (environment(first) / "complete").exists()
