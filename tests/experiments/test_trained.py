"""Trained models: what is said of them against arithmetic of its own, and what is brought against what may be."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.measuring import models
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.run import run
from attention_core.modules.positions import Alibi, NoPosition, RelativeKey, Rotary
from attention_core.shipped.accuracy import without
from attention_core.shipped.languages import LANGUAGES
from attention_core.shipped.rivals import rivals
from attention_core.studies.trained import (
    KINDS,
    AccuracyConfig,
    HeadsConfig,
    TrainedConfig,
    heads,
    measure,
    read_files,
    run_heads,
    run_trained,
    trained_snippet,
)
from attention_core.studies.trained.snippet import FILE
from tests.experiments.brought import brought, bytes_of, config_of, folder_of
from tests.experiments.shown import with_file
from tests.experiments.snippets import own_lines, run_snippets

# ---- the pass ----


@pytest.mark.parametrize(
    "settings",
    [
        {}, {"off": ((0, 1), (1, 2))}, {"without": "agreement", "dtype": "float32"}, {"factor": 4.0, "seed": 3},
        {"untrained": True, "seed": 5}, {"model": "induction"}, {"model": "reverse", "text": ("b", "a", "|")},
    ],
)  # fmt: skip
def test_the_code_loads_the_same_weights_and_prints_the_same_numbers(settings: dict[str, Any]) -> None:
    config = TrainedConfig(**settings)
    code, result = trained_snippet(config), run_trained(config)
    assert "attention_core" not in code
    assert len(own_lines(code)) <= 60
    (printed,) = run_snippets([with_file(code, config)])
    lines = printed.splitlines()
    rounding = 1e-4 if config.dtype == "float32" else 1e-9
    likeliest = np.argsort(-result.probabilities, kind="stable")[:3]
    for line, at in zip(lines[:3], likeliest, strict=True):
        word, probability = result.likely[at], result.probabilities[at]
        assert repr(word) in line
        assert float(line.rpartition(" ")[2]) == pytest.approx(probability, rel=1e-3, abs=rounding)
    last = result.weights[:, :, -1].reshape(-1, len(result.tokens))
    assert len(lines) == 3 + len(last)
    for line, row in zip(lines[3:], last, strict=True):
        assert repr(result.tokens[row.argmax()]) in line
        assert float(line.rpartition(" ")[2]) == pytest.approx(row.max(), rel=1e-3, abs=rounding)


@pytest.mark.parametrize("family", ["ours", "gpt2", "llama", "bert"])
def test_the_code_of_a_model_that_was_brought_counts_its_directions(family: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    small = {"vocab_size": 11, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4}
    more = {"gpt2": {"n_positions": 24}, "llama": {"num_key_value_heads": 2, "intermediate_size": 32}}
    if family == "ours":
        folder_of(tmp_path, num_kv_heads=2)
    else:
        names = {"gpt2": "GPT2LMHeadModel", "llama": "LlamaForCausalLM", "bert": "BertModel"}
        kind = getattr(transformers, names[family])
        kind(kind.config_class(**small | more.get(family, {}))).save_pretrained(tmp_path)
    model = read_files(bytes_of(tmp_path), "one")
    config = config_of(model)
    (printed,) = run_snippets([trained_snippet(config).replace(f'"{FILE}"', repr(str(tmp_path / FILE)))])
    found = [[float(number) for number in re.findall(r"\d+\.\d+", line)] for line in printed.splitlines()]
    np.testing.assert_allclose(found, run_trained(config).rank, rtol=1e-3)


def test_what_is_measured_leaves_the_model_as_it_was() -> None:
    module = models.shipped("induction").module
    before = {name: each.clone() for name, each in module.state_dict().items()}
    run_trained(TrainedConfig(model="induction", off=((0, 0),), factor=2.0, untrained=True))
    run(AccuracyConfig(model="induction", off=((0, 0),)))
    assert models.shipped("induction").module is module
    after = module.state_dict()
    assert all(torch.equal(each, after[name]) for name, each in before.items())
    assert models.attentions(module)[0].scale == pytest.approx(0.25)


# ---- what heads do ----


@pytest.mark.parametrize(("back", "named"), [(1, "previous"), (8, "same"), (7, "induction")])
def test_a_head_that_always_looks_so_far_back_is_named_by_it(
    back: int, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def looks(module: Any, ids: torch.Tensor) -> torch.Tensor:
        n = ids.shape[1]
        weights = torch.zeros(2, len(ids), 4, n, n, dtype=torch.float64)
        weights[1, :, 2, torch.arange(n), (torch.arange(n) - back).clamp(min=0)] = 1.0
        return weights

    monkeypatch.setattr(heads, "weights_of", looks)
    found = run_heads(HeadsConfig())
    assert found.best(named) == (1, 2)
    scores = dict(zip(KINDS, found.scores[:, 1, 2], strict=True))
    assert {kind for kind in ("previous", "same", "induction") if scores[kind] == 1.0} == {named}
    assert found.chance[0] == pytest.approx(np.mean([1 / (i + 1) for i in range(2, 17)]))


def test_the_tokens_are_said_twice_after_what_every_text_begins_with() -> None:
    ids, before = heads._said_twice(HeadsConfig(seed=4))
    assert before == 1
    assert (ids[:, 0] == 0).all()
    assert torch.equal(ids[:, 1:9], ids[:, 9:])
    assert all(len(set(row[1:9].tolist())) == 8 for row in ids)
    assert not {0, 1} & set(ids[:, 1:].flatten().tolist())


def test_the_named_head_is_switched_off_with_the_others() -> None:
    best = run_heads(HeadsConfig()).best("agreement")
    assert best is not None
    assert heads.heads_off(TrainedConfig(without="agreement")) == (best,)
    assert set(heads.heads_off(TrainedConfig(without="agreement", off=((1, 3), best)))) == {(1, 3), best}


def test_accuracy_is_that_of_asking_case_by_case() -> None:
    config = AccuracyConfig(model="induction", off=((0, 0),), device="cpu")
    result = run(config)
    (cases,) = LANGUAGES["induction"].cases(200, 0).values()
    module = without(config.prepared(), ((0, 0),))
    right = 0
    for case in cases:
        logits = module(torch.tensor([case.beginning]))[0, -1]
        right += max(logits[list(case.right)]) > max(logits[list(case.wrong)])
    assert result.left[0] == pytest.approx(int(right) / 200)
    assert 0.1 < result.each[0, 0, 0] == result.left[0] < 0.9 < result.whole[0]
    assert result.interval[0, 0] <= result.left[0] <= result.interval[0, 1]


# ---- the app's claims ----


def test_the_jacobian_of_a_row_is_torchs() -> None:
    scores = 3 * torch.randn(5, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    exact = [torch.autograd.functional.jacobian(lambda s: s.softmax(-1), row).norm() for row in scores]
    assert measure._jacobian(scores.softmax(-1)) == pytest.approx(torch.stack(exact), rel=1e-12)


def test_the_effective_rank_is_that_of_the_whole_product() -> None:
    attention = models.attentions(models.shipped("grammar").module)[1]
    q, k = (each.double().unflatten(0, (4, 16)).detach() for each in (attention.q_weight, attention.k_weight))
    for head, found in enumerate(measure._effective_ranks(attention)):
        values = torch.linalg.svdvals(q[head].T @ k[head])
        shares = values[:16] / values.sum()
        assert float(found) == pytest.approx(float((-(shares * shares.log()).sum()).exp()), rel=1e-6)
    assert float(measure._effective_number(torch.ones(5))) == pytest.approx(5)


def test_the_reach_is_that_of_the_whole_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "PROBES", 4096)
    config = TrainedConfig(device="cpu")
    module, text = config.prepared(), torch.tensor([config.spelled()[0]])
    below = measure._states(module, text)[0]
    for depth, found in enumerate(measure._reach(module, text, config)):

        def last(x: torch.Tensor, depth: int = depth) -> torch.Tensor:
            for layer in models.stack_of(module).layers[:depth]:
                x = layer(x[None], is_causal=True)[0]
            return x[-1]

        lengths = torch.autograd.functional.jacobian(last, below).square().sum((0, 2)).sqrt()
        shares = lengths / lengths.sum()
        exact = torch.where(shares > 0, -shares * shares.log(), 0.0).sum().exp()
        assert float(found) == pytest.approx(float(exact), rel=0.02)


@pytest.mark.parametrize(
    ("options", "failing"),
    [
        ({}, {"perm-self.whole", "perm-self.placeless"}),
        ({"position": NoPosition()}, {"perm-self.whole", "perm-self.placeless"}),
        ({"position": Alibi()}, {"perm-self.whole", "perm-self.placeless"}),
        ({"position": Rotary()}, {"perm-self.whole", "perm-self.placeless", "bias-k"}),
        ({"position": RelativeKey(16)}, {"perm-self.whole", "perm-self.placeless"}),
        ({"position": RelativeKey(16, both=True)}, {"perm-self.whole", "perm-self.placeless", "bias-k"}),
        ({"causal": False, "position": RelativeKey(16)}, {"perm-self.whole"}),
        ({"causal": False}, {"perm-self.whole"}),
        ({"causal": False, "position": NoPosition()}, set()),
        ({"num_kv_heads": 2}, {"perm-self.whole", "perm-self.placeless"}),
        ({"k_bias": False, "position": Rotary()}, {"perm-self.whole", "perm-self.placeless"}),
    ],
)
def test_each_claim_fails_where_something_breaks_it(
    options: dict[str, Any], failing: set[str], tmp_path: Path
) -> None:
    model = brought(tmp_path, **options)
    for dtype in ("float64", "float32"):
        verdicts = run_trained(config_of(model, dtype=dtype)).verdicts
        assert {one.key for one in verdicts if one.outcome == "fails"} == failing
        assert all(one.outcome == "holds" for one in verdicts if one.key not in failing)
        assert any(one.key == "bias-k" for one in verdicts) == options.get("k_bias", True)


def test_a_shuffle_moves_what_stands_between_and_nothing_else() -> None:
    for seed in range(20):
        config = TrainedConfig(seed=seed)
        order = measure.shuffle(config, 6)
        assert (order[0], order[-1]) == (0, 5)
        assert sorted(order) == list(range(6))
        ids = config.spelled()[0]
        assert [ids[at] for at in order] != list(ids)
    still = TrainedConfig(text=("keys", "are"))
    assert measure.shuffle(still, 3) == [0, 1, 2]
    found = {one.key: one.outcome for one in run_trained(still).verdicts}
    assert found == {
        "bias-k": "holds", "bias-v": "holds",
        "perm-self.whole": "undecided", "perm-self.placeless": "undecided", "perm-self.bare": "undecided",
    }  # fmt: skip


# ---- words ----


@pytest.mark.parametrize(
    ("settings", "field", "said"),
    [
        ({"text": ("the", "zebra")}, "text", "this model knows 77 words, such as"),
        ({"text": ("the",) * 64}, "text", "65 tokens"),
        (
            {"model": "own"},
            "model",
            "open the files of a model first, under “Open a model of your own”; a link does not hold them",
        ),
        ({"model": "own", "brought": "abc"}, "model", "open the files of a model first"),
        ({"off": ((2, 0),)}, "off", "this model has 2 layers of 4 heads"),
        ({"off": ((0, 4),)}, "off", "this model has 2 layers of 4 heads"),
    ],
)
def test_what_is_not_possible_is_said(settings: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)) as refused:
        TrainedConfig(**settings)
    assert refused.value.field == field


def test_another_model_begins_with_a_text_of_its_own() -> None:
    assert TrainedConfig(model="reverse").spelled()[1][0] == "<start>"
    assert "|" in TrainedConfig(model="reverse").text
    assert TrainedConfig(text=("<start>", "the")).spelled()[1] == ("<start>", "the")


def test_a_model_without_words_reads_numbers(tmp_path: Path) -> None:
    model = brought(tmp_path)
    assert run_trained(config_of(model)).tokens == ("1", "2", "3", "1", "5")
    for wrong in ("11", "-1", "x", "1.5", "²", "1" * 300):
        with pytest.raises(ConfigError, match="numbers of tokens from 0 to 10 are allowed"):
            TrainedConfig(model="own", brought=model.digest, text=(wrong,))


def test_what_is_said_of_a_head_is_said_of_its_rows() -> None:
    config = TrainedConfig(seed=2, device="cpu")
    result = run_trained(config)
    a, n = result.weights[1, 0], len(result.tokens)
    rows = [row[: at + 1] for at, row in enumerate(a)]
    entropy = [-sum(p * np.log2(p) for p in row if p > 0) for row in rows]
    assert result.entropy[1, 0] == pytest.approx(np.mean(entropy))
    back = [sum(p * (at - j) for j, p in enumerate(row)) for at, row in enumerate(rows)]
    assert result.distance[1, 0] == pytest.approx(np.mean(back))
    assert result.first[1, 0] == pytest.approx(np.mean([row[0] for row in rows[1:]]))
    s = [result.scores[1, 0, at, : at + 1] for at in range(1, n)]
    assert result.spread[1, 0] == pytest.approx(np.mean([row.std() for row in s]))
    sharp = [np.exp(4 * row - (4 * row).max()) for row in s]
    assert result.largest[4, 1, 0] == pytest.approx(np.mean([(row / row.sum()).max() for row in sharp]))
    states = measure._states(config.prepared(), torch.tensor([config.spelled()[0]]))[1].numpy()
    units = states / np.linalg.norm(states, axis=1, keepdims=True)
    pairs = [units[i] @ units[j] for i in range(n) for j in range(n) if i != j]
    assert result.cosine[1] == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("role", ["q", "v"])
def test_a_bias_that_is_taken_out_moves_the_states_as_arithmetic_says(role: str) -> None:
    config = TrainedConfig(device="cpu")
    module, text = config.prepared(), torch.tensor([config.spelled()[0]])
    before = measure._states(module, text)[-1]
    with torch.no_grad():
        getattr(models.attentions(module)[0], f"{role}_bias").zero_()
    moved = (measure._states(module, text)[-1] - before).norm() / before.norm()
    assert run_trained(config).biases[0, "qkv".index(role)] == pytest.approx(float(moved))
    assert float(moved) > 1e-6


def test_what_moves_as_words_are_shuffled_is_half_of_all_differences() -> None:
    config = TrainedConfig(seed=1, device="cpu")
    result, module = run_trained(config), config.prepared()
    words = config.source.words
    other = torch.tensor([[words.index(token) for token in result.order]])
    now, then = (module(ids)[0, -1].softmax(-1) for ids in (torch.tensor([config.spelled()[0]]), other))
    assert result.shuffled[0] == pytest.approx(float((now - then).abs().sum() / 2))
    assert result.shuffled[2] < 1e-12 < min(result.shuffled[:2])


def test_a_measure_word_waits_until_a_noun_of_its_own_has_come() -> None:
    closed, other = (rivals("chinese", text) for text in (("一", "只", "猫"), ("一", "条", "猫")))
    assert closed == rivals("induction", ("一", "条")) == {}
    assert other == rivals("chinese", ("一", "条")) == rivals("chinese", ("一", "条", "那", "只", "猫", "喜欢", "的"))
    assert "猫" in other["other"]
    assert not {*other["asked"]} & {*other["other"]}
    assert [*rivals("grammar", ("the", "keys"))] == ["plural", "singular"]
