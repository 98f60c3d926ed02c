"""A trained model's pictures: what a click chooses, how a grid of heads is cut, and what is said of it."""

import dataclasses
import re

import numpy as np
import pytest

from attention_core.figures.matrix import MatrixView
from attention_core.figures.svg import view_svgs
from attention_core.shipped.languages import LANGUAGES
from attention_core.studies.trained import (
    AccuracyResult,
    Head,
    HeadsConfig,
    HeadsResult,
    TrainedConfig,
    TrainedResult,
    draw,
    run_heads,
    run_trained,
)
from attention_core.studies.trained.draw.heads import ASKED
from tests.figures.views import of, view_of
from tests.texts import number_of

ROWS = draw.by_place((2, 4))


def next_view(result: TrainedResult, head: Head) -> MatrixView:
    return draw.next_view(result, head, draw.by_place(result.shape))


def roles_view(found: HeadsResult, accuracy: AccuracyResult | None, off: tuple[Head, ...] = ()) -> MatrixView:
    return draw.roles_view(found, accuracy, off, draw.by_place(found.scores.shape[1:]))


def test_each_square_of_the_grid_is_one_head() -> None:
    result, (grid, large, *_) = of("trained"), view_of("trained grid").panels
    n = len(result.tokens)
    for layer, head in np.ndindex(*result.shape):
        square = grid.values[layer * n : (layer + 1) * n, head * n : (head + 1) * n]
        np.testing.assert_allclose(square, result.weights[layer, head], rtol=1e-6)
        assert not square[grid.hidden[:n, :n]].any()
        chosen = draw.choice("heads", result, (0, layer * n + 4, head * n + 2), ROWS)
        assert chosen == {"head": ((layer, head),), "cell": (4, 2)}
    assert (grid.rows.groups, grid.columns.groups) == (("1", "2"), ("1", "2", "3", "4"))
    assert large.title == "Layer 1, head 4"
    drawn = view_svgs(view_of("trained grid"))[0]
    (borders,) = re.findall(r'<path d="([^"]*)" stroke="#FFFFFF"', drawn)
    assert borders.count("M") == 1 + 3, "borders between them"


def test_a_click_chooses_a_head_or_a_cell_and_what_is_chosen_is_marked() -> None:
    result = of("trained")
    assert draw.choice("next", result, (0, 6, 2), ROWS) == {"head": ((1, 2),), "cell": (5, 2)}
    assert draw.selected("next", result, (1, 2), (5, 2), ROWS) == (0, 6, 2)
    assert draw.selected("next", result, (1, 2), (3, 1), ROWS) is None, "a row of which the picture has no cells"
    assert draw.choice("heads", result, (1, 3, 1), ROWS) == {"cell": (3, 1)}
    assert draw.choice("scores", result, (0, 1, 3), ROWS) == {"head": ((1, 3),)}
    assert draw.choice("next", result, (1, 0, 0), ROWS) == draw.choice("roles", result, (0, 0, 0), ROWS) == {}
    assert draw.chosen_cell(result, (0, 0), (2, 4)) == draw.chosen_cell(result, (0, 0), ()), "hidden by the mask"


def test_a_head_in_large_is_the_chosen_one_or_the_one_that_looks_at_what_decides() -> None:
    result, found = of("trained"), of("named")
    assert draw.chosen_head(result, found, ((1, 3),)) == (1, 3)
    assert (
        draw.chosen_head(result, found, ((7, 0),)) == draw.chosen_head(result, found, ()) == found.best("agreement")
    )


def test_the_arithmetic_of_a_cell_adds_up() -> None:
    result = run_trained(TrainedConfig())
    for head in ((0, 2), (1, 1)):
        for cell in ((5, 2), (3, 3), (0, 0)):
            said = "".join(text for text, _ in draw.arithmetic(result, head, cell))
            scores = result.scores[head][cell[0], : cell[0] + 1]
            weight = np.exp(scores[cell[1]]) / np.exp(scores).sum()
            assert number_of(said.rpartition("gives ")[2]) == pytest.approx(weight, rel=6e-3)
            assert f"“{result.tokens[cell[0]]}” looks at “{result.tokens[cell[1]]}”" in said


def test_what_comes_next_is_said_with_its_number_and_where_the_head_looks() -> None:
    best = run_heads(HeadsConfig()).best("agreement")
    assert best is not None
    whole, less = run_trained(TrainedConfig()), run_trained(TrainedConfig(off=(best,)))
    assert f"a plural verb, such as “{whole.likely[0]}”" in next_view(whole, best).summary
    assert next_view(whole, best).summary.endswith("looks at “keys”.")
    assert next_view(less, best).summary == ("Without head 2.1 the probability of singular verbs rises to 37%.")
    told = {(0.2, 0.2): "stays at 20%.", (0.1, 0.2): "falls to 10%.", (0.3, 0.2): "rises to 30%."}
    for (now, before), said in told.items():
        other = dataclasses.replace(
            less, kinds=(), probabilities=np.full(len(less.likely), now), before=np.full(len(less.likely), before)
        )
        assert next_view(other, best).summary == f"Without head 2.1 the probability of “are” {said}"
    both = dataclasses.replace(less, off=((0, 2), (1, 0)))
    assert next_view(both, best).summary.startswith("Without these heads the probability")
    verb = dataclasses.replace(whole, shares=np.array([[0.4, 0.4], [0.4, 0.4]]))
    assert "a verb of any number, such as" in next_view(verb, best).summary
    maybe = dataclasses.replace(whole, shares=np.array([[0.1, 0.1], [0.3, 0.3]]))
    assert f"Next comes “{whole.likely[0]}”, or a singular verb: from" in next_view(maybe, best).summary
    word = dataclasses.replace(whole, shares=np.array([[0.1, 0.1], [0.05, 0.05]]))
    assert next_view(word, best).summary.startswith(f"Next comes “{whole.likely[0]}”: from ")


def test_bars_and_totals_of_the_next_word_tell_its_number_from_the_same_probabilities() -> None:
    result = of("trained")
    bars = next_view(result, (1, 0)).panels[1]
    number = dict(zip(result.likely, bars.role, strict=True))
    assert (number["are"], number["seem"], number.get("beside", "muted")) == ("accent", "accent", "muted")
    some = dataclasses.replace(result, off=(), shares=np.array([[0.25, 0.2], [0.5, 0.7]]))
    whole = next_view(some, (1, 0)).panels[1].whole
    assert whole.names == ("plural verbs", "singular verbs", "other words")
    assert whole.values.tolist() == [0.25, 0.5, 0.25]
    assert whole.role == ("accent", "ink", "muted")
    assert whole.before is None, "all heads are on"
    fewer = dataclasses.replace(some, off=((1, 0),))
    np.testing.assert_allclose(next_view(fewer, (1, 0)).panels[1].whole.before, [0.2, 0.7, 0.1], rtol=1e-6)
    np.testing.assert_allclose(next_view(fewer, (1, 0)).panels[1].before, result.before, rtol=1e-6)
    verbs = sum(p for p, role in zip(result.probabilities, bars.role, strict=True) if role == "accent")
    assert 0 < verbs <= result.shares[0, 0]
    other = run_trained(TrainedConfig(model="induction"))
    assert (next_view(other, (0, 0)).panels[1].whole, next_view(other, (0, 0)).panels[1].role) == (None, None)


def test_a_head_that_is_off_is_grey_in_every_table_of_heads() -> None:
    result, found = run_trained(TrainedConfig(off=((1, 2),))), of("named")
    n, grey = len(result.tokens), np.arange(8) == 6
    rows, _ = next_view(result, (1, 2)).panels
    (large,) = draw.large_view(result, (1, 2)).panels
    np.testing.assert_array_equal(rows.hidden, np.repeat(grey[:, None], n, axis=1))
    assert rows.hidden_as == "switched off"
    assert not large.hidden[-1].any(), "where it would look"
    for head, is_off in (((1, 2), True), ((0, 0), False)):
        said = "".join(text for text, _ in draw.arithmetic(result, head, (n - 1, 0)))
        assert (" would look at " in said, "; but the head is switched off" in said) == (is_off, is_off)
    firm = draw.grid_view(run_trained(TrainedConfig()), (0, 0)).summary.partition("; ")[2].partition(" spreads")[0]
    layer, head = (int(part) - 1 for part in re.findall(r"\d+", firm))
    assert firm not in draw.grid_view(run_trained(TrainedConfig(off=((layer, head),))), (0, 0)).summary
    every = tuple((layer, head) for layer in range(2) for head in range(4))
    assert "all are switched off" in draw.grid_view(run_trained(TrainedConfig(off=every)), (0, 0)).summary
    grid, _, *means = draw.grid_view(result, (0, 0)).panels
    square = np.s_[n:, 2 * n : 3 * n]
    assert grid.hidden[square].all()
    assert not grid.hidden[n:, n : 2 * n].all()
    tables = [*means, draw.scores_view(result, (0, 0)).panels[0], draw.depth_view(result).panels[2]]
    assert len(tables) == 5
    for table in tables:
        np.testing.assert_array_equal(table.hidden.ravel(), grey)
    scores, *_ = roles_view(found, None, result.off).panels
    np.testing.assert_array_equal(scores.hidden.all(1), grey)


def test_every_construction_has_a_column_that_is_named_in_words() -> None:
    names = {one.name for language in LANGUAGES.values() for one in language.constructions}
    assert sorted(ASKED) == sorted(names)
    assert all(re.fullmatch(r"[a-z][a-z, )”]+", ASKED[name]) for name in names), "words, and the marks that close"


def test_what_a_head_is_for_is_said_of_the_construction_that_loses_most() -> None:
    found, asked = of("named"), of("asked")
    best = found.best("agreement")
    kept = dataclasses.replace(asked, each=np.broadcast_to(asked.whole, asked.each.shape).copy())
    assert "almost as often" in roles_view(found, kept).summary
    some = dataclasses.replace(asked, each=np.broadcast_to(0.8 * asked.whole, asked.each.shape).copy())
    assert "comes out less often" in roles_view(found, some).summary
    assert roles_view(found, kept).summary.startswith(f"Layer {best[0] + 1}, head {best[1] + 1} looks most")
    assert roles_view(found, None).summary.startswith("The head that looks most at the word before is ")


def test_many_heads_are_drawn_by_layer_and_head() -> None:
    result, found = of("trained"), of("named")
    wide = {name: np.tile(getattr(result, name), (6, 3, 1, 1)) for name in ("weights", "scores")}
    many = dataclasses.replace(result, hidden=np.tile(result.hidden, (6, 1, 1)), **wide)
    assert many.shape == (12, 12)
    first, *_ = next_view(many, (11, 11)).panels
    assert first.values.shape == (12, 12)
    assert draw.choice("next", many, (0, 11, 3), ()) == {"head": ((11, 3),)}
    means = {name: np.tile(getattr(result, name), (6, 3)) for name in ("entropy", "distance", "first")}
    grid, *_ = draw.grid_view(dataclasses.replace(many, **means), (0, 0)).panels
    assert grid.values.shape == (12 * 6, 12 * 6)
    scores = dataclasses.replace(found, scores=np.tile(found.scores, (1, 6, 3)))
    assert [panel.values.shape for panel in roles_view(scores, None).panels] == [(12, 12)] * 4


def test_rows_of_heads_are_ordered_by_a_score_and_of_many_the_first_are_listed() -> None:
    result, found = of("trained"), of("named")
    assert draw.listed_heads(result, found, "place") == draw.by_place(result.shape) == ROWS
    least = draw.listed_heads(result, found, "entropy")
    assert [result.entropy[head] for head in least] == sorted(result.entropy.ravel())
    assert draw.listed_heads(result, found, "agreement")[0] == found.best("agreement")
    rows, *_ = draw.next_view(result, least[3], least).panels
    np.testing.assert_allclose(rows.values[3], result.weights[least[3]][-1], rtol=1e-6)
    assert rows.rows.labels[3] == f"{least[3][0] + 1}.{least[3][1] + 1}"
    chosen = draw.choice("next", result, (0, 3, 2), least)
    assert chosen == {"head": (least[3],), "cell": (5, 2)}
    assert draw.selected("next", result, *chosen["head"], chosen["cell"], least) == (0, 3, 2)
    scores, without = draw.roles_view(found, of("asked"), (least[2],), least).panels
    assert scores.rows.labels == without.rows.labels[1:9] == rows.rows.labels
    assert [*scores.hidden.all(1)].index(True) == 2
    np.testing.assert_allclose(scores.values[5], found.scores[(slice(None), *least[5])], rtol=1e-6)
    many = dataclasses.replace(
        result, weights=np.tile(result.weights, (6, 3, 1, 1)), first=np.arange(144.0).reshape(12, 12)
    )
    assert draw.listed_heads(many, found, "first") == tuple(
        (11, 11 - at) if at < 12 else (10, 23 - at) for at in range(16)
    )
    unknown = dataclasses.replace(found, scores=np.full((4, 12, 12), np.nan))
    assert draw.listed_heads(many, unknown, "agreement") == draw.by_place(many.shape) == ()


@pytest.mark.parametrize(("bare", "said"), [(0.05, "5% moves"), (9e-4, "nothing moves, but for rounding")])
def test_what_a_shuffle_moves_without_positions_and_mask_is_said_unless_it_is_rounding(
    bare: float, said: str
) -> None:
    result = dataclasses.replace(of("trained"), shuffled=np.array([0.3, 0.2, bare]))
    assert draw.order_view(result).summary == (
        f"As the words are shuffled, 30% of the next word’s probability moves; without positions and mask {said}."
    )
