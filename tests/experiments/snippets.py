"""Runs the code that the app shows, as a visitor would: outside the project, in an interpreter of its own."""

import atexit
import inspect
import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

from attention_core.measuring.snippets import FUNCTIONS

_DRIVER = """
import contextlib, io, json, os, sys, tempfile, traceback
for line in sys.stdin:
    out, error = io.StringIO(), ""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        os.chdir(folder)
        try:
            exec(compile(json.loads(line), "snippet", "exec"), {"__name__": "__main__"})
        except BaseException:
            error = traceback.format_exc()
        if left := os.listdir():
            error += f"It left {left}."
        os.chdir(os.sep)
    if ours := [name for name in sys.modules if name.split(".")[0] in ("attention_core", "streamlit")]:
        error += f"It imported {ours}."
    print(json.dumps([out.getvalue(), error]), flush=True)
"""


@cache
def _interpreter() -> subprocess.Popen[str]:
    """An interpreter that runs one line of JSON, code, after the other; it ends with this process."""
    command = [sys.executable, "-I", "-c", _DRIVER]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    atexit.register(started.communicate)
    return started


def run_snippets(snippets: Sequence[str]) -> list[str]:
    """What each snippet prints; an interpreter runs them all, each in an empty folder and a fresh namespace.

    Args:
        snippets: The code.
    """
    interpreter, printed = _interpreter(), []
    for code in snippets:
        interpreter.stdin.write(json.dumps(code) + "\n")
        interpreter.stdin.flush()
        out, error = json.loads(interpreter.stdout.readline() or '["", "The interpreter ended."]')
        assert not error, error
        printed.append(out)
    return printed


def own_lines(code: str) -> list[str]:
    """The lines of a study itself: below the imports and the functions that all studies share.

    Args:
        code: A snippet.
    """
    for source in map(inspect.getsource, FUNCTIONS):
        code = code.replace(source, "")
    return [line for line in code.splitlines() if line and not line.startswith(("import ", "from "))]
