"""Weights of torch's module; and with those of Hugging Face's BERT the module computes what theirs does."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertSelfAttention as HuggingFaceSelfAttention

from attention_core.measuring.bounds import tolerance
from attention_core.modules.masks import to_additive
from attention_core.modules.multi_head import MultiHeadAttention
from tests.modules.draws import redraw, redrawn

F64 = torch.float64


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"add_zero_attn": True}, {"dropout": 0.25}])
@pytest.mark.parametrize("batch_first", [False, True])
def test_from_torch(options: dict[str, bool], batch_first: bool) -> None:
    theirs = redrawn(torch.nn.MultiheadAttention(15, 3, batch_first=batch_first, dtype=F64, **options).eval())
    ours = MultiHeadAttention.from_torch(theirs)
    assert ours.dropout == theirs.dropout
    assert not ours.training
    assert sum(p.numel() for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
    x, y = torch.randn(2, 5, 15, dtype=F64), torch.randn(2, 7, 15, dtype=F64)
    turn = (lambda t: t) if batch_first else (lambda t: t.transpose(0, 1))
    output = turn(theirs(turn(x), turn(y), turn(y))[0])
    assert (ours(x, y) - output).abs().max() < 1e-13
    with torch.no_grad():
        ours.in_weight.zero_()
    assert theirs.in_proj_weight.abs().max() > 0, "the weights are a copy"


SIZES = st.permutations((2, 3, 5, 7, 11)).map(lambda drawn: (drawn[:2], drawn[2], drawn[3]))


@given(SIZES, st.integers(0, 2**31), st.sampled_from((torch.float64, torch.float32)), st.booleans())
@settings(max_examples=25)
def test_equals_hugging_faces_bert_self_attention(sizes: object, seed: int, dtype: torch.dtype, masked: bool) -> None:
    (heads, d_head), batch, n = sizes
    generator = torch.Generator().manual_seed(seed)
    width = heads * d_head
    config = BertConfig(hidden_size=width, num_attention_heads=heads, attn_implementation="eager")
    theirs = HuggingFaceSelfAttention(config).to(dtype).eval()
    redraw(theirs, generator, std=0.3)
    x = torch.randn(batch, n, width, generator=generator, dtype=F64).to(dtype)
    real = torch.rand(batch, n, generator=generator) < 0.7
    real[:, 0] = True
    mask = to_additive(real[:, None, None, :], dtype, value=-10000.0) if masked else None  # as BERT's code says
    expected = theirs(x, attention_mask=mask)[0]
    parts = {"q": theirs.query, "k": theirs.key, "v": theirs.value}
    state = {f"{name}_bias": part.bias for name, part in parts.items()}
    state["in_weight"] = torch.cat([part.weight for part in parts.values()])
    ours = MultiHeadAttention(width, heads, output_projection=False, dtype=dtype)
    ours.load_state_dict(state)
    with torch.no_grad():
        trace = ours.trace(x, attn_mask=mask)
    score = float((trace.q.square() @ trace.k.square().mT).sqrt().max()) / d_head**0.5
    terms = 2 * heads * d_head + d_head + 2 * n
    bound = tolerance(dtype, scale=float(trace.v.abs().max()) * (1 + score), terms=terms)
    for output in (ours(x, attn_mask=mask), trace.output):
        assert (output - expected).abs().max() <= bound
    if masked:  # −10000 and hiding outright are the same thing for ordinary scores
        assert (ours(x, key_padding_mask=~real) - expected).abs().max() <= bound
    assert (ours(x.flip(1), attn_mask=mask) - expected).abs().max() > 100 * bound or n == 1
