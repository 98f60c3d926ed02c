"""What the documentation says is there, and its Python runs as it stands."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from attention_core.claims.__main__ import as_markdown, main

ROOT = Path(__file__).parents[1]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for glob in ("README*.md", "CONTRIBUTING.md", "docs/*.md", "tests/**/*.md")
    for path in ROOT.glob(glob)
}
EXAMPLES = {name: found for name, text in TEXTS.items() if (found := re.findall(r"```python\n(.*?)```", text, re.S))}
# One process for all of a text, since torch takes a second to be imported; each begins with no names.
RUN = """
import json, sys
for number, code in enumerate(json.load(sys.stdin), 1):
    exec(compile(code, f"example {number}", "exec"), {"__name__": "__main__"})
"""
FOLDERS = ("attention_core", "pages", "tests", "docs", "deploy", ".ci", ".streamlit")


def anchors(text: str) -> set[str]:
    """The names by which a link reaches the headings of a text."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing(name: str, text: str) -> Iterator[str]:
    """What a text names that is not there: files and headings it links to, paths, modules to run."""
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, heading = link.partition("#")
        path = (ROOT / name).parent / target if target else ROOT / name
        if "://" in link:
            continue
        if not path.exists() or (heading and heading not in anchors(path.read_text(encoding="utf-8"))):
            yield link
    for path in re.findall(r"`([\w./-]+)`", text):
        if path.split("/")[0] in FOLDERS and "NAME" not in path and not (ROOT / path).exists():
            yield path
    for module in re.findall(r"python -m ((?:attention_core|tests)\b[\w.]*)", text):
        if find_spec(module) is None:
            yield module


def test_what_the_documentation_names_is_there() -> None:
    assert {"README.md", "docs/claims.md", "docs/package.md", "tests/README.md"} <= set(TEXTS)
    assert {name: found for name, text in TEXTS.items() if (found := list(missing(name, text)))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "[gone](gone.md)",
        "[gone](package.md#gone)",
        "[gone](#gone)",
        "`pages/gone.py`",
        "python -m tests.gone",
    ],
)
def test_what_is_not_there_is_found(text: str) -> None:
    assert list(missing("docs/package.md", text))


def test_a_newcomer_is_shown_every_document() -> None:
    readme = TEXTS["README.md"]
    assert readme.count("\n") <= 150
    for name in TEXTS:
        assert not name.startswith("docs/") or f"]({name})" in readme


def test_a_newcomer_who_reads_chinese_is_shown_the_same() -> None:
    """The same commands, and each README leads to the other."""
    english, chinese = TEXTS["README.md"], TEXTS["README.zh.md"]
    assert "](README.zh.md)" in english
    assert "](README.md)" in chinese
    ours, theirs = (re.findall(r"```\n(.*?)\n```", text, re.S) for text in (english, chinese))
    assert theirs[:2] == ours[:2]
    assert len(ours[:2]) == 2
    assert "pip config set global.index-url …" in chinese, "no host is named"
    assert not re.search(r"https?://", chinese)
    for needed in ("二维码", "聊天软件", "deploy/classroom.py", "127.0.0.1"):
        assert needed in chinese


def test_there_is_an_example_of_each_task() -> None:
    codes = [code for found in EXAMPLES.values() for code in found]
    for task in (
        "check(", "view_figure(", "Decoder(", "query_positions=", "encoder.trace(", "Checkpoint.from_transformers(",
        "csv.DictWriter(", "Starlette(", "identify(",
    ):  # fmt: skip
        assert any(task in code for code in codes), task


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name: str) -> None:
    given = json.dumps(EXAMPLES[name])
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=given, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_claims_are_the_ledgers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--markdown"]) == 0
    assert capsys.readouterr().out == as_markdown()
    assert TEXTS["docs/claims.md"] == as_markdown(), "python -m attention_core.claims --markdown > docs/claims.md"
    assert not re.search(r"\d[eE][-−+]?\d", as_markdown()), "residuals vary by build"
