"""The browser's side where it needs no browser: orders, keys, layout, light, labels, questions, a class's client."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pages._shared.components.loader import WEB
from attention_core.language import ENGLISH, LANGUAGES
from tools.languages import as_module, merged, module_of, texts

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_node(name: str) -> None:
    node = shutil.which("node")
    if not node and os.environ.get("REQUIRE_BROWSER") != "1":
        pytest.skip("These tests need Node.js 20: install Debian's package nodejs.")
    done = subprocess.run([node, "--test", HERE / name], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {ENGLISH}))
def test_browsers_have_the_words_of_the_catalogue(language: str) -> None:
    """``python -m tools.languages`` makes the file anew."""
    assert module_of(language).read_bytes() == as_module(merged("pages", language))


WORDED = re.compile(r"""(?<![\w.])_\(\s*["`]((?:[^"`\\]|\\.)+)["`](?:,|\)|\s*\+)""")


@pytest.mark.slow
def test_every_text_of_a_script_is_found() -> None:
    """The extractor passes over a call within a call and in a template, and over all that comes after some regex."""
    found = [str(message.id) for message in texts("pages") if message.id]
    for script in WEB.rglob("*.js"):
        source = re.sub(r"(?m)^\s*//.*", "", script.read_text("utf-8"))
        begins = WORDED.findall(source)
        assert len(begins) == len(re.findall(r"(?<![\w.])_\(", source)), script
        assert [text for text in begins if not any(one.startswith(text) for one in found)] == [], script
