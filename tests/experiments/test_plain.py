"""The functions that snippets are made of do what the modules do, and a snippet takes along what it uses, no more."""

import ast
import itertools

import pytest
import torch
from torch import nn

from attention_core.measuring import plain, snippets
from attention_core.measuring.choices import STRETCHED_NAMES, rotary_of
from attention_core.measuring.inputs import draw_parameters, generator
from attention_core.modules import dot_product, positions, projections
from tests.experiments.snippets import run_snippets

# Every size a different prime, so that no transposition can pass.
BATCH, HEADS, TOKENS, KEYS, SIZE = 2, 3, 7, 5, 11
EXACT = {"rtol": 0.0, "atol": 8 * torch.finfo(torch.float64).eps}


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_numbers_come_from_the_streams_of_the_experiments() -> None:
    one, other = (stream(5, "any", "purpose") for stream in (plain.generator, generator))
    assert one.initial_seed() == other.initial_seed() != plain.generator(6, "any", "purpose").initial_seed()
    module = draw_parameters(nn.Linear(SIZE, TOKENS, dtype=torch.float64), 3, bias_std=0.25)
    torch.testing.assert_close(plain.parameter("weight", TOKENS, SIZE, seed=3), module.weight.detach(), **EXACT)
    torch.testing.assert_close(plain.parameter("bias", TOKENS, seed=3, bias_std=0.25), module.bias.detach(), **EXACT)


@pytest.mark.parametrize("size", [SIZE, SIZE + 1, 2, 8, 32])
def test_positions_are_those_of_the_modules(size: int) -> None:
    slots = torch.tensor([4, 0, 60, 1, 2, 2, 9])
    encoding = positions.sinusoidal_encoding(slots, size, dtype=torch.float64)
    torch.testing.assert_close(plain.sinusoids(slots, size), encoding, rtol=0, atol=1e-13)
    if size % 2 == 0:
        z = drawn(HEADS, TOKENS, size)
        torch.testing.assert_close(plain.rotate(z, slots), positions.rotate(z, slots), rtol=0, atol=1e-12)
        assert plain.rotate(z.half(), slots).dtype == torch.float16
        parted = {"rotary-part"} if size % 4 else set()  # half of it is an odd number, which is no pairs
        for name, length in itertools.product(STRETCHED_NAMES.keys() - parted, (3, 4, 5, 61)):
            code = snippets.turned(name, ("z", "slots"), length="length")
            turned = eval(code, {"z": z, "slots": slots, "length": length} | vars(plain))
            expected = positions.rotate(z, slots, rotary_of(name, size), length=length)
            torch.testing.assert_close(turned, expected, rtol=0, atol=1e-12)
            # One pair, which turns so often that it stays as it is, or has no base in its angle; or a short text.
            usual = {"rotary-llama3": size == 2, "rotary-ntk": size == 2 or length < 5}.get(name, False)
            assert torch.allclose(turned, plain.rotate(z, slots)) == usual


@pytest.mark.parametrize("heads", range(1, 18))
def test_alibi_is_that_of_the_modules_for_any_number_of_heads(heads: int) -> None:
    queries, keys = torch.arange(TOKENS), torch.arange(KEYS)
    expected = positions.alibi_bias(heads, queries, keys, dtype=torch.float64)
    torch.testing.assert_close(plain.alibi(heads, queries, keys), expected, **EXACT)


def test_heads_are_cut_and_laid_side_by_side_as_in_the_modules() -> None:
    z = drawn(BATCH, TOKENS, HEADS * SIZE)
    heads = plain.split(z, HEADS)
    assert torch.equal(heads, projections.split_heads(z, HEADS))
    assert torch.equal(plain.merge(heads), z)
    assert torch.equal(plain.split(z[0], HEADS), heads[0])


def test_weights_are_those_of_the_modules_also_where_a_query_sees_no_key() -> None:
    q, k, visible = drawn(HEADS, TOKENS, SIZE), drawn(HEADS, KEYS, SIZE), drawn(TOKENS, KEYS) > 0
    visible[2] = False
    expected = dot_product.attention_weights(q, k, attn_mask=visible)
    weights = plain.attention_weights(q, k, torch.where(visible, 0, -torch.inf))
    torch.testing.assert_close(weights, expected, **EXACT)
    assert not weights[:, 2].any()
    torch.testing.assert_close(plain.attention_weights(q, k), dot_product.attention_weights(q, k), **EXACT)


def test_a_snippet_takes_along_what_it_uses_and_no_more() -> None:
    code = snippets.assemble('print(f"the sum is: {draw((2,), 0).sum()}")', None)
    defined = [node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    assert defined == ["generator", "draw"]
    assert code.splitlines()[:4] == ["import hashlib", "import torch", "from torch import Tensor", ""]
    assert run_snippets([code]) == [f"the sum is: {plain.draw((2,), 0).sum()}\n"]


def test_words_of_a_visitor_are_no_names_of_functions() -> None:
    assert "def rotate" not in snippets.assemble(f"words = {('rotate', 'hashlib')!r}")


def test_a_mask_says_what_is_added_to_the_scores() -> None:
    assert snippets.mask(positions="none") == snippets.mask(positions="rotary") == ""
    assert snippets.mask(positions="alibi", slots=("a", "b")) == "alibi(HEADS, a, b)"
    assert snippets.mask(positions="alibi", sees="c") == "alibi(HEADS, i, i) + torch.where(c, 0, -torch.inf)"
