"""Pictures of masks: titles and notes, what disobeys, and what is NaN is said."""

import dataclasses

import numpy as np
import pytest

from attention_core.studies.masks import MasksConfig, run_forcing, run_length, run_masks
from attention_core.studies.masks.draw import (
    ADDITIVE,
    CONVENTIONS,
    EMPTY,
    GRID,
    claims_of,
    forcing_table,
    forcing_view,
    length_table,
    masks_view,
    proof,
)
from tests.figures.views import SENTENCES, of, view_of


def test_the_grid_says_what_was_given() -> None:
    panels, module = view_of("masks encoder masks").panels, of("encoder").modules[0]
    for panel, sentence in zip(panels, SENTENCES, strict=True):
        assert panel.columns.labels[: len(sentence)] == sentence
        assert (panel.cells, panel.colour_limits) == ("allowed", (0.0, 1.0))
        assert panel.hidden[:, len(sentence) :].all()
        assert not panel.hidden[:, : len(sentence)].any()
        padding = tuple(range(len(sentence), 6))
        assert panel.rows.pale == panel.columns.pale == padding, "chips"
        assert {panel.columns.labels[at] for at in padding} <= {"pad"}
    seen = module.seen.copy()
    seen[2, 0, 5] = 0.25
    disobeyed = dataclasses.replace(of("encoder"), modules=(dataclasses.replace(module, seen=seen),))
    assert masks_view(disobeyed, GRID).panels[2].values[0, 5] == 0.25


def test_one_pass_stands_beside_a_pass_for_each_word() -> None:
    one, each, left = view_of("masks encoder forcing").panels
    words = SENTENCES[0]
    assert one.rows.labels == each.rows.labels == left.rows.labels == words
    assert one.columns.labels == tuple(dict.fromkeys(words))
    assert one.colour_limits == each.colour_limits == (0.0, 1.0)
    assert (one.title, left.colour_limits) == ("One pass, no causal mask", (-1.0, 1.0))
    assert (left.values[-1] == 0).all(), "nothing follows the last word"
    assert (np.abs(left.values[:-1]).max(1) > 0.01).any()
    np.testing.assert_allclose(left.values, one.values - each.values, atol=0.005 + 1e-6)
    config = MasksConfig(sentences=SENTENCES, stack="decoder")
    same = forcing_view(config, run_forcing(config)).panels
    assert same[0].title == "One pass, causal mask"
    assert (same[2].values == 0).all()
    table = forcing_table(run_forcing(config))
    assert len(table.rows) == len(words) * len(set(words))
    assert sum(row[3] for row in table.rows) == pytest.approx(len(words))


def test_a_dot_stands_where_a_text_comes_out() -> None:
    taken, parameters = view_of("masks encoder length").panels
    assert taken.columns.labels == ("2", "16", "63", "64", "65", "128", "256")
    assert (
        taken.rows.labels == parameters.labels.labels == ("none", "sinusoidal", "learned", "rotary (RoPE)", "ALiBi")
    )
    for kind, row, hidden in zip(taken.rows.labels, taken.values, taken.hidden, strict=True):
        comes = [1, 1, 1, 1, 0, 0, 0] if kind == "learned" else [1] * 7
        assert (row == comes).all()
        assert (hidden == (row == 0)).all()
    assert parameters.values[2] - parameters.values[0] == 64 * 16
    assert set(parameters.values[[0, 1, 3, 4]]) == {parameters.values[0]}
    table = length_table(run_length(MasksConfig()))
    assert [row[2] for row in table.rows].count(False) == 3
    assert {row[0] for row in table.rows if not row[2]} == {"learned"}


def test_conventions_claims_and_proof() -> None:
    config = MasksConfig(stack="decoder", naive=True)
    assert claims_of(config, GRID) == claims_of(config, CONVENTIONS) == ("mask-decoder",)
    assert claims_of(config, EMPTY) == ("mask-full",)
    assert claims_of(config, ADDITIVE) == ("mask-additive",)
    said = "\n".join(step.measured for step in proof(config, run_masks(config)))
    assert "`0 of 96` here, `96 of 96` if zeroed late" in said
