"""The steps of a pass: what is drawn is what was computed, and each line of arithmetic adds up."""

import itertools
import math
import re

import numpy as np
import pytest
import torch

from attention_core.experiments.anatomy import AnatomyConfig, run_anatomy
from attention_core.figures.anatomy import (
    ALL,
    AVERAGE,
    QUANTITIES,
    STEP_NAMES,
    STEPS,
    Shown,
    anatomy_view,
    code_line,
    explain,
    focus,
    formula_line,
    neighbours,
    number,
    read_cell,
    shape_line,
    shown,
    step_of,
    write_cell,
)
from attention_core.figures.anatomy.view import values_of

SETTINGS = (
    AnatomyConfig(),
    AnatomyConfig(weights="random", causal=True, heads=4, positions="alibi", dropout=0.5),
    AnatomyConfig(weights="random", positions="rotary", no_transpose=True),
    AnatomyConfig(tokens=("one",), heads=1, positions="learned", biases=False),
)


def shown_number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").strip("() "))


@pytest.mark.parametrize("config", SETTINGS)
def test_every_cell_of_every_step_can_be_computed_again_from_its_operands(config: AnatomyConfig) -> None:
    result = run_anatomy(config)
    for step, head in itertools.product(STEP_NAMES, ("1", ALL, AVERAGE)):
        for what in shown(config, step, head):
            drawn = values_of(result, what)
            for row, column in np.ndindex(drawn.shape):
                line = explain(config, result, what, row, column)
                assert line.value == drawn[row, column]
                if math.isinf(line.value):
                    assert "−∞" in line.text
                    continue
                total = sum(math.prod(term) for term in line.terms)
                expected = result.products[what.head or 0, row, column] if what.quantity == "scores" else line.value
                if what.head == -1:
                    expected = line.value
                assert total == pytest.approx(expected, abs=1e-9), (what, line.text)


def test_the_score_of_a_cell_is_told_in_numbers_that_add_up() -> None:
    config = AnatomyConfig(weights="random", seed=4)
    result = run_anatomy(config)
    line = explain(config, result, Shown("scores", 0), 2, 1)
    sum_text, value = re.fullmatch(r"“sat” asks “cat”: q · k ≈ (.+),  ÷ √8 ≈ (\S+)", line.text).groups()
    terms, dot = sum_text.rsplit(" ≈ ", 1)
    factors = [tuple(map(shown_number, term.split("·"))) for term in terms.split(" + ")]
    assert len(factors) == 8
    for (a, b), q, k in zip(factors, result.q[0, 2], result.k[0, 1], strict=True):
        assert (a, b) == pytest.approx((q, k), abs=0.0051)
    assert sum(a * b for a, b in factors) == pytest.approx(shown_number(dot), abs=0.1)
    assert shown_number(dot) / math.sqrt(8) == pytest.approx(shown_number(value), abs=0.01)
    assert next(role for text, role in line.parts if text.strip("()") == number(result.q[0, 2, 0])) == "query"


def test_rounded_terms_are_not_said_to_equal_their_sum() -> None:
    for config in SETTINGS:
        result = run_anatomy(config)
        for step, head in itertools.product(STEP_NAMES, ("1", AVERAGE)):
            for what in shown(config, step, head):
                line = explain(config, result, what, 0, 0)
                assert " = " not in line.text or len(line.terms) < 2 or line.text.rindex(" = ") < line.text.find("≈")


def test_a_step_says_which_number_it_takes_apart_and_when_it_shows_an_average() -> None:
    config = AnatomyConfig()
    result = run_anatomy(config)
    assert explain(config, result, Shown("output"), 2, 4).text.startswith("number 5 of the output of “sat”")
    assert "average" in formula_line(config, "softmax", AVERAGE)
    assert formula_line(config, "softmax", "1") == step_of("softmax").formula


def test_colours_compare_scores_with_products_and_weights_with_all_of_a_query() -> None:
    config = AnatomyConfig(positions="none")
    result = run_anatomy(config)
    products, scores = anatomy_view(AnatomyConfig(), run_anatomy(AnatomyConfig()), step="scale", head="1").panels
    assert products.colour_limits == scores.colour_limits
    unmasked, weights = anatomy_view(config, result, step="softmax", head="1").panels
    assert (unmasked.title, weights.colour_limits) == ("Scores, none hidden, head 1", (0.0, 1.0))


def test_a_weight_is_told_as_a_share() -> None:
    config = AnatomyConfig()
    result = run_anatomy(config)
    line = explain(config, result, Shown("weights", 0), 2, 1)
    percent = round(100 * result.weights[0, 2, 1])
    assert line.text.endswith(f"“sat” takes {percent} % of what it reads here from “cat”")
    assert percent > 80
    hidden = AnatomyConfig(causal=True)
    assert "hidden" in explain(hidden, run_anatomy(hidden), Shown("weights", 0), 0, 3).text


def test_the_reshape_is_told_as_where_each_number_went() -> None:
    for config in (AnatomyConfig(weights="random"), AnatomyConfig(weights="random", no_transpose=True)):
        result = run_anatomy(config)
        for head, row, column in itertools.product(range(2), range(6), range(8)):
            text = explain(config, result, Shown("q", head), row, column).text
            at, token = re.match(r"number (\d+) of “(\w+)” is number", text).groups()
            rows = [i for i, word in enumerate(config.tokens) if word == token]
            assert any(result.q_rows[i, int(at) - 1] == result.q[head, row, column] for i in rows)


@pytest.mark.parametrize("config", SETTINGS[1::2])
def test_panels_show_the_result(config: AnatomyConfig) -> None:
    result = run_anatomy(config)
    for step, head in itertools.product(STEP_NAMES, ("1", "8", ALL, AVERAGE)):
        view, whats = anatomy_view(config, result, step=step, head=head), shown(config, step, head)
        undone = (step == "context" and config.dropout) or (step == "heads" and config.no_transpose)
        assert (step_of(step).says in view.summary) != bool(undone)
        assert step_of(step).gives in {what.quantity for what in whats}
        for panel, what in zip(view.panels, whats, strict=True):
            drawn = values_of(result, what)
            seen = np.isfinite(drawn)
            np.testing.assert_array_equal(panel.values[seen], drawn.astype(np.float32)[seen])
            assert panel.hidden is None or seen[~panel.hidden].all()
            assert panel.quantity == QUANTITIES[what.quantity].symbol


def test_a_step_says_what_becomes_of_its_numbers_with_these_settings() -> None:
    plain, rotary, alibi = (AnatomyConfig(positions=name) for name in ("sinusoidal", "rotary", "alibi"))
    said = {
        (config.positions, step): anatomy_view(config, run_anatomy(config), step=step, head="1").summary
        for config in (plain, rotary, alibi)
        for step in ("embed", "heads", "mask", "scores")
    }
    moved = run_anatomy(rotary)
    assert not np.allclose(np.concatenate([*moved.q], axis=1), moved.q_rows, atol=0.1), "numbers do change"
    assert [name for (name, step), text in said.items() if step == "heads" and "No number changes" in text] == [
        "sinusoidal", "alibi",
    ]  # fmt: skip
    assert "turn queries and keys" in said["rotary", "heads"]
    assert "turned" in formula_line(rotary, "heads", "1")
    assert "rotate(q" in code_line(rotary, "heads")
    assert "rotate(q" not in code_line(plain, "heads")
    assert "What is added says at which place" in said["sinusoidal", "embed"]
    assert all("Nothing is added" in said[name, "embed"] for name in ("rotary", "alibi"))
    assert "ALiBi takes off" in said["alibi", "mask"]
    assert "penalty" in formula_line(alibi, "mask", "1")
    assert [name for (name, step), text in said.items() if step == "scores" and "finds none" in text] == ["alibi"]


def test_a_chosen_cell_stays_inside_and_follows_to_the_next_step() -> None:
    config = AnatomyConfig()
    result = run_anatomy(config)
    at = STEP_NAMES.index("softmax")
    assert focus(config, result, step="softmax", head="1", cell=()) == (1, 2, 1)
    assert focus(config, result, step="softmax", head="1", cell=(at, 0, 4, 3)) == (0, 4, 3)
    assert focus(config, result, step="context", head="1", cell=(at, 0, 4, 3)) == (2, 4, 3)
    assert focus(config, result, step="tokens", head="1", cell=(at, 7, 99, 99)) == (0, 5, 4)
    assert read_cell(write_cell((7, 1, 2, 0))) == (7, 1, 2, 0)
    assert read_cell(write_cell(())) == ()
    for nonsense in ("1.2", "a.b.c.d", "1.2.3.-4", "1.2.3.4.5", "1e9.0.0.0"):
        with pytest.raises(ValueError, match=r"is no cell|invalid literal"):
            read_cell(nonsense)


def test_steps_stand_in_a_row_and_say_their_shapes() -> None:
    assert (STEP_NAMES[0], *STEP_NAMES[-2:]) == ("pass", "output", "lookup")
    assert neighbours("pass") == ("pass", "tokens")
    assert neighbours("lookup") == ("output", "lookup")
    assert shape_line(SETTINGS[0], run_anatomy(SETTINGS[0]), "softmax") == "2 heads × 6 queries × 6 keys"
    one = run_anatomy(SETTINGS[3])
    assert shape_line(SETTINGS[3], one, "softmax") == "1 head × 1 query × 1 key"
    assert shape_line(SETTINGS[3], one, "qkv") == "three times 1 token × 1 head of 16 numbers"
    assert shape_line(SETTINGS[3], one, "merge") == "1 query × 1 head of 16 numbers"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.00"), (-0.001, "0.00"), (-0.31, "−0.31"), (68.12, "68.1"), (1204.4, "1,204"), (-math.inf, "−∞"),
     (math.inf, "∞")],
)  # fmt: skip
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("settings", [{}, {"heads": 4, "causal": True, "weights": "random"}, {"biases": False}])
def test_the_lines_of_code_run_and_make_what_their_steps_show(settings: dict[str, object]) -> None:
    config = AnatomyConfig(**settings)
    result = run_anatomy(config)
    held = {name: torch.tensor(getattr(result, name)) for name in ("slots", "o_bias", "o_weight", "words")}
    ids = [result.vocabulary.index(token) for token in config.tokens]
    names = {"W_O": held["o_weight"], "b_O": held["o_bias"], "slots": held["slots"], "h": config.heads}
    names |= {f"W_{z.upper()}": torch.tensor(getattr(result, f"{z}_weight")) for z in "qkv"}
    names |= {f"b_{z.upper()}": torch.tensor(getattr(result, f"{z}_bias")) for z in "qkv"}
    table = torch.stack([held["words"][ids.index(i)] for i in range(len(result.vocabulary))])
    names |= {
        "torch": torch,
        "F": torch.nn.functional,
        "words": result.vocabulary,
        "ids": ids,
        "table": table,
        "d_head": config.head_size,
    }
    names["hidden"] = torch.ones(len(ids), len(ids)).triu(1).bool() & config.causal
    made = {"tokens": "one_hot", "embed": "x", "qkv": "v", "heads": "q", "scores": "s", "scale": "s", "mask": "s"}
    made |= {"softmax": "a", "context": "o", "merge": "o", "output": "y", "lookup": "best", "pass": "y"}
    for step in (*STEPS[1:], STEPS[0]):  # the whole pass, from queries, keys and values that are there
        exec(step.code, names)
        expected = getattr(result, step.gives)
        np.testing.assert_allclose(names[made[step.name]].numpy(), expected, atol=1e-12, err_msg=step.name)


def test_a_hard_lookup_is_explained_by_the_best_key() -> None:
    result = run_anatomy(SETTINGS[0])
    best = int(result.weights[0, 3].argmax())
    said = explain(SETTINGS[0], result, Shown("looked_up", 0), 3, 1)
    assert f"“{SETTINGS[0].tokens[best]}” has the largest weight of “on”" in said.text
    assert said.value == result.v[0, best, 1]
