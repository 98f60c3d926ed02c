"""Which way round True is: each row of the table of conventions, against the library it speaks of."""

import math

import pytest
import torch
import torch.nn.functional as F

from attention_core.modules.multi_head import MultiHeadAttention


def test_true_means_may_attend_in_torchs_function() -> None:
    q = torch.eye(2, dtype=torch.float64)[None]
    mask = torch.tensor([[True, False], [True, True]])
    out = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert torch.equal(out[0, 0], q[0, 0])
    added = torch.zeros(2, 2, dtype=torch.float64).masked_fill(~mask, -math.inf)
    torch.testing.assert_close(F.scaled_dot_product_attention(q, q, q, attn_mask=added), out)


def test_true_means_may_not_attend_in_torchs_module() -> None:
    module, x = torch.nn.MultiheadAttention(4, 1, batch_first=True), torch.randn(1, 2, 4)
    hides = torch.tensor([[False, True], [False, False]])
    assert module(x, x, x, attn_mask=hides)[1][0, 0].tolist() == [1.0, 0.0]
    assert module(x, x, x, key_padding_mask=torch.tensor([[False, True]]))[1][0, :, 1].tolist() == [0.0, 0.0]
    added = torch.zeros(2, 2).masked_fill(hides, -math.inf)
    torch.testing.assert_close(module(x, x, x, attn_mask=added)[1], module(x, x, x, attn_mask=hides)[1])


def test_one_means_a_word_in_hugging_faces_model() -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        attn_implementation="eager",
    )  # fmt: skip
    model = transformers.BertModel(config).eval()
    with torch.no_grad():
        out = model(torch.tensor([[3, 4, 5]]), attention_mask=torch.tensor([[1, 1, 0]]), output_attentions=True)
    assert float(out.attentions[0][..., 2].abs().max()) == 0
    assert float(out.attentions[0][..., 1].min()) > 0


def test_true_means_padding_in_source_c() -> None:
    """Source C's line of code: ``s.masked_fill(key_padding_mask.unsqueeze(1).to(torch.bool), float("-inf"))``."""
    scores, padding = torch.zeros(1, 2, 3), torch.tensor([[0, 0, 1]])
    weights = F.softmax(scores.masked_fill(padding.unsqueeze(1).to(torch.bool), float("-inf")), dim=-1)
    assert weights[0, :, 2].tolist() == [0.0, 0.0]


def test_this_projects_conventions() -> None:
    module, x = MultiHeadAttention(4, 1, dtype=torch.float64), torch.randn(1, 2, 4, dtype=torch.float64)
    sees = torch.tensor([[True, False], [True, True]])
    assert module.trace(x, attn_mask=sees).weights[0, 0, 0].tolist() == [1.0, 0.0]
    assert module.trace(x, key_padding_mask=torch.tensor([[False, True]])).weights[0, 0, :, 1].tolist() == [0.0, 0.0]
