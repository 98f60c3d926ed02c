"""What cannot be is refused by a sentence with what was given and what is needed: every call beside its own."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from attention_core.modules.added_position import AddedPosition
from attention_core.modules.block import PostNorm, TransformerBlock
from attention_core.modules.dot_product import attention_weights, scaled_dot_product_attention
from attention_core.modules.feed_forward import GELU, FeedForward
from attention_core.modules.latent import LatentKeyValue
from attention_core.modules.linear_attention import LinearAttention
from attention_core.modules.masks import causal_mask, key_padding_mask, sliding_window_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.normalization import RMSNorm, TokenBatchNorm
from attention_core.modules.positions import (
    Alibi,
    Learned,
    NoPosition,
    RelativeKey,
    Rotary,
    Sinusoidal,
    alibi_slopes,
    rotate,
    rotate_heads,
    sinusoidal_encoding,
)
from attention_core.modules.projections import Identity, TiedKeyValue, TiedQueryKey
from attention_core.modules.stack import Decoder, Encoder, EncoderDecoder
from tests.modules.refusals import refused

pytestmark = pytest.mark.usefixtures("unchecked")  # as for everyone who imports the package
POSITIVE, TOKENS = "is not possible: a positive number is needed.", "is not possible: give 0 or more tokens."
NO_GROUPS = "equally many heads of queries share each head of keys and values; choose a divisor."
ALIKE = "makes queries and keys alike, so there are as many heads of both."
PROBABILITY = "is not possible: give a probability from 0 up to but not 1."
TURNED = "score = 'additive' and Rotary() do not fit: turned queries and keys tell their distance in a product, not "
TURNED += "in a sum; choose Alibi(), or a position that is added to the inputs."
MET = (
    "score = 'additive' and RelativeKey(max_len=4, both=False) do not fit: queries meet the vectors of distances in "
)
MET += "a product; choose Alibi(), or a position that is added to the inputs."
D_MODEL = "(batch, tokens, d_model = 6) is needed."
FIT = "do not fit: they need one batch size, and keys and values one length."
SLOTS = "does not say which keys come before a query: give attn_mask instead "
SLOTS += "(the newest query sees all keys and needs none)."
PLACES = "one position for each token is needed, (tokens,) = (5,) or (batch, tokens) = (2, 5)."
X, SHORT, SEEN = torch.ones(2, 5, 6), torch.ones(2, 3, 6), torch.ones(5, 5, dtype=torch.bool)
PADDED = {"key_padding_mask": torch.zeros(5, 2, dtype=torch.bool)}
UNDECIDED = {"key_padding_mask": torch.zeros(2, 5)}
WORDS = torch.ones(1, 2, dtype=torch.long)


def mha(d_model: int = 6, num_heads: int = 2, **options: Any) -> MultiHeadAttention:
    return MultiHeadAttention(d_model, num_heads, **options)


def sized(**options: Any) -> Callable[[], Any]:
    return lambda: MultiHeadAttention(**({"d_model": 30, "num_heads": 4} | options))


def grouped(num_kv_heads: int, **options: Any) -> Callable[[], Any]:
    return lambda: MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads, **options)


def called(*inputs: torch.Tensor, **masks: Any) -> Callable[[], Any]:
    return lambda: mha()(*inputs, **masks)


def linear(*inputs: torch.Tensor, **masks: Any) -> Callable[[], Any]:
    return lambda: LinearAttention(6, 2)(*inputs, **masks)


def weighed(**masks: Any) -> Callable[[], Any]:
    return lambda: attention_weights(torch.ones(2, 3, 4), torch.ones(2, 5, 4), **masks)


def cached(asked: dict[str, Any], **options: Any) -> Callable[[], Any]:
    """A call of a module with a cache that another one made."""
    made = MultiHeadAttention(**({"d_model": 24, "num_heads": 6, "num_kv_heads": 2} | options))
    made = made.cache(**({"batch": 2, "max_len": 5} | asked))
    return lambda: MultiHeadAttention(24, 6, num_kv_heads=2)(torch.ones(2, 3, 24), cache=made)


def written(*, tokens: torch.Tensor = WORDS, count: int = 2, position: Any = NoPosition()) -> Callable[[], Any]:  # noqa: B008
    return lambda: Decoder(6, 2, 1, position=position).generate(
        tokens, count, embed=nn.Embedding(4, 6), head=nn.Linear(6, 4)
    )


FURTHER = (
    "attn_mask is not possible: linear attention never forms pairs of query and key, so there is nothing to mask; "
)
FURTHER += "give key_padding_mask or is_causal, or use MultiHeadAttention."
REFUSALS: tuple[tuple[Callable[[], Any], str], ...] = (
    # scores
    (lambda: mha(score="luong"), "score = 'luong' is not possible: give one of 'product', 'additive'."),
    (lambda: mha(d_head=4, score="additive", position=Rotary()), TURNED),
    (lambda: mha(score="additive", position=RelativeKey(4)),
     MET),
    (lambda: mha(position=RelativeKey(4), projections=LatentKeyValue(2)),
     "RelativeKey(max_len=4, both=False) is not possible with LatentKeyValue(): its queries are those of latents."),
    (lambda: mha(position=RelativeKey(0)), f"max_len = 0 {POSITIVE}"),
    # masks
    (lambda: causal_mask(-1), f"q_len = -1 {TOKENS}"),
    (lambda: causal_mask(2, -1), f"kv_len = -1 {TOKENS}"),
    (lambda: sliding_window_mask(-1, 1), f"q_len = -1 {TOKENS}"),
    (lambda: sliding_window_mask(2, 1, -1), f"kv_len = -1 {TOKENS}"),
    (lambda: sliding_window_mask(2, -1), f"window = -1 {TOKENS}"),
    (lambda: key_padding_mask([]),
     "lengths is empty: give kv_len, or the number of real tokens of at least one sentence."),
    (lambda: key_padding_mask([0], -1), f"kv_len = -1 {TOKENS}"),
    (lambda: key_padding_mask([5, 4], 3), "lengths from 4 to 5 do not fit: each must be from 0 to kv_len = 3."),
    (lambda: key_padding_mask([-1, 2], 3), "lengths from -1 to 2 do not fit: each must be from 0 to kv_len = 3."),
    (weighed(attn_mask=torch.ones(3, 4, dtype=torch.int64)),
     "attn_mask has dtype torch.int64: give bool (True = may attend) or additive floats."),
    (weighed(attn_mask=causal_mask(4)), "attn_mask of shape (4, 4) does not broadcast to the scores' (2, 3, 5)."),
    (weighed(attn_mask=torch.ones(1, 1, 1, 5, dtype=torch.bool)),
     "attn_mask of shape (1, 1, 1, 5) does not broadcast to the scores' (2, 3, 5)."),
    (weighed(**UNDECIDED), "key_padding_mask has dtype torch.float32: give bool, True = padding."),
    (weighed(**PADDED), "key_padding_mask of shape (5, 2) does not fit: (batch, kv_len) = (2, 5) is needed."),
    (lambda: scaled_dot_product_attention(X, X, X, attn_mask=causal_mask(4)),
     "attn_mask of shape (4, 4) does not broadcast to the scores' (2, 5, 5)."),
    *((lambda made=made: mha(position=made)(X, attn_mask=torch.ones(2, 3, 5, 5, dtype=torch.bool)),
       "attn_mask of shape (2, 3, 5, 5) does not broadcast to the scores' (2, 2, 5, 5).")
      for made in (NoPosition(), Alibi())),
    (called(X, attn_mask=torch.ones(3, 5, 5, dtype=torch.bool)),
     "attn_mask of shape (3, 1, 5, 5) does not broadcast to the scores' (2, 2, 5, 5)."),
    (called(X, **PADDED), "key_padding_mask of shape (5, 2) does not fit: (batch, kv_len) = (2, 5) is needed."),
    # positions
    (lambda: sinusoidal_encoding(torch.arange(2), 0), f"d_model = 0 {POSITIVE}"),
    (lambda: sinusoidal_encoding(torch.arange(2), 4, base=0.0), f"base = 0.0 {POSITIVE}"),
    (lambda: rotate(torch.ones(2, 4), torch.arange(2), Rotary(-1.0)), f"base = -1.0 {POSITIVE}"),
    (lambda: rotate(torch.ones(2, 3), torch.arange(2)),
     "d_head = 3 is odd: rotary positions turn coordinates in pairs; choose an even d_head."),
    (lambda: rotate_heads(torch.ones(1, 1, 2, 3), None),
     "d_head = 3 is odd: rotary positions turn coordinates in pairs; choose an even d_head."),
    (lambda: alibi_slopes(0), f"num_heads = 0 {POSITIVE}"),
    (lambda: AddedPosition(Learned(0), 4), f"max_len = 0 {POSITIVE}"),
    (lambda: AddedPosition(Sinusoidal(), 0), f"d_model = 0 {POSITIVE}"),
    (lambda: AddedPosition(Learned(4), 6)(X), "positions from 0 to 4 do not fit: Learned(max_len=4) knows 0 to 3."),
    (lambda: AddedPosition(Learned(3), 6)(SHORT, torch.tensor([-1, 1, 0])),
     "positions from -1 to 1 do not fit: Learned(max_len=3) knows 0 to 2."),
    (lambda: AddedPosition(Learned(3), 6)(SHORT, torch.tensor([3, 1, 2])),
     "positions from 1 to 3 do not fit: Learned(max_len=3) knows 0 to 2."),
    (lambda: AddedPosition(Learned(3), 6)(SHORT, torch.ones(3)),
     "positions have dtype torch.float32: Learned positions are whole numbers."),
    (lambda: Encoder(6, 2, 1)(X, positions=torch.zeros(3)), f"query_positions has shape (3,): {PLACES}"),
    (lambda: Encoder(6, 2, 1, position=Learned(9))(X, positions=torch.zeros(3)),
     f"positions has shape (3,): {PLACES}"),
    (linear(X, query_positions=torch.arange(4)), f"query_positions has shape (4,): {PLACES}"),
    (linear(X, X.clone(), key_positions=torch.arange(4)), f"key_positions has shape (4,): {PLACES}"),
    # sizes
    (sized(d_model=0), f"d_model = 0 {POSITIVE}"),
    (sized(num_heads=-2), f"num_heads = -2 {POSITIVE}"),
    (sized(d_head=0), f"d_head = 0 {POSITIVE}"),
    (sized(), "d_model = 30 is not a multiple of num_heads = 4; choose a multiple or give d_head."),
    (sized(projections=Identity(), d_head=7), "Identity() needs num_heads · d_head = d_model; 4 · 7 is not 30."),
    (sized(position=Rotary(), d_head=5),
     "d_head = 5 is odd: rotary positions turn coordinates in pairs; choose an even d_head."),
    (sized(d_head=2, dropout=1.0), f"dropout = 1.0 {PROBABILITY}"),
    (sized(d_head=2, dropout=-0.1), f"dropout = -0.1 {PROBABILITY}"),
    (sized(d_head=2, window=-1), f"window = -1 {TOKENS}"),
    (sized(d_head=2, position=Learned(0)), f"max_len = 0 {POSITIVE}"),
    (grouped(0), f"num_kv_heads = 0 {POSITIVE}"),
    (grouped(4), f"num_heads = 6 is not a multiple of num_kv_heads = 4: {NO_GROUPS}"),
    (grouped(12, projections=TiedKeyValue()), f"num_heads = 6 is not a multiple of num_kv_heads = 12: {NO_GROUPS}"),
    (grouped(2, projections=TiedQueryKey()), f"num_kv_heads = 2 is not num_heads = 6: TiedQueryKey() {ALIKE}"),
    (grouped(2, projections=Identity()), f"num_kv_heads = 2 is not num_heads = 6: Identity() {ALIKE}"),
    (lambda: LinearAttention(12, 6, num_kv_heads=4),
     f"num_heads = 6 is not a multiple of num_kv_heads = 4: {NO_GROUPS}"),
    (lambda: mha(12, 6).with_kv_heads(4), f"num_heads = 6 is not a multiple of num_kv_heads = 4: {NO_GROUPS}"),
    (lambda: mha(12, 6, projections=Identity()).with_kv_heads(2),
     f"num_kv_heads = 2 is not num_heads = 6: Identity() {ALIKE}"),
    (lambda: mha(12, 6, num_kv_heads=3).with_kv_heads(2),
     "num_kv_heads = 2 is neither a multiple nor a divisor of the 3 there are."),
    (lambda: FeedForward(0), f"d_model = 0 {POSITIVE}"),
    (lambda: FeedForward(4, -1), f"d_ff = -1 {POSITIVE}"),
    (lambda: Encoder(12, 3, 0), f"num_layers = 0 {POSITIVE}"),
    # inputs
    *((lambda call=call, args=args: getattr(mha(), call)(*args), sentence)
      for call in ("forward", "trace", "trace_weights")
      for args, sentence in (
          ((torch.ones(2, 5, 7),), f"query has shape (2, 5, 7): {D_MODEL}"),
          ((torch.ones(5, 6),), f"query has shape (5, 6): {D_MODEL}"),
          ((X, torch.ones(2, 3, 7)), f"key has shape (2, 3, 7): {D_MODEL}"),
          ((X, torch.ones(2, 5, 7), X), f"key has shape (2, 5, 7): {D_MODEL}"),
          ((X, SHORT, torch.ones(2, 3)), f"value has shape (2, 3): {D_MODEL}"),
          ((X, torch.ones(3, 5, 6)), f"query (2, 5, 6), key (3, 5, 6) and value (3, 5, 6) {FIT}"),
          ((X, SHORT, torch.ones(2, 4, 6)), f"query (2, 5, 6), key (2, 3, 6) and value (2, 4, 6) {FIT}"),
      )),
    *((lambda call=call: getattr(mha(), call)(X, SHORT, is_causal=True),
       f"is_causal with 5 queries and 3 keys {SLOTS}")
      for call in ("forward", "trace", "trace_weights")),
    (linear(torch.ones(2, 5, 7)), f"query has shape (2, 5, 7): {D_MODEL}"),
    (linear(X, SHORT, is_causal=True), f"is_causal with 5 queries and 3 keys {SLOTS}"),
    (linear(X, **PADDED), "key_padding_mask of shape (5, 2) does not fit: (batch, kv_len) = (2, 5) is needed."),
    (linear(X, **UNDECIDED), "key_padding_mask has dtype torch.float32: give bool, True = padding."),
    *((lambda call=call: getattr(LinearAttention(6, 2), call)(X, attn_mask=SEEN),
       FURTHER)
      for call in ("forward", "trace")),
    (lambda: TokenBatchNorm(3)(torch.ones(1, 1, 3)),
     "BatchNorm() cannot train on a single token: give two or more, or call eval() to use past statistics."),
    (lambda: Decoder(6, 2, 1, cross_attention=True)(X), "memory is missing: a block with cross-attention needs it."),
    (lambda: Decoder(6, 2, 1)(X, X),
     "memory is given, but the block has no cross-attention; build it with cross_attention=True."),
    # caches and what is written with them
    (cached({"batch": 3}), "the cache was made for batch = 3, and the keys have batch = 2."),
    (cached({"dtype": torch.float64}),
     "the cache was made for dtype = torch.float64, and the keys have dtype = torch.float32."),
    (cached({"device": "meta"}), "the cache was made for device = meta, and the keys have device = cpu."),
    (cached({}, num_kv_heads=3), "the cache was made for num_kv_heads = 3, and the keys have num_kv_heads = 2."),
    (cached({}, d_head=2), "the cache was made for d_head = 2, and the keys have d_head = 4."),
    (lambda: mha().cache(0, 5), f"batch = 0 {POSITIVE}"),
    (lambda: mha().cache(2, -1), f"max_len = -1 {POSITIVE}"),
    (lambda: Decoder(6, 2, 2)(X, cache=Decoder(6, 2, 1).cache(2, 5)),
     "the cache is of 1 layers, and there are 2 here."),
    (written(count=-1), f"max_new_tokens = -1 {TOKENS}"),
    (written(tokens=WORDS[:, :0]), "tokens has shape (1, 0): at least one token is needed to begin with."),
    (written(count=4, position=Learned(4)), "positions from 4 to 4 do not fit: Learned(max_len=4) knows 0 to 3."),
    # weights of others
    (lambda: MultiHeadAttention.from_torch(nn.MultiheadAttention(6, 2, add_bias_kv=True)),
     "add_bias_kv=True has no counterpart: convert a module without learned extra keys and values."),
    (lambda: MultiHeadAttention.from_torch(nn.MultiheadAttention(6, 2, kdim=5)),
     "kdim = 5 and vdim = 6 have no counterpart: they must be embed_dim = 6."),
)  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), REFUSALS, ids=[sentence[:50] for _, sentence in REFUSALS])
def test_each_is_refused_by_its_sentence(call: Callable[[], Any], sentence: str) -> None:
    with refused(sentence):
        call()


ALL_POSITIONS = "NoPosition(), Sinusoidal(…), Learned(…), Rotary(…), Alibi(), RelativeKey(…)"
PROJECTIONS, PLACEMENTS = (
    "Full(), TiedKeyValue(), TiedQueryKey(), Identity(), LatentKeyValue(…)",
    "PreNorm(), PostNorm(), ResidualPostNorm(), SandwichNorm()",
)
NORMS, ACTIVATIONS = "LayerNorm(…), RMSNorm(…), BatchNorm(…), NoNorm()", "ReLU(), GELU(…), SiLU()"
NO_POSITION = (Rotary, "rotary", None, 3)
CHOICES: tuple[tuple[Callable[..., Any], str, tuple[Any, ...], str], ...] = (
    (lambda **given: MultiHeadAttention(8, 2, **given), "position", NO_POSITION, ALL_POSITIONS),
    (lambda **given: TransformerBlock(8, 2, **given), "position", NO_POSITION, ALL_POSITIONS),
    (lambda **given: Decoder(8, 2, 1, **given), "position", NO_POSITION, ALL_POSITIONS),
    (lambda **given: EncoderDecoder(8, 2, 1, **given), "position", NO_POSITION, ALL_POSITIONS),
    (lambda position: AddedPosition(position, 8), "position", (Rotary(), "none", None), "Sinusoidal(…), Learned(…)"),
    (lambda position: LinearAttention(8, 2, position=position), "position", (Rotary(), Alibi(), "none", Learned),
     "NoPosition(), Sinusoidal(…), Learned(…)"),
    (lambda **given: Encoder(8, 2, 1, **given), "projections", (TiedKeyValue, "full"), PROJECTIONS),
    (lambda **given: Encoder(8, 2, 1, **given), "placement", (PostNorm, "pre"), PLACEMENTS),
    (lambda **given: Encoder(8, 2, 1, **given), "norm", (RMSNorm, "layer", nn.LayerNorm(8)), NORMS),
    (lambda **given: Encoder(8, 2, 1, **given), "activation", (GELU, "gelu"), ACTIVATIONS),
    (lambda **given: FeedForward(8, **given), "activation", (GELU, "gelu"), ACTIVATIONS),
)  # fmt: skip


@pytest.mark.parametrize(("build", "name", "wrong", "allowed"), CHOICES)
def test_a_choice_is_one_of_those_there_are(
    build: Callable[..., Any], name: str, wrong: tuple[Any, ...], allowed: str
) -> None:
    for given in wrong:
        sentence = f"{name} = {given!r} is not possible: give one of {allowed}."
        with pytest.raises(TypeError, match=f"^{re.escape(sentence)}$"):
            build(**{name: given})


def test_an_encoder_with_cross_attention_could_never_run() -> None:
    sentence = "cross_attention = True is not possible: an Encoder takes no memory; a Decoder does."
    with pytest.raises(TypeError, match=f"^{re.escape(sentence)}$"):
        Encoder(8, 2, 1, cross_attention=True)


@pytest.mark.parametrize(
    "position", [NoPosition(), Sinusoidal(), Learned(9), Rotary(), Alibi(), RelativeKey(4)], ids=repr
)
@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), (3, 5), (2, 1, 5), ()])
def test_a_wrong_number_of_positions_is_called_that(position: Any, shape: tuple[int, ...]) -> None:
    for name in ("query_positions", "key_positions"):
        with refused(f"{name} has shape {shape}: {PLACES}"):
            mha(num_heads=3, position=position)(X, **{name: torch.zeros(shape, dtype=torch.long)})
    assert mha(num_heads=3, position=position)(X, query_positions=torch.arange(5)[None]).shape == X.shape


def test_what_stands_beside_a_refusal_is_possible() -> None:
    assert TokenBatchNorm(3)(torch.ones(1, 2, 3)).isfinite().all()
    assert TokenBatchNorm(3).eval()(torch.ones(1, 1, 3)).isfinite().all()
    assert Decoder(6, 2, 1, cross_attention=True)(X, SHORT).shape == X.shape
    assert written(count=3, position=Learned(4))().shape == (1, 5)
    module = mha().double()
    newest, whole = module(X.double()[:, -1:], X.double()), module(X.double(), is_causal=True)
    assert (newest - whole[:, -1:]).abs().max() < 1e-14
