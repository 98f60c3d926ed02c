"""What a weight is worth, by other means: finite differences, loops, closed forms, and ranks counted one by one."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.edge_effects import MOST_NUMBERS
from attention_core.measuring.checks import ConfigError
from attention_core.studies import worth
from attention_core.studies.worth.edges import by_gradient, lead_of_kinds, lead_of_next, spearman, written
from attention_core.studies.worth.gate import KINDS
from attention_core.studies.worth.measure import asked_of, calls_of, found_head
from attention_core.studies.worth.texts import in_deciles
from tests.experiments.brought import brought

OTHERS = [{}, {"model": "chinese"}, {"model": "induction"}, {"model": "reverse"}, {"target": "next"}]


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=12))
def test_ranks_are_counted(values: list[int]) -> None:
    wanted = [
        (sum(b < a for b in values) + (sum(b == a for b in values) - 1) / 2) / (len(values) - 1) for a in values
    ]
    assert worth.ranks(np.array(values, dtype=float)).tolist() == pytest.approx(wanted)


def test_a_rank_correlation_is_that_of_the_textbook() -> None:
    iq, hours = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110], [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    assert spearman(np.array(iq, float), np.array(hours, float)) == pytest.approx(
        -29 / 165
    )  # no ties: 1 − 6Σd²/n(n²−1)
    assert math.isnan(spearman(np.ones(3), np.arange(3.0)))


@pytest.mark.parametrize("options", OTHERS)
def test_the_gradient_is_what_a_small_change_of_a_weight_does(options: dict[str, Any]) -> None:
    config = worth.WorthConfig(**options)
    _head, module, ids, asked, found = found_head(config)
    size, (layer, head, query, key) = 1e-5, (0, 1, len(ids) - 1, 2)

    def lead(by: float) -> float:
        def put(weights: torch.Tensor) -> torch.Tensor:
            changed = weights.clone()
            changed[0, head, query, key] += by
            return changed

        replace_ = {f"layers.{layer}.self_attention.weights": put}
        return float(asked.target(module.trace(ids[None], replace=replace_).output)[0])

    weight = float(module.trace(ids[None])[layer].weights[0, head, query, key])
    slope = (lead(size) - lead(-size)) / (2 * size)
    assert float(found[layer][head, query, key]) == pytest.approx(slope * weight, rel=1e-5, abs=1e-9)


def test_what_leads_is_counted_among_the_words_that_are_compared() -> None:
    logits = torch.tensor([[[9.0] * 5, [1.0, 4.0, 2.0, 3.5, -1.0]]])
    assert lead_of_next(1)(logits).tolist() == [0.5]
    assert lead_of_next(3)(logits).tolist() == [-0.5]
    assert lead_of_kinds((0, 2), (3, 4))(logits).tolist() == [-1.5]
    kinds, plain = (worth.WorthConfig(target=target) for target in ("kind", "next"))
    module, ids = kinds.prepared(), torch.tensor(kinds.spelled()[0])
    last, words = module(ids[None])[0, -1], kinds.source.words
    by_kind, by_word = (asked_of(config, module, ids) for config in (kinds, plain))
    assert (words[by_kind.leads], words[by_kind.behind]) == ("move", "seems")
    assert by_word.leads == int(last.argmax())
    assert float(by_word.target(last[None, None])[0]) == pytest.approx(float(last.topk(2).values.diff().neg()[0]))


def test_what_a_value_writes_is_its_columns_of_the_output_matrix() -> None:
    module, ids = worth.WorthConfig().prepared(), torch.tensor(worth.WorthConfig().spelled()[0])
    call = calls_of(module, ids)[0]
    found = written(call.attention, call.trace.v[0], 2)
    for key in range(len(ids)):
        by_hand = [sum(float(call.attention.o_weight[row, 32 + at] * call.trace.v[0, 2, key, at]) for at in range(16))
                   for row in range(4)]  # fmt: skip
        assert found[key, :4].tolist() == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("rest", ["left", "renormalised", "mean"])
@pytest.mark.parametrize("options", OTHERS)
def test_one_cut_alone_is_that_of_the_map(options: dict[str, Any], rest: str) -> None:
    result = worth.run_worth(worth.WorthConfig(**options, rest=rest))
    cell = result.largest(np.abs(result.effects))
    cut = worth.run_cut(worth.CutConfig.like(result.config, head=result.head, cell=cell))
    assert result.lead - cut.lead == pytest.approx(result.effects[cell], abs=1e-12)
    assert cut.before.sum() <= 1 + 1e-12
    whole = worth.run_cut(worth.CutConfig.like(result.config, head=result.head))
    assert (whole.cell, whole.lead) == (None, pytest.approx(result.lead))
    assert np.array_equal(whole.before, whole.after)
    assert result.written == pytest.approx(result.weights * result.lengths)


def test_of_the_last_layer_the_last_row_alone_is_felt() -> None:
    result = worth.run_worth(worth.WorthConfig(head=(1, 2)))
    assert np.flatnonzero(result.felt.any(-1)).tolist() == [4]
    assert np.abs(result.effects[:-1][result.seen[:-1]]).max() < 1e-12
    assert worth.run_worth(worth.WorthConfig(head=(0, 2))).felt.sum() == 15


def test_other_weights_of_a_long_row_give_the_same_and_stay_weights() -> None:
    result = worth.run_worth(worth.WorthConfig(text=worth.LONG))
    assert result.free.min() >= 0
    assert result.free.sum() == pytest.approx(1)
    assert result.free_moved > 0.1
    config = result.config
    module, ids = config.prepared(), torch.tensor(config.spelled()[0])
    layer, head = result.head
    values = module.trace(ids[None])[layer].v[0, head].numpy()
    assert np.abs((result.free - result.weights[-1]) @ values).max() < 1e-13, "no value sees it"
    short = worth.run_worth(worth.WorthConfig(text=worth.LONG[:16]))  # 17 keys, a value of 16 numbers and the sum
    assert "weight-free" not in {verdict.key for verdict in short.verdicts}
    assert np.array_equal(short.free, short.weights[-1])
    assert "weight-free" in {v.key for v in worth.run_worth(worth.WorthConfig(text=worth.LONG[:17])).verdicts}


def test_softmax_plus_one_is_what_its_formula_says() -> None:
    plain, plus = (worth.run_worth(worth.WorthConfig(head=(0, 1), plus_one=on)) for on in (False, True))
    assert plain.weights.sum(-1) == pytest.approx(np.ones(5))
    module, ids = plain.config.prepared(), torch.tensor(plain.config.spelled()[0])
    scores = module.trace(ids[None])[0].masked_scores[0, 1].numpy()
    powers = np.exp(scores)
    assert plus.weights == pytest.approx(powers / (1 + powers.sum(-1, keepdims=True)), abs=1e-12)
    with pytest.raises(ConfigError, match="head"):
        worth.WorthConfig(head=(2, 0))
    with pytest.raises(ConfigError, match="1 to 24 tokens"):
        worth.WorthConfig(text=("the",) * 24)


def test_weights_that_rounding_alone_keeps_apart_are_of_one_decile() -> None:
    weights, sizes = np.repeat(np.linspace(0.05, 0.95, 7), 3), np.arange(21.0)
    ways = [1e-8 * np.tile(last, 7) for last in ((-1, 0, 1), (1, -1, 0), (0, 0, 0))]
    first, *others = (in_deciles(weights + way, sizes) for way in ways)
    for other in others:
        np.testing.assert_array_equal(first, other)
    assert np.isfinite(first).any(0).sum() == 7, "three of each weight, in a decile of their own"


def test_many_texts_are_those_that_training_never_showed_and_the_interval_is_students() -> None:
    config = worth.TextsConfig(head=(1, 0))
    assert len({case.beginning for case in config.drawn}) == worth.TEXTS
    assert {case.beginning for case in config.drawn} <= {
        case.beginning for of in config.cases(worth.TEXTS).values() for case in of
    }
    *steps, result = worth.steps_texts(config)
    assert len(steps) == worth.TEXTS == len(result.correlations)
    mean = sum(result.correlations) / 24
    spread = math.sqrt(sum((one - mean) ** 2 for one in result.correlations) / 23)
    assert result.interval.tolist() == pytest.approx(
        [mean - 2.069 * spread / 24**0.5, mean + 2.069 * spread / 24**0.5]
    )
    assert (np.diff(result.deciles, axis=0) >= 0).all()
    case = config.drawn[3]
    words = tuple(config.source.words[at] for at in case.beginning[1:])
    alone = worth.run_worth(worth.WorthConfig(head=(1, 0), text=words))
    if set(case.right) == set(alone.config.kinds[0]) or set(case.right) == set(alone.config.kinds[1]):
        assert result.correlations[3] == pytest.approx(alone.correlations[0])


@pytest.fixture(scope="module")
def trained() -> tuple[worth.GateResult, worth.GateResult]:
    found = []
    for same_first in (False, True):
        *_, result = worth.steps_gate(worth.GateConfig(runs=2, same_first=same_first))
        found.append(result)
    return found[0], found[1]


@pytest.mark.slow
def test_softmax_needs_a_word_that_says_nothing_and_the_others_do_not(
    trained: tuple[worth.GateResult, worth.GateResult],
) -> None:
    with_it, without = trained
    assert list(KINDS) == list(worth.NAMES) == ["softmax", "plus-one", "sink", "gate"]
    assert with_it.first[0].min() > 0.9
    assert with_it.right.min() > 0.95
    assert with_it.first[1:].min() < 0.1, "the others may do without"
    assert without.first.max() < 0.2
    assert without.right[0].min() < 0.97 < without.right[1:].min(), "softmax alone cannot answer 0"
    for result in trained:
        assert result.keys[0] == pytest.approx(np.ones(2))
        assert result.keys[3] == pytest.approx(np.ones(2))
        assert (result.opened[:3] == 1).all()
        assert (result.opened[3] < 0.5).all()
        assert result.curves.shape == (4, 2, 6)
        assert np.array_equal(result.curves[..., -1], result.first)
    assert [one.verdicts[0].outcome for one in trained] == ["holds", "fails"]


@pytest.mark.slow
def test_a_run_that_learns_no_sink_answers_some_wrongly_and_says_nothing_against_it() -> None:
    *_, result = worth.steps_gate(worth.GateConfig(runs=2, seed=9))
    assert result.first[0, 0] < 0.2 < 0.9 < result.first[0, 1]
    assert result.right[0, 0] < 1 == result.right[0, 1]
    (verdict,) = result.verdicts
    assert (verdict.outcome, verdict.measured) == ("holds", result.first[0, 1])


def test_how_long_training_takes_is_foretold() -> None:
    config = worth.GateConfig(runs=2)
    assert 1 < config.seconds < replace(config, runs=8).seconds < 60
    with pytest.raises(ConfigError, match="float32"):
        worth.GateConfig(dtype="bfloat16")


def test_by_gradient_leaves_the_model_as_it_was() -> None:
    config = worth.WorthConfig()
    module, ids = config.prepared(), torch.tensor(config.spelled()[0])
    before = module(ids[None])
    by_gradient(module, ids, lead_of_next(3))
    assert torch.equal(module(ids[None]), before)
    assert all(each.grad is None for each in module.parameters())


def test_of_a_model_as_large_as_gpt2_no_pass_keeps_more_than_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """12 layers of 12 heads and a text as long as it may be; what is counted is what a wide model would hold."""
    sizes = {"num_layers": 12, "num_heads": 12, "d_model": 48}
    own = brought(tmp_path, family="gpt2", causal=True, lm_head=True, **sizes)
    text = tuple(str(1 + at % 9) for at in range(24))
    config = worth.WorthConfig(model="own", brought=own.digest, text=text, dtype="float32", head=(5, 7))
    trace, kept = Checkpoint.trace, []

    def counted(*given: Any, **options: Any) -> Any:
        found = trace(*given, **options)
        kept.append(
            (len(found.output), found.output.numel() + sum(part.numel() for layer in found for part in layer))
        )
        return found

    monkeypatch.setattr(Checkpoint, "trace", counted)
    *steps, result = worth.steps_worth(config)
    many = [count - 1 for count, _ in kept if count > 1]
    assert sum(many) == 24 * 25 // 2, "each edge is cut once"
    assert max(size for _, size in kept) <= MOST_NUMBERS, "of the pass with the most texts, too"
    assert config.working_bytes >= 2 * 8 * MOST_NUMBERS, "in float64, and once more on its way"
    assert len(steps) >= len(many), "progress is told at each pass"
    assert np.isfinite(result.effects[result.seen]).all()
    shorter = worth.WorthConfig(model="own", brought=own.digest, text=text[:12], dtype="float32", head=(5, 7))
    assert 7 < config.seconds / shorter.seconds < 8, "twice the text, 3.85 times the edges"
