"""What an edge is worth: each effect is that of what the head would fetch without it, one at a time."""

from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core.checkpoints import edge_effects as measured
from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.config import CheckpointConfig
from attention_core.checkpoints.edge_effects import MOST_TOKENS, edge_effects
from attention_core.modules.positions import Alibi, Rotary
from tests.modules.draws import redrawn
from tests.modules.refusals import refused

TEXT = torch.tensor([3, 1, 4, 1, 5, 9, 2])
SIZES = {"family": "llama", "d_model": 12, "num_heads": 6, "num_kv_heads": 2, "num_layers": 3, "d_ff": 8,
         "vocab_size": 11, "lm_head": True, "position": Rotary(base=50.0)}  # fmt: skip


def random_checkpoint(**options: Any) -> Checkpoint:
    return redrawn(Checkpoint(CheckpointConfig(**SIZES | options)).double().eval(), seed=3, std=0.6)


def verb(logits: Tensor) -> Tensor:
    return logits[:, -1, 7] - logits[:, -1, 2]


def fetched(weights: Tensor, values: Tensor, seen: Tensor, key: int, rest: str) -> Tensor:
    """What a query fetches without one key, from what it fetched: no row of weights is written anew."""
    context = weights @ values
    without = context - weights[key] * values[key]
    if rest == "left":
        return without
    if rest == "mean":
        return without + weights[key] * values[seen].mean(0)
    return without / (1 - weights[key]) if seen.sum() > 1 else without


@pytest.mark.parametrize("rest", ["left", "renormalised", "mean"])
@pytest.mark.parametrize("options", [{}, {"causal": False, "position": Alibi()}], ids=["decoder", "encoder"])
def test_each_effect_is_that_of_what_is_fetched_without_the_edge(rest: Any, options: dict[str, Any]) -> None:
    model, layer, head = random_checkpoint(**options), 1, 4
    found = edge_effects(model, TEXT, verb, layer=layer, head=head, rest=rest)
    with torch.no_grad():
        whole = model.trace(TEXT[None])
        trace, before = whole[layer], float(verb(whole.output))
        values, weights = trace.v[0, head // 3], trace.weights[0, head]
        seen = torch.ones(7, 7).tril().bool() if model.config.causal else torch.ones(7, 7).bool()
        for query in range(7):
            for key in range(7):
                if not seen[query, key]:
                    assert found.effects[query, key].isnan()
                    continue

                def put(context: Tensor, query: int = query, key: int = key) -> Tensor:
                    changed = context.clone()
                    changed[0, head, query] = fetched(weights[query], values, seen[query], key, rest)
                    return changed

                after = model.trace(TEXT[None], replace={f"layers.{layer}.self_attention.context": put}).output
                assert float(found.effects[query, key]) == pytest.approx(before - float(verb(after)), abs=1e-12)
    assert torch.equal(found.weights, weights)
    assert found.target == before
    assert found.effects[seen].abs().max() > 1e-3, "something moves"


def test_in_the_last_layer_only_the_row_that_is_asked_of_is_worth_something() -> None:
    model = random_checkpoint()
    found = edge_effects(model, TEXT, verb, layer=2, head=0)
    assert found.effects[:-1].nan_to_num().abs().max() < 1e-14
    assert found.effects[-1].abs().min() > 0
    assert not found.effects.requires_grad


def test_passes_are_bounded_and_tell_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = edge_effects(random_checkpoint(), TEXT, verb, layer=0, head=1)
    monkeypatch.setattr(measured, "AT_ONCE", 5)
    batches, told = list[int](), list[float]()

    def noted(logits: Tensor) -> Tensor:
        batches.append(len(logits))
        return verb(logits)

    found = edge_effects(random_checkpoint(), TEXT, noted, layer=0, head=1, progress=told.append)
    assert batches == [1, 6, 6, 6, 6, 6, 4]
    assert told == pytest.approx([5 / 28, 10 / 28, 15 / 28, 20 / 28, 25 / 28, 1])
    assert torch.allclose(found.effects, whole.effects, rtol=0, atol=1e-12, equal_nan=True)


def test_passes_have_no_more_edges_than_their_numbers_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    heads_and_tokens = 2 * 6 * 7 * 2 + 2 * 2 * 7 * 2 + 7 * 12  # queries, what is fetched, keys, values, the output
    kept = 3 * (heads_and_tokens + 3 * 6 * 7 * 7) + 7 * 11  # of each layer, with its scores twice and weights; logits
    whole = edge_effects(random_checkpoint(), TEXT, verb, layer=0, head=1)
    monkeypatch.setattr(measured, "MOST_NUMBERS", 4 * kept + 5)
    batches = list[int]()

    def noted(logits: Tensor) -> Tensor:
        batches.append(len(logits))
        return verb(logits)

    found = edge_effects(random_checkpoint(), TEXT, noted, layer=0, head=1)
    assert batches == [1, *([4] * 9), 2], "three edges at a time, and the text as it is"
    assert torch.allclose(found.effects, whole.effects, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "given", "sentence"),
    [
        (TEXT, {"layer": 3}, "layer = 3 is not possible: this model has layers 0 to 2."),
        (TEXT, {"head": -1}, "head = -1 is not possible: this model has heads 0 to 5."),
        (TEXT, {"rest": "gone"}, "rest = 'gone' is not possible: one of left, renormalised, mean is needed."),
        (TEXT[None], {}, f"input_ids of shape (1, 7): one text of 1 to {MOST_TOKENS} tokens is needed."),
        (TEXT[:0], {}, f"input_ids of shape (0,): one text of 1 to {MOST_TOKENS} tokens is needed."),
        (TEXT.repeat(10), {}, f"input_ids of shape (70,): one text of 1 to {MOST_TOKENS} tokens is needed."),
    ],
)
def test_what_cannot_be_cut_is_refused(text: Tensor, given: dict[str, Any], sentence: str) -> None:
    with refused(sentence):
        options: dict[str, Any] = {"layer": 0, "head": 0} | given
        edge_effects(random_checkpoint(), text, verb, **options)


def test_a_target_gives_a_number_for_each_text() -> None:
    with refused("target gives shape (1, 11) for outputs of 1 texts: a tensor of shape (1,) is needed."):
        edge_effects(random_checkpoint(), TEXT, lambda logits: logits[:, -1], layer=0, head=0)
    with refused("target gives float for outputs of 1 texts: a tensor of shape (1,) is needed."):
        edge_effects(random_checkpoint(), TEXT, lambda logits: float(logits.sum()), layer=0, head=0)  # type: ignore[arg-type,return-value]
