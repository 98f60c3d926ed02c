"""Rotary positions that are stretched: what transformers computes, what each kind is made for, what is refused."""

from typing import Any

import pytest
import torch
import transformers
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from attention_core.modules.multi_head import MultiHeadAttention
from attention_core.modules.positions import Rotary, rotate
from attention_core.modules.rope_scaling import (
    DynamicNTK,
    LinearScaling,
    Llama3Scaling,
    LongRoPE,
    RopeScaling,
    YaRN,
)
from tests.checkpoints.originals import InFloat64
from tests.modules.draws import F64, redrawn, tokens
from tests.modules.oracle import slowed, turned
from tests.modules.refusals import refused

D_HEAD, TRAINED = 12, 16
SHORT, LONG = (1.0, 1.1, 1.2, 1.3, 1.5, 2.0), (1.0, 1.5, 2.5, 4.0, 7.0, 9.0)
ORIGINAL = {"original_max_position_embeddings": TRAINED}
# (ours, the same in transformers' words)
ALIKE: tuple[tuple[RopeScaling, dict[str, Any]], ...] = (
    (LinearScaling(2.5), {"rope_type": "linear", "factor": 2.5}),
    (DynamicNTK(3.0, TRAINED), {"rope_type": "dynamic", "factor": 3.0}),
    (YaRN(4.0, TRAINED), {"rope_type": "yarn", "factor": 4.0} | ORIGINAL),
    (YaRN(0.5, TRAINED), {"rope_type": "yarn", "factor": 0.5} | ORIGINAL),
    (YaRN(4.0, TRAINED, beta_fast=3.0, beta_slow=0.2, own_gain=1.3, truncate=False),
     {"rope_type": "yarn", "factor": 4.0, "beta_fast": 3.0, "beta_slow": 0.2, "attention_factor": 1.3,
      "truncate": False} | ORIGINAL),
    (Llama3Scaling(8.0, TRAINED, low=0.2, high=1.5),
     {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 0.2, "high_freq_factor": 1.5} | ORIGINAL),
    (LongRoPE(TRAINED, SHORT, LONG, gain=1.2),
     {"rope_type": "longrope", "short_factor": SHORT, "long_factor": LONG, "attention_factor": 1.2} | ORIGINAL),
)  # fmt: skip


@pytest.mark.parametrize("length", [5, TRAINED, TRAINED + 1, 50])
@pytest.mark.parametrize(("ours", "theirs"), ALIKE)
def test_frequencies_and_gain_are_those_of_transformers(
    ours: RopeScaling, theirs: dict[str, Any], length: int
) -> None:
    said = theirs | {"rope_theta": 50.0}
    config = transformers.LlamaConfig(head_dim=D_HEAD, max_position_embeddings=TRAINED, rope_parameters=said)
    rotary = Rotary(50.0, halves=True, scaling=ours)
    for dtype, bound in ((torch.float32, 3e-7), (F64, 1e-15)):
        with InFloat64() if dtype == F64 else torch.no_grad():
            frequencies, gain = ROPE_INIT_FUNCTIONS[said["rope_type"]](config, seq_len=length)
        for given in (length, torch.tensor(length)):
            found = rotary.frequencies(D_HEAD, length=given, dtype=dtype)
            assert found.dtype == frequencies.dtype == dtype
            assert (found / frequencies - 1).abs().max() <= 4 * bound
        assert ours.gain == pytest.approx(gain, rel=1e-15)
    assert found.tolist() == pytest.approx(slowed(rotary, D_HEAD, length), rel=1e-13)


@pytest.mark.parametrize(("scaling", "_said"), ALIKE)
@pytest.mark.parametrize("halves", [False, True])
def test_a_vector_is_turned_as_a_complex_number(scaling: RopeScaling, _said: Any, halves: bool) -> None:
    rotary = Rotary(50.0, halves=halves, scaling=scaling)
    x = tokens(1, D_HEAD)
    for position in (0, 3, 29):
        expected = turned(x[0].numpy(), position, rotary, position + 1)
        assert rotate(x, torch.tensor([position]), rotary)[0].tolist() == pytest.approx(expected, abs=1e-13)


def test_a_part_turns_and_the_rest_stays() -> None:
    x, places = tokens(2, 5, 8), torch.arange(5)
    for halves in (False, True):
        found = rotate(x, places, Rotary(halves=halves, part=0.5))
        assert torch.equal(found[..., 4:], x[..., 4:])
        assert torch.equal(found[..., :4], rotate(x[..., :4], places, Rotary(halves=halves)))


def test_dynamic_changes_nothing_until_a_text_is_longer_and_the_fastest_pair_never() -> None:
    plain, dynamic = Rotary(50.0), Rotary(50.0, scaling=DynamicNTK(3.0, TRAINED))
    assert torch.equal(dynamic.frequencies(D_HEAD, length=TRAINED), plain.frequencies(D_HEAD))
    longer = dynamic.frequencies(D_HEAD, length=40) / plain.frequencies(D_HEAD)
    assert longer[0] == 1
    assert longer[-1].item() == pytest.approx(1 / (3 * 40 / TRAINED - 2), rel=1e-6)
    assert torch.equal(dynamic.frequencies(2, length=40), torch.ones(1)), "one pair alone has no base in its angle"


def test_llama3_divides_slow_pairs_alone() -> None:
    """Of wavelengths above 16 / .2 = 80 tokens all is divided, of those below 16 / 1.5 nothing is."""
    rotary = Rotary(50.0, scaling=Llama3Scaling(8.0, TRAINED, low=0.2, high=1.5))
    share = rotary.frequencies(D_HEAD) / Rotary(50.0).frequencies(D_HEAD)
    often = TRAINED * Rotary(50.0).frequencies(D_HEAD) / (2 * torch.pi)
    assert share[often > 1.5].tolist() == [1.0]
    assert share[often < 0.2].tolist() == pytest.approx([1 / 8] * 2)
    assert ((share[1:4] < share[:3]) & (share[1:4] > 1 / 8)).all(), "and those between are mixed"


@pytest.mark.parametrize("scaling", [DynamicNTK(3.0, 4), LongRoPE(4, (1.0, 1.0), (2.0, 3.0))])
def test_queries_and_keys_are_turned_for_one_length(scaling: RopeScaling) -> None:
    """The longer of the two, whichever it is: their product then tells their distance alone."""
    module = redrawn(MultiHeadAttention(8, 2, position=Rotary(scaling=scaling), dtype=F64))
    x, memory = tokens(2, 2, 8), tokens(2, 7, 8, seed=8)
    whole = module.trace(memory)
    for at in (None, torch.tensor([5, 6])):
        found = module.trace(x, memory, query_positions=at)
        assert (found.k - whole.k).abs().max() < 1e-14
        assert (module(x, memory, query_positions=at) - found.output).abs().max() < 1e-13
    moved = module.trace(x, memory, query_positions=torch.tensor([90, 91]))
    assert (moved.k - whole.k).abs().max() > 0.01 or isinstance(scaling, LongRoPE)


@pytest.mark.parametrize("scaling", [LinearScaling(2.0), YaRN(4.0, 8), Llama3Scaling(8.0, 8), None])
@pytest.mark.parametrize("part", [1.0, 0.5])
def test_a_cache_gives_what_the_whole_gives(scaling: RopeScaling | None, part: float) -> None:
    position = Rotary(50.0, halves=True, part=part, scaling=scaling)
    module = redrawn(MultiHeadAttention(16, 2, position=position, dtype=F64))
    x = tokens(2, 9, 16)
    cache = module.cache(2, 9)
    steps = torch.cat([module(each, cache=cache) for each in x.split((1, 4, 1, 3), dim=1)], dim=1)
    assert (steps - module(x, is_causal=True)).abs().max() < 1e-13


@pytest.mark.parametrize("scaling", [DynamicNTK(3.0, 4), LongRoPE(4, (1.0, 1.0), (2.0, 3.0))])
def test_a_cache_keeps_keys_as_they_were_turned(scaling: RopeScaling) -> None:
    """Up to ``trained_len`` it gives what the whole gives; later keys are turned for a longer text."""
    module = redrawn(MultiHeadAttention(8, 2, position=Rotary(scaling=scaling), dtype=F64))
    x, cache = tokens(2, 7, 8), module.cache(2, 7)
    steps = torch.cat([module(each, cache=cache) for each in x.split(1, dim=1)], dim=1)
    whole = module(x[:, :4], is_causal=True)
    assert (steps[:, :4] - whole).abs().max() < 1e-13
    assert (steps - module(x, is_causal=True))[:, 4:].abs().max() > 1e-4
    last = module.trace(x[:, :5]).k[:, :, 4]
    assert (cache.keys[:, :, 4] - last).abs().max() < 1e-14


POSITIVE = "is not possible: a positive number is needed."
PAIRS = "coordinates: rotary positions turn them in pairs; choose a part that is an even number of them."


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: LinearScaling(0.0), f"factor = 0.0 {POSITIVE}"),
        (lambda: LinearScaling(float("inf")), f"factor = inf {POSITIVE}"),
        (lambda: DynamicNTK(2.0, 0), f"trained_len = 0 {POSITIVE}"),
        (lambda: YaRN(2.0, 8, own_gain=-1.0), f"own_gain = -1.0 {POSITIVE}"),
        (lambda: YaRN(2.0, 8, beta_fast=1.0), "beta_fast = 1.0 is not above beta_slow = 1.0."),
        (lambda: Llama3Scaling(2.0, 8, low=4.0), "high = 4.0 is not above low = 4.0."),
        (lambda: LongRoPE(8, (1.0, 0.0), (1.0, 1.0)), f"short[1] = 0.0 {POSITIVE}"),
        (lambda: LongRoPE(8, (1.0,), (1.0, 1.0)), "short has 1 numbers and long 2: one for each pair."),
        (lambda: Rotary(scaling=LongRoPE(8, (1.0,), (1.0,))).size(4),
         "short and long have 1 numbers: one for each of 2 pairs."),
        (lambda: MultiHeadAttention(8, 2, position=Rotary(1.0, scaling=YaRN(2.0, 8))),
         "base = 1.0 is not possible: YaRN() needs one above 1."),
        (lambda: MultiHeadAttention(8, 2, position=Rotary(part=0.3)),
         f"part = 0.3 of d_head = 4 is 1 {PAIRS}"),
        (lambda: Rotary(part=1.5).size(4),
         f"part = 1.5 of d_head = 4 is 6 {PAIRS}"),
    ],
)  # fmt: skip
def test_what_is_not_possible_is_refused(make: Any, sentence: str) -> None:
    with refused(sentence):
        make()


def test_a_word_is_no_scaling() -> None:
    rotary = Rotary()
    object.__setattr__(rotary, "scaling", "yarn")
    with pytest.raises(TypeError, match=r"scaling = 'yarn' is not possible: give one of LinearScaling\(…\)"):
        rotary.size(4)
