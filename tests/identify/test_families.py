"""Attention that nobody here wrote: families of transformers, and the table of them in the documentation."""

import re
from pathlib import Path

import pytest

from tools.identified import FAMILIES, of_transformers, row

TABLE = (Path(__file__).parents[2] / "docs/identify.md").read_text(encoding="utf-8")
ROWS = re.findall(
    r"^\| ([\w.()=, -]+) \| (identified|a design of its own|differs from the paper|not known) \| (.*) \|$",
    TABLE,
    re.M,
)


@pytest.mark.parametrize(
    ("family", "is_", "of_it"),
    [
        ("gpt2", "identified", "causal"),
        ("vit", "identified", ""),
        ("bert", "a design of its own", "Around it: the tokens are added, then normalised"),
        ("llama", "a design of its own", "causal; Rotary positions: turn halves, base 10000"),
        ("gptj", "a design of its own", "causal; Rotary positions: turn neighbours of the first 0.5 of a head"),
        ("gpt_neo", "differs from the paper", "causal; Scale: there is none"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_family_is_what_its_paper_says(family: str, is_: str, of_it: str) -> None:
    assert row(family, lambda: of_transformers(family), 600) == (family, is_, of_it)


def test_the_table_in_the_documentation_has_all_of_them_and_most_are_known() -> None:
    names = {name for name, _, _ in ROWS}
    assert {*FAMILIES} <= names
    assert sum(kind != "not known" for _, kind, _ in ROWS) >= 30
    assert all(why for _, kind, why in ROWS if kind == "not known")
