"""What is special in a model's attention, in a few words; and the table of families in the documentation."""

from pathlib import Path
from typing import Any

import pytest

from attention_core import Alibi, Llama3Scaling, MultiHeadAttention, RelativeKey, RMSNorm, Rotary
from attention_core.studies.trained.special import special
from tests.processes import ROOT
from tools import families

SPECIAL: tuple[tuple[dict[str, Any], list[tuple[str, str]]], ...] = (
    ({}, []),
    ({"num_kv_heads": 2}, [("6 heads of queries share 2 of keys", "variants")]),
    ({"window": 2}, [("a window of 3 tokens in 2 of 2 layers", "masks")]),
    ({"soft_cap": 50.0}, [("scores softly capped at 50", "scaling")]),
    ({"sink": True}, [("a learned sink in each head", "biases")]),
    ({"qk_norm": RMSNorm(1e-6)}, [("queries and keys normalised in each head", "scaling")]),
    ({"qk_norm": True, "qk_norm_together": True}, [("queries and keys normalised over all heads", "scaling")]),
    ({"position": Alibi()}, [("a penalty on distance (ALiBi)", "permutation")]),
    ({"position": RelativeKey(8)}, [("a learned vector for each distance", "permutation")]),
    ({"position": Rotary(5e5)}, [("rotary positions, base 500,000", "permutation")]),
    ({"position": Rotary(part=0.5)}, [("rotary positions, base 10,000, of 50% of each head", "permutation")]),
    ({"position": Rotary(scaling=Llama3Scaling(8.0, 8192))},
     [("rotary positions, base 10,000, stretched by Llama3Scaling", "permutation")]),
)  # fmt: skip


@pytest.mark.parametrize(("options", "said"), SPECIAL)
def test_each_is_said_in_a_few_words_beside_the_page_that_explains_it(
    options: dict[str, Any], said: list[tuple[str, str]]
) -> None:
    layers = [MultiHeadAttention(24, 6, **options) for _ in range(2)]
    assert [(str(one.text), one.page) for one in special(layers)] == said


def test_each_position_of_a_model_is_said() -> None:
    layers = [
        MultiHeadAttention(8, 2, position=Rotary(base), window=window) for base, window in ((10.0, 4), (99.0, None))
    ]
    assert [str(one.text) for one in special(layers)] == [
        "a window of 5 tokens in 1 of 2 layers", "rotary positions, base 10", "rotary positions, base 99",
    ]  # fmt: skip


def test_the_table_of_the_documentation_is_made_by_its_command() -> None:
    assert families.table() in (Path(ROOT) / "docs/package.md").read_text(encoding="utf-8"), (
        "python -m tools.families"
    )
