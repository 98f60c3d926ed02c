"""A model that is trained on a text: how that is cut, what counting foretells, what is measured, what is copied."""

import gc
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from attention_core.measuring.checks import ConfigError
from attention_core.measuring.run import run
from attention_core.studies.learning import (
    MAX_TEXT,
    TEMPERATURES,
    LearningConfig,
    SeedsConfig,
    TextConfig,
    TextResult,
    TextStep,
    bring_text,
    encoder,
    example,
    join,
    keep,
    load_kept,
    rebuild,
    steps_text,
    text_snippet,
    tokens_file,
)
from attention_core.studies.learning.text.cut import CHARACTERS, WORDS, cut, spaced
from attention_core.studies.learning.text.held import held, ready_made
from attention_core.studies.learning.text.measure import Tail
from attention_core.studies.learning.text.ngrams import losses
from attention_core.studies.learning.text.settings import WRITTEN, shuffled
from attention_core.studies.learning.text.writing import longest_run, write
from tests.experiments.snippets import run_snippets

SMALL = {"steps": 12, "batch": 4, "tokens": 10, "d_model": 16, "feed_forward": False}
SEA = "the sea is wide, the sea is deep; who sails at night?\n" * 30
LETTERS = "".join(Random(1).choices("abcdefgh", (9, 8, 7, 6, 5, 4, 3, 2), k=700))


@pytest.fixture(scope="module")
def learned() -> TextResult:
    return run(TextConfig(**SMALL | {"tokens": 32, "layers": 2, "batch": 16, "steps": 300, "d_model": 32}))


# ---- what a text is cut into ----


def test_words_and_signs_are_tokens_and_a_text_comes_back_from_them() -> None:
    text = "Don’t go (yet), said Ann: it’s 3.5 miles!\nWhy “now”?"
    tokens = cut(text, WORDS)
    assert tokens == (
        "Don’t", "go", "(", "yet", ")", ",", "said", "Ann", ":", "it’s", "3.5", "miles", "!", "\n", "Why", "“", "now",
        "”", "?",
    )  # fmt: skip
    assert join(tokens, WORDS) == text
    assert cut(join(cut("我爱你。我 爱猫", WORDS), WORDS), WORDS) == ("我", "爱", "你", "。", "我", "爱", "猫")
    assert cut("a b\n", CHARACTERS) == ("a", " ", "b", "\n")
    assert "".join(spaced(cut(SEA, CHARACTERS), CHARACTERS)) == SEA


def test_words_are_taken_where_they_are_few_and_come_often_else_characters() -> None:
    sea, letters = bring_text(SEA), bring_text(LETTERS)
    assert (sea.by, letters.by) == (WORDS, CHARACTERS)
    assert sea.words[0] == Counter(cut(SEA.strip(), WORDS)).most_common(1)[0][0]
    assert "".join(letters.words[at] for at in letters.ids) == LETTERS
    rare = " ".join(f"{a}{b}" for a in "abcdefghijklmnop" for b in "qrstuvwxyz")  # 160 words, each once
    assert bring_text(rare).by == CHARACTERS
    assert ready_made().by == WORDS
    assert len(ready_made().words) < 100 < len(ready_made().ids)


def test_the_same_text_is_one_whoever_opens_it_and_leaves_with_them() -> None:
    one, other = bring_text(SEA), bring_text(b"\xef\xbb\xbf" + SEA.replace("\n", "\r\n").encode())
    assert one is other
    digest = one.digest
    config = TextConfig(digest=digest, **SMALL)
    assert config == TextConfig(digest=digest, **SMALL)
    assert hash(config) == hash(TextConfig(digest=digest, kinds=99, **SMALL)), "kinds are the text's own"
    assert config.in_this_process
    assert not TextConfig().in_this_process
    assert held(digest) is one
    del one, other
    gc.collect()
    assert held(digest) is None
    with pytest.raises(ConfigError, match="no longer open"):
        TextConfig(digest=digest)
    with pytest.raises(ConfigError, match="no longer open"):
        next(steps_text(config))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("", "200 words or characters"),
        (" \n\t ", "200 words or characters"),
        ("x", "a text of 1 character"),
        ("ab" * 99, "a text of 198 characters"),
        ("a" * 5000, "one and the same token, 5,000 times"),
        ("a" * 50_001, "a text of 50,001 bytes"),
        ("ä" * 25_001, "a text of 50,002 bytes"),
        (b"x" * 10_000_000, "a text of 10,000,000 bytes"),
        ("käse " .encode("latin-1") * 100, "no UTF-8 from its byte 2 on"),
        (SEA.encode("utf-16"), "UTF-16"),
        (SEA.encode("utf-16-be"), "U\\+0000"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, "no UTF-8 from its byte 1 on"),
        (b"PK\x03\x04" + b"abc " * 200, "U\\+0003"),
        ("a b \u202e c " * 100, "U\\+202E"),
        ("a b \ud800 c " * 100, "half a character"),
        ("".join(chr(0x4E00 + at) for at in range(300)) * 2, "300 kinds of words and 300 of characters"),
    ],
)  # fmt: skip
def test_what_is_no_text_to_learn_from_is_refused_in_a_sentence(given: str | bytes, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        bring_text(given)


def test_the_largest_text_is_taken() -> None:
    assert len(bring_text(("ab c" * 20_000)[:MAX_TEXT]).ids) > 10_000


# ---- what counting foretells ----


def counted(ids: list[int], tail: int, kinds: int, order: int) -> list[float]:
    """The same by dictionaries: each share is of a token after its context, with itself left out where it counts."""
    train = ids[:-tail]

    def shares(at: int) -> list[float]:
        inside = at < len(train)
        found = [1 / kinds]
        for size in range(1, order + 1):
            if at < size - 1:
                found.append(found[-1])
                continue
            context, runs = tuple(ids[at - size + 1 : at]), grams[size]
            whole = sum(many for run, many in runs.items() if run[:-1] == context) - inside
            found.append((runs[*context, ids[at]] - inside) / whole if whole else found[-1])
        return found

    grams = {
        size: Counter(tuple(train[at - size + 1 : at + 1]) for at in range(size - 1, len(train)))
        for size in range(1, order + 1)
    }
    rows = [shares(at) for at in range(len(train))]
    mixture = [1 / (order + 1)] * (order + 1)
    for _ in range(100):
        sums = [1.0] * (order + 1)
        for row in rows:
            parts = [weight * share for weight, share in zip(mixture, row, strict=True)]
            sums = [one + part / sum(parts) for one, part in zip(sums, parts, strict=True)]
        mixture = [one / (len(rows) + order + 1) for one in sums]
    mixed = [sum(w * s for w, s in zip(mixture, shares(at), strict=True)) for at in range(len(train), len(ids))]
    return [-math.log(one) for one in mixed]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_counts_are_mixed_as_dictionaries_say(order: int) -> None:
    chance = Random(order)
    ids = [chance.choice((0, 1, 1, 2, at % 5)) for at in range(120)] + [5, 0, 1]  # 5 is never trained on
    found = losses(np.array(ids, np.int32), 15, 6, order)
    np.testing.assert_allclose(found, counted(ids, 15, 6, order), rtol=1e-9)


def test_probabilities_of_all_kinds_sum_to_one() -> None:
    ids = [1, 0, 2, 2, 1, 0, 1, 0, 0, 2, 1, 0, 2, 1]
    for order in (1, 2, 3):
        ends = [losses(np.array([*ids, last], np.int32), 1, 4, order)[0] for last in range(4)]
        assert sum(math.exp(-one) for one in ends) == pytest.approx(1)


def test_of_a_shuffled_text_pairs_and_triples_foretell_no_more_than_single_tokens() -> None:
    text = ready_made()
    one, two, three = (losses(text.ids, text.tail, len(text.words), order).mean() for order in (1, 2, 3))
    assert one > two + 1 > three + 1
    mixed = shuffled(text, 3, "text")
    assert Counter(mixed.tolist()) == Counter(text.ids.tolist())
    single, *others = (losses(mixed, text.tail, len(text.words), order).mean() for order in (1, 2, 3))
    assert others == pytest.approx([single] * 2, abs=0.01)


# ---- the run ----


def test_each_token_of_the_tail_is_asked_for_once_after_those_before_it() -> None:
    for length, tail, tokens in ((50, 12, 5), (50, 10, 5), (50, 3, 8), (23, 2, 20)):
        ids = torch.arange(length)
        cut_up = Tail(ids, tail, tokens)
        asked = cut_up.wanted[cut_up.wanted >= 0]
        assert sorted(asked.tolist()) == list(range(length - tail, length))
        assert (cut_up.wanted[cut_up.wanted >= 0] == cut_up.inputs[cut_up.wanted >= 0] + 1).all()


@pytest.mark.slow
def test_the_model_lies_below_what_counting_foretells_and_its_loss_is_its_own(learned: TextResult) -> None:
    config, text = learned.config, learned.config.text
    found = learned.run
    expected = [losses(text.ids, text.tail, len(text.words), order) for order in (1, 2, 3)]
    np.testing.assert_allclose(found.counted, [one.mean() for one in expected])
    model = rebuild(learned.trained)
    ids = torch.from_numpy(text.ids.astype(np.int64))
    first = len(ids) - text.tail
    each = []
    for begin in range(first, len(ids), config.tokens):  # each by itself, without a batch
        end = min(begin + config.tokens, len(ids))
        piece = ids[end - config.tokens - 1 : end]
        logp = model(piece[None, :-1])[0].log_softmax(-1).gather(1, piece[1:, None])[begin - end :, 0]
        each.append(-logp.detach().double().numpy())
    assert sum(map(len, each)) == text.tail
    assert found.held_out[-1] == pytest.approx(np.concatenate(each).mean(), rel=1e-5)
    below = np.concatenate([expected[1]]) - np.concatenate(each)
    assert learned.gain.mean == pytest.approx(below.mean(), rel=1e-5)
    pieces = np.split(below, np.cumsum([len(one) for one in each])[:-1])
    assert learned.gain.sequences == len(pieces)
    apart = [piece.sum() - below.mean() * len(piece) for piece in pieces]
    error = math.sqrt(len(pieces) / (len(pieces) - 1) * sum(one**2 for one in apart)) / len(below)
    assert learned.gain.error == pytest.approx(error, rel=1e-4)
    assert found.held_out[-1] < found.counted[1] < found.counted[0] < found.held_out[0]


@pytest.mark.slow
def test_the_claims_hold_of_the_ready_made_text_and_fail_once_it_is_shuffled(learned: TextResult) -> None:
    pairs, copy = learned.about("text-pairs", "text-copy").verdicts
    assert (pairs.outcome, copy.outcome) == ("holds", "holds")
    assert (pairs.measured, copy.bound) == (learned.gain.low, 2 * learned.by_chance)
    mixed = run(TextConfig(shuffled=True, tokens=32, layers=2, batch=16, steps=300))
    assert [one.outcome for one in mixed.about("text-pairs", "text-copy").verdicts] == ["fails", "fails"]
    assert abs(mixed.run.counted[1] - mixed.run.counted[0]) < 0.01


def test_of_a_text_of_ones_own_theory_leaves_it_open_and_the_numbers_say_it() -> None:
    text = bring_text(SEA)
    found = run(TextConfig(digest=text.digest, **SMALL))
    assert {one.outcome for one in found.about("text-pairs", "text-copy").verdicts} == {"undecided"}


def test_a_model_that_reads_the_next_token_claims_nothing() -> None:
    found = run(TextConfig(**SMALL | {"causal": False}))
    assert not found.about("text-pairs", "text-copy").verdicts
    assert found.config.reads_ahead


def test_steps_show_the_run_so_far() -> None:
    *steps, result = steps_text(TextConfig(**SMALL))
    assert isinstance(result, TextResult)
    assert all(isinstance(step, TextStep) for step in steps)
    for count, step in enumerate(steps, 1):
        assert len(step.run.held_out) == len(step.run.written) == count
        np.testing.assert_array_equal(step.run.held_out, result.run.held_out[:count])
    assert [step.done for step in steps] == result.run.history.moments.tolist()


def test_nothing_of_the_tail_is_trained_on() -> None:
    text = bring_text(SEA * 2)
    tokens = [text.words[at] for at in text.ids]
    first = len(tokens) - text.tail
    other = bring_text(join(tokens[:first] + tokens[first:-1][::-1] + tokens[-1:], WORDS))
    assert other.words == text.words
    here, there = (run(TextConfig(digest=one.digest, **SMALL)) for one in (text, other))
    for name, weights in here.trained.weights.items():
        np.testing.assert_array_equal(weights, there.trained.weights[name])
    np.testing.assert_array_equal(here.run.written, there.run.written)
    assert here.run.held_out[-1] != there.run.held_out[-1]


def test_too_high_a_rate_ends_in_a_sentence() -> None:
    found = run(TextConfig(**SMALL | {"optimizer": "sgd", "learning_rate": 100.0, "steps": 60}))
    assert "too high for these settings" in found.stopped
    assert not found.verdicts


# ---- what it writes ----


def longest_common(one: list[int], other: list[int]) -> int:
    """The longest run of the one that stands in the other, by trying each."""
    inside = {tuple(other[a:b]) for a in range(len(other)) for b in range(a + 1, len(other) + 1)}
    return max(
        (b - a for a in range(len(one)) for b in range(a + 1, len(one) + 1) if tuple(one[a:b]) in inside), default=0
    )


def test_the_longest_run_is_what_trying_each_finds() -> None:
    chance = Random(4)
    for _ in range(60):
        kinds = chance.randint(1, 4)
        one, other = ([chance.randrange(kinds) for _ in range(chance.randint(1, 14))] for _ in range(2))
        start, length = longest_run(np.array(one), np.array(other))
        assert length == longest_common(one, other)
        assert any(other[at : at + length] == one[start : start + length] for at in range(len(other)))
    assert longest_run(np.array([7]), np.array([1, 2])) == (0, 0)


def test_it_draws_from_the_scores_divided_by_the_temperature() -> None:
    scores = torch.tensor([0.0, 1.0, 2.0])

    class Constant(torch.nn.Module):
        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            assert tokens.shape[1] <= 3
            return scores.expand(*tokens.shape, 3)

    count = 4000
    found = write(Constant(), torch.tensor([0]), (0.5, 2.0), count, 3, 5)
    for temperature, written in zip((0.5, 2.0), found, strict=True):
        shares = np.bincount(written, minlength=3) / count
        wanted = F.softmax(scores / temperature, 0).numpy()
        assert np.abs(shares - wanted).max() < 5 * math.sqrt(0.25 / count)
    np.testing.assert_array_equal(found, write(Constant(), torch.tensor([0]), (0.5, 2.0), count, 3, 5))


@pytest.mark.slow
def test_what_is_written_and_copied_is_noted_at_each_moment(learned: TextResult) -> None:
    found = learned.run
    assert found.written.shape == (len(found.held_out), len(TEMPERATURES), WRITTEN)
    ids = learned.config.text.ids.tolist()
    at = TEMPERATURES.index(1.0)
    start, length = found.copied[-1, at]
    run_of = found.written[-1, at, start : start + length].tolist()
    assert any(ids[place : place + length] == run_of for place in range(len(ids)))
    assert length > learned.by_chance >= 1
    assert all(a <= b for a, b in pairwise([0, *found.history.moments]))


# ---- bounds ----


def test_what_takes_too_long_or_too_much_is_refused_before_it_starts() -> None:
    with pytest.raises(ConfigError, match="more than 20 seconds of one core"):
        TextConfig(layers=6, d_model=128, steps=5000)
    large = TextConfig(tokens=64, batch=256, steps=1)
    assert large.working_bytes > 4 * 4 * 256 * 64 * large.kinds, "scores of all kinds in each slot"
    assert TextConfig(dtype="float64").working_bytes > TextConfig().working_bytes


def test_a_text_is_for_one_model_alone() -> None:
    for kind in (LearningConfig, SeedsConfig):
        with pytest.raises(ConfigError, match="one model at a time"):
            kind(task="text")
    with pytest.raises(ConfigError, match="text is allowed"):
        TextConfig(task="sort")


# ---- kept ----


def test_a_kept_model_comes_back_without_its_text_and_is_asked_in_its_words() -> None:
    text = bring_text(LETTERS)
    trained = run(TextConfig(digest=text.digest, **SMALL)).trained
    content = keep(trained)
    assert LETTERS[:60].encode() not in content
    del text
    gc.collect()
    back = load_kept(content)
    assert back.words == trained.words
    assert keep(back) == content
    encode = encoder(back)
    assert encode
    ids, tokens = encode("ab ba")
    assert tokens == ("a", "b", "b", "a")
    assert [back.words[at] for at in ids] == ["a", "b", "b", "a"]
    assert encode(" ".join(example(back)))[0]
    with pytest.raises(ConfigError, match="8 kinds of tokens"):
        encode("xyz")
    assert encoder(run(LearningConfig(steps=1, batch=2)).trained) is None


# ---- the code ----


def test_the_code_computes_the_loss_again(tmp_path: Path) -> None:
    for settings in ({}, {"shuffled": True, "positions": "rotary", "optimizer": "sgd", "tokens": 30}):
        found, beside = run(TextConfig(**SMALL | settings)), tmp_path / "text.json"
        beside.write_text(tokens_file(found.config.text), encoding="utf-8")
        (told,) = run_snippets([text_snippet(found.config).replace("text.json", str(beside))])
        loss, tail = found.run.held_out[-1], found.config.tail
        assert told == f"loss {loss:.3f} nats a token on the last {tail} tokens\n"
