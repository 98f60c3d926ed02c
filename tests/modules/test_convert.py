"""Weights of torch's module and of Hugging Face's BERT, and the refusals where there is no counterpart."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertModel
from transformers.models.bert.modeling_bert import BertSelfAttention as HuggingFaceSelfAttention

from attention_core.measuring.bounds import tolerance
from attention_core.modules.bert import BertSelfAttention, encoder_from_bert, extended_attention_mask
from attention_core.modules.multi_head import MultiHeadAttention
from tests.modules.berts import bert_config
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
    theirs = HuggingFaceSelfAttention(bert_config((heads, d_head))).to(dtype).eval()
    redraw(theirs, generator, std=0.3)
    x = torch.randn(batch, n, heads * d_head, generator=generator, dtype=F64).to(dtype)
    real = torch.rand(batch, n, generator=generator) < 0.7
    real[:, 0] = True
    mask = extended_attention_mask(real, dtype=dtype) if masked else None
    expected = theirs(x, attention_mask=mask)[0]
    bare = MultiHeadAttention.from_bert(theirs.state_dict(), "", num_heads=heads)
    adapter = BertSelfAttention(heads * d_head, heads, dtype=dtype)
    adapter.attention.load_state_dict(bare.state_dict())
    with torch.no_grad():
        trace = bare.trace(x, attn_mask=mask)
    score = float((trace.q.square() @ trace.k.square().mT).sqrt().max()) / d_head**0.5
    terms = 2 * heads * d_head + d_head + 2 * n
    bound = tolerance(dtype, scale=float(trace.v.abs().max()) * (1 + score), terms=terms)
    for output in (bare(x, attn_mask=mask), trace.output, adapter(x, mask)):
        assert (output - expected).abs().max() <= bound
    if masked:  # −10000 and hiding outright are the same thing for ordinary scores
        assert (bare(x, key_padding_mask=~real) - expected).abs().max() <= bound
    assert (bare(x.flip(1), attn_mask=mask) - expected).abs().max() > 100 * bound or n == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_whole_bert_encoder_of_random_weights(dtype: torch.dtype) -> None:
    """Two layers: post-norm blocks, GELU, padding; every layer's hidden state, up to rounding."""
    model = redrawn(BertModel(bert_config((3, 5), layers=2)).to(dtype).eval(), std=0.5)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("LayerNorm.weight"):
                parameter.add_(1.0)
    ids = torch.randint(0, 41, (2, 11), generator=torch.Generator().manual_seed(1))
    real = torch.arange(11) < torch.tensor([[11], [7]])
    with torch.no_grad():
        theirs = model(ids, attention_mask=real.long(), output_hidden_states=True)
        encoder = encoder_from_bert(model.state_dict(), num_heads=3)
        hidden = encoder(theirs.hidden_states[0], key_padding_mask=~real)
    # Two layers of about 150 roundings each; norms keep numbers below 10, and a layer passes an error on at most
    # about doubled.
    bound = tolerance(dtype, scale=10.0 * 2**2, terms=2 * 150)
    assert (hidden - theirs.last_hidden_state)[real].abs().max() <= bound
    with torch.no_grad():
        unmasked = encoder(theirs.hidden_states[0])
    assert (unmasked - theirs.last_hidden_state)[real].abs().max() > 100 * bound
    layer = MultiHeadAttention.from_bert(model.state_dict(), "encoder.layer.1.attention.", num_heads=3)
    assert torch.equal(layer.o_weight, model.encoder.layer[1].attention.output.dense.weight)


def test_berts_dropout_is_the_attentions() -> None:
    assert BertSelfAttention(6, 2).attention.dropout == 0.0
    assert BertSelfAttention(6, 2, attention_probs_dropout_prob=0.25).attention.dropout == 0.25


def test_extended_attention_mask_by_hand() -> None:
    mask = extended_attention_mask(torch.tensor([[1, 1, 0]]))
    assert mask.shape == (1, 1, 1, 3)
    assert mask.flatten().tolist() == [0.0, 0.0, -10000.0]
