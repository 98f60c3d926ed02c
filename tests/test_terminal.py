"""What commands write is UTF-8 where it belongs into a file, whatever the machine's encoding, and never an error."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from attention_core.claims import __main__ as claims
from attention_core.shipped import __main__ as shipped
from tools import languages

ROOT = Path(__file__).parents[1]
# Of Chinese and western Windows, of its console, of a bare terminal; two that put a mark before a file.
ENCODINGS = ("cp936", "cp1252", "cp437", "ascii", "utf-16", "utf-8-sig", "utf-8")


def written(encoding: str, command: Callable[[], object]) -> bytes:
    """What a command writes into a file, on a machine with this encoding that ends lines as Windows does."""
    out = io.BytesIO()
    with redirect_stdout(io.TextIOWrapper(out, encoding=encoding, newline="\r\n")) as stream:
        command()
        stream.flush()
        return out.getvalue()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_is_utf_8(encoding: str) -> None:
    content = written(encoding, lambda: claims.main(["--only", "bias-k", "--json", "--dtype", "float32"]))
    assert content.startswith(b"[\n")
    (claim,) = json.loads(content.decode("utf-8"))
    assert claim["verdicts"][0]["relation"] == "≤"


def test_json_in_chinese_is_utf_8() -> None:
    content = written("cp1252", lambda: claims.main(["--only", "bias-k", "--json", "--lang", "zh"]))
    (claim,) = json.loads(content.decode("utf-8"))
    assert any("\u4e00" <= letter <= "\u9fff" for letter in claim["said"])


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_markdown_is_the_file_in_the_repository(encoding: str) -> None:
    assert written(encoding, lambda: claims.main(["--markdown"])) == (ROOT / "docs/claims.md").read_bytes()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_table_of_shipped_models_is_utf_8(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "as_markdown", lambda: "# Wilson’s interval\n| 0.9 ≤ 1 |\n")
    content = written(encoding, lambda: shipped.main(["--table"]))
    assert content == "# Wilson’s interval\n| 0.9 ≤ 1 |\n".encode()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_texts_without_a_translation_are_listed(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be read in the terminal, so in its encoding; a sign that it lacks is a question mark there."""
    for room in languages.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "words.py").write_text('_("at most √2")\n', encoding="utf-8")
    monkeypatch.setattr(languages, "ROOT", tmp_path)
    monkeypatch.setattr(languages, "module_of", lambda language: tmp_path / f"{language}.js")
    assert "at most " in written(encoding, languages.main).decode(encoding)


@pytest.mark.slow
@pytest.mark.parametrize(("encoding", "language"), [("cp936", "en"), ("ascii", "zh")])
def test_lines_and_help_end_no_command(encoding: str, language: str) -> None:
    code = "from attention_core.claims.__main__ import main; main(sys.argv[1:]); main([*sys.argv[1:3], '--help'])"
    arguments = ["--lang", language, "--only", "bias-k", "--dtype", "float32"]
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    line = [sys.executable, "-c", f"import sys; {code}", *arguments]
    done = subprocess.run(line, env=environment, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    lines, _, explained = done.stdout.decode(encoding).partition("usage:")
    assert lines.strip()
    assert explained.strip()


@pytest.mark.slow
def test_redirected_json_is_utf_8_where_the_machine_is_chinese() -> None:
    line = [sys.executable, "-m", "attention_core.claims", "--only", "bias-k", "--dtype", "float32", "--json"]
    environment = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp936:strict"}
    done = subprocess.run(line, env=environment, cwd=ROOT, capture_output=True, check=True)
    assert json.loads(done.stdout.decode("utf-8"))[0]["verdicts"][0]["relation"] == "≤"
