"""Statistics of the test against loops, closed forms, and samples whose truth is known."""

import random
import statistics
from collections.abc import Sequence
from math import exp, log, sqrt

import numpy as np
import pytest

from pages._shared.class_rooms.results import normalised
from attention_core.concept_test import ITEMS
from attention_core.concept_test.scores import FEWEST, alpha, gain, held, item_scores, share

KEY = (0, 1, 2, 3, 0, 1)


def sample(people: int, seed: int = 0, key: Sequence[int] = KEY) -> list[list[int | None]]:
    """Answers of people who know more or less; some are missing."""
    draw = random.Random(seed)
    known = [draw.random() for _one in range(people)]
    return [
        [
            None if draw.random() < 0.05 else right if draw.random() < knows else draw.randrange(4)
            for right in key
        ]
        for knows in known
    ]  # fmt: skip


def right(answers: Sequence[Sequence[int | None]]) -> list[list[int]]:
    return [[int(place == wanted) for place, wanted in zip(one, KEY, strict=True)] for one in answers]


def test_difficulty_and_shares_are_counted() -> None:
    answers = sample(50)
    for place, score in enumerate(item_scores(answers, KEY)):
        column = [one[place] for one in answers]
        assert score.difficulty is not None
        assert score.difficulty.value == column.count(KEY[place]) / 50
        given = 50 - column.count(None)
        assert score.shares == tuple(column.count(choice) / given for choice in range(4))


def test_discrimination_is_the_correlation_with_all_other_items() -> None:
    answers = sample(60, seed=3)
    rows = right(answers)
    for place, score in enumerate(item_scores(answers, KEY)):
        item, rest = [row[place] for row in rows], [sum(row) - row[place] for row in rows]
        assert score.discrimination is not None
        assert score.discrimination.value == pytest.approx(statistics.correlation(item, rest))


def test_discriminations_interval_is_as_wide_as_the_jackknifes() -> None:
    """Another way to it: how the correlation spreads where one person at a time is left out."""
    answers = sample(200, seed=7)
    n = len(answers)
    for place, score in enumerate(item_scores(answers, KEY)):
        rows = right(answers)
        item, rest = np.array([row[place] for row in rows]), np.array([sum(row) - row[place] for row in rows])
        without = [np.arctanh(np.corrcoef(np.delete(item, at), np.delete(rest, at))[0, 1]) for at in range(n)]
        spread = sqrt((n - 1) / n * sum((one - statistics.mean(without)) ** 2 for one in without))
        found = score.discrimination
        assert found is not None
        assert (np.arctanh(found.high) - np.arctanh(found.low)) / 2 == pytest.approx(1.959964 * spread, rel=0.05)


def test_discriminations_interval_holds_the_truth_in_about_95_of_100_samples() -> None:
    """Half of all people know each of three items with p = 0.2, half with 0.8."""
    draw, hits, tries = np.random.default_rng(2), 0, 800
    truth = 0.18 / sqrt(0.25 * 0.68)  # covariance 2 · 0.09; variances of one item, and of two that go together
    for _try in range(tries):
        knows = draw.choice([0.2, 0.8], size=(100, 1))
        found = item_scores(np.where(draw.random((100, 3)) < knows, 0, 1).tolist(), (0, 0, 0))[0].discrimination
        assert found is not None
        hits += found.low < truth < found.high
    assert abs(hits / tries - 0.95) < 5 * sqrt(0.95 * 0.05 / tries)


def test_an_item_that_is_the_others_goes_with_them_wholly() -> None:
    found = item_scores([[0, 0] if at % 2 else [1, 1] for at in range(30)], (0, 0))[0].discrimination
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((1, 1, 1))


def test_wilsons_interval_solves_its_equation() -> None:
    """Its ends are the shares p from which 12 of 40 lie 1.96 standard errors away."""
    found = share(12, 40)
    assert found is not None
    for p in (found.low, found.high):
        assert abs(0.3 - p) / sqrt(p * (1 - p) / 40) == pytest.approx(1.959964, abs=1e-6)
    none, every = share(0, 25), share(25, 25)
    assert none is not None
    assert every is not None
    assert none.low == pytest.approx(0, abs=1e-12)
    assert every.high == pytest.approx(1)


def test_alpha_is_that_of_mean_covariances() -> None:
    """Another formula for it: k·c/(v + (k − 1)·c), with the mean variance v and the mean covariance c."""
    answers = sample(40, seed=5)
    columns = list(zip(*right(answers), strict=True))
    k = len(columns)
    variance = statistics.mean(statistics.variance(column) for column in columns)
    covariance = statistics.mean(
        statistics.covariance(one, other)
        for at, one in enumerate(columns)
        for place, other in enumerate(columns)
        if at != place
    )
    found = alpha(answers, KEY)
    assert found is not None
    assert found.value == pytest.approx(k * covariance / (variance + (k - 1) * covariance))
    half = 1.959964 * sqrt(2 * k / ((k - 1) * 38))
    assert found.low == pytest.approx(1 - exp(log(1 - found.value) + half))
    assert found.low < found.value < found.high


def test_equal_items_have_alpha_one_and_equal_people_none() -> None:
    same = [[0] * 4 if at % 2 else [1] * 4 for at in range(30)]
    found = alpha(same, (0, 0, 0, 0))
    assert found is not None
    assert found.value == pytest.approx(1)
    assert alpha([[0, 0]] * 30, (0, 0)) is None
    assert [one.discrimination for one in item_scores([[0, 0]] * 30, (0, 0))] == [None, None]


def test_alphas_interval_holds_the_truth_in_nine_of_ten_samples_or_more() -> None:
    """Half of all people know each item with p = 0.2, half with 0.8: items vary by 1/4 and go together by 0.09."""
    draw, k, tries = np.random.default_rng(0), 8, 400
    rho, hits = 0.09 / 0.25, 0
    truth = k * rho / (1 + (k - 1) * rho)
    for _try in range(tries):
        knows = draw.choice([0.2, 0.8], size=(60, 1))
        answers = np.where(draw.random((60, k)) < knows, 0, 1).tolist()
        found = alpha(answers, (0,) * k)
        assert found is not None
        hits += found.low < truth < found.high
    assert 0.9 <= hits / tries <= 0.999, hits


@pytest.mark.parametrize("counts", [(12, 5, 3, 20), (1, 9, 10, 20), (30, 0, 0, 5)])
def test_the_gain_of_one_question_is_that_of_a_class(counts: tuple[int, int, int, int]) -> None:
    came, went, stayed, kept = counts
    pairs = [(0, 1)] * came + [(1, 0)] * went + [(0, 0)] * stayed + [(1, 1)] * kept
    found = gain([first for first, _ in pairs], [second for _, second in pairs])
    theirs = normalised({(False, True): came, (True, False): went, (False, False): stayed, (True, True): kept})
    assert found is not None
    assert theirs is not None
    assert found.value == pytest.approx(theirs[0])
    assert found.high - found.value == pytest.approx(1.959964 * theirs[1])


def test_gains_interval_holds_the_truth_in_about_95_of_100_samples() -> None:
    draw, hits, tries, n = np.random.default_rng(1), 0, 800, 200
    for _try in range(tries):
        first = draw.binomial(10, 0.4, n) / 10
        second = first + draw.binomial(np.round(10 * (1 - first)).astype(int), 0.3) / 10
        found = gain(list(first), list(second))
        assert found is not None
        hits += found.low < 0.3 < found.high
    assert abs(hits / tries - 0.95) < 5 * sqrt(0.95 * 0.05 / tries)


def test_below_twenty_nothing_is_told_but_what_was_counted() -> None:
    few = sample(FEWEST - 1)
    assert all(one.difficulty is None and one.discrimination is None for one in item_scores(few, KEY))
    assert all(sum(one.shares) == pytest.approx(1) for one in item_scores(few, KEY))
    assert alpha(few, KEY) is None
    assert gain([0.2] * (FEWEST - 1), [0.8] * (FEWEST - 1)) is None
    assert alpha(sample(FEWEST, seed=1), KEY) is not None
    assert gain([0.2] * FEWEST, [0.8] * FEWEST) is not None
    assert gain([0.6] * FEWEST, [0.8] * FEWEST) is None, "eight whole tests were left to gain"
    assert alpha([[1]] * 30, (1,)) is None
    assert item_scores([], (0,))[0].shares == (0, 0, 0, 0)


def test_a_misconception_is_counted_once_for_a_person_and_of_those_who_could_take_it() -> None:
    items = [item for item in ITEMS if item.id in ("self-shuffle", "count", "sink")]
    places = [{choice.misconception: at for at, choice in enumerate(item.choices)} for item in items]
    answers = [
        [places[0]["order"], places[1]["order"], places[2]["idle"]],
        [places[0]["order"], places[1][""], None],
        [None, None, places[2][""]],
    ]
    found = {one.misconception: (one.people, one.of) for one in held(answers, items)}
    assert found["order"] == (2, 2)
    assert found["idle"] == (1, 2)
    assert found["stays"] == (0, 2)
    assert "explains" not in found


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="5 answers of one person do not fit 6 items"):
        alpha([[0] * 5] * 30, KEY)
    with pytest.raises(ValueError, match="3 answered before and 2 after: pairs are needed"):
        gain([0.1] * 3, [0.2] * 2)
