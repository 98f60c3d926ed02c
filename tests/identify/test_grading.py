"""The ten lines of docs/identify.md that grade a folder of files, run as they stand."""

import csv
import io
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = "from attention_core.identify import IdentifyError"
RIGHT = "from torch.nn import MultiheadAttention as Attention\n"
# Scaled by the wrong size.
FAULTY = """\
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        return self.o(((q @ k.mT / x.shape[-1] ** 0.5).softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


@pytest.mark.slow
def test_a_teacher_grades_a_folder_with_ten_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/identify.md").read_text(encoding="utf-8"), re.S)
    (lines,) = (START + block.partition(START)[2] for block in blocks if START in block)
    assert sum(map(bool, lines.splitlines())) <= 10
    for at in range(9):
        (tmp_path / f"student_{at}.py").write_text(
            (RIGHT, FAULTY, "class Attention: pass\n")[at % 3], encoding="utf-8"
        )
    exec(compile(lines, "docs/identify.md", "exec"), {"folder": tmp_path, "csv": csv, "sys": sys})
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert [(name, how, count) for name, how, count, _said in rows] == [
        (f"student_{at}", *(("known", "0"), ("known", "1"), ("fails", ""))[at % 3]) for at in range(9)
    ]
    assert "1/√d_model" in rows[1][3]
