"""The steps of a pass: what is drawn is what was computed, and each line of arithmetic adds up."""

import itertools
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.figures.matrix import BarsPanel, MatrixPanel
from attention_core.studies.anatomy import AnatomyConfig, run_anatomy
from attention_core.studies.anatomy.draw import (
    ALL,
    AVERAGE,
    STEP_NAMES,
    STEPS,
    Shown,
    anatomy_view,
    explain,
    focus,
    neighbours,
    number,
    read_cell,
    shape_line,
    shown,
    write_cell,
)
from attention_core.studies.anatomy.draw.view import values_of

SETTINGS = (
    AnatomyConfig(),
    AnatomyConfig(weights="random", causal=True, heads=4, positions="alibi", dropout=0.5),
    AnatomyConfig(weights="random", positions="rotary", no_transpose=True),
    AnatomyConfig(tokens=("one",), heads=1, positions="learned", biases=False),
)


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


@pytest.mark.parametrize("config", SETTINGS)
def test_the_bars_of_a_row_share_one_bar_as_its_weights_do(config: AnatomyConfig) -> None:
    result, softmax = run_anatomy(config), STEP_NAMES.index("softmax")
    for row in range(len(config.tokens)):
        *_, bars = anatomy_view(config, result, step="softmax", head="1", cell=(softmax, 0, row, 0)).panels
        assert isinstance(bars, BarsPanel)
        assert bars.whole is not None
        assert bars.whole.of_bars
        assert bars.title.startswith(f"“{config.tokens[row]}”")
        assert max(bars.values) == 1
        np.testing.assert_allclose(bars.values / bars.values.sum(), bars.whole.values, atol=1e-6)  # float32
        np.testing.assert_allclose(bars.whole.values, result.weights[0, row], atol=1e-6)
        assert list(bars.values == 0) == list(np.isinf(result.masked[0, row]))


def test_the_average_of_heads_is_no_softmax_of_an_average() -> None:
    view = anatomy_view(AnatomyConfig(), run_anatomy(AnatomyConfig()), step="softmax", head=AVERAGE)
    assert [type(panel) for panel in view.panels] == [MatrixPanel, MatrixPanel]


def test_the_reshape_is_told_as_where_each_number_went() -> None:
    for config in (AnatomyConfig(weights="random"), AnatomyConfig(weights="random", no_transpose=True)):
        result = run_anatomy(config)
        for head, row, column in itertools.product(range(2), range(6), range(8)):
            text = explain(config, result, Shown("q", head), row, column).text
            at, token = re.match(r"number (\d+) of “(\w+)” is number", text).groups()
            rows = [i for i, word in enumerate(config.tokens) if word == token]
            assert any(result.q_rows[i, int(at) - 1] == result.q[head, row, column] for i in rows)


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
    [(0.0, "0.00"), (-0.001, "0.00"), (-0.31, "−0.31"), (68.12, "68.1"),
     (9.99, "9.99"), (10.0, "10.0"), (999.4, "999.4"), (1000.0, "1,000"),
     (1204.4, "1,204"), (-math.inf, "−∞"),
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


@pytest.mark.parametrize(
    ("positions", "told", "gain"),
    [("rotary", "", 1.0), ("rotary-linear", "four times as many slots", 1.0),
     ("rotary-yarn", "All numbers are multiplied by 1.14.", 0.1 * math.log(4) + 1),
     ("rotary-llama3", "keeps the usual one, the slowest turns 4 times slower.", 1.0),
     ("rotary-ntk", "turns 3 times slower. It depends on how long the text is.", 1.0),
     ("rotary-longrope", "turns 4 times slower. It depends on", 2**0.5)],
)  # fmt: skip
def test_what_is_said_of_positions_that_are_stretched_is_so(positions: str, told: str, gain: float) -> None:
    config = AnatomyConfig(positions=positions, weights="random")
    result = run_anatomy(config)
    summary = anatomy_view(config, result, step="heads").summary
    assert [one in summary for one in ("four times as many slots", "are multiplied by")] == [
        told.startswith("four"), gain != 1
    ]  # fmt: skip
    assert told in summary
    before, after = result.q_rows.reshape(len(config.tokens), config.heads, -1).swapaxes(0, 1), result.q
    assert np.linalg.norm(after, axis=-1) == pytest.approx(gain * np.linalg.norm(before, axis=-1))
    angles = np.angle(after[..., ::2] + 1j * after[..., 1::2]) - np.angle(before[..., ::2] + 1j * before[..., 1::2])
    turned = np.angle(np.exp(1j * angles))[:, 1]  # from slot 0 to slot 1, (heads, pairs)
    slowest, fastest = {
        "rotary": (1, 1), "rotary-linear": (0.25, 0.25), "rotary-ntk": (1 / 3, 1),
    }.get(positions, (0.25, 1))  # fmt: skip
    usual = 10000.0 ** (-2 * np.arange(4) / 8)
    assert turned[:, -1] == pytest.approx(slowest * usual[-1])
    assert turned[:, 0] == pytest.approx(fastest * usual[0])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"positions": "rotary-ntk", "tokens": ("a", "b", "c", "d")},
            "Here it is the usual one. It depends on",
        ),
        ({"positions": "rotary-longrope", "tokens": ("a", "b")}, "Here it is the usual one. It depends on"),
        ({"positions": "rotary-llama3", "d_head": 2}, "Here it is the usual one."),
        ({"positions": "rotary-part"}, "Only the first half of a head's numbers turns"),
    ],
)
def test_where_angles_are_the_usual_ones_it_is_said(settings: dict[str, Any], told: str) -> None:
    config = AnatomyConfig(weights="random", **settings)
    result = run_anatomy(config)
    assert told in anatomy_view(config, result, step="heads").summary
    rows = result.q_rows.reshape(len(config.tokens), config.heads, -1).swapaxes(0, 1)
    if config.positions == "rotary-part":
        half = config.head_size // 2
        assert (result.q[..., half:] == rows[..., half:]).all()
        assert (result.q[:, 1:, :half] != rows[:, 1:, :half]).all()
    else:
        usual = run_anatomy(replace(config, positions="rotary")).q
        gain = 2**0.5 if config.positions == "rotary-longrope" else 1
        assert result.q == pytest.approx(gain * usual)
