"""The browser's side where it needs no browser: orders, keys, layout, light, labels, questions, a class's client."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_node(name: str) -> None:
    node = shutil.which("node")
    if not node and os.environ.get("REQUIRE_BROWSER") != "1":
        pytest.skip("These tests need Node.js 20: install Debian's package nodejs.")
    done = subprocess.run([node, "--test", HERE / name], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
