"""The models that the package ships: what they are worth, and that the command makes them."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from syrupy.assertion import SnapshotAssertion

from attention_core.checkpoints.checkpoint import Checkpoint
from attention_core.checkpoints.load import load_checkpoint
from attention_core.modules.positions import Learned
from attention_core.shipped import __main__ as command
from attention_core.shipped.__main__ import as_markdown, main
from attention_core.shipped.accuracy import Accuracy, accuracy, cue_weights, right_answers, wilson, without
from attention_core.shipped.corpus import Case
from attention_core.shipped.languages import LANGUAGES, SHIPPED
from attention_core.shipped.training import RECIPES, Recipe, first_model, train
from tests.approved import lines

ROOT = Path(__file__).parents[2]


def cases_of(name: str) -> dict[str, tuple[Case, ...]]:
    return LANGUAGES[name].cases(150, 2)  # the table's are of seed 1


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_small_and_says_its_words(name: str) -> None:
    model = load_checkpoint(SHIPPED[name])
    assert model.vocabulary == LANGUAGES[name].words
    assert (SHIPPED[name] / "model.safetensors").stat().st_size <= 500_000
    assert {path.name for path in SHIPPED[name].iterdir()} == {"config.json", "model.safetensors"}
    assert model.config.num_heads == 4
    assert all(parameter.isfinite().all() for parameter in model.parameters())


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_model_was_trained_for_it_knows_on_other_cases_than_those_of_the_table(name: str) -> None:
    model, cases = load_checkpoint(SHIPPED[name]), cases_of(name)
    shares = {construction: accuracy(model, each).share for construction, each in cases.items()}
    assert min(shares.values()) >= 0.95, shares


@pytest.mark.parametrize(
    ("name", "across", "without_it", "without_another"),
    [
        ("grammar", ("agreement-phrase", "agreement-clause", "agreement-bracket"), 0.6, 0.9),
        ("chinese", ("agreement-described", "agreement-place", "agreement-clause"), 0.5, 0.85),
        ("induction", ("induction",), 0.3, 0.0),
    ],
)
def test_one_head_looks_at_the_word_that_decides(
    name: str, across: tuple[str, ...], without_it: float, without_another: float
) -> None:
    """More than any other does, and without it what depends on that word is not known any more."""
    model, cases = load_checkpoint(SHIPPED[name]), cases_of(name)
    looks = torch.stack([cue_weights(model, cases[each]) for each in across]).mean(0)
    layer, head = divmod(int(looks.argmax()), model.config.num_heads)
    assert looks[layer, head] > 0.5
    for one in np.ndindex(model.config.num_layers, model.config.num_heads):
        silent = without(model, [one])
        shares = [accuracy(silent, cases[each]).share for each in across]
        if one == (layer, head):
            assert max(shares) < without_it
            assert "closing" not in cases or accuracy(silent, cases["closing"]).share > 0.95
        elif one[0] == layer or name == "chinese":
            assert min(shares) > without_another


def close(one: str, other: str) -> bool:
    """Whether two tables say the same words, and numbers that another machine's rounding may have moved by a case."""
    number = r"\d+\.\d+"
    numbers = zip(re.findall(number, one), re.findall(number, other), strict=True)
    return re.sub(number, "#", one) == re.sub(number, "#", other) and all(
        abs(float(left) - float(right)) < 0.0105 for left, right in numbers
    )


@pytest.mark.slow
def test_the_file_says_what_the_command_prints_but_for_shares_and_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "accuracy", lambda _, cases: Accuracy(0, len(cases), 0.5))
    monkeypatch.setattr(command, "cue_weights", lambda *_: torch.zeros(2, 4))
    monkeypatch.setattr(command, "without", lambda model, _: model)
    written = (ROOT / "docs/trained_models.md").read_text(encoding="utf-8")
    number = r"\d+\.\d+"
    assert re.sub(number, "#", as_markdown()) == re.sub(number, "#", written)


@pytest.mark.nightly
def test_the_table_is_what_the_files_give() -> None:
    written = (ROOT / "docs/trained_models.md").read_text(encoding="utf-8")
    assert close(as_markdown(), written)
    assert not close(written.replace("1.000", "0.900"), written)


def test_a_seed_gives_the_same_weights_and_takes_nothing_from_the_process(tmp_path: Path) -> None:
    recipe = replace(RECIPES["grammar"], steps=3, batch=4)
    before = torch.get_rng_state()
    one, same = (train(LANGUAGES["grammar"], recipe) for _ in range(2))
    other = train(LANGUAGES["grammar"], replace(recipe, seed=1))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(left, right) for left, right in zip(one.parameters(), same.parameters(), strict=True))
    assert not torch.equal(one.embedding.weight, other.embedding.weight)
    one.save(tmp_path)
    again = load_checkpoint(tmp_path)
    assert all(torch.equal(left, right) for left, right in zip(one.parameters(), again.parameters(), strict=True))


def test_recipes_are_those_that_the_shipped_models_were_made_by(approved: SnapshotAssertion) -> None:
    assert lines(RECIPES) == approved


def test_training_is_adamw_whose_rate_rises_and_falls() -> None:
    """Its steps taken by hand; most of the rise, whose end is at step 100, would take too long."""
    recipe, language = Recipe(longest=32, d_ff=16, steps=3, batch=2, rate=0.02, decay=0.3), LANGUAGES["grammar"]
    model, texts = first_model(language, recipe), language.texts(Random(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, weight_decay=0.3, betas=(0.9, 0.98), eps=1e-8)
    for step, fall in enumerate((1.0, 0.75, 0.25)):  # half a cosine: (1 + cos 0°) / 2, 60°, 120°
        optimizer.param_groups[0]["lr"] = 0.02 * (step + 1) / 100 * fall
        some = [torch.tensor(next(texts)) for _ in range(2)]
        optimizer.zero_grad()
        losses = [-model(text[None, :-1])[0].log_softmax(-1).gather(1, text[1:, None]).sum() for text in some]
        (sum(losses) / sum(len(text) - 1 for text in some)).backward()
        optimizer.step()
    trained = train(language, recipe)
    assert not trained.training
    for (name, ours), theirs in zip(trained.named_parameters(), model.parameters(), strict=True):
        if not name.endswith("k_bias"):  # its gradient is what rounding leaves, of which Adam makes whole steps
            assert (ours - theirs).abs().max() < 2e-5, name  # of steps of 0.0002; sums are in another order
    assert (trained.embedding.weight - first_model(language, recipe).embedding.weight).abs().max() > 2e-4


def test_a_first_model_has_gains_of_one_and_matrices_of_columns() -> None:
    model = first_model(LANGUAGES["grammar"], Recipe(longest=32, d_ff=256, steps=0, seed=3))
    for name, each in model.named_parameters():
        if each.dim() == 2:
            assert float(each.detach().std() * each.shape[1] ** 0.5) == pytest.approx(1, abs=0.1)
        else:
            assert each.unique().tolist() == [1.0 if name.endswith("norm.weight") else 0.0], name
    config = model.config
    assert (config.d_model, config.num_heads, config.num_layers, config.position) == (64, 4, 2, Learned(32))


def test_after_every_hundred_steps_the_loss_is_reported() -> None:
    reported: list[tuple[int, float]] = []
    recipe = Recipe(longest=18, d_ff=0, steps=200, batch=1)
    train(LANGUAGES["reverse"], recipe, lambda steps, loss: reported.append((steps, loss)))
    assert [steps for steps, _ in reported] == [100, 200]
    assert reported[0][1] > reported[1][1] > 0


@pytest.mark.nightly
def test_the_smallest_is_made_again(tmp_path: Path) -> None:
    """By the command; on another machine sums round differently, and then it is as good and not the same."""
    smallest = min(SHIPPED, key=lambda name: (SHIPPED[name] / "model.safetensors").stat().st_size)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert main(["--make", smallest, "--out", str(tmp_path)]) == 0
    finally:
        torch.set_num_threads(threads)
    made, shipped = load_checkpoint(tmp_path), load_checkpoint(SHIPPED[smallest])
    assert made.config == shipped.config
    same = [torch.equal(left, right) for left, right in zip(made.parameters(), shipped.parameters(), strict=True)]
    for cases in cases_of(smallest).values():
        ours, theirs = (accuracy(model, cases) for model in (made, shipped))
        assert all(same) or ours.interval[1] >= theirs.interval[0]
        assert ours.share >= 0.95


def test_an_answer_is_right_if_the_likeliest_word_that_is_compared_is() -> None:
    class Fixed(torch.nn.Module):
        config = load_checkpoint(SHIPPED["reverse"]).config

        def __init__(self) -> None:
            super().__init__()
            self.scores = torch.nn.Parameter(torch.arange(float(self.config.vocab_size)))

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.scores.expand(*tokens.shape, -1) * (1 - 2 * (tokens[..., None] == 3).float())

    up, down = (0, 5), (0, 5, 3)  # after id 3 the scores are the other way round
    cases = [
        Case(up, 0, (9,), (7, 8)),
        Case(up, 0, (7,), (9,)),
        Case(down, 0, (7,), (9,)),
        Case(down, 0, (9, 4), (7,)),
    ]
    model = Fixed()
    assert right_answers(model, cases).tolist() == [True, False, True, True]
    assert accuracy(model, cases) == Accuracy(3, 4, (1 / 3 + 1 / 2 + 1 / 2 + 2 / 3) / 4)


def test_a_head_that_is_off_gives_nothing_and_the_model_keeps_it() -> None:
    model = load_checkpoint(SHIPPED["grammar"])
    kept = [parameter.clone() for parameter in model.parameters()]
    silent = without(model, [(1, 2), (0, 0)])
    assert isinstance(silent, Checkpoint)
    words = ["<start>", "the", "keys", "near", "the", "dog"]
    below, above = silent.trace(torch.tensor([LANGUAGES["grammar"].ids(words)]))
    for trace, head, layer in ((below, 0, 0), (above, 2, 1)):
        attention = silent.stack.layers[layer].self_attention
        assert not attention.o_weight[:, head * 16 : (head + 1) * 16].any()
        assert trace.context[:, head].any()
    assert all(torch.equal(one, each) for one, each in zip(kept, model.parameters(), strict=True))


@pytest.mark.parametrize(
    ("right", "count", "low", "high"), [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (500, 500, 0.9924, 1.0)]
)
def test_the_interval_is_wilsons(right: int, count: int, low: float, high: float) -> None:
    assert wilson(right, count) == pytest.approx((low, high), abs=1e-4)
    assert Accuracy(right, count, 0.5).interval == wilson(right, count)


def test_an_unknown_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--make", "french"])
    assert "grammar" in capsys.readouterr().err


def test_the_command_prints_the_table_or_makes_a_model_where_it_is_told_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Made:
        def save(self, folder: Path) -> None:
            saved.append(folder)

    def trained(*asked: object) -> Made:
        assert asked[:2] == (LANGUAGES["chinese"], RECIPES["chinese"])
        return Made()

    saved: list[Path] = []
    monkeypatch.setattr(command, "as_markdown", lambda: "# The table\n")
    monkeypatch.setattr(command, "train", trained)
    assert main(["--table"]) == 0
    assert capsys.readouterr().out == "# The table\n"
    assert main(["--make", "chinese"]) == main(["--make", "chinese", "--out", "elsewhere"]) == 0
    assert saved == [SHIPPED["chinese"], Path("elsewhere")]
    assert re.fullmatch(r".*models.chinese: \d+ s\nelsewhere: \d+ s\n", capsys.readouterr().out)
