"""The page Worth: its presets are what their names say, a press cuts an edge, and a model of one's own is asked."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_core.measuring import models
from attention_core.measuring.checks import ConfigError
from attention_core.shipped.languages import SHIPPED
from attention_core.studies import worth
from attention_core.studies.worth import draw
from tests.experiments.brought import brought
from tests.pages.conftest import go_to, open_answered
from tests.pages.read import built, button, link_of, page_of, said, truth, widget


def at_preset(number: int) -> tuple[worth.WorthResult, tuple[int, int] | None]:
    page = page_of("worth")
    config, view = built("worth", link_of("worth", page.presets[number].settings))
    result = worth.run_worth(config)
    return result, draw.chosen_edge(result, view.edge, view.cell)


def place(result: worth.WorthResult, values: np.ndarray, cell: tuple[int, int]) -> float:
    """The share of the head's other edges with a smaller number."""
    others = values[result.felt]
    return float((others < values[cell]).sum() / (len(others) - 1))


def test_the_edge_that_is_looked_at_is_not_used() -> None:
    result, cell = at_preset(0)
    assert cell is not None
    assert result.weights[cell] > 0.9
    assert abs(result.effects[cell]) < 1e-3 * result.lead
    assert place(result, result.weights, cell) > 0.95 > 0.15 > place(result, np.abs(result.effects), cell)
    assert (result.tokens[cell[0]], result.tokens[cell[1]]) == ("that", "boxes")


def test_the_edge_that_is_hardly_looked_at_is_used_most() -> None:
    result, cell = at_preset(1)
    assert cell is not None
    assert result.weights[cell] < 1 / 7
    assert cell == result.largest(np.abs(result.effects))
    assert result.effects[cell] > 0.15 * result.lead
    assert place(result, result.weights, cell) < 0.6


def test_where_there_is_nothing_to_say_the_first_word_is_looked_at() -> None:
    result, _ = at_preset(2)
    assert result.first.max() > 1 / 3 > 1 / len(result.tokens), "more than its part"


@pytest.mark.parametrize(("head", "right"), [("0.2", 0), ("1.0", 1)])
def test_the_question_is_about_the_largest_edge(head: str, right: int) -> None:
    page = page_of("worth")
    assert truth("worth", {"worth_head": head}) == page.predict.options[right]
    config, _view = built("worth", {"worth_head": head})
    result = worth.run_worth(config)
    cell = np.unravel_index(int(np.where(result.choosable, result.weights, -1).argmax()), result.weights.shape)
    cut = worth.run_cut(worth.CutConfig.like(config, head=result.head, cell=tuple(map(int, cell))))
    assert (cut.lead < 0) == bool(right), "by one pass without that edge alone"


def test_a_press_on_a_map_cuts_that_edge_and_one_on_a_head_looks_at_it() -> None:
    result = worth.run_worth(worth.WorthConfig(head=(1, 0)))
    assert draw.choice(result, (4, 0, 3)) == {"edge": "cell", "cell": (4, 3)}, "of the last layer the last row alone"
    assert draw.choice(result, (6, 0, 3)) == {"head": (0, 3), "edge": "none", "cell": ()}
    assert draw.choice(result, (2, 0, 0)) == {}
    causal = worth.run_worth(worth.WorthConfig(head=(0, 2)))
    assert draw.choice(causal, (0, 1, 3)) == {}, "there is no edge to a later word"
    assert draw.chosen_edge(causal, "cell", (1, 3)) is None
    assert draw.chosen_edge(causal, "cell", (3, 1)) == (3, 1)
    assert draw.chosen_edge(causal, "cell", (30, 1)) is None
    query, key = draw.chosen_edge(causal, "random", ())
    assert query >= key


def test_a_press_on_a_cross_cuts_the_edge_of_that_weight_and_effect() -> None:
    result = worth.run_worth(worth.WorthConfig(head=(0, 2)))
    view = draw.edges_view(result, worth.run_cut(worth.CutConfig.like(result.config, head=result.head)))
    scatter, pressed = view.panels[2], set()
    for at in range(len(scatter.x)):
        chosen = draw.choice(result, (2, 0, at))
        assert view.cell_exists(2, 0, at) == bool(chosen), "and where there is no cross nothing is cut"
        if chosen:
            query, key = chosen["cell"]
            assert scatter.series[0].values[at] == pytest.approx(result.effects[query, key], rel=1e-6)
            assert scatter.x[at] == pytest.approx(result.weights[query, key], abs=1e-3)
            assert scatter.points[at] == f"“{result.tokens[query]}” to “{result.tokens[key]}”"
            pressed.add((query, key))
    assert pressed == {tuple(cell) for cell in np.argwhere(result.choosable)}, "each edge has its own"


def test_what_falls_below_nothing_rises() -> None:
    result = worth.run_worth(worth.WorthConfig(head=(0, 2)))
    for cell in map(tuple, np.argwhere(result.choosable)):
        cut = worth.run_cut(worth.CutConfig.like(result.config, head=result.head, cell=cell))
        said_here = draw.arithmetic(result, cell) + draw.edges_view(result, cut).summary
        assert ("rises by" in said_here) == (result.effects[cell] < 0), said_here
        assert ("falls by" in said_here) == (result.effects[cell] >= 0)
        assert "by −" not in said_here
    assert (result.effects[result.choosable] < 0).any(), "there is one that rises"


def test_the_page_says_what_the_cut_edge_was_worth() -> None:
    at = open_answered("worth", worth_head="1.0", worth_edge="weight")
    assert not at.exception
    assert "now “seems” leads" in said(at).replace("\\", "")
    at = open_answered("worth", worth_head="7.7")
    assert "this model has 2 layers of 4 heads" in " ".join(item.value for item in at.error).replace("\\", "")


def test_a_model_of_ones_own_is_cut_too_and_has_no_other_texts(tmp_path: Path) -> None:
    own = brought(tmp_path / "own", family="gpt2", causal=True, lm_head=True)
    config = worth.WorthConfig(model="own", brought=own.digest, text=("1", "2", "3", "4"), dtype="float32")
    *steps, result = worth.steps_worth(config)
    assert len(steps) >= 2
    assert result.effects[np.tril_indices(4)].shape == (10,)
    assert np.isfinite(result.effects[np.tril_indices(4)]).all()
    with pytest.raises(ConfigError, match="for the shipped models alone"):
        worth.TextsConfig.like(config, head=result.head)
    encoder = brought(tmp_path / "encoder", family="bert", lm_head=False)
    with pytest.raises(ConfigError, match="says what comes next"):
        worth.WorthConfig(model="own", brought=encoder.digest, text=("1", "2"), dtype="float32")


def bring(at: Any, name: str) -> Any:
    """Bring a shipped model's files, and open them."""
    files = [(path.name, path.read_bytes(), "application/octet-stream") for path in SHIPPED[name].iterdir()]
    at.file_uploader[0].set_value(files).run()
    button(at, "Open it").click()
    return at.run()


def own(at: Any, page: str) -> Any:
    """Go to a page, and look at the session's own model there."""
    go_to(at, page)
    at.run()
    if widget(at, f"{page}_model").value != "own":
        widget(at, f"{page}_model").set_value("own").run()
    return at


def test_a_model_that_is_open_on_trained_models_is_open_here_too_and_takes_its_memory_once() -> None:
    at = bring(open_answered("trained"), "reverse")
    free = models.free_bytes()
    own(at, "worth")
    assert not [*at.exception, *at.error]
    assert "Open: **your model**" in said(at)
    assert models.free_bytes() == free
    assert widget(at, "worth_text").value.split()[0] == widget(own(at, "trained"), "trained_text").value.split()[0]
    own(at, "worth")
    button(at, "Close it").click()
    at.run()
    assert widget(at, "worth_model").value == "grammar"
    go_to(at, "trained")
    at.run()
    assert not [*at.exception, *at.error], "closed there, it is not looked at here"
    assert widget(at, "trained_model").value == "grammar"
