"""Runs the code that the app shows, as a visitor would: outside the project, in an interpreter of its own."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence

_DRIVER = """
import contextlib, io, json, sys
printed = []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "snippet", "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue())
assert not [name for name in sys.modules if name.split(".")[0] in ("attention_core", "streamlit")]
json.dump(printed, sys.stdout)
"""


def run_snippets(snippets: Sequence[str]) -> list[str]:
    """What each snippet prints; all of them run in one fresh interpreter in an empty folder.

    Args:
        snippets: The code.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _DRIVER],
            input=json.dumps(list(snippets)),
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(printed: str) -> list[str]:
    """The number that ends each line; the words before it say what it is.

    Args:
        printed: What a snippet prints.
    """
    lines = [line.rpartition(": ") for line in printed.splitlines()]
    assert all(len(words.split()) >= 3 for words, *_ in lines), printed
    return [number for *_, number in lines]
