"""The cache of keys and values: token by token and by blocks, the outputs are those of the causal whole pass."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from attention_core.measuring.bounds import tolerance
from attention_core.modules.mask_report import recorded_masks
from attention_core.modules.masks import key_padding_mask
from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Alibi, Learned, NoPosition, RelativeKey, Rotary, Sinusoidal
from attention_core.modules.projections import Full, Identity, TiedKeyValue, TiedQueryKey
from attention_core.modules.stack import Decoder
from tests.modules.draws import CACHED_POSITIONS, redrawn, tokens
from tests.modules.refusals import refused
from tests.sweeps import some_by_day

F64 = torch.float64
TOKENS = 9


def attention(*, seed: int = 0, dtype: torch.dtype = F64, **options: Any) -> MultiHeadAttention:
    return redrawn(MultiHeadAttention(24, 6, dtype=dtype, **options), seed, std=0.4)


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=5),
    st.sampled_from(CACHED_POSITIONS),
    st.sampled_from((Full(), TiedKeyValue(), TiedQueryKey(), Identity())),
    st.sampled_from((None, 1, 2)),
    st.sampled_from(("none", "left padding", "positions of the words")),
    st.fixed_dictionaries(
        {
            "qk_norm": st.booleans(),
            "gate": st.booleans(),
            "window": st.sampled_from((None, 0, 2)),
            "soft_cap": st.sampled_from((None, 0.7)),
        }
    ),
    st.sampled_from(({}, {"zero_sink": True}, {"sink": True})),
    st.sampled_from((F64, torch.float32)),
    st.booleans(),
)
@settings(max_examples=60)
def test_blocks_of_any_size_are_the_causal_whole(
    sizes: list[int],
    position: Any,
    projections: Any,
    num_kv_heads: int | None,
    padded: str,
    options: dict[str, Any],
    sink: dict[str, bool],
    dtype: torch.dtype,
    traced: bool,
) -> None:
    options = options | sink
    if isinstance(projections, TiedQueryKey | Identity):
        num_kv_heads = None
    module = attention(num_kv_heads=num_kv_heads, position=position, projections=projections, dtype=dtype, **options)
    total = sum(sizes)
    x = tokens(3, total, 24).to(dtype)
    given: dict[str, torch.Tensor] = {}
    if padded != "none":
        given["key_padding_mask"] = key_padding_mask([total, min(2, total), 0], total, left=True)
    if padded == "positions of the words":
        given["query_positions"] = (~given["key_padding_mask"]).cumsum(1) - 1
        given["query_positions"].clamp_(min=0)
    whole = module(x, is_causal=True, **given)
    cache = module.cache(3, total + 1, dtype=dtype)
    call = (lambda *args, **more: module.trace(*args, **more).output) if traced else module
    parts, start = [], 0
    with torch.no_grad():
        for size in sizes:
            part = {name: each[:, start : start + size] for name, each in given.items()}
            parts.append(call(x[:, start : start + size], cache=cache, **part))
            start += size
            assert cache.length == start
    largest = max(1.0, float(whole.detach().abs().max())) if total else 1.0
    score = 1 + float(module.trace(x).scores.detach().abs().max()) if total else 1.0
    bound = tolerance(dtype, scale=largest * score, terms=3 * 24 + 2 * total)
    assert torch.cat(parts, dim=1).shape == whole.shape
    assert not total or (torch.cat(parts, dim=1) - whole).abs().max() <= bound


def test_gradients_are_those_of_the_whole() -> None:
    module, x = attention(num_kv_heads=2, position=Rotary()), tokens(2, 6, 24)
    asked, weight = tokens(2, 6, 24, seed=9), module.in_weight
    (expected,) = torch.autograd.grad((module(x, is_causal=True) * asked).sum(), weight)
    cache = module.cache(2, 6)
    parts = torch.cat([module(each, cache=cache) for each in x.split(2, dim=1)], dim=1)
    (found,) = torch.autograd.grad((parts * asked).sum(), weight)
    assert (found - expected).abs().max() < 1e-12
    with torch.no_grad():
        cache = module.cache(2, 6)
        before = cache.keys
        module(x, cache=cache)
    assert cache.keys is before, "nothing is made anew where no gradient is asked for"
    assert cache.keys.abs().min() > 0


def test_a_shorter_length_forgets() -> None:
    module, x = attention(position=Alibi()), tokens(1, 6, 24)
    whole = module(x, is_causal=True)
    with torch.no_grad():
        cache = module.cache(1, 6)
        module(tokens(1, 5, 24, seed=3), cache=cache)
        cache.length = 0
        assert (module(x[:, :4], cache=cache) - whole[:, :4]).abs().max() < 1e-13
        module(tokens(1, 2, 24, seed=3), cache=cache)
        cache.length = 4
        assert (module(x[:, 4:], cache=cache) - whole[:, 4:]).abs().max() < 1e-13


def test_a_further_mask_is_of_the_new_queries_and_all_keys() -> None:
    module, x = attention(), tokens(2, 6, 24)
    seen = torch.rand(6, 6, generator=torch.Generator().manual_seed(0)) < 0.7
    whole = module(x, attn_mask=seen, is_causal=True)
    with torch.no_grad():
        cache = module.cache(2, 6)
        parts = [module(x[:, :4], cache=cache, attn_mask=seen[:4, :4])]
        parts.append(module(x[:, 4:], cache=cache, attn_mask=seen[4:]))
    assert (torch.cat(parts, dim=1) - whole).abs().max() < 1e-13


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("dtype", [F64, torch.float32, torch.bfloat16])
def test_bytes_are_counted(num_kv_heads: int, dtype: torch.dtype) -> None:
    cache = attention(num_kv_heads=num_kv_heads, dtype=dtype).cache(3, 100)
    assert cache.nbytes == 2 * 3 * num_kv_heads * 100 * 4 * dtype.itemsize
    assert cache.keys.shape == cache.values.shape == (3, num_kv_heads, 100, 4)
    assert (cache.keys.dtype, cache.max_len, cache.length) == (dtype, 100, 0)
    made = f"batch=3, num_kv_heads={num_kv_heads}, max_len=100, d_head=4, dtype={dtype}, device=cpu"
    assert repr(cache) == f"KeyValueCache({made}, length=0)"


def test_it_lies_where_and_as_it_is_asked_to() -> None:
    identity = MultiHeadAttention(8, 2, projections=Identity())
    assert identity.cache(1, 3).keys.dtype == torch.get_default_dtype()
    assert identity.cache(1, 3, dtype=F64).keys.dtype == F64
    assert attention().cache(1, 3, device="meta").keys.is_meta
    module, x = attention(dtype=torch.float32), tokens(2, 5, 24).float()
    with torch.inference_mode():
        cache = module.cache(2, 5)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        whole = module(x, is_causal=True)
        half = module.cache(2, 5, dtype=torch.bfloat16)
        parts = torch.cat([module(each, cache=half) for each in x.split(2, dim=1)], dim=1)
    assert (parts - whole).abs().max() <= 4 * torch.finfo(torch.bfloat16).eps * whole.abs().max()
    with torch.no_grad():
        assert torch.equal(module(x, cache=cache), module(x, is_causal=True))


@pytest.mark.parametrize(
    "position", [NoPosition(), Sinusoidal(), Learned(9), Rotary(), Alibi(), RelativeKey(4)], ids=repr
)
@pytest.mark.usefixtures("unchecked")
def test_what_is_refused_leaves_the_cache_as_it_was(position: Any) -> None:
    module, x = attention(position=position), tokens(2, 5, 24)
    whole = module(x, is_causal=True)
    full = "the cache has room for max_len = 5 tokens and holds 3: 3 more do not fit; make it with a larger max_len."
    alone = "a cache is for self-attention: give the next tokens alone, and their positions as query_positions."
    padding = "key_padding_mask of shape (2, 5) does not fit: (batch, kv_len) = (2, 2) is needed."
    mask = "attn_mask of shape (2, 2) does not broadcast to the scores' (2, 6, 2, 5)."
    wrong: list[tuple[str, tuple[torch.Tensor, ...], dict[str, Any]]] = [
        (full, (x[:, :3],), {}),
        (alone, (x[:, 3:], x), {}),
        (alone, (x[:, 3:], x[:, 3:], x[:, 3:].clone()), {}),
        (alone, (x[:, 3:],), {"key_positions": torch.arange(2)}),
        (padding, (x[:, 3:],), {"key_padding_mask": torch.ones(2, 5, dtype=torch.bool)}),
        ("key_padding_mask has dtype torch.float64: give bool, True = padding.", (x[:, 3:],),
         {"key_padding_mask": torch.zeros(2, 2, dtype=F64)}),
        (mask, (x[:, 3:],), {"attn_mask": torch.ones(2, 2, dtype=torch.bool)}),
    ]  # fmt: skip
    with torch.no_grad():
        cache = module.cache(2, 5)
        module(x[:, :3], cache=cache)
        for sentence, args, options in wrong:
            with refused(sentence):
                module(*args, cache=cache, **options)
            assert cache.length == 3
        assert (module(x[:, 3:], cache=cache) - whole[:, 3:]).abs().max() < 1e-13


def decoder(position: Any, **options: Any) -> Decoder:
    made = Decoder(24, 6, 2, num_kv_heads=2, position=position, final_norm=True, dtype=F64, **options)
    return redrawn(made, seed=1, std=0.4)


@pytest.mark.parametrize("position", some_by_day(CACHED_POSITIONS, of=3), ids=repr)
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"window": 2, "soft_cap": 0.7, "sink": True}], ids=["plain", "gemma, gpt-oss"]
)
def test_a_stack_with_a_cache_is_the_whole_stack(position: Any, left: bool, options: dict[str, Any]) -> None:
    stack, x = decoder(position, cross_attention=True, **options), tokens(2, TOKENS, 24)
    memory, padding = tokens(2, 4, 24, seed=3), key_padding_mask([TOKENS, 5], left=True)
    given = {"key_padding_mask": padding} if left else {}
    real = ~padding if left else torch.ones_like(padding)
    with torch.no_grad():
        whole = stack(x, memory, **given)
        cache = stack.cache(2, TOKENS)
        parts = [stack(x[:, :5], memory, cache=cache, **{name: each[:, :5] for name, each in given.items()})]
        parts += [stack(x[:, i : i + 1], memory, cache=cache) for i in range(5, TOKENS)]
        traced = stack.cache(2, TOKENS)
        stack(x[:, :5], memory, cache=traced, **{name: each[:, :5] for name, each in given.items()})
        trace = stack.trace(x[:, 5:], memory, cache=traced)
    assert [one.length for one in cache] == [TOKENS] * 2
    assert (torch.cat(parts, dim=1) - whole)[real].abs().max() < 1e-11
    assert (trace.output - whole[:, 5:]).abs().max() < 1e-11
    assert trace.self_attention[1].weights.shape == (2, 6, 4, TOKENS + ("sink" in options))  # it has a column


def test_masks_are_recorded_with_a_cache() -> None:
    stack, x, padding = decoder(NoPosition()), tokens(2, 6, 24), key_padding_mask([4, 2], left=True)
    cache = stack.cache(2, 6)
    expected = torch.ones(6, 6, dtype=torch.bool).tril() & ~nn.functional.pad(padding, (0, 2))[:, None]
    with torch.no_grad(), recorded_masks(stack) as uses:
        stack(x[:, :4], cache=cache, key_padding_mask=padding)
        stack(x[:, 4:], cache=cache)
    assert [use.kinds for use in uses] == [("key padding", "causal")] * 4
    assert torch.equal(uses[0].mask, expected[:, :4, :4])
    assert torch.equal(uses[3].mask, expected[:, 4:])


class Letters(nn.Module):
    """A language model of the package's parts, with random weights."""

    def __init__(self, position: Any) -> None:
        super().__init__()
        self.embedding, self.decoder, self.head = nn.Embedding(11, 24), decoder(position), nn.Linear(24, 11)
        redrawn(self.to(F64), seed=2)


@pytest.mark.parametrize(
    "position", [Learned(15), Rotary(halves=True), Alibi(), RelativeKey(4, both=True), NoPosition()], ids=repr
)
def test_generating_is_reading_the_whole_anew_each_time(position: Any) -> None:
    model, begun = Letters(position), torch.tensor([[3, 1, 4, 1, 5], [0, 0, 9, 2, 6]])
    padding, parts = key_padding_mask([5, 3], left=True), {"embed": model.embedding, "head": model.head}
    generator = torch.Generator()

    def at_random(scores: torch.Tensor) -> torch.Tensor:
        return torch.multinomial((scores / 8).softmax(-1), 1, generator=generator)[:, 0]

    for options in ({}, {"choose": at_random}):
        said = begun
        generator.manual_seed(0)
        for _ in range(10):
            hidden = nn.functional.pad(padding, (0, said.shape[1] - 5))
            vectors = model.decoder(model.embedding(said), key_padding_mask=hidden)
            chosen = options.get("choose", lambda scores: scores.argmax(-1))(model.head(vectors[:, -1]))
            said = torch.cat((said, chosen[:, None]), dim=1)
        generator.manual_seed(0)
        assert torch.equal(model.decoder.generate(begun, 10, **parts, **options, key_padding_mask=padding), said)
    assert len(said[:, 5:].unique()) > 2, "it says different things"
    alone = model.decoder.generate(begun[1:, 2:], 10, **parts)
    words = (~padding).cumsum(1).sub(1).clamp(min=0)
    together = model.decoder.generate(begun, 10, **parts, key_padding_mask=padding, positions=words)
    assert torch.equal(together[1:, 2:], alone), "positions of its words: padding changes nothing"
    assert torch.equal(model.decoder.generate(begun, 0, **parts), begun)
