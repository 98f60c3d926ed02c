"""A training run: what it notes is what autograd says, what it learned it can be asked for, and its verdicts."""

import dataclasses

import numpy as np
import pytest
import torch

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.optimizers import SGD, AdamW
from attention_core.measuring.run import run
from attention_core.measuring.verdict import Verdict
from attention_core.modules import projections as module_projections
from attention_core.shipped.accuracy import without
from attention_core.studies.learning import (
    OPTIMIZERS,
    ROLES,
    Ablation,
    LearningConfig,
    LearningResult,
    LearningStep,
    SeedsConfig,
    answer,
    check_heads,
    steps_learning,
)
from attention_core.studies.learning.cost import MAX_SECONDS
from attention_core.studies.learning.history import moments_of
from attention_core.studies.learning.model import draw_model
from attention_core.studies.learning.trainer import Trainer, cross_entropy

SMALL = {"tokens": 6, "kinds": 5, "d_model": 16, "batch": 8, "steps": 12}


@pytest.fixture(scope="module")
def learned() -> LearningResult:
    return run(LearningConfig())


def test_the_default_learns_to_reverse(learned: LearningResult) -> None:
    history = learned.history
    assert learned.score.accuracy >= 0.99
    assert history.accuracy[0] < 0.3 < 0.9 < history.accuracy[-1]
    assert history.loss[-1] < 0.2 * history.loss[0]
    assert not learned.stopped
    last = history.attention[-1, 0, 0]
    assert (last.argmax(-1) == np.arange(12)[::-1]).mean() > 0.8, "each token looks at its partner"
    np.testing.assert_array_equal(history.said[-1], history.wanted)
    assert history.wanted.tolist() == history.probe.tolist()[::-1]
    assert (history.chance, round(history.blind, 2)) == (0.1, 0.27)


NEXT = {"task": "induction", "tokens": 8, "kinds": 5, "d_model": 24, "batch": 32, "steps": 150}


def test_a_task_that_asks_for_the_next_token_hides_it_unless_the_mask_is_taken_off() -> None:
    masks = {task: LearningConfig(task=task).causal for task in ("reverse", "sort", "copy", "induction")}
    assert masks == {"reverse": False, "sort": False, "copy": False, "induction": True}
    chosen = {mask: LearningConfig(task="induction", causal=mask) for mask in ("auto", True, False)}
    assert chosen["auto"] == chosen[True]
    assert [one.predicts_next for one in chosen.values()] == [True, True, False]
    assert [one.reads_ahead for one in chosen.values()] == [False, False, True]
    reverse = LearningConfig(causal=True)
    assert not reverse.predicts_next
    assert not reverse.reads_ahead


def test_without_its_mask_the_next_token_is_read_and_nothing_is_claimed_of_predicting_it() -> None:
    result = run(LearningConfig(**NEXT, causal=False))
    history = result.history
    asked = [slot for slot in range(7) if history.wanted[slot] >= 0]
    assert [int(history.probe[slot + 1]) for slot in asked] == [int(history.wanted[slot]) for slot in asked]
    looks = [history.attention[-1, 0, 0, slot, slot + 1] for slot in asked]
    assert np.mean(looks) > 0.5, "it looks at the answer"
    assert result.score.accuracy > 0.75
    assert {one.claim for one in result.verdicts} <= {"learn-key-bias", "learn-order"}
    for layers in (1, 2):
        assert not run(SeedsConfig(**NEXT | {"steps": 2}, runs=2, layers=layers, causal=False)).verdicts


def test_the_callers_mode_is_its_own() -> None:
    with torch.no_grad():
        next(steps_learning(LearningConfig(**SMALL)))
        assert not torch.is_grad_enabled()


def test_steps_show_the_run_so_far() -> None:
    config = LearningConfig(**SMALL | {"steps": 40})
    *steps, result = steps_learning(config)
    assert isinstance(result, LearningResult)
    assert all(isinstance(step, LearningStep) for step in steps)
    assert [step.done for step in steps] == result.history.moments.tolist() == moments_of(config)
    assert (steps[0].done, steps[-1].done, steps[0].total) == (0, 40, 40)
    for count, step in enumerate(steps, start=1):
        assert step.history is not None
        for name in ("moments", "loss", "accuracy", "attention", "said", "gradients", "moved"):
            np.testing.assert_array_equal(getattr(step.history, name), getattr(result.history, name)[:count])


def test_moments_are_few_where_pictures_are_large() -> None:
    assert len(moments_of(LearningConfig(steps=1000))) == 64
    assert len(moments_of(LearningConfig(steps=150))) == 26
    assert moments_of(LearningConfig(steps=1)) == [0, 1]
    large = LearningConfig(tokens=64, layers=2, heads=4, d_model=32, steps=200)
    assert len(moments_of(large)) * 2 * 4 * 64**2 <= 2**20


@pytest.mark.parametrize("projections", ["full", "tied-kv", "tied-qk"])
def test_what_is_noted_first_is_what_autograd_says_of_the_start(projections: str) -> None:
    given = {"projections": projections, "dtype": "float64", "layers": 2, "heads": 2, "device": "cpu"}
    config = LearningConfig(**SMALL | given)
    history = run(config).history
    model, trainer = draw_model(config), Trainer(config)
    trainer.measure()
    loss = cross_entropy(model(trainer.inputs), trainer.wanted)
    assert history.loss[0] == pytest.approx(float(loss.detach()), rel=1e-12)
    for layer, attention in enumerate(model.attentions):
        names = ("in_weight", "o_weight", "q_bias", "k_bias", "v_bias", "o_bias")
        own = [getattr(attention, name) for name in names]
        packed, o_weight, *biases = torch.autograd.grad(loss, own, retain_graph=True)
        matrices = packed.view(-1, 16, 16)
        blocks = attention.projections.blocks
        wanted = [*(matrices[block] for block in blocks), o_weight, *biases]
        np.testing.assert_allclose(
            history.gradients[0, layer], [float(each.norm()) for each in wanted], rtol=1e-9, atol=1e-15
        )
    assert (history.moved[0] == 0).all()
    assert (history.moved[-1] > 0).all()
    np.testing.assert_allclose(history.attention.sum(-1), 1, atol=1e-6)


def test_a_causal_model_looks_back_only_and_without_biases_nothing_is_noted_of_them() -> None:
    history = run(LearningConfig(**SMALL | {"causal": True, "task": "copy", "back": 2, "biases": False})).history
    assert (np.triu(history.attention, 1) == 0).all()
    missing = np.array([name.startswith("b") for name in ROLES])
    assert np.isnan(history.gradients[..., missing]).all()
    assert np.isfinite(history.gradients[..., ~missing]).all()


@pytest.mark.parametrize(("name", "ours"), [("sgd", SGD(0.05)), ("adamw", AdamW(0.05, torch.zeros(40)))])
def test_the_optimizers_are_torchs(name: str, ours: SGD | AdamW) -> None:
    draws = torch.Generator().manual_seed(1)
    start = torch.randn(40, generator=draws)
    values, theirs = start.clone(), torch.nn.Parameter(start.clone())
    options = {"weight_decay": 0.01} if name == "adamw" else {}
    optimizer = getattr(torch.optim, OPTIMIZERS[name])([theirs], lr=0.05, **options)
    for _ in range(30):
        theirs.grad = torch.randn(40, generator=draws)
        ours.step(values, theirs.grad)
        optimizer.step()
    assert torch.allclose(values, theirs.detach(), rtol=0, atol=30 * 8 * torch.finfo(torch.float32).eps)


def test_too_high_a_rate_ends_in_a_sentence_and_keeps_the_last_finite_moment() -> None:
    config = LearningConfig(optimizer="sgd", learning_rate=100.0)
    *steps, result = steps_learning(config)
    assert "the loss was no longer a finite number: the learning rate 100 is too high" in result.stopped
    assert f"ends at step {result.history.moments[-1]:,}" in result.stopped
    assert len(steps) == len(result.history.moments) < len(moments_of(config))
    assert np.isfinite(result.history.attention).all()
    assert all(np.isfinite(each).all() for each in result.trained.weights.values())
    assert result.verdicts == ()


def test_the_trained_model_answers_what_is_typed(learned: LearningResult) -> None:
    found = answer(learned.trained, tuple("abcdefghijab"))
    assert "".join(found.said) == "".join(found.wanted) == "bajihgfedcba"
    assert (found.right, found.asked) == (12, 12)
    assert found.attention.shape == (1, 1, 12, 12)
    np.testing.assert_allclose(found.probabilities.sum(-1), 1, atol=1e-6)
    assert len(answer(learned.trained, ("a",)).said) == 1
    for tokens, sentence in ((("k",), "letters a to j"), (("ab",), "letters a to j"), (("a",) * 13, "on 12 tokens")):
        with pytest.raises(ConfigError, match=sentence):
            answer(learned.trained, tokens)
    with pytest.raises(ConfigError, match="1 to 64"):
        answer(learned.trained, ())


def test_slots_that_are_asked_nothing_do_not_count() -> None:
    copies = run(LearningConfig(**SMALL | {"task": "copy", "back": 2, "steps": 1})).trained
    found = answer(copies, tuple("abcde"))
    assert found.wanted == ("", "", "a", "b", "c")
    assert found.asked == 3 >= found.right == sum(map(str.__eq__, found.said, found.wanted))


def test_without_its_head_nothing_of_it_is_left(learned: LearningResult) -> None:
    assert run(Ablation(trained=learned.trained)).left == learned.score
    found = run(Ablation(trained=learned.trained, off=((0, 0),)))
    assert found.left.accuracy < 0.3
    assert max(len(repr(found)), len(repr(learned.trained)), len(str(learned.trained))) < 120
    np.testing.assert_array_equal(found.each, [[found.left.accuracy]])
    for head in ((1, 0), (0, 1), (-1, 0)):
        with pytest.raises(ConfigError, match="layers 0 to 0 and heads 0 to 0"):
            Ablation(trained=learned.trained, off=(head,))


def test_each_head_off_is_each_head_alone_and_the_model_is_whole_again_afterwards() -> None:
    trained = run(LearningConfig(**SMALL | {"heads": 2, "layers": 2})).trained
    every = ((0, 0), (0, 1), (1, 0), (1, 1))
    alone = {head: run(Ablation(trained=trained, off=(head,))) for head in every}
    for one in alone.values():
        np.testing.assert_array_equal(one.each, np.reshape([alone[head].left.accuracy for head in every], (2, 2)))


def test_switching_a_head_off_is_taking_its_context_out() -> None:
    config = LearningConfig(**SMALL | {"heads": 2, "dtype": "float64"})
    result = run(config)
    model = draw_model(config)
    model.load_state_dict({name: torch.tensor(each) for name, each in result.trained.weights.items()}, strict=False)
    attention, tokens = model.attentions[0], torch.arange(5)[None, :]
    x = torch.nn.functional.embedding(tokens, model.table)
    trace = attention.trace(x)
    context = trace.context.clone()
    context[:, 1] = 0
    wanted = attention.out_of_heads(context)
    assert torch.allclose(without(model, [(0, 1)]).attentions[0](x), wanted, atol=1e-12)
    assert not torch.allclose(attention(x), wanted, atol=1e-3)


def verdicts(claim: str, **settings: object) -> tuple[Verdict, ...]:
    return run(LearningConfig(**{"batch": 16, "feed_forward": False} | settings)).about(claim).verdicts


def outcomes(*found: Verdict) -> list[str]:
    return [verdict.outcome for verdict in found]


DESCENT = {"optimizer": "sgd", "learning_rate": 0.3, "steps": 80}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_descent_leaves_the_key_bias_where_it_is(dtype: str) -> None:
    for more in ({}, {"layers": 2, "heads": 2, "placement": "post"}):
        assert outcomes(*verdicts("learn-key-bias", dtype=dtype, **DESCENT, **more)) == ["holds", "holds"]
        found = verdicts("learn-key-bias", dtype=dtype, positions="rotary", **DESCENT, **more)
        assert outcomes(*found) == ["fails", "fails"]
        assert found[0].measured > 1000 * found[0].bound


# Found by random settings: what is let through is less than rounding, for a saturated softmax or a small key bias.
# On the CPU: with such learning rates another device's rounding leads elsewhere, or nowhere.
TURNED = {"tokens": 2, "kinds": 10, "d_head": 256, "positions": "rotary", "device": "cpu"}
DROWNED = (
    {"d_model": 8, "scale": "none", "start": 1.5, "learning_rate": 10.0, "batch": 23, "steps": 18, "seed": 563720},
    {"d_model": 256, "heads": 4, "start": 3.0, "learning_rate": 0.01, "steps": 22, "seed": 922713, "causal": True},
)


@pytest.mark.parametrize("settings", DROWNED, ids=lambda one: str(one["seed"]))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_rotary_positions_let_through_may_be_less_than_rounding(settings: dict[str, object], dtype: str) -> None:
    found = verdicts("learn-key-bias", dtype=dtype, **TURNED, **settings)
    assert outcomes(*found) == ["fails", "undecided"]
    assert found[1].holds


@pytest.mark.parametrize("settings", DROWNED, ids=lambda one: str(one["seed"]))
def test_a_rotation_that_is_missing_surprises_where_softmax_hides_it(
    settings: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_projections, "rotate_heads", lambda z, *_, **__: z)
    moved, idle = outcomes(*verdicts("learn-key-bias", dtype="float32", **TURNED, **settings))
    assert (moved, idle) == ("fails", "surprises")  # AdamW moves the key bias by itself


def test_a_shared_key_bias_may_move_by_less_than_rounding() -> None:
    shared = {"task": "sort", "tokens": 5, "kinds": 10, "d_head": 256, "positions": "none", "projections": "tied-qk"}
    shared |= {"placement": "post", "feed_forward": True, "learning_rate": 0.3, "batch": 6, "steps": 22}
    saturated = shared | {"optimizer": "sgd", "start": 3.75, "seed": 443808}
    for dtype in ("float32", "float64"):
        (moved,) = verdicts("learn-key-bias", dtype=dtype, **saturated)
        assert (moved.outcome, moved.holds) == ("undecided", True)
        assert moved.because.endswith(f"it moves by less than {dtype} can tell")


def test_adam_and_a_shared_vector_move_the_key_bias() -> None:
    for projections in ("tied-kv", "tied-qk"):
        (shared,) = verdicts("learn-key-bias", projections=projections, **DESCENT)
        assert (shared.outcome, "one vector" in shared.because) == ("fails", True)
    found = verdicts("learn-key-bias", steps=60)
    assert outcomes(*found) == ["fails", "holds"]
    assert "AdamW" in found[0].because
    assert not verdicts("learn-key-bias", steps=60, biases=False)
    assert not verdicts("learn-key-bias", steps=60, learning_rate=0.0001)


def test_order_is_not_learned_blindly_and_is_with_positions() -> None:
    for task in ("reverse", "sort", "copy"):
        assert outcomes(*verdicts("learn-order", task=task, positions="none", steps=80)) == ["holds"], task
    assert outcomes(*verdicts("learn-order", steps=150)) == ["fails"]
    assert not verdicts("learn-order", steps=20), "theory does not say how long it takes"


def test_what_takes_too_long_is_refused_before_it_starts() -> None:
    with pytest.raises(
        ConfigError, match=r"5,000 steps of about .* more than 20 seconds .* at most [\d,]+ steps"
    ) as error:
        LearningConfig(layers=6, d_model=128, steps=5000)
    most = int(str(error.value).split("at most ")[1].split(" ")[0].replace(",", ""))
    assert LearningConfig(layers=6, d_model=128, steps=most).seconds <= MAX_SECONDS
    with pytest.raises(ConfigError, match=r"48 heads of this size.*more than 20 seconds"):
        check_heads(LearningConfig(layers=6, heads=8, d_model=256, tokens=64, batch=1, steps=1))
    check_heads(LearningConfig(layers=2, heads=4))


def test_the_estimate_grows_with_every_size() -> None:
    base = LearningConfig(steps=1)
    for more in (
        {"steps": 2}, {"batch": 64}, {"layers": 2}, {"d_model": 64}, {"d_head": 128}, {"tokens": 24}, {"kinds": 26},
        {"positions": "rotary"}, {"positions": "alibi"}, {"dtype": "float64"},
    ):  # fmt: skip
        assert dataclasses.replace(base, **more).seconds > base.seconds, more
    assert dataclasses.replace(base, feed_forward=False).seconds < base.seconds
