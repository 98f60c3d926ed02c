"""Speculation: greedily the target's own words, and with chance its own distribution, whatever the draft is."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from attention_core.modules.speculation import Writes, acceptance, remainder, speculate
from tests.modules.refusals import refused

KINDS = 4


def model(seed: int, *, kinds: int = KINDS, spread: float = 2.0) -> Writes:
    """A table of logits by the last two tokens, as a model that looks back only."""
    table = torch.randn(kinds, kinds, kinds, generator=torch.Generator().manual_seed(seed)) * spread

    def logits(ids: Tensor) -> Tensor:
        before = torch.cat((ids.new_zeros(1, 1), ids[:, :-1]), dim=1)
        return table[before, ids]

    return logits


def alone(target: Writes, ids: Tensor, count: int) -> Tensor:
    for _ in range(count):
        ids = torch.cat((ids, target(ids)[:, -1:].argmax(-1)), dim=1)
    return ids


@pytest.mark.parametrize("block", [1, 3, 9])
@pytest.mark.parametrize("seed", range(20))
def test_greedily_it_writes_what_the_target_writes_alone(seed: int, block: int) -> None:
    ids = torch.tensor([[1, seed % KINDS]])
    found = speculate(model(seed), model(seed + 100), ids, 7, block=block)
    assert found.ids.tolist() == alone(model(seed), ids, 7).tolist()
    assert sum(found.accepted) + len(found.accepted) == 7
    assert all(kept <= drafted <= block for kept, drafted in zip(found.accepted, found.drafted, strict=True))


def test_a_draft_that_is_the_target_is_always_kept_and_saves_calls() -> None:
    for generator in (None, torch.Generator().manual_seed(0)):
        found = speculate(model(1), model(1), torch.tensor([[2]]), 10, block=4, generator=generator)
        assert (found.drafted, found.accepted) == ((4, 4), (4, 4))


def test_the_first_draft_that_differs_is_dropped_with_all_behind_it() -> None:
    def counting(ids: Tensor) -> Tensor:  # after t comes t + 1
        return torch.nn.functional.one_hot((ids + 1) % 9, 9).float()

    def drafting(ids: Tensor) -> Tensor:  # as long as t is not 3
        return torch.nn.functional.one_hot(torch.where(ids == 3, 0, ids + 1) % 9, 9).float()

    found = speculate(counting, drafting, torch.tensor([[1]]), 6, block=4)
    assert found.ids.tolist() == [[1, 2, 3, 4, 5, 6, 7]]
    assert (found.drafted, found.accepted) == ((4, 2), (2, 2))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_kept_and_what_is_drawn_again_add_up_to_the_targets_distribution(seed: int) -> None:
    p, q = torch.randn(2, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).softmax(-1)
    kept = q * acceptance(p, q)
    total = kept + (1 - kept.sum()) * remainder(p, q)
    assert [math.isclose(one, other, abs_tol=1e-15) for one, other in zip(total, p, strict=True)].count(False) == 0
    assert math.isclose(float(kept.sum()), sum(map(min, p.tolist(), q.tolist())), abs_tol=1e-15)
    assert torch.equal(remainder(p, p), p)


def test_every_text_is_as_likely_as_the_target_makes_it() -> None:
    target, draft, ids, count = model(5, spread=1.0), model(6, spread=1.0), torch.tensor([[0, 1]]), 2_000
    generator, seen = torch.Generator().manual_seed(11), dict.fromkeys(itertools.product(range(KINDS), repeat=2), 0)
    for _ in range(count):
        seen[tuple(speculate(target, draft, ids, 2, block=2, generator=generator).ids[0, 2:].tolist())] += 1
    for text, times in seen.items():
        whole = torch.tensor([[0, 1, *text]])
        likely = target(whole).double().softmax(-1)[0, 1:-1]
        probability = math.prod(float(row[token]) for row, token in zip(likely, text, strict=True))
        # Five standard deviations of a binomial, and a count where it is small: 16 texts, 1e-5 that one is beyond.
        assert abs(times - count * probability) <= 5 * math.sqrt(count * probability * (1 - probability)) + 1, text


def test_what_is_not_possible_is_said() -> None:
    ids = torch.tensor([[0]])
    with refused("the draft knows 3 tokens and the target 4: speculation needs two models of one vocabulary."):
        speculate(model(0), model(1, kinds=3), ids, 3)
    with refused("block = 0 is not possible: a positive number is needed."):
        speculate(model(0), model(1), ids, 3, block=0)
    with refused("max_new_tokens = -1 is not possible: give 0 or more tokens."):
        speculate(model(0), model(1), ids, -1)
    for shape in ((1, 0), (2, 3), (3,)):
        with refused(f"ids has shape {shape}: one text of at least one token, (1, tokens), is needed."):
            speculate(model(0), model(1), torch.zeros(shape, dtype=torch.long), 3)
    assert speculate(model(0), model(1), ids, 0).ids is ids
